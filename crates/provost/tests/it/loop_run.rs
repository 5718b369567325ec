//! The loop as a person meets it: what a run leaves, how it goes on, and what the next attempt
//! is told.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::loop_world::{GOOD, Loop, RIGHT, WRONG, ended, plain, scored};

/// The events of an attempt that passed (LOOP-B18).
const CLEAN: [&str; 12] = [
    "TASK_CREATED",
    "ATTEMPT_STARTED",
    "CODER_STARTED",
    "CODER_FINISHED",
    "POLICY_CHECKED",
    "TEST_STARTED",
    "TEST_FINISHED",
    "EVIDENCE_PACKED",
    "JUDGE_STARTED",
    "JUDGE_FINISHED",
    "ATTEMPT_DECIDED",
    "STATE_CHANGED",
];

/// LOOP-B14, LOOP-B18, LOOP-A12.
#[test]
fn a_clean_pass_leaves_its_files_and_its_events_in_order() {
    let it = Loop::new();
    it.judge(&scored("PASS", GOOD));
    it.check("t1", json!({ "task_type": "engineering_impl" }), 0, "READY_FOR_REVIEW");

    let steps = ["rc.txt", "run.log", "stderr.log", "stdout.log"].map(|it| format!("test/{it}"));
    let talks = [
        "prompt.txt",
        "rc.txt",
        "reply.json",
        "request.json",
        "run.log",
        "stderr.log",
        "stdout.log",
    ];
    let talk = |step: &str| talks.map(|it| format!("{step}/{it}"));
    let others = [
        "commands.log",
        "decision.json",
        "diff.patch",
        "diff.stat",
        "env.json",
        "evidence.json",
        "head_commit.txt",
        "metrics.json",
        "test_proof.json",
        "judge/score.json",
        "judge/verdict.json",
    ];
    let mut expected: Vec<String> = others.map(str::to_owned).into();
    expected.extend(steps);
    expected.extend(talk("coder").into_iter().chain(talk("judge")));
    expected.sort();
    assert_eq!(it.files("t1/attempt_001"), expected);
    let mut top = it.files("t1");
    top.retain(|it| !it.contains('/'));
    let expected = [
        "base_test.json",
        "events.jsonl",
        "final_summary.json",
        "lock",
        "status.json",
        "task.json",
    ];
    assert_eq!(top, expected);
    for step in ["coder", "test", "judge"] {
        assert_eq!(it.text(&format!("t1/attempt_001/{step}/rc.txt")), "0\n", "{step}");
    }
    assert_eq!(it.kinds("t1"), CLEAN);
    let commands = it.text("t1/attempt_001/commands.log");
    let commands: Vec<Value> =
        commands.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let names: Vec<_> = commands.iter().map(|it| it["cmd"].as_str().unwrap()).collect();
    assert_eq!(names, ["coder:c", "test:sh check.sh", "judge:j"]);
    assert_eq!(it.work("t1"), Vec::<std::path::PathBuf>::new());
    let head = it.text("t1/attempt_001/head_commit.txt");
    assert_eq!(it.git("rev-parse refs/provost/attempts/t1/1"), head);
    assert_eq!(it.git(&format!("show {}:answer.txt", head.trim())), "42\n");
}

