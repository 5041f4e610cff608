//! Scenarios as commands for a real cluster: what stands in the script, and what the tools are given
//! when a shell runs it. `cargo xtask conformance` runs scripts on a real broker.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use loglanes::group::TopicPartition;
use loglanes::interchange::console_producer;
use loglanes::partitioner::partition_for_key;
use loglanes::scenario::{COUNTERPARTS, Commands, Player, Scenario, Statement, VERBS};
use loglanes::{Bytes, Command, OwnedHeader, Produce, SegmentSet, SegmentSets};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn scenario(text: &str) -> Scenario {
    Scenario::parse(text).unwrap_or_else(|problems| panic!("{text}\n{}", problems[0]))
}

fn script(text: &str) -> String {
    Commands::of(&scenario(text), true).unwrap().script().to_owned()
}

/// What stands behind a line of the scenario, up to the next one.
fn below<'a>(script: &'a str, line: &str) -> &'a str {
    let (_, rest) =
        script.split_once(&format!("] {line}\n")).unwrap_or_else(|| panic!("{line}\n{script}"));
    rest.split("\n# [").next().unwrap_or_default().split("\nends ").next().unwrap_or_default()
}

/// For each act a line, and what does it there; what begins with `#` is why nothing does.
const SEED: [(&str, &str); 44] = [
    ("topic orders partitions=2", "tool kafka-topics --create --topic orders --partitions 2"),
    ("partitions orders 3", "tool kafka-topics --alter --topic orders --partitions 3"),
    (
        "configs orders retention.ms=-1",
        "tool kafka-configs --alter --entity-type topics --entity-name orders",
    ),
    (
        "produce orders key=\"a\" value=\"1\"",
        "tool kafka-console-producer --topic orders --property parse.key=true",
    ),
    (
        "produce orders partition=0 key=none value=\"2\"",
        "kcat -P -b \"$BOOTSTRAP\" -t orders -p 0 -D '<r1>'",
    ),
    (
        "produce orders partition=0 timestamp=1700000000000 key=none value=\"2\"",
        "#   Not carried over. No tool sets a timestamp",
    ),
    ("produce-many orders record timestamp=1700000000000 key=\"b\" value=\"3\"", "b:3\n"),
    ("producer p compression.type=gzip", "#   Not carried over. No producer runs on"),
    ("produce orders producer=p key=\"a\" value=\"4\"", "--compression-codec gzip"),
    ("retry producer=p", "#   Not carried over. No tool sends a batch a second time"),
    ("close-producer p", "#   Not carried over. No producer runs there"),
    ("producer tx \"transactional.id\"=shop", "#   Not carried over. No producer runs on"),
    ("init-transactions tx", "#   Not carried over. No tool has transactions."),
    ("begin-transaction tx", "#   Not carried over. No tool has transactions: records of those"),
    (
        "join billing m1 orders reset=earliest",
        "#   Not carried over. No member runs there: kafka-console-consumer --group",
    ),
    (
        "poll billing m1",
        "tool kafka-console-consumer --group billing --topic orders --max-messages 5",
    ),
    ("commit billing m1 orders-0=1", "commit billing <<'END'\norders,0,1\nEND"),
    (
        "send-offsets tx billing m1 orders-0=2",
        "#   Not carried over. No tool has transactions: the offsets",
    ),
    ("commit-transaction tx", "commit billing <<'END'\norders,0,2\nEND"),
    ("begin-transaction tx ", ""),
    (
        "abort-transaction tx",
        "#   Not carried over. No tool has transactions: the records were not sent",
    ),
    ("kill-producer tx", "#   Not carried over. No producer runs there"),
    ("seek billing m1 orders-0 0", "#   Not carried over. No member runs there whose position"),
    ("pause billing m1 orders-1", "#   Not carried over. No member runs there"),
    ("resume billing m1 orders-1", "#   Not carried over. No member runs there"),
    (
        "poll billing m1 max=1",
        "tool kafka-console-consumer --topic orders --partition 0 --offset 0 --max-messages 1",
    ),
    ("subscribe billing m1 orders", "#   Not carried over. No member runs there"),
    ("enforce-rebalance billing m1", "#   Not carried over. No member runs there"),
    ("exceed-poll-interval billing m1", "#   Not carried over. No member runs there"),
    ("poll billing m1 max=2", "tool kafka-console-consumer"),
    ("refresh-metadata billing", "#   Not carried over. No member runs there"),
    ("crash billing m1", "#   Not carried over. No member runs there"),
    ("restart billing m1", "#   Not carried over. No member runs there"),
    ("remove-members billing", "#   Not carried over. No member runs there"),
    ("unsubscribe billing m1", "#   Not carried over. No member runs there"),
    ("leave billing m1", "#   Not carried over. No member runs there"),
    ("assign \"\" a1 orders-0", "#   Not carried over. No consumer runs there"),
    (
        "reset-offsets billing orders to-latest",
        "sound tool kafka-consumer-groups --group billing --reset-offsets --topic orders --to-latest",
    ),
    (
        "delete-offsets billing orders",
        "sound tool kafka-consumer-groups --group billing --delete-offsets --topic orders",
    ),
    (
        "delete-records orders-0 before=1",
        "delete_records <<'END'\n{\"partitions\":[{\"offset\":1,\"partition\":0,\"topic\":\"orders\"}],\"version\":1}\nEND",
    ),
    ("retention orders", "#   Not carried over. No tool makes a broker look for old segments"),
    ("compaction orders", "#   Not carried over. No tool makes a broker clean its logs"),
    ("clock +1h", "#   Not carried over. Nothing moves a real cluster's clock"),
    ("tick", "#   Not carried over. Nothing moves a real cluster's clock"),
];

