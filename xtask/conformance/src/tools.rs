//! Kafka's own tools, as programs of their names: each hands its call to the broker's process,
//! which has the tool's code loaded already.

use std::fs;
use std::io::{BufRead as _, BufReader, IsTerminal as _, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::broker::Broker;

/// The tools that a script calls, and where Kafka has them.
const TOOLS: [(&str, &str); 7] = [
    ("kafka-topics", "org.apache.kafka.tools.TopicCommand"),
    ("kafka-configs", "org.apache.kafka.tools.ConfigCommand"),
    ("kafka-console-producer", "org.apache.kafka.tools.ConsoleProducer"),
    ("kafka-console-consumer", "org.apache.kafka.tools.consumer.ConsoleConsumer"),
    ("kafka-get-offsets", "org.apache.kafka.tools.GetOffsetShell"),
    ("kafka-delete-records", "org.apache.kafka.tools.DeleteRecordsCommand"),
    ("kafka-consumer-groups", "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"),
];

/// The first argument of this program when it stands for a tool.
const CALL: &str = "call-tool";

/// Programs that stand for Kafka's tools, and a folder in which scripts run.
pub struct Tools {
    programs: PathBuf,
    folder: PathBuf,
}

/// Whether this machine has what some scripts need.
pub fn has_kcat() -> bool {
    Command::new("kcat").arg("-V").output().is_ok_and(|output| output.status.success())
}

impl Tools {
    /// Writes the programs into a folder of the work folder.
    pub fn new(broker: &Broker, work: &Path) -> Result<Self> {
        let (programs, folder) = (work.join("bin"), work.join("script"));
        fs::create_dir_all(&programs)?;
        let this = std::env::current_exe().context("where this program is")?;
        for (name, class) in TOOLS {
            let path = programs.join(format!("{name}.sh"));
            let this = this.display();
            let port = broker.tools;
            fs::write(&path, format!("#!/bin/sh\nexec '{this}' {CALL} {port} {class} \"$@\"\n"))?;
            executable(&path)?;
        }
        Ok(Self { programs, folder })
    }

    /// Runs the script `run.sh` among some files. What it said, if it failed.
    pub fn run<'a>(
        &self,
        broker: &Broker,
        files: impl Iterator<Item = (&'a str, &'a [u8])>,
    ) -> Result<Option<String>> {
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder)?;
        }
        for (name, content) in files {
            let path = self.folder.join(name);
            fs::create_dir_all(path.parent().context("a file in no folder")?)?;
            fs::write(path, content)?;
        }
        let output = Command::new("sh")
            .arg(self.folder.join("run.sh"))
            .env("BOOTSTRAP", &broker.bootstrap)
            .env("KAFKA_BIN", &self.programs)
            .env("REPLICATION_FACTOR", "1")
            .stdin(std::process::Stdio::null())
            .output()
            .context("sh does not start")?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        Ok((!output.status.success()).then(|| format!("the script failed: {said}")))
    }
}

#[cfg(unix)]
fn executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(0o755))?)
}

#[cfg(not(unix))]
fn executable(_: &Path) -> Result<()> {
    Ok(())
}

/// Stands for a tool, if the arguments say so.
pub fn called() -> Option<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [call, port, class, arguments @ ..] = arguments.as_slice() else { return None };
    (call == CALL).then(|| {
        hand_over(port, class, arguments).unwrap_or_else(|error| {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        })
    })
}

fn hand_over(port: &str, class: &str, arguments: &[String]) -> Result<ExitCode> {
    let mut input = Vec::new();
    if !std::io::stdin().is_terminal() {
        std::io::stdin().read_to_end(&mut input)?;
    }
    let asked = json!({"class": class, "arguments": here(arguments)?, "input": hex(&input)});
    let mut broker =
        TcpStream::connect(("127.0.0.1", port.parse()?)).context("the broker's process is gone")?;
    writeln!(broker, "{asked}")?;
    let mut answer = String::new();
    BufReader::new(broker).read_line(&mut answer)?;
    let answer: Value = serde_json::from_str(&answer).context("a tool without an answer")?;
    let bytes = |name: &str| unhex(answer[name].as_str().unwrap_or_default());
    std::io::stdout().write_all(&bytes("output"))?;
    std::io::stderr().write_all(&bytes("errors"))?;
    let status = answer["status"].as_i64().and_then(|status| u8::try_from(status).ok());
    Ok(ExitCode::from(status.unwrap_or(1)))
}

/// Options behind which a file stands, which is one of the script's folder.
const FILE_OPTIONS: [&str; 3] = ["--from-file", "--offset-json-file", "--add-config-file"];

/// The arguments for a process that runs in another folder.
fn here(arguments: &[String]) -> Result<Vec<String>> {
    let mut all = arguments.to_vec();
    for at in 1..all.len() {
        if FILE_OPTIONS.contains(&all[at - 1].as_str()) {
            all[at] = std::path::absolute(&all[at])?.display().to_string();
        }
    }
    Ok(all)
}

/// Two digits a byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs.filter_map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::{hex, unhex};

    #[test]
    fn hex_comes_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(unhex(&hex(&bytes)), bytes);
        assert_eq!(hex(b"\x00\xff"), "00ff");
    }
}
