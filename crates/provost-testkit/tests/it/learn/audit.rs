//! The audit pool, and the ledger: when the one is looked at, and that the other can be recomputed.

use std::sync::Arc;

use provost_kernel::learn::{Label, Split};
use provost_rules_learn::measure::{Policy, ledger::Ledger};
use provost_testkit::{
    Place,
    learn::{
        Kind, ParsedPrompt, Said, Scripted, decide, hypothesis, judge, planted, propose, ticket,
    },
};
use serde_json::Value;

use super::{SMALL, keys, run, world};

/// The audit pool is asked about at the very end, and nothing that was learned comes from it.
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
        n if n < SMALL.learn + SMALL.gate => Split::Learn,
        _ => Split::Audit,
    };
    for (n, call) in calls.iter().enumerate() {
        assert_eq!(call["seq"], n as u64);
        let expected = match call["kind"].as_str().unwrap() {
            "audit" => Split::Audit,
            _ => Split::Learn,
        };
        assert!(keys(call).iter().all(|it| split(it) == expected), "{call}");
    }
    for line in world.ledger("r1").iter().filter(|it| it["line"] == "label") {
        assert_eq!(split(line["ticket"].as_str().unwrap()), Split::Learn, "{line}");
    }
    for event in world.lines("r1", "hypothesis_events.jsonl") {
        assert!(keys(&event).iter().all(|it| split(it) == Split::Learn), "{event}");
    }
}

/// A rule that mends nine cases and lets five through that must fail is never in force: a false pass
/// costs twice what a mended one wins.
#[test]
fn a_rule_that_moves_errors_is_never_in_force() {
    let of = |often: usize| {
        move |n: usize| {
            // Everything is failed for being broken. `alpha` says that it passes, and that is right
            // but for some.
            let is_bad = often > 0 && n.is_multiple_of(often);
            let label = if is_bad || n % 2 == 1 { Label::Fail } else { Label::Pass };
            let words: &[&str] =
                if is_bad || label == Label::Pass { &["broken", "alpha"] } else { &["broken"] };
            ticket(n, words, label, Split::Learn)
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
    for (often, expected) in [(0, 1), (3, 0)] {
        let place = Place::new();
        let tickets: Vec<Value> = (0..120).map(of(often)).collect();
        let settings = "runner.epochs = 2\nreflection.batch_size = 8\n";
        let world = world(&place, &tickets, settings);
        let report = world.run("r1", Arc::new(Scripted::new(plain)), 2).unwrap();
        assert_eq!(report.rules.len(), 1 + expected, "{often}");
    }
}

/// Every stake, bet and promotion can be recomputed from the ledger, and an edited number is found.
#[test]
fn a_ledger_can_be_recomputed_from_its_lines() {
    let place = Place::new();
    let world = world(&place, &planted(SMALL), "runner.epochs = 2\n");
    let (_, report) = run(&world, "r1");
    let lines: Vec<String> = world.ledger("r1").iter().map(ToString::to_string).collect();
    let ledger = Ledger::read(Policy::STANDARD, &lines).unwrap();
    assert_eq!(ledger.register.len(), (SMALL.learn + SMALL.gate) as u64);
    assert_eq!(ledger.book.in_force().count(), report.rules.len() - 1);
    for (at, line) in world.ledger("r1").into_iter().enumerate() {
        let mut edited = line.clone();
        let Some(bank) = edited.pointer_mut("/entry/after/bank") else { continue };
        *bank = Value::from(bank.as_f64().unwrap() + 0.01);
        let mut lines = lines.clone();
        lines[at] = edited.to_string();
        assert!(Ledger::read(Policy::STANDARD, &lines).is_err(), "{line}");
    }
}