#[test]
fn each_act_is_a_command_or_a_comment_that_says_why_it_is_none() {
    let mut text: String = SEED
        .iter()
        // What is expected parts the calls that send.
        .map(|(line, _)| format!("{}\nexpect topics != nothing\n", line.trim_end()))
        .collect();
    text.push_str("reset-offsets billing orders to-earliest\ndelete-group billing\ntopic copy\n");
    text.push_str("copy-log copy-0 files=x\"000000000000000a00000058000000000000000a0000004c00000000021d721ee20000000000070000018e9b26e0000000018e9b26e002ffffffffffffffffffffffffffff000000031000000002610231001000020602620232001000040e0263023300\"\n");
    text.push_str("delete-topic orders\n");
    for verb in VERBS {
        assert!(text.lines().any(|line| line.split(' ').next() == Some(verb)), "{verb}");
    }
    let script = script(&text);
    for (line, wanted) in SEED {
        assert!(below(&script, line.trim_end()).contains(wanted), "{line}\n{script}");
    }
    assert!(
        script.contains("sound tool kafka-consumer-groups --group billing --delete\n"),
        "{script}"
    );
    assert!(script.contains("tool kafka-topics --delete --topic orders\n"), "{script}");
    // Three records of a file that begins at offset 10.
    assert!(script.contains("\na:1\nb:2\nc:3\n") && script.contains("copy:0:3\n"), "{script}");
}

#[test]
fn the_documentation_has_the_table_of_counterparts() {
    let page = fs::read_to_string(root().join("docs/scenarios.md")).unwrap();
    let mut table = String::from("| act | on a real cluster | not carried over |\n|---|---|---|\n");
    for one in COUNTERPARTS {
        let command = if one.command.is_empty() { "—" } else { one.command };
        table.push_str(&format!("| `{}` | {command} | {} |\n", one.verb, one.lost));
    }
    assert!(page.contains(&table), "docs/scenarios.md should have:\n{table}");
}

