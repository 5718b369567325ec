//! Budgets in the loop: the attempt that would exceed one is not started, and an agent that would
//! spend more than is left is stopped.

use serde_json::json;

use crate::loop_world::{Loop, WRONG};

/// A coder that gets it wrong and says what it cost.
const DEAR: &str = r#"echo 41 >answer.txt
printf '{"schema":"provost.adapter/1","role":"coder","text":"done","usage":{"input_tokens":500,"output_tokens":100,"usd":0.6}}' >"$PROVOST_REPLY""#;

#[test]
fn the_attempt_that_would_exceed_a_part_of_the_budget_is_not_started() {
    let it = Loop::new();
    it.coder(DEAR);
    // How much of its second an attempt takes depends on the machine.
    let table = [
        ("usd", json!({ "budget": { "usd": 1 } }), "money: $0.6 of $1", "budget.usd=N"),
        (
            "tokens",
            json!({ "budget": { "tokens": 1000 } }),
            "tokens: 600 of 1000",
            "budget.tokens=N",
        ),
        ("wall", json!({ "budget": { "wall": 1 } }), "s of 1s", "budget.wall=SECONDS"),
        ("wall-text", json!({ "budget": { "wall": "1s" } }), "s of 1s", "budget.wall=SECONDS"),
    ];
    for (id, spec, said, field) in table {
        let answer = it.check(id, spec, 3, "PAUSED_BUDGET");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains(said), "{id}: {message}");
        assert!(!it.exists(&format!("{id}/attempt_002")), "{id}");
        assert_eq!(it.count(id, "BUDGET_REACHED"), 1, "{id}");
        assert_eq!(it.status(id)["attempts_consumed"], 1, "{id}");
        let asked = answer["questions_for_user"].as_array().unwrap();
        assert_eq!(asked.len(), 1, "{id}: {asked:?}");
        let command = format!("`provost edit ID --set {field}`");
        assert!(asked[0].as_str().unwrap().contains(&command), "{id}: {asked:?}");
        let next = it.world.provost().args(["show", id]).run().stdout();
        assert!(next.contains(&format!("provost edit {id} --set {field}")), "{id}: {next}");
    }
}

/// That four fifths are spent is said once, while the task goes on; the pause for it says more.
#[test]
fn a_budget_that_is_nearly_spent_is_said_while_the_task_goes_on() {
    let it = Loop::new();
    it.coder(DEAR);
    let spec = |usd: f64| json!({ "budget": { "usd": usd }, "max_attempts": 5, "judge": "tests" });
    it.check("goes-on", spec(3.0), 1, "FAILED");
    assert_eq!(it.count("goes-on", "BUDGET_NEARLY_SPENT"), 1);
    it.check("stops", spec(0.7), 3, "PAUSED_BUDGET");
    assert_eq!(it.count("stops", "BUDGET_NEARLY_SPENT"), 0);
}

/// A project limits its tasks; one that sets a limit itself keeps it. Settings that were changed since
/// a task was made are said, because it keeps to those of its base.
#[test]
fn a_project_limits_its_tasks() {
    let it = Loop::with_config("[task.limits]\nusd = 1\nattempts = 2\n");
    it.coder(DEAR);
    let answer = it.check("t1", json!({}), 3, "PAUSED_BUDGET");
    assert!(answer["message"].as_str().unwrap().contains("money: $0.6 of $1"), "{answer:#}");
    it.check("t2", json!({ "budget": { "usd": 9 }, "judge": "tests" }), 1, "FAILED");
    assert_eq!(it.status("t2")["attempts_consumed"], 2);

    let quiet = it.provost(&["resume", "t1"]).run();
    assert!(!quiet.stderr().contains("--onto HEAD"), "{}", quiet.text());
    let config = std::fs::read_to_string(it.world.path("repo/provost.toml")).unwrap();
    it.world.write("repo/provost.toml", config.replace("usd = 1", "usd = 2"));
    it.commit();
    let ran = it.provost(&["resume", "t1"]).run();
    assert!(
        ran.stderr().contains("`provost resume t1 --onto HEAD` uses the new one"),
        "{}",
        ran.text()
    );
}

/// What fits is run: a budget for two attempts allows two.
#[test]
fn a_budget_that_is_met_exactly_is_not_exceeded() {
    let it = Loop::new();
    it.coder(DEAR);
    let budget = json!({ "usd": 1.2, "tokens": 1200 });
    let spec = json!({ "budget": budget, "max_attempts": 2, "judge": "tests" });
    it.check("t1", spec, 1, "FAILED");
    let metrics = it.json("t1/attempt_002/metrics.json");
    assert_eq!((&metrics["tokens"], metrics["usd"].to_string()), (&json!(600), "0.6".to_owned()));
}

