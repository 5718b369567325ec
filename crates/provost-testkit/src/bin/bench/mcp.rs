//! What a client of `provost mcp` waits for: the handshake, and calls over standard input and
//! output, against a ping, which is the protocol alone.
//!
//! One server with 30 plans answers all of them, so its memory at the end is that of a server in
//! use. Two others, with 1 and 300 plans, show how a status grows.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{ChildStdin, ChildStdout, Stdio},
    time::{Duration, Instant},
};

use provost_desk::story::Stories;
use provost_testkit::{Ended, Place, command, story};
use provost_vault::SystemClock;
use serde_json::{Value, json};

use super::{Comparison, Goal, Times};

const READS: u32 = 200;
/// A report looks at the worktree with git, so fewer are enough.
const REPORTS: u32 = 20;
/// What a server may hold in memory, in MB.
const MEMORY: f64 = 25.0;

const PLAN: &str = "# Bench\n\n### US-001: Greet\n\n**Acceptance Criteria**\n- it says hello\n";

pub(super) fn measure(provost: &Path) -> Vec<Value> {
    // One of the plans is real: it can be updated.
    let mut server = Server::start(provost, 29);
    let started = server.call("ralph_start", &json!({"prdPath": "plan.md"}));
    assert_eq!(started["isError"], false, "{started}");
    let ping = server.times(READS, |it| it.ask("ping", &json!({})));
    let initialize = server.times(READS, |it| it.ask("initialize", &handshake()));
    let status = server.times(READS, |it| it.call("ralph_status", &json!({})));
    let get = server.times(READS, |it| it.call("ralph_get", &json!({"branch": "ralph/plan"})));
    let note = |branch: &str| json!({"storyId": "US-001", "branch": branch, "passes": false, "notes": "n"});
    let mut report = note("ralph/plan");
    report["filesChanged"] = json!(1);
    let update = server.times(REPORTS, |it| it.call("ralph_update", &report));
    let notes = server.times(READS, |it| it.call("ralph_update", &note("ralph/plan")));
    let memory = server.memory();
    let (mut one, mut many) = (Server::start(provost, 1), Server::start(provost, 300));
    let small = one.times(READS, |it| it.call("ralph_status", &json!({})));
    let large = many.times(READS, |it| it.call("ralph_status", &json!({})));
    // The same plan among 30 and among 300.
    let one_plan = json!({"branch": "e5"});
    let few_get = server.times(READS, |it| it.call("ralph_get", &one_plan));
    let many_get = many.times(READS, |it| it.call("ralph_get", &one_plan));
    let few_notes = server.times(READS, |it| it.call("ralph_update", &note("ralph/e5")));
    let many_notes = many.times(READS, |it| it.call("ralph_update", &note("ralph/e5")));

    let mut results = Vec::new();
    for (names, what, times, goals) in [
        (["mcp_initialize_p50", "mcp_initialize_p99"], "the handshake", initialize, [20.0, 100.0]),
        (
            ["mcp_status_p50", "mcp_status_p99"],
            "`ralph_status` of 30 plans",
            status.clone(),
            [5.0, 25.0],
        ),
        (["mcp_get_p50", "mcp_get_p99"], "`ralph_get` of a plan", get, [5.0, 25.0]),
        (["mcp_note_p50", "mcp_note_p99"], "`ralph_update` with a note", notes, [5.0, 25.0]),
        (
            ["mcp_update_p50", "mcp_update_p99"],
            "`ralph_update` that is measured and claims nothing",
            update,
            [500.0, 2000.0],
        ),
    ] {
        for (name, goal, share) in [(names[0], goals[0], 50), (names[1], goals[1], 99)] {
            let (ours, baseline) = (percentile(&times, share), percentile(&ping, share));
            let comparison =
                Comparison { name, what, baseline: "a ping", goal: Goal::Milliseconds(goal) };
            results.push(comparison.result(&Times { ours, baseline, count: 1 }));
        }
    }
    for (name, what, baseline, times) in [
        (
            "mcp_status_30",
            "`ralph_status` of 30 plans",
            "the same with 1",
            (percentile(&status, 50), percentile(&small, 50), 30.0),
        ),
        (
            "mcp_status_300",
            "`ralph_status` of 300 plans",
            "the same with 30",
            (percentile(&large, 50), percentile(&status, 50), 2.0),
        ),
        (
            "mcp_get_300",
            "`ralph_get` among 300 plans",
            "the same among 30",
            (percentile(&many_get, 50), percentile(&few_get, 50), 2.0),
        ),
        (
            "mcp_note_300",
            "a note among 300 plans",
            "the same among 30",
            (percentile(&many_notes, 50), percentile(&few_notes, 50), 2.0),
        ),
    ] {
        let (ours, other, most) = times;
        let comparison = Comparison { name, what, baseline, goal: Goal::TimeAtMost(most) };
        results.push(comparison.result(&Times { ours, baseline: other, count: 1 }));
    }
    results.push(json!({
        "name": "mcp_memory",
        "what": "resident memory of the server with 30 plans after all of this; the figures are MB",
        "baseline": "what it may hold",
        "ours_per_second": memory,
        "baseline_per_second": MEMORY,
        "ratio": memory / MEMORY,
        "goal": format!("<= 1 (of {MEMORY} MB)"),
        "met": memory <= MEMORY,
        "count": 1,
    }));
    results
}

