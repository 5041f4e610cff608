//! Random commands.

use loglanes::group::{ConsumerConfig, PartitionOffset};
use loglanes::{Bytes, Produce, SeekTo};
use proptest::option;
use proptest::sample::select;

use super::*;

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => select(vec!["a", "b", "c.d", "c_d"]),
        1 => select(vec!["", "..", "a b", "__consumer_offsets", "nope"]),
    ]
    .prop_map(str::to_owned)
}

pub(super) fn command() -> impl Strategy<Value = Command> {
    let partition = || prop_oneof![12 => 0..4i32, 1 => select(vec![-1, 99, i32::MIN])];
    let offset = || prop_oneof![12 => 0..15i64, 1 => select(vec![-1, i64::MAX, 1 << 53])];
    let bytes = || {
        option::of(prop_oneof![
            select(vec!["", "null", "k1", "k2", "longer key"]).prop_map(Bytes::from),
            vec(any::<u8>(), 0..12).prop_map(Bytes::from),
        ])
    };
    let count = prop_oneof![8 => 1..6i32, 1 => select(vec![0, -1, -7, 10_000, i32::MAX])];
    let factor = prop_oneof![8 => 1..4i16, 1 => select(vec![0, -1, 4])];
    let create = (name(), option::of(count), option::of(factor)).prop_map(
        |(name, partitions, replication_factor)| Command::CreateTopic {
            name,
            partitions,
            replication_factor,
            // The naive model keeps every record, all in one segment, so that a fetch has them all:
            // what becomes of old ones, and how far a fetch reaches, have tests of their own.
            configs: [("retention.ms", "-1"), ("segment.ms", "9223372036854775807")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
        },
    );
    let time = option::weighted(0.3, select(vec![0, NOW, NOW + 9_999_999_999, -1]));
    let produce = (name(), option::weighted(0.3, partition()), time, bytes(), bytes()).prop_map(
        |(topic, partition, timestamp, key, value)| {
            Command::Produce(Produce {
                topic,
                partition,
                timestamp,
                key,
                value,
                ..Produce::default()
            })
        },
    );
    let group = prop_oneof![12 => select(vec!["g", "h"]), 1 => select(vec!["", "none"])];
    let member = prop_oneof![20 => select(vec!["m1", "m2", "m10", "M3", "é"]), 1 => Just("")];
    let resets = select(vec![OffsetReset::Earliest, OffsetReset::Latest, OffsetReset::None]);
    let to = prop_oneof![
        4 => offset().prop_map(SeekTo::Offset),
        1 => select(vec![SeekTo::End(LogEnd::Beginning), SeekTo::End(LogEnd::End)]),
    ];
    let place = (name(), partition(), offset())
        .prop_map(|(topic, partition, offset)| PartitionOffset::new(&topic, partition, offset));
    let most = option::of(prop_oneof![10 => 1..12i32, 1 => select(vec![0, -3])]);
    let details = (vec(name(), 0..4), resets, most, option::of(vec(place, 0..4)));
    let seek = (name(), partition(), to);
    let in_group = (group, member, 0..40u32, details, seek).prop_map(
        |(group, member, kind, (topics, auto_offset_reset, max_records, offsets), seek)| {
            let (group, member) = (group.to_owned(), member.to_owned());
            let (topic, partition, to) = seek;
            match kind {
                0..=9 => {
                    let config =
                        ConsumerConfig { topics, auto_offset_reset, ..ConsumerConfig::default() };
                    Command::Join { group, member, config }
                }
                10 => Command::Leave { group, member },
                11..=12 => Command::Crash { group, member },
                13 => Command::Restart { group, member },
                14..=25 => Command::Poll { group, member, max_records },
                26..=31 => Command::Commit { group, member, offsets },
                32..=37 => Command::Seek { group, member, topic, partition, to },
                38 => Command::RefreshMetadata { group },
                _ => Command::DeleteGroup { group },
            }
        },
    );
    let total = prop_oneof![8 => 1..8i32, 1 => select(vec![0, -1, 1_000_000_000, i32::MIN])];
    let clock = prop_oneof![8 => 0..200_000i64, 1 => Just(-1)];
    prop_oneof![
        6 => create,
        1 => name().prop_map(|name| Command::DeleteTopic { name }),
        2 => (name(), total).prop_map(|(topic, total)| Command::CreatePartitions { topic, total }),
        20 => produce,
        40 => in_group,
        2 => clock.prop_map(|ms| Command::AdvanceClock { ms }),
        1 => Just(Command::Tick),
    ]
}
