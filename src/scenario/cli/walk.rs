//! From line to line: each act is carried out here, and written down as what does the same there.

use std::collections::{BTreeMap, BTreeSet};

use super::counterpart::counterpart;
use super::script::Script;
use super::send::Pending;
use super::there::There;
use super::{Commands, groups};
use crate::cluster::Cluster;
use crate::command::Command;
use crate::error::Result;
use crate::interchange::bundle::MAX_BUNDLE_BYTES;
use crate::interchange::bundle::folder::Folder;
use crate::outcome::Outcome;
use crate::scenario::{Act, Finding, Player, Scenario, Statement, StepReport};

/// Where the walk is.
pub(super) struct Walk {
    pub(super) player: Player,
    pub(super) script: Script,
    pub(super) there: There,
    pub(super) folder: Folder,
    /// Records that are not sent yet: what follows may go by the same call.
    pub(super) pending: Vec<Pending>,
    /// The settings of producers, as the tools take them.
    pub(super) producers: BTreeMap<String, Vec<(String, String)>>,
    /// Acts, by number, in transactions that are not committed.
    pub(super) discarded: BTreeSet<u32>,
    /// Bytes of records that may still come.
    pub(super) room: u64,
    /// Data files so far.
    pub(super) file_count: usize,
}

/// An act that is being written down.
pub(super) struct Line<'a> {
    pub(super) line: u32,
    pub(super) text: &'a str,
    /// Which act, from 1.
    pub(super) act: u32,
}

impl Line<'_> {
    /// What of it is lost.
    pub(super) fn lost(&self) -> &'static str {
        counterpart(self.text.split(' ').next().unwrap_or_default()).lost
    }
}

pub(super) fn commands(scenario: &Scenario, with_solution: bool) -> Result<Commands> {
    let mut walk = Walk::new(scenario, with_solution);
    walk.lines(scenario, with_solution)?;
    walk.flush()?;
    walk.ends();
    let script = walk.script.finish(scenario.title());
    let (mut folder, not_carried) = (walk.folder, walk.script.not_carried);
    folder.insert("run.sh", script.clone());
    Ok(Commands { folder, script, not_carried, there: walk.there })
}

impl Walk {
    fn new(scenario: &Scenario, with_solution: bool) -> Self {
        let (mut player, _) = Player::new(scenario);
        if with_solution {
            player.solve();
        }
        Self {
            player,
            script: Script::default(),
            there: There::default(),
            folder: Folder::default(),
            pending: Vec::new(),
            producers: BTreeMap::new(),
            discarded: discarded(scenario, with_solution),
            room: MAX_BUNDLE_BYTES,
            file_count: 0,
        }
    }

    pub(super) fn cluster(&self) -> &Cluster {
        self.player.session().cluster()
    }

    fn lines(&mut self, scenario: &Scenario, with_solution: bool) -> Result {
        let mut is_titled = false;
        // What the lines behind an act expect is found by the player when it carries the act out.
        let mut findings: Vec<Finding> = Player::new(scenario).1.findings;
        for (line, statement) in (1..).zip(scenario.lines()) {
            let text = statement.to_string();
            match statement {
                Statement::Blank => {
                    if self.pending.is_empty() && !self.script.body.ends_with("\n\n") {
                        self.script.push("\n");
                    }
                }
                Statement::Comment(text) if !is_titled && !text.is_empty() => is_titled = true,
                Statement::Comment(text) | Statement::Note(text) => self.script.remark(text),
                Statement::Task(text) => self.script.remark(&format!("Task: {text}")),
                Statement::Version(_) | Statement::Check(_) | Statement::ExpectError(_) => {
                    self.script.line(line, &text);
                }
                Statement::Seed(_) => {
                    self.script.line(line, &text);
                    self.script.more("What is drawn by chance was drawn here.");
                }
                Statement::Start(_) | Statement::At(_) => {
                    self.script.line(line, &text);
                    self.script.lose(line, &text, counterpart("clock").lost);
                }
                Statement::Act(act) => match self.act(act, line)? {
                    Some(step) => findings = step.findings,
                    None => return Ok(()),
                },
                Statement::Expect(expectation) => {
                    self.flush()?;
                    self.script.line(line, &text);
                    let finding = findings.iter().find(|finding| finding.line == line);
                    self.expect(expectation, line, &text, finding);
                }
                Statement::Solution if with_solution => self.script.line(line, &text),
                Statement::Solution => {
                    self.script.line(line, &text);
                    self.script.more("The solution is no part of this script.");
                    return Ok(());
                }
            }
        }
        self.flush()?;
        if with_solution && scenario.lines().iter().any(|line| matches!(line, Statement::Check(_)))
        {
            self.checks(scenario);
        }
        Ok(())
    }

    /// What the task asks for holds now.
    fn checks(&mut self, scenario: &Scenario) {
        let found = crate::scenario::check(scenario, self.player.session(), self.player.now_ms());
        self.script.push("\n");
        self.script.remark("What the task asks for:");
        for (line, statement) in (1..).zip(scenario.lines()) {
            if let Statement::Check(expectation) = statement {
                let text = statement.to_string();
                self.script.line(line, &text);
                let finding = found.iter().find(|finding| finding.line == line);
                self.expect(expectation, line, &text, finding);
            }
        }
    }

