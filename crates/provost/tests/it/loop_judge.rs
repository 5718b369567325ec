//! Judges in the loop: what they are asked, what they cannot do, and what becomes of what they
//! say.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    path::PathBuf,
    sync::mpsc,
    thread,
};

use provost_adapter::{AgentRole, Reply, Request, recording::RecordedReply};
use serde_json::{Value, json};

use crate::loop_world::{GOOD, Loop, WRONG, ended, plain, scored};

fn typed(more: Value) -> Value {
    let mut spec = json!({ "task_type": "engineering_impl" });
    let Value::Object(more) = more else { panic!("{more}") };
    spec.as_object_mut().unwrap().extend(more);
    spec
}

/// LOOP-B2, LOOP-B4, LOOP-B8: each kind of answer has its pause, and only one that could become
/// a verdict is asked for again.
#[test]
fn each_answer_of_a_judge_has_its_end() {
    let it = Loop::new();
    let table = [
        ("bad_json", 3, "PAUSED_JUDGE_VERDICT_INVALID", 2),
        ("duplicate_keys", 3, "PAUSED_JUDGE_VERDICT_INVALID", 2),
        ("wrong_sums", 3, "PAUSED_JUDGE_VERDICT_INVALID", 2),
        ("no_output", 3, "PAUSED_JUDGE_VERDICT_INVALID", 2),
        ("flat_scores", 3, "PAUSED_JUDGE_VERDICT_INCONSISTENT", 0),
        ("wrong_mode", 3, "PAUSED_JUDGE_MODE_INVALID", 0),
        ("gated", 3, "PAUSED_SCORE_GATED", 0),
        ("not_authorised", 3, "PAUSED_JUDGE_AUTH_195", 0),
        ("need_input", 3, "PAUSED_WAITING_USER_INPUT", 0),
        ("quota", 75, "PAUSED_QUOTA", 0),
    ];
    for (name, exit, code, retries) in table {
        let id = format!("j-{name}");
        let answer = it.check(&id, typed(json!({ "judge": format!("script:{name}") })), exit, code);
        assert_eq!(it.count(&id, "JUDGE_RETRIED"), retries, "{name}");
        assert_eq!(it.json(&format!("{id}/attempt_001/metrics.json"))["judge_retries"], retries);
        assert!(!answer["questions_for_user"].as_array().unwrap().is_empty(), "{name}");
        let is_consumed = code == "PAUSED_SCORE_GATED";
        assert_eq!(it.status(&id)["attempts_consumed"], u8::from(is_consumed), "{name}");
    }
}

/// The three tries of one attempt are one timeout.
#[test]
fn a_judge_that_does_not_end_is_asked_three_times_and_counts_once() {
    let it = Loop::new();
    it.judge_script("sleep 60");
    it.check("t1", json!({ "judge_timeout_seconds": 1 }), 3, "PAUSED_JUDGE_TIMEOUT");
    assert_eq!(it.count("t1", "JUDGE_RETRIED"), 2);
    assert_eq!(it.status("t1")["last_transition"]["consecutive_count"], 1);
    assert_eq!(it.text("t1/attempt_001/judge/rc.txt"), "124\n");
}

/// A retry says what was wrong, in the part that instructs.
#[test]
fn a_refused_reply_is_named_to_the_judge_that_is_asked_again() {
    let it = Loop::new();
    it.verdict("bad", "{\"decision\": \"PASS\", \"decision\": \"PASS\"}");
    it.verdict("good", &plain("PASS").to_string());
    it.judge_script(
        "if grep -q 'was refused' \"$PROVOST_REQUEST\"; then give good; else give bad; fi",
    );
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    assert_eq!(it.count("t1", "JUDGE_RETRIED"), 1);
    let finished = it.events("t1").into_iter().find(|it| it["type"] == "JUDGE_FINISHED").unwrap();
    assert_eq!(finished["summary"], "rc=0 valid=true retries=1");
    let request = it.json("t1/attempt_001/judge/request.json");
    let (prompt, evidence) = (request["prompt"].as_str().unwrap(), request["evidence"].as_str());
    assert!(prompt.contains("was refused") && prompt.contains("decision"), "{prompt}");
    assert!(!evidence.unwrap().contains("was refused"));
}

