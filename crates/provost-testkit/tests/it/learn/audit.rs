//! The gate and the audit pool: what is measured on them, and when they are looked at.

use std::sync::Arc;

use provost_kernel::learn::{Label, Split};
use provost_testkit::{
    Place,
    learn::{
        Kind, ParsedPrompt, Said, Scripted, decide, hypothesis, judge, planted, propose, ticket,
    },
};
use serde_json::Value;

use super::{SMALL, keys, run, world};

/// The audit pool is asked about at the very end, and nothing that was learned comes from it or
/// from the gate pool.
#[test]
fn the_audit_pool_is_looked_at_once_at_the_end() {
    let place = Place::new();
    let world = world(&place, &planted(SMALL), "runner.epochs = 2\n");
    let (_, report) = run(&world, "r1");
    assert!(report.guidance_step > 0);
    let calls = world.lines("r1", "calls.jsonl");
    let first = calls.iter().position(|it| it["kind"] == "audit").unwrap();
    assert!(calls[first..].iter().all(|it| it["kind"] == "audit"));
    // Twice each, before and after, with three answers.
    assert_eq!(calls.len() - first, SMALL.audit * 2 * 3);
    let split = |key: &str| match key[2..8].parse::<usize>().unwrap() {
        n if n < SMALL.learn => Split::Learn,
        n if n < SMALL.learn + SMALL.gate => Split::Gate,
        _ => Split::Audit,
    };
    for (n, call) in calls.iter().enumerate() {
        assert_eq!(call["seq"], n as u64);
        let expected = match call["kind"].as_str().unwrap() {
            "gate" => Split::Gate,
            "audit" => Split::Audit,
            _ => Split::Learn,
        };
        assert!(keys(call).iter().all(|it| split(it) == expected), "{call}");
    }
    for line in world.lines("r1", "gate_runs.jsonl") {
        assert!(keys(&line).iter().all(|it| split(it) == Split::Gate), "{line}");
    }
    for event in world.lines("r1", "hypothesis_events.jsonl") {
        assert!(keys(&event).iter().all(|it| split(it) == Split::Learn), "{event}");
    }
}

/// A rule that wins many tickets and lets one more through that must fail is refused.
#[test]
fn false_passes_may_not_rise_at_the_gate() {
    let pool = |n: usize| if n < 40 { Split::Learn } else { Split::Gate };
    let of = |n_bad: usize| {
        move |n: usize| {
            // Everything is failed for being broken. `alpha` says that it passes, and that is
            // right except for a few tickets of the gate pool.
            let is_bad = (40..40 + n_bad).contains(&n);
            let label = if is_bad || n.is_multiple_of(2) { Label::Fail } else { Label::Pass };
            let words: &[&str] =
                if is_bad || label == Label::Pass { &["broken", "alpha"] } else { &["broken"] };
            ticket(n, words, label, pool(n))
        }
    };
    let plain = |heard: &ParsedPrompt| {
        let keys: Vec<_> = heard.cases.iter().filter_map(|it| it.key.clone()).collect();
        Said::Text(match heard.kind {
            Kind::Judge => judge(heard),
            Kind::Decide => decide(&[]),
            Kind::Propose => propose(&[hypothesis("alpha", Label::Pass, &keys)], &[]),
        })
    };
    for (n_bad, expected) in [(0, 1), (1, 0), (2, 0)] {
        let place = Place::new();
        let tickets: Vec<Value> = (0..120).map(of(n_bad)).collect();
        let settings = "runner.epochs = 2\nreflection.batch_size = 8\n";
        let world = world(&place, &tickets, settings);
        let report = world.run("r1", Arc::new(Scripted::new(plain)), 2).unwrap();
        assert_eq!(report.rules.len(), 1 + expected, "{n_bad}");
        let line = &world.lines("r1", "gate_runs.jsonl")[0]["measurement"];
        assert!(line["wins"].as_u64().unwrap() >= 30, "{line}");
        let refusals: Vec<&str> =
            line["refusals"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
        let wanted: &[&str] = if n_bad == 0 { &[] } else { &["more_false_passes"] };
        assert_eq!(refusals, wanted, "{n_bad}");
    }
}

/// Every decision of the gate can be taken again from what is written of it.
#[test]
fn a_decision_can_be_recomputed_from_its_line() {
    use provost_rules_learn::gate::{Measurement, Pair, decide as decide_again};
    let place = Place::new();
    let world = world(&place, &planted(SMALL), "runner.epochs = 2\n");
    run(&world, "r1");
    let lines = world.lines("r1", "gate_runs.jsonl");
    assert!(!lines.is_empty());
    for line in lines {
        let pairs: Vec<Pair> = serde_json::from_value(line["pairs"].clone()).unwrap();
        let written: Measurement = serde_json::from_value(line["measurement"].clone()).unwrap();
        let again = decide_again(&pairs, written.aim, written.decision, &world.mission.gate);
        assert_eq!(again, written);
    }
}