#[test]
fn records_of_an_open_or_aborted_transaction_are_not_sent_and_offsets_close_up() {
    let text = "topic a partitions=1
producer tx transactional.id=shop
init-transactions tx
begin-transaction tx
produce a producer=tx value=\"committed\"
commit-transaction tx
begin-transaction tx
produce a producer=tx value=\"aborted\"
abort-transaction tx
produce a value=\"plain\"
begin-transaction tx
produce a producer=tx value=\"open\"
reset-offsets g a to-offset=5
delete-records a-0 before=4";
    let commands = Commands::of(&scenario(text), false).unwrap();
    let script = commands.script();
    // Here: committed, marker, aborted, marker, plain, open.
    assert!(script.contains("<<'END'\ncommitted\nEND\n"), "{script}");
    assert!(script.contains("<<'END'\nplain\nEND\n"), "{script}");
    assert!(!script.contains("\naborted\n") && !script.contains("\nopen\n"), "{script}");
    assert!(script.contains("a:0:2\n"), "{script}");
    assert!(
        script.contains("a-0: 5 is 2 there: what lies before it was not all sent there."),
        "{script}"
    );
    assert!(script.contains("commit g <<'END'\na,0,2\nEND\n"), "{script}");
    assert!(script.contains("\"offset\":1,"), "{script}");
    let there: Vec<i64> = (0..=6).map(|offset| commands.offset_there("a", 0, offset)).collect();
    assert_eq!(there, [0, 1, 1, 1, 1, 2, 2]);
    assert_eq!(
        commands
            .not_carried()
            .iter()
            .filter(|one| one.why.ends_with("its records are not sent."))
            .count(),
        2
    );
}

#[test]
fn of_a_log_that_was_copied_only_what_is_committed_is_sent() {
    let text = "topic a partitions=1
producer tx transactional.id=shop
init-transactions tx
begin-transaction tx
produce a producer=tx value=\"aborted\"
abort-transaction tx
begin-transaction tx
produce a producer=tx value=\"committed\"
commit-transaction tx";
    let (mut player, _) = Player::new(&scenario(text));
    assert!(player.finish().is_met());
    let partition = &player.session().cluster().topic("a").unwrap().partitions[0];
    let files = partition.log.segments().iter().map(|one| (one.base_offset(), one.bytes()));
    let segments = SegmentSet::new(files).unwrap();
    let copy = Command::CopyLog { topic: "copy".into(), partition: 0, segments };
    let text = format!("topic copy partitions=1\n{copy}\nexpect log-end-offset copy-0 = 4");
    let script = script(&text);
    assert!(script.contains("<<'END'\ncommitted\nEND\n"), "{script}");
    assert!(!script.contains("\naborted\n") && script.contains("copy:0:1\n"), "{script}");
}

#[test]
fn logs_that_were_copied_at_once_are_sent_topic_by_topic() {
    let (mut player, _) = Player::new(&scenario("topic t\nproduce t value=\"one\""));
    assert!(player.finish().is_met());
    let log = &player.session().cluster().topic("t").unwrap().partitions[0].log;
    let set = || SegmentSet::new(log.segments().iter().map(|one| (one.base_offset(), one.bytes())));
    let copy = Command::CopyLogs {
        to: ["b", "a"].map(|topic| TopicPartition::new(topic, 0)).to_vec(),
        segments: SegmentSets::new([set().unwrap(), set().unwrap()]),
    };
    let text = format!("topic a\ntopic b\n{copy}\nexpect records a = 1\nexpect records b = 1");
    let script = script(&text);
    assert!(script.contains("--topic a <<'END'\none\nEND\n"), "{script}");
    assert!(script.contains("--topic b <<'END'\none\nEND\n"), "{script}");
}

#[test]
fn replicas_by_hand_are_named_to_the_tool_with_those_of_the_partitions_that_are_there() {
    let script = script("topic t assignment=1:2,2:3\npartitions t 3 assignment=3:1");
    let made = below(&script, "topic t assignment=1:2,2:3");
    assert!(made.contains("--create --topic t --replica-assignment 1:2,2:3\n"), "{made}");
    let grown = below(&script, "partitions t 3 assignment=3:1");
    assert!(grown.contains("--partitions 3 --replica-assignment 1:2,2:3,3:1\n"), "{grown}");
}

