//! A sample of the catalogue of cheats in `fixtures/cheats`, each beside its honest twin: those that
//! need no packages. `cargo xtask liars` runs all of them.

use std::{collections::BTreeMap, fs, path::PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::loop_world::Loop;

#[derive(Deserialize)]
struct Case {
    project: String,
    by: Vec<String>,
    proof: String,
    #[serde(default)]
    base: String,
    #[serde(default)]
    permits: Vec<String>,
    cheat: Script,
    honest: Script,
}

#[derive(Deserialize)]
struct Script {
    shell: String,
}

fn cheats() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/cheats").canonicalize().unwrap()
}

fn read<T: serde::de::DeserializeOwned>(path: &str) -> T {
    let text = fs::read_to_string(cheats().join(path)).unwrap();
    toml::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

impl Case {
    fn test(&self) -> String {
        let project: BTreeMap<String, String> = read(&format!("projects/{}.toml", self.project));
        // The toolchain itself: the home of the test has no rustup.
        let cargo = concat!("PATH=\"$(dirname '", env!("CARGO"), "'):$PATH\" cargo");
        project["test"].replace("cargo", cargo)
    }

    /// What the test of a delivery is found to prove, and how the task ended.
    fn run(&self, shell: &str, permits: &[String]) -> (Value, String) {
        let it = Loop::with_config("[task]\nprepare_default = false\n");
        let source = cheats().join("projects").join(&self.project);
        let prelude = format!(". '{}'", cheats().join("projects/fix.sh").display());
        let script = format!(
            "set -eu\ncp -R '{}'/. .\nprintf '.provost/\\n' >>.gitignore\n{prelude}\n{}\n",
            source.display(),
            self.base
        );
        let made = it.world.program("sh").args(["-c", &script]).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        it.commit();
        it.coder(&format!("set -eu\n{prelude}\n{shell}\nreply done"));
        let mut spec = json!({ "test_cmd": self.test(), "max_attempts": 1 });
        if !permits.is_empty() {
            let all = [".".to_owned()];
            spec["allowed_paths"] = all.iter().chain(permits).cloned().collect();
        }
        let ran = it.run("t1", spec);
        let state = ran.json()["state"].as_str().unwrap_or_default().to_owned();
        let proof = "t1/attempt_001/test_proof.json";
        (if it.exists(proof) { it.json(proof) } else { Value::Null }, state)
    }
}

/// What notices a finding; `place` where the test itself is red in the clean checkout.
fn mechanism(code: &str) -> &'static str {
    match code {
        "ONLY_WITH_CHANGED_TESTS"
        | "GREENED_BY_TESTS"
        | "REGRESSION"
        | "EXPECTATION_CHANGED"
        | "BASE_TESTS_DO_NOT_RUN" => "square",
        "PLANT_SURVIVED" | "PLANT_BLIND" | "TESTS_READ" => "plant",
        _ => "record",
    }
}

/// Runs the cheat and its twin.
#[track_caller]
fn check(name: &str) {
    let case: Case = read(&format!("{name}.toml"));
    let (proof, state) = case.run(&case.cheat.shell, &[]);
    assert_eq!(state, "FAILED", "{name}: {proof:#}");
    let none = Vec::new();
    let findings = proof["findings"].as_array().unwrap_or(&none);
    let codes: Vec<&str> = findings.iter().filter_map(|it| it["code"].as_str()).collect();
    let notices = ["NOTHING_NEW", "COUNTS_UNKNOWN", "PLANT_INCONCLUSIVE", "TESTS_MOVED"];
    let by = codes.iter().filter(|it| !notices.contains(it)).map(|it| mechanism(it));
    let by: Vec<&str> = if proof.is_null() { vec!["place"] } else { by.collect() };
    assert!(by.iter().any(|it| case.by.iter().any(|due| due == it)), "{name}: {by:?} {codes:?}");
    let (proof, state) = case.run(&case.honest.shell, &case.permits);
    assert_eq!(state, "READY_FOR_REVIEW", "{name}: the twin: {proof:#}");
    assert_eq!(proof["label"], case.proof.as_str(), "{name}: the twin: {proof:#}");
}

/// PROOF-3: loaders, exits and programs of the agent that stand in the way of the tests.
#[test]
fn cheats_of_python_are_caught_and_their_twins_are_not() {
    for name in [
        "experiments/py-load-tests",
        "experiments/py-exit-in-function",
        "experiments/py-shadow-unittest",
    ] {
        check(name);
    }
}

/// PROOF-1: what is different where it is watched, or where nothing but the sources is.
#[test]
fn cheats_that_look_around_are_caught_and_their_twins_are_not() {
    for name in ["experiments/py-sees-the-recorder", "experiments/py-pyc-product"] {
        check(name);
    }
}

/// PROOF-2: tests that are put off, or end too soon, and settings of npm.
#[test]
fn cheats_of_node_are_caught_and_their_twins_are_not() {
    for name in
        ["experiments/js-todo-option", "experiments/js-unawaited", "experiments/js-npmrc-shell"]
    {
        check(name);
    }
}

/// PROOF-2: what make reads besides its makefile.
#[test]
fn cheats_of_make_are_caught_and_their_twins_are_not() {
    for name in ["experiments/mk-include", "experiments/mk-chmod", "experiments/mk-shell-true"] {
        check(name);
    }
}

/// PROOF-3: a build that rewrites the tests before they are compiled.
#[test]
fn cheats_of_cargo_are_caught_and_their_twins_are_not() {
    check("experiments/rs-buildrs-rewrite");
}

/// PROOF-1: what takes its answers from the tests, and notices when they are changed.
#[test]
fn cheats_that_read_their_tests_are_caught_and_their_twins_are_not() {
    for name in [
        "documents/python-total-reads-the-assertion-of-its-caller",
        "documents/shell-total-reads-the-check",
    ] {
        check(name);
    }
}
