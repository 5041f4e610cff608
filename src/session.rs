//! A cluster with its history, a job that may be running, and what is saved of it all.

use crate::cluster::Cluster;
use crate::command::Command;
use crate::error::{Error, Result};
use crate::history::History;
use crate::interchange::ImportSpec;
use crate::job::{Job, JobProgress};
use crate::outcome::Outcome;
use crate::snapshot::{Changes, SaveLedger};
use crate::timeline::{HeldSegment, Timeline, without_bytes};

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
    timeline: Timeline,
    skew_ms: i64,
}

impl Session {
    /// An empty cluster, none of which is saved.
    #[must_use]
    pub fn new(seed: i64) -> Self {
        let (cluster, history) = (Cluster::new(seed), History::default());
        Self::restored(seed, cluster, None, history, SaveLedger::default())
    }

    /// `checkpoint` is the state after so many steps, earlier than the present one.
    pub(crate) fn restored(
        seed: i64,
        cluster: Cluster,
        checkpoint: Option<(u64, Cluster)>,
        history: History,
        ledger: SaveLedger,
    ) -> Self {
        let mut timeline = Timeline::default();
        if let Some((position, there)) = checkpoint {
            timeline.remember(position, &there);
        }
        timeline.remember(history.position(), &cluster);
        Self { seed, cluster, history, job: None, ledger, timeline, skew_ms: 0 }
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
        let here_ms = self.now(now_ms);
        if self.history.ahead() == 0 {
            return self.apply_at_the_end(command, here_ms);
        }
        let outcome = self.apply_in_the_past(command, here_ms)?;
        self.skew_ms = here_ms.saturating_sub(now_ms);
        Ok(outcome)
    }

    fn apply_at_the_end(&mut self, command: Command, now_ms: i64) -> Result<Outcome> {
        let before = self.timeline.before(&self.cluster, &command);
        let outcome = self.cluster.apply(&command, now_ms)?;
        self.note(now_ms, command, before);
        Ok(outcome)
    }

    /// Begins another course, unless the act is refused. A timer that is due runs first, as it
    /// would have.
    fn apply_in_the_past(&mut self, command: Command, now_ms: i64) -> Result<Outcome> {
        if self.cluster.is_timer_due(now_ms) {
            let mut trial = self.cluster.clone();
            trial.apply(&Command::Tick, now_ms)?;
            trial.apply(&command, now_ms)?;
            drop(trial);
            self.fork(&without_bytes(&self.cluster));
            self.apply_at_the_end(Command::Tick, now_ms)?;
            return self.apply_at_the_end(command, now_ms);
        }
        let here = without_bytes(&self.cluster);
        let before = self.timeline.before(&self.cluster, &command);
        let outcome = self.cluster.apply(&command, now_ms)?;
        self.fork(&here);
        self.note(now_ms, command, before);
        Ok(outcome)
    }

    /// Another course begins, from that state on: what lies ahead is set aside.
    fn fork(&mut self, here: &Cluster) {
        if self.history.ahead() > 0 {
            self.timeline.fork(self.history.position(), here);
            self.history.set_aside();
            self.ledger.fork(here, &self.history);
        }
    }

    /// What a scenario says to the reader at the end of the history, which is not saved yet.
    pub(crate) fn add_note(&mut self, text: &str) {
        self.history.add_note(text);
    }

    fn note(&mut self, at_ms: i64, command: Command, before: Vec<HeldSegment>) {
        let position = self.history.position() + 1;
        self.timeline.applied(position, &self.cluster, &command, before);
        let forgotten = self.history.forgotten();
        self.history.push(at_ms, command);
        if self.history.forgotten() > forgotten {
            self.timeline.forget_before(self.history.forgotten());
            if self.timeline.first().is_none() {
                self.timeline.remember(position, &self.cluster);
            }
        }
    }