#[test]
fn what_kafka_refuses_has_to_be_refused_there_in_the_same_words() {
    let text = "topic a partitions=2\npartitions a 2\nexpect error INVALID_PARTITIONS\n\
                reset-offsets g a to-latest\njoin g m a\ndelete-group g\nexpect error NON_EMPTY_GROUP\n\
                produce nowhere value=\"x\"\nexpect error REQUEST_TIMED_OUT\ndelete-topic \"a*\"\n\
                expect error UNKNOWN_TOPIC_OR_PARTITION\nproducer p no.such=1\nexpect error LOGLANES";
    let script = script(text);
    let refused = "refused 2 INVALID_PARTITIONS 'does not exist as expected\n\
                   Topic already has 2 partition(s).\nInvalidPartitionsException' \\\n  \
                   tool kafka-topics --alter --topic a --partitions 2\n";
    assert!(script.contains(refused), "{script}");
    for why in [
        "It is refused here because the group has members.",
        "Kafka's tools only log why a record is refused",
        "The tool takes a name that is none for a regular expression",
        "It is refused here by Loglanes itself",
    ] {
        assert!(script.contains(why), "{why}\n{script}");
    }
    assert!(!script.contains("a*'"), "a pattern would hit other topics: {script}");
}

#[test]
fn an_act_that_is_refused_without_a_word_ends_the_script() {
    let text = "topic a\ntopic a\ntopic b";
    let script = script(text);
    assert!(
        script.contains("which no line expects, and the scenario ends: Topic 'a' already exists."),
        "{script}"
    );
    assert!(!script.contains("--topic b"), "{script}");
}

#[test]
fn much_data_goes_into_files_and_many_partitions_into_a_loop() {
    let commands = Commands::of(
        &scenario("topic thin partitions=200\nproduce thin count=200 keys=0 value-bytes=20 partitioner=java/round_robin_before_2.4\ntopic keyed partitions=3\nproduce keyed count=2000 keys=9"),
        false,
    )
    .unwrap();
    let script = commands.script();
    assert!(script.contains("find data/thin-1 -name '*.txt' | xargs -P 8 -I FILE sh -c \\\n  'kcat -P -b \"$BOOTSTRAP\" -t thin -p "), "{script}");
    assert!(script.contains("<data/keyed-2.txt\n"), "{script}");
    let files: Vec<&str> = commands.files().map(|(name, _)| name).collect();
    assert_eq!(files.iter().filter(|name| name.starts_with("data/thin-1/")).count(), 200);
    let zip = loglanes::interchange::segment::read_zip(&commands.zip().unwrap(), |_| true).unwrap();
    assert!(zip.iter().any(|file| file.path == "loglanes-commands/run.sh"));
}

#[test]
fn what_went_by_the_clock_is_deleted_there() {
    let text = "topic old partitions=1 retention.ms=3600000 segment.ms=60000\nproduce old value=\"a\"\n\
                clock +2h\nexpect log-start-offset old-0 = 1\nexpect records old = 0";
    let script = script(text);
    let clock = below(&script, "clock +2h");
    assert!(clock.contains("\"offset\":1,\"partition\":0"), "{script}");
    assert!(script.contains("= 1 \"$(offset earliest old:0)\""), "{script}");
}

