//! What would let something in that was not earned, or keep something out that was.

use std::sync::Arc;

use provost_engine::learn::{MeasuredOn, Stop};
use provost_kernel::learn::{GateMode, Label, Split};
use provost_testkit::{
    Place,
    learn::{
        Kind, ParsedPrompt, Said, Scripted, World, decide, judge, planted, propose, rule,
        scripted_model, ticket,
    },
};
use serde_json::{Value, json};

use super::{SMALL, world};

/// Tickets that fail because of one word, which nobody knows yet.
fn wrong(count: usize, split: Split, first: usize) -> Vec<Value> {
    (0..count).map(|n| ticket(first + n, &["alpha"], Label::Fail, split)).collect()
}

/// The bets of a run.
fn bets(world: &World) -> Vec<Value> {
    let events = world.ledger("r1").into_iter().map(|it| it["entry"]["event"].clone());
    events.filter(|it| it["kind"] == json!("bet")).collect()
}

/// A model that adds a rule at once, with every case as its evidence.
fn adding(heard: &ParsedPrompt) -> Said {
    let keys: Vec<_> = heard.cases.iter().filter_map(|it| it.key.clone()).collect();
    let operation = json!({"op": "add", "text": rule("alpha", Label::Fail), "evidence": keys});
    Said::Text(match heard.kind {
        Kind::Judge => judge(heard),
        Kind::Decide => decide(&[]),
        Kind::Propose => propose(&[], &[operation]),
    })
}

/// A judge's labels write no rule, also not by an operation.
#[test]
fn an_operation_that_no_person_s_label_speaks_for_is_left_out() {
    for (source, expected) in [("human", 2), ("judge:some-model", 1)] {
        let mut tickets = wrong(24, Split::Learn, 0);
        for ticket in &mut tickets {
            ticket["label_source"] = source.into();
        }
        let place = Place::new();
        let world = world(&place, &tickets, "reflection.batch_size = 8\n");
        let report = world.run("r1", Arc::new(Scripted::new(adding)), 2).unwrap();
        assert_eq!(report.rules.len(), expected, "{source}");
    }
}

/// Neither the gate nor the audit measures against labels that no person gave.
#[test]
fn labels_of_a_judge_measure_nothing() {
    let mut tickets = planted(SMALL);
    for ticket in tickets.iter_mut().filter(|it| it["split"] != json!("learn")) {
        ticket["label_source"] = "judge:some-model".into();
    }
    let place = Place::new();
    let world = world(&place, &tickets, "");
    let report = world.run("r1", Arc::new(Scripted::new(scripted_model)), 2).unwrap();
    assert_eq!((report.gate.mode, report.gate.tickets), (GateMode::Enforce, SMALL.learn));
    assert_eq!(report.measured_on, MeasuredOn::Learn);
    let calls = world.lines("r1", "calls.jsonl");
    assert!(!calls.iter().any(|it| it["kind"] == json!("audit")));
    for bet in bets(&world) {
        assert_eq!(bet["label"]["is_by_person"], true, "{bet}");
    }
}

/// However often a rule is proposed, it has one account, so it does not use up what others may stake.
#[test]
fn noise_that_is_proposed_again_and_again_keeps_nothing_out() {
    let noisy = |heard: &ParsedPrompt| {
        let Said::Text(answer) = scripted_model(heard) else { return Said::Down };
        if heard.kind != Kind::Propose {
            return Said::Text(answer);
        }
        let mut answer: Value = serde_json::from_str(&answer).unwrap();
        let keys: Vec<_> = heard.cases.iter().filter_map(|it| it.key.clone()).collect();
        let add = |word| json!({"op": "add", "text": rule(word, Label::Pass), "evidence": keys});
        answer["operations"] = json!([add("sigma"), add("omega")]);
        Said::Text(answer.to_string())
    };
    let place = Place::new();
    let world = world(&place, &planted(SMALL), "reflection.batch_size = 6\nrunner.epochs = 3\n");
    let report = world.run("r1", Arc::new(Scripted::new(noisy)), 4).unwrap();
    let found = rule("alpha", Label::Fail);
    assert!(report.rules.iter().any(|it| it.text == found), "{report:?}");
    for word in ["sigma", "omega"] {
        let text = rule(word, Label::Pass);
        assert!(report.rules.iter().all(|it| it.text != text), "{report:?}");
        let ledger = world.ledger("r1");
        let is_it = |it: &&Value| it["entry"]["event"]["text"] == json!(text);
        assert!(ledger.iter().filter(is_it).count() <= 1, "{ledger:?}");
    }
}

/// LEARN-5.1: what could not be applied was not learned, so its tickets come again and are given up
/// by name.
#[test]
fn tickets_of_a_change_that_could_not_be_applied_come_again() {
    let place = Place::new();
    let settings = "guidance.max_rules = 1\nreflection.batch_size = 8\nrunner.epochs = 1\n";
    let world = world(&place, &wrong(8, Split::Learn, 0), settings);
    let model = Arc::new(Scripted::new(adding));
    let report = world.run("r1", model.clone(), 2).unwrap();
    assert_eq!(report.rules.len(), 1);
    let classes = world.lines("r1", "census.jsonl")[0]["classes"].clone();
    assert_eq!((&classes["contributor"], &classes["stop_gradient"]), (&json!(0), &json!(8)));
    // Eight together, then four and four, then two and two and two and two.
    let passes = model.heard().iter().filter(|it| it.kind == Kind::Propose).count();
    assert_eq!(passes, 1 + 2 + 4);
}

/// One question that is never answered is one ticket, wherever it comes in the order.
#[test]
fn a_question_that_always_fails_does_not_keep_the_run_from_beginning() {
    let tickets = wrong(24, Split::Learn, 0);
    for n in 0..24 {
        let place = Place::new();
        let settings = "reflection.batch_size = 8\nrunner.epochs = 1\n";
        let world = world(&place, &tickets, settings);
        let entry = format!("Entry {n} has");
        let model = move |heard: &ParsedPrompt| {
            let is_it = |it: &provost_testkit::learn::Shown| it.text.contains(&entry);
            if heard.kind == Kind::Judge && heard.cases.iter().any(is_it) {
                return Said::Down;
            }
            adding(heard)
        };
        let report = world.run("r1", Arc::new(Scripted::new(model)), 4).unwrap();
        assert_eq!(report.epochs[0].classes.failed, 1, "ticket {n}");
        assert_eq!(report.rules.len(), 2, "ticket {n}");
    }
}

/// What the budget did not allow to be asked is not counted as wrong.
#[test]
fn a_ticket_that_was_never_asked_is_not_measured() {
    let place = Place::new();
    let world = world(&place, &planted(SMALL), "[budget]\nmax_model_calls = 30\n");
    let report = world.run("r1", Arc::new(Scripted::new(scripted_model)), 4).unwrap();
    assert_eq!((report.stop, report.measured_on), (Stop::Budget, MeasuredOn::Unaudited));
    // Three answers a ticket.
    assert_eq!(report.after.n, 10);
    let failed = report.epochs[0].classes.failed;
    assert_eq!(failed, (SMALL.learn + SMALL.gate) as u64 - 10);
}
