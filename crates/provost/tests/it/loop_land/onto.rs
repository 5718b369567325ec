//! `provost resume --onto`: a result whose base has moved.

use serde_json::json;

use super::{commit, landed, ready, refused, world};

/// LAND: a conflict is given back to the agent: its result is merged with the new base, it is told
/// where both disagree, and what it leaves unresolved does not pass.
#[test]
fn a_conflict_is_given_back_to_the_agent() {
    let it = world();
    it.coder("test -e answer.txt || sed -i s/one/two/ notes.txt; echo 42 >answer.txt; reply done");
    it.check("t1", json!({ "judge": null, "max_attempts": 5 }), 0, "READY_FOR_REVIEW");
    commit(&it, "notes.txt", "three\n");
    refused(&it, &["--yes"], 1, &["both edit `notes.txt`", "provost resume t1 --onto main"]);

    // It leaves the marks where they are twice, then it does not.
    it.coder(
        "echo x >>tries; test $(wc -l <tries) -lt 3 || echo 'two and three' >notes.txt; reply done",
    );
    let ran = it.provost(&["resume", "--onto", "main"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert_eq!(it.count("t1", "WORK_MERGED"), 1);
    let prompt = it.prompt("t1", 2);
    assert!(prompt.contains("The base has moved on") && prompt.contains("- notes.txt"), "{prompt}");
    for attempt in [3, 4] {
        let prompt = it.prompt("t1", attempt);
        assert!(prompt.contains("marks of a merge conflict are left in `notes.txt`"), "{prompt}");
        assert!(prompt.contains("- notes.txt"), "{prompt}");
    }
    let parent = it.git("rev-parse refs/provost/attempts/t1/4^");
    assert_eq!(parent, it.git("rev-parse main"), "the result stands on the new base");
    let answer = landed(&it, &["--yes"]);
    assert_eq!(answer["is_proven_again"], false);
    assert_eq!(it.git("show main:notes.txt"), "two and three\n");
}

/// LAND: a base that has moved elsewhere is merged without a word, and a mistyped one changes nothing.
#[test]
fn a_task_is_brought_to_a_new_base() {
    let it = ready();
    commit(&it, "other.txt", "x\n");
    let ran = it.provost(&["resume", "t1", "--onto", "mian"]).run();
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stderr().contains("mian"), "{}", ran.text());
    assert_eq!(it.status("t1")["state"], "READY_FOR_REVIEW");
    assert!(it.status("t1")["edited"].is_null());
    it.coder("test \"$(cat answer.txt other.txt)\" = \"$(printf '42\\nx')\" && reply done");
    let ran = it.provost(&["resume", "t1", "--onto", "main"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert_eq!(landed(&it, &["--yes"])["is_proven_again"], false);
}
