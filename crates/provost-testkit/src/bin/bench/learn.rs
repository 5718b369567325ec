//! What learning costs: how much of a model server's throughput a run uses, and what a ticket
//! takes, in time and memory, when there are few and when there are many.

use std::{
    fs,
    ops::ControlFlow,
    path::Path,
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};

use provost_adapter::{
    Cancel,
    model::{ChatModel, ChatModelSettings, Model, ModelPool, RecordingModel},
};
use provost_kernel::{
    learn::{Label, Split},
    model::ModelRequest,
};
use provost_testkit::{
    Place, command, layout,
    learn::{ParsedPrompt, Said, Scripted, Server, World, judge, ticket},
};
use serde_json::{Value, json};

use super::{Comparison, Goal, Times};

const CONNECTIONS: usize = 64;
const DELAY: Duration = Duration::from_millis(50);
/// One answer for each ticket, and every verdict is right: this is about rollouts.
const ROLLOUTS: &str = "\
sampler.grid = [{temperature = 0.0}]
runner.epochs = 1
stage_b_distillation.enabled = false
";
/// What a child of this program does instead of measuring.
pub(super) const ROLE: &str = "--learn";

/// What one run took.
struct Cost {
    wall: Duration,
    peak_mib: f64,
}

pub(super) fn measure() -> Vec<Value> {
    // Between two batches no model is asked: the guidance may have changed. A run that wants all of
    // its connections has batches that are many times as large as their number: here 40 times.
    let large = "runner.rollout_batch_size = 2560\n";
    let names = ["learn-rollouts", "learn-rollouts-alone"];
    let mut results: Vec<Value> = throughput(names, 10_000, large, 0.95).into();
    let names = ["learn-rollouts-64", "learn-rollouts-64-alone"];
    results.extend(throughput(names, 10_000, "", 0.6));
    let [few, some, many] = [1_000, 10_000, 100_000].map(recorded);
    let per_ticket = |cost: &Cost, n: f64| cost.wall.as_secs_f64() / n;
    let row = |name: &str, what: &str, baseline: &str, ours: f64, other: f64, most: f64| {
        json!({"name": name, "what": what, "baseline": baseline, "ours_per_second": 1.0 / ours,
            "baseline_per_second": 1.0 / other, "ratio": ours / other,
            "goal": format!("<= {most}"), "met": ours / other <= most, "count": 1})
    };
    let memory = |name: &str, what: &str, cost: &Cost, most: f64| {
        json!({"name": name, "what": what, "baseline": "peak memory in MiB with 1,000",
            "ours_per_second": cost.peak_mib, "baseline_per_second": few.peak_mib,
            "ratio": cost.peak_mib / few.peak_mib, "goal": format!("<= {most}"),
            "met": cost.peak_mib / few.peak_mib <= most, "count": 1})
    };
    results.extend([
        row(
            "learn-time-10000",
            "time of a ticket with recorded answers, 10,000 tickets",
            "1,000 tickets",
            per_ticket(&some, 1e4),
            per_ticket(&few, 1e3),
            1.5,
        ),
        row(
            "learn-time-100000",
            "time of a ticket with recorded answers, 100,000 tickets",
            "10,000 tickets",
            per_ticket(&many, 1e5),
            per_ticket(&some, 1e4),
            1.5,
        ),
        memory("learn-memory-10000", "peak memory in MiB, 10,000 tickets", &some, 2.0),
        memory("learn-memory-100000", "peak memory in MiB, 100,000 tickets", &many, 4.0),
    ]);
    results
}

/// What a child does: one run over a folder, recorded or replayed.
pub(super) fn child(home: &str, run: &str) {
    let world = World::read(layout(home.into()));
    let recording = world.at("recorded").path().join("calls.jsonl");
    let report = if run == "recorded" {
        world.run(run, Arc::new(Scripted::new(right)), 4)
    } else {
        let model = RecordingModel::open(recording.as_std_path()).expect("a recording");
        world.run(run, Arc::new(model), 4)
    };
    assert!(report.is_ok(), "{report:?}");
}

