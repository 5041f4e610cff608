//! Explicit partitions, what a producer refuses, and how large a record and a batch may be:
//! explicit.ndjson, one test a kind of line.

use std::collections::BTreeMap;

use loglanes::log::{BatchBuilder, Header, LogConfig, NewRecord, PartitionLog};
use loglanes::producer::{Appended, MAX_REQUEST_SIZE, Memory, ProducerConfig, RecordAccumulator};
use loglanes::{
    Bytes, Cluster, Command, Error, ErrorCode, Outcome, OwnedHeader, Produce, RecordSet, Refusal,
};
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::recorded::{Tally, hex, lines, number, numbers};

const NOW: i64 = 1_700_000_000_000;

fn lines_of(kind: &str) -> Vec<Value> {
    let mut lines = lines("placement/explicit.ndjson");
    lines.retain(|line| line["kind"] == kind);
    lines
}

fn headers_of(line: &Value) -> Vec<OwnedHeader> {
    let headers = line["headers"].as_array().unwrap();
    headers
        .iter()
        .map(|header| OwnedHeader {
            key: hex(&header["key_hex"]).unwrap().into(),
            value: hex(&header["value_hex"]).map(Bytes::from),
        })
        .collect()
}

/// Works with the line's record (key, headers, time) and a value of so many bytes.
fn with_record<T>(line: &Value, value: Option<usize>, work: impl FnOnce(&NewRecord<'_>) -> T) -> T {
    let key = hex(&line["key_hex"]);
    let value = value.map(|bytes| vec![b'v'; bytes]);
    let headers = headers_of(line);
    let headers: Vec<Header<'_>> = headers
        .iter()
        .map(|header| Header { key: &header.key, value: header.value.as_deref() })
        .collect();
    work(&NewRecord {
        timestamp: NOW,
        key: key.as_deref(),
        value: value.as_deref(),
        headers: &headers,
    })
}

/// The exception that a Java application sees, without its package, and its text.
type Thrown = (String, String);

fn thrown(error: &Error) -> Thrown {
    let name = match error.refusal() {
        Refusal::Broker(code) => code.exception(),
        Refusal::Client { exception, .. } => exception,
        other => panic!("neither broker nor client: {other:?}"),
    };
    (name.to_owned(), error.message().to_owned())
}

fn recorded_exception(line: &Value) -> Option<Thrown> {
    let class = line["exception"].as_str()?.rsplit('.').next()?;
    // The recording did not wait a minute for what is not there.
    let message = line["message"].as_str()?.replace("after 300 ms.", "after 60000 ms.");
    Some((class.to_owned(), message))
}

#[wasm_bindgen_test(unsupported = test)]
fn every_kind_of_line_has_its_test_or_a_reason() {
    for line in lines("placement/explicit.ndjson") {
        match line["kind"].as_str().unwrap() {
            "producer_record" | "record_header" | "send" => {}
            "max_request_size" | "smallest_max_request_size" | "buffer_memory" => {}
            "batch_size" | "max_message_bytes" | "split" => {}
            // A producer here is never closed, and keys are bytes: neither can be said.
            "send_after_close" | "wrong_key_class" => {}
            kind => panic!("no test for {kind}"),
        }
    }
}

/// A cluster as the recording found it.
fn cluster() -> Cluster {
    let mut cluster = Cluster::new(1);
    for topic in ["pl-explicit", "t"] {
        cluster.apply(&Command::create_topic(topic, 3), NOW).unwrap();
    }
    cluster
}

#[wasm_bindgen_test(unsupported = test)]
fn what_a_record_cannot_be_made_of_is_refused_first() {
    let lines = lines_of("producer_record");
    let mut tally = Tally::default();
    for line in &lines {
        let Some(topic) = line["topic"].as_str() else {
            tally.skip("no topic at all, which a command cannot say");
            continue;
        };
        let timestamp = match &line["timestamp"] {
            Value::String(text) => Some(text.parse().unwrap()),
            other => other.as_i64(),
        };
        let record = Produce {
            topic: topic.to_owned(),
            partition: line["partition"].as_i64().map(|number| number.try_into().unwrap()),
            timestamp,
            ..Produce::default()
        };
        // Whatever comes later, of the topic or of the broker, is no matter of the record.
        let ours = cluster().apply(&Command::Produce(record), NOW).err();
        let ours = ours
            .as_ref()
            .filter(|error| matches!(error.refusal(), Refusal::Client { code: None, .. }));
        tally.compare(line, ours.map(thrown), recorded_exception(line));
    }
    tally.finish("placement/explicit.ndjson, producer_record", lines.len());
}

#[wasm_bindgen_test(unsupported = test)]
fn a_header_may_have_an_empty_name() {
    let lines = lines_of("record_header");
    let mut tally = Tally::default();
    for line in &lines {
        let Some(key) = line["header_key"].as_str() else {
            tally.skip("a header without a name, which a command cannot say");
            continue;
        };
        let header = OwnedHeader { key: key.as_bytes().into(), value: None };
        let record = Produce { topic: "t".to_owned(), headers: vec![header], ..Produce::default() };
        let ours = cluster().apply(&Command::Produce(record), NOW).err();
        tally.compare(line, ours.as_ref().map(thrown), recorded_exception(line));
    }
    tally.finish("placement/explicit.ndjson, record_header", lines.len());
}

#[wasm_bindgen_test(unsupported = test)]
fn a_send_goes_where_it_was_told_or_is_refused_in_kafka_s_words() {
    let lines = lines_of("send");
    let mut tally = Tally::default();
    for line in &lines {
        let config = &line["config"];
        if config.get("partitioner.class").is_some() {
            tally.skip("a partitioner of the application's own");
            continue;
        }
        if config["max.block.ms"] == "0" {
            tally.skip("max.block.ms=0, which Loglanes does not model");
            continue;
        }
        let ignores_keys = config["partitioner.ignore.keys"] == "true";
        let record = Produce {
            producer: None,
            topic: line["topic"].as_str().unwrap().to_owned(),
            partitioner: ignores_keys.then(|| "java/ignore_keys".to_owned()),
            partition: line["partition"].as_i64().map(|number| number.try_into().unwrap()),
            timestamp: Some(NOW),
            key: hex(&line["key_hex"]).map(Bytes::from),
            value: hex(&line["value_hex"]).map(Bytes::from),
            headers: Vec::new(),
        };
        let before = cluster();
        let mut after = before.clone();
        let ours = match after.apply(&Command::Produce(record), NOW) {
            Ok(Outcome::Produced { partition, timestamp, .. }) => Ok((partition, timestamp)),
            Ok(other) => panic!("{other:?}"),
            Err(error) => {
                assert!(before == after, "refused, and yet something changed: {line}");
                Err(thrown(&error))
            }
        };
        let recorded = match recorded_exception(line) {
            Some(exception) => Err(exception),
            None => {
                Ok((number(&line["result_partition"]), line["result_timestamp"].as_f64().unwrap()))
            }
        };
        tally.compare(line, ours, recorded);
    }
    tally.finish("placement/explicit.ndjson, send", lines.len());
}

/// A producer with one partition, and what has left it: records and bytes of each batch.
struct Producer {
    accumulator: RecordAccumulator,
    memory: Memory,
    taken: Vec<(usize, usize)>,
}

impl Producer {
    fn new(config: ProducerConfig) -> Self {
        Self {
            accumulator: RecordAccumulator::new(config, "t", 1),
            memory: Memory::new(&config, &mut || 0),
            taken: Vec::new(),
        }
    }

    fn send(&mut self, record: &NewRecord<'_>) -> Result<Appended, Error> {
        let Self { accumulator, memory, taken } = self;
        accumulator.append(record, Some(0), memory, &mut || 0, &mut |_, batch| {
            taken.push((batch.count(), batch.len()));
        })
    }

    fn flush(mut self) -> Vec<(usize, usize)> {
        let Self { accumulator, taken, .. } = &mut self;
        accumulator.flush(&mut |_, batch| taken.push((batch.count(), batch.len())));
        self.taken
    }
}

fn refusal_of(config: ProducerConfig, line: &Value, value: Option<usize>) -> Option<Thrown> {
    with_record(line, value, |record| Producer::new(config).send(record)).err().as_ref().map(thrown)
}

#[wasm_bindgen_test(unsupported = test)]
fn a_record_is_as_large_as_max_request_size_allows() {
    let lines = lines_of("max_request_size");
    let mut tally = Tally::default();
    for line in &lines {
        let config = ProducerConfig {
            max_request_size: number(&line["max_request_size"]),
            ..ProducerConfig::default()
        };
        let largest = line["largest_value_bytes_accepted"].as_u64().map(|bytes| bytes as usize);
        let at_limit = largest.and_then(|bytes| refusal_of(config, line, Some(bytes)));
        let above = refusal_of(config, line, Some(largest.map_or(0, |bytes| bytes + 1)));
        let recorded = recorded_exception(&line["one_byte_above"]);
        tally.compare(line, (at_limit, above), (None, recorded));
    }
    tally.finish("placement/explicit.ndjson, max_request_size", lines.len());
}

#[wasm_bindgen_test(unsupported = test)]
fn max_request_size_counts_the_upper_estimate_of_a_record() {
    let lines = lines_of("smallest_max_request_size");
    let mut tally = Tally::default();
    for line in &lines {
        let value = line["value_bytes"].as_u64().map(|bytes| bytes as usize);
        let passes = |max_request_size| {
            let config = ProducerConfig { max_request_size, ..ProducerConfig::default() };
            refusal_of(config, line, value).is_none()
        };
        let smallest = number(&line["smallest_max_request_size"]);
        tally.compare(line, (passes(smallest - 1), passes(smallest)), (false, true));
    }
    tally.finish("placement/explicit.ndjson, smallest_max_request_size", lines.len());
}

#[wasm_bindgen_test(unsupported = test)]
fn a_record_and_a_batch_fit_into_buffer_memory() {
    let lines = lines_of("buffer_memory");
    let mut tally = Tally::default();
    for line in &lines {
        let config = ProducerConfig {
            buffer_memory: number(&line["buffer_memory"]),
            batch_size: number(&line["batch_size"]),
            max_request_size: number(&line["max_request_size"]),
            ..ProducerConfig::default()
        };
        let refusal = |bytes| {
            let value = vec![b'v'; bytes];
            let record = NewRecord { timestamp: NOW, key: None, value: Some(&value), headers: &[] };
            Producer::new(config).send(&record).err().as_ref().map(thrown)
        };
        let largest = line["largest_value_bytes_accepted"].as_u64().map(|bytes| bytes as usize);
        let ours =
            (refusal(0), largest.and_then(refusal), largest.and_then(|bytes| refusal(bytes + 1)));
        let recorded = (
            recorded_exception(&line["value_of_0_bytes"]),
            None,
            line.get("one_byte_above").and_then(recorded_exception),
        );
        tally.compare(line, ours, recorded);
    }
    tally.finish("placement/explicit.ndjson, buffer_memory", lines.len());
}

#[wasm_bindgen_test(unsupported = test)]
fn a_second_record_joins_a_batch_as_recorded() {
    let lines = lines_of("batch_size");
    let mut tally = Tally::default();
    for line in &lines {
        let config =
            ProducerConfig { batch_size: number(&line["batch_size"]), ..ProducerConfig::default() };
        let second =
            line["largest_second_value_in_same_batch"].as_u64().map(|bytes| bytes as usize);
        // The batches after the first record and another one of so many bytes.
        let batches = |second: Option<usize>| {
            let mut producer = Producer::new(config);
            let first = number(&line["first_value_bytes"]);
            with_record(line, Some(first), |record| producer.send(record)).unwrap();
            if second.is_some() {
                with_record(line, second, |record| producer.send(record)).unwrap();
            }
            producer.flush()
        };
        let first: usize = number(&line["first_batch_bytes"]);
        let alone = batches(None);
        let joined = second.map(|bytes| batches(Some(bytes)));
        let parted = batches(Some(second.map_or(0, |bytes| bytes + 1)));
        let both = second.map(|_| vec![(2, number(&line["batch_bytes_then"]))]);
        let ours = (alone, joined, parted.first().copied(), parted.len());
        tally.compare(line, ours, (vec![(1, first)], both, Some((1, first)), 2));
    }
    tally.finish("placement/explicit.ndjson, batch_size", lines.len());
}

#[wasm_bindgen_test(unsupported = test)]
fn a_batch_knows_when_it_is_full() {
    let lines = lines_of("batch_size");
    let mut tally = Tally::default();
    for line in &lines {
        // The recording made its accumulators with max(1, batch.size).
        let batch_size = number::<i64>(&line["batch_size"]).max(1) as usize;
        let mut batch = BatchBuilder::new();
        with_record(line, Some(number(&line["first_value_bytes"])), |one| batch.append(one))
            .unwrap();
        let at_once = batch.is_full(batch_size);
        let then = line["largest_second_value_in_same_batch"].as_u64().map(|bytes| {
            with_record(line, Some(bytes as usize), |one| batch.append(one)).unwrap();
            batch.is_full(batch_size)
        });
        let recorded = (
            line["first_batch_full_at_once"].as_bool().unwrap(),
            line["batch_full_then"].as_bool(),
        );
        tally.compare(line, (at_once, then), recorded);
    }
    tally.finish("placement/explicit.ndjson, batch_size (full)", lines.len());
}

/// A topic of one partition with that `max.message.bytes`.
fn topic_with_max_message_bytes(bytes: i64) -> Cluster {
    let mut cluster = Cluster::new(1);
    let configs = BTreeMap::from([("max.message.bytes".to_owned(), bytes.to_string())]);
    let create = Command::CreateTopic {
        name: "t".to_owned(),
        partitions: Some(1),
        replication_factor: None,
        configs,
    };
    cluster.apply(&create, NOW).unwrap();
    cluster
}

#[wasm_bindgen_test(unsupported = test)]
fn a_broker_takes_batches_up_to_max_message_bytes() {
    let lines = lines_of("max_message_bytes");
    let mut tally = Tally::default();
    for line in &lines {
        let max_message_bytes: i32 = number(&line["max_message_bytes"]);
        // The bytes of the batch, and what the log and a producer say to a value of so many bytes.
        let send = |bytes: usize| {
            let config = LogConfig { max_message_bytes, ..LogConfig::default() };
            let mut log = PartitionLog::new(config, NOW);
            let mut batch = BatchBuilder::new();
            with_record(line, Some(bytes), |record| batch.append(record)).unwrap();
            let code = log.append_batch(&mut batch, NOW).err().and_then(|error| error.code());
            let record = Produce {
                topic: "t".to_owned(),
                timestamp: Some(NOW),
                key: hex(&line["key_hex"]).map(Bytes::from),
                value: Some(vec![b'v'; bytes].into()),
                headers: headers_of(line),
                ..Produce::default()
            };
            // The recording raised the producer's own limit, which a command cannot.
            let size = with_record(line, Some(bytes), |one| one.size_upper_bound());
            let told = (size <= MAX_REQUEST_SIZE).then(|| {
                let mut cluster = topic_with_max_message_bytes(max_message_bytes.into());
                cluster.apply(&Command::Produce(record), NOW).err().as_ref().map(thrown)
            });
            (batch.len(), code.unwrap_or(0), told)
        };
        let told = |ours: &Option<Option<Thrown>>, recorded| ours.as_ref().map(|_| recorded);
        let accepted = line["largest_value_bytes_accepted"].as_u64().map(|bytes| {
            let ours = send(bytes as usize);
            let recorded = (number(&line["batch_bytes"]), 0, told(&ours.2, None));
            (ours, recorded)
        });
        let (accepted, recorded_accepted) = accepted.unzip();
        let refused = send(number(&line["refused_value_bytes"]));
        let recorded_refused = (
            number(&line["refused_batch_bytes"]),
            number(&line["broker_answer"]["error_code"]),
            told(&refused.2, recorded_exception(&line["producer_one_byte_above"])),
        );
        tally.compare(line, (accepted, refused), (recorded_accepted, recorded_refused));
    }
    tally.finish("placement/explicit.ndjson, max_message_bytes", lines.len());
}

/// Sends values of these sizes in one batch.
fn send_at_once(line: &Value) -> (Cluster, Outcome) {
    let mut records = RecordSet::builder();
    for (at, size) in numbers::<usize>(&line["value_bytes"]).into_iter().enumerate() {
        let value = vec![at as u8; size];
        let record = NewRecord { timestamp: NOW, key: None, value: Some(&value), headers: &[] };
        records.push(&record).unwrap();
    }
    let mut cluster = topic_with_max_message_bytes(number(&line["max_message_bytes"]));
    let (topic, records) = ("t".to_owned(), records.finish());
    let command = Command::ProduceMany { topic, producer: None, partitioner: None, records };
    let outcome = cluster.apply(&command, NOW).unwrap();
    (cluster, outcome)
}

/// Size and offset of each record that is in the log, in order; and each batch there: its base
/// offset, records and bytes.
type Stored = (Vec<(usize, i64)>, Vec<(i64, i32, usize)>);

fn stored(cluster: &Cluster) -> Stored {
    let log = &cluster.topic("t").unwrap().partition(0).unwrap().log;
    let records = log.records_from(0).map(|one| (one.value.unwrap().len(), one.offset)).collect();
    let batches = log
        .batches_from(0)
        .map(|batch| {
            let header = batch.header();
            (header.base_offset, header.record_count, batch.bytes().len())
        })
        .collect();
    (records, batches)
}

fn recorded_records(line: &Value) -> Vec<(usize, i64)> {
    let sizes = numbers::<usize>(&line["value_bytes"]);
    let records = sizes.into_iter().zip(line["records"].as_array().unwrap());
    records.filter_map(|(size, one)| Some((size, one["offset"].as_i64()?))).collect()
}

fn counts(outcome: &Outcome) -> (f64, f64) {
    match outcome {
        Outcome::ProducedMany { records, refused, .. } => (*records, *refused),
        other => panic!("{other:?}"),
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_batch_that_is_too_large_is_split_until_only_large_records_fail() {
    let lines = lines_of("split");
    let mut tally = Tally::default();
    for line in &lines {
        let (cluster, outcome) = send_at_once(line);
        let recorded = recorded_records(line);
        let refused = line["records"].as_array().unwrap().len() - recorded.len();
        let expected = (recorded.len() as f64, refused as f64);
        tally.compare(line, (stored(&cluster).0, counts(&outcome)), (recorded, expected));
        for one in line["records"].as_array().unwrap() {
            let recorded = recorded_exception(one);
            let expected = thrown(&Error::code_alone(ErrorCode::MessageTooLarge));
            assert!(recorded.is_none_or(|text| text == expected), "{one}");
        }
    }
    tally.finish("placement/explicit.ndjson, split", lines.len());
}

/// `split.ndjson`: as the kind `split`, with the batches that are then in the log, as
/// `kafka-dump-log.sh` shows them: base offset, records, bytes. Recorded with the Java client and
/// a broker of Kafka 4.4.0, one partition a line, all records in one `flush()`,
/// `delivery.timeout.ms` 6000. `<ms>` stands for a measured time.
#[wasm_bindgen_test(unsupported = test)]
fn the_pieces_of_a_split_batch_are_kafka_s_own() {
    let lines = lines("placement/split.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        let (cluster, outcome) = send_at_once(line);
        let recorded = recorded_records(line);
        let refused = line["records"].as_array().unwrap().len() - recorded.len();
        let batches = line["batches"].as_array().unwrap();
        let batches = batches
            .iter()
            .map(|batch| (number(&batch[0]), number(&batch[1]), number(&batch[2])))
            .collect();
        let expected = ((recorded.clone(), batches), (recorded.len() as f64, refused as f64));
        tally.compare(line, (stored(&cluster), counts(&outcome)), expected);
    }
    tally.finish("placement/split.ndjson", lines.len());
}
