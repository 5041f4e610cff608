//! Kafka's directories taken in as they are, and written again.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::recorded::{Tally, folder, lines, names};
use crate::reload::reloaded;
use loglanes::interchange::segment::{LogFiles, read_zip};
use loglanes::interchange::{Export, ExportFormat, ExportScope, ExportSpec, FileFormat, inspect};
use loglanes::{Cluster, Command, CopiedLog, ImportSpec, Outcome, SegmentSet, Session};

const T0: i64 = 1_700_000_000_000;

fn topic(configs: BTreeMap<String, String>) -> Command {
    Command::CreateTopic {
        name: "t".to_owned(),
        partitions: Some(1),
        replication_factor: None,
        configs,
    }
}

/// The members of the archive that a topic is exported to.
fn exported(cluster: &Cluster, scope: ExportScope) -> BTreeMap<String, Vec<u8>> {
    let spec = ExportSpec { topic: "t".to_owned(), scope, format: ExportFormat::LogFiles };
    let mut export = Export::begin(cluster, &spec).unwrap();
    let mut archive = Vec::new();
    while let Some(chunk) = export.next(cluster).unwrap() {
        archive.extend(chunk);
    }
    let files = read_zip(&archive, |_| true).unwrap();
    files.into_iter().map(|file| (file.path, file.bytes)).collect()
}

fn files_of(path: &Path) -> LogFiles {
    let mut files = LogFiles::new();
    for entry in fs::read_dir(path).unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        files.add(&format!("t-0/{name}"), fs::read(&file).unwrap()).unwrap();
    }
    files
}

