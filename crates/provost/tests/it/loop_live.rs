//! A task while it runs: what people order, what signals do, and who else may touch it.

mod seen;

use std::{
    path::PathBuf,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::loop_world::{Loop, RIGHT, is_running, plain, token};

/// A coder that waits until the test lets it go on, in its first attempt.
const WAITS: &str =
    "if [ $attempt = 1 ]; then touch .git/waits; until [ -e GO ]; do sleep 0.02; done; fi";

/// A run in the background.
pub(crate) struct Running<'a> {
    it: &'a Loop,
    child: Child,
}

impl<'a> Running<'a> {
    /// Starts a run, and returns when its coder runs.
    pub(crate) fn start(it: &'a Loop, id: &str, spec: Value) -> Self {
        let spec = it.spec(id, spec);
        let mut command = it.world.program(env!("CARGO_BIN_EXE_provost"));
        command.args(["run", spec.to_str().unwrap()]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let running = Self { it, child: command.spawn().unwrap() };
        until(|| it.exists(&format!("{id}/events.jsonl")) && it.count(id, "CODER_STARTED") == 1);
        running
    }

    pub(crate) fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        let sent = self.it.world.program("sh").args(["-c", &kill]).status().unwrap();
        assert!(sent.success());
    }

    pub(crate) fn wait(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

/// Waits until something holds, with a generous cap.
#[track_caller]
pub(crate) fn until(holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_mins(1), "it never came to hold");
        thread::sleep(Duration::from_millis(10));
    }
}

fn waiting(it: &Loop, then: &str) {
    let go = it.world.path("go");
    it.coder(&format!("{}\n{then}", WAITS.replace("GO", go.to_str().unwrap())));
}

/// A word that only a process of this test has in its command line.
pub(crate) fn word(base: u32) -> String {
    (base + std::process::id()).to_string()
}

/// A pause takes effect at the next checkpoint, costs no attempt, and loses no work.
#[test]
fn a_pause_takes_effect_at_the_next_checkpoint() {
    let it = Loop::new();
    waiting(&it, RIGHT);
    let running = Running::start(&it, "t1", json!({}));
    it.order(&["pause", "t1"]);
    it.world.write("go", "");
    assert_eq!(running.wait(), Some(3));
    let status = it.status("t1");
    assert_eq!(status["pause_reason_code"], "PAUSED_USER");
    assert_eq!((&status["pause_flag"], &status["attempts_consumed"]), (&json!(true), &json!(0)));
    assert_eq!(it.count("t1", "TEST_STARTED"), 0);
    // The coder was done: it is not called, and paid, a second time.
    it.coder("exit 9");
    it.resume("t1", 0, "READY_FOR_REVIEW");
    assert_eq!((it.count("t1", "CODER_STARTED"), it.count("t1", "CODER_SKIPPED")), (1, 1));
    assert_eq!(it.count("t1", "WORK_SAVED"), 1);
    assert_eq!(it.refs(), "refs/provost/attempts/t1/1\nrefs/provost/attempts/t1/2\n");
    it.order(&["selfcheck"]);
}

/// What a person says while an attempt runs is for the attempt after it.
#[test]
fn what_is_said_during_an_attempt_is_told_to_the_next() {
    let it = Loop::new();
    waiting(&it, "echo 41 >answer.txt; reply done");
    let running = Running::start(&it, "t1", json!({ "max_attempts": 3 }));
    it.order(&["answer", "t1", "an answer in between"]);
    it.order(&["edit", "t1", "--instruction", "an instruction in between"]);
    it.world.write("go", "");
    assert_eq!(running.wait(), Some(1));
    for said in ["an answer in between", "an instruction in between"] {
        let told: Vec<bool> = (1..=3).map(|at| it.prompt("t1", at).contains(said)).collect();
        assert_eq!(told, [false, true, false], "{said}");
    }
}

/// What a rerun was not told is not used up by it.
#[test]
fn a_rerun_does_not_use_up_what_it_was_not_told() {
    let it = Loop::new();
    it.coder("echo 41 >answer.txt; reply done");
    it.check("t1", json!({ "max_attempts": 1 }), 1, "FAILED");
    it.order(&["reject", "t1", "--because", "it has no owner"]);
    it.order(&["edit", "t1", "--instruction", "use a pencil"]);
    it.order(&["answer", "t1", "the left one"]);
    it.order(&["override", "t1", "max_attempts=3"]);
    let ran = it.provost(&["rerun", "t1", "1"]).run();
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    for said in ["use a pencil", "the left one", "it has no owner"] {
        let told: Vec<bool> = (1..=3).map(|at| it.prompt("t1", at).contains(said)).collect();
        assert_eq!(told, [false, false, true], "{said}");
    }
}