#[test]
fn what_no_tool_answers_is_said_not_to_be_checked() {
    let text = "topic a.b partitions=2\nproduce a.b key=\"k\" value=x\"ff\"\nexpect skew a.b = 2\n\
                expect members g = nothing\nexpect values a.b-0 = x\"ff\"\nexpect topics = a.b\n\
                expect partitions a.b = 2\nexpect high-watermark a.b-0 >= 0";
    let script = script(text);
    for (line, why) in [
        ("expect skew a.b = 2", "#   Not checked: no tool"),
        ("expect members g = nothing", "#   Not checked: no member runs there."),
        ("expect topics = a.b", "#   Not checked: a real cluster has others"),
        ("expect partitions a.b = 2", "= 2 \"$(partitions 'a\\.b')\""),
        ("expect high-watermark a.b-0 >= 0", "-ge 0 \"$(offset latest 'a\\.b:0')\""),
    ] {
        assert!(below(&script, line).contains(why), "{line}\n{script}");
    }
}

#[test]
fn the_lessons_and_the_examples_are_scripts_that_a_shell_reads() {
    let mut texts = Vec::new();
    for file in fs::read_dir(root().join("www/lessons/en")).unwrap() {
        texts.push(fs::read_to_string(file.unwrap().path()).unwrap());
    }
    let page = fs::read_to_string(root().join("docs/scenarios.md")).unwrap();
    let blocks = page.split("```lanes\n").skip(1);
    texts.extend(blocks.filter_map(|block| block.split("\n```").next()).map(str::to_owned));
    assert!(texts.len() > 25);
    for text in texts {
        let scenario = scenario(&text);
        let commands = Commands::of(&scenario, true).unwrap();
        parses(commands.script());
        let acts = scenario.lines().iter().filter(|line| matches!(line, Statement::Act(_)));
        for act in acts {
            let line: String = act.to_string().chars().take(60).collect();
            assert!(
                commands.script().contains(&format!("] {line}")),
                "{line}\n{}",
                commands.script()
            );
        }
    }
}

/// The shells that are here; a script has to be read by each.
fn shells() -> Vec<&'static str> {
    let is_here = |shell: &&str| {
        Process::new(shell).args(["-c", ":"]).status().is_ok_and(|status| status.success())
    };
    let shells: Vec<&str> = ["bash", "sh"].into_iter().filter(is_here).collect();
    if shells.is_empty() {
        eprintln!("SKIPPED: there is no shell on this machine to read the scripts");
    }
    shells
}

