//! Runs scenarios from files and says what they found: `cargo run --example scenario -- FILE…`.
//!
//! Of a lesson also whether its task is left to do, and whether its solution does it.

use std::process::ExitCode;

use loglanes::scenario::{Finding, Player, Scenario, check};

fn main() -> ExitCode {
    let mut is_well = true;
    for path in std::env::args().skip(1) {
        println!("{path}");
        is_well &= match std::fs::read_to_string(&path) {
            Ok(text) => tell(&text),
            Err(error) => {
                println!("  {error}");
                false
            }
        };
    }
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn tell(text: &str) -> bool {
    let scenario = match Scenario::parse(text) {
        Ok(scenario) => scenario,
        Err(problems) => {
            problems.iter().for_each(|problem| println!("  {problem}"));
            return false;
        }
    };
    let (mut player, first) = Player::new(&scenario);
    let mut is_well = true;
    let mut show = |finding: &Finding| {
        is_well &= finding.met;
        let sign = if finding.met { "ok  " } else { "FAIL" };
        println!("  {sign} line {}: {} (there is: {})", finding.line, finding.text, finding.found);
    };
    first.findings.iter().for_each(&mut show);
    let mut reports = vec![player.finish()];
    let before = check(&scenario, player.session(), player.now_ms());
    player.solve();
    reports.push(player.finish());
    reports.iter().flat_map(|report| &report.findings).for_each(&mut show);
    check(&scenario, player.session(), player.now_ms()).iter().for_each(&mut show);
    if !before.is_empty() && before.iter().all(|finding| finding.met) {
        println!("  FAIL nothing is left to do: every check holds before the solution");
        is_well = false;
    }
    if let Some(stopped) = reports.iter().find_map(|report| report.stopped.as_ref()) {
        println!(
            "  FAIL line {}: {} is refused: {} {}",
            stopped.line, stopped.text, stopped.refusal.message, stopped.hint
        );
        return false;
    }
    is_well
}
