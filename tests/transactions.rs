//! Idempotent producers and transactions, act by act. The epochs, offsets and texts are those that a
//! broker of Apache Kafka 4.4.0 and its Java client gave for the same calls.
#![cfg(not(target_arch = "wasm32"))]

#[path = "support/reload.rs"]
mod reload;

use std::collections::BTreeMap;

use loglanes::group::{ConsumerConfig, OffsetReset, PartitionOffset};
use loglanes::insight::{LaneIndex, Tag};
use loglanes::log::{
    BatchBuilder, IsolationLevel, LogConfig, NewRecord, PartitionLog, SegmentParts, TransactionFate,
};
use loglanes::producer::Identity;
use loglanes::view::{Standing, TransactionSpan, record, summaries, transactions};
use loglanes::{Bytes, Cluster, Command, Outcome, Produce, RecordSet, Session};
use reload::reloaded;

const NOW: i64 = 1_750_000_000_000;

/// A session with a topic `t` of two partitions.
fn session() -> Session {
    let mut session = Session::new(7);
    session.apply(Command::create_topic("t", 2), NOW).unwrap();
    session
}

/// A session with a topic `t` of one partition that takes batches of up to 300 bytes.
fn narrow_session() -> Session {
    let mut session = Session::new(7);
    let create = Command::CreateTopic {
        name: "t".into(),
        partitions: Some(1),
        replication_factor: None,
        configs: [("max.message.bytes".to_owned(), "300".to_owned())].into(),
    };
    session.apply(create, NOW).unwrap();
    session
}

fn producer(session: &mut Session, name: &str, configs: &[(&str, &str)]) {
    let configs = configs.iter().map(|(name, value)| ((*name).into(), (*value).into()));
    let configs: BTreeMap<String, String> = configs.collect();
    let create = Command::CreateProducer { producer: name.into(), partitioner: None, configs };
    session.apply(create, NOW).unwrap();
}

fn transactional(session: &mut Session, name: &str, id: &str) -> Outcome {
    producer(session, name, &[("transactional.id", id), ("transaction.timeout.ms", "60000")]);
    session.apply(Command::InitTransactions { producer: name.into() }, NOW).unwrap()
}

fn send_as(session: &mut Session, name: Option<&str>, value: &str) -> Outcome {
    let record = Produce {
        topic: "t".into(),
        partition: Some(0),
        producer: name.map(str::to_owned),
        value: Some(Bytes::from(value)),
        ..Produce::default()
    };
    session.apply(Command::Produce(record), NOW).unwrap()
}

fn begin(session: &mut Session, name: &str) {
    session.apply(Command::BeginTransaction { producer: name.into() }, NOW).unwrap();
}

fn end(session: &mut Session, name: &str, commit: bool) -> Outcome {
    let producer = name.to_owned();
    let command = match commit {
        true => Command::CommitTransaction { producer },
        false => Command::AbortTransaction { producer },
    };
    session.apply(command, NOW).unwrap()
}

fn failure(outcome: &Outcome) -> (Option<i16>, &str) {
    match outcome {
        Outcome::ProducerFailed { error, .. } => (error.code, &error.message),
        other => panic!("{other:?}"),
    }
}

fn log(session: &Session) -> &PartitionLog {
    &session.cluster().topic("t").unwrap().partitions[0].log
}

fn offsets(session: &Session, isolation: IsolationLevel) -> Vec<i64> {
    log(session).records_as(0, isolation).map(|record| record.offset).collect()
}

/// Producer id, epoch and first sequence number of each batch.
fn batches(session: &Session) -> Vec<(i64, i16, i32)> {
    let headers = log(session).batches_from(0).map(|batch| *batch.header());
    headers.map(|one| (one.producer_id, one.producer_epoch, one.base_sequence)).collect()
}

/// What is saved comes back equal, and what is written down leads to the same.
fn check_kept(session: &mut Session) {
    assert_eq!(session.history().replay(7).unwrap(), *session.cluster());
    assert_eq!(reloaded(session).cluster(), session.cluster());
}

