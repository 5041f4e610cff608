//! Questions about a topic that change nothing in it.
//!
//! Two indexes are kept beside the log and follow it record by record: [`LaneIndex`] has a
//! [`Tag`] for each offset, to be drawn; [`KeyCensus`] has what is known of each key. All answers
//! come from them. They notice by themselves when retention or compaction has removed records.
//! When the log is replaced by another one, as by a reload or a step back, make new ones.

pub mod keys;
pub mod lane;
pub mod moves;
pub mod split;
pub mod tag;

mod number;

#[cfg(test)]
mod testing;

pub use keys::{KeyCensus, KeyStats, PartitionKeys, TopKey};
pub use lane::LaneIndex;
pub use moves::{Mover, WhatIf, what_if};
pub use split::{SplitKey, SplitPart, split_keys};
pub use tag::{KeyKind, Tag};
