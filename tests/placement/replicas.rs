//! Replica placement with all its draws: errors/leaders.ndjson.

use loglanes::java::Random;
use loglanes::replicas::{UsableBroker, place_replicas, place_replicas_on};
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::tally::{Tally, lines, number, numbers};

fn brokers_of(line: &Value) -> Vec<UsableBroker> {
    let brokers = line["brokers"].as_array().unwrap();
    brokers
        .iter()
        .map(|broker| UsableBroker {
            id: number(&broker["id"]),
            rack: broker["rack"].as_str().map(str::to_owned),
            fenced: broker["fenced"].as_bool().unwrap(),
        })
        .collect()
}

#[wasm_bindgen_test(unsupported = test)]
fn replicas_and_draws_are_those_of_the_controller() {
    let lines = lines("errors/leaders.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        let brokers = brokers_of(line);
        let partitions = number(&line["partitions"]);
        let factor = number(&line["replication_factor"]);
        let mut random = Random::new(number(&line["seed"]));
        let mut draws: Vec<[i32; 2]> = Vec::new();
        let mut draw = |bound| {
            let value = random.next_int_below(bound);
            draws.push([bound, value]);
            value
        };
        let placed = place_replicas_on(&brokers, &[], partitions, factor, &mut draw);

        if brokers.iter().all(|broker| broker.rack.is_none() && !broker.fenced) {
            let ids: Vec<i32> = brokers.iter().map(|broker| broker.id).collect();
            let mut random = Random::new(number(&line["seed"]));
            let mut draw = |bound| random.next_int_below(bound);
            assert_eq!(place_replicas(&ids, partitions, factor, &mut draw), placed);
        }

        let ours = placed.map_err(|error| {
            (error.code().map(i64::from), error.name().to_owned(), error.message().to_owned())
        });
        let recorded = match line.get("error") {
            None => Ok(line["assignment"].as_array().unwrap().iter().map(numbers::<i32>).collect()),
            Some(error) => Err((
                error["code"].as_i64(),
                error["name"].as_str().unwrap().to_owned(),
                error["message"].as_str().unwrap().to_owned(),
            )),
        };
        let recorded_draws: Vec<[i32; 2]> = line["draws"]
            .as_array()
            .unwrap()
            .iter()
            .map(|draw| [number(&draw[0]), number(&draw[1])])
            .collect();
        tally.compare(line, (ours, draws), (recorded, recorded_draws));
    }
    tally.finish("errors/leaders.ndjson", lines.len());
}