#[test]
fn whoever_sends_is_idempotent_unless_told_otherwise() {
    let mut session = session();
    producer(&mut session, "plain", &[("enable.idempotence", "false")]);
    producer(&mut session, "quick", &[("acks", "1")]);
    for name in [None, None, Some("plain"), Some("quick")] {
        send_as(&mut session, name, "v");
    }
    assert_eq!(batches(&session), [(0, 0, 0), (0, 0, 1), (-1, -1, -1), (-1, -1, -1)]);
    check_kept(&mut session);
}

#[test]
fn a_batch_that_is_sent_again_is_stored_once_by_an_idempotent_producer_alone() {
    let mut session = session();
    producer(&mut session, "plain", &[("enable.idempotence", "false")]);
    let retry = |session: &mut Session, producer: Option<&str>| {
        let retry = Command::Retry { producer: producer.map(str::to_owned) };
        match session.apply(retry, NOW).unwrap() {
            Outcome::Retried { first_offset, is_duplicate, .. } => (first_offset, is_duplicate),
            other => panic!("{other:?}"),
        }
    };
    assert!(session.apply(Command::Retry { producer: None }, NOW).is_err());
    send_as(&mut session, None, "a");
    assert_eq!(retry(&mut session, None), (0, true));
    send_as(&mut session, Some("plain"), "b");
    assert_eq!(retry(&mut session, Some("plain")), (2, false));
    assert_eq!(retry(&mut session, None), (0, true));
    assert_eq!(offsets(&session, IsolationLevel::ReadUncommitted), [0, 1, 2]);
    check_kept(&mut session);
}

#[test]
fn a_refused_batch_among_many_costs_the_producer_its_epoch() {
    let mut session = narrow_session();
    send_as(&mut session, None, "1");
    let mut records = RecordSet::builder();
    let value = vec![b'x'; 400];
    let record =
        loglanes::log::NewRecord { timestamp: NOW, key: None, value: Some(&value), headers: &[] };
    records.push(&record).unwrap();
    let records = records.finish();
    let many =
        Command::ProduceMany { topic: "t".into(), producer: None, partitioner: None, records };
    session.apply(many, NOW).unwrap();
    send_as(&mut session, None, "2");
    assert_eq!(batches(&session), [(0, 0, 0), (0, 1, 0)]);
    // A single record that is refused changes nothing.
    let before = session.cluster().clone();
    let record = Produce { topic: "t".into(), value: Some(value.into()), ..Produce::default() };
    assert!(session.apply(Command::Produce(record), NOW).is_err());
    assert_eq!(*session.cluster(), before);
}

#[test]
fn a_transaction_s_records_count_once_it_is_committed() {
    let mut session = session();
    transactional(&mut session, "p", "x");
    begin(&mut session, "p");
    send_as(&mut session, Some("p"), "a");
    send_as(&mut session, None, "plain");
    assert_eq!(log(&session).last_stable_offset(), 0);
    assert_eq!(offsets(&session, IsolationLevel::ReadCommitted), [0_i64; 0]);
    check_kept(&mut session);
    let ended = end(&mut session, "p", true);
    let Outcome::TransactionEnded { committed: true, markers, .. } = ended else { panic!() };
    assert_eq!((markers.len(), markers[0].offset), (1, 2));
    assert_eq!(log(&session).last_stable_offset(), 3);
    assert_eq!(offsets(&session, IsolationLevel::ReadCommitted), [0, 1]);
    assert_eq!(log(&session).record_count(), 2);
    // The end of a transaction raises the epoch.
    assert_eq!(batches(&session), [(0, 0, 0), (1, 0, 0), (0, 1, -1)]);
    begin(&mut session, "p");
    send_as(&mut session, Some("p"), "b");
    end(&mut session, "p", false);
    assert_eq!(offsets(&session, IsolationLevel::ReadCommitted), [0, 1]);
    assert_eq!(offsets(&session, IsolationLevel::ReadUncommitted), [0, 1, 3]);
    let fates: Vec<_> =
        log(&session).batches_from(0).map(|batch| log(&session).fate(batch.header())).collect();
    use TransactionFate::{Aborted, Committed};
    assert_eq!(fates, [Committed, TransactionFate::None, Committed, Aborted, Aborted]);
    // Nothing was sent: nothing is written.
    begin(&mut session, "p");
    let Outcome::TransactionEnded { markers, .. } = end(&mut session, "p", true) else { panic!() };
    assert!(markers.is_empty() && log(&session).log_end_offset() == 5);
    check_kept(&mut session);
}

