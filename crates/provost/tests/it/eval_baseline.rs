//! Baselines: blessed by a person, verified at each use, and what a gate makes of them.

use std::fs;

use serde_json::Value;

use crate::eval_world::{Evals, REPORT, case};

const BASELINE: &str = "repo/docs/evals/baselines/read-do.json";

fn read(evals: &Evals, path: &str) -> Value {
    serde_json::from_slice(&fs::read(evals.world.path(path)).unwrap()).unwrap()
}

#[track_caller]
fn check(evals: &Evals, args: &[&str], exit: i32, expected: &str) {
    let ran = evals.eval(args);
    assert_eq!(ran.exit(), Some(exit), "{}", ran.text());
    assert!(ran.text().contains(expected), "{expected}\n{}", ran.text());
}

/// Only `bless` writes a baseline; the gate fails on what is new alone, and names what makes
/// the two another measurement.
#[test]
fn a_gate_fails_on_new_regressions_alone() {
    let evals = Evals::new(&["one", "two", "three"]);
    let known = "stub:fail=todos.verb_led@one";
    check(
        &evals,
        &["--gate", "new"],
        2,
        "there is no baseline `docs/evals/baselines/read-do.json`",
    );
    check(&evals, &["--generator", known], 1, "1 check failed at P1");
    check(&evals, &["bless"], 0, "read-do, engine 0.1.0: 2 of 3 cases passed");
    assert_eq!(read(&evals, BASELINE), read(&evals, REPORT));
    let blessed = fs::read(evals.world.path(BASELINE)).unwrap();

    // What failed is known; what else fails is not.
    check(&evals, &["--generator", known, "--gate", "new"], 0, "GATE PASSED");
    let more = "stub:fail=todos.verb_led@one;fail=card.shape@two";
    let ran = evals.eval(&["--generator", more, "--gate", "new"]);
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert!(ran.stdout().contains("  - two  card.shape  P0"), "{}", ran.text());
    assert!(ran.stdout().contains("passed runs: -33.3 points"), "{}", ran.text());
    let refused = "failed that the baseline does not know to fail";
    assert!(ran.stdout().contains(refused), "{}", ran.text());
    evals.case(&case("four"));
    check(&evals, &["--generator", "stub:fail=card.shape@four", "--gate", "new"], 1, refused);
    check(&evals, &["--generator", known, "--gate", "new"], 0, "the baseline has other cases");

    // A case that failed is not to be removed.
    evals.world.remove("repo/docs/evals/cases/one.json");
    check(&evals, &["--gate", "new"], 1, "1 case of the baseline is gone: `one`");
    check(&evals, &["--gate", "new", "--filter", "two"], 0, "GATE PASSED");
    let other = ["--gate", "new", "--filter", "two", "--engine-version", "9"];
    check(&evals, &other, 0, "the baseline is of engine version 0.1.0");
    // No run replaces a baseline.
    let over = ["--gate", "new", "--out", "docs/evals/baselines/read-do.json"];
    check(&evals, &over, 2, "is the baseline, and a run does not replace it");
    let over = ["--baseline", "docs/evals/reports/latest.json"];
    check(&evals, &over, 2, "is the baseline, and a run does not replace it");
    assert_eq!(fs::read(evals.world.path(BASELINE)).unwrap(), blessed);
}

/// A report that was changed by hand is no baseline, neither when it is blessed nor later.
#[test]
fn a_baseline_is_verified() {
    let evals = Evals::new(&["one", "two"]);
    evals.eval(&["--generator", "stub:fail=todos.verb_led@one", "--epochs", "2"]);
    check(&evals, &["bless"], 0, "1 of 2 cases passed");
    let text = fs::read_to_string(evals.world.path(BASELINE)).unwrap();
    let changes = [
        ("\"status\": \"fail\"", "\"status\": \"pass\""),
        ("\"suite\": \"read-do\"", "\"suite\": \"other\""),
        ("\"cases_failed\": 1", "\"cases_failed\": 0"),
        ("\"low\": ", "\"low\": 0.9, \"was\": "),
    ];
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        evals.world.write(BASELINE, text.replacen(from, to, 1));
        check(&evals, &["--gate", "new"], 2, "does not fit");
        check(&evals, &["bless", "docs/evals/baselines/read-do.json"], 2, "does not fit");
    }
    evals.world.write(BASELINE, "{}");
    check(&evals, &["--gate", "new"], 2, "is not a report");
    // What could not be measured is no yardstick.
    evals.eval(&["--generator", "cmd:no-such-program"]);
    check(&evals, &["bless"], 2, "2 cases could not be measured");
}

/// P0 has to hold in every run, and pass@k and pass^k tell luck from skill.
#[test]
fn repeated_runs_tell_luck_from_skill() {
    let evals = Evals::new(&["one", "two", "three"]);
    let args = ["--generator", "stub:flaky=0.4,3", "--epochs", "4"];
    let ran = evals.eval(&args);
    let report = evals.report();
    let of_k = report["epochs"]["of_k"].as_array().unwrap();
    assert_eq!(of_k.len(), 4, "{report:#}");
    let number = |at: usize, key: &str| of_k[at][key].as_f64().unwrap();
    assert!(number(3, "any") > number(3, "every"), "{of_k:?}");
    assert!((number(0, "any") - number(0, "every")).abs() < 1e-9);
    assert!(ran.stdout().contains("pass@4 ") && ran.stdout().contains("pass^4 "), "{}", ran.text());
    assert!(report["cases"][0]["runs"]["of"] == 4);
}
