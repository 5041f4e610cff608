//! Scenarios at the boundary: texts come in, what they found goes out.

use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::Loglanes;
use super::convert::{Thrown, count, ms, to_js};
use crate::error::Error;
use crate::scenario::{
    Commands, Diagnostic, Finding, NotCarried, NoteLine, Player, Report, Scenario, Statement,
    StepReport, Stopped, check, history_text,
};

#[wasm_bindgen]
extern "C" {
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "ScenarioView")]
    pub type JsScenario;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "ScenarioReport")]
    pub type JsScenarioReport;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "ScenarioStep | null")]
    pub type JsScenarioStep;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "Finding[]")]
    pub type JsFindings;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "ScenarioCommands")]
    pub type JsCommands;
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct View {
    problems: Vec<Diagnostic>,
    title: Option<String>,
    acts: usize,
    solution_acts: usize,
    lines: Vec<Line>,
    text: String,
}

#[derive(Serialize)]
struct Line {
    line: usize,
    kind: &'static str,
    act: usize,
    solution: bool,
    text: String,
}

#[derive(Serialize)]
struct Ran {
    acts: u32,
    findings: Vec<Finding>,
    notes: Vec<NoteLine>,
    stopped: Option<Stopped>,
    last: Option<StepReport>,
    now: f64,
}

impl View {
    fn of(scenario: &Scenario) -> Self {
        let (mut act, mut solution, mut acts) = (0, false, None);
        let mut lines = Vec::new();
        for (number, statement) in (1..).zip(scenario.lines()) {
            let (kind, text) = match statement {
                Statement::Blank => ("blank", String::new()),
                Statement::Comment(text) => ("comment", text.clone()),
                Statement::Note(text) => ("note", text.clone()),
                Statement::Task(text) => ("task", text.clone()),
                Statement::At(_) => ("at", statement.to_string()),
                Statement::Act(one) => ("act", brief(&one.to_string())),
                Statement::Expect(_) | Statement::ExpectError(_) => {
                    ("expect", statement.to_string())
                }
                Statement::Check(_) => ("check", statement.to_string()),
                Statement::Solution => ("solution", statement.to_string()),
                _ => ("setting", statement.to_string()),
            };
            act += usize::from(kind == "act");
            if kind == "solution" {
                solution = true;
                acts = Some(act);
            }
            lines.push(Line { line: number, kind, act, solution, text });
        }
        let acts = acts.unwrap_or(act);
        Self {
            problems: Vec::new(),
            title: scenario.title().map(str::to_owned),
            acts,
            solution_acts: act - acts,
            lines,
            text: scenario.to_string(),
        }
    }
}

/// A line as a list shows it; all of it is in the text.
fn brief(line: &str) -> String {
    const MOST: usize = 1_000;
    if line.len() <= MOST {
        return line.to_owned();
    }
    line.chars().take(MOST).chain(['…']).collect()
}

fn read(text: &str) -> Result<Scenario, Thrown> {
    Scenario::parse(text).map_err(|problems| {
        let first = problems.first().map(ToString::to_string).unwrap_or_default();
        Error::loglanes(format!("The scenario cannot be read: {first}"))
            .with_hint("Nothing of it was done.")
            .into()
    })
}