/// LOOP-U7: a request to end stops the run at once, whichever step it is in, with all that it
/// started, and the state says so.
#[test]
fn a_signal_ends_the_run_and_all_that_it_started() {
    let it = Loop::new();
    for (step, signal, base) in
        [("coder", "TERM", 500_000), ("test", "INT", 550_000), ("judge", "TERM", 600_000)]
    {
        let word = word(base);
        let sleep = format!("trap '' HUP INT; sleep {word}");
        let only = |it: &str, or: &str| if it == step { sleep.clone() } else { or.to_owned() };
        it.coder(&only("coder", RIGHT));
        it.judge_script(&only("judge", "give verdict"));
        // The test runs on the base first, where there is no answer yet.
        let test = format!("test ! -e answer.txt || {{ {}; }}", only("test", "true"));
        let running = Running::start(&it, step, json!({ "test_cmd": test }));
        until(|| is_running(&word));
        let started = Instant::now();
        running.signal(signal);
        assert_eq!(running.wait(), Some(3), "{step}");
        assert!(started.elapsed() < Duration::from_secs(20), "{step}");
        assert!(!is_running(&word), "{step}");
        let status = it.status(step);
        assert_eq!(status["pause_reason_code"], "PAUSED_CRASH", "{step}");
        assert_eq!(status["last_transition"]["signal_name"], format!("SIG{signal}"));
        assert_eq!(status["attempts_consumed"], 0, "{step}");
        assert_eq!(it.count(step, "COORDINATOR_CRASHED"), 1, "{step}");
    }
    it.judge_script("give verdict");
    it.resume("coder", 0, "READY_FOR_REVIEW");
}

/// A wait for a quota is no reason not to end.
#[test]
fn a_signal_ends_a_wait() {
    let it = Loop::with_config("[task]\nquota_wait = \"1h\"\n");
    it.coder(
        r#"printf '{"schema":"provost.adapter/1","role":"coder","text":"","retry_after_seconds":600}' >"$PROVOST_REPLY"; exit 75"#,
    );
    let running = Running::start(&it, "t1", json!({}));
    until(|| it.count("t1", "QUOTA_WAITED") == 1);
    running.signal("TERM");
    assert_eq!(running.wait(), Some(3));
    assert_eq!(it.status("t1")["pause_reason_code"], "PAUSED_CRASH");
}

/// How many attempts may count is what was ordered last, also while one runs.
#[test]
fn an_override_during_an_attempt_holds_for_its_decision() {
    let it = Loop::new();
    waiting(&it, "echo 41 >answer.txt; reply done");
    let running = Running::start(&it, "t1", json!({ "max_attempts": 3 }));
    it.order(&["override", "t1", "max_attempts=1"]);
    it.world.write("go", "");
    assert_eq!(running.wait(), Some(1));
    let status = it.status("t1");
    assert_eq!(
        (&status["state"], &status["effective_max_attempts"]),
        (&json!("FAILED"), &json!(1))
    );
    assert!(!it.exists("t1/attempt_002"));
}

/// LOOP-U7, LOOP-U9: a coordinator that is killed leaves no process, and whoever looks next finds
/// it out, once.
#[test]
fn a_killed_run_is_found_by_the_next_look() {
    let it = Loop::new();
    let word = word(650_000);
    it.coder(&format!("echo 42 >answer.txt; sleep {word}"));
    let running = Running::start(&it, "t1", json!({}));
    until(|| is_running(&word));
    running.signal("KILL");
    assert_eq!(running.wait(), None);
    until(|| !is_running(&word));
    assert_eq!(it.status("t1")["state"], "RUNNING");
    it.order(&["show", "t1"]);
    it.order(&["show", "t1"]);
    assert_eq!(it.status("t1")["pause_reason_code"], "PAUSED_CRASH");
    assert_eq!(it.count("t1", "COORDINATOR_CRASHED"), 1);
    it.coder(RIGHT);
    it.resume("t1", 0, "READY_FOR_REVIEW");
    // The unfinished work was saved before its tree was removed.
    assert_eq!(it.git("show refs/provost/attempts/t1/1:answer.txt"), "42\n");
    assert_eq!(it.work("t1"), Vec::<PathBuf>::new());
}

/// PROOF-12: where the guardian is killed with the coordinator, nothing ends the agent; the next run
/// finds it and ends it before anything else, also one that left its session and its folder.
#[test]
fn an_agent_that_outlived_everything_is_ended_before_anything_resumes() {
    let it = Loop::new();
    let (word, far) = (word(660_000), word(670_000));
    it.coder(&format!(
        "(cd /; setsid sleep {far} >/dev/null 2>&1 &)\necho 42 >answer.txt; sleep {word}"
    ));
    let running = Running::start(&it, "t1", json!({}));
    until(|| is_running(&word) && is_running(&far));
    // Neither of the two has the time to end anything.
    let coordinator = running.child.id();
    let kill = format!(
        "guardians=$(pgrep -P {coordinator}); kill -STOP $guardians; kill -KILL {coordinator}; \
         kill -KILL $guardians"
    );
    assert!(it.world.program("sh").args(["-c", &kill]).status().unwrap().success());
    assert_eq!(running.wait(), None);
    assert!(is_running(&word) && is_running(&far), "they outlived both");
    it.order(&["show", "t1"]);
    it.coder(&format!("{RIGHT}; pgrep -f 'sleep {word}|sleep {far}' >alive.txt || rm alive.txt"));
    it.resume("t1", 0, "READY_FOR_REVIEW");
    assert!(!is_running(&word) && !is_running(&far));
    assert_eq!(it.count("t1", "STRAY_PROCESSES_ENDED"), 1);
    assert_eq!(it.git("ls-tree --name-only refs/provost/attempts/t1/2 alive.txt"), "");
}