    /// Carries an act out and writes it down; none where the scenario ends here.
    fn act(&mut self, act: &Act, line: u32) -> Result<Option<StepReport>> {
        let command = &act.command;
        if !self.joins_pending(command) {
            self.flush()?;
        }
        let fresh = groups::fresh(self, command);
        let step = match self.player.step() {
            Ok(Some(step)) => step,
            Ok(None) => return Ok(None),
            Err(stopped) => {
                self.flush()?;
                self.script.line(line, &stopped.text);
                let why = format!(
                    "It is refused here, which no line expects, and the scenario ends: {}",
                    stopped.refusal.message
                );
                self.script.lose(line, &stopped.text, &why);
                return Ok(None);
            }
        };
        let told = Line { line, text: &step.text, act: step.act };
        self.script.line(line, &step.text);
        match (&step.outcome, &step.refusal) {
            (_, Some(refusal)) => self.refused(command, refusal, &told),
            (Some(outcome), _) => {
                self.done(act, outcome, fresh.as_ref(), &told);
                self.follow(command, &told);
            }
            _ => {}
        }
        Ok(Some(step))
    }

    fn done(
        &mut self,
        act: &Act,
        outcome: &Outcome,
        fresh: Option<&groups::Fresh>,
        told: &Line<'_>,
    ) {
        match &act.command {
            Command::CreateTopic { name, configs, .. } => self.create_topic(name, configs),
            Command::CreateAssignedTopic { name, assignments, configs } => {
                self.create_assigned_topic(name, assignments, configs);
            }
            Command::DeleteTopic { name } => self.delete_topic(name),
            Command::CreatePartitions { topic, total } => {
                self.create_partitions(topic, *total, false)
            }
            Command::CreateAssignedPartitions { topic, total, .. } => {
                self.create_partitions(topic, *total, true);
            }
            Command::AlterConfigs { topic, ops } => self.alter_configs(topic, ops),
            Command::DeleteRecords { topic, partition, before } => {
                self.delete_records_before(topic, *partition, *before);
            }
            Command::Produce(_)
            | Command::ProduceMany { .. }
            | Command::Generate { .. }
            | Command::CopyLog { .. }
            | Command::CopyLogs { .. }
            | Command::Retry { .. } => self.send(act, outcome, told),
            Command::CreateProducer { producer, configs, .. } => {
                self.create_producer(producer, configs, told);
            }
            Command::Poll { group, member, .. } => self.poll(group, member, outcome, fresh),
            Command::Commit { offsets, .. } => self.commit(offsets.as_deref(), told),
            Command::ResetOffsets { group, topics, to } => {
                self.reset_offsets(group, topics.as_deref(), to, outcome, told);
            }
            Command::DeleteOffsets { group, topics } => self.delete_offsets(group, topics),
            Command::DeleteGroup { group } => self.delete_group(group),
            _ => self.script.lose(told.line, told.text, told.lost()),
        }
    }

    /// What an act has caused besides, or what alone can be carried over of it.
    fn follow(&mut self, command: &Command, told: &Line<'_>) {
        match command {
            Command::Produce(_)
            | Command::ProduceMany { .. }
            | Command::Generate { .. }
            | Command::CopyLog { .. }
            | Command::CopyLogs { .. }
            | Command::Retry { .. }
            | Command::CreateTopic { .. }
            | Command::CreateAssignedTopic { .. }
            | Command::CreatePartitions { .. }
            | Command::CreateAssignedPartitions { .. }
            | Command::AlterConfigs { .. }
            | Command::DeleteRecords { .. } => {}
            Command::DeleteTopic { .. }
            | Command::ResetOffsets { .. }
            | Command::DeleteOffsets { .. }
            | Command::DeleteGroup { .. } => {
                let Self { there, player, .. } = self;
                there.commits_follow(player.session().cluster());
            }
            Command::RunRetention { .. }
            | Command::RunCleaner { .. }
            | Command::AdvanceClock { .. }
            | Command::Tick
            | Command::InitTransactions { .. }
            | Command::CommitTransaction { .. }
            | Command::AbortTransaction { .. }
            | Command::CloseProducer { .. } => {
                self.skip_markers();
                self.starts_moved();
                self.commits_changed(told);
            }
            _ => self.commits_changed(told),
        }
    }
}

/// The acts, by number, that are part of a transaction which is not committed.
fn discarded(scenario: &Scenario, with_solution: bool) -> BTreeSet<u32> {
    let begins = |line: &Statement| match line {
        Statement::Act(act) => matches!(act.command, Command::BeginTransaction { .. }),
        _ => false,
    };
    let mut discarded = BTreeSet::new();
    if !scenario.lines().iter().any(begins) {
        return discarded;
    }
    let (mut player, _) = Player::new(scenario);
    if with_solution {
        player.solve();
    }
    let mut open: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    while let Ok(Some(step)) = player.step() {
        let line = scenario.lines().get((step.line as usize).saturating_sub(1));
        let (Some(Statement::Act(act)), Some(outcome)) = (line, &step.outcome) else { continue };
        match &act.command {
            Command::BeginTransaction { producer } => {
                open.insert(producer, Vec::new());
            }
            Command::CommitTransaction { producer } => {
                let acts = open.remove(producer.as_str()).unwrap_or_default();
                if !matches!(outcome, Outcome::TransactionEnded { committed: true, .. }) {
                    discarded.extend(acts);
                }
            }
            Command::AbortTransaction { producer }
            | Command::CloseProducer { producer }
            | Command::KillProducer { producer } => {
                discarded.extend(open.remove(producer.as_str()).unwrap_or_default());
            }
            command => {
                let acts = producer_of(command).and_then(|producer| open.get_mut(producer));
                acts.into_iter().for_each(|acts| acts.push(step.act));
            }
        }
    }
    discarded.extend(open.into_values().flatten());
    discarded
}

/// The named producer that an act sends by.
pub(super) fn producer_of(command: &Command) -> Option<&str> {
    match command {
        Command::Produce(record) => record.producer.as_deref(),
        Command::ProduceMany { producer, .. }
        | Command::Generate { producer, .. }
        | Command::Retry { producer } => producer.as_deref(),
        _ => None,
    }
}
