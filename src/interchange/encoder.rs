//! What every writer of a file is: given one record after the other, it adds bytes.

use std::fmt;

use crate::log::{RecordView, TimestampType};

/// A record and where it lies.
#[derive(Debug, Clone, Copy)]
pub struct Lying<'a> {
    /// Its topic.
    pub topic: &'a str,
    /// Its partition.
    pub partition: i32,
    /// The broker that leads the partition.
    pub leader: i32,
    /// What its timestamp says.
    pub timestamp_type: TimestampType,
    /// Itself.
    pub record: RecordView<'a>,
}

/// A writer of one format. It keeps nothing of a record once it is written.
pub trait Encoder: fmt::Debug {
    /// What stands before the first record.
    fn begin(&mut self, _out: &mut Vec<u8>) {}

    /// Adds a record.
    fn record(&mut self, lying: &Lying<'_>, out: &mut Vec<u8>);

    /// What stands after the last record.
    fn end(&mut self, _out: &mut Vec<u8>) {}
}
