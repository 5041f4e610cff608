//! Producers and transactions: the model keeps what was written, one entry an offset, and finds all
//! else by looking through it: who wrote last, what is open, what counts.

use std::collections::{BTreeMap, BTreeSet};

use loglanes::group::{ConsumerConfig, OffsetReset, TopicPartition};
use loglanes::log::{EndTransaction, IsolationLevel, PartitionLog, marker_of};
use loglanes::producer::Identity;
use loglanes::{Command, Outcome, Produce, Session};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const NOW: i64 = 1_700_000_000_000;
const PARTITIONS: usize = 2;
/// How often the coordinator looks for transactions whose time is up.
const CHECK_MS: i64 = 10_000;

/// What lies at an offset.
#[derive(Debug, Clone, PartialEq)]
struct Entry {
    writer: Option<Identity>,
    /// Of a record its sequence number, -1 without a writer; of a marker whether it commits.
    what: Result<i32, bool>,
    transactional: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Uninitialized,
    Ready,
    InTransaction,
    /// Only an abort goes on, and the name of what every other call says.
    Abortable(&'static str),
    /// Nothing goes on.
    Fatal(&'static str),
}

#[derive(Debug, Clone)]
struct Client {
    id: Option<&'static str>,
    idempotent: bool,
    timeout: i64,
    identity: Option<Identity>,
    state: State,
    /// Whether this transaction has asked the coordinator for anything.
    started: bool,
    /// The next sequence number of each partition, and of which identity.
    next: BTreeMap<usize, (Identity, i32)>,
    last: Option<(usize, usize)>,
}

/// A transactional id.
#[derive(Debug, Clone)]
struct Coordinated {
    identity: Identity,
    timeout: i64,
    open: Option<Open>,
    /// How the last transaction has ended; none since its producer came.
    ended: Option<bool>,
}

#[derive(Debug, Clone, Default)]
struct Open {
    since: i64,
    partitions: BTreeSet<usize>,
    offsets: BTreeMap<usize, i64>,
}

#[derive(Debug, Default)]
struct Model {
    logs: [Vec<Entry>; PARTITIONS],
    clients: BTreeMap<String, Client>,
    ids: BTreeMap<&'static str, Coordinated>,
    identities: i64,
    clock: i64,
    /// Positions of the two readers, once they have polled; the second reads what is committed.
    positions: [Option<[i64; PARTITIONS]>; 2],
    committed: BTreeMap<usize, i64>,
}

/// What an act answers, in few words.
#[derive(Debug, PartialEq)]
enum Answer {
    Done,
    Offset(i64),
    Retried(i64, bool),
    Initialized(Identity),
    /// Partition and offset of each marker.
    Ended(Vec<(usize, i64)>),
    /// It was carried out, and failed.
    Failed(&'static str),
    Refused(&'static str),
}

use Answer::{Done, Ended, Failed, Initialized, Offset, Refused, Retried};

const ILLEGAL: &str = "IllegalStateException";
const OURS: &str = "LOGLANES";
const OLD_EPOCH: &str = "INVALID_PRODUCER_EPOCH";
const FENCED: &str = "PRODUCER_FENCED";

impl Model {
    fn client(&self, name: &str) -> Result<&Client, Answer> {
        self.clients.get(name).ok_or(Refused(ILLEGAL))
    }

    fn transactional(&self, name: &str) -> Result<(&Client, &'static str), Answer> {
        let client = self.client(name)?;
        Ok((client, client.id.ok_or(Refused(ILLEGAL))?))
    }

    fn mark(&mut self, name: &str, state: State) {
        self.clients.get_mut(name).unwrap().state = state;
    }

    fn new_identity(&mut self) -> Identity {
        self.identities += 1;
        Identity { id: self.identities - 1, epoch: 0 }
    }

    /// Where a partition's earliest open transaction begins, or its end.
    fn stable(&self, partition: usize) -> usize {
        let log = &self.logs[partition];
        let is_open = |(at, entry): &(usize, &Entry)| {
            entry.transactional && entry.what.is_ok() && self.fate(partition, *at).is_none()
        };
        log.iter().enumerate().find(is_open).map_or(log.len(), |(at, _)| at)
    }

    /// Whether a record's transaction was committed; none while it is open.
    fn fate(&self, partition: usize, at: usize) -> Option<bool> {
        let log = &self.logs[partition];
        let writer = log[at].writer.map(|writer| writer.id);
        let rest = log[at..].iter().filter(|entry| entry.writer.map(|one| one.id) == writer);
        rest.filter_map(|entry| entry.what.err()).next()
    }

    fn readable(&self, partition: usize, from: usize, committed: bool) -> Vec<i64> {
        let end = if committed { self.stable(partition) } else { self.logs[partition].len() };
        let counts = |&at: &usize| {
            let entry = &self.logs[partition][at];
            let hidden = committed && entry.transactional;
            entry.what.is_ok() && (!hidden || self.fate(partition, at) == Some(true))
        };
        (from..end).filter(counts).map(|at| at as i64).collect()
    }

    /// A batch of one record reaches a log: its offset, and whether it was there.
    fn append(&mut self, partition: usize, entry: Entry) -> Result<(usize, bool), Answer> {
        let log = &mut self.logs[partition];
        let (Some(writer), Ok(sequence)) = (entry.writer, entry.what) else {
            log.push(entry);
            return Ok((log.len() - 1, false));
        };
        let of_same = |old: &Entry| old.writer.is_some_and(|old| old.id == writer.id);
        let newest = log.iter().rev().find(|old| of_same(old)).map(|old| old.writer.unwrap().epoch);
        let in_epoch = log.iter().enumerate().rev().filter(|(_, old)| old.writer == Some(writer));
        let sent: Vec<(usize, i32)> =
            in_epoch.filter_map(|(at, old)| Some((at, old.what.ok()?))).collect();
        if let Some((at, _)) = sent.iter().take(5).find(|(_, one)| *one == sequence)
            && newest == Some(writer.epoch)
        {
            return Ok((*at, true));
        }
        let follows = sent.first().map_or(0, |(_, last)| last + 1);
        match newest {
            Some(newest) if writer.epoch < newest => return Err(Refused(OLD_EPOCH)),
            Some(_) if sequence != follows => return Err(Refused("OUT_OF_ORDER_SEQUENCE_NUMBER")),
            _ => {}
        }
        log.push(entry);
        Ok((log.len() - 1, false))
    }

    /// What a call says that needs the producer to be as it should.
    fn healthy(client: &Client) -> Result<(), Answer> {
        match client.state {
            State::Abortable(name) | State::Fatal(name) => Err(Refused(name)),
            _ => Ok(()),
        }
    }

    fn in_transaction(client: &Client) -> Result<(), Answer> {
        Self::healthy(client)?;
        if client.state == State::InTransaction { Ok(()) } else { Err(Refused(ILLEGAL)) }
    }

    fn enlist(&mut self, id: &'static str, now: i64) -> &mut Open {
        let known = self.ids.get_mut(id).unwrap();
        known.ended = None;
        known.open.get_or_insert_with(|| Open { since: now, ..Open::default() })
    }

    fn produce(&mut self, name: &str, partition: usize, now: i64) -> Result<Answer, Answer> {
        let client = self.client(name)?.clone();
        let mut transactional = false;
        if let Some(id) = client.id {
            Self::in_transaction(&client)?;
            transactional = true;
            self.clients.get_mut(name).unwrap().started = true;
            if Some(self.ids[id].identity) != client.identity {
                self.mark(name, State::Abortable(OLD_EPOCH));
                return Ok(Failed(OLD_EPOCH));
            }
            self.enlist(id, now).partitions.insert(partition);
        }
        let next = client.next.get(&partition).filter(|(of, _)| Some(*of) == client.identity);
        let sequence = next.map_or(0, |(_, next)| *next);
        let what = Ok(if client.identity.is_some() { sequence } else { -1 });
        let writer = client.identity;
        let (at, _) = self.append(partition, Entry { writer, what, transactional })?;
        let client = self.clients.get_mut(name).unwrap();
        if let Some(identity) = client.identity {
            client.next.insert(partition, (identity, sequence + 1));
        }
        client.last = Some((partition, at));
        Ok(Offset(at as i64))
    }

    fn retry(&mut self, name: &str) -> Result<Answer, Answer> {
        let client = self.client(name)?.clone();
        let (partition, at) = client.last.ok_or(Refused(OURS))?;
        if client.id.is_some() {
            Self::in_transaction(&client)?;
        }
        let entry = self.logs[partition][at].clone();
        let (at, was_there) = self.append(partition, entry)?;
        self.clients.get_mut(name).unwrap().last = Some((partition, at));
        Ok(Retried(at as i64, was_there))
    }

    fn init(&mut self, name: &str) -> Result<Answer, Answer> {
        let (client, id) = self.transactional(name)?;
        let timeout = client.timeout;
        Self::healthy(client)?;
        if client.state != State::Uninitialized {
            return Err(Refused(ILLEGAL));
        }
        if self.ids.get(id).is_some_and(|known| known.open.is_some()) {
            self.end(id, false);
        }
        let identity = match self.ids.get(id).map(|known| known.identity) {
            Some(Identity { id, epoch }) => Identity { id, epoch: epoch + 1 },
            None => self.new_identity(),
        };
        self.ids.insert(id, Coordinated { identity, timeout, open: None, ended: None });
        let client = self.clients.get_mut(name).unwrap();
        (client.identity, client.state) = (Some(identity), State::Ready);
        Ok(Initialized(identity))
    }

    /// The markers, the offsets, the new epoch.
    fn end(&mut self, id: &'static str, commit: bool) -> Vec<(usize, i64)> {
        let known = self.ids.get_mut(id).unwrap();
        known.identity.epoch += 1;
        known.ended = Some(commit);
        let (open, writer) = (known.open.take().unwrap_or_default(), Some(known.identity));
        if commit {
            self.committed.extend(open.offsets);
        }
        let marker = Entry { writer, what: Err(commit), transactional: true };
        let write = |partition: usize| {
            self.logs[partition].push(marker.clone());
            (partition, self.logs[partition].len() as i64 - 1)
        };
        open.partitions.into_iter().map(write).collect()
    }

    fn finish(&mut self, name: &str, commit: bool) -> Result<Answer, Answer> {
        let (client, id) = self.transactional(name)?;
        if commit || !matches!(client.state, State::Abortable(_)) {
            Self::in_transaction(client)?;
        }
        let (started, mine) = (client.started, client.identity.unwrap());
        let mut markers = Vec::new();
        if started {
            let known = &self.ids[id];
            let current = known.identity == mine;
            let one_behind = known.identity == Identity { epoch: mine.epoch + 1, ..mine };
            let (is_mine, to_do) = match (&known.open, known.ended) {
                (Some(_), _) => (current, Some(true)),
                (None, None) => (current, (!commit).then_some(true)),
                (None, Some(how)) if one_behind && how == commit => (true, Some(false)),
                (None, Some(_)) => (current || one_behind, (current && !commit).then_some(true)),
            };
            match (is_mine, to_do) {
                (false, _) => {
                    self.mark(name, State::Fatal(FENCED));
                    return Ok(Failed(FENCED));
                }
                (true, None) => {
                    self.mark(name, State::Fatal("KafkaException"));
                    return Ok(Failed("INVALID_TXN_STATE"));
                }
                (true, Some(true)) => markers = self.end(id, commit),
                (true, Some(false)) => {}
            }
        }
        let now_known = self.ids[id].identity;
        let client = self.clients.get_mut(name).unwrap();
        client.identity = Some(if started { now_known } else { mine });
        (client.state, client.started, client.last) = (State::Ready, false, None);
        Ok(Ended(markers))
    }

    fn send_offsets(&mut self, name: &str, now: i64) -> Result<Answer, Answer> {
        let (client, id) = self.transactional(name)?;
        Self::in_transaction(client)?;
        let identity = client.identity;
        let Some(positions) = self.positions[1] else { return Ok(Done) };
        if Some(self.ids[id].identity) != identity {
            self.mark(name, State::Fatal(FENCED));
            return Ok(Failed(FENCED));
        }
        self.enlist(id, now).offsets.extend(positions.into_iter().enumerate());
        self.clients.get_mut(name).unwrap().started = true;
        Ok(Done)
    }

    fn close(&mut self, name: &str, kill: bool) -> Result<Answer, Answer> {
        let state = self.client(name)?.state;
        let is_open = matches!(state, State::InTransaction | State::Abortable(_));
        let answer = if is_open && !kill { self.finish(name, false)? } else { Done };
        let answer = if matches!(answer, Failed(_)) { Done } else { answer };
        self.clients.remove(name);
        Ok(answer)
    }

    /// The coordinator's looks up to now.
    fn look(&mut self, now: i64) {
        let mut late: Vec<(i64, &'static str)> = Vec::new();
        for (id, known) in &self.ids {
            if let Some(open) = &known.open {
                let after = open.since + known.timeout + 1 - NOW;
                let at = NOW + (after + CHECK_MS - 1) / CHECK_MS * CHECK_MS;
                late.extend((at <= now).then_some((at, *id)));
            }
        }
        late.sort_unstable();
        for (_, id) in late {
            self.end(id, false);
        }
    }

    fn apply(&mut self, act: &Act, now: i64) -> Answer {
        let now = now + self.clock;
        let done = match act {
            Act::Create(name, id, idempotent, timeout) => {
                if self.clients.contains_key(*name) {
                    return Refused(OURS);
                }
                let asks = *idempotent && id.is_none();
                let identity = asks.then(|| self.new_identity());
                let client = Client {
                    id: *id,
                    idempotent: *idempotent,
                    timeout: *timeout,
                    identity,
                    state: State::Uninitialized,
                    started: false,
                    next: BTreeMap::new(),
                    last: None,
                };
                assert!(client.idempotent || client.id.is_none());
                self.clients.insert((*name).to_owned(), client);
                Ok(Done)
            }
            Act::Close(name, kill) => self.close(name, *kill),
            Act::Init(name) => self.init(name),
            Act::Begin(name) => {
                self.transactional(name).map(|(client, _)| client.clone()).and_then(|client| {
                    Self::healthy(&client)?;
                    if client.state != State::Ready {
                        return Err(Refused(ILLEGAL));
                    }
                    let begun = Client { state: State::InTransaction, started: false, ..client };
                    self.clients.insert((*name).to_owned(), begun);
                    Ok(Done)
                })
            }
            Act::Produce(name, partition) => self.produce(name, *partition, now),
            Act::Retry(name) => self.retry(name),
            Act::End(name, commit) => self.finish(name, *commit),
            Act::SendOffsets(name) => self.send_offsets(name, now),
            Act::Advance(ms) => {
                self.clock += ms;
                self.look(now + ms);
                Ok(Done)
            }
            Act::Poll(_) => Ok(Done),
        };
        done.unwrap_or_else(|refused| refused)
    }
}

#[derive(Debug, Clone)]
enum Act {
    Create(&'static str, Option<&'static str>, bool, i64),
    Close(&'static str, bool),
    Init(&'static str),
    Begin(&'static str),
    Produce(&'static str, usize),
    Retry(&'static str),
    End(&'static str, bool),
    SendOffsets(&'static str),
    Advance(i64),
    /// One of the two readers reads all there is for it.
    Poll(usize),
}

fn act() -> impl Strategy<Value = Act> {
    let name = || select(vec!["a", "b", "c", "d"]);
    let create = (name(), select(vec![None, Some("x"), Some("x"), Some("y")]), 0..4u8);
    let create = create.prop_map(|(name, id, kind)| {
        let timeout = if kind % 2 == 0 { 25_000 } else { 60_000 };
        Act::Create(name, id, id.is_some() || kind > 0, timeout)
    });
    prop_oneof![
        3 => create,
        1 => (name(), any::<bool>()).prop_map(|(name, kill)| Act::Close(name, kill)),
        4 => name().prop_map(Act::Init),
        6 => name().prop_map(Act::Begin),
        16 => (name(), 0..PARTITIONS).prop_map(|(name, at)| Act::Produce(name, at)),
        4 => name().prop_map(Act::Retry),
        6 => (name(), any::<bool>()).prop_map(|(name, commit)| Act::End(name, commit)),
        2 => name().prop_map(Act::SendOffsets),
        2 => (0..8i64).prop_map(|times| Act::Advance(5_000 * times)),
        4 => (0..2usize).prop_map(Act::Poll),
    ]
}

/// The readers' groups.
const READERS: [(&str, IsolationLevel); 2] =
    [("all", IsolationLevel::ReadUncommitted), ("committed", IsolationLevel::ReadCommitted)];

fn command(act: &Act, number: usize) -> Option<Command> {
    let name = |name: &&str| (*name).to_owned();
    Some(match act {
        Act::Create(producer, id, idempotent, timeout) => {
            let mut configs = BTreeMap::new();
            if let Some(id) = id {
                configs.insert("transactional.id".to_owned(), name(id));
                configs.insert("transaction.timeout.ms".to_owned(), timeout.to_string());
            }
            if !idempotent {
                configs.insert("enable.idempotence".to_owned(), "false".to_owned());
            }
            Command::CreateProducer { producer: name(producer), partitioner: None, configs }
        }
        Act::Close(producer, false) => Command::CloseProducer { producer: name(producer) },
        Act::Close(producer, true) => Command::KillProducer { producer: name(producer) },
        Act::Init(producer) => Command::InitTransactions { producer: name(producer) },
        Act::Begin(producer) => Command::BeginTransaction { producer: name(producer) },
        Act::Produce(producer, partition) => Command::Produce(Produce {
            topic: "t".to_owned(),
            producer: Some(name(producer)),
            partition: Some(*partition as i32),
            value: Some(number.to_string().as_str().into()),
            ..Produce::default()
        }),
        Act::Retry(producer) => Command::Retry { producer: Some(name(producer)) },
        Act::End(producer, true) => Command::CommitTransaction { producer: name(producer) },
        Act::End(producer, false) => Command::AbortTransaction { producer: name(producer) },
        Act::SendOffsets(producer) => Command::SendOffsets {
            producer: name(producer),
            group: READERS[1].0.to_owned(),
            member: "m".to_owned(),
            offsets: None,
        },
        Act::Advance(ms) => Command::AdvanceClock { ms: *ms },
        Act::Poll(_) => return None,
    })
}

/// The real answer in the model's words.
fn told(answer: loglanes::Result<Outcome>) -> Answer {
    let known = |name: &str| -> &'static str {
        let names = [
            ILLEGAL,
            OURS,
            OLD_EPOCH,
            FENCED,
            "INVALID_TXN_STATE",
            "KafkaException",
            "OUT_OF_ORDER_SEQUENCE_NUMBER",
        ];
        names.into_iter().find(|one| *one == name).unwrap_or_else(|| panic!("{name}"))
    };
    match answer {
        Err(error) => Refused(known(error.name())),
        Ok(Outcome::Produced { offset, .. }) => Offset(offset),
        Ok(Outcome::Retried { first_offset, is_duplicate, .. }) => {
            Retried(first_offset, is_duplicate)
        }
        Ok(Outcome::TransactionsInitialized { producer_id, epoch, .. }) => {
            Initialized(Identity { id: producer_id, epoch })
        }
        Ok(Outcome::TransactionEnded { markers, .. }) => {
            Ended(markers.iter().map(|one| (one.partition as usize, one.offset)).collect())
        }
        Ok(Outcome::ProducerFailed { error, .. }) => Failed(known(error.name)),
        Ok(_) => Done,
    }
}

/// What lies in a log, entry by entry.
fn entries(log: &PartitionLog) -> Vec<Entry> {
    let entry = |batch: loglanes::log::BatchView<'_>| {
        let header = *batch.header();
        assert_eq!(header.record_count, 1);
        let writer = Identity { id: header.producer_id, epoch: header.producer_epoch };
        let marker = marker_of(&batch).map(|(kind, _)| kind == EndTransaction::Commit);
        assert_eq!(marker.is_some(), header.is_control());
        Entry {
            writer: (header.producer_id >= 0).then_some(writer),
            what: marker.map_or(Ok(header.base_sequence), Err),
            transactional: header.is_transactional(),
        }
    };
    log.batches_from(0).map(entry).collect()
}

fn same(session: &Session, model: &Model) {
    for (number, partition) in session.cluster().topic("t").unwrap().partitions.iter().enumerate() {
        let log = &partition.log;
        assert_eq!(entries(log), model.logs[number]);
        let ends = (log.last_stable_offset() as usize, log.high_watermark() as usize);
        assert_eq!(ends, (model.stable(number), model.logs[number].len()));
        for (_, level) in READERS {
            let real: Vec<i64> = log.records_as(0, level).map(|record| record.offset).collect();
            assert_eq!(real, model.readable(number, 0, level == IsolationLevel::ReadCommitted));
        }
    }
    for (name, client) in &model.clients {
        assert_eq!(session.cluster().producer(name).unwrap().identity, client.identity, "{name}");
    }
    let real: Vec<_> =
        session.cluster().transactional_ids().map(|(id, known)| (id, known.identity)).collect();
    let known: Vec<_> = model.ids.iter().map(|(id, known)| (*id, known.identity)).collect();
    assert_eq!(real, known);
    let group = session.cluster().group(READERS[1].0).unwrap();
    let committed = model.committed.iter();
    let committed = committed.map(|(at, offset)| (TopicPartition::new("t", *at as i32), *offset));
    assert_eq!(group.committed, committed.collect());
}

/// Reads until nothing more comes.
fn read(session: &mut Session, group: &str, now: i64) -> BTreeSet<(i32, i64)> {
    let mut all = BTreeSet::new();
    loop {
        let (group, member) = (group.to_owned(), "m".to_owned());
        let poll = Command::Poll { group, member, max_records: None };
        let Outcome::Polled { records, .. } = session.apply(poll, now).unwrap() else { panic!() };
        if records.is_empty() {
            return all;
        }
        all.extend(records.iter().map(|record| (record.partition, record.offset)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 20_000, ..Default::default() })]

    #[test]
    fn producers_and_transactions_do_as_the_naive_model_does(
        seed in any::<i64>(),
        acts in vec((act(), select(vec![0, 0, 1_000, 5_000])), 1..250),
    ) {
        let (mut session, mut model, mut now) = (Session::new(seed), Model::default(), NOW);
        let create = Command::CreateTopic {
            name: "t".into(),
            partitions: Some(PARTITIONS as i32),
            replication_factor: None,
            configs: [("retention.ms".to_owned(), "-1".to_owned())].into(),
        };
        session.apply(create, now).unwrap();
        for (group, isolation_level) in READERS {
            let config = ConsumerConfig {
                topics: vec!["t".to_owned()],
                auto_offset_reset: OffsetReset::Earliest,
                isolation_level,
                ..ConsumerConfig::default()
            };
            let join = Command::Join { group: group.into(), member: "m".into(), config };
            session.apply(join, now).unwrap();
        }
        for (number, (act, wait)) in acts.iter().enumerate() {
            now += wait;
            // Time passes for the coordinator, too.
            model.look(now + model.clock);
            session.apply(Command::Tick, now).unwrap();
            let expected = model.apply(act, now);
            if let Some(command) = command(act, number) {
                let real = told(session.apply(command, now));
                prop_assert_eq!(real, expected, "{:?}", act);
            }
            if let Act::Poll(reader) = *act {
                let (group, level) = READERS[reader];
                let is_committed = level == IsolationLevel::ReadCommitted;
                let mut expected = BTreeSet::new();
                // Where nobody has read the first record may be one that was committed with offsets.
                let mut positions = model.positions[reader].unwrap_or_else(|| {
                    let from = |at| if reader == 1 { model.committed.get(&at) } else { None };
                    [0, 1].map(|at| from(at).copied().unwrap_or(0))
                });
                for (partition, position) in positions.iter_mut().enumerate() {
                    let offsets = model.readable(partition, *position as usize, is_committed);
                    expected.extend(offsets.into_iter().map(|offset| (partition as i32, offset)));
                    let end = model.logs[partition].len();
                    let end = if is_committed { model.stable(partition) } else { end };
                    *position = (*position).max(end as i64);
                }
                prop_assert_eq!(read(&mut session, group, now), expected);
                model.positions[reader] = Some(positions);
            }
            same(&session, &model);
        }
    }
}
