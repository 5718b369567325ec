//! Ways to have a result taken for proven or approved that is not, or to lose one: each was open
//! once.

use serde_json::json;

use crate::loop_world::{Loop, RIGHT, WRONG, token};

/// What prepares a checkout may run what the agent wrote; the test runs on what was delivered.
#[test]
fn what_prepares_a_checkout_cannot_change_what_is_tested() {
    let it = Loop::with_config("[[prepare]]\ncommand = \"sh setup.sh\"\nwhen = \"setup.sh\"\n");
    it.coder("echo 'echo true > check.sh; rm -f provost.toml' > setup.sh; reply done");
    let spec = json!({ "forbidden_globs": ["check.sh"], "max_attempts": 1 });
    it.check("t1", spec, 1, "FAILED");
    let log = it.text("t1/attempt_001/test/run.log");
    assert!(log.contains("restored=check.sh") && log.contains("restored=provost.toml"), "{log}");
}

/// The default preparation runs nothing that a lock file of the agent's brings along.
#[test]
fn a_lock_file_of_the_agent_runs_nothing() {
    let it = Loop::new();
    it.coder(
        r#"echo '{"name":"x","version":"1.0.0","scripts":{"postinstall":"echo ran > ran.txt"}}' > package.json
        echo '{"name":"x","version":"1.0.0","lockfileVersion":3,"packages":{}}' > package-lock.json
        echo 42 > answer.txt; reply done"#,
    );
    it.check("t1", json!({ "test_cmd": "test ! -e ran.txt" }), 0, "READY_FOR_REVIEW");
    let log = it.text("t1/attempt_001/test/run.log");
    assert!(log.contains("prepare=npm ci --ignore-scripts"), "{log}");
}

/// Coder, test and judge share no folder in which one could leave something for the other.
#[test]
fn each_step_has_a_temporary_folder_of_its_own() {
    let it = Loop::new();
    it.coder("echo planted > \"$TMPDIR/flag\"; echo 41 > answer.txt; reply done");
    let spec = json!({ "test_cmd": "test -e \"$TMPDIR/flag\"", "max_attempts": 1 });
    it.check("t1", spec, 1, "FAILED");
}

/// An approval is one of the result that was looked at, not of the next one.
#[test]
fn an_approval_does_not_carry_over_to_the_next_result() {
    let it = Loop::new();
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    it.order(&["approve", "t1"]);
    assert_eq!(it.status("t1")["review"]["outcome"], "approved");
    it.coder("echo 42 > answer.txt; echo more > extra; reply done");
    it.resume("t1", 0, "READY_FOR_REVIEW");
    assert!(it.status("t1")["review"].is_null());
    // What was said is not called a failure.
    assert!(it.prompt("t1", 2).contains("The attempt before passed."), "{}", it.prompt("t1", 2));
    let inbox = it.provost(&["inbox"]).run();
    assert!(inbox.stdout().contains("provost approve t1"), "{}", inbox.text());
}

/// Whoever asks to be asked again at once does not keep provost busy for ever.
#[test]
fn a_quota_that_is_over_at_once_is_spent_all_the_same() {
    for (config, waits) in [("", 0), ("[task]\nquota_wait = 2\n", 2)] {
        let it = Loop::with_config(config);
        it.coder(
            r#"printf '{"schema":"provost.adapter/1","role":"coder","retry_after_seconds":0}' > "$PROVOST_REPLY"; exit 75"#,
        );
        it.check("t1", json!({}), 75, "PAUSED_QUOTA");
        assert_eq!(it.count("t1", "QUOTA_WAITED"), waits, "{config}");
    }
}

