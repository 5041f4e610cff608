//! What kcat and Kafka's console tools print and read, recorded, against ours.

use std::collections::BTreeMap;

use crate::files::{Placed, Plain, decode, decode_all, export, records, sending};
use crate::recorded::{self, Tally, hex, lines};
use loglanes::interchange::kcat_lines::KcatLines;
use loglanes::interchange::kcat_text::{KcatText, KcatTextDecoder};
use loglanes::interchange::properties::Properties;
use loglanes::interchange::{ExportFormat, ExportScope, FileFormat};
use loglanes::{Cluster, Command, ImportSpec, Session};
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;

const NOW: i64 = 1_790_000_000_000;

/// The option `flag` of kcat, joined or apart.
fn option<'a>(args: &'a [&str], flag: &str) -> Option<&'a str> {
    args.iter().enumerate().find_map(|(at, arg)| match arg.strip_prefix(flag) {
        Some("") => args.get(at + 1).copied(),
        joined => joined,
    })
}

fn args(case: &Value) -> Vec<&str> {
    case.as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect()
}

fn headers(list: &Value) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    let list = list.as_array().map_or(&[][..], Vec::as_slice);
    list.iter()
        .map(|header| match header {
            Value::Array(pair) => (pair[0].as_str().unwrap().into(), hex(&pair[1])),
            header => (header["key"].as_str().unwrap().into(), hex(&header["value_hex"])),
        })
        .collect()
}

fn plain(record: &Value) -> Plain {
    Plain {
        key: hex(&record["key_hex"]),
        value: hex(&record["value_hex"]),
        headers: headers(&record["headers"]),
    }
}

fn placed(record: &Value) -> Placed {
    Placed {
        partition: record["partition"].as_i64().map(|number| number as i32),
        offset: record["offset"].as_i64(),
        timestamp: record["timestamp"].as_i64(),
        plain: plain(record),
    }
}

/// What the arguments of `kcat -C` say of its output.
fn kcat_format(args: &[&str]) -> Option<(String, bool)> {
    let nulls = args.contains(&"-Z");
    if args.contains(&"-J") {
        return None;
    }
    if let Some(format) = option(args, "-f") {
        return Some((format.to_owned(), nulls));
    }
    let delimiter = option(args, "-D").unwrap_or("\\n");
    Some(match option(args, "-K") {
        Some(key) => (format!("%k{key}%s{delimiter}"), nulls),
        None => (format!("%s{delimiter}"), nulls),
    })
}

/// What kcat printed, of which records, of which topic; none where another folder has none of it.
fn consumed() -> Option<(Vec<Value>, Vec<Placed>, String, Cluster)> {
    let text = recorded::file_text("kcat/consume.json")?;
    let outputs: Vec<Value> = serde_json::from_str(&text).unwrap();
    let recorded: Vec<Placed> = lines("kcat/records.ndjson").iter().map(placed).collect();
    let topic = option(&args(&outputs[0]["args"]), "-t").unwrap().to_owned();
    let partitions = recorded.iter().filter_map(|record| record.partition).max().unwrap() + 1;
    let mut cluster = Cluster::with_brokers(7, [1]);
    cluster.apply(&Command::create_topic(&topic, partitions), NOW).unwrap();
    cluster.apply(&sending(&topic, &recorded, NOW), NOW).unwrap();
    let ours = records(&cluster, &topic);
    let mut theirs = recorded.clone();
    theirs.sort_by_key(|record| (record.partition, record.offset));
    assert_eq!(ours, theirs, "the topic is the recorded one");
    Some((outputs, recorded, topic, cluster))
}

#[wasm_bindgen_test(unsupported = test)]
fn a_topic_is_printed_as_kcat_prints_it() {
    let Some((outputs, _, topic, cluster)) = consumed() else { return };
    let mut tally = Tally::default();
    for output in &outputs {
        let file = output["file"].as_str().unwrap();
        let args = args(&output["args"]);
        let scope = match option(&args, "-p") {
            Some(partition) => ExportScope::Partition { partition: partition.parse().unwrap() },
            None => ExportScope::Topic,
        };
        let in_any_order = scope == ExportScope::Topic;
        let format = match kcat_format(&args) {
            None => ExportFormat::KcatJson,
            Some((format, nulls)) => ExportFormat::KcatText { format, nulls },
        };
        let mut ours = export(&cluster, &topic, scope, format);
        let mut theirs = recorded::bytes(&format!("kcat/{file}")).unwrap();
        if in_any_order {
            let sorted = |file: &[u8]| {
                let mut lines: Vec<_> = file.split_inclusive(|&byte| byte == b'\n').collect();
                lines.sort_unstable();
                lines.concat()
            };
            (ours, theirs) = (sorted(&ours), sorted(&theirs));
        }
        tally.compare(
            file,
            String::from_utf8_lossy(&ours).into_owned(),
            String::from_utf8_lossy(&theirs).into_owned(),
        );
        assert_eq!(ours, theirs, "{file}");
    }
    tally.finish("kcat/consume.json, out", outputs.len());
}