/// LOOP-B5, LOOP-B6, LOOP-U10: gates and penalties are provost's arithmetic, whatever the judge
/// says of itself.
#[test]
fn a_judge_cannot_approve_what_its_own_scores_gate() {
    let it = Loop::new();
    let mut low = GOOD;
    low[0] = 1.0;
    let mut claimed = scored("PASS", GOOD);
    claimed["gating_reasons"] = json!(["penalty:plagiarism_copyright"]);
    let table = [
        ("low", scored("PASS", low), "dim:correctness:1<2"),
        ("claimed", claimed, "penalty:plagiarism_copyright"),
    ];
    for (id, verdict, reason) in table {
        it.judge(&verdict);
        it.check(id, typed(json!({})), 3, "PAUSED_SCORE_GATED");
        let kept = it.json(&format!("{id}/attempt_001/judge/verdict.json"));
        assert_eq!((&kept["decision"], &kept["gated"]), (&json!("FAIL"), &json!(true)), "{kept}");
        assert!(kept["gating_reasons"].as_array().unwrap().contains(&json!(reason)), "{kept}");
        assert_eq!(it.count(id, "DECISION_LOWERED"), 1);
        assert_eq!(it.status(id)["last_decision"], "FAIL");
    }
}

/// Scores and sums of the judge's own are held against each other and against the rubric.
#[test]
fn weights_and_modes_are_not_the_judge_s_to_choose() {
    let it = Loop::new();
    let changed = |key: &str, value: Value| {
        let mut verdict = scored("PASS", GOOD);
        verdict[key] = value;
        verdict
    };
    let mut weights = scored("PASS", GOOD)["weights"].clone();
    weights["security"] = json!(0.04);
    weights["performance"] = json!(0.2);
    let mut without = scored("PASS", GOOD);
    without.as_object_mut().unwrap().remove("scoring_mode_used");
    let table = [
        ("weights", changed("weights", weights), "PAUSED_JUDGE_VERDICT_INVALID"),
        ("penalty", changed("penalty", json!(0.3)), "PAUSED_JUDGE_VERDICT_INVALID"),
        (
            "mode",
            changed("scoring_mode_used", json!("holistic_impression")),
            "PAUSED_JUDGE_MODE_INVALID",
        ),
        ("no-mode", without, "PAUSED_JUDGE_VERDICT_INVALID"),
        // A verdict without scores is no way around the rubric.
        ("plain", plain("PASS"), "PAUSED_JUDGE_VERDICT_INVALID"),
        ("no-issues", changed("top_issues", json!([])), "PAUSED_JUDGE_VERDICT_INCONSISTENT"),
        (
            "keyword",
            changed("top_issues", json!(["no tests", "b"])),
            "PAUSED_JUDGE_VERDICT_INCONSISTENT",
        ),
    ];
    for (id, verdict, code) in table {
        it.judge(&verdict);
        it.check(id, typed(json!({})), 3, code);
    }
}

/// `min_score` in both units, `min_score_0_100`, and one dimension. The score is 87.
#[test]
fn thresholds_hold_for_the_whole_and_for_each_dimension() {
    let it = Loop::new();
    it.judge(&scored("PASS", GOOD));
    let below = "PAUSED_SCORE_BELOW_THRESHOLD";
    let table = [
        ("a", json!({ "min_score": 4.35 }), 0, "READY_FOR_REVIEW"),
        ("b", json!({ "min_score": 4.36 }), 3, below),
        ("d", json!({ "min_score": 87.1 }), 3, below),
        ("e", json!({ "min_score_0_100": 88 }), 3, below),
        ("f", json!({ "runnability": 4.0, "security": 4.5 }), 0, "READY_FOR_REVIEW"),
        ("g", json!({ "runnability": 4.5 }), 3, below),
    ];
    for (id, thresholds, exit, word) in table {
        it.check(id, typed(json!({ "rubric_thresholds": thresholds })), exit, word);
        let kept = it.json(&format!("{id}/attempt_001/judge/verdict.json"));
        assert!(!kept["thresholds_used"].is_null(), "{kept}");
    }
    let told = it.text("g/attempt_001/decision.json");
    assert!(told.contains("`runnability` is 4, the task requires 4.5"), "{told}");
}