    /// Goes to the state after the first `position` steps, back or forward. Nothing is lost: what
    /// lies ahead then can be gone to again, until something is done.
    ///
    /// While there are steps ahead the clock stands still: no timer runs by itself.
    ///
    /// ```
    /// use loglanes::{Command, Session};
    ///
    /// let mut session = Session::new(7);
    /// session.apply(Command::create_topic("orders", 3), 0)?;
    /// session.apply(Command::produce("orders", None, Some(b"v")), 1)?;
    /// session.travel(1)?;
    /// assert_eq!(session.history().replay(7)?, *session.cluster());
    /// assert_eq!((session.history().position(), session.history().ahead()), (1, 1));
    /// session.travel(2)?;
    /// assert_eq!(session.history().replay(7)?, *session.cluster());
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// While a job runs; for a step that there is not, or to which no way leads any more: see
    /// [`Session::earliest`]. If a step is refused, the session stands before it.
    pub fn travel(&mut self, position: u64) -> Result {
        self.check_idle()?;
        let (earliest, length) = (self.earliest(), self.history.len());
        if position < earliest || position > length {
            return Err(Error::loglanes(format!("There is no way to step {position}."))
                .with_hint(format!("The steps from {earliest} to {length} can be gone to.")));
        }
        let from = self.timeline.jump(self.seed, &self.history, &mut self.cluster, position)?;
        self.history.set_position(from);
        let redone = (from..position).try_for_each(|number| self.redo(number));
        self.timeline.settle(&mut self.cluster);
        redone
    }

    fn redo(&mut self, number: u64) -> Result {
        let Some(step) = self.history.step(number) else { return Ok(()) };
        let (command, at_ms) = (std::sync::Arc::clone(&step.command), step.at_ms);
        let before = self.timeline.before(&self.cluster, &command);
        self.cluster.apply(&command, at_ms)?;
        self.timeline.applied(number + 1, &self.cluster, &command, before);
        self.history.set_position(number + 1);
        Ok(())
    }

    /// The first position that [`Session::travel`] can go to: 0, unless steps are forgotten.
    #[must_use]
    pub fn earliest(&self) -> u64 {
        match self.history.forgotten() {
            0 => 0,
            forgotten => {
                self.timeline.first().unwrap_or_else(|| self.history.position()).max(forgotten)
            }
        }
    }

    /// Where the last act is undone: before it and before timers that ran since.
    #[must_use]
    pub fn undo_position(&self) -> Option<u64> {
        let mut position = self.history.position();
        while position > self.earliest() {
            position -= 1;
            if *self.history.step(position)?.command != Command::Tick {
                return Some(position);
            }
        }
        None
    }

    /// Where the next act is done again, with the timers that ran after it.
    #[must_use]
    pub fn redo_position(&self) -> Option<u64> {
        let (mut position, length) = (self.history.position(), self.history.len());
        if position == length {
            return None;
        }
        let is_tick =
            |number| self.history.step(number).is_some_and(|step| *step.command == Command::Tick);
        while position < length && is_tick(position) {
            position += 1;
        }
        position = length.min(position + 1);
        while position < length && is_tick(position) {
            position += 1;
        }
        Some(position)
    }

    /// Takes up what was set aside: the session goes to where it began, and on to its end. What
    /// lies ahead there now is set aside.
    ///
    /// ```
    /// use loglanes::{Command, Session};
    ///
    /// let mut session = Session::new(7);
    /// session.apply(Command::create_topic("orders", 3), 0)?;
    /// session.travel(0)?;
    /// session.apply(Command::create_topic("events", 3), 1)?;
    /// let aside = session.history().asides()[0].id;
    /// session.take_up(aside)?;
    /// assert!(session.cluster().topic("orders").is_some());
    /// assert!(session.cluster().topic("events").is_none());
    /// assert_eq!(session.history().asides().len(), 1);
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Session::travel`]; if there is no such course.
    pub fn take_up(&mut self, aside: u64) -> Result {
        let found = self.history.asides().iter().find(|one| one.id == aside);
        let Some(at) = found.map(|found| found.at) else {
            return Err(Error::loglanes(format!("Nothing is set aside under {aside}."))
                .with_hint("It was forgotten, or taken up before."));
        };
        self.travel(at)?;
        // Out first: the limits must not forget it for what is set aside now.
        let Some(aside) = self.history.take_aside(aside) else { return Ok(()) };
        self.fork(&without_bytes(&self.cluster));
        self.history.put_ahead(aside);
        self.travel(self.history.len())
    }

    /// Forgets what was set aside.
    pub fn forget_aside(&mut self, aside: u64) {
        self.history.take_aside(aside);
    }

    /// The clock as it counts here: the caller's, and by how much this session is early or late. While
    /// steps lie ahead it stands still at the last one that is done; another course goes on from
    /// there.
    ///
    /// ```
    /// use loglanes::{Command, Session};
    ///
    /// let mut session = Session::new(7);
    /// session.apply(Command::create_topic("orders", 3), 1_000)?;
    /// session.apply(Command::produce("orders", None, Some(b"v")), 60_000)?;
    /// session.travel(1)?;
    /// assert_eq!(session.now(90_000), 1_000);
    /// session.apply(Command::produce("orders", None, Some(b"w")), 90_000)?;
    /// assert_eq!(session.now(90_005), 1_005);
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    #[must_use]
    pub fn now(&self, now_ms: i64) -> i64 {
        if self.history.ahead() == 0 {
            return now_ms.saturating_add(self.skew_ms);
        }
        let last = self.history.position().saturating_sub(1).max(self.history.forgotten());
        self.history.step(last).map_or(now_ms, |step| step.at_ms)
    }

