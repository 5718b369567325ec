//! How often chance is taken for a rule, and how often a rule is found, in whole runs.

use std::sync::Arc;

use provost_engine::learn::Report;
use provost_kernel::learn::Label;
use provost_testkit::{
    Place,
    learn::{
        Kind, Lot, ParsedPrompt, Said, Scripted, World, planted, rule, scripted_model, shuffled,
    },
};
use serde_json::{Value, json};

const SEEDS: u64 = 20;
/// One answer for a ticket is enough where all would be the same.
const SETTINGS: &str = "\
sampler.grid = [{temperature = 0.0}]
min_format_ok = 1
runner.epochs = 2
reflection.batch_size = 12
reflection.max_promotions_per_epoch = 2
";

/// A model that also wants each rule at once, without waiting for support.
fn impatient(heard: &ParsedPrompt) -> Said {
    let Said::Text(text) = scripted_model(heard) else { return Said::Down };
    if heard.kind != Kind::Propose {
        return Said::Text(text);
    }
    let mut answer: Value = serde_json::from_str(&text).unwrap();
    let first = answer["hypotheses"][0].clone();
    if first.is_object() {
        answer["operations"] =
            json!([{"op": "add", "text": first["text"], "evidence": first["evidence"]}]);
    }
    Said::Text(answer.to_string())
}

fn learned(tickets: &[Value], seed: u64) -> (Place, World, Report) {
    let place = Place::new();
    let world = World::write(place.layout(), tickets, &format!("seed = {seed}\n{SETTINGS}"));
    let report = world.run("r1", Arc::new(Scripted::new(impatient)), 2).unwrap();
    (place, world, report)
}

/// What happened to rules, of one kind.
fn events(world: &World, kind: &str) -> Vec<Value> {
    let events = world.ledger("r1").into_iter().map(|it| it["entry"]["event"].clone());
    events.filter(|it| it["kind"] == json!(kind)).collect()
}

/// LEARN-2.2, LEARN-2.3: with labels by lot, whatever fits is chance. The screen keeps most of it
/// out, and of what bets, at most one run of twenty is fooled.
#[test]
fn chance_is_not_taken_for_a_rule() {
    let (mut n_fooled, mut n_screened, mut n_opened) = (0, 0, 0);
    for seed in 0..SEEDS {
        let lot = Lot { seed, learn: 80, gate: 48, audit: 0 };
        let (_place, world, report) = learned(&shuffled(lot), seed);
        let is_fooled = !events(&world, "promoted").is_empty();
        n_fooled += u32::from(is_fooled);
        n_opened += events(&world, "opened").len();
        let lines = world.lines("r1", "gate_runs.jsonl");
        let screened = lines.iter().filter_map(|it| it["screened"]["rule"].as_str());
        n_screened += screened.collect::<std::collections::BTreeSet<_>>().len();
        assert_eq!(is_fooled, report.rules.len() > 1, "{report:?}");
    }
    println!(
        "shuffled labels: {n_fooled} of {SEEDS} seeds promoted anything, {n_screened} rules were \
         screened and {n_opened} bet"
    );
    assert!(n_screened >= 40 && n_opened >= 1, "{n_screened} screened, {n_opened} bet");
    assert!(n_fooled <= 1, "{n_fooled} of {SEEDS}");
}

/// LEARN-2.2: a rule that holds is found, although other words are there by chance and some labels
/// are wrong.
#[test]
fn a_planted_rule_is_recovered() {
    let (mut n_recovered, mut n_others) = (0, 0);
    let wanted = rule("alpha", Label::Fail);
    for seed in 0..SEEDS {
        let lot = Lot { seed, learn: 80, gate: 48, audit: 0 };
        let (_place, _world, report) = learned(&planted(lot), seed);
        n_recovered += u32::from(report.rules.iter().any(|it| it.text == wanted));
        n_others += report.rules.iter().filter(|it| it.text != wanted).count() - 1;
    }
    println!("planted rule: recovered in {n_recovered} of {SEEDS} seeds, {n_others} other rules");
    assert!(n_recovered >= 18, "{n_recovered} of {SEEDS}");
    assert_eq!(n_others, 0);
}