fn handshake() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    })
}

fn percentile(times: &[Duration], share: usize) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let last = sorted.len().saturating_sub(1);
    sorted.get((sorted.len() * share / 100).min(last)).copied().unwrap_or_default()
}

/// A server in a repository with so many plans.
struct Server {
    /// Gone with the server.
    _place: Place,
    child: Ended,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Server {
    fn start(provost: &Path, n_plans: u32) -> Self {
        let place = Place::new();
        write(place.path().join("plan.md").as_std_path(), PLAN);
        let script =
            "git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm base";
        let made = command("sh").args(["-ec", script]).current_dir(place.path()).status();
        assert!(made.expect("a shell").success());
        let layout = place.layout();
        let mut stories = Stories::open(&layout, &SystemClock).expect("stories");
        for number in 0..n_plans {
            let id = format!("e{number}");
            stories.record(story::started(&id)).expect("a beginning");
            stories.record(story::updated(&id)).expect("an update");
        }
        drop(stories);
        let mut child = command(provost)
            .args(["mcp", "--home", place.home().as_str()])
            .current_dir(place.path())
            .env("HOME", place.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a server");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut server = Self { _place: place, child: Ended(child), input, output, last: 0 };
        server.ask("initialize", &handshake());
        server
    }

    /// Sends a request and waits for its answer.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let id = self.last;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.input.write_all(format!("{request}\n").as_bytes()).expect("a reader");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("an answer");
        let answer: Value = serde_json::from_str(&line).expect("a message");
        assert!(answer["id"] == id && answer.get("error").is_none(), "{line}");
        answer["result"].clone()
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Value {
        let result = self.ask("tools/call", &json!({"name": name, "arguments": arguments}));
        assert_eq!(result["isError"], false, "{result}");
        result
    }

    fn times(&mut self, count: u32, mut act: impl FnMut(&mut Self) -> Value) -> Vec<Duration> {
        // The first makes folders and warms caches.
        act(self);
        let mut time = || {
            let start = Instant::now();
            act(self);
            start.elapsed()
        };
        (0..count).map(|_| time()).collect()
    }

    /// What the server holds in memory, in MB.
    fn memory(&self) -> f64 {
        let path = format!("/proc/{}/status", self.child.0.id());
        let text = fs::read_to_string(path).expect("a process");
        let line = text.lines().find_map(|it| it.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|it| it.split_whitespace().next()?.parse::<f64>().ok());
        kilobytes.expect("a figure") / 1024.0
    }
}

#[expect(clippy::disallowed_methods, reason = "a measurement prepares its ground by hand")]
fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("a file");
}