    /// By how much this session's clock is ahead of the caller's, in milliseconds.
    #[must_use]
    pub fn skew_ms(&self) -> i64 {
        self.skew_ms
    }

    /// From now on, where nothing lies ahead, the clock is so far ahead of the caller's. A session
    /// that a scenario made goes on from the scenario's time in this way.
    pub fn set_skew_ms(&mut self, skew_ms: i64) {
        self.skew_ms = skew_ms;
    }

    /// Lets timers run that are due, unless steps lie ahead. Whether anything has changed.
    pub fn tick(&mut self, now_ms: i64) -> bool {
        self.job.is_none()
            && self.history.ahead() == 0
            && self.cluster.is_timer_due(self.now(now_ms))
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
        let here = without_bytes(&self.cluster);
        let here_ms = self.now(now_ms);
        let job = Job::import(spec, &mut self.cluster, here_ms)?;
        self.fork(&here);
        self.skew_ms = here_ms.saturating_sub(now_ms);
        Ok(self.job.insert(job).progress())
    }

    /// Says how many bytes the file has that is imported, so that the log can make room for them in
    /// one step. Without, and where it is not so, the log grows as it has to.
    pub fn expect_bytes(&mut self, bytes: u64) {
        if let Some(job) = &mut self.job {
            job.expect_bytes(bytes);
        }
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
    /// let command = Command::Generate { topic: "orders".into(), producer: None, partitioner: None, spec };
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
        let here = without_bytes(&self.cluster);
        let here_ms = self.now(now_ms);
        let job = Job::generate(command, &mut self.cluster, here_ms)?;
        self.fork(&here);
        self.skew_ms = here_ms.saturating_sub(now_ms);
        Ok(self.job.insert(job).progress())
    }

    /// The next bytes of the file that is imported.
    ///
    /// # Errors
    ///
    /// If no import runs; when the logs are full ([`MAX_STORED_BYTES`](crate::MAX_STORED_BYTES)):
    /// nothing from the place on that is named was taken, and the job can only be cancelled. Lines
    /// that cannot be taken are counted, not errors.
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
    /// If no job runs; as [`Session::feed`], and then the job can still be cancelled.
    pub fn finish(&mut self) -> Result<(Outcome, JobProgress)> {
        while self.end()?.pending {}
        let job = self.job.take().ok_or_else(no_job)?;
        self.settle(job)
    }

    /// The file that is imported is over: its last record may stand without an ending. What became
    /// of it is in the progress; while that says [`JobProgress::pending`], again. Then
    /// [`Session::finish`].
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
            Some(command) => self.note(done.at_ms, command, Vec::new()),
            None => {
                self.history.push_forgotten();
                self.timeline.forget_before(self.history.forgotten());
                self.timeline.remember(self.history.position(), &self.cluster);
            }
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
        let checkpoint = self.timeline.checkpoint(self.history.position(), &self.cluster);
        let (cluster, history) = (&self.cluster, &self.history);
        self.ledger.changes(self.seed, self.skew_ms, cluster, history, checkpoint)
    }

    /// The state at an earlier step that is saved with the present one, and after how many steps.
    pub(crate) fn checkpoint(&self) -> Option<(u64, &Cluster)> {
        self.timeline.checkpoint(self.history.position(), &self.cluster)
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
