//! The cluster in the model's words.

use loglanes::view::ClusterView;

use super::*;

/// The real answer in the model's words.
pub(super) fn in_the_models_words(outcome: Outcome) -> Answer {
    match outcome {
        Outcome::Done | Outcome::ClockAdvanced { .. } => Answer::Done,
        Outcome::TopicCreated { partitions, .. } => Answer::Topic(partitions),
        Outcome::PartitionsCreated { from, to, .. } => Answer::Grown(from, to),
        Outcome::Produced { partition, .. } => Answer::Sent(Some(partition)),
        Outcome::Rebalanced { generation, .. } => Answer::Generation(generation),
        Outcome::Polled { records, resets, .. } => Answer::Polled(
            records
                .into_iter()
                .map(|one| {
                    let bytes = |bytes: Option<serde_bytes::ByteBuf>| bytes.map(|b| b.into_vec());
                    let record = Rec {
                        timestamp: one.timestamp as i64,
                        key: bytes(one.key),
                        value: bytes(one.value),
                    };
                    ((one.topic, one.partition), one.offset, record, one.again)
                })
                .collect(),
            resets.into_iter().map(|one| ((one.topic, one.partition), one.from, one.to)).collect(),
        ),
        Outcome::Committed { offsets, .. } => Answer::Committed(
            offsets.into_iter().map(|one| ((one.topic, one.partition), one.offset)).collect(),
        ),
        other => panic!("{other:?}"),
    }
}

/// The real refusal in the model's words: of the out-of-range text only what the model knows.
pub(super) fn refusal(error: &loglanes::Error) -> Refused {
    let mut text = error.message().to_owned();
    if error.name() == "LOGLANES" {
        text.clear();
    }
    if error.name() == "OffsetOutOfRangeException" {
        let offset = text.split_once("offset=").unwrap().1.split_once(',').unwrap().0.to_owned();
        let partition = text.rsplit_once(' ').unwrap().1.to_owned();
        text = format!("{offset} out of range for partition {partition}");
    }
    (error.code(), error.name().to_owned(), text)
}

pub(super) fn same_state(session: &Session, model: &Model, now: i64) {
    let view = ClusterView::of(session, now);
    assert_eq!(view.now as i64, now + model.clock);
    let ends: BTreeMap<&str, Vec<i64>> = view
        .topics
        .iter()
        .map(|topic| {
            (topic.name.as_str(), topic.partitions.iter().map(|p| p.log_end_offset).collect())
        })
        .collect();
    let modelled: BTreeMap<&str, Vec<i64>> = model
        .topics
        .iter()
        .map(|(name, logs)| (name.as_str(), logs.iter().map(|log| log.len() as i64).collect()))
        .collect();
    assert_eq!(ends, modelled);
    assert_eq!(view.groups.len(), model.groups.len());
    for (seen, (id, group)) in view.groups.iter().zip(&model.groups) {
        assert_eq!((&seen.id, seen.generation), (id, group.generation));
        let members: Vec<&str> = seen.members.iter().map(|one| one.member.as_str()).collect();
        let mut modelled: Vec<&str> = group.members.iter().map(|m| m.name.as_str()).collect();
        modelled.sort_unstable();
        assert_eq!(members, modelled);
        for one in &seen.members {
            let member = group.member(&one.member).unwrap();
            assert_eq!(one.session_ends.map(|at| at as i64), member.dies_at);
            let owned: BTreeSet<At> = one
                .assignment
                .iter()
                .flat_map(|row| row.partitions.iter().map(|p| (row.topic.clone(), *p)))
                .collect();
            assert_eq!(owned, member.owned.iter().cloned().collect());
        }
        let owners: BTreeMap<&At, &Consumer> =
            group.members.iter().flat_map(|m| m.owned.iter().map(move |at| (at, m))).collect();
        let rows: BTreeSet<At> =
            owners.keys().copied().chain(group.committed.keys()).cloned().collect();
        assert_eq!(seen.partitions.len(), rows.len());
        for (row, at) in seen.partitions.iter().zip(&rows) {
            let end = model.log(at).unwrap().len() as i64;
            let committed = group.committed.get(at).copied();
            assert_eq!((&row.topic, row.partition), (&at.0, at.1));
            assert_eq!(row.member.as_ref(), owners.get(at).map(|owner| &owner.name));
            assert_eq!(row.committed_offset, committed);
            assert_eq!(row.lag, committed.map(|offset| end - offset));
            let position = owners.get(at).and_then(|owner| owner.positions.get(at)).copied();
            assert_eq!(row.position, position, "{at:?}");
            assert_eq!((row.log_start_offset, row.log_end_offset), (0, end));
        }
    }
}

pub(super) fn same_records(session: &Session, model: &Model) {
    for (name, logs) in &model.topics {
        let topic = session.cluster().topic(name).unwrap();
        for (partition, log) in topic.partitions.iter().zip(logs) {
            let real: Vec<Rec> = partition
                .log
                .records_from(0)
                .map(|record| Rec {
                    timestamp: record.timestamp,
                    key: record.key.map(<[u8]>::to_vec),
                    value: record.value.map(<[u8]>::to_vec),
                })
                .collect();
            assert_eq!(&real, log);
            assert_eq!(partition.log.record_count(), log.len() as u64);
        }
    }
}
