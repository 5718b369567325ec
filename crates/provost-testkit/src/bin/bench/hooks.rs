//! One hook of the binary that is shipped, against a trivial program that is told the same.
//!
//! A client starts a hook before every call of a tool and waits for it, so what counts is the
//! median of single runs, each from the start of the process to its end.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::Path,
    process::Stdio,
    thread,
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use provost_testkit::{Place, command};
use serde_json::Value;

use super::{Comparison, Goal, compare_medians};

/// Payloads of Claude Code, as it sent them.
const TOOL: &str =
    include_str!("../../../../../fixtures/guard/real/claude-code-2.1.197/PreToolUse.0.json");
const START: &str =
    include_str!("../../../../../fixtures/guard/real/claude-code-2.1.197/SubagentStart.0.json");
const STOP: &str =
    include_str!("../../../../../fixtures/guard/real/claude-code-2.1.197/SubagentStop.0.json");

const END: &str =
    include_str!("../../../../../fixtures/guard/real/claude-code-2.1.197/SessionEnd.0.json");

/// The folder that the payloads speak of.
const PROJECT: &str = "/home/user/project";

/// The agent and the sessions that they speak of.
const AGENT: &str = "a9fa68e61a23b0e76";
const SESSION: &str = "28aae1af-4301-4fb5-a5e0-695688bdc695";
const ENDED: &str = "977f55ae-4536-49c0-8ac2-b1f52ec10119";

/// How many agents a session starts: as many are in the state at most.
const AGENTS: usize = 10;

/// What a person has added to the built-in rules.
const RULES: &str = include_str!("../../../../../fixtures/guard/rules.toml");

/// How long a file must have rested before its times prove that it has not changed since.
const RESTED: Duration = Duration::from_millis(2_100);

const RUNS: u32 = 500;

pub(super) fn measure(provost: &Path, trivial: &Path) -> Vec<Value> {
    let ground = Ground::new(provost, trivial);
    let tool = ground.payload(TOOL);
    let baseline = || ground.trivial(&tool);
    let stateless = compare_medians(RUNS, || ground.hook("pre-tool-use", &tool), baseline);

    let moments = ground.session();
    let mut turns = moments.iter().cycle();
    let state = || {
        let (kind, payload) = turns.next().expect("a cycle has no end");
        ground.hook(kind, payload);
    };
    let stateful = compare_medians(RUNS, state, || ground.trivial(&moments[0].1));
    ground.check_state();

    let baseline = "a trivial static program, started the same way";
    vec![
        Comparison {
            name: "hook_pre_tool_use",
            what: "`provost hook` before a tool, recorded; median (2 is wished for)",
            baseline,
            goal: Goal::TimeAtMost(2.5),
        }
        .result(&stateless),
        Comparison {
            name: "hook_state_write",
            what: "`provost hook` with one durable write of state; median",
            baseline,
            goal: Goal::TimeAtMost(4.0),
        }
        .result(&stateful),
    ]
}

/// A project with a home whose policy is compiled.
struct Ground<'a> {
    /// Gone with the ground.
    _place: Place,
    project: Utf8PathBuf,
    home: Utf8PathBuf,
    provost: &'a Path,
    trivial: &'a Path,
}

impl<'a> Ground<'a> {
    fn new(provost: &'a Path, trivial: &'a Path) -> Self {
        let place = Place::new();
        let project = place.path().canonicalize_utf8().expect("a real path");
        let home = project.join(".provost");
        // A repository is where the rules of a project are looked for.
        create(&project.join(".git"));
        create(&home);
        write(&project.join("provost.toml"), RULES);
        thread::sleep(RESTED);
        let ground = Self { _place: place, project, home, provost, trivial };
        // The first hook compiles the policy.
        ground.hook("pre-tool-use", &ground.payload(TOOL));
        let policy = fs::read_to_string(ground.home.join("guard/policy.json"));
        assert!(policy.expect("a policy").contains("\"generated\""), "the rules were not found");
        ground
    }

    /// A payload about this project.
    fn payload(&self, text: &str) -> String {
        text.replace(PROJECT, self.project.as_str())
    }

    /// A session in which agents start and end: each payload is one durable write of the state.
    fn session(&self) -> Vec<(&'static str, String)> {
        let agents = (0..AGENTS).flat_map(|number| {
            let id = format!("agent{number}");
            let of = |text: &str| self.payload(text).replace(AGENT, &id);
            [("subagent-start", of(START)), ("subagent-stop", of(STOP))]
        });
        let end = self.payload(END).replace(ENDED, SESSION);
        agents.chain([("session-end", end)]).collect()
    }

    fn hook(&self, kind: &str, payload: &str) {
        let home = self.home.as_str();
        let arguments = ["hook", "--client", "claude", "--type", kind, "--home", home];
        self.run(self.provost, &arguments, payload);
    }

    fn trivial(&self, payload: &str) {
        self.run(self.trivial, &[], payload);
    }

    /// Starts a program, tells it the payload, and waits for its answer and its end.
    fn run(&self, program: &Path, arguments: &[&str], payload: &str) {
        let mut child = command(program)
            .args(arguments)
            .env_clear()
            .env("HOME", &self.project)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a program");
        let mut input = child.stdin.take().expect("a pipe");
        input.write_all(payload.as_bytes()).expect("a reader");
        drop(input);
        let mut answer = String::new();
        child.stdout.take().expect("a pipe").read_to_string(&mut answer).expect("a text");
        assert!(child.wait().expect("an end").success() && answer.is_empty(), "{answer}");
    }

    /// What was measured must have happened: a hook that could not write would be quick.
    fn check_state(&self) {
        let text = fs::read_to_string(self.home.join("guard/subagent-tracking.json"))
            .expect("the tracked state");
        let state: Value = serde_json::from_str(&text).expect("a whole file");
        let count = |name: &str| state[name].as_u64().expect("a count");
        let written = count("total_spawned") + count("total_completed");
        // The rest are ends of sessions.
        assert!(written > u64::from(RUNS) * 9 / 10, "only {written} writes");
        let listed = state["agents"].as_array().expect("a list").len();
        assert!(listed <= AGENTS, "{listed} agents");
    }
}

#[expect(clippy::disallowed_methods, reason = "a measurement prepares its ground by hand")]
fn create(path: &Utf8Path) {
    fs::create_dir_all(path).expect("a folder");
}

#[expect(clippy::disallowed_methods, reason = "a measurement prepares its ground by hand")]
fn write(path: &Utf8Path, text: &str) {
    fs::write(path, text).expect("a file");
}
