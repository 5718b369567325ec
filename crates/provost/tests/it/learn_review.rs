//! Reviews that were asked for: blind, drawn by lot or asked for a rule, and what they count for.

use std::{fs, sync::Arc};

use provost_kernel::{Actor, Source, learn::MissionName, task::TaskType};
use provost_rules_learn::{
    measure::{Book, e_value::Claim, event::Event, ledger::Line, policy::Policy},
    signature::signature,
};
use provost_vault::{Layout, SystemClock, learn::AccountLog};
use serde_json::{Value, json};

use crate::{
    loop_world::{GOOD, Loop, scored},
    world::Ran,
};

const FOLDER: &str = "repo/.provost/learn/judge-engineering_impl";
const RULE: &str = "If the log shows a build and no test, then fail.";

fn world() -> Loop {
    let it = Loop::new();
    it.judge(&scored("PASS", GOOD));
    it
}

fn typed() -> Value {
    json!({ "task_type": "engineering_impl", "max_attempts": 1 })
}

fn provost(it: &Loop, arguments: &[&str]) -> Ran {
    it.world.provost().args(arguments.to_vec()).run()
}

fn lines(it: &Loop, file: &str) -> Vec<Value> {
    let text = fs::read_to_string(it.world.path(format!("{FOLDER}/{file}"))).unwrap_or_default();
    text.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
}

fn requests(it: &Loop) -> Vec<String> {
    let listed = provost(it, &["review", "--list", "--json"]).json();
    let requests = listed["requests"].as_array().unwrap();
    requests.iter().map(|it| format!("{} {}", it["task_id"], it["kind"]).replace('"', "")).collect()
}

/// A mission over the reviews, whose model says what a script prints.
fn mission(it: &Loop, script: &str) {
    let printed = provost(it, &["learn", "mission", "engineering_impl"]).stdout();
    let head = printed.split("[pools]").next().unwrap();
    let own = "[[endpoints]]\nkind = \"command\"\ncommand = [\"sh\", \"model.sh\"]\n";
    it.world.write("mission/judge.toml", format!("{head}\n[runner]\nepochs = 1\n{own}"));
    for (name, decision) in [("pass", "PASS"), ("fail", "FAIL")] {
        let verdict = json!({ "text": scored(decision, GOOD).to_string() });
        it.world.write(format!("mission/{name}.json"), verdict.to_string());
    }
    it.world.write("mission/model.sh", script);
}

