//! The test on the base, before anything is paid for.

use serde_json::json;

use crate::loop_world::Loop;

/// A red base is said before the coder works, on the terminal and by `show`, in both
/// languages.
#[test]
fn a_red_base_is_said_before_the_coder_works() {
    let it = Loop::new();
    let spec = it.spec("t1", json!({}));
    let ran = it.world.provost().args(["run", spec.to_str().unwrap()]).run();
    let text = ran.text();
    let said = text.find("red before any work, with exit code").expect(&text);
    assert!(said < text.find("coder").expect(&text), "{text}");
    let shown = it.world.provost().args(["show", "t1"]).run().stdout();
    assert!(shown.contains("base      red before any work, with exit code 2"), "{shown}");
    let shown = it.world.provost().args(["--lang", "zh", "show", "t1"]).run().stdout();
    assert!(shown.contains("基准      尚未改动就已失败，退出码 2"), "{shown}");
    let shown = it.provost(&["show", "t1"]).run().json();
    assert_eq!(shown["base_test"]["rc"], 2, "{shown:#}");
    assert!(shown["base_test"]["message"]["zh"].is_string(), "{shown:#}");
}

/// A green base is not an event: `show` does not speak of it.
#[test]
fn a_green_base_is_not_shown_as_a_problem() {
    let it = Loop::new();
    it.check("t1", json!({ "test_cmd": "true" }), 0, "READY_FOR_REVIEW");
    let shown = it.world.provost().args(["show", "t1"]).run().stdout();
    assert!(!shown.contains("base:"), "{shown}");
}

/// Ruling 75: a program that is missing is not the agent's fault; nothing is paid for, no attempt
/// is consumed, and the message names the command and what it printed.
#[test]
fn a_test_that_cannot_run_on_the_base_pauses_before_the_coder_works() {
    for (command, reason) in
        [("no-such-runner -q", "no-such-runner"), ("sh -c 'exit 126'", "exited with 126")]
    {
        let it = Loop::new();
        let answer = it.check("t1", json!({ "test_cmd": command }), 3, "PAUSED_TEST_NOT_RUN");
        let text = answer.to_string();
        assert!(text.contains(reason) && text.contains("provost resume"), "{text}");
        assert_eq!(it.status("t1")["attempts_consumed"], 0);
        assert_eq!(it.count("t1", "CODER_STARTED"), 0);
    }
}

/// The task may be to write the script that tests it.
#[test]
fn a_script_that_is_to_be_written_is_no_obstacle() {
    let it = Loop::new();
    it.coder("printf 'grep -qx 42 answer.txt\\n' >new.sh; echo 42 >answer.txt; reply done");
    it.check("t1", json!({ "test_cmd": "bash new.sh" }), 0, "READY_FOR_REVIEW");

    let it = Loop::new();
    it.world.write("repo/check.sh", "./answer.sh\n");
    it.commit();
    it.coder("printf '#!/bin/sh\nexit 0\n' >answer.sh; chmod +x answer.sh; reply done");
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
}

/// Ruling 75: if the base runs and only the result does not, the agent has broken it.
#[test]
fn a_result_that_cannot_be_run_is_a_failed_test() {
    let it = Loop::new();
    it.coder("echo no-such-program >check.sh; echo 42 >answer.txt; reply done");
    it.check("t1", json!({ "max_attempts": 1 }), 1, "FAILED");
    assert_eq!(it.status("t1")["attempts_consumed"], 1);
    assert_eq!(it.text("t1/attempt_001/test/rc.txt"), "127\n");
}

/// A run of the proof that cannot be prepared says nothing about the change: it is named, and a
/// person is asked.
#[test]
fn a_corner_that_cannot_be_prepared_accuses_of_nothing() {
    // The result's product and the base's tests cannot be installed together.
    let prepare = "test ! -e new.txt || grep -q new tests/lock.txt";
    let it = Loop::with_config(&format!("[[prepare]]\ncommand = \"{prepare}\"\n"));
    it.world.write("repo/tests/lock.txt", "old\n");
    it.commit();
    it.coder("echo 42 >answer.txt; echo new >tests/lock.txt; touch new.txt; reply done");
    it.check("t1", json!({}), 3, "PAUSED_WAITING_USER_INPUT");
    assert_eq!(it.status("t1")["attempts_consumed"], 0);
    let proof = it.json("t1/attempt_001/test_proof.json");
    assert_eq!(proof["label"], "NOT_RUN", "{proof:#}");
    assert_eq!(proof["findings"][0]["code"], "NOT_PREPARED", "{proof:#}");
    let shown = it.world.provost().args(["show", "t1"]).run().stdout();
    assert!(shown.contains("UNPROVEN  tests ("), "{shown}");
    assert!(shown.contains("old_tests: the preparation command"), "{shown}");
}
