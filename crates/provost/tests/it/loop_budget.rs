//! Budgets in the loop: the attempt that would exceed one is not started.

use serde_json::json;

use crate::loop_world::{Loop, WRONG};

/// A coder that gets it wrong and says what it cost.
const DEAR: &str = r#"echo 41 >answer.txt
printf '{"schema":"provost.adapter/1","role":"coder","text":"done","usage":{"input_tokens":500,"output_tokens":100,"usd":0.6}}' >"$PROVOST_REPLY""#;

#[test]
fn the_attempt_that_would_exceed_a_part_of_the_budget_is_not_started() {
    let it = Loop::new();
    it.coder(DEAR);
    let table = [
        ("usd", json!({ "budget": { "usd": 1 } }), "money: $0.6 of $1"),
        ("tokens", json!({ "budget": { "tokens": 1000 } }), "tokens: 600 of 1000"),
        ("wall", json!({ "budget": { "wall": 1 } }), "time: 1s of 1s"),
        ("wall-text", json!({ "budget": { "wall": "1s" } }), "time: 1s of 1s"),
    ];
    for (id, spec, said) in table {
        let answer = it.check(id, spec, 3, "PAUSED_BUDGET");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains(said), "{id}: {message}");
        assert!(!it.exists(&format!("{id}/attempt_002")), "{id}");
        assert_eq!(it.count(id, "BUDGET_REACHED"), 1, "{id}");
        assert_eq!(it.status(id)["attempts_consumed"], 1, "{id}");
        assert!(!answer["questions_for_user"].as_array().unwrap().is_empty(), "{id}");
    }
}

/// What fits is run: a budget for two attempts allows two.
#[test]
fn a_budget_that_is_met_exactly_is_not_exceeded() {
    let it = Loop::new();
    it.coder(DEAR);
    let spec = json!({ "budget": { "usd": 1.2, "tokens": 1200 }, "max_attempts": 2 });
    it.check("t1", spec, 1, "FAILED");
    let metrics = it.json("t1/attempt_002/metrics.json");
    assert_eq!((&metrics["tokens"], metrics["usd"].to_string()), (&json!(600), "0.6".to_owned()));
}

/// A call that failed has cost what it says, and a judge's tokens count too.
#[test]
fn a_failed_call_and_a_judge_count_against_the_budget() {
    let it = Loop::new();
    it.coder(&format!("{DEAR}\nexit 5"));
    it.check("failed", json!({ "budget": { "usd": 1 } }), 3, "PAUSED_CODER_FAILED");
    it.resume("failed", 3, "PAUSED_BUDGET");

    it.coder(WRONG);
    let verdict = r#"{\"decision\":\"FAIL\",\"reasons\":[\"a\"],\"next_instructions\":\"b\",\"questions_for_user\":[]}"#;
    it.judge_script(&format!(
        "printf '%s' '{{\"schema\":\"provost.adapter/1\",\"role\":\"judge\",\"text\":\"{verdict}\",\"usage\":{{\"output_tokens\":900}}}}' >\"$PROVOST_REPLY\""
    ));
    it.check("judge", json!({ "budget": { "tokens": 1000 } }), 3, "PAUSED_BUDGET");
    assert_eq!(it.json("judge/attempt_001/metrics.json")["tokens"], 900);
}

/// The time of the task ends a step that would go on, and that is no timeout of the step.
#[test]
fn the_time_of_the_task_ends_a_step() {
    let it = Loop::new();
    it.coder("sleep 60");
    let answer = it.check("t1", json!({ "budget": { "wall": 1 } }), 3, "PAUSED_BUDGET");
    assert_eq!(answer["status"]["last_transition"]["consecutive_count"], 0);
    it.resume("t1", 3, "PAUSED_BUDGET");
    assert!(!it.exists("t1/attempt_002"));
}

/// What nobody reports cannot be held, and is said to be unchecked.
#[test]
fn a_budget_that_nobody_reports_on_is_said_to_be_unchecked() {
    let it = Loop::new();
    it.check("t1", json!({ "budget": { "usd": 1, "tokens": 5 } }), 0, "READY_FOR_REVIEW");
    let shown = it.world.provost().args(["show", "t1"]).run().stdout();
    let line = shown.lines().find(|it| it.trim_start().starts_with("budget"));
    let line = line.unwrap_or_else(|| panic!("{shown}"));
    assert!(line.contains("not verified") && line.contains("tokens"), "{line}");
}