/// Without a type a plain verdict is enough; tests gate all the same, and nothing is called
/// verified that is not.
#[test]
fn a_task_without_a_type_or_a_test_says_so() {
    let it = Loop::new();
    it.check("good", json!({}), 0, "READY_FOR_REVIEW");
    it.check("bare", json!({ "test_cmd": null }), 0, "READY_FOR_REVIEW");
    it.coder(WRONG);
    it.check("wrong", json!({ "max_attempts": 1 }), 1, "FAILED");
    assert_eq!(it.count("wrong", "DECISION_LOWERED"), 1);
    let says = |id: &str, line: &str| {
        let shown = it.world.provost().args(["show", id]).run().stdout();
        assert!(shown.lines().any(|it| it.starts_with(line)), "{line} in {shown}");
    };
    says("good", "  VERIFIED  paths (1 file changed, none forbidden, no secrets) · tests (");
    says("bare", "  NOT RUN   tests (the task has no `test_cmd`)");
    says("wrong", "  FAILED    tests (");
    assert!(!it.exists("bare/attempt_001/test/rc.txt"));
    let request = it.json("bare/attempt_001/judge/request.json");
    assert!(request["evidence"].as_str().unwrap().contains("test: not run"));
    assert_eq!(it.json("good/final_summary.json")["final_score_0_100"], Value::Null);
}

/// LOOP-B2: a task that is scored by impression cannot become ready.
#[test]
fn a_holistic_task_never_becomes_ready() {
    let it = Loop::new();
    it.judge(&scored("PASS", GOOD));
    it.check(
        "typed",
        typed(json!({ "scoring_mode": "holistic_impression" })),
        3,
        "PAUSED_JUDGE_MODE_INVALID",
    );
    it.judge(&plain("PASS"));
    it.check(
        "plain",
        json!({ "scoring_mode": "holistic_impression" }),
        3,
        "PAUSED_JUDGE_MODE_INVALID",
    );
}

/// A failed test makes an approval a refusal, for every type that tests.
#[test]
fn a_failed_test_is_stronger_than_an_approval() {
    let it = Loop::new();
    it.coder(WRONG);
    let table = [
        ("engineering", json!("engineering_impl"), "script:pass"),
        ("script", json!("douyin_script"), "script:pass"),
        ("plain", Value::Null, "j"),
    ];
    for (id, task_type, judge) in table {
        let spec = json!({ "task_type": task_type, "judge": judge, "max_attempts": 1 });
        it.check(id, spec, 1, "FAILED");
        let decided = it.json(&format!("{id}/attempt_001/decision.json"));
        assert_eq!(decided["judge_decision"], "PASS");
        assert_eq!(decided["decision"]["last_decision"], "FAIL");
    }
}

/// What prepares a checkout is there for the test and in no result, if the base leaves it out; a
/// file beside the delivery is not, for it may be the agent's. Where it fails, the test was not
/// run, and that is what is said.
#[test]
fn a_checkout_is_prepared_for_its_test() {
    let it = Loop::with_config(
        "[[prepare]]\ncommand = \"echo ready | tee GNUmakefile >prepared.txt\"\n\
         [[prepare]]\ncommand = \"echo no network >&2; exit 9\"\nwhen = \"broken.txt\"\n",
    );
    it.world.write("repo/.gitignore", ".provost/\nprepared.txt\n");
    it.git("add .gitignore");
    it.git("-c user.name=t -c user.email=t@t commit -qm ignore");
    let test = "grep -qx ready prepared.txt && test ! -e GNUmakefile";
    let spec = json!({ "test_cmd": test, "max_attempts": 2 });
    it.check("good", spec.clone(), 0, "READY_FOR_REVIEW");
    let head = it.text("good/attempt_001/head_commit.txt");
    assert!(!it.git(&format!("ls-tree -r {}", head.trim())).contains("prepared.txt"));

    it.coder("echo 42 >answer.txt; touch broken.txt; reply done");
    it.check("bad", spec, 1, "FAILED");
    let shown = it.world.provost().args(["show", "bad"]).run().stdout();
    assert!(
        shown.contains("FAILED    tests (not run: the preparation command `echo no network"),
        "{shown}"
    );
    assert!(!it.text("bad/attempt_001/commands.log").contains("\"test:"));
    assert!(shown.contains("exited with 9: no network"), "{shown}");
    assert!(it.prompt("bad", 2).contains("no network"));
    let printed = it.text("bad/attempt_001/prepare/stdout.log");
    assert!(printed.contains("$ echo no network") && printed.contains("[exit 9]"), "{printed}");
}