#[test]
fn a_broker_s_directory_goes_in_and_comes_out_byte_for_byte() {
    let mut tally = Tally::default();
    let mut count = 0;
    for name in names("segments") {
        let path = folder().join("segments").join(&name);
        if !path.join("case.json").exists() {
            continue;
        }
        count += 1;
        let case = &lines(&format!("segments/{name}/case.json"))[0];
        let steps = lines(&format!("segments/{name}/steps.ndjson"));
        // Each stop of the broker has made an entry in the time index, and ours is built anew.
        let was_stopped = steps.iter().any(|step| step["op"] == "restart_broker");
        // Of transactions, and of producers, whose batches are gone nothing but these files tells.
        let is_cleaned = steps.iter().any(|step| step["op"] == "clean");
        let is_cut = !path.join(format!("{:020}.log", 0)).exists() && case["log_start_offset"] != 0;
        let configs = case["topic_configs"].as_object().unwrap().iter();
        let configs = configs
            .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
            .chain([("retention.ms".to_owned(), "-1".to_owned())]);
        let mut cluster = Cluster::new(1);
        cluster.apply(&topic(configs.collect()), T0).unwrap();
        let files = files_of(&path);
        let (directory, partition) = files.partitions().next().unwrap();
        assert_eq!((directory, partition.name.clone()), ("t-0", Some(("t".to_owned(), 0))));
        let segments = partition.set().unwrap();
        let copy = Command::CopyLog { topic: "t".to_owned(), partition: 0, segments };
        let Outcome::LogCopied(CopiedLog { log_start_offset, log_end_offset, cut, .. }) =
            cluster.apply(&copy, T0).unwrap()
        else {
            panic!("not copied");
        };
        assert_eq!(cut, None, "{name}");
        let int = |name: &str| -> i64 {
            let value = &case[name];
            value.as_i64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
        };
        let end = int("log_end_offset");
        assert_eq!(log_end_offset, end, "{name}");
        // Of a leader that has written nothing no batch tells, nor any of these files of a log start
        // inside a segment.
        let epochs = fs::read_to_string(path.join("leader-epoch-checkpoint")).unwrap();
        let has_silent_leader =
            epochs.lines().count() > 3 && epochs.ends_with(&format!(" {end}\n"));
        let is_start_told = int("log_start_offset") == log_start_offset;
        // Snapshots of earlier ends are of no use after a stop in good order. The topic id is the
        // new topic's.
        let last = format!("{end:020}.snapshot");
        let is_compared = |file: &str| {
            let file = file.rsplit('/').next().unwrap();
            let extension = file.rsplit('.').next().unwrap();
            let is_txnindex = extension == "txnindex" && !is_cleaned && !is_cut;
            matches!(extension, "log" | "index")
                || extension == "timeindex" && !was_stopped
                || is_txnindex
                || file == last && !is_cut
                || file == "leader-epoch-checkpoint" && !has_silent_leader && is_start_told
        };
        let mut ours = exported(&cluster, ExportScope::Topic);
        let id = String::from_utf8(ours["t-0/partition.metadata"].clone()).unwrap();
        assert!(id.starts_with("version: 0\ntopic_id: ") && id.ends_with('\n'), "{id}");
        ours.retain(|file, _| is_compared(file));
        let kafkas: BTreeMap<String, Vec<u8>> = case["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| file["name"].as_str().unwrap())
            .filter(|file| is_compared(file))
            .map(|file| (format!("t-0/{file}"), fs::read(path.join(file)).unwrap()))
            .collect();
        if ours.keys().ne(kafkas.keys()) {
            tally.compare(&name, format!("{:?}", ours.keys()), format!("{:?}", kafkas.keys()));
            continue;
        }
        let different: Vec<_> =
            kafkas.iter().filter(|(file, bytes)| ours.get(*file) != Some(bytes)).collect();
        tally.compare(&name, different.into_iter().map(|(file, _)| file).collect(), Vec::new());
    }
    tally.finish("segments, in and out", count);
}

fn case(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"))
}

fn copy(bytes: &[u8], base_offset: i64) -> Command {
    let segments = SegmentSet::new([(base_offset, bytes)]).unwrap();
    Command::CopyLog { topic: "t".to_owned(), partition: 0, segments }
}

/// KB-13, KB-18, KB-37, KB-39.
#[test]
fn files_from_users_become_a_log_as_they_are() {
    for (name, base, start, end, records) in [
        ("seg-plain.log", 0, 0, 7, 7),
        ("seg-zerotail.log", 0, 0, 7, 7),
        ("seg-txn.log", 0, 0, 4, 3),
        ("seg-abort.log", 0, 0, 4, 3),
        ("seg-compacted.log", 10, 10, 18, 3),
        ("seg-gzip.log", 100, 100, 120, 20),
        ("seg-snappy.log", 100, 100, 120, 20),
        ("seg-lz4.log", 100, 100, 120, 20),
        ("seg-zstd.log", 100, 100, 120, 20),
        ("seg-2e53.log", (1 << 53) - 1, (1 << 53) - 1, (1 << 53) + 2, 3),
        ("seg-empty.log", 0, 0, 0, 0),
    ] {
        let mut cluster = Cluster::new(1);
        cluster.apply(&topic(BTreeMap::new()), T0).unwrap();
        cluster.apply(&copy(&case(name), base), T0).unwrap();
        let log = &cluster.topic("t").unwrap().partition(0).unwrap().log;
        assert_eq!((log.log_start_offset(), log.log_end_offset()), (start, end), "{name}");
        assert_eq!(log.record_count(), records, "{name}");
        assert_eq!(log.records_from(start).count() as u64, records, "{name}");
    }
}

#[test]
fn a_log_that_had_records_is_left_alone() {
    let mut cluster = Cluster::new(1);
    cluster.apply(&topic(BTreeMap::new()), T0).unwrap();
    cluster.apply(&Command::produce("t", None, Some(b"v")), T0).unwrap();
    let before = cluster.clone();
    let error = cluster.apply(&copy(&case("seg-plain.log"), 0), T0).unwrap_err();
    assert_eq!(error.message(), "t-0 has had records: its log ends at offset 1.");
    assert_eq!(cluster.topic("t"), before.topic("t"));
    for (name, partition) in [("u", 0), ("t", 1)] {
        let segments = SegmentSet::default();
        let copy = Command::CopyLog { topic: name.to_owned(), partition, segments };
        assert_eq!(cluster.apply(&copy, T0).unwrap_err().code(), Some(3));
    }
}

#[test]
fn damage_is_cut_off_and_told() {
    let mut cluster = Cluster::new(1);
    cluster.apply(&topic(BTreeMap::new()), T0).unwrap();
    let mut bytes = case("seg-plain.log");
    bytes.extend_from_slice(&case("seg-plain.log"));
    bytes[300] ^= 1;
    let Outcome::LogCopied(CopiedLog { records, cut, .. }) =
        cluster.apply(&copy(&bytes, 0), T0).unwrap()
    else {
        panic!("not copied");
    };
    let cut = cut.unwrap();
    assert_eq!((records as u64, cut.position, cut.bytes as u64), (7, 246, 246));
    assert!(cut.reason.unwrap().starts_with("Record is corrupt (stored crc = "));
}

#[test]
fn files_are_sent_anew_by_an_import() {
    for (name, format, records, refused) in [
        ("seg-plain.log", FileFormat::Segment, 7, 0),
        ("seg-zerotail.log", FileFormat::Segment, 7, 1),
        ("seg-magic1.log", FileFormat::Segment, 1, 0),
        ("seg-zstd.log", FileFormat::Segment, 20, 0),
        ("seg-abort.log", FileFormat::Segment, 3, 0),
    ] {
        let bytes = case(name);
        assert_eq!(inspect(&bytes).format.as_ref(), Some(&format), "{name}");
        let mut session = Session::new(1);
        session.apply(topic(BTreeMap::new()), T0).unwrap();
        session.begin_import(ImportSpec::new("t", format), T0).unwrap();
        for chunk in bytes.chunks(50) {
            session.feed(chunk).unwrap();
        }
        session.end().unwrap();
        let (_, done) = session.finish().unwrap();
        assert_eq!((done.records as u64, done.refused as u64), (records, refused), "{name}");
    }
}

#[test]
fn an_archive_of_a_topic_is_sent_anew_with_its_partitions() {
    let mut cluster = Cluster::new(1);
    let create = Command::create_topic("t", 3);
    cluster.apply(&create, T0).unwrap();
    for number in 0..50_u8 {
        cluster.apply(&Command::produce("t", Some(&[number]), Some(b"v")), T0).unwrap();
    }
    let spec = ExportSpec {
        topic: "t".to_owned(),
        scope: ExportScope::Topic,
        format: ExportFormat::LogFiles,
    };
    let mut export = Export::begin(&cluster, &spec).unwrap();
    let mut session = Session::new(2);
    session.apply(create, T0).unwrap();
    let spec = ImportSpec {
        partition: loglanes::interchange::PartitionChoice::Keep,
        ..ImportSpec::new("t", FileFormat::LogZip)
    };
    session.begin_import(spec, T0).unwrap();
    while let Some(chunk) = export.next(&cluster).unwrap() {
        session.feed(&chunk).unwrap();
    }
    session.end().unwrap();
    session.finish().unwrap();
    let keys = |cluster: &Cluster, partition| -> Vec<Option<Vec<u8>>> {
        let log = &cluster.topic("t").unwrap().partition(partition).unwrap().log;
        log.records_from(0).map(|record| record.key.map(Into::into)).collect()
    };
    for partition in 0..3 {
        assert_eq!(keys(session.cluster(), partition), keys(&cluster, partition));
    }
    let one = exported(&cluster, ExportScope::Partition { partition: 2 });
    assert!(one.keys().all(|path| path.starts_with("t-2/")), "{:?}", one.keys());
}

#[test]
fn a_history_with_copied_files_replays() {
    let mut session = Session::new(1);
    session.apply(topic(BTreeMap::new()), T0).unwrap();
    session.apply(copy(&case("seg-lz4.log"), 100), T0).unwrap();
    session.apply(Command::produce("t", Some(b"k"), Some(b"v")), T0).unwrap();
    let mut again = Cluster::new(1);
    for step in session.history().steps() {
        again.apply(&step.command, step.at_ms).unwrap();
    }
    assert_eq!(again.topic("t"), session.cluster().topic("t"));
}

#[test]
fn the_leader_that_wrote_the_last_batch_leads_on() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/segments/leader-epochs");
    let mut session = Session::new(1);
    session.apply(topic([("retention.ms".to_owned(), "-1".to_owned())].into()), T0).unwrap();
    let segments = files_of(&path).partitions().next().unwrap().1.set().unwrap();
    let copy = Command::CopyLog { topic: "t".to_owned(), partition: 0, segments };
    session.apply(copy, T0).unwrap();
    session.apply(Command::produce("t", Some(b"k"), Some(b"v")), T0).unwrap();
    let epochs = |session: &Session| -> Vec<i32> {
        let log = &session.cluster().topic("t").unwrap().partitions[0].log;
        log.batches_from(0).map(|batch| batch.header().partition_leader_epoch).collect()
    };
    assert_eq!(epochs(&session), [0, 2, 4, 4]);
    // It does so when all its batches are gone, and after the state was saved.
    let delete = Command::DeleteRecords { topic: "t".to_owned(), partition: 0, before: -1 };
    session.apply(delete, T0).unwrap();
    session.apply(Command::RunRetention { topic: None }, T0).unwrap();
    let before = session.cluster().clone();
    let mut again = reloaded(&mut session);
    assert_eq!(*again.cluster(), before);
    again.apply(Command::produce("t", Some(b"k"), Some(b"v")), T0).unwrap();
    let log = &again.cluster().topic("t").unwrap().partitions[0].log;
    assert_eq!(log.leader_epoch_checkpoint(), "0\n1\n4 8\n");
    assert_eq!(log.batches_from(8).next().unwrap().header().partition_leader_epoch, 4);
}