fn parses(script: &str) {
    for shell in shells() {
        let mut process = Process::new(shell)
            .args(["-n", "/dev/stdin"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(process.stdin.as_mut().unwrap(), script.as_bytes()).unwrap();
        let output = process.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{shell}: {}\n{script}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// A call of a tool, as it came to it.
#[derive(Debug)]
struct Call {
    words: Vec<Vec<u8>>,
    input: Vec<u8>,
}

impl Call {
    fn is(&self, name: &str) -> bool {
        self.words[0].ends_with(name.as_bytes())
    }

    /// Every word behind this one.
    fn all(&self, option: &str) -> Vec<String> {
        let pairs = self.words.windows(2).filter(|pair| pair[0] == option.as_bytes());
        pairs.map(|pair| String::from_utf8(pair[1].clone()).unwrap()).collect()
    }

    fn one(&self, option: &str) -> Option<String> {
        self.all(option).pop()
    }
}

/// A tool that only writes down what it is given.
const TOOL: &str = "#!/bin/sh
case \" $* \" in
  *' --partitions '*) printf 'PartitionCount: %s' \"$*\" | sed 's/ .* --partitions / /; s/ --.*//' >\"$CALLS/count\" ;;
  *' --describe '*) cat \"$CALLS/count\" ;;
esac
number=$(find \"$CALLS\" -name '*.words' | wc -l)
name=$(printf '%s/%05d' \"$CALLS\" \"$number\")
printf '%s\\0' \"$0\" \"$@\" >\"$name.words\"
cat >\"$name.input\"
";

/// Runs a script with tools that write down what they are given.
fn calls(shell: &str, commands: &Commands, folder: &Path) -> Vec<Call> {
    if folder.exists() {
        fs::remove_dir_all(folder).unwrap();
    }
    let (bin, calls) = (folder.join("bin"), folder.join("calls"));
    fs::create_dir_all(&bin).unwrap();
    fs::create_dir_all(&calls).unwrap();
    for (name, content) in commands.files() {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    for name in [
        "kafka-topics.sh",
        "kafka-configs.sh",
        "kafka-console-producer.sh",
        "kafka-console-consumer.sh",
        "kafka-get-offsets.sh",
        "kafka-delete-records.sh",
        "kafka-consumer-groups.sh",
        "kcat",
    ] {
        let path = bin.join(name);
        fs::write(&path, TOOL).unwrap();
        let made = Process::new("chmod").arg("+x").arg(&path).status().unwrap();
        assert!(made.success());
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Process::new(shell)
        .arg(folder.join("run.sh"))
        .env("PATH", format!("{}:{path}", bin.display()))
        .env("KAFKA_BIN", &bin)
        .env("CALLS", &calls)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    // The tools answer nothing, so what is checked differs; no command fails.
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains("not found") && !said.contains("rror"), "{said}\n{}", commands.script());
    let mut found = Vec::new();
    for number in 0.. {
        let path = calls.join(format!("{number:05}.words"));
        let Ok(words) = fs::read(&path) else { break };
        let words = words.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
        found.push(Call { words, input: fs::read(path.with_extension("input")).unwrap() });
    }
    found
}

/// A record as a tool sends it: partition, key, value, headers.
type Sent = (i32, Option<Vec<u8>>, Option<Vec<u8>>, Vec<(Vec<u8>, Option<Vec<u8>>)>);

/// The records of a call, by the rules of the tool.
fn sent(call: &Call, partitions: i32) -> Vec<Sent> {
    let mut records = Vec::new();
    if call.is("kafka-console-producer.sh") {
        let properties: BTreeMap<String, String> = call
            .all("--property")
            .iter()
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let mut decoder = console_producer::decoder(&properties).unwrap();
        let mut take = |found: loglanes::interchange::Found<'_>| {
            let record = found.unwrap();
            let key = record.key.map(|key| key.to_vec());
            let place = |key: &Vec<u8>| partition_for_key(key, partitions as u32) as i32;
            let partition = key.as_ref().map_or(0, place);
            assert!(key.is_some() || partitions == 1, "the tool would choose a partition");
            let headers = record.headers.iter();
            let headers = headers.map(|header| {
                (header.key.to_vec(), header.value.as_ref().map(|value| value.to_vec()))
            });
            records.push((
                partition,
                key,
                record.value.map(|value| value.to_vec()),
                headers.collect(),
            ));
        };
        decoder.feed(&call.input, &mut take);
        decoder.finish(&mut take);
    } else if call.is("kcat") {
        let partition: i32 = call.one("-p").unwrap().parse().unwrap();
        let empty_is_none = call.words.iter().any(|word| word == b"-Z");
        let headers = call.all("-H");
        let headers: Vec<(Vec<u8>, Option<Vec<u8>>)> = headers
            .iter()
            .map(|header| match header.split_once('=') {
                Some((key, value)) => (key.into(), Some(value.into())),
                None => (header.as_bytes().to_vec(), None),
            })
            .collect();
        let delimiter = call.one("-D").unwrap();
        let mut rest = call.input.as_slice();
        while !rest.is_empty() {
            let end = find(rest, delimiter.as_bytes()).unwrap();
            let (record, behind) = rest.split_at(end);
            rest = &behind[delimiter.len()..];
            let split = call.one("-K").and_then(|between| {
                let at = find(record, between.as_bytes())?;
                Some((record[..at].to_vec(), record[at + between.len()..].to_vec()))
            });
            let none = |bytes: Vec<u8>| (!empty_is_none || !bytes.is_empty()).then_some(bytes);
            let (key, value) = match split {
                Some((key, value)) => (none(key), none(value)),
                None => (None, none(record.to_vec())),
            };
            records.push((partition, key, value, headers.clone()));
        }
    }
    records
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

fn hostile() -> BoxedStrategy<Bytes> {
    let texts = select(vec![
        "",
        "null",
        "~null~",
        "~none~",
        "END",
        "a:b",
        "k|v",
        "a,b;c",
        "-K1-",
        "-N1-",
        "<k1>",
        "<r1>",
        "it's",
        "\"$HOME\"",
        "`touch owned`",
        "$(touch owned)",
        "\\",
        "\\n",
        "%s%n",
        "a\nb",
        "\r",
        "tab\t",
        " ",
        "é日本",
        "\0",
        "\u{85}",
        "\u{1b}[0m",
        "#",
        "!!",
        "-",
        "--topic",
        "=",
        "& | ; > <",
        "*",
        "~",
    ]);
    prop_oneof![
        3 => texts.prop_map(Bytes::from),
        1 => vec(any::<u8>(), 0..12).prop_map(Bytes::from),
        1 => any::<String>().prop_map(|text| Bytes::from(text.as_str())),
    ]
    .boxed()
}

fn record() -> impl Strategy<Value = Produce> {
    let header =
        (hostile(), option::of(hostile())).prop_map(|(key, value)| OwnedHeader { key, value });
    (option::of(0..3), option::of(hostile()), option::of(hostile()), vec(header, 0..3)).prop_map(
        |(partition, key, value, headers)| Produce {
            topic: "t.a".into(),
            partition,
            key,
            value,
            headers,
            ..Produce::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn every_byte_comes_through_the_shell(
        partitions in 1..4,
        records in vec(record(), 1..12),
        group in "g[a-z'\"$`\\\\ !*#\\n\\t~é-]{1,8}",
    ) {
        let mut text = format!("topic t.a partitions={partitions}\n");
        for mut record in records {
            record.partition = record.partition.map(|partition| partition % partitions);
            text.push_str(&format!("{}\n", Command::Produce(record)));
        }
        text.push_str(&format!("reset-offsets {group:?} t.a to-latest\nreset-offsets {group:?} from-file=\"t.a,0,0\\n\"\n"));
        let scenario = scenario(&text);
        let commands = Commands::of(&scenario, false).unwrap();
        parses(commands.script());
        let (mut player, _) = Player::new(&scenario);
        let report = player.finish();
        prop_assert!(report.is_met(), "{report:?}");
        let cluster = player.session().cluster();
        for shell in shells() {
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("scenario-commands-{}", std::process::id()));
            let calls = calls(shell, &commands, &folder);
            let mut came: BTreeMap<i32, Vec<Sent>> = BTreeMap::new();
            for record in calls.iter().flat_map(|call| sent(call, partitions)) {
                came.entry(record.0).or_default().push(record);
            }
            for (number, partition) in (0..).zip(&cluster.topic("t.a").unwrap().partitions) {
                let log = &partition.log;
                let is_sent = |offset: i64| {
                    commands.offset_there("t.a", number, offset) < commands.offset_there("t.a", number, offset + 1)
                };
                let ours: Vec<Sent> = log
                    .records_from(0)
                    .filter(|record| is_sent(record.offset))
                    .map(|record| {
                        let headers = record.headers();
                        let headers = headers.map(|header| (header.key.to_vec(), header.value.map(<[u8]>::to_vec)));
                        (number, record.key.map(<[u8]>::to_vec), record.value.map(<[u8]>::to_vec), headers.collect())
                    })
                    .collect();
                let came = came.remove(&number).unwrap_or_default();
                prop_assert_eq!(came, ours, "{}: {}", shell, commands.script());
            }
            let groups: Vec<String> =
                calls.iter().filter(|call| call.is("kafka-consumer-groups.sh")).filter_map(|call| call.one("--group")).collect();
            prop_assert_eq!(groups, [group.clone(), group.clone()]);
            prop_assert!(!folder.join("owned").exists());
            fs::remove_dir_all(folder).unwrap();
        }
    }
}
