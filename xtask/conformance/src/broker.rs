//! The real broker: a Java process that carries out an act for each line that it is given.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

/// A running broker with its driver.
pub struct Broker {
    process: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    data: PathBuf,
    /// Where it listens.
    pub bootstrap: String,
    /// The port at which its process runs Kafka's tools.
    pub tools: u64,
    /// Kafka's version, as it says itself.
    pub version: String,
    /// Today, UTC.
    pub date: String,
}

impl Broker {
    /// Starts one with an empty folder of data. `class_path`: the driver's classes and Kafka's jars.
    pub fn start(class_path: &str, data: &Path) -> Result<Self> {
        if data.exists() {
            std::fs::remove_dir_all(data).context("cannot empty the broker's folder")?;
        }
        std::fs::create_dir_all(data)?;
        let log = std::fs::File::create(data.join("broker.log"))?;
        let mut process = Command::new("java")
            .args(["-Xmx768m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", class_path])
            .arg("loglanes.conformance.Driver")
            .arg(data)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .context("java does not start")?;
        let (requests, answers) = (process.stdin.take(), process.stdout.take());
        let mut broker = Self {
            process,
            requests,
            answers: BufReader::new(answers.context("java has no output")?),
            data: data.to_owned(),
            bootstrap: String::new(),
            tools: 0,
            version: String::new(),
            date: String::new(),
        };
        let hello = broker.answer()?;
        let said = |name| hello["ok"][name].as_str().unwrap_or_default().to_owned();
        (broker.bootstrap, broker.version, broker.date) =
            (said("bootstrap"), said("version"), said("date"));
        broker.tools = hello["ok"]["tools"].as_u64().unwrap_or_default();
        Ok(broker)
    }

    /// Carries out an act: `{"ok": ...}` or `{"error": ...}`.
    pub fn ask(&mut self, act: &Value) -> Result<Value> {
        let requests = self.requests.as_mut().context("the broker is closed")?;
        writeln!(requests, "{act}").context("the broker is gone")?;
        self.answer()
    }

    fn answer(&mut self) -> Result<Value> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            bail!(
                "the broker ended; its messages are in {}",
                self.data.join("broker.log").display()
            );
        }
        serde_json::from_str(&line).with_context(|| format!("the driver said {line:?}"))
    }

    /// Deletes every topic and group.
    pub fn clear(&mut self) -> Result<()> {
        let cleared = self.ask(&json!({"type": "clear"}))?;
        if cleared.get("error").is_some() {
            bail!("the broker cannot be cleared: {cleared}");
        }
        Ok(())
    }

    /// A folder beside the broker's data, for files that its process reads.
    pub fn scratch_folder(&self, name: &str) -> PathBuf {
        self.data.join(name)
    }

    /// The folder of a partition's log.
    pub fn partition_folder(&self, topic: &str, partition: usize) -> PathBuf {
        self.data.join("logs").join(format!("{topic}-{partition}"))
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        // The end of its input ends the driver, and with it the broker.
        self.requests = None;
        // Nothing is lost if it is gone already.
        let _ended = self.process.wait();
    }
}