/// LOOP-B15, LOOP-B16, LOOP-B17, LOOP-A14, LOOP-B1.
#[test]
fn status_summary_index_and_verdict_have_their_fields() {
    let it = Loop::new();
    it.judge(&scored("PASS", GOOD));
    it.check("t1", json!({ "task_type": "engineering_impl" }), 0, "READY_FOR_REVIEW");
    let has = |value: &Value, keys: &[&str]| {
        for key in keys {
            assert!(value.get(*key).is_some(), "{key} in {value}");
        }
    };
    let status = it.status("t1");
    has(
        &status,
        &[
            "task_id",
            "state",
            "state_version",
            "updated_at",
            "current_attempt",
            "max_attempts",
            "effective_max_attempts",
            "pause_flag",
            "last_decision",
            "message",
            "questions_for_user",
            "pause_category",
            "pause_reason_code",
            "paths",
            "rubric_version_used",
            "last_user_input_ts_consumed",
            "last_transition",
        ],
    );
    let summary = it.json("t1/final_summary.json");
    has(
        &summary,
        &[
            "task_id",
            "state",
            "decision",
            "last_decision",
            "current_attempt",
            "max_attempts",
            "message",
            "questions_for_user",
            "pause_category",
            "pause_reason_code",
            "final_head_commit",
            "updated_at",
            "state_version",
            "final_score_0_100",
            "verdict_summary",
            "paths",
        ],
    );
    let index = it.json("_index/tasks/t1.json");
    has(&index, &["task_id", "state", "updated_at", "state_version", "paths"]);
    // What a list or a notice of a change needs.
    has(
        &index,
        &["pause_reason_code", "last_decision", "current_attempt", "effective_max_attempts"],
    );
    for key in ["state", "state_version", "updated_at", "current_attempt"] {
        assert_eq!(status[key], summary[key], "{key}");
        assert_eq!(status[key], index[key], "{key}");
    }
    assert_eq!(summary["verdict_summary"]["final_score_0_100"], summary["final_score_0_100"]);
    assert_eq!(summary["verdict_summary"]["top_issues"].as_array().unwrap().len(), 2);
    let time = status["updated_at"].as_str().unwrap();
    assert_eq!((time.len(), &time[10..11], &time[19..]), (20, "T", "Z"));
    has(
        &it.json("t1/attempt_001/judge/verdict.json"),
        &[
            "decision",
            "scores",
            "weights",
            "raw_score_0_5",
            "penalty",
            "final_score_0_5",
            "final_score_0_100",
            "gated",
            "gating_reasons",
            "top_issues",
            "fix_suggestions",
            "scoring_mode_used",
            "deliverability_index_0_100",
            "improvement_potential_0_100",
            "rubric_version_used",
            "rubric_hash_used",
            "thresholds_used",
        ],
    );
}

/// LOOP-A12: what an agent writes or prints is not its exit code, and neither is the last part
/// of a pipe of provost's own.
#[test]
fn an_exit_code_is_that_of_the_process() {
    let it = Loop::new();
    it.coder("mkdir coder; echo 0 >rc.txt; echo 0 >coder/rc.txt; echo rc=0; reply done; exit 7");
    it.check("coder", json!({}), 3, "PAUSED_CODER_FAILED");
    assert_eq!(it.text("coder/attempt_001/coder/rc.txt"), "7\n");
    assert_eq!(it.count("coder", "CODER_FAILED_SKIP_JUDGE"), 1);
    assert_eq!(it.count("coder", "TEST_STARTED") + it.count("coder", "JUDGE_STARTED"), 0);

    it.coder(RIGHT);
    it.check("test", json!({ "test_cmd": "echo ok; exit 3", "max_attempts": 1 }), 1, "FAILED");
    assert_eq!(it.text("test/attempt_001/test/rc.txt"), "3\n");
    assert_eq!(it.text("test/attempt_001/test/stdout.log"), "ok\n");

    it.judge_script("give verdict; exit 9");
    it.check("judge", json!({}), 3, "PAUSED_JUDGE_VERDICT_INVALID");
    assert_eq!(it.text("judge/attempt_001/judge/rc.txt"), "9\n");
}

