//! Attempts that build on each other (ruling 73), and what a coder is told (ruling 77).

use serde_json::json;

use crate::loop_world::{Loop, RIGHT, ended};

/// The second attempt finds the files of the first one, and its change is still that against the
/// base.
#[test]
fn an_attempt_goes_on_where_the_one_before_stopped() {
    let it = Loop::new();
    it.coder(
        "if test -e answer.txt; then echo 42 >answer.txt; else echo 41 >answer.txt; fi
         echo x >>visits.txt; reply done",
    );
    it.check("t1", json!({ "judge": null }), 0, "READY_FOR_REVIEW");
    assert_eq!(it.count("t1", "WORK_CONTINUED"), 1);
    assert_eq!(it.git("show refs/provost/attempts/t1/2:visits.txt"), "x\nx\n");
    let parent = it.git("rev-parse refs/provost/attempts/t1/2^");
    assert_eq!(parent, it.git("rev-parse main"), "the result stands on the base");
    let prompt = it.prompt("t1", 2);
    assert!(prompt.contains("as the attempt before left them"), "{prompt}");
    assert!(prompt.contains("the test failed with exit code 1"), "{prompt}");
    assert!(prompt.contains("- The result is tested in a clean checkout"), "{prompt}");

    // From the base each time, for who wants that: then it never comes to 42.
    let fresh = json!({ "judge": null, "attempt_context_mode": "fresh_each", "max_attempts": 2 });
    it.check("t2", fresh, 1, "FAILED");
    assert_eq!(it.count("t2", "WORK_CONTINUED"), 0);
    let prompt = it.prompt("t2", 2);
    assert!(prompt.contains("those of the base again"), "{prompt}");
}

/// What the rules refused is not gone on with, and neither is what a reset left behind.
#[test]
fn a_refused_tree_is_not_gone_on_with() {
    let it = Loop::new();
    it.coder("echo 42 >answer.txt; echo x >secret.env; reply done");
    let limits = json!({ "judge": null, "forbidden_globs": ["*.env"] });
    it.check("t1", limits, 3, "PAUSED_FORBIDDEN_GLOBS");
    it.coder("test -e secret.env && exit 9; echo 42 >answer.txt; reply done");
    it.resume("t1", 0, "READY_FOR_REVIEW");
    assert!(it.prompt("t1", 1).contains("may not change: `*.env`"));
}

/// A rejection, an instruction and an answer of a person are no data.
#[test]
fn what_a_person_says_is_an_instruction() {
    let it = Loop::new();
    it.check("t1", json!({ "judge": null }), 0, "READY_FOR_REVIEW");
    it.order(&["reject", "t1", "--because", "name the unit"]);
    it.order(&["edit", "t1", "--instruction", "only answer.txt"]);
    it.order(&["answer", "t1", "metres"]);
    it.coder(RIGHT);
    ended(&it.provost(&["resume", "t1"]).run(), 0, "READY_FOR_REVIEW");
    let prompt = it.prompt("t1", 2);
    let outside = prompt.split("=== END CONTEXT ===").nth(1).unwrap();
    for said in ["name the unit", "only answer.txt", "metres"] {
        assert!(outside.contains(said), "{said}: {prompt}");
    }
}

/// The test of a task that names none: the configured one, else the one that the files show.
#[test]
fn a_task_without_a_test_takes_the_one_of_the_repository() {
    let it = Loop::with_config("[task]\ncoder = \"c\"\ntest = \"sh check.sh\"\n");
    let ran = it.provost(&["do", "write the answer"]).run();
    ended(&ran, 0, "READY_FOR_REVIEW");
    assert!(ran.stderr().contains("test     sh check.sh"), "{}", ran.stderr());
    assert_eq!(it.json("write-answer/task.json")["test_cmd"], "sh check.sh");

    let it = Loop::with_config("[task]\ncoder = \"c\"\n");
    it.world.write("repo/Makefile", "test:\n\tsh check.sh\n");
    it.commit();
    let ran = it.provost(&["do", "write the answer"]).run();
    ended(&ran, 0, "READY_FOR_REVIEW");
    assert_eq!(it.json("write-answer/task.json")["test_cmd"], "make test");
}
