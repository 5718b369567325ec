//! Changing a task, judging it again, stopping it at once and removing it (rulings 74 and 84).

use serde_json::json;

use crate::{
    loop_live::Running,
    loop_world::{Loop, RIGHT, ended, plain},
};

/// The question that a refusal by paths asks has a command that answers it.
#[test]
fn paths_are_widened_and_the_task_goes_on() {
    let it = Loop::new();
    let limits = json!({ "judge": null, "allowed_paths": ["src"] });
    it.check("t1", limits, 3, "PAUSED_ALLOWED_PATHS");
    let show = it.provost(&["show", "t1"]).run();
    assert!(
        show.stdout().contains("provost edit t1 --set allowed_paths+=PATH"),
        "{}",
        show.stdout()
    );

    it.order(&["edit", "t1", "--set", "allowed_paths+=answer.txt", "--set", "budget.usd=5"]);
    let status = it.json("t1/status.json");
    assert_eq!(status["edited"]["allowed_paths"], json!(["src", "answer.txt"]));
    assert_eq!(status["edited"]["budget"]["usd"], 5);
    // The spec as it was made stays, so that the same file goes on with the same task.
    assert_eq!(it.json("t1/task.json")["allowed_paths"], json!(["src"]));
    it.resume("t1", 0, "READY_FOR_REVIEW");
    assert!(it.prompt("t1", 2).contains("`answer.txt`"), "{}", it.prompt("t1", 2));
}

/// Ruling 74: a result that was proven for another goal does not land; the edit can be taken back.
#[test]
fn an_edited_goal_makes_a_result_stale() {
    let it = Loop::new();
    it.check("t1", json!({ "judge": null }), 0, "READY_FOR_REVIEW");
    it.order(&["edit", "t1", "--set", "goal=write another answer"]);
    for command in [&["approve", "t1"][..], &["land", "t1", "--yes"]] {
        let ran = it.provost(command).run();
        assert_eq!(ran.exit(), Some(1), "{}", ran.stderr());
        assert!(ran.stderr().contains("its result is stale"), "{}", ran.stderr());
    }
    it.order(&["override", "t1", "--rollback"]);
    it.order(&["approve", "t1"]);
    it.order(&["edit", "t1", "--set", "goal=write another answer"]);
    it.resume("t1", 0, "READY_FOR_REVIEW");
    assert!(it.prompt("t1", 2).contains("write another answer"));
    it.order(&["approve", "t1"]);
}

/// An edit that would not make a valid spec changes nothing.
#[test]
fn a_wrong_edit_changes_nothing() {
    let it = Loop::new();
    it.check("t1", json!({ "judge": null }), 0, "READY_FOR_REVIEW");
    let before = it.json("t1/status.json");
    for (change, expected) in [
        ("gaol=x", "did you mean `goal`?"),
        ("goal", "write it as `KEY=VALUE`"),
        ("repo_path=/tmp", "fixed when the task was created"),
        ("task_type=engineering_impl", "after the first attempt"),
        ("max_attempts=0", "not between 1 and 50"),
        ("allowed_paths=../x", "not a path inside the repository"),
        ("allowed_paths+=src", "every file may be changed already"),
        ("coder=no-such-agent", "no-such-agent"),
        ("test_cmd=sudo make", "sudo"),
        ("target_branch=no-such-branch", "has no such branch"),
        ("test_cmd=", "nothing could tell whether this task is done"),
    ] {
        let ran = it.provost(&["edit", "t1", "--set", change]).run();
        assert!(ran.exit() != Some(0), "{change}");
        assert!(ran.stderr().contains(expected), "{change}: {}", ran.stderr());
    }
    assert_eq!(it.json("t1/status.json"), before);
    let agent = it.provost(&["edit", "t1", "--set", "goal=x"]).variable("CLAUDECODE", "1").run();
    assert_eq!(agent.exit(), Some(1), "{}", agent.stderr());
}

