//! Bundles for a real cluster: what their data files hold, as the console producer would read them.
//! `cargo xtask conformance` runs them on a real broker.
#![cfg(not(target_arch = "wasm32"))]

use loglanes::group::OffsetReset;
use loglanes::interchange::bundle::Bundle;
use loglanes::{Cluster, Command, OwnedHeader, Produce};

const NOW: i64 = 1_700_000_000_000;

fn cluster(partitions: i32, records: &[Produce]) -> Cluster {
    let mut cluster = Cluster::new(7);
    cluster.apply(&Command::create_topic("orders", partitions), NOW).unwrap();
    for record in records {
        let record = Produce { topic: "orders".into(), ..record.clone() };
        cluster.apply(&Command::Produce(record), NOW).unwrap();
    }
    cluster
}

fn file(bundle: &Bundle, name: &str) -> String {
    let (_, content) = bundle.files().find(|(path, _)| *path == name).unwrap();
    String::from_utf8_lossy(content).into_owned()
}

#[test]
fn separators_are_texts_that_no_record_holds() {
    let header =
        |value: Option<&str>| OwnedHeader { key: "h".into(), value: value.map(Into::into) };
    let records = [
        Produce {
            key: Some("-K1-".into()),
            value: Some("~null~".into()),
            headers: vec![header(Some("a,b")), header(None)],
            ..Produce::default()
        },
        Produce { key: Some("k".into()), ..Produce::default() },
    ];
    let bundle = Bundle::of(&cluster(1, &records), &[]).unwrap();
    assert_eq!(
        file(&bundle, "data/orders-1.txt"),
        "h:a,b-S1-h:-N1--H1--K1--K2-~null~\n-N1--H1-k-K2--N1-\n"
    );
    let script = file(&bundle, "run.sh");
    for property in ["key.separator=-K2-", "headers.separator=-S1-", "null.marker=-N1-"] {
        assert!(script.contains(&format!("--property {property} ")), "{script}");
    }
    assert!(!script.contains("kcat -P"), "{script}");
}

#[test]
fn kcat_sends_what_the_console_producer_cannot_place_or_hold() {
    let records = [
        Produce {
            key: None,
            value: Some("keyless".into()),
            partition: Some(1),
            ..Produce::default()
        },
        Produce { key: Some("k".into()), value: Some(vec![255, 10].into()), ..Produce::default() },
        Produce { key: None, value: None, partition: Some(0), ..Produce::default() },
        Produce { key: None, value: Some("".into()), partition: Some(0), ..Produce::default() },
    ];
    let bundle = Bundle::of(&cluster(2, &records), &[]).unwrap();
    assert_eq!((bundle.records(), bundle.left_out()), (3, 1));
    let script = file(&bundle, "run.sh");
    assert!(script.contains("-t orders -p 0 -Z -K"), "{script}");
    assert!(script.contains("-t orders -p 1 -D"), "{script}");
    let readme = file(&bundle, "README.md");
    assert!(readme.contains(": kcat sends no empty value without a key"), "{readme}");
}

#[test]
fn committed_offsets_follow_their_records() {
    let records: Vec<Produce> = (0..6)
        .map(|_| Produce { key: Some("k".into()), value: Some("v".into()), ..Produce::default() })
        .collect();
    let mut cluster = cluster(1, &records);
    let join = Command::join("billing", "m1", "orders", OffsetReset::Earliest);
    let (group, member) = ("billing".to_owned(), "m1".to_owned());
    let poll = Command::Poll { group: group.clone(), member: member.clone(), max_records: Some(4) };
    let commit = Command::Commit { group, member, offsets: None };
    let delete = Command::DeleteRecords { topic: "orders".into(), partition: 0, before: 3 };
    for act in [join, poll, commit, delete] {
        cluster.apply(&act, NOW).unwrap();
    }
    let bundle = Bundle::of(&cluster, &["orders".to_owned()]).unwrap();
    // Three of the six are gone; the group goes on with the second of those left.
    assert_eq!(bundle.records(), 3);
    assert_eq!(file(&bundle, "groups/1.csv"), "orders,0,1\n");
    assert!(file(&bundle, "run.sh").contains("check orders 0 3\n"));
    let zip = bundle.zip().unwrap();
    let files = loglanes::interchange::segment::read_zip(&zip, |_| true).unwrap();
    assert!(files.iter().any(|file| file.path == "loglanes-bundle/run.sh"));
}

#[test]
fn what_stands_in_the_script_is_quoted() {
    let mut cluster = cluster(1, &[]);
    let group = "it's $HOME".to_owned();
    cluster.apply(&Command::produce("orders", Some(b"k"), None), NOW).unwrap();
    let to = loglanes::group::ResetTo::Earliest;
    let reset = Command::ResetOffsets { group, topics: Some(vec!["orders".into()]), to };
    cluster.apply(&reset, NOW).unwrap();
    let bundle = Bundle::of(&cluster, &[]).unwrap();
    assert!(file(&bundle, "run.sh").contains(r"--group 'it'\''s $HOME' --reset"));
}
