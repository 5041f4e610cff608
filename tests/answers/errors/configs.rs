//! Topic configs and their values against recorded answers of Apache Kafka 4.4.0.

use std::collections::BTreeMap;

use loglanes::topic::{AlterConfigOp, CONFIG_DEFS, ConfigOp, TopicConfig};
use loglanes::{Cluster, Command, Outcome, Result};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::refused::{Refused, refused};
use crate::recorded::{Tally, lines, text};

const NOW: i64 = 1_750_000_000_000;

fn apply(cluster: &mut Cluster, command: Command) -> Result<Outcome> {
    cluster.apply(&command, NOW)
}

/// What DescribeConfigs answers afterwards, or the refusal.
fn described(recorded: &Value) -> Result<String, Refused> {
    if recorded["accepted"] == true {
        return Ok(text(&recorded["described"]).to_owned());
    }
    let (name, message) = (text(&recorded["name"]), text(&recorded["message"]));
    let by = "broker".to_owned();
    Err((by, recorded["code"].as_i64(), name.to_owned(), message.to_owned()))
}

/// Each value is given twice: to a topic that is there, and to a new one. A new topic cannot be
/// given a config without a value.
#[wasm_bindgen_test(unsupported = test)]
fn values_of_configs_are_taken_and_refused_as_kafka_does() {
    let lines = lines("errors/config-values.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        let name = text(&line["config"]).to_owned();
        let value = line["value"].as_str().map(str::to_owned);
        let of_topic = |cluster: &Cluster| {
            let config = &cluster.topic("t").unwrap().config;
            (config.described(&name), config.given().get(&name).cloned())
        };

        let mut cluster = Cluster::with_brokers(7, [1]);
        apply(&mut cluster, Command::create_topic("t", 1)).unwrap();
        let op = AlterConfigOp { op: ConfigOp::Set, name: name.clone(), value: value.clone() };
        let altered =
            apply(&mut cluster, Command::AlterConfigs { topic: "t".into(), ops: vec![op] })
                .map(|_| of_topic(&cluster).0.unwrap())
                .map_err(|error| refused(&error));

        let same = line["create"] == "same";
        let create = if same { &line["alter"] } else { &line["create"] };
        let stored = line["in_create_answer"].as_str().map(str::to_owned);
        let created = value.map(|value| {
            let mut cluster = Cluster::with_brokers(7, [1]);
            let configs = BTreeMap::from([(name.clone(), value)]);
            let command = Command::CreateTopic {
                name: "t".into(),
                partitions: Some(1),
                replication_factor: None,
                configs,
            };
            let made = apply(&mut cluster, command).map(|_| of_topic(&cluster));
            made.map(|(now, given)| (now.unwrap(), given)).map_err(|error| refused(&error))
        });
        let recorded = created.as_ref().map(|_| described(create).map(|now| (now, stored)));
        tally.compare(
            (&name, &line["value"]),
            (altered, created),
            (described(&line["alter"]), recorded),
        );
    }
    tally.finish("errors/config-values.ndjson", lines.len());
}

#[wasm_bindgen_test(unsupported = test)]
fn every_topic_config_is_described_as_kafka_does() {
    let lines = lines("errors/topic-configs.ndjson");
    let entries = TopicConfig::default().describe();
    let mut tally = Tally::default();
    for line in &lines {
        let def = CONFIG_DEFS.iter().find(|def| line["name"] == def.name);
        let ours = def.map(|def| {
            let kind = def.kind.to_string();
            let rule = def.rule.to_string();
            let synonyms = def.synonyms.iter();
            let synonyms = synonyms
                .map(|(name, unit)| json!({"name": name, "unit": unit}))
                .collect::<Vec<_>>();
            let place = entries.iter().position(|entry| entry.def.name == def.name);
            let described = place
                .and_then(|place| entries.get(place))
                .map(|entry| json!({"value": entry.value, "source": entry.source, "type": kind}));
            json!({
                "name": def.name, "type": kind.to_lowercase(), "default": def.default,
                "validator": (!rule.is_empty()).then_some(rule),
                "internal": def.position.is_none(), "position_in_description": place,
                "described": described, "broker_synonyms": synonyms,
            })
        });
        let mut recorded = line.clone();
        if let Some(fields) = recorded.as_object_mut() {
            // The same for every topic config; and what a broker's own configs say.
            assert_eq!(fields.remove("importance"), Some(json!("medium")));
            if let Some(described) = fields["described"].as_object_mut() {
                assert_eq!(described.remove("read_only"), Some(json!(false)));
                assert_eq!(described.remove("sensitive"), Some(json!(false)));
                described.remove("synonyms");
            }
        }
        tally.compare(text(&line["name"]), ours, Some(recorded));
    }
    tally.finish("errors/topic-configs.ndjson", lines.len());
}
