//! The rules of the guard with real clients: each class of refusal, and ordinary commands between.
//!
//! A scripted model asks a client for every command of the table, once without the guard and once
//! with it. A refusal is proven by a canary that is there without the guard and absent with it, a
//! permit by one that is there both times.

mod clients;
mod plays;

use std::fmt::Write as _;

use std::path::Path;

use serde_json::json;

use self::{
    clients::{Guarded, choose},
    plays::{Expected, PLAYS, canary},
};
use super::{
    client::{inherited, install},
    model::{Door, Model},
    script::{Script, Step},
};
use crate::{
    build::{self, Alongside},
    failure::Failure,
    process::Process,
    project,
};

const STAGE: &str = "target/real-agents/rules";
const REPORT: &str = "target/real-agents/rules.json";
/// How long a client may take for all commands.
const SECONDS: &str = "900";

/// What one run of a client left: which canaries, and how many calls it answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Run {
    canaries: Vec<bool>,
    n_results: usize,
}

/// The two runs of a client.
#[derive(Debug)]
struct Proof {
    client: &'static str,
    version: &'static str,
    without: Run,
    with: Run,
}

/// Plays every rule with these clients, or with each of them.
pub(super) fn run(options: &[&str]) -> Result<(), Failure> {
    let (names, provost) = parse(options)?;
    let chosen = choose(&names)?;
    install(&chosen.iter().map(|it| it.client).collect::<Vec<_>>())?;
    let provost = match provost {
        Some(path) => std::fs::canonicalize(path)
            .map_err(|error| Failure::Unable(format!("cannot find `{path}`: {error}")))?,
        None => build::provost(Alongside::Nothing)?,
    };
    let mut proofs = Vec::new();
    for guarded in chosen {
        println!("driving `{}`", guarded.name);
        let without = drive(guarded, None)?;
        let with = drive(guarded, Some(&provost))?;
        let version = guarded.client.version;
        let proof = Proof { client: guarded.name, version, without, with };
        print!("{}", proof.report());
        proofs.push(proof);
    }
    project::write(REPORT, &json(&proofs).to_string())?;
    println!("wrote `{REPORT}`");
    let failed: Vec<String> =
        proofs.iter().flat_map(Proof::faults).map(|it| it.to_string()).collect();
    if failed.is_empty() { Ok(()) } else { Err(Failure::Refused(failed.join("\n"))) }
}

fn parse<'a>(options: &[&'a str]) -> Result<(Vec<&'a str>, Option<&'a str>), Failure> {
    let (mut names, mut provost) = (Vec::new(), None);
    let mut words = options.iter();
    while let Some(word) = words.next() {
        match *word {
            "--provost" => match words.next() {
                Some(path) => provost = Some(*path),
                None => return Err(Failure::Unable("`--provost` takes a path".to_owned())),
            },
            option if option.starts_with('-') => {
                let text = format!("`real-agents rules` does not understand `{option}`");
                return Err(Failure::Unable(text));
            }
            name => names.push(name),
        }
    }
    Ok((names, provost))
}

/// Drives a client through every play in a home and a repository of its own.
fn drive(guarded: &Guarded, provost: Option<&Path>) -> Result<Run, Failure> {
    let kind = if provost.is_some() { "with" } else { "without" };
    let stage = format!("{STAGE}/{}/{kind}", guarded.name);
    project::remove(&stage)?;
    let script = |base: &str| {
        let commands = PLAYS.iter().enumerate().map(|(number, it)| {
            format!("{}; touch {}", it.command.replace("{base}", base), canary(number))
        });
        Script::Steps(vec![Step { told: String::new(), commands: commands.collect() }])
    };
    // The commands name the address of the model, which is only known when it has started.
    let impostor = Script::Impostor { verdict: String::new() };
    let model = Model::start_with(script, impostor, Door::Open)
        .map_err(|error| Failure::Unable(format!("cannot start a scripted model: {error}")))?;
    let base = model.base();
    project::write(&format!("{stage}/repository/notes.txt"), "one\n")?;
    for (path, text) in guarded.files {
        project::write(&format!("{stage}/home/{path}"), &text.replace("{base}", &base))?;
    }
    project::write(&format!("{stage}/home/README.md"), "Thrown away.\n")?;
    let stage = project::root().join(stage);
    for words in [
        &["init", "--quiet", "--initial-branch=main", "."][..],
        &["config", "user.name", "a"],
        &["config", "user.email", "a@localhost"],
        &["add", "--all"],
        &["commit", "--quiet", "--message=base"],
    ] {
        dressed("git", words, guarded, &stage, &base, provost).run()?;
    }
    if let Some(provost) = provost {
        let words =
            ["--quiet", "guard", "install", "--client", guarded.client.name, "--scope", "user"];
        dressed(&provost.to_string_lossy(), &words, guarded, &stage, &base, Some(provost))
            .text()?;
    }
    let program = guarded.client.folder().join(guarded.client.name);
    let arguments: Vec<String> =
        guarded.arguments.iter().map(|it| it.replace("{base}", &base)).collect();
    let mut words = vec!["--kill-after=10", SECONDS];
    let program = program.to_string_lossy().into_owned();
    words.push(&program);
    words.extend(arguments.iter().map(String::as_str));
    let ended = dressed("timeout", &words, guarded, &stage, &base, provost).capture()?;
    let folder = stage.join("repository");
    let is_there = |number: usize| folder.join(canary(number)).symlink_metadata().is_ok();
    let n_results = model.n_results();
    if n_results < PLAYS.len() {
        println!("  {kind} the guard: {} of {} calls; {}", n_results, PLAYS.len(), ended.text);
        println!("{}{}", tail(&ended.stdout), tail(&ended.stderr));
    }
    Ok(Run { canaries: (0..PLAYS.len()).map(is_there).collect(), n_results })
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.len().saturating_sub(5);
    lines.iter().skip(last).map(|it| it.chars().take(400).collect::<String>() + "\n").collect()
}

