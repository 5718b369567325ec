//! Runs over time: ended, resumed, killed, repeated when something changes, and without a network.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::eval_world::{Evals, REPORT, case};

/// Answers everything but the cases whose names say otherwise.
const SLOW: &str =
    "input=$(cat)\ncase \"$input\" in *eval_z-slow*) sleep 600 ;; esac\ncat \"$1\"\n";
const QUICK: &str = "cat >/dev/null\ncat \"$1\"\n";
/// Longer than anything here takes on a loaded machine.
const CAP: Duration = Duration::from_mins(1);

/// A run under way, which does not outlive its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    fn start(evals: &Evals, args: &[&str]) -> Self {
        let mut command = evals.world.program(env!("CARGO_BIN_EXE_provost"));
        command.arg("eval").args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(command.spawn().unwrap())
    }

    fn signal(&self, evals: &Evals, name: &str) {
        let pid = self.0.id().to_string();
        assert!(evals.world.program("kill").args([name, &pid]).status().unwrap().success());
    }
}

fn wait_until(mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < CAP, "it did not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until so many cases are in the journal.
fn wait_for_journal(evals: &Evals, cases: usize) {
    let journal = evals.world.path("repo/docs/evals/reports/.latest.json.journal");
    wait_until(|| fs::read_to_string(&journal).is_ok_and(|it| it.lines().count() == cases + 1));
}

/// A run that was ended leaves the report, and goes on where it was.
#[test]
fn an_ended_run_goes_on() {
    let evals = Evals::new(&["a", "b", "z-slow"]);
    evals.eval(&[]);
    let before = fs::read(evals.world.path(REPORT)).unwrap();
    let slow = evals.engine(SLOW);
    let mut running = Running::start(&evals, &["--generator", &slow, "--jobs", "1"]);
    wait_for_journal(&evals, 2);
    running.signal(&evals, "-INT");
    assert_eq!(running.0.wait().unwrap().code(), Some(2));
    assert_eq!(fs::read(evals.world.path(REPORT)).unwrap(), before);

    // Now the engine would fail every case: only the one that is missing is asked.
    evals.engine("cat >/dev/null; echo '{}'\n");
    let ran = evals.eval(&["--generator", &slow, "--resume"]);
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert_eq!(evals.outcomes(), ["a pass", "b pass", "z-slow fail engine.output AI_PARSE_ERROR"]);
    assert!(!evals.world.path("repo/docs/evals/reports/.latest.json.journal").exists());

    // Without the flag nothing is taken over.
    evals.engine(SLOW);
    let running = Running::start(&evals, &["--generator", &slow, "--jobs", "1"]);
    wait_for_journal(&evals, 2);
    drop(running);
    evals.engine(QUICK);
    evals.eval(&["--generator", &slow]);
    assert_eq!(evals.report()["totals"]["cases_passed"], 3);
}

/// What was measured of a case that has changed since is measured again.
#[test]
fn a_resumed_run_measures_what_changed() {
    let evals = Evals::new(&["a", "b", "z-slow"]);
    let slow = evals.engine(SLOW);
    let running = Running::start(&evals, &["--generator", &slow, "--jobs", "1"]);
    wait_for_journal(&evals, 2);
    drop(running);
    let mut changed = case("b");
    changed["title"] = json!("Another title");
    evals.case(&changed);
    evals.engine("cat >/dev/null; echo '{}'\n");
    evals.eval(&["--generator", &slow, "--resume"]);
    let outcomes = evals.outcomes();
    assert_eq!(outcomes[0], "a pass");
    assert!(outcomes[1].starts_with("b fail") && outcomes[2].starts_with("z-slow fail"));
}

/// KILL in the middle leaves the earlier report whole, and no engine behind.
#[test]
fn a_killed_run_leaves_the_earlier_report() {
    let evals = Evals::new(&["a", "z-slow"]);
    evals.eval(&[]);
    let before = fs::read(evals.world.path(REPORT)).unwrap();
    let mark = format!("600.{}", std::process::id());
    let engine = evals.engine(&SLOW.replace("600", &mark));
    let mut running = Running::start(&evals, &["--generator", &engine, "--jobs", "2"]);
    wait_for_journal(&evals, 1);
    let sleeps = || {
        let output = evals.world.program("pgrep").args(["-fc", &format!("^sleep {mark}")]).output();
        String::from_utf8_lossy(&output.unwrap().stdout).trim().to_owned()
    };
    wait_until(|| sleeps() != "0");
    running.signal(&evals, "-KILL");
    running.0.wait().unwrap();
    assert_eq!(fs::read(evals.world.path(REPORT)).unwrap(), before);
    wait_until(|| sleeps() == "0");
}

/// EVAL-1.1: a watch runs again what changed, and nothing else.
#[test]
fn a_watch_measures_only_what_changed() {
    let evals = Evals::new(&["a", "b", "c"]);
    let mut running = Running::start(&evals, &["--watch", "--format", "json"]);
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["totals"]["cases_passed"], 3);

    let mut changed = case("b");
    changed["expect"] = json!({"must_fail": ["card.shape"]});
    evals.case(&changed);
    let report = next();
    assert_eq!(report["totals"]["cases_failed"], 1);
    assert_eq!(report, evals.report());

    evals.case(&case("d"));
    assert_eq!(next()["run"]["cases"], 4);

    running.signal(&evals, "-INT");
    let mut said = String::new();
    running.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    // The last run failed, and the watch ends with its code.
    assert_eq!(running.0.wait().unwrap().code(), Some(1), "{said}");
    let measured: Vec<&str> = said.lines().filter(|it| it.starts_with("measured")).collect();
    assert_eq!(
        measured,
        [
            "measured 3: +0 fixed, -0 broken",
            "measured 1: +0 fixed, -1 broken",
            "measured 1: +0 fixed, -0 broken",
        ]
    );
}

/// A watch does not end when cases cannot be read.
#[test]
fn a_watch_outlives_a_bad_case() {
    let evals = Evals::new(&["a"]);
    let mut running = Running::start(&evals, &["watch", "--format", "json"]);
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    let mut errors = BufReader::new(running.0.stderr.take().unwrap()).lines();
    evals.world.write("repo/docs/evals/cases/bad.json", "{");
    assert!(errors.any(|it| it.unwrap().contains("invalid cases")));
    evals.case(&json!({"id": "bad", "source_type": "web", "intent_text": "Learn how cold starts work",
        "extracted_text": "Cold starts come from imports. The steps are measured and listed in a table."}));
    let report: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(report["run"]["cases"], 2);
    running.signal(&evals, "-INT");
    assert!(running.0.wait().unwrap().code().is_some());
}

/// EVAL-2.2: neither cases nor the built-in engine need a network: there is none here.
#[test]
fn nothing_needs_a_network() {
    let evals = Evals::new(&["a", "b"]);
    let mut command = evals.world.program("unshare");
    command.args(["--user", "--map-root-user", "--net"]);
    command.arg(env!("CARGO_BIN_EXE_provost")).args(["eval", "--record", "rec"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let mut command = evals.world.program("unshare");
    command.args(["--user", "--map-root-user", "--net"]);
    command.arg(env!("CARGO_BIN_EXE_provost")).args(["eval", "--generator", "replay:rec"]);
    assert_eq!(command.output().unwrap().status.code(), Some(0));
}
