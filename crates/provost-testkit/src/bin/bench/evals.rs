//! What an eval costs: cases in a second with the built-in and with the recording engine, the start,
//! how time and memory grow with the number of cases.
//!
//! Processor time and memory are looked at from outside. Time that is judged is processor time, so
//! that a machine that does something else changes little.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

use provost_testkit::{command, eval::case};
use serde_json::{Value, json};

use super::{Comparison, Goal, Times};

const FEW: usize = 200;
const SOME: usize = 2000;
const MANY: usize = 20_000;
/// What 20,000 cases with all checks may take, in milliseconds of the processor.
const GOAL: f64 = 2000.0;
/// What a run may hold in memory, however many cases there are, in MiB.
const MEMORY: f64 = 64.0;

/// What one run took.
#[derive(Clone, Copy)]
struct Cost {
    wall: Duration,
    processor: Duration,
    peak_mib: f64,
}

pub(super) fn measure(provost: &Path) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let [few, some, many] = [FEW, SOME, MANY].map(|it| repository(folder.path(), it));
    // The clock of processor time is coarse: short runs are repeated and divided.
    let one = ["--cases", "docs/evals/cases/case-00000.json"];
    let start = typical(provost, &few, &one, 20);
    let small = typical(provost, &few, &[], 20);
    let middle = typical(provost, &some, &[], 5);
    let large = typical(provost, &many, &[], 3);
    let recorded = typical(provost, &some, &["--record", "rec"], 3);
    let replayed = typical(provost, &some, &["--generator", "replay:rec"], 5);
    let mut results = vec![
        Comparison {
            name: "eval_start",
            what: "one case, from start to end",
            baseline: "200 cases",
            goal: Goal::Milliseconds(100.0),
        }
        .result(&Times { ours: start.wall, baseline: small.wall, count: 1 }),
        Comparison {
            name: "eval_replay",
            what: "2,000 recorded cases; the figures are cases in a second",
            baseline: "2,000 cases with the built-in engine",
            goal: Goal::RateAtLeast(0.5),
        }
        .result(&times(&replayed, &middle, |it| it.wall)),
        Comparison {
            name: "eval_record",
            what: "2,000 cases that are recorded; the figures are cases in a second",
            baseline: "2,000 cases with the built-in engine",
            goal: Goal::RateAtLeast(0.2),
        }
        .result(&times(&recorded, &middle, |it| it.wall)),
        Comparison {
            name: "eval_20000",
            what: "processor time of 20,000 cases with all checks, built-in engine",
            baseline: "the same with 2,000",
            goal: Goal::Milliseconds(GOAL),
        }
        .result(&Times { ours: large.processor, baseline: middle.processor, count: 1 }),
    ];
    for (name, what, baseline, pair, most) in [
        (
            "eval_growth_10",
            "processor time of 2,000 cases without the start",
            "200 cases: ten times as much is linear",
            (&middle, &small),
            12.0,
        ),
        (
            "eval_growth_100",
            "processor time of 20,000 cases without the start",
            "200 cases: a hundred times as much is linear",
            (&large, &small),
            120.0,
        ),
    ] {
        let without_start = |it: &Cost| it.processor.saturating_sub(start.processor);
        let (ours, baseline_time) = (without_start(pair.0), without_start(pair.1));
        let comparison = Comparison { name, what, baseline, goal: Goal::TimeAtMost(most) };
        results.push(comparison.result(&Times { ours, baseline: baseline_time, count: 1 }));
    }
    for (name, what, cost) in [
        ("eval_memory_200", "peak memory of 200 cases; the figures are MiB", &small),
        ("eval_memory_2000", "peak memory of 2,000 cases; the figures are MiB", &middle),
        ("eval_memory_20000", "peak memory of 20,000 cases; the figures are MiB", &large),
        (
            "eval_memory_replay",
            "peak memory of 2,000 recorded cases; the figures are MiB",
            &replayed,
        ),
    ] {
        results.push(json!({
            "name": name,
            "what": what,
            "baseline": "what it may hold, however many there are",
            "ours_per_second": cost.peak_mib,
            "baseline_per_second": MEMORY,
            "ratio": cost.peak_mib / MEMORY,
            "goal": format!("<= 1 (of {MEMORY} MiB)"),
            "met": cost.peak_mib <= MEMORY,
            "count": 1,
        }));
    }
    results
}

/// Two runs of 2,000 cases.
fn times(ours: &Cost, baseline: &Cost, of: impl Fn(&Cost) -> Duration) -> Times {
    let count = u32::try_from(SOME).unwrap_or(u32::MAX);
    Times { ours: of(ours), baseline: of(baseline), count }
}

/// A repository with so many cases.
#[expect(clippy::disallowed_methods, reason = "a benchmark makes what it measures")]
fn repository(root: &Path, cases: usize) -> PathBuf {
    let folder = root.join(cases.to_string());
    let files = folder.join("docs/evals/cases");
    fs::create_dir_all(&files).expect("a folder");
    for number in 0..cases {
        let case = case(number);
        let id = case["id"].as_str().unwrap_or_default();
        fs::write(files.join(format!("{id}.json")), case.to_string()).expect("a case");
    }
    folder
}

/// So many runs: the shortest of their times, the mean of their processor time, the most memory.
fn typical(provost: &Path, folder: &Path, args: &[&str], times: u32) -> Cost {
    let before = children();
    let runs: Vec<(Duration, f64)> = (0..times).map(|_| run(provost, folder, args)).collect();
    Cost {
        wall: runs.iter().map(|it| it.0).min().unwrap_or_default(),
        processor: children().saturating_sub(before) / times,
        peak_mib: runs.iter().map(|it| it.1).fold(0.0, f64::max),
    }
}

/// One run, looked at from outside: how long it took, and the most memory that it had.
fn run(provost: &Path, folder: &Path, args: &[&str]) -> (Duration, f64) {
    let started = Instant::now();
    let mut child = command(provost)
        .current_dir(folder)
        .args(["eval", "--quiet"])
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("provost");
    let status = format!("/proc/{}/status", child.id());
    let mut peak: f64 = 0.0;
    let ended = loop {
        if let Some(ended) = child.try_wait().expect("provost") {
            break ended;
        }
        peak = peak.max(peak_of(&status));
        std::thread::sleep(Duration::from_millis(2));
    };
    assert!(ended.success());
    (started.elapsed(), peak)
}

/// The processor time of all children that have ended.
fn children() -> Duration {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name, which may hold anything: fields 16 and 17 are those of children.
    let fields = text.rsplit_once(')').map(|(_, it)| it).unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(13).take(2).filter_map(|it| it.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// The most memory that a process had, so far.
fn peak_of(status: &str) -> f64 {
    let text = fs::read_to_string(status).unwrap_or_default();
    let line = text.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    let kib: f64 =
        line.and_then(|it| it.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default();
    kib / 1024.0
}
