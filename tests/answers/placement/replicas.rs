//! Replica placement: with all its draws in errors/leaders.ndjson, by a live controller, whose draws
//! nobody knows, in errors/leaders-cluster.ndjson.

use loglanes::java::Random;
use loglanes::replicas::{UsableBroker, place_replicas, place_replicas_on};
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::recorded::{Tally, lines, number, numbers};

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

/// Draws that give these rows, found one by one: those of a block of rows are settled before the next
/// block is shuffled.
fn draws_of(brokers: &[i32], rows: &[Vec<i32>], factor: i16) -> Option<Vec<i32>> {
    fn search(
        brokers: &[i32],
        rows: &[Vec<i32>],
        factor: i16,
        until: usize,
        draws: &mut Vec<i32>,
    ) -> bool {
        let until = until.min(rows.len());
        let mut asked = Vec::new();
        let mut draw = |bound| {
            asked.push(bound);
            draws.get(asked.len() - 1).copied().unwrap_or(0)
        };
        let placed = place_replicas(brokers, until as u32, factor, &mut draw).unwrap();
        if let Some(&bound) = asked.get(draws.len()) {
            return (0..bound).any(|value| {
                draws.push(value);
                let is_found = search(brokers, rows, factor, until, draws);
                if !is_found {
                    draws.pop();
                }
                is_found
            });
        }
        placed == rows[..until]
            && (until == rows.len() || search(brokers, rows, factor, until + brokers.len(), draws))
    }
    let mut draws = Vec::new();
    search(brokers, rows, factor, brokers.len(), &mut draws).then_some(draws)
}

#[test]
fn some_draws_give_what_a_live_controller_chose_and_the_first_replica_leads() {
    let lines = lines("errors/leaders-cluster.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        let brokers: Vec<i32> = numbers(&line["brokers"]);
        let assignment = line["assignment"].as_array().unwrap();
        let rows: Vec<Vec<i32>> = assignment.iter().map(numbers).collect();
        assert_eq!(rows.len(), number::<usize>(&line["partitions"]));
        let is_ours = draws_of(&brokers, &rows, number(&line["replication_factor"])).is_some();
        let leaders: Vec<i32> = rows.iter().map(|row| row[0]).collect();
        tally.compare(line, (is_ours, leaders), (true, numbers(&line["leaders"])));
    }
    tally.finish("errors/leaders-cluster.ndjson", lines.len());
}

#[test]
fn rows_that_no_controller_deals_have_no_draws() {
    // The second row does not go on from the first.
    assert_eq!(draws_of(&[1, 2, 3], &[vec![1, 2], vec![1, 2]], 2), None);
}
