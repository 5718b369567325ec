//! Several tasks at once, and a queue that survives its process: `provost run A B C --jobs N`.

use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::{
    loop_live::until,
    loop_world::{Loop, RIGHT, WRONG},
};

const TASKS: [&str; 3] = ["a", "b", "c"];

/// A world whose coder waits in its first attempt until the test lets its task go on.
fn world() -> Loop {
    let it = Loop::new();
    let go = it.world.path("go");
    it.coder(&format!(
        "task=$(sed -n 's/.*\"task_id\": *\"\\([^\"]*\\)\".*/\\1/p' \"$PROVOST_REQUEST\" | head -n 1)\n\
         until [ -e '{}'-\"$task\" ]; do sleep 0.02; done\n{RIGHT}",
        go.display()
    ));
    it
}

fn specs(it: &Loop) -> Vec<String> {
    TASKS.map(|id| it.spec(id, json!({})).to_str().unwrap().to_owned()).to_vec()
}

fn start(it: &Loop, arguments: &[&str], targets: &[String]) -> Child {
    let mut command = it.world.program(env!("CARGO_BIN_EXE_provost"));
    command.args(arguments).args(targets);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

fn let_go(it: &Loop, task: &str) {
    it.world.write(format!("go-{task}"), "");
}

fn has_begun(it: &Loop, task: &str) -> bool {
    it.exists(&format!("{task}/events.jsonl")) && it.count(task, "CODER_STARTED") == 1
}

fn is_ready(it: &Loop, task: &str) -> bool {
    it.status(task)["state"] == "READY_FOR_REVIEW"
}

fn signal(it: &Loop, name: &str, child: &Child) {
    let kill = format!("kill -{name} {}", child.id());
    assert!(it.world.program("sh").args(["-c", &kill]).status().unwrap().success());
}

#[track_caller]
fn each_ran_once(it: &Loop) {
    for task in TASKS {
        assert!(is_ready(it, task), "{}", it.status(task));
        assert_eq!(it.count(task, "ATTEMPT_STARTED"), 1, "{task}");
        assert_eq!(it.count(task, "COORDINATOR_CRASHED"), 0, "{task}");
    }
    it.order(&["audit", "verify"]);
}

/// The third waits, however often it is looked at, until one of the first two has ended.
#[test]
fn at_most_so_many_run_at_a_time() {
    let it = world();
    // What the command does not say, the configuration does.
    it.world.write("home/.config/provost/provost.toml", "[run]\njobs = 2\n");
    let mut parent = start(&it, &["run"], &specs(&it));
    until(|| has_begun(&it, "a") && has_begun(&it, "b"));
    let listed = it.provost(&["ls"]).run().json();
    assert_eq!(listed["tasks"].as_array().unwrap().len(), 3, "{listed}");
    let shown = it.provost(&["show", "c"]).run().json();
    assert_eq!(shown["status"]["message_code"], "task.status.queued", "{shown}");
    assert_eq!(it.provost(&["selfcheck"]).run().exit(), Some(0));
    let waits = it.status("c");
    assert_eq!((&waits["queued"], &waits["current_attempt"]), (&json!(true), &json!(0)));
    let_go(&it, "a");
    until(|| has_begun(&it, "c"));
    assert!(is_ready(&it, "a") && !is_ready(&it, "b"));
    assert_eq!(it.status("c")["queued"], Value::Null);
    let_go(&it, "b");
    let_go(&it, "c");
    assert_eq!(parent.wait().unwrap().code(), Some(0));
    each_ran_once(&it);
}

/// A killed parent leaves its tasks running and the rest waiting; the same command again goes on,
/// with those that still run among the two.
#[test]
fn the_same_command_goes_on_after_a_kill() {
    let it = world();
    let specs = specs(&it);
    let mut parent = start(&it, &["run", "--jobs", "2"], &specs);
    until(|| has_begun(&it, "a") && has_begun(&it, "b"));
    parent.kill().unwrap();
    parent.wait().unwrap();
    let mut again = start(&it, &["run", "--jobs", "2"], &specs);
    let_go(&it, "b");
    until(|| has_begun(&it, "c"));
    assert!(is_ready(&it, "b") && !is_ready(&it, "a"));
    let_go(&it, "a");
    let_go(&it, "c");
    assert_eq!(again.wait().unwrap().code(), Some(0));
    each_ran_once(&it);
}

/// Without a name, everything goes on that waits.
#[test]
fn what_waits_goes_on_without_being_named() {
    let it = world();
    let mut parent = start(&it, &["run", "--jobs", "1"], &specs(&it));
    until(|| has_begun(&it, "a"));
    parent.kill().unwrap();
    parent.wait().unwrap();
    for task in TASKS {
        let_go(&it, task);
    }
    until(|| is_ready(&it, "a"));
    let ran = it.provost(&["run", "--jobs", "2"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    let names: Vec<Value> =
        ran.json()["tasks"].as_array().unwrap().iter().map(|it| it["task_id"].clone()).collect();
    assert!(names.contains(&json!("b")) && names.contains(&json!("c")), "{names:?}");
    each_ran_once(&it);
    let ran = it.provost(&["run", "--jobs", "2"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert!(ran.stderr().contains("no task waits"), "{}", ran.stderr());
}

/// A signal ends what runs, and what waits goes on waiting.
#[test]
fn a_signal_ends_what_runs_and_leaves_what_waits() {
    let it = world();
    let mut parent = start(&it, &["run", "--jobs", "1"], &specs(&it));
    until(|| has_begun(&it, "a"));
    signal(&it, "TERM", &parent);
    assert_eq!(parent.wait().unwrap().code(), Some(3));
    assert_eq!(it.status("a")["state"], "PAUSED");
    for task in ["b", "c"] {
        assert_eq!(it.status(task)["queued"], true, "{task}");
    }
    // One of them can be begun by its name, too.
    let_go(&it, "b");
    assert_eq!(it.provost(&["resume", "b"]).run().exit(), Some(0));
}

/// Everything is checked before anything is made.
#[test]
fn a_slip_in_one_makes_none() {
    let it = Loop::new();
    let good = it.spec("good", json!({})).to_str().unwrap().to_owned();
    let slip = it.spec("slip", json!({ "tset_cmd": "make" })).to_str().unwrap().to_owned();
    let agent = it.spec("agent", json!({ "coder": "cc" })).to_str().unwrap().to_owned();
    let alone = it.spec(
        "alone",
        json!({ "judge": "tests", "test_cmd": null, "repo_path": it.world.path("home") }),
    );
    let alone = alone.to_str().unwrap().to_owned();
    for (other, said) in [
        (slip.as_str(), "test_cmd"),
        (&agent, "`agent`"),
        (&alone, "`alone`"),
        (&good, "named twice"),
        ("nothing", "neither a file nor the id of a task"),
    ] {
        let ran = it.provost(&["run", &good, other, "--jobs", "2"]).run();
        assert_eq!(ran.exit(), Some(2), "{other}: {}", ran.text());
        assert!(ran.stderr().contains(said), "{other}: {}", ran.stderr());
        assert!(!it.exists("good"), "{other}: a task was made");
    }
}

#[test]
fn the_worst_of_them_is_the_exit_code() {
    let it = Loop::new();
    it.coder(&format!("grep -q fails \"$PROVOST_REQUEST\" && {{ {WRONG}; exit 0; }}\n{RIGHT}"));
    let fine = it.spec("fine", json!({})).to_str().unwrap().to_owned();
    let failing = it.spec("failing", json!({ "goal": "this fails", "max_attempts": 1 }));
    let ran = it.provost(&["run", &fine, failing.to_str().unwrap(), "--jobs", "2"]).run();
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    let answer = ran.json();
    assert_eq!(answer["exit"], 1);
    let mut tasks: Vec<_> = answer["tasks"].as_array().unwrap().iter().collect();
    tasks.sort_by_key(|it| it["task_id"].as_str().unwrap().to_owned());
    assert_eq!((&tasks[0]["state"], &tasks[0]["exit"]), (&json!("FAILED"), &json!(1)));
    assert_eq!((&tasks[1]["state"], &tasks[1]["exit"]), (&json!("READY_FOR_REVIEW"), &json!(0)));
    let text = it.world.provost().args(["run", "fine", "failing"]).run();
    assert!(
        text.stdout().contains("✓ fine  ready · PROVEN: red without the change"),
        "{}",
        text.text()
    );
    assert!(text.stdout().contains("✗ failing  failed · attempt 1 of 1 failed"), "{}", text.text());
}

/// A list has a goal per line, and each becomes a task; the limits hold for all of them.
#[test]
fn a_list_becomes_a_task_per_line() {
    let it = Loop::with_config("[task]\ncoder = \"c\"\ntest = \"sh check.sh\"\n");
    it.world.write(
        "repo/list.md",
        "# Today\n\n- write the answer\n- [x] done before\n* write it into a file\n* answer-42\n",
    );
    let ran = it
        .provost(&["do", "-f", "list.md", "--jobs", "2", "--max-attempts", "2", "--agent", "c"])
        .run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    for task in ["write-answer", "write-file", "answer-42"] {
        assert_eq!(it.status(task)["state"], "READY_FOR_REVIEW");
        assert_eq!(it.status(task)["effective_max_attempts"], 2);
    }
    assert_eq!(it.provost(&["ls"]).run().json()["tasks"].as_array().unwrap().len(), 3);
    let ran = it.provost(&["run", "-f", "-"]).input("\n# nothing\n").run();
    assert_eq!(ran.exit(), Some(2));
    assert!(ran.stderr().contains("standard input has no goal"), "{}", ran.stderr());
}

/// In the background as in the foreground: the tasks are there before the command returns.
#[test]
fn several_go_on_in_the_background() {
    let it = Loop::new();
    let specs = specs(&it);
    let arguments = ["run", "--jobs", "2", "--detach", "--unguarded"];
    let targets: Vec<&str> =
        arguments.into_iter().chain(specs.iter().map(String::as_str)).collect();
    let ran = it.provost(&targets).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert_eq!(ran.json()["tasks"], json!(TASKS));
    until(|| TASKS.iter().all(|task| is_ready(&it, task)));
    each_ran_once(&it);
}

/// One that waits is shown as such, is paused at once, and is not begun when its turn comes.
#[test]
fn one_that_waits_can_be_paused() {
    let it = world();
    let mut parent = start(&it, &["run", "--jobs", "1"], &specs(&it));
    until(|| has_begun(&it, "a"));
    let row = |task: &str| {
        let listed = it.provost(&["ls"]).run().json();
        let rows = listed["tasks"].as_array().unwrap().clone();
        rows.into_iter().find(|it| it["task_id"] == task).unwrap()
    };
    assert_eq!((&row("a")["phase"], &row("b")["phase"]), (&json!("running"), &json!("queued")));
    let ran = it.provost(&["pause", "b"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert_eq!((&ran.json()["applied"], &ran.json()["state"]), (&json!(true), &json!("PAUSED")));
    assert_eq!(row("b")["phase"], "paused");
    let_go(&it, "a");
    let_go(&it, "b");
    let_go(&it, "c");
    assert_eq!(parent.wait().unwrap().code(), Some(3));
    assert_eq!(it.status("b")["pause_reason_code"], "PAUSED_USER");
    assert_eq!(it.count("b", "ATTEMPT_STARTED"), 0);
    assert!(is_ready(&it, "a") && is_ready(&it, "c"));
    it.resume("b", 0, "READY_FOR_REVIEW");
    it.order(&["audit", "verify"]);
}

/// One that is removed before it begins is left out, and is not a failure.
#[test]
fn one_that_waits_can_be_removed() {
    let it = world();
    let mut parent = start(&it, &["run", "--jobs", "1"], &specs(&it));
    until(|| has_begun(&it, "a"));
    it.order(&["rm", "b", "--yes"]);
    let_go(&it, "a");
    let_go(&it, "c");
    assert_eq!(parent.wait().unwrap().code(), Some(0));
    assert!(is_ready(&it, "a") && is_ready(&it, "c") && !it.exists("b"));
}

/// The same command twice at once: each task is made and run once, and both commands wait for it.
#[test]
fn the_same_command_twice_at_once_runs_each_task_once() {
    let it = world();
    let specs = specs(&it);
    let arguments = ["run", "--jobs", "2"];
    let mut parents: Vec<Child> = (0..3).map(|_| start(&it, &arguments, &specs)).collect();
    until(|| has_begun(&it, "a") && has_begun(&it, "b"));
    let mut names = arguments.to_vec();
    names.extend(specs.iter().map(String::as_str));
    for task in TASKS {
        let_go(&it, task);
    }
    for parent in &mut parents {
        assert_eq!(parent.wait().unwrap().code(), Some(0));
    }
    each_ran_once(&it);
    // And once more, when all of them are finished.
    assert_eq!(it.provost(&names).run().exit(), Some(0));
    each_ran_once(&it);
}

/// Rulings 24 and 85: a list that is run again goes on with what is left of it; the same sentence
/// alone is a new wish.
#[test]
fn a_goal_of_a_list_that_is_finished_is_not_done_again() {
    let it = Loop::with_config("[task]\ncoder = \"c\"\ntest = \"sh check.sh\"\n");
    let spec = it.spec("a", json!({})).to_str().unwrap().to_owned();
    let both = ["run", spec.as_str(), "write the answer"];
    for _ in 0..2 {
        let ran = it.provost(&both).run();
        assert_eq!(ran.exit(), Some(0), "{}", ran.text());
        assert_eq!(it.count("write-answer", "ATTEMPT_STARTED"), 1);
        assert!(!it.exists("write-answer-2"));
    }
    let said = it.provost(&both).run().stderr();
    assert!(said.contains("`write-answer` has this goal and is finished"), "{said}");
    let ran = it.provost(&["do", "write the answer"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert_eq!(it.count("write-answer-2", "ATTEMPT_STARTED"), 1);
}

/// A task that runs is not run a second time, nor removed: nothing is started, the log of the run is
/// left alone, and the answer names the command that helps.
#[test]
fn a_task_that_runs_is_not_started_again() {
    let it = world();
    let spec = it.spec("a", json!({}));
    let ran = it.provost(&["run", spec.to_str().unwrap(), "--detach", "--unguarded"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    until(|| has_begun(&it, "a"));
    let log = ran.json()["log"].as_str().unwrap().to_owned();
    let read = || std::fs::read_to_string(&log).unwrap();
    let before = read();
    assert!(!before.is_empty());
    for arguments in [
        &["run", "a", "--detach"][..],
        &["run", "a", "--detach", "--unguarded"],
        &["resume", "a", "--detach", "--unguarded"],
        &["run", "a"],
        &["rm", "a", "--yes"],
    ] {
        let ran = it.world.provost().args(arguments).run();
        let said = ran.text();
        assert_eq!(ran.exit(), Some(5), "{arguments:?}: {said}");
        assert!(said.contains("`a` is running: process "), "{arguments:?}: {said}");
        assert!(said.contains("`provost pause a`"), "{arguments:?}: {said}");
        assert!(read().starts_with(&before), "{arguments:?}");
    }
    let_go(&it, "a");
    until(|| is_ready(&it, "a"));
    assert_eq!(it.count("a", "ATTEMPT_STARTED"), 1);
}

/// Starts a command at a terminal of its own, and presses Ctrl-C there once a file exists.
const AT_TERMINAL: &str = r#"
import os, pty, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
while not os.path.exists(sys.argv[1]):
    time.sleep(0.02)
os.write(terminal, b"\x03")
try:
    while os.read(terminal, 4096):
        pass
except OSError:
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"#;

/// Ruling 84: Ctrl-C at the terminal of a queue is the pause of a person, for what runs; what waits
/// goes on waiting.
#[test]
fn a_person_at_the_terminal_pauses_a_queue() {
    let it = world();
    let press = it.world.path("press");
    let provost = env!("CARGO_BIN_EXE_provost");
    let mut command = it.world.program("python3");
    command.args(["-c", AT_TERMINAL, press.to_str().unwrap(), provost, "run", "--jobs", "1"]);
    let mut terminal = command.args(specs(&it)).spawn().unwrap();
    until(|| has_begun(&it, "a"));
    it.world.write("press", "");
    assert_eq!(terminal.wait().unwrap().code(), Some(3));
    let status = it.status("a");
    assert_eq!(status["pause_reason_code"], "PAUSED_USER", "{status:#}");
    assert_eq!(it.count("a", "COORDINATOR_CRASHED"), 0);
    assert_eq!(it.status("b")["queued"], json!(true));
}
