//! Commands as JSON.

use loglanes::{Cluster, Command};

use crate::fuzz;

/// A topic of more partitions than this is not made: that takes long, and is tried elsewhere.
const PARTITIONS: i32 = 200;

#[test]
fn commands() {
    let mut cluster = Cluster::new(1);
    cluster.apply(&Command::create_topic("orders", 3), 0).unwrap();
    fuzz("command", |input| {
        let mut after = cluster.clone();
        for line in input.split(|&byte| byte == b'\n') {
            let Ok(command) = serde_json::from_slice::<Command>(line) else { continue };
            let json = serde_json::to_string(&command).expect("a command can be written");
            let again: Command = serde_json::from_str(&json).expect("what is written can be read");
            assert_eq!(serde_json::to_string(&again).unwrap(), json);
            if is_long(&command) {
                continue;
            }
            let before = after.clone();
            if after.apply(&command, 0).is_err() {
                assert_eq!(after, before, "a refused act has changed something: {json}");
            }
        }
    });
}

fn is_long(command: &Command) -> bool {
    match command {
        Command::CreateTopic { partitions, .. } => {
            partitions.is_some_and(|count| count > PARTITIONS)
        }
        Command::CreatePartitions { total, .. } => *total > PARTITIONS,
        Command::Generate { spec, .. } => {
            serde_json::to_value(spec).is_ok_and(|spec| spec["count"].as_f64() > Some(1_000.0))
        }
        _ => false,
    }
}