/// Reads a scenario without doing anything: what is wrong with it, or what is in it.
#[wasm_bindgen(js_name = readScenario)]
pub fn read_scenario(text: &str) -> Result<JsScenario, Thrown> {
    to_js(&match Scenario::parse(text) {
        Ok(scenario) => View::of(&scenario),
        Err(problems) => View { problems, ..View::default() },
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CommandsView<'a> {
    script: &'a str,
    files: Vec<&'a str>,
    not_carried: &'a [NotCarried],
    zip: serde_bytes::ByteBuf,
}

/// A scenario as commands of Kafka's own tools, for a real cluster; with `solution` those of its
/// solution too. Throws a `LoglanesError` where the text cannot be read, and where its records are
/// too many for a script.
#[wasm_bindgen(js_name = scenarioCommands)]
pub fn scenario_commands(text: &str, solution: Option<bool>) -> Result<JsCommands, Thrown> {
    let commands = Commands::of(&read(text)?, solution == Some(true))?;
    to_js(&CommandsView {
        script: commands.script(),
        files: commands.files().map(|(name, _)| name).collect(),
        not_carried: commands.not_carried(),
        zip: commands.zip()?.into(),
    })
}

#[wasm_bindgen]
impl Loglanes {
    /// A scenario's cluster after so many of its acts, all of them without a number, and what was
    /// found on the way. With `solution` the acts of the solution follow. It takes the place of
    /// what this holds. Throws a `LoglanesError` where the text cannot be read; then nothing has
    /// changed.
    #[wasm_bindgen(js_name = loadScenario)]
    pub fn load_scenario(
        &mut self,
        text: &str,
        #[wasm_bindgen(unchecked_param_type = "number | null | undefined")] acts: &JsValue,
        solution: Option<bool>,
    ) -> Result<JsScenarioReport, Thrown> {
        let most = if acts.is_null() || acts.is_undefined() {
            usize::MAX
        } else {
            count("The number of acts", acts)?
        };
        if self.session.job().is_some() {
            return Err(Error::loglanes("An act has to wait while records go into a topic.")
                .with_hint("Wait until it is done, or cancel it.")
                .into());
        }
        let scenario = read(text)?;
        let (mut player, first) = Player::new(&scenario);
        if solution == Some(true) {
            player.solve();
        }
        let mut report = Report::default();
        report.add(first);
        let mut last = None;
        while (report.acts as usize) < most {
            match player.step() {
                Ok(Some(step)) => {
                    report.add(step.clone());
                    last = Some(step);
                }
                Ok(None) => break,
                Err(stopped) => {
                    report.stopped = Some(*stopped);
                    break;
                }
            }
        }
        let Report { acts, findings, notes, stopped } = report;
        let now = player.now_ms() as f64;
        *self = Self::of(player.into_session());
        to_js(&Ran { acts, findings, notes, stopped, last, now })
    }

    /// What the `check` lines of a scenario find in this cluster, however it came about.
    pub fn check(&self, text: &str, now: f64) -> Result<JsFindings, Thrown> {
        to_js(&check(&read(text)?, &self.session, self.session.now(ms(now))))
    }

    /// All that was done as a scenario that does it again. Throws where the first steps are no
    /// longer kept, and where the text would be too long.
    #[wasm_bindgen(js_name = historyText)]
    pub fn history_text(&self) -> Result<String, Thrown> {
        Ok(history_text(&self.session)?)
    }
}

/// A scenario on its way, act by act.
#[wasm_bindgen]
pub struct ScenarioPlayer {
    player: Player,
    first: Option<StepReport>,
}

#[wasm_bindgen]
impl ScenarioPlayer {
    /// Throws a `LoglanesError` where the text cannot be read.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str) -> Result<ScenarioPlayer, Thrown> {
        let (player, first) = Player::new(&read(text)?);
        Ok(Self { player, first: Some(first) })
    }

    /// What stands before the first act, then one act after the other; null at the end. Throws the
    /// refusal of an act that no line expected to be refused; then the run is over.
    pub fn step(&mut self) -> Result<JsScenarioStep, Thrown> {
        if let Some(first) = self.first.take() {
            return to_js(&Some(first));
        }
        match self.player.step() {
            Ok(step) => to_js(&step),
            Err(stopped) => Err(Error::loglanes(format!(
                "line {}, column {}: {} is refused: {}",
                stopped.line, stopped.column, stopped.text, stopped.refusal.message
            ))
            .with_hint(stopped.hint)
            .into()),
        }
    }

    /// Lets the lines of the solution follow.
    pub fn solve(&mut self) {
        self.player.solve();
    }

    /// The caller's clock of the scenario, ms since 1970.
    #[wasm_bindgen(getter)]
    pub fn now(&self) -> f64 {
        self.player.now_ms() as f64
    }

    /// The cluster as it is, to go on with; the player is spent.
    pub fn take(self) -> Loglanes {
        Loglanes::of(self.player.into_session())
    }
}