#[wasm_bindgen_test(unsupported = test)]
fn what_kcat_printed_comes_in_as_what_it_was() {
    let Some((outputs, recorded, _, _)) = consumed() else { return };
    let mut tally = Tally::default();
    let mut count = 0;
    for output in &outputs {
        let name = output["file"].as_str().unwrap();
        let file = recorded::bytes(&format!("kcat/{name}")).unwrap();
        let args = args(&output["args"]);
        let mut wanted = recorded.clone();
        if let Some(partition) = option(&args, "-p") {
            let partition = partition.parse().ok();
            wanted.retain(|record| record.partition == partition);
        }
        wanted.sort_by_key(|record| (record.partition, record.offset));
        count += wanted.len();
        let Some((format, nulls)) = kcat_format(&args) else {
            let mut ours = decode_all(&FileFormat::KcatJson, &file);
            ours.sort_by_key(|record| (record.partition, record.offset));
            assert_eq!(ours.len(), wanted.len(), "{name}");
            for (ours, wanted) in ours.into_iter().zip(wanted) {
                tally.compare((name, wanted.offset), ours, wanted);
            }
            continue;
        };
        let text = KcatText { format: format.clone(), nulls, empty_is_none: false };
        KcatTextDecoder::new(&text).unwrap();
        let ours = decode(&FileFormat::KcatText(text), &file, usize::MAX);
        let whole: Vec<_> = ours.into_iter().map(Result::unwrap).collect();
        // What the text cannot tell: how many records one looks like, and why.
        let told = format.contains("%S") || format.contains("%R");
        let delimiter = format.split_once("%k").and_then(|(_, rest)| rest.split("%s").next());
        let delimiter = delimiter.filter(|_| !format.contains("%K")).unwrap_or_default();
        let delimiter = delimiter.replace("\\t", "\t").replace("\\x1f", "\x1f");
        let ambiguous = |record: &Placed| -> (usize, Option<&str>) {
            let has = |part: &[u8]| String::from_utf8_lossy(part).contains(&delimiter);
            let value = record.plain.value.as_deref().unwrap_or_default();
            let lines = value.split(|&byte| byte == b'\n').skip(1).filter(|line| has(line)).count();
            let plain = format.starts_with("%s") || format.starts_with("%k");
            if plain && !told && format.ends_with("\\n") && lines > 0 {
                return (lines, Some("a line of its value looks like a record of its own"));
            }
            if !delimiter.is_empty() && record.plain.key.as_deref().is_some_and(has) {
                return (0, Some("the delimiter is in the key: the first one splits"));
            }
            (0, None)
        };
        let more: usize = wanted.iter().map(|one| ambiguous(one).0).sum();
        assert_eq!(whole.len(), wanted.len() + more, "{name}");
        let mut ours = whole.into_iter();
        for wanted in wanted {
            let one = ours.next().unwrap();
            if let (more, Some(why)) = ambiguous(&wanted) {
                ours.by_ref().take(more).for_each(drop);
                tally.skip(format!("{name}: {why}"));
                continue;
            }
            tally.compare((name, wanted.offset), one, as_printed(&format, nulls, wanted));
        }
    }
    tally.finish("kcat/out-*, in", count);
}