/// LOOP-A4: a secret is one however it is escaped.
#[test]
fn an_escaped_secret_is_taken_out_of_a_reply() {
    let it = Loop::new();
    let escaped: Vec<String> =
        token().chars().map(|it| format!("\\u{:04x}", u32::from(it))).collect();
    let escaped = escaped.concat();
    it.world.write(
        "agents/said.json",
        format!(r#"{{"schema":"provost.adapter/1","role":"coder","text":"it is {escaped} ok"}}"#),
    );
    let said = it.world.path("agents/said.json");
    it.coder(&format!(
        "cat '{}' > \"$PROVOST_REPLY\"; [ \"$attempt\" = 1 ] && echo 41 > answer.txt || echo 42 > answer.txt",
        said.display()
    ));
    it.check("t1", json!({ "attempt_context_mode": "iterative" }), 0, "READY_FOR_REVIEW");
    assert_eq!(it.holding(&token()), Vec::<std::path::PathBuf>::new());
    let reply = it.text("t1/attempt_001/coder/reply.json");
    assert!(reply.contains("[REDACTED:github-token]"), "{reply}");
    assert!(it.prompt("t1", 2).contains("[REDACTED:github-token]"));
}

/// What a coder made before it failed is saved, not thrown away.
#[test]
fn the_work_of_a_coder_that_failed_is_saved() {
    let it = Loop::new();
    it.coder("echo precious > work.txt; exit 9");
    let ended = it.check("t1", json!({}), 3, "PAUSED_CODER_FAILED");
    let message = ended["message"].as_str().unwrap();
    assert!(message.contains("exit code 9"), "{message}");
    assert_eq!(it.count("t1", "WORK_SAVED"), 1);
    assert_eq!(it.git("show refs/provost/attempts/t1/1:work.txt"), "precious\n");
    assert!(it.work("t1").is_empty(), "{:?}", it.work("t1"));
}

/// A repository inside the tree cannot be delivered, and that is said.
#[test]
fn a_repository_inside_the_tree_is_refused() {
    let it = Loop::new();
    it.coder("echo 42 > answer.txt; git init -q sub; echo x > sub/file; reply done");
    let ended = it.check("t1", json!({}), 3, "PAUSED_ALLOWED_PATHS");
    assert!(ended["message"].as_str().unwrap().contains("sub"), "{ended}");
}

/// A reset counts everything anew, timeouts too.
#[test]
fn a_reset_forgets_timeouts() {
    let it = Loop::new();
    it.coder("sleep 30");
    let spec = json!({ "coder_timeout_seconds": 1 });
    it.check("t1", spec.clone(), 3, "PAUSED_CODER_TIMEOUT");
    it.order(&["reset", "t1"]);
    it.check("t1", spec, 3, "PAUSED_CODER_TIMEOUT");
}

/// The time of a task is also that of a judge who is asked again.
#[test]
fn a_judge_does_not_outlast_the_budget() {
    let it = Loop::new();
    it.judge_script("sleep 60");
    let spec = json!({ "judge_timeout_seconds": 2, "budget": { "wall": "4s" } });
    it.check("t1", spec, 3, "PAUSED_BUDGET");
}

/// A number that was given is never given again.
#[test]
#[expect(clippy::disallowed_methods, reason = "somebody who tidies up by hand")]
fn an_attempt_number_is_taken_for_good() {
    let it = Loop::new();
    it.coder(WRONG);
    it.check("t1", json!({ "max_attempts": 1 }), 1, "FAILED");
    std::fs::remove_dir_all(it.path("t1/attempt_001")).unwrap();
    it.coder(RIGHT);
    it.order(&["override", "t1", "max_attempts=5"]);
    it.resume("t1", 0, "READY_FOR_REVIEW");
    assert_eq!(it.status("t1")["current_attempt"], 2);
}

/// A pipe in place of a file that git reads would hold git up for ever.
#[test]
fn a_pipe_that_git_would_wait_for_is_refused_by_name() {
    let it = Loop::new();
    for (id, name) in [("ignore", ".gitignore"), ("attributes", "deep/.gitattributes")] {
        it.coder(&format!(
            "mkdir -p deep; rm -f {name}; mkfifo {name}; echo 42 >answer.txt; reply done"
        ));
        let ended = it.check(id, json!({}), 3, "PAUSED_ALLOWED_PATHS");
        assert!(ended["message"].as_str().unwrap().contains(name), "{ended}");
        // The tree is kept, and the next run does not stumble over it.
        it.coder(RIGHT);
        it.resume(id, 0, "READY_FOR_REVIEW");
    }
}
