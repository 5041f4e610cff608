//! Short texts: times, spans, configs, plans of offsets, scenarios.

use loglanes::group::{ResetTo, datetime, duration};
use loglanes::scenario::Scenario;
use loglanes::topic::TopicConfig;
use loglanes::{Cluster, Command};

use crate::fuzz;

/// The input as text; bytes that are none are replaced.
fn text(input: &[u8]) -> String {
    String::from_utf8_lossy(input).into_owned()
}

#[test]
fn times_and_spans() {
    fuzz("time", |input| {
        for line in text(input).lines() {
            let _time_or_not = datetime::parse_ms(line);
            if let Some(ms) = duration::parse_ms(line).filter(|&ms| ms >= 0) {
                assert_eq!(duration::parse_ms(&duration::print_ms(ms)), Some(ms), "{line:?}");
            }
        }
    });
}

#[test]
fn configs() {
    fuzz("configs", |input| {
        let text = text(input);
        let given = text.lines().filter_map(|line| line.split_once('='));
        let Ok(config) = TopicConfig::parse(given) else { return };
        let described = config.describe().into_iter().map(|entry| (entry.def.name, entry.value));
        let again = TopicConfig::parse(described).expect("what is described can be given");
        assert_eq!(again.log(), config.log());
    });
}

#[test]
fn plans_of_offsets() {
    let mut cluster = Cluster::new(1);
    cluster.apply(&Command::create_topic("orders", 3), 0).unwrap();
    cluster.apply(&Command::produce("orders", Some(b"k"), None), 0).unwrap();
    fuzz("plan", |input| {
        let reset = Command::ResetOffsets {
            group: "billing".into(),
            topics: None,
            to: ResetTo::File { csv: text(input) },
        };
        let mut after = cluster.clone();
        if after.apply(&reset, 0).is_err() {
            assert_eq!(after, cluster, "a refused plan has changed something");
        }
    });
}

#[test]
fn scenarios() {
    fuzz("scenario", |input| {
        let Ok(scenario) = Scenario::parse(&text(input)) else { return };
        let printed = scenario.to_string();
        let again = Scenario::parse(&printed).expect("what is printed can be read");
        assert_eq!(again.to_string(), printed);
    });
}
