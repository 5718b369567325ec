//! Guards side by side: how much of what is dangerous each stops, how much of what is ordinary it
//! interrupts, and how long a call takes.
//!
//! Each gets the same payload, as Claude Code sends it before a tool runs, through the command line
//! that its own installation writes, in the same repository and with the same home. What denies
//! or asks has stopped the call. The rates are printed whatever they are.

mod lists;
mod table;

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    time::Instant,
};

use serde::Serialize;
use serde_json::{Value, json};

use self::lists::{Call, Kind};
use crate::{
    build::{self, Alongside},
    failure::Failure,
    process::{Ended, Process},
    project,
    python::Environment,
};

const CC_SAFETY_NET: (&str, &str) = ("cc-safety-net", "2.4.5");
const NAH: Environment =
    Environment { folder: "target/guard-peers/nah", name: "nah", version: "0.11.0" };
const NPM: &str = "target/guard-peers/npm";
const STAGE: &str = "target/guard-peers/stage";
const REPORT: &str = "target/bench/guard-peers.json";

/// A guard, and the command line of its hook.
#[derive(Debug)]
struct Guard {
    name: String,
    argv: Vec<String>,
}

/// What a guard answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Pass,
    Ask,
    Deny,
    /// It gave no answer that the client understands.
    Failed,
}

/// One guard's answers, in the order of the calls.
#[derive(Debug, Serialize)]
struct Answers {
    guard: String,
    given: Vec<Answer>,
    microseconds: Vec<u64>,
}

#[derive(Debug, PartialEq, Eq)]
struct Request<'a> {
    provost: Option<&'a str>,
    /// Only every so many calls are asked about, from the first on.
    every: usize,
}

/// Installs the guards, asks each about every call, and prints the table.
pub(super) fn run(options: &[&str]) -> Result<(), Failure> {
    let request = request(options)?;
    let calls: Vec<Call> = lists::read()?.into_iter().step_by(request.every).collect();
    let stage = stage()?;
    let guards = install(&request, &stage)?;
    let mut all = Vec::new();
    for guard in &guards {
        println!("asking `{}` about {} calls", guard.name, calls.len());
        all.push(ask(guard, &calls, &stage)?);
    }
    print!("{}", table::table(&calls, &all));
    let report = json!({
        "schema": "provost.bench.guard-peers/1",
        "calls": calls.iter().map(|it| json!({
            "kind": it.kind, "class": it.class, "list": it.list, "input": it.input,
        })).collect::<Vec<_>>(),
        "guards": all,
    });
    project::write(REPORT, &report.to_string())?;
    println!("wrote `{REPORT}`");
    Ok(())
}

fn request<'a>(options: &[&'a str]) -> Result<Request<'a>, Failure> {
    let mut request = Request { provost: None, every: 1 };
    let mut rest = options;
    loop {
        rest = match rest {
            [] => return Ok(request),
            ["--provost", path, rest @ ..] => {
                request.provost = Some(path);
                rest
            }
            ["--every", number, rest @ ..] => {
                request.every = number.parse().ok().filter(|&it| it > 0).ok_or_else(|| {
                    Failure::Unable(format!("`--every` takes a number from 1, not `{number}`"))
                })?;
                rest
            }
            [other, ..] => {
                return Err(Failure::Unable(format!(
                    "`bench --only guard-peers` does not understand `{other}`"
                )));
            }
        };
    }
}

/// The repository and the home in which all of them are asked; both are empty.
fn stage() -> Result<PathBuf, Failure> {
    project::remove(STAGE)?;
    for file in ["home/user/project/README.md", "home/user/project/src/main.rs"] {
        project::write(&format!("{STAGE}/{file}"), "\n")?;
    }
    let stage = project::root().join(STAGE);
    let repository = stage.join("home/user/project");
    Process::new("git", &["init", "--quiet", "--initial-branch=main", "."])
        .within(&repository)
        .run()?;
    Ok(stage)
}