/// Each listed record's offset and what it is to a transaction, and the same as spans.
fn standings(session: &Session) -> (Vec<(i64, Option<Standing>)>, Vec<TransactionSpan>) {
    let partition = &session.cluster().topic("t").unwrap().partitions[0];
    let listed = summaries(partition, 0, 100)
        .map(|record| (record.offset, record.transaction.map(|seen| seen.standing)));
    (listed.collect(), transactions(&partition.log, 0, i64::MAX, 100))
}

#[test]
fn the_page_lists_markers_and_says_what_became_of_each_record() {
    use Standing::{AbortMarker, Aborted, CommitMarker, Committed, Open};
    let span = |from, to, standing| TransactionSpan { from, to, standing };
    let mut session = session();
    transactional(&mut session, "p", "x");
    begin(&mut session, "p");
    send_as(&mut session, Some("p"), "a");
    send_as(&mut session, Some("p"), "b");
    send_as(&mut session, None, "plain");
    let (listed, spans) = standings(&session);
    assert_eq!(listed, [(0, Some(Open)), (1, Some(Open)), (2, None)]);
    assert_eq!(spans, [span(0, 2, Open)]);
    end(&mut session, "p", true);
    begin(&mut session, "p");
    send_as(&mut session, Some("p"), "c");
    end(&mut session, "p", false);
    let (listed, spans) = standings(&session);
    assert_eq!(
        listed,
        [
            (0, Some(Committed)),
            (1, Some(Committed)),
            (2, None),
            (3, Some(CommitMarker)),
            (4, Some(Aborted)),
            (5, Some(AbortMarker)),
        ]
    );
    assert_eq!(
        spans,
        [
            span(0, 2, Committed),
            span(3, 4, CommitMarker),
            span(4, 5, Aborted),
            span(5, 6, AbortMarker),
        ]
    );
    let partition = &session.cluster().topic("t").unwrap().partitions[0];
    assert_eq!(transactions(&partition.log, 1, 4, 100), [span(1, 2, Committed), spans[1]]);
    assert_eq!(transactions(&partition.log, 0, i64::MAX, 2), spans[..2]);
    assert_eq!(summaries(partition, 3, 1).next().unwrap().tag, Tag::CONTROL_RECORD);

    let topic = session.cluster().topic("t").unwrap();
    let marker = record("t", topic, 0, 5).unwrap();
    let seen = marker.transaction.unwrap();
    assert_eq!((seen.standing, seen.producer_id, seen.producer_epoch), (AbortMarker, 0, 2));
    // The marker's key is the broker's: no partitioner ever saw it.
    assert!(marker.key.is_some() && marker.arithmetic.is_none());
    assert_eq!(record("t", topic, 0, 4).unwrap().transaction.unwrap().standing, Aborted);
    assert_eq!(record("t", topic, 0, 2).unwrap().transaction, None);

    // A lane has a cell for the marker, which is of no key.
    let mut lanes = LaneIndex::new();
    lanes.update(topic.partitions.iter().map(|partition| &partition.log));
    assert_eq!(lanes.tag(0, 3), Tag::CONTROL_RECORD);
    let keyless = Tag::new(None, Some(b"v"), false);
    assert!(!lanes.tag(0, 3).is_of_key(keyless) && lanes.tag(0, 2).is_of_key(keyless));
}

#[test]
fn the_producer_that_comes_later_fences_the_other() {
    let mut session = session();
    transactional(&mut session, "a", "x");
    begin(&mut session, "a");
    send_as(&mut session, Some("a"), "1");
    let Outcome::TransactionsInitialized { epoch, fenced_epoch, markers, .. } =
        transactional(&mut session, "b", "x")
    else {
        panic!()
    };
    assert_eq!((epoch, fenced_epoch, markers.len()), (2, Some(0), 1));
    assert_eq!(batches(&session), [(0, 0, 0), (0, 1, -1)]);
    let late = send_as(&mut session, Some("a"), "late");
    assert_eq!(failure(&late), (Some(47), "Producer attempted to produce with an old epoch."));
    let commit = session.apply(Command::CommitTransaction { producer: "a".into() }, NOW);
    assert_eq!(
        commit.unwrap_err().message(),
        "Producer with transactionalId 'x' and (producerId=0, epoch=0) attempted to produce with \
         an old epoch"
    );
    let abort = end(&mut session, "a", false);
    assert_eq!(failure(&abort).0, Some(90));
    let begun = session.apply(Command::BeginTransaction { producer: "a".into() }, NOW);
    assert!(begun.unwrap_err().message().ends_with("with the same transactionalId"));
    begin(&mut session, "b");
    send_as(&mut session, Some("b"), "2");
    end(&mut session, "b", true);
    assert_eq!(batches(&session)[2..], [(0, 2, 0), (0, 3, -1)]);
    assert_eq!(offsets(&session, IsolationLevel::ReadCommitted), [2]);
    check_kept(&mut session);
}

