//! When a hypothesis becomes a rule, and when a rule goes.

use std::sync::Arc;

use provost_kernel::{
    Digest,
    learn::{Label, Split},
};
use provost_testkit::{
    Place,
    learn::{
        Kind, ParsedPrompt, Said, Scripted, World, decide, hypothesis, judge, propose, rule, ticket,
    },
};
use serde_json::{Value, json};

use super::world;

/// Tickets that one rule would put right.
fn wrong(n_tickets: usize) -> Vec<Value> {
    (0..n_tickets).map(|n| ticket(n, &["alpha"], Label::Fail, Split::Learn)).collect()
}

fn plain(heard: &ParsedPrompt) -> Said {
    let keys: Vec<_> = heard.cases.iter().filter_map(|it| it.key.clone()).collect();
    Said::Text(match heard.kind {
        Kind::Judge => judge(heard),
        Kind::Decide => decide(&[]),
        Kind::Propose => propose(&[hypothesis("alpha", Label::Fail, &keys)], &[]),
    })
}

fn events(world: &World, kind: &str) -> usize {
    world.lines("r1", "hypothesis_events.jsonl").iter().filter(|it| it["event"] == kind).count()
}

/// LEARN-2.2: below either threshold nothing is promoted, at both it is, once, if labels prove it.
#[test]
fn a_hypothesis_is_promoted_at_its_thresholds() {
    // So many tickets, in batches of so many: cycles and tickets that support it. Whatever supports
    // it, eight labels that are younger must prove it.
    for (n_tickets, batch, cycles, tickets, expected) in [
        (24, 3, 2, 6, 1),
        (11, 3, 2, 6, 1),
        (10, 3, 2, 6, 0),
        (24, 3, 50, 6, 0),
        (24, 3, 2, 50, 0),
        (24, 24, 1, 1, 0),
    ] {
        let place = Place::new();
        let settings = format!(
            "runner.epochs = 1\nreflection.batch_size = {batch}\n\
             reflection.hypothesis_min_support_cycles = {cycles}\n\
             reflection.hypothesis_min_unique_ticket_keys = {tickets}\n"
        );
        let world = world(&place, &wrong(n_tickets), &settings);
        let report = world.run("r1", Arc::new(Scripted::new(plain)), 2).unwrap();
        let case = (n_tickets, batch, cycles, tickets);
        assert_eq!(events(&world, "promoted"), expected, "{case:?}");
        assert_eq!(report.rules.len(), 1 + expected, "{case:?}");
        assert_eq!(report.guidance_step, expected as u64, "{case:?}");
    }
}

/// LEARN-2.1: a retry belongs to its cycle, and the same tickets again are no new support.
#[test]
fn neither_a_retry_nor_a_repetition_is_a_cycle() {
    // It cites one ticket at a time, so that all others come again, in smaller batches.
    let one = |heard: &ParsedPrompt| {
        let keys: Vec<_> = heard.cases.iter().filter_map(|it| it.key.clone()).take(1).collect();
        Said::Text(match heard.kind {
            Kind::Judge => judge(heard),
            Kind::Decide => decide(&[]),
            Kind::Propose => propose(&[hypothesis("alpha", Label::Fail, &keys)], &[]),
        })
    };
    let place = Place::new();
    let settings = "runner.epochs = 3\nreflection.batch_size = 8\n\
        reflection.retry_budget_per_group_per_epoch = 8\n\
        reflection.hypothesis_min_unique_ticket_keys = 2\n";
    let world = world(&place, &wrong(8), settings);
    world.run("r1", Arc::new(Scripted::new(one)), 2).unwrap();
    let n_proposed = events(&world, "proposed");
    assert!(n_proposed > 8, "{n_proposed}");
    assert_eq!(events(&world, "promoted"), 0, "one cycle in the first epoch, nothing new after it");
    let pool: Value = serde_json::from_slice(&world.files("r1")["hypotheses.json"]).unwrap();
    let record = pool.as_object().unwrap().values().next().unwrap();
    assert_eq!(record["support_cycles"], 1, "{record}");
    assert_eq!(record["support_ticket_keys"].as_array().unwrap().len(), 8, "{record}");
}

