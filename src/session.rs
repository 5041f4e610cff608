//! A cluster with its history, a job that may be running, and what is saved of it all.

use crate::cluster::Cluster;
use crate::command::Command;
use crate::error::{Error, Result};
use crate::history::History;
use crate::interchange::ImportSpec;
use crate::job::{Job, JobProgress};
use crate::outcome::Outcome;
use crate::snapshot::{Changes, SaveLedger};

/// What a page holds: the cluster, how it came about, and what remains to be saved.
///
/// Every change goes through [`Session::apply`] or through a job; both are written down.
///
/// ```
/// use loglanes::{Command, Session};
///
/// let mut session = Session::new(7);
/// session.apply(Command::create_topic("orders", 3), 0)?;
/// assert_eq!(session.history().replay(7)?, *session.cluster());
/// assert!(session.apply(Command::create_topic("orders", 3), 1).is_err());
/// assert_eq!(session.history().len(), 1);
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug)]
pub struct Session {
    seed: i64,
    cluster: Cluster,
    history: History,
    job: Option<Job>,
    ledger: SaveLedger,
}

impl Session {
    /// An empty cluster, none of which is saved.
    #[must_use]
    pub fn new(seed: i64) -> Self {
        Self::restored(seed, Cluster::new(seed), History::default(), SaveLedger::default())
    }

    pub(crate) fn restored(
        seed: i64,
        cluster: Cluster,
        history: History,
        ledger: SaveLedger,
    ) -> Self {
        Self { seed, cluster, history, job: None, ledger }
    }

    /// The seed of the cluster's random choices.
    #[must_use]
    pub fn seed(&self) -> i64 {
        self.seed
    }

    /// The cluster as it is now.
    #[must_use]
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// How it came about.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Applies a command and writes it down. `now_ms` is the caller's clock, ms since 1970.
    ///
    /// # Errors
    ///
    /// As [`Cluster::apply`]; also while a job runs. Nothing has changed then.
    pub fn apply(&mut self, command: Command, now_ms: i64) -> Result<Outcome> {
        self.check_idle()?;
        let outcome = self.cluster.apply(&command, now_ms)?;
        self.history.push(now_ms, command);
        Ok(outcome)
    }

    /// Lets timers run that are due. Whether anything has changed.
    pub fn tick(&mut self, now_ms: i64) -> bool {
        self.job.is_none()
            && self.cluster.is_timer_due(now_ms)
            && self.apply(Command::Tick, now_ms).is_ok()
    }

    /// Begins an import: [`Session::feed`] the file, then [`Session::finish`].
    ///
    /// ```
    /// use loglanes::{Command, ImportSpec, Session};
    ///
    /// let mut session = Session::new(7);
    /// session.apply(Command::create_topic("flights", 6), 0)?;
    /// session.begin_import(ImportSpec::ndjson("flights", Some("origin")), 0)?;
    /// session.feed(b"{\"origin\":\"LAS\"}\nnot JSON\n\n{\"origin\":null}\n")?;
    /// let (_, progress) = session.finish()?;
    /// assert_eq!((progress.records, progress.refused), (2.0, 1.0));
    /// assert_eq!((progress.blank, progress.null_keys), (1.0, 1.0));
    /// assert_eq!((progress.refusals[0].unit, progress.refusals[0].at), ("line", 2.0));
    /// assert!(progress.refusals[0].reason.starts_with("byte "));
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a job runs already, the topic is unknown, or the partitioner cannot be used.
    pub fn begin_import(&mut self, spec: ImportSpec, now_ms: i64) -> Result<JobProgress> {
        self.check_idle()?;
        let job = Job::import(spec, &mut self.cluster, now_ms)?;
        Ok(self.job.insert(job).progress())
    }

