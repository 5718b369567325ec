//! Every ticket ends an epoch in one class, and none is dropped on the way.

use std::{collections::BTreeMap, sync::Arc};

use provost_kernel::learn::{Label, Split};
use provost_testkit::{
    Place,
    learn::{
        Kind, ParsedPrompt, Said, Scripted, World, decide, hypothesis, judge, propose, rule,
        scripted_model, ticket, words,
    },
};
use serde_json::{Value, json};

use super::{keys, world};

/// Tickets of every kind: right, learnable, hopeless, garbled, and with answers that disagree.
fn tickets() -> Vec<Value> {
    let of = |n: usize| {
        let (words, label): (&[&str], Label) = match n % 6 {
            0 => (&["beta"], Label::Pass),
            1 | 2 => (&["alpha"], Label::Fail),
            3 => (&["hopeless"], Label::Fail),
            4 => (&["garbled"], Label::Pass),
            _ => (&["wobbly", "gamma"], Label::Pass),
        };
        ticket(n, words, label, Split::Learn)
    };
    (0..60).map(of).collect()
}

/// One reflection in an epoch may propose.
const CAPPED: &str = "\
reflection.batch_size = 4
reflection.change_cap_per_epoch = 1
reflection.max_operations = 1
runner.epochs = 2
runner.rollout_batch_size = 60
runner.max_malformed = 1
";

fn adding(heard: &ParsedPrompt) -> Said {
    if heard.kind != Kind::Propose {
        return scripted_model(heard);
    }
    let keys: Vec<_> = heard.cases.iter().filter_map(|it| it.key.clone()).collect();
    let (fail, pass): (Vec<_>, Vec<_>) = keys.into_iter().partition(|it| it.label() == Label::Fail);
    let operation = json!({"op": "add", "text": rule("alpha", Label::Fail), "evidence": fail});
    let operations = if fail.is_empty() { Vec::new() } else { vec![operation] };
    let hypotheses =
        if pass.is_empty() { Vec::new() } else { vec![hypothesis("gamma", Label::Pass, &pass)] };
    Said::Text(propose(&hypotheses, &operations))
}

fn census(world: &World, run: &str) -> Vec<BTreeMap<String, u64>> {
    let counts = |it: Value| serde_json::from_value(it["classes"].clone()).unwrap();
    world.lines(run, "census.jsonl").into_iter().map(counts).collect()
}

/// LEARN-3.6, LEARN-5.1: five classes, each ticket in one of them, and each gives account of it.
#[test]
fn every_ticket_is_in_one_class() {
    let place = Place::new();
    let world = world(&place, &tickets(), CAPPED);
    let model = Arc::new(Scripted::new(adding));
    let report = world.run("r1", model, 4).unwrap();
    let epochs = census(&world, "r1");
    println!("{epochs:?}");
    assert_eq!(epochs.len(), report.epochs.len());
    for counts in &epochs {
        assert_eq!(counts.values().sum::<u64>(), 60, "{counts:?}");
    }
    for class in ["stable", "contributor", "stop_gradient", "deferred", "failed"] {
        assert!(epochs[0][class] > 0, "{class}: {epochs:?}");
    }
    assert_eq!(epochs[0]["stop_gradient"], 10);
    assert_eq!(epochs[0]["failed"], 10);
    // What nobody could judge or learn from is named, once an epoch, in one file.
    let stopped = world.lines("r1", "stop_gradient_queue.jsonl");
    let first: Vec<&Value> = stopped.iter().filter(|it| it["epoch"] == 1).collect();
    assert_eq!(first.len(), 10);
    assert!(first.iter().all(|it| it["reason_code"] == "reflection_no_evidence_after_gt"));
    let failed = world.lines("r1", "failure_malformed.jsonl");
    assert_eq!(
        failed.iter().filter(|it| it["candidate_index"].is_null()).count(),
        10 * epochs.len()
    );
}

/// A model that cites only every other case, until it has seen it often enough.
fn forgetful(heard: &ParsedPrompt) -> Said {
    match heard.kind {
        Kind::Judge => Said::Text(judge(heard)),
        Kind::Decide => Said::Text(decide(&[])),
        Kind::Propose => {
            let cited: Vec<_> = heard
                .cases
                .iter()
                .filter(|it| !words(&it.text).contains("omega"))
                .filter_map(|it| it.key.clone())
                .collect();
            let hypotheses = if cited.is_empty() {
                Vec::new()
            } else {
                vec![hypothesis("alpha", Label::Fail, &cited)]
            };
            Said::Text(propose(&hypotheses, &[]))
        }
    }
}