/// A judge that slips costs no work: the same result is judged again, and the coder is not called.
#[test]
fn a_result_is_judged_again_without_its_coder() {
    let it = Loop::new();
    it.judge_bytes("that is not a verdict");
    it.check("t1", json!({}), 3, "PAUSED_JUDGE_VERDICT_INVALID");
    it.coder("exit 9");
    it.judge(&plain("PASS"));
    let ran = it.provost(&["rejudge", "t1"]).run();
    ended(&ran, 0, "READY_FOR_REVIEW");
    let trees =
        ["1", "2"].map(|n| it.git(&format!("rev-parse refs/provost/attempts/t1/{n}^{{tree}}")));
    assert_eq!(trees[0], trees[1], "the same files");

    let it = Loop::new();
    it.coder("exit 9");
    it.check("t1", json!({ "judge": null }), 3, "PAUSED_CODER_FAILED");
    let ran = it.provost(&["rejudge", "t1"]).run();
    assert_eq!(ran.exit(), Some(2));
    assert!(ran.stderr().contains("no result to judge"), "{}", ran.stderr());
}

/// Ruling 84: `pause --now` ends the step that runs, and the task is paused by a person.
#[test]
fn a_running_step_is_ended_at_once() {
    let it = Loop::new();
    it.coder("echo half >answer.txt; sleep 600; reply done");
    let running = Running::start(&it, "t1", json!({ "judge": null }));
    it.order(&["pause", "t1", "--now"]);
    assert_eq!(running.wait(), Some(3));
    assert_eq!(it.status("t1")["pause_reason_code"], "PAUSED_USER");
    assert_eq!(it.count("t1", "COORDINATOR_CRASHED"), 0);
    it.coder(RIGHT);
    it.resume("t1", 0, "READY_FOR_REVIEW");
}

/// What git does not let go of is said, and the task can be removed again.
#[test]
fn a_removal_that_git_refuses_is_said_and_goes_on() {
    let it = Loop::new();
    it.check("t1", json!({ "judge": null }), 0, "READY_FOR_REVIEW");
    let name = it.git("for-each-ref --format=%(refname) refs/provost/attempts");
    let lock = format!("repo/.git/{}.lock", name.trim());
    it.world.write(&lock, "");
    let ran = it.provost(&["rm", "t1", "--yes"]).run();
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    let said = ran.stderr();
    assert!(said.contains("the results of `t1` could not be taken out"), "{said}");
    assert!(said.contains("`provost rm t1 --yes` again"), "{said}");
    assert!(it.git("for-each-ref refs/provost/attempts").contains("t1"));
    let run = |program: &str, words: &[&str]| {
        let words: Vec<_> = words.iter().map(|word| it.world.path(word)).collect();
        assert!(it.world.program(program).args(words).status().unwrap().success());
    };
    run("rm", &[&lock]);
    it.order(&["rm", "t1", "--yes"]);
    assert_eq!(it.git("for-each-ref refs/provost/attempts"), "");

    // A repository that is gone has nothing to let go of.
    it.check("t2", json!({ "judge": null }), 0, "READY_FOR_REVIEW");
    run("mv", &["repo/.git", "gone"]);
    it.order(&["rm", "t2", "--yes"]);
    run("mv", &["gone", "repo/.git"]);
    it.order(&["audit", "verify"]);
}

/// Nothing of a removed task is left but its line in the audit; its id is free.
#[test]
fn a_removed_task_leaves_its_id() {
    let it = Loop::new();
    it.check("t1", json!({ "judge": null }), 0, "READY_FOR_REVIEW");
    assert!(it.git("for-each-ref refs/provost/attempts").contains("t1"));
    let ran = it.provost(&["rm", "t1"]).run();
    assert_eq!(ran.exit(), Some(2), "without a terminal it wants `--yes`: {}", ran.stderr());
    it.order(&["rm", "t1", "--yes"]);
    assert_eq!(it.git("for-each-ref refs/provost/attempts"), "");
    assert_eq!(it.provost(&["show", "t1"]).run().exit(), Some(2));
    assert!(!it.provost(&["ls"]).run().stdout().contains("t1"));
    it.order(&["audit", "verify"]);

    // The same id again, as if nothing had been; a removal that stopped halfway goes on.
    it.check("t1", json!({ "judge": null }), 0, "READY_FOR_REVIEW");
    let out = it.path("");
    let moved = it.world.program("mv").arg(out.join("t1")).arg(out.join("_removed-t1")).status();
    assert!(moved.unwrap().success());
    it.order(&["rm", "t1", "--yes"]);
    assert!(!out.join("_removed-t1").exists());
    assert_eq!(it.git("for-each-ref refs/provost/attempts"), "");
    it.order(&["audit", "verify"]);
}
