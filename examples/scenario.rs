//! Runs scenarios from files and says what they found: `cargo run --example scenario -- FILE…`.
//!
//! Of a lesson also whether its task is left to do, and whether its solution does it.
//!
//! `-- --commands FOLDER FILE` leaves in a new folder what does the same on a real cluster, and says
//! what is not carried over; with `--solution` before the file also what its solution does.

use std::path::Path;
use std::process::ExitCode;

use loglanes::scenario::{Commands, Finding, Player, Scenario, check};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--commands", folder, "--solution", file] => return leave(folder, file, true),
        ["--commands", folder, file] => return leave(folder, file, false),
        _ => {}
    }
    let mut is_well = true;
    for path in arguments {
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

fn leave(folder: &str, file: &str, with_solution: bool) -> ExitCode {
    match commands(Path::new(folder), file, with_solution) {
        Ok(told) => {
            println!("{told}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            println!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn commands(folder: &Path, file: &str, with_solution: bool) -> Result<String, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let scenario = Scenario::parse(&text).map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(|one| format!("  {one}")).collect();
        format!("{file}\n{}", problems.join("\n"))
    })?;
    let commands = Commands::of(&scenario, with_solution).map_err(|error| error.to_string())?;
    if folder.exists() {
        return Err(format!("{} is there already", folder.display()));
    }
    for (name, content) in commands.files() {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, content))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let lost = commands.not_carried().iter();
    let lost = lost.map(|one| format!("  line {}: {}: {}\n", one.line, one.text, one.why));
    let lost: String = lost.collect();
    let run = folder.join("run.sh");
    Ok(format!("{}\nNot carried over:\n{lost}", run.display()))
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