/// A result that was drawn and reviewed without sight of the verdict counts; one that was approved
/// in sight of it does not.
#[test]
fn a_drawn_result_that_is_reviewed_blind_counts_for_rules() {
    let it = world();
    for task in ["t1", "t2"] {
        it.check(task, typed(), 0, "READY_FOR_REVIEW");
    }
    // With few tasks all are drawn. They are drawn once, whoever looks.
    assert_eq!(requests(&it), ["t1 drawn", "t2 drawn"]);
    assert_eq!(requests(&it).len(), 2);
    let draws = lines(&it, "draws.jsonl");
    assert_eq!(draws.len(), 2);
    assert_eq!(draws[0]["outcome"], json!({"kind": "drawn", "weight": 1000}));
    // Nothing is said of the verdict.
    let shown = provost(&it, &["review"]);
    assert_eq!(shown.exit(), Some(0), "{}", shown.text());
    let text = shown.text();
    for part in ["`t1`, attempt 1, without its verdict", "+42", "test: exit code 0"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let verdict = it.json("t1/attempt_001/judge/verdict.json");
    for hidden in ["PASS", verdict["reasons"][0].as_str().unwrap_or("PASS")] {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }

    it.order(&["review", "t1", "--approve"]);
    it.order(&["approve", "t2"]);
    assert_eq!(requests(&it), [] as [&str; 0]);
    let tickets = lines(&it, "tickets.jsonl");
    assert_eq!((&tickets[0]["blind"], &tickets[1]["blind"]), (&json!(true), &json!(false)));
    assert_eq!(tickets[0]["way"], json!({"kind": "drawn", "weight": 1000}));
    assert_eq!(tickets[1].get("way"), None);
    let said = provost(&it, &["learn", "agreement", "engineering_impl"]).text();
    for part in [
        "2 judged, 1 of them drawn and reviewed blind",
        "accepted 1 of 1 that it passed",
        "fewer than 20",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let audit = fs::read_to_string(it.world.path("repo/.provost/out/_audit/audit.jsonl")).unwrap();
    assert!(audit.lines().any(|it| it.contains("task.approve") && it.contains("\"blind\":true")));

    mission(&it, "cat >/dev/null; cat pass.json\n");
    let ran = provost(&it, &["--json", "learn", "run", "../mission/judge.toml"]);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    let measured = &ran.json()["report"]["measured"];
    assert_eq!((&measured["labels"], &measured["counted"]), (&json!(2), &json!(1)));
}

/// What failed can be accepted: that is a label, and nothing else.
#[test]
fn what_failed_can_be_accepted_and_stays_failed() {
    let it = world();
    it.judge(&scored("FAIL", GOOD));
    it.check("t1", typed(), 1, "FAILED");
    it.check("t2", typed(), 1, "FAILED");
    it.order(&["review", "t1", "--approve"]);
    it.order(&["approve", "t2"]);
    for task in ["t1", "t2"] {
        let status = it.status(task);
        assert_eq!(
            (&status["state"], &status["review"]["outcome"]),
            (&json!("FAILED"), &json!("approved"))
        );
        let landed = provost(&it, &["land", task]);
        assert_ne!(landed.exit(), Some(0), "{}", landed.text());
    }
    let labels: Vec<Value> =
        lines(&it, "tickets.jsonl").iter().map(|it| it["label"].clone()).collect();
    assert_eq!(labels, ["pass", "pass"]);
    it.order(&["reject", "t1", "--because", "on second thoughts"]);
    assert_eq!(it.status("t1")["review"]["outcome"], "rejected");
}

#[test]
fn a_review_is_for_people_and_for_results() {
    let it = world();
    let none = provost(&it, &["review"]);
    assert_eq!(none.exit(), Some(0));
    assert!(none.text().contains("no review is asked for"), "{}", none.text());
    it.check("t1", typed(), 0, "READY_FOR_REVIEW");
    let agent = it.provost(&["review", "t1", "--approve"]).variable("CLAUDECODE", "1").run();
    assert_eq!(agent.exit(), Some(1), "{}", agent.text());
    assert_eq!(it.status("t1")["review"], Value::Null);
    let plain = json!({ "max_attempts": 1 });
    it.judge(&crate::loop_world::plain("PASS"));
    it.check("untyped", plain, 0, "READY_FOR_REVIEW");
    let refused = provost(&it, &["review", "untyped", "--approve"]);
    assert_ne!(refused.exit(), Some(0));
    assert!(refused.text().contains("provost approve untyped"), "{}", refused.text());
    // The same in Chinese.
    let listed = provost(&it, &["--lang", "zh", "review", "--list"]).text();
    assert!(listed.contains("t1") && listed.contains("抽样"), "{listed}");
}

/// Puts a rule that bets into the ledger of the judge.
fn shadow(it: &Loop) {
    let path = |it: std::path::PathBuf| camino::Utf8PathBuf::from_path_buf(it).unwrap();
    let home = path(it.world.path("repo/.provost"));
    let state = path(it.world.path("home/.local/state"));
    let layout = Layout::new(&home, None, &state);
    let mission = MissionName::of_judge(TaskType::EngineeringImpl);
    let mut log = AccountLog::open(&layout, &mission, Arc::new(SystemClock)).unwrap();
    let mut book = Book::new(Policy::STANDARD);
    let opened = Event::Opened {
        rule: signature(RULE),
        text: RULE.to_owned(),
        claim: Claim::Better,
        replaces: Vec::new(),
        birth: 0,
    };
    let events = [Event::SeasonBegan { because: "a test".to_owned() }, opened];
    let line = |entry| serde_json::to_string(&Line::Event { run: None, entry }).unwrap();
    let texts = events.into_iter().map(|it| line(book.record(it).unwrap())).collect();
    let actor = Actor { source: Source::Cli, id: "person".to_owned() };
    log.append(texts, &actor, &SystemClock).unwrap();
}

/// What a rule changes is asked about, and its label counts for that rule alone.
#[test]
fn a_rule_asks_for_the_review_of_what_it_changes() {
    let it = world();
    for task in ["t1", "t2"] {
        it.check(task, typed(), 0, "READY_FOR_REVIEW");
    }
    it.order(&["approve", "t1"]);
    let before = requests(&it);
    assert_eq!(before, ["t2 drawn"]);
    it.order(&["review", "t2", "--approve"]);
    mission(&it, "if grep -q 'a build and no test'; then cat fail.json; else cat pass.json; fi\n");
    let ask = || provost(&it, &["--json", "learn", "ask", "../mission/judge.toml"]);
    assert_eq!(ask().json()["rule"], Value::Null, "{}", ask().text());

    shadow(&it);
    assert_eq!(ask().json()["task_id"], Value::Null, "everything is reviewed");
    // Some later task is not drawn; a key that draws none of them would do, but there is none to be
    // chosen, so tasks are made until one is left.
    let mut left = None;
    for number in 3..40 {
        let task = format!("t{number}");
        it.check(&task, typed(), 0, "READY_FOR_REVIEW");
        if !requests(&it).iter().any(|it| it.starts_with(&format!("{task} "))) {
            left = Some(task);
            break;
        }
    }
    let left = left.expect("of forty tasks in a week, not all are drawn");
    let asked = ask();
    assert_eq!(asked.exit(), Some(0), "{}", asked.text());
    let asked = asked.json();
    assert_eq!((&asked["task_id"], &asked["looked"]), (&json!(left), &json!(1)));
    assert_eq!(asked["rule"]["text"], RULE);
    assert!(requests(&it).contains(&format!("{left} asked")));
    it.order(&["review", &left, "--reject", "no test"]);
    let tickets = lines(&it, "tickets.jsonl");
    let way = &tickets.last().unwrap()["way"];
    assert_eq!(*way, json!({"kind": "asked", "rule": signature(RULE)}));
}

#[test]
fn only_a_mission_over_reviews_can_ask() {
    let it = world();
    it.world.write("m.toml", "mission = \"m\"\ntickets = \"t.jsonl\"\nguidance.path = \"g.json\"\n[[endpoints]]\nkind = \"command\"\ncommand = [\"sh\"]\n");
    let refused = provost(&it, &["learn", "ask", "../m.toml"]);
    assert_eq!(refused.exit(), Some(2), "{}", refused.text());
    assert!(refused.text().contains("come from files"), "{}", refused.text());
}