/// A second run, a reset or a rerun of a task that runs is a conflict, and the state of the task
/// is left as it is.
#[test]
fn a_task_that_runs_is_left_alone_by_others() {
    let it = Loop::new();
    waiting(&it, RIGHT);
    let running = Running::start(&it, "t1", json!({}));
    let before = it.text("t1/status.json");
    let spec = it.world.path("specs/t1.json");
    for arguments in [
        vec!["run", spec.to_str().unwrap()],
        vec!["run", "t1"],
        vec!["resume", "t1"],
        vec!["reset", "t1"],
        vec!["rerun", "t1", "1"],
    ] {
        let ran = it.provost(&arguments).run();
        assert_eq!(ran.exit(), Some(5), "{arguments:?}: {}", ran.text());
        assert_eq!(it.text("t1/status.json"), before, "{arguments:?}");
    }
    it.world.write("go", "");
    assert_eq!(running.wait(), Some(0));
    assert_eq!(it.count("t1", "ATTEMPT_STARTED"), 1);
}

/// The same new spec from many at once is one task, run once.
#[test]
fn the_same_spec_from_many_at_once_is_one_task() {
    let it = Loop::new();
    it.coder("sleep 0.3; echo 42 >answer.txt; reply done");
    let spec = it.spec("t1", json!({}));
    let spec = spec.to_str().unwrap();
    let exits: Vec<Option<i32>> = thread::scope(|scope| {
        let runs: Vec<_> =
            (0..4).map(|_| scope.spawn(|| it.provost(&["run", spec]).run().exit())).collect();
        runs.into_iter().map(|it| it.join().unwrap()).collect()
    });
    assert!(exits.iter().all(|it| matches!(it, Some(0 | 5))), "{exits:?}");
    assert!(exits.contains(&Some(0)), "{exits:?}");
    assert_eq!(it.count("t1", "TASK_CREATED"), 1);
    assert_eq!(it.count("t1", "ATTEMPT_STARTED"), 1);
    it.order(&["audit", "verify"]);
}

/// Two tasks of one repository do not meet.
#[test]
fn two_tasks_of_one_repository_run_at_once() {
    let it = Loop::new();
    it.judge(&plain("PASS"));
    let specs = ["a", "b"].map(|id| it.spec(id, json!({})));
    let exits: Vec<Option<i32>> = thread::scope(|scope| {
        let runs: Vec<_> = specs
            .iter()
            .map(|spec| scope.spawn(|| it.provost(&["run", spec.to_str().unwrap()]).run().exit()))
            .collect();
        runs.into_iter().map(|it| it.join().unwrap()).collect()
    });
    assert_eq!(exits, [Some(0), Some(0)]);
    assert_eq!(it.refs(), "refs/provost/attempts/a/1\nrefs/provost/attempts/b/1\n");
    it.order(&["audit", "verify"]);
}

/// LOOP-A4: what an agent had printed before a kill is not kept with its secrets.
#[test]
fn what_a_killed_run_had_captured_is_cleaned_by_the_next() {
    let it = Loop::new();
    let (one, two) = (token()[..10].to_owned(), token()[10..].to_owned());
    waiting(&it, RIGHT);
    let script = std::fs::read_to_string(it.world.path("agents/c.sh")).unwrap();
    it.world.write("agents/c.sh", format!("printf '%s%s\\n' {one} {two}\n{script}"));
    let running = Running::start(&it, "t1", json!({}));
    until(|| !it.holding(&token()).is_empty());
    running.signal("KILL");
    assert_eq!(running.wait(), None);
    it.world.write("go", "");
    it.resume("t1", 0, "READY_FOR_REVIEW");
    assert_eq!(it.holding(&token()), Vec::<PathBuf>::new());
    assert!(it.text("t1/attempt_001/coder/stdout.log").contains("[REDACTED:github-token]"));
}

/// Who is told that somebody else runs the task has changed nothing.
#[test]
fn a_run_that_comes_second_orders_nothing() {
    let it = Loop::new();
    waiting(&it, RIGHT);
    let running = Running::start(&it, "t1", json!({}));
    let spec = it.spec("t1", json!({}));
    let ran = it.provost(&["run", spec.to_str().unwrap(), "--max-attempts", "7"]).run();
    assert_eq!(ran.exit(), Some(5), "{}", ran.text());
    it.world.write("go", "");
    assert_eq!(running.wait(), Some(0));
    assert_eq!(it.status("t1")["effective_max_attempts"], 3);
    assert!(!it.exists("t1/control/orders.jsonl"));
}
