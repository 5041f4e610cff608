//! Answers for a page: what there is, one record with all there is to know of it, and where a
//! record would go. They change nothing.
//!
//! Counts, sizes and times are doubles, which hold them exactly up to 2^53; offsets never are.

mod changes;
mod cluster;
mod configs;
mod history;
mod placement;
mod producer;
mod record;
pub mod tools;
mod transaction;

pub use changes::{ChangesView, Put};
pub use cluster::{
    AssignmentView, BrokerView, ByHandView, ChangeView, CleanerView, ClusterView,
    GroupPartitionView, GroupView, MemberView, PartitionView, PlaceView, SegmentView, SetConfig,
    TopicView, UnnoticedView,
};
pub use configs::{ConfigView, configs};
pub use history::{AsideView, HistoryView, StepLine, steps};
pub use placement::{
    Arithmetic, Destination, OtherClient, PartitionerInfo, PlacementView, RefusalView,
    partitioners, placement,
};
pub use producer::ProducerView;
pub use record::{BatchDetail, HeaderView, RecordDetail, RecordSummary, record, summaries};
pub use transaction::{Standing, TransactionSpan, TransactionView, fates, transactions};
