//! What provost costs, measured beside the same thing done without it.
//!
//! Both sides run in one process, in short turns, so that a noisy moment of the machine meets
//! both; what counts is their ratio. `cargo xtask bench` builds and runs this and holds the
//! ratios against their goals.

#![expect(clippy::print_stdout, reason = "the measurements are what this prints")]
#![expect(clippy::expect_used, reason = "a measurement that cannot be taken ends the run")]

mod evals;
mod files;
mod hooks;
mod jobs;
mod learn;
mod mcp;
mod startup;
mod stories;
mod tasks;

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// One comparison: what it compares, and how the ratio is judged.
struct Comparison {
    name: &'static str,
    what: &'static str,
    baseline: &'static str,
    goal: Goal,
}

/// What a ratio must be.
#[derive(Clone, Copy)]
enum Goal {
    /// Our rate is at least this share of the baseline's.
    RateAtLeast(f64),
    /// Our time is at most so many times the baseline's.
    TimeAtMost(f64),
    /// One operation takes at most so many milliseconds longer than the baseline's; the ratio is
    /// that of what it takes longer to what it may.
    MillisecondsBeyond(f64),
    /// One operation takes at most so many milliseconds; the ratio is that of the two.
    Milliseconds(f64),
}

/// How long each side took for the same number of operations.
struct Times {
    ours: Duration,
    baseline: Duration,
    count: u32,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut provost, mut trivial, mut only) = (None, None, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--provost" => provost = arguments.next().map(PathBuf::from),
            "--trivial" => trivial = arguments.next().map(PathBuf::from),
            "--only" => only = arguments.next(),
            "--json" => {}
            learn::ROLE => {
                let mut next = || arguments.next().expect("a home and the name of a run");
                return learn::child(&next(), &next());
            }
            other => panic!(
                "unknown argument `{other}`: use --provost PATH --trivial PATH [--only GROUP]"
            ),
        }
    }
    let provost = provost.expect("--provost PATH, the binary that is shipped");
    let is_wanted = |group: &str| only.as_ref().is_none_or(|it| it == group);
    let mut results = Vec::new();
    if is_wanted("eval") {
        results.extend(evals::measure(&provost));
    }
    if is_wanted("files") {
        results.extend(files::measure());
    }
    if is_wanted("hooks") {
        let trivial = trivial.expect("--trivial PATH, a program that does nothing");
        results.extend(hooks::measure(&provost, &trivial));
    }
    if is_wanted("jobs") {
        results.extend(jobs::measure(&provost));
    }
    if is_wanted("learn") {
        results.extend(learn::measure());
    }
    if is_wanted("mcp") {
        results.extend(mcp::measure(&provost));
    }
    if is_wanted("startup") {
        results.extend(startup::measure(&provost));
    }
    if is_wanted("stories") {
        results.extend(stories::measure());
    }
    if is_wanted("tasks") {
        results.extend(tasks::measure(&provost));
    }
    println!("{:#}", json!({ "schema": "provost.bench/1", "results": results }));
}

impl Comparison {
    fn result(&self, times: &Times) -> Value {
        let count = f64::from(times.count);
        let (ours, baseline) = (times.ours.as_secs_f64(), times.baseline.as_secs_f64());
        let (ratio, goal, met) = match self.goal {
            Goal::RateAtLeast(least) => {
                let ratio = baseline / ours;
                (ratio, format!(">= {least}"), ratio >= least)
            }
            Goal::TimeAtMost(most) => {
                let ratio = ours / baseline;
                (ratio, format!("<= {most}"), ratio <= most)
            }
            Goal::MillisecondsBeyond(most) => {
                let ratio = (ours - baseline) / count * 1000.0 / most;
                (ratio, format!("<= 1 (of {most} ms)"), ratio <= 1.0)
            }
            Goal::Milliseconds(most) => {
                let ratio = ours / count * 1000.0 / most;
                (ratio, format!("<= 1 (of {most} ms)"), ratio <= 1.0)
            }
        };
        json!({
            "name": self.name,
            "what": self.what,
            "baseline": self.baseline,
            "ours_per_second": count / ours,
            "baseline_per_second": count / baseline,
            "ratio": ratio,
            "goal": goal,
            "met": met,
            "count": times.count,
        })
    }
}

/// Runs both sides in turns of `turn` operations, `turns` times.
fn compare(turns: u32, turn: u32, mut ours: impl FnMut(), mut baseline: impl FnMut()) -> Times {
    // The first operations make folders and warm caches; they count for neither.
    ours();
    baseline();
    let mut times = Times { ours: Duration::ZERO, baseline: Duration::ZERO, count: turns * turn };
    for _ in 0..turns {
        times.ours += repeat(turn, &mut ours);
        times.baseline += repeat(turn, &mut baseline);
    }
    times
}

/// Runs both sides in turns of one and takes the median of each: a few slow runs, in which the
/// machine did something else, count for nothing.
fn compare_medians(runs: u32, mut ours: impl FnMut(), mut baseline: impl FnMut()) -> Times {
    ours();
    baseline();
    let mut times = (Vec::new(), Vec::new());
    for _ in 0..runs {
        times.0.push(repeat(1, &mut ours));
        times.1.push(repeat(1, &mut baseline));
    }
    Times { ours: median(times.0) * runs, baseline: median(times.1) * runs, count: runs }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn repeat(n: u32, act: &mut impl FnMut()) -> Duration {
    let start = Instant::now();
    for _ in 0..n {
        act();
    }
    start.elapsed()
}
