//! Acts on three brokers: `errors/three-brokers.ndjson`. Here brokers never stop, so most of them
//! are left out.

use std::collections::BTreeMap;

use loglanes::Command;
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;

use super::Skipped;
use super::acts::{apply, assigned, prior};
use super::refused::refused;
use crate::recorded::{Tally, lines, list, number, numbers, text};

/// The last request of an act, as ours.
fn command(line: &Value) -> Result<Command, Skipped> {
    if line["prior"].get("stopped_brokers").is_some() {
        return Err("a broker that is down".to_owned());
    }
    let request =
        list(&line["act"]["requests"]).last().ok_or("a batch for a broker that does not lead")?;
    let topic = &request["body"]["topics"][0];
    let rows = list(&topic["assignments"]);
    match text(&request["api"]) {
        "CREATE_TOPICS" if !rows.is_empty() => Ok(Command::CreateAssignedTopic {
            name: text(&topic["name"]).to_owned(),
            assignments: assigned(&topic["assignments"]).unwrap_or_default(),
            configs: BTreeMap::new(),
        }),
        "CREATE_PARTITIONS" if topic["assignments"].is_array() => {
            Ok(Command::CreateAssignedPartitions {
                topic: text(&topic["name"]).to_owned(),
                total: number(&topic["count"]),
                assignments: rows.iter().map(|row| numbers(&row["brokerIds"])).collect(),
            })
        }
        "CREATE_TOPICS" => Ok(Command::CreateTopic {
            name: text(&topic["name"]).to_owned(),
            partitions: Some(number(&topic["numPartitions"])),
            replication_factor: Some(number(&topic["replicationFactor"])),
            configs: list(&topic["configs"])
                .iter()
                .map(|one| (text(&one["name"]).to_owned(), text(&one["value"]).to_owned()))
                .collect(),
        }),
        "CREATE_PARTITIONS" => Ok(Command::CreatePartitions {
            topic: text(&topic["name"]).to_owned(),
            total: number(&topic["count"]),
        }),
        other => Err(format!("no command: {other}")),
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn three_brokers_refuse_as_kafkas_do() {
    let lines = lines("errors/three-brokers.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        let tried = command(line).and_then(|command| Ok(apply(&mut prior(line)?, command)));
        match tried {
            Ok(answer) => {
                let ours = answer.map(|_| ()).map_err(|error| refused(&error));
                let recorded = match line["refused_by"].as_str() {
                    Some(_) => Err(super::expected(line)),
                    None => Ok(()),
                };
                tally.compare(&line["case"], ours, recorded);
            }
            Err(reason) => tally.skip(reason),
        }
    }
    tally.finish("errors/three-brokers.ndjson", lines.len());
}