/// LOOP-B3 and LOOP-A4: temperature 0 is sent and logged, and a key leaves no trace.
#[test]
fn a_chat_judge_is_asked_at_temperature_0_and_its_key_is_kept_nowhere() {
    const KEY: &str = "a key that looks like nothing 7731";
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, heard) = mpsc::channel();
    let server = thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream);
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            if let Some(it) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = it.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
            head.push_str(&line);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        sender.send((head, serde_json::from_slice::<Value>(&body).unwrap())).unwrap();
        let message = json!({ "role": "assistant", "content": plain("PASS").to_string() });
        let reply = json!({
            "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 7, "completion_tokens": 5 },
        });
        let reply = reply.to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            reply.len()
        );
        reader.get_mut().write_all((head + &reply).as_bytes()).unwrap();
    });
    let it = Loop::with_own(&format!(
        "[adapter.chat]\nkind = \"chat\"\nbase = \"http://{address}/v1\"\nmodel = \"m\"\nkey_variable = \"MODEL_KEY\"\n"
    ));
    let spec = it.spec("t1", json!({ "judge": "chat" }));
    let ran = it.provost(&["run", spec.to_str().unwrap()]).variable("MODEL_KEY", KEY).run();
    ended(&ran, 0, "READY_FOR_REVIEW");
    server.join().unwrap();
    let (head, body) = heard.recv().unwrap();
    assert!(head.contains(KEY), "{head}");
    assert_eq!((&body["temperature"], &body["model"]), (&json!(0), &json!("m")));
    assert_eq!(body["messages"][0]["role"], "system");
    assert!(it.text("t1/attempt_001/judge/run.log").lines().any(|it| it == "temperature=0"));
    assert_eq!(it.json("t1/attempt_001/metrics.json")["tokens"], 12);
    assert_eq!(it.holding(KEY), Vec::<PathBuf>::new());
    assert!(!ran.text().contains(KEY));
}

/// What was recorded is the judge; what was not recorded stops the attempt with its difference.
#[test]
fn a_recorded_judge_answers_what_was_recorded_and_nothing_else() {
    let it =
        Loop::with_config("[adapter.tape]\nkind = \"recording\"\nfile = \"@WORLD/tape.jsonl\"\n");
    it.check("first", json!({}), 0, "READY_FOR_REVIEW");
    let request = it.json("first/attempt_001/judge/request.json");
    let request: Request = serde_json::from_value(request).unwrap();
    let reply = Reply::new(AgentRole::Judge, plain("PASS").to_string());
    let line = serde_json::to_string(&RecordedReply::new(&request, reply).unwrap()).unwrap();
    it.world.write("tape.jsonl", line + "\n");
    it.check("again", json!({ "judge": "tape" }), 0, "READY_FOR_REVIEW");
    assert!(it.text("again/attempt_001/judge/run.log").contains("kind=recording"));
    let spec = json!({ "judge": "tape", "goal": "write 42, please" });
    let answer = it.check("other", spec, 3, "PAUSED_JUDGE_INVALID");
    let message = answer["message"].as_str().unwrap();
    assert!(message.contains("tape") && message.contains("please"), "{message}");
}