#[test]
fn a_fenced_producer_is_told_by_its_offsets_too_and_for_good() {
    let mut session = session();
    transactional(&mut session, "a", "x");
    begin(&mut session, "a");
    session.apply(Command::join("g", "m", "t", OffsetReset::Earliest), NOW).unwrap();
    let send = |session: &mut Session, partition| {
        let offsets = Some(vec![PartitionOffset::new("t", partition, 1)]);
        let (producer, group, member) = ("a".into(), "g".into(), "m".into());
        session.apply(Command::SendOffsets { producer, group, member, offsets }, NOW)
    };
    let nowhere = send(&mut session, 9).unwrap_err();
    assert_eq!(nowhere.code(), Some(7));
    assert!(nowhere.message().starts_with(
        "Timeout expired after 60000ms while awaiting TxnOffsetCommitHandler. SendOffsetsToTransaction"
    ));
    transactional(&mut session, "b", "x");
    let told = send(&mut session, 0).unwrap();
    assert_eq!(
        failure(&told),
        (
            Some(90),
            "There is a newer producer with the same transactionalId which fences the current one."
        )
    );
    let commit = session.apply(Command::CommitTransaction { producer: "a".into() }, NOW);
    assert_eq!(
        commit.unwrap_err().message(),
        "Producer with transactionalId 'x' and (producerId=0, epoch=0) has been fenced by another \
         producer with the same transactionalId"
    );
    check_kept(&mut session);
}

#[test]
fn without_time_for_its_transactions_a_producer_does_not_even_ask() {
    let mut session = session();
    for (timeout, code) in [("0", Some(7)), ("-1", Some(7)), ("1", None)] {
        let configs = [("transactional.id", "x"), ("transaction.timeout.ms", timeout)];
        producer(&mut session, timeout, &configs);
        let begun = session.apply(Command::InitTransactions { producer: timeout.into() }, NOW);
        assert_eq!(begun.err().and_then(|error| error.code()), code, "{timeout}");
    }
}

#[test]
fn a_transaction_whose_time_is_up_is_aborted_by_the_clock() {
    let mut session = session();
    transactional(&mut session, "p", "x");
    begin(&mut session, "p");
    send_as(&mut session, Some("p"), "1");
    session.apply(Command::AdvanceClock { ms: 60_000 }, NOW).unwrap();
    assert_eq!(log(&session).log_end_offset(), 1, "not yet: strictly later");
    let advanced = session.apply(Command::AdvanceClock { ms: 10_000 }, NOW).unwrap();
    let Outcome::ClockAdvanced { events, .. } = advanced else { panic!() };
    assert!(matches!(
        &events[0].outcome,
        Outcome::TransactionEnded { timed_out: true, committed: false, .. }
    ));
    assert_eq!(batches(&session), [(0, 0, 0), (0, 1, -1)]);
    // An abort finds that done already, and goes on with the new epoch; a commit is lost.
    let mut other = Session::new(7);
    for step in session.history().steps() {
        other.apply((*step.command).clone(), step.at_ms).unwrap();
    }
    assert!(matches!(end(&mut session, "p", false), Outcome::TransactionEnded { .. }));
    let identity = session.cluster().producer("p").unwrap().identity;
    assert_eq!(identity, Some(Identity { id: 0, epoch: 1 }));
    begin(&mut session, "p");
    send_as(&mut session, Some("p"), "2");
    end(&mut session, "p", true);
    assert_eq!(batches(&session)[2..], [(0, 1, 0), (0, 2, -1)]);
    check_kept(&mut session);

    let lost = end(&mut other, "p", true);
    assert_eq!(failure(&lost).0, Some(48));
    let begun = other.apply(Command::BeginTransaction { producer: "p".into() }, NOW);
    assert_eq!(
        begun.unwrap_err().message(),
        "Cannot execute transactional method because we are in an error state"
    );
}