    /// Begins to generate records: [`Session::step`] until all are there, then
    /// [`Session::finish`]. The command is a [`Command::Generate`].
    ///
    /// ```
    /// use loglanes::generate::GenerateSpec;
    /// use loglanes::{Command, Session};
    ///
    /// let mut session = Session::new(7);
    /// session.apply(Command::create_topic("orders", 6), 0)?;
    /// let spec = GenerateSpec { count: 100, keys: 9, skew: 0.0, value_bytes: 20, seed: 1, key_pattern: None };
    /// let command = Command::Generate { topic: "orders".into(), partitioner: None, spec };
    /// let begun = session.begin_generate(command, 0)?;
    /// assert_eq!((begun.records, begun.total), (0.0, Some(100.0)));
    /// assert_eq!(session.step(60)?.records, 60.0);
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Session::begin_import`], and for a specification that is out of its limits.
    pub fn begin_generate(&mut self, command: Command, now_ms: i64) -> Result<JobProgress> {
        self.check_idle()?;
        let job = Job::generate(command, &mut self.cluster, now_ms)?;
        Ok(self.job.insert(job).progress())
    }

    /// The next bytes of the file that is imported.
    ///
    /// # Errors
    ///
    /// If no import runs. Lines that cannot be taken are counted, not errors.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<JobProgress> {
        let job = self.job.as_mut().ok_or_else(no_job)?;
        job.feed(bytes, &mut self.cluster)?;
        Ok(job.progress())
    }

    /// Generates the next `records`.
    ///
    /// # Errors
    ///
    /// If no generation runs.
    pub fn step(&mut self, records: u64) -> Result<JobProgress> {
        let job = self.job.as_mut().ok_or_else(no_job)?;
        job.step(records, &mut self.cluster)?;
        Ok(job.progress())
    }

    /// The job is done: its last records are sent, and it is written down as one command. A
    /// generation that has not made all of its records is written down as far as it came.
    ///
    /// # Errors
    ///
    /// If no job runs.
    pub fn finish(&mut self) -> Result<(Outcome, JobProgress)> {
        let mut job = self.job.take().ok_or_else(no_job)?;
        job.end(&mut self.cluster)?;
        self.settle(job)
    }

    /// The file that is imported is over: its last record may stand without an ending. What became
    /// of it is in the progress; then [`Session::finish`].
    ///
    /// # Errors
    ///
    /// If no job runs.
    pub fn end(&mut self) -> Result<JobProgress> {
        let job = self.job.as_mut().ok_or_else(no_job)?;
        job.end(&mut self.cluster)?;
        Ok(job.progress())
    }

    /// Ends the job before its end. What is in stays, and counts as one act; a record of which
    /// only a part has come is not taken.
    ///
    /// ```
    /// use loglanes::{Command, ImportSpec, Session};
    ///
    /// let mut session = Session::new(7);
    /// session.apply(Command::create_topic("t", 1), 0)?;
    /// session.begin_import(ImportSpec::ndjson("t", None), 0)?;
    /// session.feed(b"1\n2")?;
    /// assert_eq!(session.cancel()?.1.records, 1.0);
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If no job runs.
    pub fn cancel(&mut self) -> Result<(Outcome, JobProgress)> {
        let job = self.job.take().ok_or_else(no_job)?;
        self.settle(job)
    }

    fn settle(&mut self, job: Job) -> Result<(Outcome, JobProgress)> {
        let done = job.finish(&mut self.cluster)?;
        match done.command {
            Some(command) => self.history.push(done.at_ms, command),
            None => self.history.push_forgotten(),
        }
        Ok((done.outcome, done.progress))
    }

    /// How far the job is that runs, if one does.
    #[must_use]
    pub fn job(&self) -> Option<JobProgress> {
        self.job.as_ref().map(Job::progress)
    }

    /// The next step of a save; none if all is saved, or while a job runs.
    ///
    /// # Errors
    ///
    /// As [`SaveLedger::changes`].
    pub fn changes(&mut self) -> Result<Option<Changes>> {
        if self.job.is_some() {
            return Ok(None);
        }
        self.ledger.changes(self.seed, &self.cluster, &self.history)
    }

    /// The step with that token is written for good.
    pub fn saved(&mut self, token: u32) {
        self.ledger.saved(token);
    }

    /// Nothing of this is saved where it will be saved next: a file was read, or the store was
    /// cleared.
    pub fn forget_saved(&mut self) {
        self.ledger = SaveLedger::default();
    }

    fn check_idle(&self) -> Result {
        match &self.job {
            None => Ok(()),
            Some(job) => Err(Error::loglanes(format!(
                "An act has to wait while records go into {:?}.",
                job.topic()
            ))
            .with_hint("Wait until it is done, or cancel it.")),
        }
    }
}

fn no_job() -> Error {
    Error::loglanes("Neither an import nor a generation runs.").with_hint("Begin one first.")
}