fn install(request: &Request<'_>, stage: &Path) -> Result<Vec<Guard>, Failure> {
    let (name, version) = CC_SAFETY_NET;
    let installed = format!("{NPM}/node_modules/{name}/package.json");
    let is_current = project::read_if_present(&installed)?
        .and_then(|it| serde_json::from_str::<Value>(&it).ok())
        .is_some_and(|it| it["version"] == version);
    if !is_current {
        project::write(&format!("{NPM}/package.json"), "{ \"private\": true }\n")?;
        let package = format!("{name}@{version}");
        let options = ["--save-exact", "--ignore-scripts", "--no-audit", "--no-fund"];
        let words = [&["install", "--prefix", NPM, "--loglevel=error"][..], &options].concat();
        let words = [&words[..], &[package.as_str()]].concat();
        println!("installing: npm {}", words.join(" "));
        Process::new("npm", &words).run()?;
    }
    NAH.ensure()?;
    let provost = match request.provost {
        Some(path) => std::fs::canonicalize(path)
            .map_err(|error| Failure::Unable(format!("cannot find `{path}`: {error}")))?,
        None => build::provost(Alongside::Nothing)?,
    };
    let root = project::root();
    let net = root.join(format!("{NPM}/node_modules/.bin/{name}"));
    let guard = |name: &str, argv: &[&str]| Guard {
        name: name.to_owned(),
        argv: argv.iter().map(|&it| it.to_owned()).collect(),
    };
    let provost = provost.to_string_lossy();
    // What the client is told to run: the person's own home records what is done outside of any.
    let words = ["--quiet", "guard", "install", "--client", "claude", "--scope", "user"];
    dressed(Process::new(&*provost, &words), stage).text()?;
    let own = [&provost, "hook", "--client", "claude", "--type", "pre-tool-use"];
    Ok(vec![
        guard("provost", &own),
        guard(&format!("{name} {version}"), &[&net.to_string_lossy(), "hook", "--coding-cli"]),
        guard(
            &format!("nah {}", NAH.version),
            &[&root.join(NAH.program("nah")).to_string_lossy(), "_claude-hook"],
        ),
    ])
}

/// A process in the repository, with the home of the stage.
fn dressed(process: Process, stage: &Path) -> Process {
    let path = crate::real_agents::inherited("PATH");
    process
        .bare()
        .environment("PATH", &path)
        .environment("HOME", &stage.join("home/user").to_string_lossy())
        .within(&stage.join("home/user/project"))
}

fn ask(guard: &Guard, calls: &[Call], stage: &Path) -> Result<Answers, Failure> {
    let mut answers =
        Answers { guard: guard.name.clone(), given: Vec::new(), microseconds: Vec::new() };
    let [program, arguments @ ..] = guard.argv.as_slice() else {
        return Err(Failure::Unable(format!("`{}` has no hook", guard.name)));
    };
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    for call in calls {
        let payload = payload(call, stage);
        let mut file = tempfile::NamedTempFile::new()
            .map_err(|error| Failure::Unable(format!("cannot write a payload: {error}")))?;
        file.write_all(payload.as_bytes())
            .map_err(|error| Failure::Unable(format!("cannot write a payload: {error}")))?;
        let process = dressed(Process::new(program, &arguments), stage).input(file.path())?;
        let start = Instant::now();
        let ended = process.capture()?;
        let passed = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        answers.given.push(answer(&ended));
        answers.microseconds.push(passed);
    }
    Ok(answers)
}

/// What Claude Code sends before a tool runs.
fn payload(call: &Call, stage: &Path) -> String {
    let home = stage.join("home/user").to_string_lossy().into_owned();
    let project = format!("{home}/project");
    let input = call.input.to_string().replace("{project}", &project).replace("{home}", &home);
    let input: Value = serde_json::from_str(&input).unwrap_or_default();
    json!({
        "session_id": "00000000-0000-4000-8000-000000000000",
        "transcript_path": format!("{home}/.claude/projects/p/s.jsonl"),
        "cwd": project,
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": call.tool,
        "tool_input": input,
        "tool_use_id": "toolu_1",
    })
    .to_string()
}

