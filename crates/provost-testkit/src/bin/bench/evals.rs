//! What an eval costs: cases in a second, how it grows, and how much memory it takes.

use std::{
    fs,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use provost_testkit::{command, eval::case};
use serde_json::{Value, json};

use super::{Comparison, Goal, Times};

/// What one run took.
struct Cost {
    wall: Duration,
    processor: Duration,
    peak_mib: f64,
}

pub(super) fn measure(provost: &Path) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let few = repository(folder.path(), 200);
    let some = repository(folder.path(), 2000);
    let many = repository(folder.path(), 20_000);
    let [small, middle, large] =
        [(&few, 5), (&some, 3), (&many, 1)].map(|(it, times)| best(provost, it, &[], times));
    run(provost, &some, &["--record", "rec"]);
    let replayed = best(provost, &some, &["--generator", "replay:rec"], 3);
    let start = best(provost, &few, &["--cases", "docs/evals/cases/case-00000.json"], 20);
    let rate = |cost: &Cost, n: f64| n / cost.wall.as_secs_f64();
    let row = |name: &str, what: &str, baseline: &str, ours: f64, other: f64, most: f64| {
        json!({"name": name, "what": what, "baseline": baseline, "ours_per_second": ours,
            "baseline_per_second": other, "ratio": ours / other, "goal": format!("<= {most}"),
            "met": ours / other <= most, "count": 1})
    };
    let growth = || Times { ours: large.processor, baseline: middle.processor, count: 1 };
    let replay = Times { ours: replayed.wall, baseline: middle.wall, count: 2000 };
    let one = Times { ours: start.wall, baseline: small.wall, count: 1 };
    vec![
        Comparison {
            name: "eval-20000",
            what: "processor time of 20,000 cases with all checks, built-in engine",
            baseline: "the same with 2,000",
            goal: Goal::Milliseconds(2000.0),
        }
        .result(&growth()),
        Comparison {
            name: "eval-growth",
            what: "processor time of 20,000 cases",
            baseline: "2,000 cases: ten times as much is linear",
            goal: Goal::TimeAtMost(12.0),
        }
        .result(&growth()),
        Comparison {
            name: "eval-replay",
            what: "2,000 recorded cases",
            baseline: "2,000 cases with the built-in engine",
            goal: Goal::RateAtLeast(0.3),
        }
        .result(&replay),
        Comparison {
            name: "eval-start",
            what: "one case, from start to end",
            baseline: "200 cases",
            goal: Goal::Milliseconds(60.0),
        }
        .result(&one),
        row(
            "eval-rate",
            "cases in a second, 2,000 cases",
            "20,000 cases",
            rate(&middle, 2000.0),
            rate(&large, 20_000.0),
            2.0,
        ),
        row(
            "eval-memory",
            "peak memory in MiB, 20,000 cases",
            "peak memory in MiB, 2,000 cases",
            large.peak_mib,
            middle.peak_mib,
            12.0,
        ),
    ]
}

/// A repository with so many cases.
#[expect(clippy::disallowed_methods, reason = "a benchmark makes what it measures")]
fn repository(root: &Path, cases: usize) -> std::path::PathBuf {
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

fn best(provost: &Path, folder: &Path, args: &[&str], times: u32) -> Cost {
    let costs = (0..times).map(|_| run(provost, folder, args));
    costs.min_by_key(|it| it.wall).expect("a run")
}

/// One run, looked at from outside.
fn run(provost: &Path, folder: &Path, args: &[&str]) -> Cost {
    let before = children();
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
    Cost { wall: started.elapsed(), processor: children().saturating_sub(before), peak_mib: peak }
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
