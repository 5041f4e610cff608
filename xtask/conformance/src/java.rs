//! Java and Maven: Kafka's jars, and the driver compiled against them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

/// The oldest Java that Kafka's broker runs on.
const JAVA: u32 = 17;

/// What is missing on this machine, in words; none if all is there.
pub fn missing() -> Option<String> {
    let mut wants = Vec::new();
    match java_version() {
        Some(version) if version >= JAVA => {
            if !runs("javac", "-version") {
                wants.push(format!("javac (here is a Java {version} without its compiler)"));
            }
        }
        Some(version) => wants.push(format!("Java {JAVA} or newer (here is {version})")),
        None => wants.push(format!("Java {JAVA} or newer (java and javac)")),
    }
    if !runs("mvn", "--version") {
        wants.push("Maven (mvn)".to_owned());
    }
    (!wants.is_empty()).then(|| {
        format!(
            "a comparison with a real broker needs {}\n  what to do: install them and put them on \
             the PATH (Debian, Ubuntu: `apt-get install openjdk-17-jdk-headless maven`)",
            wants.join(" and ")
        )
    })
}

fn runs(program: &str, argument: &str) -> bool {
    Command::new(program).arg(argument).output().is_ok_and(|output| output.status.success())
}

fn java_version() -> Option<u32> {
    let output = Command::new("java").arg("-version").output().ok()?;
    // `openjdk version "17.0.15" 2025-04-15`, on the error output.
    major(&String::from_utf8_lossy(&output.stderr))
}

fn major(said: &str) -> Option<u32> {
    let version = said.split('"').nth(1)?;
    let mut parts = version.split(['.', '-', '+']);
    match parts.next()?.parse().ok()? {
        1 => parts.next()?.parse().ok(),
        major => Some(major),
    }
}

/// Fetches Kafka and compiles the driver where that is not done yet. The class path.
pub fn class_path(home: &Path, work: &Path) -> Result<String> {
    if let Some(missing) = missing() {
        bail!("{missing}");
    }
    let jars = work.join("jars");
    let pom = home.join("pom.xml");
    // The pom that the jars were fetched for: another version of Kafka is fetched anew.
    let fetched = jars.join("pom.xml");
    if fs::read(&fetched).ok() != Some(fs::read(&pom)?) {
        println!("Fetching Apache Kafka with Maven");
        if jars.exists() {
            fs::remove_dir_all(&jars)?;
        }
        let mut maven = Command::new("mvn");
        maven.args(["--quiet", "--batch-mode", "--file"]).arg(&pom);
        maven.arg("dependency:copy-dependencies");
        maven.arg(format!("-DoutputDirectory={}", jars.display()));
        run(&mut maven, "see Maven's message above: it needs a way to a repository with Kafka")?;
        fs::copy(&pom, &fetched)?;
    }
    let classes = work.join("classes");
    if classes.exists() {
        fs::remove_dir_all(&classes)?;
    }
    let jars = format!("{}/*", jars.display());
    let mut javac = Command::new("javac");
    javac.args(["-Xlint:all,-serial,-classfile,-processing", "-encoding", "UTF-8", "-d"]);
    javac.arg(&classes).args(["-cp", &jars]).args(sources(&home.join("java"))?);
    run(&mut javac, "read the compiler's message above")?;
    let separator = if cfg!(windows) { ";" } else { ":" };
    Ok(format!("{}{separator}{jars}", classes.display()))
}

fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("no {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "java") {
            found.push(path);
        }
    }
    Ok(found)
}

fn run(command: &mut Command, advice: &str) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("{program} does not start"))?;
    if !status.success() {
        bail!("{program} failed\n  what to do: {advice}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::major;

    #[test]
    fn the_version_of_java_is_read_as_it_prints_it() {
        assert_eq!(major("openjdk version \"17.0.15\" 2025-04-15\n"), Some(17));
        assert_eq!(major("openjdk version \"21-ea\" 2023-09-19"), Some(21));
        assert_eq!(major("java version \"1.8.0_202\""), Some(8));
        assert_eq!(major("no java"), None);
    }
}
