//! Adapters in the loop: names, support levels, programs that are missing, quotas.

use serde_json::{Value, json};

use crate::loop_world::{Loop, RIGHT, ended};

/// A name that means nothing, a program that is not there, and nobody named at all.
#[test]
fn an_adapter_that_cannot_be_called_is_named() {
    let it = Loop::with_config(
        "[adapter.gone]\nkind = \"command\"\nargv = [\"/does/not/exist\"]\n\
         [adapter.bare]\nkind = \"command\"\nargv = [\"no-such-program-here\"]\n\
         [adapter.tape]\nkind = \"recording\"\nfile = \"/does/not/exist\"\n\
         [adapter.torn]\nkind = \"recording\"\nfile = \"@WORLD/repo/check.sh\"\n",
    );
    it.world.write(
        "home/.config/provost/provost.toml",
        "[adapter.far]\nkind = \"command\"\nargv = [\"sh\"]\nremote = \"nowhere\"\n",
    );
    // What has no meaning makes no task.
    for (id, spec, named) in [
        ("slip", json!({ "coder": "script:pas" }), "script:pass"),
        ("judge", json!({ "judge": "script:mok" }), "script:mock"),
        ("role", json!({ "coder": "script:need_input" }), "script:need_input"),
        ("far", json!({ "coder": "far" }), "nowhere"),
        ("tape", json!({ "judge": "tape" }), "/does/not/exist"),
        ("torn", json!({ "judge": "torn" }), "line 1"),
        ("nobody", json!({ "coder": null }), "`--agent bare`"),
    ] {
        let ran = it.run(id, spec);
        assert_eq!(ran.exit(), Some(2), "{id}: {}", ran.text());
        assert!(ran.stderr().contains(named), "{id}: {}", ran.stderr());
        assert!(!it.exists(id), "{id}");
    }
    for (id, spec, named) in [
        ("gone", json!({ "coder": "gone" }), "gone"),
        ("bare", json!({ "coder": "bare" }), "bare"),
        ("bare-judge", json!({ "judge": "bare" }), ""),
    ] {
        let answer = it.check(id, spec, 3, "PAUSED_ADAPTER_MISSING");
        assert!(answer["message"].as_str().unwrap().contains(named), "{id}: {answer}");
        assert_eq!(it.status(id)["attempts_consumed"], 0, "{id}");
        assert_eq!(it.refs().contains(id), id == "bare-judge", "{id}");
    }
}

#[test]
fn a_task_that_names_nobody_takes_the_configured_ones() {
    let it = Loop::with_config("[task]\ncoder = \"c\"\njudge = \"j\"\n");
    it.check("t1", json!({ "coder": null, "judge": null }), 0, "READY_FOR_REVIEW");
}

/// Ruling 72: without a judge the facts decide; with neither a judge nor a test there is no task.
#[test]
fn without_a_judge_the_tests_decide() {
    let it = Loop::new();
    it.check("tested", json!({ "judge": null }), 0, "READY_FOR_REVIEW");
    assert_eq!(it.count("tested", "JUDGE_STARTED"), 1);
    it.coder("echo 41 >answer.txt");
    it.check("red", json!({ "judge": "tests", "max_attempts": 1 }), 1, "FAILED");
    let spec = it.spec("nothing", json!({ "judge": null, "test_cmd": null }));
    let refused = it.provost(&["run", spec.to_str().unwrap()]).run();
    assert_eq!(refused.exit(), Some(2));
    assert!(refused.stderr().contains("no test, no plan and no judge"), "{}", refused.stderr());
    assert!(!it.exists("nothing"), "a task that could not be judged was made");
}