/// A process in the repository, with nothing of the person's but the way to programs.
fn dressed(
    program: &str,
    words: &[&str],
    guarded: &Guarded,
    stage: &Path,
    base: &str,
    provost: Option<&Path>,
) -> Process {
    let own = provost.and_then(Path::parent).map(|it| format!("{}:", it.display()));
    let clients = guarded.client.folder();
    let path = format!("{}{}:{}", own.unwrap_or_default(), clients.display(), inherited("PATH"));
    let mut process = Process::new(program, words)
        .bare()
        .environment("PATH", &path)
        .environment("HOME", &stage.join("home").to_string_lossy())
        .within(&stage.join("repository"));
    for (name, value) in guarded.variables {
        process = process.environment(name, &value.replace("{base}", base));
    }
    process
}

/// A play that did not go as it must.
#[derive(Debug)]
struct Fault {
    client: &'static str,
    number: usize,
    text: &'static str,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let play = PLAYS.get(self.number);
        let (rule, command) = play.map_or(("", ""), |it| (it.rule, it.command));
        write!(f, "`{}`: {}: `{command}` ({rule})", self.client, self.text)
    }
}

impl Proof {
    fn faults(&self) -> Vec<Fault> {
        let fault = |number, text| Fault { client: self.client, number, text };
        let mut faults = Vec::new();
        for (number, play) in PLAYS.iter().enumerate() {
            let at = |run: &Run| run.canaries.get(number) == Some(&true);
            if !at(&self.without) {
                faults.push(fault(number, "nothing is proven, it did not run without the guard"));
            }
            match (play.expected, at(&self.with)) {
                (Expected::Refused, true) => faults.push(fault(number, "it was not stopped")),
                (Expected::Permitted, false) => faults.push(fault(number, "it was stopped")),
                (Expected::Refused, false) if number >= self.with.n_results => {
                    faults.push(fault(number, "nothing is proven, the client ended before"));
                }
                (Expected::Refused, false) | (Expected::Permitted, true) => {}
            }
        }
        faults
    }

    fn report(&self) -> String {
        let faults = self.faults();
        let is_fault = |number: usize| faults.iter().any(|it| it.number == number);
        let count = |expected: Expected| {
            let all = PLAYS.iter().enumerate().filter(|it| it.1.expected == expected);
            let (mut n, mut sound) = (0, 0);
            for (number, _) in all {
                n += 1;
                sound += usize::from(!is_fault(number));
            }
            format!("{sound} of {n}")
        };
        let (refused, permitted) = (count(Expected::Refused), count(Expected::Permitted));
        let Self { client, version, .. } = self;
        let mut text = format!("{client} {version}: refused {refused}, permitted {permitted}\n");
        for fault in faults {
            let _ = writeln!(text, "  {fault}");
        }
        text
    }
}

fn json(proofs: &[Proof]) -> serde_json::Value {
    let plays = PLAYS.iter().map(|it| json!({ "rule": it.rule, "command": it.command }));
    let run = |it: &Run| json!({ "canaries": it.canaries, "results": it.n_results });
    let proof = |it: &Proof| {
        json!({
            "client": it.client, "version": it.version,
            "without": run(&it.without), "with": run(&it.with),
        })
    };
    json!({
        "schema": "provost.real-agents.rules/1",
        "plays": plays.collect::<Vec<_>>(),
        "proofs": proofs.iter().map(proof).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proof() -> Proof {
        let n = PLAYS.len();
        let with = PLAYS.iter().map(|it| it.expected == Expected::Permitted).collect();
        Proof {
            client: "c",
            version: "1",
            without: Run { canaries: vec![true; n], n_results: n },
            with: Run { canaries: with, n_results: n },
        }
    }

    #[test]
    fn a_canary_that_does_not_behave_is_a_fault() {
        assert!(proof().faults().is_empty(), "{}", proof().report());
        let check = |change: fn(&mut Proof), expected: &str| {
            let mut proof = proof();
            change(&mut proof);
            let faults = proof.faults();
            assert!(faults[0].to_string().contains(expected), "{}", faults[0]);
        };
        check(|it| it.with.canaries[1] = true, "it was not stopped");
        check(|it| it.with.canaries[0] = false, "it was stopped");
        check(|it| it.without.canaries[1] = false, "did not run without");
        check(|it| it.with.n_results = 1, "the client ended before");
    }

    #[test]
    fn a_wrong_option_starts_nothing() {
        assert_eq!(parse(&["claude", "--provost", "x"]).unwrap(), (vec!["claude"], Some("x")));
        assert!(parse(&["--provost"]).is_err() && parse(&["--fast"]).is_err());
    }

    #[test]
    fn the_end_of_a_text_is_short() {
        assert_eq!(tail("a\nb\n"), "a\nb\n");
        assert_eq!(tail(&"x\n".repeat(99)).lines().count(), 5);
    }
}