/// Nothing is paid for when nothing is left: a judge is not called then, and the work is kept.
#[test]
fn a_judge_is_not_called_with_nothing_left() {
    let it = Loop::new();
    it.coder(&DEAR.replace("41", "42"));
    it.judge_script("echo called >\"$0.called\"; give verdict");
    let answer = it.check("t1", json!({ "budget": { "usd": 0.6 } }), 3, "PAUSED_BUDGET");
    let message = answer["message"].as_str().unwrap();
    assert!(message.contains("money: $0.6 of $0.6 spent"), "{message}");
    assert_eq!(it.count("t1", "BUDGET_REACHED"), 1);
    assert!(!it.exists("t1/attempt_001/judge/rc.txt"));
    assert!(it.refs().contains("t1/1"), "{}", it.refs());
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
    let line = shown.lines().find(|it| it.trim_start().starts_with("OPEN      budget"));
    let line = line.unwrap_or_else(|| panic!("{shown}"));
    assert!(line.contains("tokens: no adapter reported the cost"), "{line}");
}

/// What both stand-ins do: they go on until fifty dollars are spent, and leave work in the tree.
const FIFTY: &str = "n=0; while [ $n -lt 200 ]; do n=$((n + 1)); echo $n >>work.txt; step; done";

/// Speaks as Claude Code does: it names dollars at its end only, and ends at its own cap with the
/// request that reached it.
const CLAUDE: &str = r#"
cap=1000
for it in "$@"; do case $it in --max-budget-usd=*) cap=${it#*=};; esac; done
spent() { awk -v n=$n 'BEGIN { print n * 0.25 }'; }
step() {
    printf '{"type":"assistant","message":{"id":"msg_%s","content":[{"type":"tool_use","name":"Bash","input":{"command":"true"}}],"usage":{"input_tokens":90,"output_tokens":10}},"session_id":"s-1"}\n' $n
    if awk -v n=$n -v cap=$cap 'BEGIN { exit !(n * 0.25 >= cap) }'; then
        printf '{"type":"result","subtype":"error_max_budget_usd","is_error":true,"total_cost_usd":%s,"usage":{"input_tokens":90,"output_tokens":10},"session_id":"s-1"}\n' $(spent)
        exit 1
    fi
    [ $cap = 1000 ] && sleep 0.2
}"#;

/// Speaks as opencode does: each step says what it cost. It has no cap of its own.
const OPENCODE: &str = r#"
step() {
    printf '{"type":"step_finish","sessionID":"ses_1","part":{"reason":"tool-calls","tokens":{"input":90,"output":10},"cost":0.25}}\n'
    sleep 0.2
}"#;

/// A world with both, as coders and by their own names.
fn clients() -> Loop {
    let preset = |name: &str| {
        format!(
            "[adapter.my-{name}]\nkind = \"preset\"\npreset = \"{name}\"\nprogram = \"@WORLD/bin/{name}\"\n"
        )
    };
    let it = Loop::with_own(&format!("{}{}", preset("claude-code"), preset("opencode")));
    it.program("claude-code", &format!("{CLAUDE}\n{FIFTY}"));
    it.program("opencode", &format!("{OPENCODE}\n{FIFTY}"));
    it
}

/// A budget of one dollar and an agent that would spend fifty: stopped near the limit, its work is
/// kept, and nothing is started until the budget is raised.
#[test]
fn an_agent_that_would_spend_fifty_dollars_is_stopped_near_one() {
    let it = clients();
    for (client, usd) in [("claude-code", 1.0..1.3), ("opencode", 0.7..5.0)] {
        let coder = format!("my-{client}");
        let spec = json!({ "coder": coder, "budget": { "usd": 1 }, "judge": "tests" });
        let answer = it.check(client, spec, 3, "PAUSED_BUDGET");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains("of $1 spent"), "{client}: {message}");
        let metrics = it.json(&format!("{client}/attempt_001/metrics.json"));
        let spent = metrics["usd"].as_f64().unwrap();
        assert!(usd.contains(&spent), "{client}: {spent}");
        let status = it.status(client);
        assert_eq!(status["attempts_consumed"], 0, "{client}");
        assert_eq!(it.count(client, "BUDGET_REACHED"), 1, "{client}");
        // The work is in the repository.
        let head = it.text(&format!("{client}/attempt_001/head_commit.txt"));
        let work = it.git(&format!("show {}:work.txt", head.trim()));
        assert!(work.lines().count() >= 3, "{client}: {work}");
        assert!(it.work(client).is_empty(), "{client}: {:?}", it.work(client));
        it.resume(client, 3, "PAUSED_BUDGET");
        assert!(!it.exists(&format!("{client}/attempt_002")), "{client}");
    }
}

/// Tokens are watched wherever an agent reports them while it works; what it does not report is
/// unknown, and never 0.
#[test]
fn tokens_are_watched_while_an_agent_works() {
    let it = clients();
    for client in ["claude-code", "opencode"] {
        let coder = format!("my-{client}");
        let spec = json!({ "coder": coder, "budget": { "tokens": 500 }, "judge": "tests" });
        let answer = it.check(client, spec, 3, "PAUSED_BUDGET");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains("of 500 spent"), "{client}: {message}");
        let metrics = it.json(&format!("{client}/attempt_001/metrics.json"));
        let spent = metrics["tokens"].as_u64().unwrap();
        assert!((500..4000).contains(&spent), "{client}: {spent}");
        let is_told = client == "opencode";
        assert_eq!(metrics["usd"].is_null(), !is_told, "{client}: {metrics}");
    }
}