/// Every write of the status adds one, whatever was ordered, and nothing takes it back.
#[test]
fn the_state_version_grows_by_one_at_every_write_and_never_goes_back() {
    let it = Loop::new();
    it.coder(WRONG);
    it.check("t1", json!({ "max_attempts": 1 }), 1, "FAILED");
    let mut last = 0;
    let mut grew = |what: &str| {
        let version = it.status("t1")["state_version"].as_u64().unwrap();
        assert!(version > last, "{what}: {last} to {version}");
        last = version;
    };
    grew("run");
    it.order(&["reset", "t1"]);
    grew("reset");
    it.order(&["override", "t1", "max_attempts=2"]);
    grew("override");
    it.resume("t1", 1, "FAILED");
    grew("resume");
    ended(&it.provost(&["rerun", "t1", "1"]).run(), 3, "PAUSED_BUDGET");
    grew("rerun");
    let before = it.world.listing();
    assert_eq!(it.run("t1", json!({ "goal": "another" })).exit(), Some(5));
    let mut after = it.world.listing();
    // The spec that was written for this run is the test's own.
    let is_spec = |it: &String| it.contains("/specs");
    let mut before = before;
    before.retain(|it| !is_spec(it));
    after.retain(|it| !is_spec(it));
    assert_eq!(before, after);

    let events = it.events("t1");
    let versions: Vec<u64> = events.iter().filter_map(|it| it["state_version"].as_u64()).collect();
    assert_eq!((versions[0], versions[versions.len() - 1]), (1, last));
    for pair in versions.windows(2) {
        assert!(pair[1] == pair[0] || pair[1] == pair[0] + 1, "{versions:?}");
    }
    let numbers: Vec<u64> = events.iter().map(|it| it["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
}

#[test]
fn the_judge_s_questions_reach_the_status_word_for_word() {
    let it = Loop::new();
    let questions = json!(["Is `a\\b` \"meant\"?\n  Or 两者?", "  and <this>\t? "]);
    let mut verdict = plain("NEED_USER_INPUT");
    verdict["questions_for_user"] = questions.clone();
    it.judge(&verdict);
    let answer = it.check("t1", json!({}), 3, "PAUSED_WAITING_USER_INPUT");
    assert_eq!(answer["questions_for_user"], questions);
    assert_eq!(it.status("t1")["questions_for_user"], questions);
    assert_eq!(it.json("t1/final_summary.json")["questions_for_user"], questions);
    assert_eq!(it.status("t1")["attempts_consumed"], 0);
}

/// An answer is for the attempt after it; a coder that broke off has not heard it.
#[test]
fn an_answer_is_told_once_and_again_only_if_nobody_could_act_on_it() {
    let it = Loop::new();
    it.verdict("ask", &plain("NEED_USER_INPUT").to_string());
    it.verdict("fail", &plain("FAIL").to_string());
    it.verdict("pass", &plain("PASS").to_string());
    it.judge_script("case $attempt in 1) give ask;; 5) give fail;; *) give pass;; esac");
    it.coder(
        "case $attempt in 2) exit 4;; 3) exit 195;; 4) sleep 60;; *) echo 42 >answer.txt; reply done;; esac",
    );
    let limits = json!({ "coder_timeout_seconds": 1 });
    it.check("t1", limits, 3, "PAUSED_WAITING_USER_INPUT");
    it.order(&["answer", "t1", "the left one, $HOME `x`"]);
    it.resume("t1", 3, "PAUSED_CODER_FAILED");
    it.resume("t1", 3, "PAUSED_CODER_AUTH_195");
    it.resume("t1", 3, "PAUSED_CODER_TIMEOUT");
    it.resume("t1", 0, "READY_FOR_REVIEW");
    let told: Vec<bool> =
        (1..=6).map(|at| it.prompt("t1", at).contains("the left one, $HOME `x`")).collect();
    assert_eq!(told, [false, true, true, true, true, false]);
    assert!(it.prompt("t1", 5).contains("=== USER_INPUT ==="));
    assert!(!it.prompt("t1", 6).contains("=== USER_INPUT ==="));
    assert!(!it.status("t1")["last_user_input_ts_consumed"].is_null());
}

#[test]
fn an_edited_instruction_is_for_the_next_attempt_and_no_other() {
    let it = Loop::new();
    it.verdict("ask", &plain("NEED_USER_INPUT").to_string());
    it.verdict("fail", &plain("FAIL").to_string());
    it.judge_script("if [ $attempt = 1 ]; then give ask; else give fail; fi");
    it.check("t1", json!({ "max_attempts": 2 }), 3, "PAUSED_WAITING_USER_INPUT");
    it.order(&["edit", "t1", "--instruction", "use a pencil"]);
    it.resume("t1", 1, "FAILED");
    let told: Vec<bool> = (1..=3).map(|at| it.prompt("t1", at).contains("use a pencil")).collect();
    assert_eq!(told, [false, true, false]);
}

#[test]
fn a_rejection_is_told_to_the_next_attempt() {
    let it = Loop::new();
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    it.order(&["reject", "t1", "--because", "the file has no owner"]);
    it.resume("t1", 0, "READY_FOR_REVIEW");
    assert!(it.prompt("t1", 2).contains("the file has no owner"));
    let status = it.status("t1");
    assert_eq!((&status["review"], &status["current_attempt"]), (&Value::Null, &json!(2)));
    it.order(&["approve", "t1"]);
    assert_eq!(it.status("t1")["review"]["outcome"], "approved");
}

#[test]
fn a_rerun_uses_the_same_prompt_to_the_byte() {
    let it = Loop::new();
    it.coder(WRONG);
    it.check("t1", json!({ "max_attempts": 2 }), 1, "FAILED");
    it.order(&["override", "t1", "max_attempts=4"]);
    it.coder(RIGHT);
    ended(&it.provost(&["rerun", "t1", "1"]).run(), 0, "READY_FOR_REVIEW");
    assert_ne!(it.prompt("t1", 1), it.prompt("t1", 2));
    assert_eq!(it.prompt("t1", 1), it.prompt("t1", 3));
    let mut started = it.events("t1").into_iter().filter(|it| it["type"] == "ATTEMPT_STARTED");
    assert_eq!(started.next_back().unwrap()["summary"], "RERUN_FROM=attempt_001");
    // What was not told to anybody cannot be told again.
    let ran = it.provost(&["rerun", "t1", "9"]).run();
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    it.check("t2", json!({ "test_cmd": "no-such-program" }), 3, "PAUSED_TEST_NOT_RUN");
    let before = it.text("t2/status.json");
    let ran = it.provost(&["rerun", "t2", "1"]).run();
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stderr().contains("provost resume t2"), "{}", ran.text());
    assert_eq!(it.text("t2/status.json"), before);
}

#[test]
fn a_reset_counts_from_zero_and_numbers_on() {
    let it = Loop::new();
    it.coder(WRONG);
    it.check("t1", json!({ "max_attempts": 2 }), 1, "FAILED");
    let first = it.text("t1/attempt_001/decision.json");
    it.order(&["reset", "t1"]);
    let status = it.status("t1");
    let expected = [json!("PAUSED"), json!("PAUSED_USER"), json!(0), json!(0)];
    let keys = ["state", "pause_reason_code", "current_attempt", "attempts_consumed"];
    assert_eq!(keys.map(|it| status[it].clone()), expected);
    assert!(!status["questions_for_user"].as_array().unwrap().is_empty());
    it.resume("t1", 1, "FAILED");
    assert_eq!(it.text("t1/attempt_001/decision.json"), first);
    assert!(it.exists("t1/attempt_004/decision.json") && !it.exists("t1/attempt_005"));
    assert_eq!(it.status("t1")["attempts_consumed"], 2);
    // What came before the reset is not told.
    assert!(!it.prompt("t1", 3).contains("=== CONTEXT ==="));
    assert!(it.prompt("t1", 4).contains("=== CONTEXT ==="));
}

/// A pause that is nobody's fault costs no attempt, however often it happens.
#[test]
fn a_pause_that_does_not_consume_costs_no_attempt() {
    let it = Loop::new();
    it.coder("exit 195");
    it.check(
        "t1",
        json!({ "max_attempts": 1, "coder_timeout_seconds": 1 }),
        3,
        "PAUSED_CODER_AUTH_195",
    );
    it.resume("t1", 3, "PAUSED_CODER_AUTH_195");
    it.coder("sleep 60");
    it.resume("t1", 3, "PAUSED_CODER_TIMEOUT");
    it.coder(RIGHT);
    it.judge_script("exit 195");
    it.resume("t1", 3, "PAUSED_JUDGE_AUTH_195");
    assert_eq!(it.status("t1")["attempts_consumed"], 0);
    it.judge(&plain("PASS"));
    it.resume("t1", 0, "READY_FOR_REVIEW");
    assert_eq!(it.status("t1")["current_attempt"], 5);
}

/// LOOP-B13: two timeouts of one kind in adjacent attempts, whichever process saw the first.
#[test]
fn the_same_timeout_twice_fails_across_two_processes() {
    let it = Loop::new();
    it.coder("sleep 60");
    it.check(
        "t1",
        json!({ "coder_timeout_seconds": 1, "test_timeout_seconds": 1, "base_ref": "main" }),
        3,
        "PAUSED_CODER_TIMEOUT",
    );
    assert_eq!(it.status("t1")["last_transition"]["consecutive_count"], 1);
    it.resume("t1", 1, "FAILED");
    assert_eq!(it.status("t1")["last_transition"]["row"], "timeout-twice");
    assert_eq!(it.text("t1/attempt_002/coder/rc.txt"), "124\n");
    // A timeout of another kind counts from one.
    it.coder(RIGHT);
    it.world.write("repo/check.sh", "sleep 60\n");
    it.commit();
    it.resume("t1", 3, "PAUSED_TEST_TIMEOUT");
    assert_eq!(it.status("t1")["last_transition"]["consecutive_count"], 1);
}

/// A task whose attempts are used up asks for more of them; it does not hang as RUNNING.
#[test]
fn a_failed_task_asks_for_more_attempts_and_runs_on_with_them() {
    let it = Loop::new();
    it.coder(WRONG);
    it.check("t1", json!({ "max_attempts": 1 }), 1, "FAILED");
    assert_eq!(it.status("t1")["last_transition"]["row"], "fail-exhausted");
    let answer = it.resume("t1", 3, "PAUSED_BUDGET");
    assert!(answer["message"].as_str().unwrap().contains("the 1 attempt is used"), "{answer}");
    assert!(!answer["questions_for_user"].as_array().unwrap().is_empty());
    assert!(!it.exists("t1/attempt_002"));
    let shown = it.world.provost().args(["show", "t1"]).run().stdout();
    assert!(shown.contains("provost edit t1 --set max_attempts=2"), "{shown}");
    let listed = it.world.provost().args(["ls"]).run().stdout();
    assert!(listed.contains("more attempts") && listed.contains("1/1"), "{listed}");
    it.order(&["edit", "t1", "--set", "max_attempts=2"]);
    it.coder(RIGHT);
    it.resume("t1", 0, "READY_FOR_REVIEW");
    let status = it.status("t1");
    assert_eq!(
        (&status["max_attempts"], &status["effective_max_attempts"]),
        (&json!(1), &json!(2))
    );
}

#[test]
fn what_the_coder_said_is_told_in_the_iterative_mode_only() {
    let it = Loop::new();
    it.coder("echo 41 >answer.txt; reply 'I used a spoon'");
    for (id, mode, expected) in [("fresh", "fresh_each", false), ("on", "iterative", true)] {
        let spec = json!({ "attempt_context_mode": mode, "max_attempts": 2 });
        it.check(id, spec, 1, "FAILED");
        assert!(!it.prompt(id, 1).contains("spoon"));
        assert_eq!(it.prompt(id, 2).contains("I used a spoon"), expected, "{mode}");
        assert!(it.prompt(id, 2).contains("exit code 1"), "{mode}");
    }
}

/// The same spec is the same task, and a finished one is only reported.
#[test]
fn the_same_spec_again_reports_or_continues() {
    let it = Loop::new();
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    let before = it.world.listing();
    let spec = it.world.path("specs/t1.json");
    let answer = ended(&it.provost(&["run", spec.to_str().unwrap()]).run(), 0, "READY_FOR_REVIEW");
    assert_eq!(answer["ran"], false);
    assert_eq!(it.world.listing(), before);
    assert_eq!(ended(&it.provost(&["run", "t1"]).run(), 0, "READY_FOR_REVIEW")["ran"], false);

    it.coder("exit 195");
    it.check("t2", json!({}), 3, "PAUSED_CODER_AUTH_195");
    it.coder(RIGHT);
    let answer = it.check("t2", json!({}), 0, "READY_FOR_REVIEW");
    assert_eq!((&answer["ran"], &answer["status"]["current_attempt"]), (&json!(true), &json!(2)));
}

/// Another spec under a taken id is refused with questions, and nothing is written.
#[test]
fn another_spec_under_the_same_id_changes_not_a_byte() {
    let it = Loop::new();
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    let spec = it.spec("t1", json!({ "goal": "something else" }));
    let before = it.world.listing();
    for _ in 0..2 {
        let answer = ended(
            &it.provost(&["run", spec.to_str().unwrap()]).run(),
            5,
            "PAUSED_TASK_ID_CONFLICT",
        );
        assert!(!answer["questions_for_user"].as_array().unwrap().is_empty());
        assert_eq!(answer["state"], Value::Null);
    }
    let ran = it.world.provost().args(["run".as_ref(), spec.as_os_str()]).run();
    assert_eq!((ran.exit(), ran.stdout().as_str()), (Some(5), ""));
    assert!(ran.stderr().contains("`t1`"), "{}", ran.stderr());
    assert_eq!(it.world.listing(), before);
}

/// LOOP-B25, and keys that nobody reads.
#[test]
fn unknown_keys_are_kept_and_reported_and_the_alias_is_not_written() {
    let it = Loop::new();
    it.judge(&scored("PASS", GOOD));
    let ran = it.run(
        "t1",
        json!({
            "task_type": "engineering_implementation",
            "constraints": ["be brief"],
            "colour": { "of": ["the", "shed"] },
            "_note": "for people",
        }),
    );
    ended(&ran, 0, "READY_FOR_REVIEW");
    assert!(ran.stderr().contains("colour"), "{}", ran.stderr());
    assert!(!ran.stderr().contains("_note"), "{}", ran.stderr());
    let kept = it.json("t1/task.json");
    let found: BTreeMap<_, _> =
        ["colour", "constraints", "task_type", "_note"].map(|key| (key, kept[key].clone())).into();
    let expected = [
        ("colour", json!({ "of": ["the", "shed"] })),
        ("constraints", json!(["be brief"])),
        ("task_type", json!("engineering_impl")),
        ("_note", json!("for people")),
    ];
    assert_eq!(found, expected.into());
    assert_eq!(it.holding("engineering_implementation"), Vec::<std::path::PathBuf>::new());
}

/// A spec lies in `tasks` or in `examples`, and its repository is relative to where it lies.
#[test]
fn a_spec_is_found_by_its_id_and_names_its_repository_from_where_it_lies() {
    let it = Loop::new();
    for (folder, id) in [("tasks", "a"), ("examples", "b")] {
        let spec = json!({
            "task_id": id, "repo_path": "..", "test_cmd": "sh check.sh", "coder": "c", "judge": "j",
        });
        it.world.write(format!("repo/{folder}/{id}.json"), spec.to_string());
        ended(&it.provost(&["run", id]).run(), 0, "READY_FOR_REVIEW");
        let kept = it.json(&format!("{id}/task.json"));
        assert_eq!(kept["repo_path"], it.world.path("repo").to_str().unwrap());
    }
}
