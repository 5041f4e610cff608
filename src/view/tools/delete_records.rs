//! `kafka-delete-records`. Source: `DeleteRecordsCommand`.

use crate::Cluster;
use crate::error::{Error, ErrorCode, Refusal};

/// What `kafka-delete-records` would print, were it run now for these topics, partitions and offsets;
/// -1 is the high watermark. Nothing is deleted. The tool prints the partitions in an order of
/// chance; here they come as they are given.
///
/// A topic or a partition that is not there keeps the tool waiting for a minute, until it gives up.
///
/// ```
/// use loglanes::view::tools::delete_records;
/// use loglanes::{Cluster, Command};
///
/// let mut cluster = Cluster::new(7);
/// cluster.apply(&Command::create_topic("orders", 1), 0)?;
/// cluster.apply(&Command::produce("orders", None, Some(b"v")), 0)?;
/// let text = delete_records(&cluster, &[("orders", 0, -1)]);
/// assert!(text.ends_with("completed:\npartition: orders-0\tlow_watermark: 1\n"));
/// # Ok::<(), loglanes::Error>(())
/// ```
#[must_use]
pub fn delete_records(cluster: &Cluster, before: &[(&str, i32, i64)]) -> String {
    let rows = before.iter().map(|&(topic, partition, before)| {
        let held = cluster.topic(topic).and_then(|held| held.partition(partition));
        let answer = match held.map(|held| held.log.low_watermark_after(before)) {
            Some(Ok(low)) => format!("low_watermark: {low}"),
            Some(Err(error)) => refused(&error),
            None => refused(&Error::code_alone(ErrorCode::RequestTimedOut)),
        };
        format!("partition: {topic}-{partition}\t{answer}\n")
    });
    let rows: String = rows.collect();
    format!("Executing records delete operation\nRecords delete operation completed:\n{rows}")
}

/// The exception that the client makes of an error code.
fn refused(error: &Error) -> String {
    let code = match error.refusal() {
        Refusal::Broker(code) => code,
        _ => ErrorCode::UnknownServerError,
    };
    let class = code.exception();
    format!("error: org.apache.kafka.common.errors.{class}: {}", code.message())
}