/// Learnable tickets, half of which `forgetful` never cites.
fn half_forgotten(n_tickets: usize) -> Vec<Value> {
    let of = |n: usize| {
        let words: &[&str] = if n.is_multiple_of(2) { &["alpha"] } else { &["alpha", "omega"] };
        ticket(n, words, Label::Fail, Split::Learn)
    };
    (0..n_tickets).map(of).collect()
}

/// LEARN-5.1, LEARN-5.2: what is not cited comes again in smaller batches, is not judged again, and
/// is given up by name when its retries are used up.
#[test]
fn retries_ask_no_rollout_again_and_drop_nothing() {
    let mut n_rollouts = Vec::new();
    for retries in [0_u64, 1, 2, 5] {
        let place = Place::new();
        let settings = format!(
            "runner.epochs = 1\nreflection.batch_size = 8\n\
             reflection.retry_budget_per_group_per_epoch = {retries}\n"
        );
        let world = world(&place, &half_forgotten(32), &settings);
        let model = Arc::new(Scripted::new(forgetful));
        world.run("r1", model.clone(), 4).unwrap();
        let calls = world.lines("r1", "calls.jsonl");
        n_rollouts.push(calls.iter().filter(|it| it["kind"] == "rollout").count());
        let mut seen: BTreeMap<String, u64> = BTreeMap::new();
        for line in world.lines("r1", "reflection.jsonl") {
            let attempt = line["reflection"]["attempt"].as_u64().unwrap();
            let keys =
                keys(&line["reflection"]).iter().map(ToString::to_string).collect::<Vec<_>>();
            assert!(keys.len() <= (8 >> attempt).max(1), "{line}");
            if attempt > 0 {
                assert_ne!(
                    line["reflection"]["cycle_root"],
                    line["reflection"]["reflection_cycle"]
                );
            }
            for key in keys {
                *seen.entry(key).or_default() += 1;
            }
        }
        let stopped = world.lines("r1", "stop_gradient_queue.jsonl");
        assert_eq!(stopped.len(), 16, "{retries}");
        for line in &stopped {
            assert_eq!(line["reason_code"], "budget_exhausted");
            assert_eq!(seen[line["ticket_key"].as_str().unwrap()], retries + 1, "{line}");
        }
        let counts = &census(&world, "r1")[0];
        assert_eq!((counts["contributor"], counts["stop_gradient"]), (16, 16), "{counts:?}");
    }
    assert_eq!(n_rollouts, [96; 4], "32 tickets, three answers each, whatever reflection does");
}

/// LEARN-5.2: the cap counts both passes; at the cap, what waits is given up by name.
#[test]
fn the_cap_on_reflection_holds() {
    for cap in [1, 2, 3, 5] {
        let place = Place::new();
        let settings = format!(
            "runner.epochs = 2\nreflection.batch_size = 8\n\
             reflection.max_calls_per_epoch = {cap}\nallow_partial = true\n\
             reflection.hypothesis_min_unique_ticket_keys = 1000\n"
        );
        let world = world(&place, &half_forgotten(32), &settings);
        let report = world.run("r1", Arc::new(Scripted::new(forgetful)), 4).unwrap();
        // An epoch in which nothing could be proposed is the last one.
        assert_eq!(report.epochs.len(), if cap == 1 { 1 } else { 2 });
        for epoch in report.epochs.iter().map(|it| it.epoch) {
            let calls = world.lines("r1", "calls.jsonl");
            let is_pass = |it: &&Value| {
                it["epoch"] == epoch && (it["kind"] == "decision" || it["kind"] == "ops")
            };
            assert_eq!(calls.iter().filter(is_pass).count(), cap, "epoch {epoch}");
        }
        for counts in census(&world, "r1") {
            assert_eq!(counts.values().sum::<u64>(), 32);
        }
        let stopped = world.lines("r1", "stop_gradient_queue.jsonl");
        assert!(stopped.iter().any(|it| it["reason_code"] == "budget_exhausted"));
    }
}

/// A cap that cannot cover the worst case is said before the first call.
#[test]
fn a_cap_that_is_too_low_is_refused_before_the_first_call() {
    let place = Place::new();
    let world = world(&place, &half_forgotten(32), "reflection.max_calls_per_epoch = 3\n");
    let model = Arc::new(Scripted::new(forgetful));
    world.run("r1", model.clone(), 1).unwrap_err();
    assert_eq!(model.asked().len(), 0);
}
