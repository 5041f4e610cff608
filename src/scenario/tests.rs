//! Text to commands to text is the identity, over all commands; and no text is too odd to be read.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::{
    MAX_DIAGNOSTICS, MAX_LINE_BYTES, MAX_LINES, MAX_TEXT_BYTES, Scenario, Statement, VERBS,
};
use crate::command::{Command, LogEnd, OwnedHeader, Produce, SeekTo};
use crate::generate::GenerateSpec;
use crate::group::assignor::Assignor;
use crate::group::{
    ConsumerConfig, GroupProtocol, OffsetReset, PartitionOffset, ResetTo, TopicPartition,
    TopicPattern,
};
use crate::log::{Header, IsolationLevel, NewRecord};
use crate::topic::{AlterConfigOp, CONFIG_DEFS, ConfigOp, ReplicaAssignment};
use crate::{Bytes, RecordSet};

/// Names as people give them, and names that look like something else.
fn name() -> BoxedStrategy<String> {
    prop_oneof![
        4 => "[a-z]{1,6}([._-][a-z0-9]{1,3})?",
        2 => select(vec![
            "", "none", "nothing", "no-topics", "all-topics", "x", "header", "record", "delete", "to-earliest",
            "orders-0", "a-", "-", "a=b", "a,b", "a b", "\"", "\\", "é\u{301}", "\n", "#", "$", "to-offset",
            "beginning", "end", "orders:0,2", "auto-commit", "5", "a@5", "+", "-1", "from-file", "a+", "…",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
    .boxed()
}

fn bytes() -> BoxedStrategy<Bytes> {
    prop_oneof![
        name().prop_map(|text| Bytes::from(text.as_str())),
        vec(any::<u8>(), 0..20).prop_map(Bytes::from),
    ]
    .boxed()
}

fn config_name() -> BoxedStrategy<String> {
    let known: Vec<String> = CONFIG_DEFS.iter().map(|def| def.name.to_owned()).collect();
    let odd =
        select(vec!["partitions", "replication-factor", "assignment"]).prop_map(str::to_owned);
    prop_oneof![4 => select(known), 1 => name(), 1 => odd].boxed()
}

fn headers() -> impl Strategy<Value = Vec<OwnedHeader>> {
    vec((bytes(), option::of(bytes())).prop_map(|(key, value)| OwnedHeader { key, value }), 0..3)
}

fn record_set() -> BoxedStrategy<RecordSet> {
    let record = (any::<i64>(), option::of(bytes()), option::of(bytes()), headers());
    let told = vec(record, 0..4).prop_map(|records| {
        let mut set = RecordSet::builder();
        for (timestamp, key, value, headers) in &records {
            let headers: Vec<Header<'_>> = headers
                .iter()
                .map(|header| Header { key: &header.key, value: header.value.as_deref() })
                .collect();
            let (key, value) = (key.as_deref(), value.as_deref());
            // Timestamps too far apart do not go into one batch.
            let _ = set.push(&NewRecord { timestamp: *timestamp, key, value, headers: &headers });
        }
        set.finish()
    });
    prop_oneof![
        3 => told,
        1 => vec(any::<u8>(), 0..80).prop_map(RecordSet::from_bytes),
        1 => Just(RecordSet::default()),
    ]
    .boxed()
}

fn spec() -> impl Strategy<Value = GenerateSpec> {
    let pattern = prop_oneof![
        3 => "[a-z_]{0,4}\\{\\}[a-z]{0,3}",
        1 => name(),
        1 => "[a{}1.]{0,8}",
    ];
    let skew = prop_oneof![Just(0.0), 0.0..10.0, Just(f64::INFINITY), Just(-0.5)];
    (0..=10_000_000_u64, 0..5_u64, skew, 0..150_u64, any::<u64>(), option::of(pattern)).prop_map(
        |(count, keys, skew, value_bytes, seed, key_pattern)| GenerateSpec {
            count,
            keys,
            skew,
            value_bytes,
            seed,
            key_pattern,
        },
    )
}

fn consumer() -> impl Strategy<Value = ConsumerConfig> {
    let reset = prop_oneof![
        Just(OffsetReset::Earliest),
        Just(OffsetReset::Latest),
        Just(OffsetReset::None),
        (0..i64::MAX).prop_map(OffsetReset::ByDuration),
    ];
    let assignors =
        prop_oneof![Just(Assignor::DEFAULT.to_vec()), vec(select(Assignor::ALL.to_vec()), 0..4),];
    let protocol = select(vec![GroupProtocol::Classic, GroupProtocol::Consumer]);
    let isolation = select(vec![IsolationLevel::ReadUncommitted, IsolationLevel::ReadCommitted]);
    let how = (any::<i32>(), protocol, option::of(name()), isolation, option::of(pattern()));
    let times = (option::of(any::<i32>()), option::of(any::<i32>()), option::of(any::<i32>()));
    let times = (times, any::<i32>(), any::<i32>());
    (vec(name(), 0..3), reset, assignors, option::of(name()), any::<bool>(), how, times).prop_map(
        |(topics, auto_offset_reset, assignors, instance_id, auto_commit, how, times)| {
            ConsumerConfig {
                topics,
                pattern: how.4,
                auto_offset_reset,
                protocol: how.1,
                remote_assignor: how.2,
                assignors,
                instance_id,
                auto_commit,
                auto_commit_interval_ms: times.1,
                session_timeout_ms: times.0.0,
                heartbeat_interval_ms: times.0.1,
                max_poll_interval_ms: times.0.2,
                max_poll_records: times.2,
                max_partition_fetch_bytes: how.0,
                isolation_level: how.3,
            }
        },
    )
}

fn place() -> impl Strategy<Value = TopicPartition> {
    (name(), 0..9).prop_map(|(topic, partition)| TopicPartition { topic, partition })
}

fn pattern() -> impl Strategy<Value = TopicPattern> {
    prop_oneof![name().prop_map(TopicPattern::Java), name().prop_map(TopicPattern::Re2)]
}

fn reset_to() -> impl Strategy<Value = ResetTo> {
    prop_oneof![
        Just(ResetTo::Earliest),
        Just(ResetTo::Latest),
        Just(ResetTo::Current),
        any::<i64>().prop_map(|offset| ResetTo::Offset { offset }),
        any::<i64>().prop_map(|by| ResetTo::Shift { by }),
        name().prop_map(|datetime| ResetTo::Datetime { datetime }),
        name().prop_map(|duration| ResetTo::Duration { duration }),
        "(orders,[0-9],[0-9]{1,3}\n){0,3}".prop_map(|csv| ResetTo::File { csv }),
        any::<String>().prop_map(|csv| ResetTo::File { csv }),
    ]
}

fn op() -> impl Strategy<Value = AlterConfigOp> {
    let op = select(vec![ConfigOp::Set, ConfigOp::Delete, ConfigOp::Append, ConfigOp::Subtract]);
    (op, config_name(), option::of(name())).prop_map(|(op, name, value)| AlterConfigOp {
        op,
        name,
        value,
    })
}

fn offset() -> impl Strategy<Value = PartitionOffset> {
    let beside = (option::of(any::<i32>()), prop_oneof![3 => Just(String::new()), 1 => name()]);
    (name(), any::<i32>(), any::<i64>(), beside).prop_map(
        |(topic, partition, offset, (leader_epoch, metadata))| PartitionOffset {
            topic,
            partition,
            offset,
            metadata,
            leader_epoch,
        },
    )
}

fn brokers() -> BoxedStrategy<Vec<i32>> {
    vec(any::<i32>(), 0..3).boxed()
}

/// Every command, by the verb of its line: none may be missing here.
fn of_verb(verb: &str) -> BoxedStrategy<Command> {
    let who = || (name(), name());
    match verb {
        "topic" => (
            name(),
            option::of(any::<i32>()),
            option::of(any::<i16>()),
            btree_map(config_name(), name(), 0..3),
            option::of(vec((any::<i32>(), brokers()), 0..3)),
        )
            .prop_map(
                |(name, partitions, replication_factor, configs, rows): (
                    _,
                    _,
                    _,
                    BTreeMap<_, _>,
                    _,
                )| {
                    let Some(rows) = rows else {
                        return Command::CreateTopic {
                            name,
                            partitions,
                            replication_factor,
                            configs,
                        };
                    };
                    let row = |(partition, replicas)| ReplicaAssignment { partition, replicas };
                    let assignments = rows.into_iter().map(row).collect();
                    Command::CreateAssignedTopic { name, assignments, configs }
                },
            )
            .boxed(),
        "delete-topic" => name().prop_map(|name| Command::DeleteTopic { name }).boxed(),
        "partitions" => (name(), any::<i32>(), option::of(vec(brokers(), 0..3)))
            .prop_map(|(topic, total, assignments)| match assignments {
                None => Command::CreatePartitions { topic, total },
                Some(assignments) => {
                    Command::CreateAssignedPartitions { topic, total, assignments }
                }
            })
            .boxed(),
        "configs" => (name(), vec(op(), 0..4))
            .prop_map(|(topic, ops)| Command::AlterConfigs { topic, ops })
            .boxed(),
        "produce" => {
            let one = (
                name(),
                (option::of(name()), option::of(name())),
                option::of(any::<i32>()),
                option::of(any::<i64>()),
                option::of(bytes()),
                option::of(bytes()),
                headers(),
            )
                .prop_map(
                    |(
                        topic,
                        (producer, partitioner),
                        partition,
                        timestamp,
                        key,
                        value,
                        headers,
                    )| {
                        Command::Produce(Produce {
                            topic,
                            producer,
                            partitioner,
                            partition,
                            timestamp,
                            key,
                            value,
                            headers,
                        })
                    },
                );
            let many = (name(), option::of(name()), option::of(name()), spec()).prop_map(
                |(topic, producer, partitioner, spec)| Command::Generate {
                    topic,
                    producer,
                    partitioner,
                    spec,
                },
            );
            prop_oneof![one, many].boxed()
        }
        "produce-many" => (name(), option::of(name()), option::of(name()), record_set())
            .prop_map(|(topic, producer, partitioner, records)| Command::ProduceMany {
                topic,
                producer,
                partitioner,
                records,
            })
            .boxed(),
        "copy-log" => vec(((name(), any::<i32>()), vec(any::<u8>(), 0..40)), 1..4)
            .prop_map(|copies| {
                let (mut to, mut sets): (Vec<_>, Vec<_>) = copies.into_iter().unzip();
                let set = |bytes| crate::SegmentSet::from_bytes(bytes);
                if to.len() == 1 {
                    let (topic, partition) = to.remove(0);
                    return Command::CopyLog { topic, partition, segments: set(sets.remove(0)) };
                }
                let to =
                    to.into_iter().map(|(topic, partition)| TopicPartition { topic, partition });
                let segments = crate::SegmentSets::new(sets.into_iter().map(set));
                Command::CopyLogs { to: to.collect(), segments }
            })
            .boxed(),
        "producer" => (name(), option::of(name()), btree_map(name(), name(), 0..3))
            .prop_map(|(producer, partitioner, configs)| Command::CreateProducer {
                producer,
                partitioner,
                configs,
            })
            .boxed(),
        "retry" => option::of(name()).prop_map(|producer| Command::Retry { producer }).boxed(),
        "send-offsets" => (name(), name(), name(), option::of(vec(offset(), 0..3)))
            .prop_map(|(producer, group, member, offsets)| Command::SendOffsets {
                producer,
                group,
                member,
                offsets,
            })
            .boxed(),
        "close-producer" => name().prop_map(|producer| Command::CloseProducer { producer }).boxed(),
        "kill-producer" => name().prop_map(|producer| Command::KillProducer { producer }).boxed(),
        "init-transactions" => {
            name().prop_map(|producer| Command::InitTransactions { producer }).boxed()
        }
        "begin-transaction" => {
            name().prop_map(|producer| Command::BeginTransaction { producer }).boxed()
        }
        "commit-transaction" => {
            name().prop_map(|producer| Command::CommitTransaction { producer }).boxed()
        }
        "abort-transaction" => {
            name().prop_map(|producer| Command::AbortTransaction { producer }).boxed()
        }
        "join" => (name(), name(), consumer())
            .prop_map(|(group, member, config)| Command::Join { group, member, config })
            .boxed(),
        "leave" => who().prop_map(|(group, member)| Command::Leave { group, member }).boxed(),
        "crash" => who().prop_map(|(group, member)| Command::Crash { group, member }).boxed(),
        "restart" => who().prop_map(|(group, member)| Command::Restart { group, member }).boxed(),
        "assign" => (name(), name(), vec(place(), 0..3), consumer())
            .prop_map(|(group, member, partitions, config)| {
                let config = ConsumerConfig { topics: Vec::new(), ..config };
                Command::Assign { group, member, partitions, config }
            })
            .boxed(),
        "subscribe" => (name(), name(), vec(name(), 1..3), option::of(pattern()))
            .prop_map(|(group, member, topics, pattern)| {
                let topics = if pattern.is_some() { Vec::new() } else { topics };
                Command::Subscribe { group, member, topics, pattern }
            })
            .boxed(),
        "unsubscribe" => who()
            .prop_map(|(group, member)| Command::Subscribe {
                group,
                member,
                topics: Vec::new(),
                pattern: None,
            })
            .boxed(),
        "enforce-rebalance" => {
            who().prop_map(|(group, member)| Command::EnforceRebalance { group, member }).boxed()
        }
        "exceed-poll-interval" => {
            who().prop_map(|(group, member)| Command::ExceedPollInterval { group, member }).boxed()
        }
        "remove-members" => name().prop_map(|group| Command::RemoveMembers { group }).boxed(),
        "poll" => (name(), name(), option::of(any::<i32>()))
            .prop_map(|(group, member, max_records)| Command::Poll { group, member, max_records })
            .boxed(),
        "commit" => (name(), name(), option::of(vec(offset(), 0..3)))
            .prop_map(|(group, member, offsets)| Command::Commit { group, member, offsets })
            .boxed(),
        "seek" => {
            let to = prop_oneof![
                any::<i64>().prop_map(SeekTo::Offset),
                Just(SeekTo::End(LogEnd::Beginning)),
                Just(SeekTo::End(LogEnd::End)),
            ];
            let place = (name(), name(), name(), any::<i32>(), to).prop_map(
                |(group, member, topic, partition, to)| Command::Seek {
                    group,
                    member,
                    topic,
                    partition,
                    to,
                },
            );
            let time = (name(), name(), any::<i64>()).prop_map(|(group, member, timestamp)| {
                Command::SeekToTimestamp { group, member, timestamp }
            });
            prop_oneof![place, time].boxed()
        }
        "pause" | "resume" => {
            let is_pause = verb == "pause";
            (name(), name(), name(), any::<i32>())
                .prop_map(move |(group, member, topic, partition)| match is_pause {
                    true => Command::Pause { group, member, topic, partition },
                    false => Command::Resume { group, member, topic, partition },
                })
                .boxed()
        }
        "refresh-metadata" => name().prop_map(|group| Command::RefreshMetadata { group }).boxed(),
        "reset-offsets" => (name(), option::of(vec(name(), 0..3)), reset_to())
            .prop_map(|(group, topics, to)| Command::ResetOffsets { group, topics, to })
            .boxed(),
        "delete-offsets" => (name(), vec(name(), 0..3))
            .prop_map(|(group, topics)| Command::DeleteOffsets { group, topics })
            .boxed(),
        "delete-group" => name().prop_map(|group| Command::DeleteGroup { group }).boxed(),
        "delete-records" => (name(), any::<i32>(), any::<i64>())
            .prop_map(|(topic, partition, before)| Command::DeleteRecords {
                topic,
                partition,
                before,
            })
            .boxed(),
        "retention" => option::of(name()).prop_map(|topic| Command::RunRetention { topic }).boxed(),
        "compaction" => option::of(name()).prop_map(|topic| Command::RunCleaner { topic }).boxed(),
        "clock" => any::<i64>().prop_map(|ms| Command::AdvanceClock { ms }).boxed(),
        "tick" => Just(Command::Tick).boxed(),
        verb => panic!("no commands are made for {verb}"),
    }
}

/// A new command has to be named here, and made above.
fn verb_of(command: &Command) -> &'static str {
    match command {
        Command::CreateTopic { .. } | Command::CreateAssignedTopic { .. } => "topic",
        Command::DeleteTopic { .. } => "delete-topic",
        Command::CreatePartitions { .. } | Command::CreateAssignedPartitions { .. } => "partitions",
        Command::Produce(_) | Command::Generate { .. } => "produce",
        Command::ProduceMany { .. } => "produce-many",
        Command::CopyLog { .. } | Command::CopyLogs { .. } => "copy-log",
        Command::CreateProducer { .. } => "producer",
        Command::CloseProducer { .. } => "close-producer",
        Command::KillProducer { .. } => "kill-producer",
        Command::Retry { .. } => "retry",
        Command::InitTransactions { .. } => "init-transactions",
        Command::BeginTransaction { .. } => "begin-transaction",
        Command::SendOffsets { .. } => "send-offsets",
        Command::CommitTransaction { .. } => "commit-transaction",
        Command::AbortTransaction { .. } => "abort-transaction",
        Command::Join { .. } => "join",
        Command::Leave { .. } => "leave",
        Command::Assign { .. } => "assign",
        Command::Subscribe { topics, pattern: None, .. } if topics.is_empty() => "unsubscribe",
        Command::Subscribe { .. } => "subscribe",
        Command::EnforceRebalance { .. } => "enforce-rebalance",
        Command::ExceedPollInterval { .. } => "exceed-poll-interval",
        Command::RemoveMembers { .. } => "remove-members",
        Command::Crash { .. } => "crash",
        Command::Restart { .. } => "restart",
        Command::Poll { .. } => "poll",
        Command::Commit { .. } => "commit",
        Command::Seek { .. } | Command::SeekToTimestamp { .. } => "seek",
        Command::Pause { .. } => "pause",
        Command::Resume { .. } => "resume",
        Command::RefreshMetadata { .. } => "refresh-metadata",
        Command::ResetOffsets { .. } => "reset-offsets",
        Command::DeleteOffsets { .. } => "delete-offsets",
        Command::DeleteGroup { .. } => "delete-group",
        Command::AlterConfigs { .. } => "configs",
        Command::DeleteRecords { .. } => "delete-records",
        Command::RunRetention { .. } => "retention",
        Command::RunCleaner { .. } => "compaction",
        Command::AdvanceClock { .. } => "clock",
        Command::Tick => "tick",
    }
}

pub(super) fn command() -> BoxedStrategy<Command> {
    select(VERBS.to_vec()).prop_flat_map(of_verb).boxed()
}

fn read_one(line: &str) -> Command {
    let scenario = Scenario::parse(line).unwrap_or_else(|problems| panic!("{line}\n{problems:?}"));
    match scenario.lines() {
        [Statement::Act(act)] if act.after_ms.is_none() => act.command.clone(),
        lines => panic!("{line}\n{lines:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn every_command_comes_back_from_its_line(command in command()) {
        let line = command.to_string();
        prop_assert!(!line.contains('\n'), "{}", line);
        prop_assert_eq!(line.split(' ').next(), Some(verb_of(&command)));
        let back = read_one(&line);
        prop_assert_eq!(&back, &command, "{}", line);
        prop_assert_eq!(back.to_string(), line);
    }

    #[test]
    fn no_text_makes_it_panic_and_every_problem_has_a_place_in_it(
        text in prop_oneof![
            any::<String>(),
            "([a-z-]{0,9}[ =,\"x0-9@<>!#$.+{}\\\\-]{0,3}){0,12}",
            (select(VERBS.to_vec()), "( [a-z]{1,5}(-[0-9])?| [a-z-]{3,9}=[a-z0-9\"+]{0,4}){0,5}")
                .prop_map(|(verb, rest)| format!("{verb}{rest}")),
            ("(expect|check) [a-z-]{3,12}", "( [a-z]{1,5}(-[0-9])?(@[0-9])?){0,3} (=|<|>=|!=) [a-z0-9\",-]{0,6}")
                .prop_map(|(expect, rest)| expect + &rest),
        ]
    ) {
        match Scenario::parse(&text) {
            Ok(scenario) => {
                let printed = scenario.to_string();
                let again = Scenario::parse(&printed).map_err(|problems| {
                    TestCaseError::fail(format!("{printed}\n{problems:?}"))
                })?;
                prop_assert_eq!(&again.to_string(), &printed);
                prop_assert_eq!(again, scenario);
            }
            Err(problems) => {
                prop_assert!(!problems.is_empty() && problems.len() <= MAX_DIAGNOSTICS);
                for problem in problems {
                    let line = text.strip_prefix('\u{feff}').unwrap_or(&text).lines().nth(problem.line as usize - 1);
                    let line = line.ok_or_else(|| TestCaseError::fail("no such line"))?;
                    prop_assert!(problem.column as usize <= line.chars().count() + 1, "{:?}", problem);
                    prop_assert!(problem.length >= 1 && !problem.message.is_empty());
                }
            }
        }
    }
}

fn problem(text: &str) -> super::Diagnostic {
    Scenario::parse(text).unwrap_err().remove(0)
}

#[test]
fn what_cannot_be_read_is_told_with_its_place_and_the_way_out() {
    for (text, line, column, message, hint) in [
        ("topic orders\nprodcue orders", 2, 1, "There is no act prodcue.", "Is produce meant?"),
        (
            "topic orders partition=3",
            1,
            14,
            "Kafka has no config partition of a topic.",
            "Is partitions meant?",
        ),
        ("topic orders partitions=three", 1, 25, "Here a whole number is expected.", ""),
        (
            "topic orders partitions = 3",
            1,
            14,
            "partitions needs a value here.",
            "without blanks around the =",
        ),
        (
            "topic orders partitions=3 partitions=4",
            1,
            27,
            "partitions is given twice.",
            "Leave one",
        ),
        ("topic", 1, 6, "Here the line ends, but the name of a topic is expected.", ""),
        (
            "topic a b",
            1,
            9,
            "The word b has no meaning here.",
            "There are: partitions, replication-factor, assignment.",
        ),
        ("tick now", 1, 6, "Nothing more is expected in this line.", "One act stands in a line"),
        ("produce a key=b", 1, 15, "Here a key is expected.", "Bytes are written \"text\""),
        ("produce a kez=\"b\"", 1, 11, "There is no setting kez here.", "Is key meant?"),
        (
            "produce a key=\"b\" count=3",
            1,
            19,
            "key is for one record, count for many of them.",
            "Many records take",
        ),
        (
            "produce a keys=5",
            1,
            11,
            "keys is for many records, and there is no count.",
            "count=1000",
        ),
        (
            "produce a count=5 keys=\"u{0..9}\"",
            1,
            24,
            "Here a number of keys, or keys as \"user_{1..50}\" is expected.",
            "begin at 1",
        ),
        ("produce a timestamp=5m", 1, 21, "Here a time is expected.", "+5s"),
        ("poll m1", 1, 6, "No member m1 has joined a group before.", "billing m1"),
        (
            "join g m1 a\njoin h m1 a\npoll m1",
            3,
            6,
            "More than one group has a member m1.",
            "Name the group",
        ),
        ("join g m1 a reset=newest", 1, 13, "There is no reset policy newest.", "earliest, latest"),
        ("join g m1 a assignors=stiky", 1, 23, "There is no assignor stiky.", "Is sticky meant?"),
        ("seek g m orders 5", 1, 10, "Here a partition is expected.", "orders-0"),
        ("clock 1h", 1, 7, "Here how far the clock goes is expected.", "+1h"),
        ("tick\nseed 5", 2, 1, "seed stands before the first act, and once.", "beginning"),
        (
            "version 2",
            1,
            1,
            "This text is for version 2 of the language; this is version 1.",
            "newer Loglanes",
        ),
        (
            "expect error INVALID_PARTITIONS",
            1,
            1,
            "There is no act right before this line that could be refused.",
            "right below",
        ),
        (
            "tick\nexpect records a = 1\nexpect error X",
            3,
            1,
            "There is no act right before this line that could be refused.",
            "",
        ),
        (
            "expect recrods a = 1",
            1,
            8,
            "There is nothing to expect of recrods.",
            "Is records meant?",
        ),
        (
            "expect records a 1",
            1,
            18,
            "Here =, !=, <, <=, > or >= is expected.",
            "blanks around it",
        ),
        (
            "$ kafka-topics --list",
            1,
            1,
            "This is reserved for Kafka's own command lines.",
            "with #",
        ),
        (
            "topic a assignment=1:x",
            1,
            20,
            "1:x names no brokers.",
            "the brokers of partition 0, then of 1",
        ),
        (
            "topic a partitions=2 assignment=1,2",
            1,
            36,
            "The assignment says itself how many partitions and replicas there are.",
            "Leave partitions= and replication-factor= out.",
        ),
        (
            "partitions a 3 assignment=5@1",
            1,
            27,
            "New partitions are named in their order.",
            "without its number",
        ),
        ("  > orders", 1, 3, "This is reserved for Kafka's own command lines.", ""),
        ("produce a key=\"é\" value=\"b", 1, 25, "This quote is not closed.", "same line"),
    ] {
        let told = problem(text);
        assert_eq!(
            (told.line, told.column, told.message.as_str()),
            (line, column, message),
            "{text}"
        );
        assert!(told.hint.contains(hint), "{text}: {}", told.hint);
    }
}

#[test]
fn every_line_that_is_wrong_is_told_up_to_a_limit() {
    let problems = Scenario::parse("topc a\ntick\npol").unwrap_err();
    assert_eq!(problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(Scenario::parse(&"?\n".repeat(500)).unwrap_err().len(), MAX_DIAGNOSTICS);
}

#[test]
fn texts_are_read_up_to_their_limits() {
    assert!(Scenario::parse(&"\n".repeat(MAX_LINES)).is_ok());
    let long = problem(&"\n".repeat(MAX_LINES + 1));
    assert_eq!((long.line as usize, long.hint.contains("MAX_LINES")), (MAX_LINES + 1, true));
    let line = format!("# {}", "a".repeat(MAX_LINE_BYTES - 2));
    assert!(Scenario::parse(&line).is_ok());
    assert!(problem(&(line + "a")).hint.contains("MAX_LINE_BYTES"));
    let lines = MAX_TEXT_BYTES / (1 << 20);
    let text = (format!("#{}\n", "a".repeat((1 << 20) - 2))).repeat(lines);
    assert!(Scenario::parse(&text).is_ok());
    assert!(problem(&(text + "#")).hint.contains("MAX_TEXT_BYTES"));
}

#[test]
fn a_text_does_not_make_more_than_memory_holds() {
    assert!(Scenario::parse("produce a count=10000000 value-bytes=180").is_ok());
    let told = problem(
        "produce a count=10000000 value-bytes=100\nproduce a count=10000000 value-bytes=90",
    );
    assert_eq!((told.line, told.hint.contains("MAX_MADE_BYTES")), (2, true));
    assert_eq!(
        problem("produce a count=18446744073709551615 value-bytes=18446744073709551615").line,
        1
    );
}

#[test]
fn what_is_left_out_takes_kafkas_default_and_what_is_short_is_printed_in_full() {
    for (short, full) in [
        ("topic orders", "topic orders"),
        ("produce orders", "produce orders key=none value=none"),
        ("produce orders count=5", "produce orders count=5 keys=0 value-bytes=100 seed=0"),
        (
            "produce orders count=5 keys=\"a\"",
            "produce orders count=5 keys=\"a\" value-bytes=100 seed=0",
        ),
        ("join g m1 orders", "join g m1 orders reset=latest"),
        (
            "join g m1 orders,b auto.offset.reset=earliest enable.auto.commit=true group.instance.id=i",
            "join g m1 orders,b reset=earliest instance=i auto-commit",
        ),
        (
            "join g m1 pattern=orders-.* session.timeout.ms=6000 max.poll.interval.ms=9000",
            "join g m1 pattern=\"orders-.*\" reset=latest session.timeout.ms=6000 max.poll.interval.ms=9000",
        ),
        ("join g m1 re2=\"(a|b) \"", "join g m1 re2=\"(a|b) \" reset=latest"),
        ("subscribe g m1 pattern=a", "subscribe g m1 pattern=a"),
        ("assign \"\" m1 a-0,b-1", "assign \"\" m1 a-0,b-1"),
        ("assign g m1 nothing", "assign g m1 nothing"),
        (
            "assign g m1 a-0 auto.offset.reset=earliest max.poll.records=5",
            "assign g m1 a-0 reset=earliest max.poll.records=5",
        ),
        ("clock +3600s", "clock +1h"),
        (
            "produce a timestamp=2023-11-14T22:13:20Z value=x\"61\"",
            "produce a timestamp=1700000000000 key=none value=\"a\"",
        ),
        ("produce a timestamp=+5000ms", "produce a timestamp=+5s key=none value=none"),
        ("  start   1700000000000", "start 2023-11-14T22:13:20Z"),
        (
            "configs a cleanup.policy+=compact delete retention.ms",
            "configs a cleanup.policy+=compact delete retention.ms",
        ),
        ("#no blank", "# no blank"),
        ("expect lag g a >=3", "expect lag g a >= 3"),
    ] {
        let printed = Scenario::parse(short).map(|scenario| scenario.to_string());
        assert_eq!(printed, Ok(format!("{full}\n")));
    }
    let members = Scenario::parse("join g m1 a\npoll m1 max=3\ncommit m1 a-0=5\nseek m1 a-0 end\nseek m1 timestamp=-1h\ncrash m1\nassign \"\" m2 a-0\nassign m2 a-1").unwrap();
    assert!(members.to_string().ends_with("poll g m1 max=3\ncommit g m1 a-0=5\nseek g m1 a-0 end\nseek g m1 timestamp=-1h\ncrash g m1\nassign \"\" m2 a-0\nassign \"\" m2 a-1\n"));
}