/// A judge's label is shown and never counted as a person's.
#[test]
fn labels_of_a_judge_promote_nothing() {
    let mut tickets = wrong(24);
    for (n, ticket) in tickets.iter_mut().enumerate() {
        if n >= 5 {
            ticket["label_source"] = "judge:some-model".into();
        }
    }
    let place = Place::new();
    let settings = "runner.epochs = 3\nreflection.batch_size = 4\n";
    let world = world(&place, &tickets, settings);
    let report = world.run("r1", Arc::new(Scripted::new(plain)), 2).unwrap();
    assert_eq!(events(&world, "promoted"), 0);
    assert_eq!(report.rules.len(), 1);
    let pool: Value = serde_json::from_slice(&world.files("r1")["hypotheses.json"]).unwrap();
    let record = pool.as_object().unwrap().values().next().unwrap();
    assert_eq!(record["support_ticket_keys"].as_array().unwrap().len(), 5, "{record}");
    assert_eq!(record["other_ticket_keys"].as_array().unwrap().len(), 19, "{record}");
}

/// A rule that misleads is taken back, and its hypothesis is retired: what it proved before does not
/// count for what it does now.
#[test]
fn a_rule_that_stops_working_is_removed() {
    // An epoch goes by the digests of keys: those in the first half fail, the others pass.
    let is_early = |n: usize, label: Label| {
        let key = format!("17:1:t-{n:06}::{label}");
        Digest::of_bytes(key.as_bytes()).to_string().as_str() < "8"
    };
    let early = (0..).filter(|n| is_early(*n, Label::Fail)).take(24);
    let mut tickets: Vec<Value> =
        early.map(|n| ticket(n, &["alpha"], Label::Fail, Split::Learn)).collect();
    let late = (1000..).filter(|n| !is_early(*n, Label::Pass)).take(24);
    tickets.extend(late.map(|n| ticket(n, &["alpha"], Label::Pass, Split::Learn)));
    let stubborn = |heard: &ParsedPrompt| {
        let keys = heard.cases.iter().filter_map(|it| it.key.clone());
        let failed: Vec<_> = keys.filter(|it| it.label() == Label::Fail).collect();
        let hypotheses = if failed.is_empty() {
            vec![]
        } else {
            vec![hypothesis("alpha", Label::Fail, &failed)]
        };
        Said::Text(match heard.kind {
            Kind::Judge => judge(heard),
            Kind::Decide => decide(&[]),
            Kind::Propose => propose(&hypotheses, &[]),
        })
    };
    let place = Place::new();
    let settings = "runner.epochs = 2\nreflection.batch_size = 6\nrunner.rollout_batch_size = 8\n\
        [guidance_lifecycle]\nconfidence_drop_threshold = 0.35\n";
    let world = world(&place, &tickets, settings);
    let report = world.run("r1", Arc::new(Scripted::new(stubborn)), 2).unwrap();
    let alpha = rule("alpha", Label::Fail);
    assert_eq!(events(&world, "promoted"), 1);
    assert_eq!(events(&world, "retired"), 1);
    assert!(report.rules.iter().all(|it| it.text != alpha), "{report:?}");
    let log = world.lines("r1", "guidance_log.jsonl");
    let n_changes = log.iter().filter(|it| it["cause"] == json!("ledger")).count();
    assert_eq!(n_changes, 2, "{log:?}");
    let kinds: Vec<Value> =
        world.ledger("r1").iter().map(|it| it["entry"]["event"]["kind"].clone()).collect();
    assert!(kinds.contains(&json!("returned")), "{kinds:?}");
}