/// Judges and has nothing to learn.
fn right(heard: &ParsedPrompt) -> Said {
    Said::Text(judge(heard))
}

fn tickets(n_tickets: usize) -> Vec<Value> {
    let of = |n: usize| {
        let is_broken = n.is_multiple_of(2);
        let (words, label): (&[&str], _) =
            if is_broken { (&["broken", "beta"], Label::Fail) } else { (&["beta"], Label::Pass) };
        ticket(n, words, label, Split::Learn)
    };
    (0..n_tickets).map(of).collect()
}

/// How much of what 64 connections and 50 ms allow a run uses, and how much of what the same
/// connections give to somebody who only asks, on this machine.
fn throughput(names: [&'static str; 2], n_tickets: u32, settings: &str, goal: f64) -> [Value; 2] {
    let place = Place::new();
    let tickets = tickets(usize::try_from(n_tickets).unwrap_or_default());
    let world = World::write(place.layout(), &tickets, &format!("{settings}{ROLLOUTS}"));
    let server = Server::start(DELAY, right);
    let model = || {
        let mut settings = ChatModelSettings::new(&server.base(), "m-1");
        settings.connections = CONNECTIONS;
        Arc::new(ChatModel::new("m-1", settings).expect("a model"))
    };
    let started = Instant::now();
    let report = world.run("r1", model(), CONNECTIONS).expect("a run");
    let ours = started.elapsed();
    assert_eq!(report.calls, u64::from(n_tickets));
    let pool = ModelPool::new(vec![(model() as Arc<dyn Model>, CONNECTIONS)], CONNECTIONS);
    let mut request = ModelRequest::instruct(&"x".repeat(3000), "");
    request.decode = world.mission.sampler.grid[0].clone();
    let started = Instant::now();
    let mut questions = (0..n_tickets).map(|_| request.clone());
    pool.run(&mut questions, &Cancel::new(), &mut |_, _, _| ControlFlow::Continue(()));
    let alone = started.elapsed();
    let waves = n_tickets.div_ceil(u32::try_from(CONNECTIONS).unwrap_or(1));
    let what = "rollouts of 10,000 tickets over 64 connections to a server that takes 50 ms";
    let row = |name, baseline, time| {
        let goal = Goal::RateAtLeast(goal);
        Comparison { name, what, baseline, goal }.result(&Times {
            ours,
            baseline: time,
            count: n_tickets,
        })
    };
    [
        row(names[0], "what 64 connections and 50 ms allow", DELAY * waves),
        row(names[1], "10,000 questions over the same connections and nothing else", alone),
    ]
}

/// What a run with recorded answers takes, from start to end.
fn recorded(n_tickets: usize) -> Cost {
    let place = Place::new();
    World::write(place.layout(), &tickets(n_tickets), ROLLOUTS);
    run(&place, "recorded");
    let times = if n_tickets > 10_000 { 1 } else { 3 };
    let costs = (0..times).map(|n| run(&place, &format!("replayed-{n}")));
    costs.min_by_key(|it| it.wall).expect("a run")
}

/// One run in a process of its own, looked at from outside.
fn run(place: &Place, name: &str) -> Cost {
    let this = std::env::current_exe().expect("this program");
    let started = Instant::now();
    let mut child = command(this)
        .args([ROLE, place.home().as_str(), name])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("a child");
    let status = format!("/proc/{}/status", child.id());
    let mut peak: f64 = 0.0;
    let ended = loop {
        if let Some(ended) = child.try_wait().expect("a child") {
            break ended;
        }
        peak = peak.max(peak_of(Path::new(&status)));
        std::thread::sleep(Duration::from_millis(2));
    };
    assert!(ended.success());
    Cost { wall: started.elapsed(), peak_mib: peak }
}

/// The most memory that a process had, so far.
fn peak_of(status: &Path) -> f64 {
    let text = fs::read_to_string(status).unwrap_or_default();
    let line = text.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    let kib: f64 =
        line.and_then(|it| it.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default();
    kib / 1024.0
}