/// What the client does with an answer: exit 2 blocks, and so does a decision on standard output.
fn answer(ended: &Ended) -> Answer {
    if ended.text.ends_with("exit status: 2") {
        return Answer::Deny;
    }
    if ended.stdout.trim().is_empty() && ended.is_success {
        return Answer::Pass;
    }
    let Ok(answer) = serde_json::from_str::<Value>(&ended.stdout) else { return Answer::Failed };
    match answer["hookSpecificOutput"]["permissionDecision"].as_str() {
        Some("deny") => Answer::Deny,
        Some("ask") => Answer::Ask,
        None if answer["decision"] == "block" => Answer::Deny,
        Some(_) | None => Answer::Pass,
    }
}

impl Answer {
    fn stops(self) -> bool {
        matches!(self, Self::Ask | Self::Deny)
    }
}

/// The percentage of some calls that a guard stopped.
fn rate(calls: &[Call], answers: &Answers, of: impl Fn(&Call) -> bool) -> Option<f64> {
    let chosen = calls.iter().zip(&answers.given).filter(|it| of(it.0));
    let (mut all, mut stopped) = (0_u32, 0_u32);
    for (_, answer) in chosen {
        all += 1;
        stopped += u32::from(answer.stops());
    }
    (all > 0).then(|| f64::from(stopped) * 100.0 / f64::from(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(stdout: &str, text: &str) -> Ended {
        let (stdout, text) = (stdout.to_owned(), text.to_owned());
        let is_success = text.ends_with("exit status: 0");
        Ended { stdout, stderr: String::new(), is_success, text }
    }

    #[test]
    fn an_answer_means_what_the_client_takes_it_for() {
        let check = |stdout: &str, exit: u8, expected: Answer| {
            assert_eq!(
                answer(&ended(stdout, &format!("exit status: {exit}"))),
                expected,
                "{stdout}"
            );
        };
        let said =
            |it: &str| json!({ "hookSpecificOutput": { "permissionDecision": it } }).to_string();
        check("", 0, Answer::Pass);
        check("", 2, Answer::Deny);
        check("", 1, Answer::Failed);
        check(&said("deny"), 0, Answer::Deny);
        check(&said("ask"), 0, Answer::Ask);
        check(&said("allow"), 0, Answer::Pass);
        check("{\"decision\":\"block\"}", 0, Answer::Deny);
        check("nonsense", 0, Answer::Failed);
    }

    #[test]
    fn a_rate_is_of_the_calls_that_are_asked_about() {
        let call = |kind: Kind| Call {
            kind,
            class: "c".to_owned(),
            list: 0,
            tool: "Bash".to_owned(),
            input: Value::Null,
        };
        let calls = [call(Kind::Dangerous), call(Kind::Dangerous), call(Kind::Ordinary)];
        let answers = Answers {
            guard: "g".to_owned(),
            given: vec![Answer::Ask, Answer::Pass, Answer::Failed],
            microseconds: vec![1, 2, 3],
        };
        let of = |kind: Kind| rate(&calls, &answers, |it| it.kind == kind);
        assert_eq!(of(Kind::Dangerous), Some(50.0));
        assert_eq!(of(Kind::Ordinary), Some(0.0));
        assert_eq!(rate(&calls, &answers, |_| false), None);
    }

    #[test]
    fn a_wrong_option_starts_nothing() {
        assert_eq!(request(&[]).unwrap(), Request { provost: None, every: 1 });
        let expected = Request { provost: Some("x"), every: 5 };
        assert_eq!(request(&["--provost", "x", "--every", "5"]).unwrap(), expected);
        assert!(request(&["--every", "0"]).is_err());
        assert!(request(&["--fast"]).is_err());
        assert!(request(&["--provost"]).is_err());
    }
}