/// What of a record a format shows: the rule that is stated with it.
fn as_printed(format: &str, nulls: bool, record: Placed) -> Placed {
    let shown = |part: Option<Vec<u8>>, token: &str, lengths: &[&str]| {
        if !format.contains(token) || lengths.iter().any(|length| format.contains(length)) {
            return part.filter(|_| format.contains(token));
        }
        let text = part.unwrap_or_default();
        (!nulls || !(text.is_empty() || text == b"NULL")).then_some(text)
    };
    Placed {
        partition: record.partition.filter(|_| format.contains("%p")),
        offset: record.offset.filter(|_| format.contains("%o")),
        timestamp: record.timestamp.filter(|_| format.contains("%T")),
        plain: Plain {
            key: shown(record.plain.key, "%k", &["%K"]),
            value: shown(record.plain.value, "%s", &["%S", "%R"]),
            headers: if format.contains("%h") { record.plain.headers } else { Vec::new() },
        },
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn lines_are_read_as_kcat_reads_them() {
    let cases = lines("kcat/produce.ndjson");
    let mut tally = Tally::default();
    for case in &cases {
        let args = args(&case["args"]);
        let header = |at: &usize| args.get(at + 1).map(|&header| header.to_owned());
        let options = KcatLines {
            key_delimiter: option(&args, "-K").map(str::to_owned),
            delimiter: option(&args, "-D").map(str::to_owned),
            nulls: args.contains(&"-Z"),
            key: option(&args, "-k").map(str::to_owned),
            headers: (0..args.len())
                .filter(|&at| args[at] == "-H")
                .filter_map(|at| header(&at))
                .collect(),
        };
        let theirs: Vec<Plain> = case["records"].as_array().unwrap().iter().map(plain).collect();
        let stderr = case["stderr"].as_str().unwrap();
        let input = hex(&case["stdin_hex"]).unwrap();
        match options.decoder() {
            Err(error) => {
                tally.compare(&args, format!("% ERROR: {}\n", error.message()), stderr.to_owned());
            }
            Ok(_) => {
                assert_eq!(stderr, "", "{args:?}");
                let ours = decode_all(&FileFormat::KcatLines(options), &input);
                let ours: Vec<Plain> = ours.into_iter().map(|one| one.plain).collect();
                tally.compare(&args, ours, theirs);
            }
        }
    }
    tally.finish("kcat/produce.ndjson", cases.len());
}

/// The properties that the arguments of a console tool set; none if both forms are used.
fn properties(case: &Value, kind: &str) -> Option<Properties> {
    let args = args(&case["command"]["args"]);
    let mut properties = Properties::new();
    let (mut old, mut new) = (false, false);
    for pair in args.windows(2) {
        let (flag, given) = (pair[0], pair[1]);
        if flag == format!("--{kind}-config") {
            let name =
                given.strip_prefix("<file:").and_then(|name| name.strip_suffix('>')).unwrap();
            let text = case["command"]["files"][name].as_str().unwrap();
            for line in text.lines() {
                let (name, value) = line.split_once('=').unwrap();
                properties.insert(name.to_owned(), value.replace("\\:", ":"));
            }
        }
        old |= flag == "--property";
        new |= flag == format!("--{kind}-property");
        if flag == "--property" || flag == format!("--{kind}-property") {
            let (name, value) = given.split_once('=').unwrap_or((given, ""));
            properties.insert(name.to_owned(), value.to_owned());
        }
        for which in ["key", "value"] {
            if flag == format!("--{which}-deserializer") {
                properties.insert(format!("{which}.deserializer"), given.to_owned());
            }
        }
    }
    (!(old && new)).then_some(properties)
}

/// A session with the topics of a case.
fn state(case: &Value) -> Session {
    let mut session = Session::new(7);
    for topic in case["state"]["topics"].as_array().unwrap() {
        let name = topic["name"].as_str().unwrap();
        let configs = topic["configs"].as_object();
        let configs: BTreeMap<String, String> = configs
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
            .collect();
        let create = Command::CreateTopic {
            name: name.to_owned(),
            partitions: topic["partitions"].as_i64().map(|count| count as i32),
            replication_factor: None,
            configs,
        };
        session.apply(create, NOW).unwrap();
        let batches = topic["batches"].as_array().into_iter().flatten();
        let of_batches = batches.flat_map(|batch| batch["records"].as_array().unwrap());
        let of_topic = topic["records"].as_array().into_iter().flatten();
        for record in of_batches.chain(of_topic) {
            let record = Placed { partition: Some(0), ..placed(record) };
            session.apply(sending(name, &[record], NOW), NOW).unwrap();
        }
        for start in topic["log_start_offsets"].as_array().into_iter().flatten() {
            let delete = Command::DeleteRecords {
                topic: name.to_owned(),
                partition: start["partition"].as_i64().unwrap() as i32,
                before: start["offset"].as_i64().unwrap(),
            };
            session.apply(delete, NOW).unwrap();
        }
    }
    session
}

#[wasm_bindgen_test(unsupported = test)]
fn lines_are_read_as_the_console_producer_reads_them() {
    let cases = lines("cli/console-producer.ndjson");
    let mut tally = Tally::default();
    for case in &cases {
        let name = case["case"].as_str().unwrap();
        let Some(properties) = properties(case, "reader") else {
            tally.skip("both forms of properties at once: a matter of the tool's own options");
            continue;
        };
        let input = hex(&case["command"]["stdin_hex"])
            .unwrap_or_else(|| case["command"]["stdin"].as_str().unwrap().as_bytes().to_vec());
        let Some(after) = case["records_after"].as_array() else {
            tally.skip("there is no such topic: the time that the tool waits is its own");
            continue;
        };
        let theirs: Vec<Plain> = after.iter().map(plain).collect();
        let stderr = case["stderr"].as_str().unwrap();
        let mut session = state(case);
        let format = FileFormat::ConsoleProducer { properties };
        let spec = ImportSpec::new("in", format.clone());
        if let Err(error) = session.begin_import(spec.clone(), NOW) {
            let said = format!("{}: {}\n", error.name(), error.message());
            assert!(theirs.is_empty(), "{name}");
            tally.compare(name, said, without_package(stderr));
            continue;
        }
        session.cancel().unwrap();
        let stops = case["exit_code"] == 1;
        let failed = crate::files::import(&mut session, spec, &input, 3, NOW);
        let mut ours: Vec<Plain> =
            records(session.cluster(), "in").into_iter().map(|one| one.plain).collect();
        if !stops {
            tally.compare(name, ours, theirs);
        } else if failed.refusals.is_empty() {
            // The broker's refusal: the tool waits for each (--sync) and stops at the first.
            ours.truncate(theirs.len());
            tally.compare(name, ours, theirs);
        } else {
            // The tool stops at the first line that it cannot take; here the others follow.
            let found = decode(&format, &input, usize::MAX);
            let before: Vec<Plain> =
                found.into_iter().map_while(|one| one.ok().map(|one| one.plain)).collect();
            let said = format!("KafkaException: {}\n", failed.refusals[0].reason);
            tally.compare(name, (before, said), (theirs, without_package(stderr)));
        }
    }
    tally.finish("cli/console-producer.ndjson", cases.len());
}

/// `org.apache.kafka.common.KafkaException: …` without the package.
fn without_package(stderr: &str) -> String {
    let (class, said) = stderr.split_once(": ").unwrap();
    format!("{}: {said}", class.rsplit('.').next().unwrap())
}

#[wasm_bindgen_test(unsupported = test)]
fn records_are_printed_as_the_console_consumer_prints_them() {
    let cases = lines("cli/console-consumer.ndjson");
    let mut tally = Tally::default();
    for case in &cases {
        let name = case["case"].as_str().unwrap();
        let args = args(&case["command"]["args"]);
        let value = |flag: &str| {
            let at = args.iter().position(|arg| *arg == flag)?;
            args.get(at + 1).copied()
        };
        let Some(properties) = properties(case, "formatter") else {
            tally.skip("both forms of properties at once: a matter of the tool's own options");
            continue;
        };
        if let Some(class) = value("--formatter").filter(|class| !class.contains("Logging")) {
            let class = class.rsplit('.').next().unwrap_or_default();
            tally.skip(format!("{class} is another formatter"));
            continue;
        }
        if properties.values().any(|value| value.ends_with(".LongDeserializer")) {
            tally.skip("LongDeserializer prints numbers; an export writes bytes or text");
            continue;
        }
        let session = state(case);
        let log = &session.cluster().topic("out").unwrap().partitions[0].log;
        let (start, end) = (log.log_start_offset(), log.log_end_offset());
        let from_beginning = args.contains(&"--from-beginning")
            || args.contains(&"auto.offset.reset=earliest")
            || value("--offset") == Some("earliest");
        let from = match value("--offset").and_then(|offset| offset.parse().ok()) {
            Some(offset) if (start..=end).contains(&offset) => offset,
            _ if from_beginning => start,
            _ => end,
        };
        let most = value("--max-messages").map_or(i64::MAX, |most| most.parse().unwrap());
        let to = from.saturating_add(most).min(end);
        let scope = ExportScope::Range { partition: 0, from, to };
        let format = ExportFormat::ConsoleConsumer { properties };
        let ours = export(session.cluster(), "out", scope, format);
        let theirs = hex(&case["stdout_hex"])
            .unwrap_or_else(|| case["stdout"].as_str().unwrap().as_bytes().to_vec());
        let theirs = match theirs.strip_prefix(b"Option --") {
            // What the tool says of deprecated options comes first, on a line of its own.
            Some(rest) => rest.split_at(rest.iter().position(|&byte| byte == b'\n').unwrap() + 1).1,
            None => &theirs,
        };
        let text = |file: &[u8]| String::from_utf8_lossy(file).replace("<now>", &NOW.to_string());
        assert_eq!(
            ours == theirs,
            text(&ours) == text(theirs) && !text(theirs).contains(&NOW.to_string()),
            "{name}"
        );
        tally.compare(name, text(&ours), text(theirs));
    }
    tally.finish("cli/console-consumer.ndjson", cases.len());
}

/// What the text shows of a record, by the rule that is stated with it.
fn as_console_text(properties: &Properties, record: Placed) -> Placed {
    let on = |name: &str| {
        properties.get(name).is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
    };
    let literal = properties.get("null.literal").map_or("null", String::as_str).as_bytes();
    let shown = |part: Option<Vec<u8>>| part.filter(|part| part != literal);
    Placed {
        partition: record.partition.filter(|_| on("print.partition")),
        offset: record.offset.filter(|_| on("print.offset")),
        timestamp: record.timestamp.filter(|_| on("print.timestamp")),
        plain: Plain {
            key: shown(record.plain.key).filter(|_| on("print.key")),
            value: shown(record.plain.value),
            headers: match on("print.headers") {
                true => record.plain.headers.into_iter().map(|(k, v)| (k, shown(v))).collect(),
                false => Vec::new(),
            },
        },
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn what_the_console_consumer_printed_comes_in_as_what_it_was() {
    let cases = lines("cli/console-consumer.ndjson");
    let mut tally = Tally::default();
    for case in &cases {
        let args = args(&case["command"]["args"]);
        let text = hex(&case["stdout_hex"])
            .unwrap_or_else(|| case["stdout"].as_str().unwrap().as_bytes().to_vec());
        let Some(properties) = properties(case, "formatter") else {
            tally.skip("both forms of properties at once: nothing is printed");
            continue;
        };
        let on = |name: &str| {
            properties.get(name).is_some_and(|v| v.trim().eq_ignore_ascii_case("true"))
        };
        let columns = ["timestamp", "partition", "offset", "delivery", "epoch", "headers", "key"];
        let separator = properties.get("key.separator").map_or("\t", String::as_str);
        if properties.values().any(|value| value.contains("Deserializer")) {
            tally.skip("a deserializer has changed the bytes");
        } else if !columns.iter().any(|column| on(&format!("print.{column}"))) {
            tally.skip("values alone are printed: each line is one");
        } else if separator.is_empty() {
            tally.skip("an empty separator parts nothing");
        } else if properties.contains_key("print.value") {
            tally.skip("no value is printed");
        } else if args.contains(&"--formatter") || text.starts_with(b"Option --") {
            tally.skip("another formatter, or words of the tool before the first record");
        } else if case["stdout"].as_str().is_some_and(|text| text.contains("<now>")) {
            tally.skip("the time of the recording is left out");
        } else {
            let session = state(case);
            let printed = records(session.cluster(), "out");
            let format =
                FileFormat::ConsoleConsumer { properties: properties.clone(), nulls: true };
            let ours = decode_all(&format, &text);
            // Fewer where the tool began later or stopped earlier.
            let skipped = match ours.first().and_then(|first| first.offset) {
                Some(first) => printed.iter().filter(|one| one.offset < Some(first)).count(),
                None => 0,
            };
            let unclear = |record: &Placed| {
                let key = record.plain.key.as_deref().unwrap_or_default();
                on("print.key") && String::from_utf8_lossy(key).contains(separator)
            };
            let wanted: Vec<_> = printed.into_iter().skip(skipped).take(ours.len()).collect();
            let clear = |list: Vec<Placed>| -> Vec<Placed> {
                let pairs = list.into_iter().zip(&wanted);
                pairs.filter(|(_, wanted)| !unclear(wanted)).map(|(one, _)| one).collect()
            };
            let theirs = wanted.iter().cloned().map(|one| as_console_text(&properties, one));
            tally.compare(&case["case"], clear(ours), clear(theirs.collect()));
        }
    }
    tally.finish("cli/console-consumer.ndjson, in", cases.len());
}
