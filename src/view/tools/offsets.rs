//! `kafka-get-offsets`. Source: `GetOffsetShell`.

use crate::Cluster;

/// Which offset `kafka-get-offsets` asks for: its `--time`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OffsetAt {
    /// `latest`, -1: the end.
    Latest,
    /// `earliest`, -2, and `earliest-local`, -4: the log start offset.
    Earliest,
    /// `max-timestamp`, -3: that of the record with the greatest timestamp.
    MaxTimestamp,
    /// `latest-tiered`, -5, and `earliest-pending-upload`, -6: nothing without tiered storage.
    Tiered,
    /// The first record at or after this time.
    Time(i64),
}

impl std::str::FromStr for OffsetAt {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Ok(match text {
            "latest" | "-1" => Self::Latest,
            "earliest" | "-2" | "earliest-local" | "-4" => Self::Earliest,
            "max-timestamp" | "-3" => Self::MaxTimestamp,
            "latest-tiered" | "-5" | "earliest-pending-upload" | "-6" => Self::Tiered,
            _ => Self::Time(text.parse().map_err(|_| ())?),
        })
    }
}

/// `kafka-get-offsets`: `topic:partition:offset` of the partitions that are wanted, sorted by the
/// text of topic and partition, so that 10 comes before 2. Partitions without an answer are left out.
///
/// ```
/// use loglanes::view::tools::{OffsetAt, offsets};
/// use loglanes::{Cluster, Command};
///
/// let mut cluster = Cluster::new(7);
/// cluster.apply(&Command::create_topic("orders", 2), 0)?;
/// assert_eq!(offsets(&cluster, OffsetAt::Latest, |_, _| true), "orders:0:0\norders:1:0\n");
/// assert_eq!(offsets(&cluster, OffsetAt::Time(0), |_, _| true), "");
/// # Ok::<(), loglanes::Error>(())
/// ```
#[must_use]
pub fn offsets(cluster: &Cluster, at: OffsetAt, wanted: impl Fn(&str, usize) -> bool) -> String {
    let mut rows: Vec<(String, String)> = Vec::new();
    for (name, topic) in cluster.topics() {
        for (number, partition) in topic.partitions.iter().enumerate() {
            if !wanted(name, number) {
                continue;
            }
            let log = &partition.log;
            let offset = match at {
                OffsetAt::Latest => Some(log.high_watermark()),
                OffsetAt::Earliest => Some(log.log_start_offset()),
                OffsetAt::MaxTimestamp => log.max_timestamp_offset().map(|(offset, _)| offset),
                OffsetAt::Tiered => None,
                OffsetAt::Time(ms) => log.offset_for_timestamp(ms).map(|(offset, _)| offset),
            };
            if let Some(offset) = offset {
                rows.push((format!("{name}-{number}"), format!("{name}:{number}:{offset}\n")));
            }
        }
    }
    rows.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16()));
    rows.into_iter().map(|(_, row)| row).collect()
}
