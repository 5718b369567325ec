//! Measurements: built, run, printed as a table, kept as JSON.
//!
//! What is measured, and against what, is in the binary `provost-bench`; this task only builds
//! the binaries, passes them to it and holds the answer against its goals.

mod guard_peers;
mod proof;
mod serve;

use serde::Deserialize;

use crate::{build, dist, failure::Failure, process::Process, project};

const SCHEMA: &str = "provost.bench/1";
const LATEST: &str = "target/bench/latest.json";
/// A program that does nothing, linked as provost is.
const TRIVIAL: &str = "target/bench/trivial";

/// What `provost-bench --json` prints; it may say more.
#[derive(Debug, Deserialize)]
struct Report {
    schema: String,
    results: Vec<Measurement>,
}

/// One thing that was measured, beside the same thing done without provost.
#[derive(Debug, Deserialize)]
struct Measurement {
    name: String,
    what: String,
    baseline: String,
    ours_per_second: f64,
    baseline_per_second: f64,
    ratio: f64,
    goal: String,
    met: bool,
}

/// Measures what provost does, what a proof costs, or how fast the server answers.
pub(crate) fn run(options: &[&str]) -> Result<(), Failure> {
    match options {
        [] => all(),
        ["proof", options @ ..] => proof::run(options),
        ["serve", options @ ..] => serve::run(options),
        ["--only", "guard-peers", options @ ..] => guard_peers::run(options),
        [other, ..] => Err(Failure::Unable(format!("`bench` does not understand `{other}`"))),
    }
}

/// Measures, prints the table, and refuses when a goal is not met.
fn all() -> Result<(), Failure> {
    println!("building the binary that is shipped (link-time optimisation takes minutes)");
    let provost = dist::binary()?;
    project::write("target/bench/.empty", "")?;
    dist::link_alone("crates/provost-testkit/src/bin/trivial.rs", TRIVIAL)?;
    let words = ["build", "--release", "--package", "provost-testkit", "--bin", "provost-bench"];
    let bench = build::executable("provost-bench", &words, &[])?;

    println!("measuring");
    let (provost, trivial) = (provost.to_string_lossy(), project::root().join(TRIVIAL));
    let words = ["--provost", &provost, "--trivial", &trivial.to_string_lossy(), "--json"];
    let ended = Process::new(bench, &words).end()?;
    let report = parse(&ended.stdout)
        .map_err(|it| if ended.is_success { it } else { it.within(&ended.text) })?;

    print!("{}", table(&report.results));
    project::write(LATEST, &ended.stdout)?;
    println!("wrote `{LATEST}`");
    if !ended.is_success {
        return Err(Failure::Refused(ended.text));
    }
    goals(&report.results)
}

fn parse(text: &str) -> Result<Report, Failure> {
    let report: Report = serde_json::from_str(text)
        .map_err(|error| Failure::Unable(format!("cannot read the measurements: {error}")))?;
    if report.schema != SCHEMA {
        return Err(Failure::Unable(format!(
            "the measurements have schema `{}`, not `{SCHEMA}`",
            report.schema
        )));
    }
    if report.results.is_empty() {
        return Err(Failure::Refused("nothing was measured".to_owned()));
    }
    Ok(report)
}

fn goals(results: &[Measurement]) -> Result<(), Failure> {
    let missed: Vec<String> = results
        .iter()
        .filter(|it| !it.met)
        .map(|it| format!("`{}` has ratio {:.2}, its goal is {}", it.name, it.ratio, it.goal))
        .collect();
    if missed.is_empty() {
        return Ok(());
    }
    Err(Failure::Refused(missed.join("\n")))
}

/// The table that people read: numbers to the right, words to the left.
fn table(results: &[Measurement]) -> String {
    let head = ["name", "ours/s", "baseline/s", "ratio", "goal", "met", "what, against what"];
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(results.iter().map(|it| {
        [
            it.name.clone(),
            rate(it.ours_per_second),
            rate(it.baseline_per_second),
            format!("{:.2}", it.ratio),
            it.goal.clone(),
            if it.met { "yes".to_owned() } else { "NO".to_owned() },
            format!("{}, against {}", it.what, it.baseline),
        ]
    }));
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let widths: [usize; 7] = std::array::from_fn(width);

    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| {
            if (1..=3).contains(&column) {
                format!("{cell:>width$}")
            } else {
                format!("{cell:<width$}")
            }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A rate for people: decimals only where there are few whole ones.
fn rate(per_second: f64) -> String {
    if per_second < 100.0 { format!("{per_second:.1}") } else { format!("{per_second:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r#"{
        "schema": "provost.bench/1",
        "machine": "a key that this task does not know",
        "results": [
            {"name": "write", "what": "atomic writes", "baseline": "bare system calls",
             "ours_per_second": 4512.3, "baseline_per_second": 4700, "ratio": 0.96,
             "goal": ">= 0.9", "met": true},
            {"name": "start-up", "what": "starts", "baseline": "`/bin/true`",
             "ours_per_second": 12.34, "baseline_per_second": 98.7, "ratio": 8.0,
             "goal": "<= 4", "met": false}
        ]}"#;

    #[test]
    fn the_table_is_aligned() {
        let report = parse(REPORT).unwrap();
        let expected = "\
name      ours/s  baseline/s  ratio  goal    met  what, against what
write       4512        4700   0.96  >= 0.9  yes  atomic writes, against bare system calls
start-up    12.3        98.7   8.00  <= 4    NO   starts, against `/bin/true`
";
        assert_eq!(table(&report.results), expected);
    }

    #[test]
    fn a_missed_goal_refuses_and_is_named() {
        let report = parse(REPORT).unwrap();
        let refusal = Failure::Refused("`start-up` has ratio 8.00, its goal is <= 4".to_owned());
        assert_eq!(goals(&report.results), Err(refusal));
        assert_eq!(goals(&report.results[..1]), Ok(()));
    }

    #[track_caller]
    fn check_unreadable(text: &str, expected: &str) {
        let actual = parse(text).unwrap_err().to_string();
        assert!(actual.contains(expected), "{actual}");
    }

    #[test]
    fn nothing_measured_is_never_a_success() {
        check_unreadable("", "cannot read the measurements");
        check_unreadable(&REPORT.replace("\"met\": true", "\"met\": null"), "cannot read");
        check_unreadable(&REPORT.replace("bench/1", "bench/2"), "schema `provost.bench/2`");
        check_unreadable(r#"{"schema": "provost.bench/1", "results": []}"#, "nothing was measured");
    }
}