#[test]
fn a_record_that_is_refused_leaves_only_the_abort_and_a_marker() {
    let mut session = narrow_session();
    transactional(&mut session, "p", "x");
    begin(&mut session, "p");
    let refused = send_as(&mut session, Some("p"), &"x".repeat(400));
    assert_eq!(failure(&refused).0, Some(10));
    let next = Produce {
        topic: "t".into(),
        producer: Some("p".into()),
        value: Some("v".into()),
        ..Produce::default()
    };
    assert!(session.apply(Command::Produce(next), NOW).is_err());
    end(&mut session, "p", false);
    assert_eq!(batches(&session), [(0, 1, -1)]);
    assert!(log(&session).segments()[0].aborted().is_empty());
    check_kept(&mut session);
}

#[test]
fn a_killed_producer_leaves_its_transaction_open_and_a_closed_one_aborts_it() {
    let mut session = session();
    transactional(&mut session, "p", "x");
    begin(&mut session, "p");
    send_as(&mut session, Some("p"), "1");
    session.apply(Command::KillProducer { producer: "p".into() }, NOW).unwrap();
    assert_eq!(log(&session).last_stable_offset(), 0);
    assert_eq!(session.cluster().transactional_ids().next().unwrap().1.state.name(), "Ongoing");
    transactional(&mut session, "p", "x");
    assert_eq!(log(&session).last_stable_offset(), 2);
    begin(&mut session, "p");
    send_as(&mut session, Some("p"), "2");
    session.apply(Command::CloseProducer { producer: "p".into() }, NOW).unwrap();
    assert_eq!(log(&session).last_stable_offset(), 4);
    assert_eq!(offsets(&session, IsolationLevel::ReadCommitted), [0_i64; 0]);
    check_kept(&mut session);
}

#[test]
fn offsets_are_committed_with_their_transaction_or_not_at_all() {
    let mut session = session();
    send_as(&mut session, None, "in");
    let join = Command::join("g", "m", "t", OffsetReset::Earliest);
    session.apply(join, NOW).unwrap();
    let poll = Command::Poll { group: "g".into(), member: "m".into(), max_records: None };
    session.apply(poll, NOW).unwrap();
    transactional(&mut session, "p", "x");
    let send = |offsets| Command::SendOffsets {
        producer: "p".into(),
        group: "g".into(),
        member: "m".into(),
        offsets,
    };
    for commit in [false, true] {
        begin(&mut session, "p");
        session.apply(send(None), NOW).unwrap();
        assert!(session.cluster().group("g").unwrap().committed.is_empty());
        check_kept(&mut session);
        end(&mut session, "p", commit);
    }
    let at = PartitionOffset::new("t", 0, 1);
    let committed = &session.cluster().group("g").unwrap().committed;
    assert_eq!(committed.get(&at.topic_partition()), Some(&1));
    check_kept(&mut session);
}

#[test]
fn a_member_that_wants_committed_records_waits_for_the_marker_and_passes_over_aborted_ones() {
    let mut session = session();
    let config = ConsumerConfig {
        topics: vec!["t".into()],
        auto_offset_reset: OffsetReset::Earliest,
        isolation_level: IsolationLevel::ReadCommitted,
        ..ConsumerConfig::default()
    };
    let join = Command::Join { group: "g".into(), member: "m".into(), config };
    session.apply(join, NOW).unwrap();
    let poll = |session: &mut Session| {
        let poll = Command::Poll { group: "g".into(), member: "m".into(), max_records: None };
        match session.apply(poll, NOW).unwrap() {
            Outcome::Polled { records, .. } => {
                records.iter().map(|record| record.offset).collect::<Vec<_>>()
            }
            other => panic!("{other:?}"),
        }
    };
    transactional(&mut session, "p", "x");
    begin(&mut session, "p");
    send_as(&mut session, Some("p"), "aborted");
    send_as(&mut session, None, "plain");
    assert_eq!(poll(&mut session), [0_i64; 0]);
    end(&mut session, "p", false);
    assert_eq!(poll(&mut session), [1]);
    // The marker takes an offset that no reader sees: the position goes past it.
    assert_eq!(poll(&mut session), [0_i64; 0]);
    let member = &session.cluster().group("g").unwrap().members["m"];
    assert_eq!(member.positions.values().max(), Some(&3));
    check_kept(&mut session);
}

