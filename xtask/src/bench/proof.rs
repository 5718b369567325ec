//! What the proof of a green test costs: runs of the command, time and processor, for one attempt.
//!
//! The test waits, so that the time is its own and the processor provost's. Nothing is compared with
//! a goal: the table is for the documentation, where the default is justified.

use std::{path::PathBuf, time::Instant};

use serde::Deserialize;

use crate::{
    build::{self, Alongside},
    failure::Failure,
    process::Process,
    stage::{self, Cast, Play, World},
};

/// How long a test takes, and the levels that it is run at.
const PLAYS: [(u64, &[&str]); 3] = [
    (1, &["basic", "standard", "strict"]),
    (20, &["basic", "standard", "strict"]),
    (120, &["standard"]),
];
/// A test that came with the change.
const NEW_TEST: &str = r"sed -i 's/^    def test_count/    def test_limit(self):\n        self.assertEqual(cart.total([100]), 90)\n\n&/' tests/test_cart.py";

/// What was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    seconds: Option<u64>,
    level: Option<String>,
    /// Whether the tests change; none: both.
    is_changed: Option<bool>,
    provost: Option<PathBuf>,
}

/// One task, and what it took.
#[derive(Debug, Default)]
struct Row {
    seconds: u64,
    level: &'static str,
    is_changed: bool,
    label: String,
    corners: Vec<String>,
    wall: f64,
    processor: f64,
}

#[derive(Debug, Deserialize)]
struct Proof {
    label: String,
    runs: Vec<Run>,
}

#[derive(Debug, Deserialize)]
struct Run {
    corner: String,
}

/// Measures and prints the table.
pub(super) fn run(options: &[&str]) -> Result<(), Failure> {
    let request = request(options)?;
    let provost = match &request.provost {
        Some(path) => path.clone(),
        None => build::provost(Alongside::Nothing)?,
    };
    let cast = Cast { provost, variables: stage::variables()?, keep: false };
    let mut rows = Vec::new();
    for (seconds, levels) in PLAYS {
        let is_level = |it: &&&str| request.level.as_deref().is_none_or(|level| level == **it);
        if request.seconds.is_some_and(|it| it != seconds) {
            continue;
        }
        for level in levels.iter().filter(is_level) {
            let is_chosen = |it: &bool| request.is_changed.is_none_or(|asked| asked == *it);
            for is_changed in [false, true].into_iter().filter(is_chosen) {
                let row = measure(&cast, Row { seconds, level, is_changed, ..Row::default() })?;
                print!("{}", table(std::slice::from_ref(&row)));
                rows.push(row);
            }
        }
    }
    println!();
    print!("{}", table(&rows));
    if rows.is_empty() { Err(Failure::Unable("nothing was measured".to_owned())) } else { Ok(()) }
}

fn request(options: &[&str]) -> Result<Request, Failure> {
    let mut request = Request::default();
    let mut left = options.iter();
    while let Some(word) = left.next() {
        let wrong = || Failure::Unable(format!("`bench proof` does not understand `{word}`"));
        let value = left.next().ok_or_else(wrong)?;
        match *word {
            "--seconds" => request.seconds = Some(value.parse().map_err(|_| wrong())?),
            "--level" => request.level = Some((*value).to_owned()),
            "--tests" if *value == "changed" => request.is_changed = Some(true),
            "--tests" if *value == "untouched" => request.is_changed = Some(false),
            "--provost" => request.provost = Some(PathBuf::from(value)),
            _ => return Err(wrong()),
        }
    }
    Ok(request)
}

