//! Refusals against recorded answers of Apache Kafka 4.4.0: code, name and text of each, and the
//! neighbouring acts that are accepted. What the fields mean: `tests/golden/errors/README.md`.
//!
//! A line is replayed if our commands can say it; all others are left out by kind, and counted.
//! Where Kafka has no code, the name is the Java exception's. The broker was alone, number 1.

mod acts;
mod batches;
mod configs;
mod consumers;
mod producers;
mod refused;
mod requests;
mod sequences;
mod table;
mod three_brokers;
mod tools;

use crate::recorded::{Tally, lines, list, number, text};
use refused::{Refused, refused};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

/// After every timestamp of the data, by enough for none to be too far ahead.
pub const NOW: i64 = 1_750_000_000_000;

/// The recorded answer to a batch. Where a time is out of range, ours is what a Java producer shows of
/// it: the text of that record.
fn expected_of_batch(line: &Value) -> Refused {
    let of_record = |one: &&Value| text(&one["message"]).starts_with("Timestamp ");
    match list(&line["response"]["record_errors"]).iter().find(of_record) {
        Some(first) => {
            let mut line = line.clone();
            line["message"] = first["message"].clone();
            expected(&line)
        }
        None => expected(line),
    }
}

/// Why a line is not replayed.
pub type Skipped = String;

/// The recorded text, with our clock and our names in place of those of the recording.
fn expected_message(line: &Value) -> String {
    told(line, text(&line["message"]))
}

/// The same of any text of a line.
fn told(line: &Value, message: &str) -> String {
    let mut message = message.to_owned();
    if let Some(offsets) = line["act"]["now_offsets_in_message"].as_array() {
        for offset in offsets {
            let offset: i64 = number(offset);
            message = message
                .replace(&format!("<now{offset:+}>"), &NOW.saturating_add(offset).to_string());
        }
    }
    let waited = &line["act"]["producer_config"]["max.block.ms"];
    let waited = waited.as_i64().unwrap_or(1000);
    message
        .replace("<now+7200000>", &(NOW + 7_200_000).to_string())
        .replace(&format!("after {waited} ms."), "after 60000 ms.")
        .replace(&format!("after {waited}ms while"), "after 60000ms while")
        .replace("Timeout of 3000ms", "Timeout of 60000ms")
        .replace("by times in <ms>ms", "by times in 60000ms")
        .replace("Timeout of 1500ms", "Timeout of 60000ms")
        .replace("<host>:<port>", "broker-1:9092")
        // The first that was given out.
        .replace("<producer-id>", "0")
}

fn expected(line: &Value) -> Refused {
    let class = text(&line["exception"]).rsplit(['.', '$']).next().unwrap().to_owned();
    let name = line["name"].as_str().map_or(class, str::to_owned);
    // What the client raised after a broker's answer is still the client's.
    let by = text(&line["refused_by"]).split('_').next().unwrap().to_owned();
    (by, line["code"].as_i64(), name, expected_message(line))
}

#[wasm_bindgen_test(unsupported = test)]
fn what_kafka_refuses_is_refused_in_its_words() {
    let lines = lines("errors/refusals.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        if text(&line["act"]["kind"]) == "produce_many" {
            match acts::prior(line).and_then(|mut cluster| acts::fates(line, &mut cluster)) {
                Ok([ours, recorded]) => tally.compare(&line["case"], ours, recorded),
                Err(reason) => tally.skip(reason),
            }
            continue;
        }
        let replayed = acts::prior(line).and_then(|mut cluster| {
            if text(&line["act"]["kind"]) == "producer_calls" {
                return producers::producer_calls(&line["act"], &mut cluster);
            }
            if text(&line["act"]["kind"]) == "produce_batch" {
                let answer = batches::produce_batch(line, &cluster)?;
                return Ok(answer.map(|answer| answer.to_string()));
            }
            if text(&line["act"]["kind"]) == "requests" {
                let answer = requests::requests(&line["act"], &mut cluster)?;
                return Ok(answer.map(|()| String::new()).map_err(|error| refused(&error)));
            }
            let answer = acts::replay(line, &mut cluster);
            answer.map(|answer| answer.as_ref().map_err(refused).map(Value::to_string))
        });
        match replayed {
            // Why it could not be made is told by the cause, without a code.
            Ok(ours) if line["message"] == "Failed to construct kafka consumer" => {
                let ours = ours.map_err(|(_, _, _, message)| message);
                let recorded = text(&line["causes"][0]["message"]).to_owned();
                tally.compare(&line["case"], ours, Err(recorded));
            }
            Ok(ours) if text(&line["act"]["kind"]) == "produce_batch" => {
                tally.compare(&line["case"], ours, Err(expected_of_batch(line)));
            }
            Ok(ours) if text(&line["act"]["kind"]) == "requests" => {
                let ours = ours.map_err(requests::without_ids);
                tally.compare(&line["case"], ours, Err(requests::without_ids(expected(line))));
            }
            Ok(ours) => tally.compare(&line["case"], ours, Err(expected(line))),
            Err(reason) => tally.skip(reason),
        }
    }
    tally.finish("errors/refusals.ndjson", lines.len());
}

#[wasm_bindgen_test(unsupported = test)]
fn what_kafka_accepts_is_accepted() {
    let lines = lines("errors/accepted.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        let replayed = acts::prior(line).and_then(|mut cluster| {
            if text(&line["act"]["kind"]) == "produce_batch" {
                return batches::produce_batch(line, &cluster);
            }
            if text(&line["act"]["kind"]) == "producer_calls" {
                let answer = producers::producer_calls(&line["act"], &mut cluster)?;
                return Ok(answer.map(|_| json!({})));
            }
            if text(&line["act"]["kind"]) == "requests" {
                // That it is taken; what the answers carry besides is the protocol's.
                let answer = requests::requests(&line["act"], &mut cluster)?;
                return Ok(answer
                    .map(|()| line["result"].clone())
                    .map_err(|error| refused(&error)));
            }
            acts::replay(line, &mut cluster).map(|answer| answer.map_err(|error| refused(&error)))
        });
        match replayed {
            Ok(ours) => {
                let mut recorded = line["result"].clone();
                if let Some(answer) = recorded.as_object_mut() {
                    answer.remove("topic_exists_after");
                    if let Some(Value::String(time)) = answer.get("timestamp") {
                        let time = time.trim_matches(['<', '>']).to_owned();
                        let time = acts::timestamp(&Value::String(time)).unwrap();
                        answer.insert("timestamp".to_owned(), json!(time));
                    }
                }
                if let Some(each) = line["each_record"].as_array() {
                    let (first, last) = (each.first().unwrap(), each.last().unwrap());
                    recorded = json!({"first": first["offset"], "last": last["offset"]});
                }
                if line["act"]["validate_only"] == true
                    && recorded.get("partitions_after").is_some()
                {
                    tally.compare(&line["case"], ours.is_ok(), true);
                    continue;
                }
                tally.compare(&line["case"], ours, Ok(recorded));
            }
            Err(reason) => tally.skip(reason),
        }
    }
    tally.finish("errors/accepted.ndjson", lines.len());
}