#[test]
fn a_producer_is_forgotten_a_day_after_its_last_timestamp() {
    let mut cluster = Cluster::new(7);
    cluster.apply(&Command::create_topic("t", 1), NOW).unwrap();
    cluster.apply(&Command::produce("t", None, Some(b"v")), NOW).unwrap();
    let known =
        |cluster: &Cluster| !cluster.topic("t").unwrap().partitions[0].log.producers().is_empty();
    cluster.apply(&Command::AdvanceClock { ms: 86_399_999 }, NOW).unwrap();
    assert!(known(&cluster));
    cluster.apply(&Command::AdvanceClock { ms: 600_000 }, NOW).unwrap();
    assert!(!known(&cluster));
    // And taken again at whatever sequence number it has.
    cluster.apply(&Command::produce("t", None, Some(b"v")), NOW).unwrap();
    assert!(known(&cluster));
}

/// A log of three batches: one record without a producer, two of an open transaction, two plain ones.
fn log_of_three_batches() -> PartitionLog {
    let mut log = PartitionLog::new(LogConfig::default(), NOW);
    for (producer, count) in [(None, 1), (Some(7), 2), (None, 2)] {
        let mut batch = BatchBuilder::new();
        if let Some(id) = producer {
            batch.set_producer(id, 0, 0).unwrap();
            batch.set_transactional().unwrap();
        }
        for _ in 0..count {
            let value = Some(b"v".as_slice());
            batch.append(&NewRecord { timestamp: -1, key: None, value, headers: &[] }).unwrap();
        }
        log.append_batch(&mut batch, NOW).unwrap();
    }
    log
}

#[test]
fn below_the_log_start_an_open_transaction_holds_the_batch_of_the_log_start() {
    let mut log = log_of_three_batches();
    assert_eq!(log.last_stable_offset(), 1);
    log.delete_records(2).unwrap();
    assert_eq!((log.log_start_offset(), log.last_stable_offset()), (2, 1));
    log.delete_records(4).unwrap();
    assert_eq!((log.log_start_offset(), log.last_stable_offset()), (4, 3));
    log.delete_records(5).unwrap();
    assert_eq!((log.log_start_offset(), log.last_stable_offset()), (5, 5));
}

#[test]
fn without_any_timestamp_the_first_record_has_the_greatest() {
    let log = log_of_three_batches();
    assert_eq!(log.max_timestamp_offset(), Some((0, -1)));
    assert_eq!(PartitionLog::new(LogConfig::default(), NOW).max_timestamp_offset(), None);
}

#[test]
fn no_snapshot_is_written_where_nothing_came_since_the_log_start_moved_to_the_end() {
    let mut log = log_of_three_batches();
    assert!(log.snapshot_at_end().is_some());
    log.delete_records(-1).unwrap();
    assert_eq!(log.snapshot_at_end(), None);
    log.begin_segment(NOW);
    assert_eq!(log.segments()[1].producer_snapshot(), None);
}

#[test]
fn a_recovered_log_begins_at_its_checkpoint_even_past_what_is_left() {
    let log = log_of_three_batches();
    let parts = |bytes: &[u8]| {
        let times = (log.segments()[0].created_ms(), log.segments()[0].last_modified_ms());
        let (created_ms, last_modified_ms) = times;
        vec![SegmentParts { base_offset: 0, created_ms, last_modified_ms, bytes: bytes.to_vec() }]
    };
    let bytes = log.segments()[0].bytes();
    let config = log.config().clone();
    let (whole, cut) = PartitionLog::recover(config.clone(), Some(4), parts(bytes)).unwrap();
    assert_eq!((whole.log_start_offset(), whole.log_end_offset(), cut), (4, 5, None));
    assert_eq!(whole.last_stable_offset(), 3);
    let short = &bytes[..bytes.len() - 1];
    let (left, cut) = PartitionLog::recover(config, Some(4), parts(short)).unwrap();
    assert_eq!((left.log_start_offset(), left.log_end_offset()), (4, 4));
    assert_eq!(cut.unwrap().segments, 0);
}