/// LOOP-A15.
#[test]
fn a_partial_adapter_runs_only_with_leave() {
    let it = Loop::new();
    let path = it.program("cursor-agent", "echo 42 >answer.txt");
    let spec = it.spec("t1", json!({ "coder": "cursor" }));
    let run = |leave: Option<&str>| {
        let it = it.provost(&["run", spec.to_str().unwrap()]).variable("PATH", &path);
        match leave {
            Some(value) => it.variable("ALLOW_PARTIAL_RUN", value).run(),
            None => it.run(),
        }
    };
    for leave in [None, Some("1"), Some("false"), Some("")] {
        let refused = run(leave);
        assert_eq!(refused.exit(), Some(2), "{}", refused.text());
        assert!(refused.stderr().contains("PARTIAL"), "{}", refused.stderr());
        assert!(!it.exists("t1"), "a task was made for an adapter that may not run");
    }
    ended(&run(Some("true")), 0, "READY_FOR_REVIEW");
    assert_eq!(it.status("t1")["attempts_consumed"], 0);
}

/// LOOP-A3: `sudo` is not started for an adapter, and not for what prepares a checkout.
#[test]
fn sudo_is_refused_for_an_adapter_and_for_what_prepares() {
    let it = Loop::with_config(
        "[[prepare]]\ncommand = \"sudo -n true\"\n\
         [adapter.root]\nkind = \"command\"\nargv = [\"sudo\", \"-n\", \"sh\"]\n\
         [adapter.deep]\nkind = \"command\"\nargv = [\"sh\", \"-c\", \"env X=1 su'do' -n sh\"]\n",
    );
    let path = it.program("sudo", "echo 42 >answer.txt");
    for (id, coder) in [("root", "root"), ("deep", "deep"), ("prepare", "c")] {
        let spec = it.spec(id, json!({ "coder": coder, "max_attempts": 1 }));
        let ran = it.provost(&["run", spec.to_str().unwrap()]).variable("PATH", &path).run();
        assert_ne!(ran.exit(), Some(0), "{id}: {}", ran.text());
        let state = it.status(id)["state"].clone();
        assert_ne!(state, "READY_FOR_REVIEW");
        assert_ne!(state, "RUNNING");
        assert!(ran.text().contains("sudo") || id == "prepare", "{id}: {}", ran.text());
        assert!(!it.refs().contains(id), "{id}");
    }
    let log = it.text("prepare/attempt_001/prepare/stdout.log");
    assert!(log.contains("refused"), "{log}");
}

/// A spent quota pauses with the provider's time and exit code 75, and costs no attempt.
#[test]
fn a_spent_quota_says_when_to_come_back() {
    let it = Loop::new();
    it.coder(r#"printf '{"schema":"provost.adapter/1","role":"coder","text":"","retry_after_seconds":5400}' >"$PROVOST_REPLY"; exit 75"#);
    let spec = it.spec("t1", json!({}));
    let ran = it.world.provost().args(["run".as_ref(), spec.as_os_str()]).run();
    assert_eq!(ran.exit(), Some(75), "{}", ran.text());
    assert!(ran.stdout().contains("t1  paused · a provider's quota is used up"), "{}", ran.text());
    assert!(ran.stdout().contains("5400") || ran.stdout().contains("1h30m"), "{}", ran.text());
    assert_eq!(it.status("t1")["attempts_consumed"], 0);
    it.coder(RIGHT);
    it.resume("t1", 0, "READY_FOR_REVIEW");
}

/// A wait that the configuration allows is slept, in the same attempt.
#[test]
fn a_short_quota_is_waited_for() {
    let it = Loop::with_config("[task]\nquota_wait = 5\n");
    it.coder(
        r#"if [ -e .git/asked ]; then echo 42 >answer.txt; reply done; exit 0; fi
           touch .git/asked
           printf '{"schema":"provost.adapter/1","role":"coder","text":"","retry_after_seconds":1}' >"$PROVOST_REPLY"; exit 75"#,
    );
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    assert_eq!(it.count("t1", "QUOTA_WAITED"), 1);
    assert_eq!(it.count("t1", "ATTEMPT_STARTED"), 1);
    let commands = it.text("t1/attempt_001/commands.log");
    let codes: Vec<Value> = commands
        .lines()
        .map(|it| serde_json::from_str::<Value>(it).unwrap()["rc"].clone())
        .collect();
    assert_eq!(codes, [75, 0, 0, 0]);
}