fn measure(cast: &Cast, row: Row) -> Result<Row, Failure> {
    let play = Play {
        sources: vec!["fixtures/cheats/projects/python".to_owned()],
        base: format!("printf 'import time\\ntime.sleep({})\\n' >tests/__init__.py", row.seconds),
        config: format!("[proof]\nlevel = \"{}\"", row.level),
        test: "python3 -m unittest".to_owned(),
        shell: if row.is_changed { format!("fix\n{NEW_TEST}") } else { "fix".to_owned() },
        tests_may_change: Vec::new(),
        permits: Vec::new(),
    };
    let world: World = play.world(cast, "cost")?;
    let (provost, spec) = (cast.provost.to_string_lossy(), world.text("spec.json"));
    // The shell says what its children used, and theirs.
    let line = "\"$0\" --json run \"$1\"; code=$?; times >&2; exit $code";
    let process = Process::new("sh", &["-c", line, &provost, &spec]);
    let start = Instant::now();
    let ended = world.dressed(process, cast).capture()?;
    let wall = start.elapsed().as_secs_f64();
    let unable = |why: &str| Failure::Unable(format!("{}: {why}\n{}", ended.text, ended.stderr));
    let proof: Proof = world
        .json("repo/.provost/out/t1/attempt_001/test_proof.json")
        .ok_or_else(|| unable("the attempt has no proof"))?;
    let processor = processor(&ended.stderr).ok_or_else(|| unable("the shell told no times"))?;
    let corners = proof.runs.into_iter().map(|it| it.corner).collect();
    Ok(Row { label: proof.label, corners, wall, processor, ..row })
}

/// The time of the children in what `times` prints: a line for the shell, one for its children, each
/// with the time of the program and the one of the system.
fn processor(text: &str) -> Option<f64> {
    let line = text.lines().rev().find(|it| !it.trim().is_empty())?;
    let part = |it: &str| -> Option<f64> {
        let (minutes, seconds) = it.trim_end_matches('s').split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    };
    let mut parts = line.split_whitespace().map(part);
    Some(parts.next()?? + parts.next()??)
}

fn table(rows: &[Row]) -> String {
    let line = |it: &Row| {
        let tests = if it.is_changed { "changed" } else { "untouched" };
        let cells = [
            format!("{} s", it.seconds),
            it.level.to_owned(),
            tests.to_owned(),
            it.label.clone(),
            format!("{}: {}", it.corners.len(), counted(&it.corners)),
            format!("{:.1}", it.wall),
            format!("{:.1}", it.processor),
        ];
        format!("| {} |\n", cells.join(" | "))
    };
    rows.iter().map(line).collect()
}

/// Names in their order, with how often each stands there in a row.
fn counted(names: &[String]) -> String {
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for name in names {
        match counted.iter_mut().find(|it| it.0 == name) {
            Some(known) => known.1 += 1,
            None => counted.push((name, 1)),
        }
    }
    let text = |(name, n): &(&str, usize)| match n {
        1 => (*name).to_owned(),
        n => format!("{name} ×{n}"),
    };
    counted.iter().map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_the_children_is_the_last_line() {
        assert_eq!(processor("a\n0m0.01s 0m0.02s\n1m2.50s 0m1.25s\n"), Some(63.75));
        assert_eq!(processor("0m0.010000s 0m0.020000s\n0m0.5s 0m0.25s"), Some(0.75));
        assert_eq!(processor("no times"), None);
        assert_eq!(processor(""), None);
    }

    #[test]
    fn a_row_counts_its_runs() {
        let corners = ["plain", "mutated", "mutated"].map(str::to_owned).to_vec();
        let row = Row { seconds: 1, level: "strict", corners, wall: 4.25, ..Row::default() };
        let expected = "| 1 s | strict | untouched |  | 3: plain, mutated ×2 | 4.2 | 0.0 |\n";
        assert_eq!(table(&[row]), expected);
    }

    #[test]
    fn a_wrong_option_is_refused() {
        assert_eq!(request(&["--seconds", "20"]).unwrap().seconds, Some(20));
        for wrong in
            [&["--seconds"][..], &["--seconds", "x"], &["--tests", "new"], &["--levle", "basic"]]
        {
            assert!(request(wrong).is_err(), "{wrong:?}");
        }
    }
}
