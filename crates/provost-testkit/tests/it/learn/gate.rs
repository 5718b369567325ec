//! No measurement, no force, in whole runs: what hostile proposals come to, what counts, what a life
//! of several runs adds up to, and what probes are for.

use std::{collections::BTreeSet, sync::Arc};

use provost_adapter::{Cancel, model::ModelPool};
use provost_engine::learn::{LearnError, Report};
use provost_kernel::{
    Exit, Message,
    learn::{Label, Split},
};
use provost_rules_learn::measure::standing::Standing;
use provost_testkit::{
    Place,
    learn::{
        Kind, Lot, ParsedPrompt, Said, Scripted, VOCABULARY, World, decide, hypothesis, judge,
        planted, propose, rule, scripted_model, ticket,
    },
};
use serde_json::{Value, json};

use super::{SMALL, world};

const LOT: Lot = Lot { seed: 7, learn: 120, gate: 0, audit: 20 };

/// One run in a life that it shares with others.
fn live(world: &World, life: &str, run: &str) -> Result<Report, LearnError> {
    let pool = ModelPool::new(vec![(Arc::new(Scripted::new(scripted_model)), 4)], 4);
    world.run_in(life, run, &pool, &Cancel::new())
}

fn kinds(world: &World, life: &str, kind: &str) -> Vec<Value> {
    let events = world.ledger(life).into_iter().map(|it| it["entry"]["event"].clone());
    events.filter(|it| it["kind"] == json!(kind)).collect()
}

/// Whatever is proposed, however often: nothing harmful is in force.
#[test]
fn a_hostile_proposer_puts_nothing_harmful_in_force() {
    let hostile = |heard: &ParsedPrompt| {
        let keys: Vec<_> = heard.cases.iter().filter_map(|it| it.key.clone()).collect();
        let mut hypotheses = Vec::new();
        for (word, _) in VOCABULARY {
            // Everything, both ways; pass rules rest on tickets that fail.
            hypotheses.push(hypothesis(word, Label::Pass, &keys));
            hypotheses.push(hypothesis(word, Label::Fail, &keys));
        }
        let again = hypotheses.clone();
        hypotheses.extend(again);
        let add = |word| json!({"op": "add", "text": rule(word, Label::Pass), "evidence": keys});
        Said::Text(match heard.kind {
            Kind::Judge => judge(heard),
            Kind::Decide => decide(&[]),
            Kind::Propose => propose(&hypotheses, &[add("beta"), add("gamma")]),
        })
    };
    let place = Place::new();
    let settings = "reflection.batch_size = 6\nrunner.epochs = 2\nrunner.max_malformed = 1\n";
    let world = world(&place, &planted(LOT), settings);
    let report = world.run("r1", Arc::new(Scripted::new(hostile)), 4).unwrap();
    let allowed = rule("alpha", Label::Fail);
    for it in &report.rules {
        assert!(it.key.number() == 0 || it.text == allowed, "{it:?}");
    }
    let right = |it: &provost_rules_learn::metrics::Tally| it.true_pass + it.true_fail;
    assert!(right(&report.after.tally) >= right(&report.before.tally), "{report:?}");
    assert!(report.after.tally.false_pass <= report.before.tally.false_pass, "{report:?}");
    // One account to each rule, and never more shadows than there is room for.
    let mut opened: Vec<String> =
        kinds(&world, "r1", "opened").iter().map(|it| it["rule"].to_string()).collect();
    let n_opened = opened.len();
    opened.sort();
    opened.dedup();
    println!("{n_opened} accounts of {} rules", opened.len());
    assert!(n_opened >= 1);
}

/// LEARN-2.2: labels that were given after the verdict was seen, or by no person, teach and screen
/// alone.
#[test]
fn without_a_label_that_counts_nothing_is_in_force() {
    let check = |field: &str, value: Value| {
        let mut tickets = planted(LOT);
        for ticket in &mut tickets {
            ticket[field] = value.clone();
        }
        let place = Place::new();
        let world = world(&place, &tickets, "reflection.batch_size = 6\n");
        let report = world.run("r1", Arc::new(Scripted::new(scripted_model)), 4).unwrap();
        assert_eq!(report.rules.len(), 1, "{field}");
        let measured = report.measured.unwrap();
        assert_eq!((measured.labels, measured.counted), (120, 0), "{field}");
        assert_eq!(kinds(&world, "r1", "bet"), [] as [Value; 0], "{field}");
        let fates: Vec<Value> = world
            .lines("r1", "reflection.jsonl")
            .iter()
            .flat_map(|it| it["reflection"]["measured"].as_array().unwrap().clone())
            .collect();
        assert!(!fates.is_empty());
        assert!(fates.iter().all(|it| it["accepted"] == false && it["fate"].is_string()));
        measured
    };
    let seen = check("blind", json!(false));
    assert!(seen.rules.iter().any(|it| it.standing == Standing::Shadow), "{seen:?}");
    check("label_source", json!("judge:some-model"));
}

/// A ledger lives longer than a run: a label is numbered once and bet on once, whatever runs.
#[test]
fn runs_of_one_life_share_one_ledger() {
    let place = Place::new();
    let tickets = planted(Lot { seed: 3, learn: 160, gate: 0, audit: 0 });
    let settings = "reflection.batch_size = 6\nrunner.epochs = 1\n";
    let first = world(&place, &tickets[..20], settings);
    live(&first, "life", "r1").unwrap();
    let after_first = first.ledger("life");
    let n_labels = |lines: &[Value]| lines.iter().filter(|it| it["line"] == "label").count();
    assert_eq!(n_labels(&after_first), 20);
    assert!(kinds(&first, "life", "promoted").is_empty());

    // The same again, under another seed: nothing new is read, so nothing is bet.
    let again = world(&place, &tickets[..20], &format!("seed = 4\n{settings}"));
    live(&again, "life", "r2").unwrap();
    let after_second = again.ledger("life");
    assert_eq!(n_labels(&after_second), 20);
    assert_eq!(after_second[..after_first.len()], after_first);
    let bets = |lines: &[Value]| -> Vec<(String, String)> {
        let of = |it: &Value| (it["rule"].to_string(), it["label"]["group"].to_string());
        let events = lines.iter().map(|it| &it["entry"]["event"]);
        events.filter(|it| it["kind"] == json!("bet")).map(of).collect()
    };
    assert_eq!(bets(&after_second).len(), bets(&after_first).len());

    // More labels: what was a shadow goes on betting, and is proven.
    let more = world(&place, &tickets, settings);
    let report = live(&more, "life", "r3").unwrap();
    assert!(report.rules.iter().any(|it| it.text == rule("alpha", Label::Fail)), "{report:?}");
    let lines = more.ledger("life");
    assert_eq!(n_labels(&lines), 160);
    let mut all = bets(&lines);
    let n_bets = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), n_bets, "no label is bet on twice");

    // What is in force stays so in the next run, and its key is kept.
    let next = world(&place, &tickets, &format!("seed = 5\n{settings}"));
    let next = live(&next, "life", "r4").unwrap();
    let is_it = |it: &&provost_engine::learn::RuleReport| it.text == rule("alpha", Label::Fail);
    assert!(next.rules.iter().any(|it| is_it(&it)), "{next:?}");
    assert!(
        next.before.tally.false_pass < report.before.tally.false_pass,
        "it holds from the start"
    );
}

/// LEARN-2.3: a label that its person changed or ruled out proves nothing: the rule that it proved
/// is a shadow again, and no account owns more than before.
#[test]
fn a_rule_whose_proof_was_withdrawn_is_a_shadow_again() {
    let lot = Lot { seed: 3, learn: 160, gate: 0, audit: 0 };
    let settings = "reflection.batch_size = 6\nrunner.epochs = 1\n";
    let wanted = rule("alpha", Label::Fail);
    let in_force = |report: &Report| report.rules.iter().any(|it| it.text == wanted);
    for is_changed in [true, false] {
        let place = Place::new();
        let mut tickets = planted(lot);
        let first = world(&place, &tickets, settings);
        assert!(in_force(&live(&first, "life", "r1").unwrap()));
        let won: BTreeSet<String> = kinds(&first, "life", "bet")
            .iter()
            .map(|it| it["label"]["group"].as_str().unwrap().to_owned())
            .collect();
        let is_won = |it: &Value| won.contains(it["group_id"].as_str().unwrap());
        let mut left_out = Vec::new();
        for ticket in tickets.iter_mut().filter(|it| is_won(it)) {
            let label = ticket["label"].as_str().unwrap().to_owned();
            if is_changed {
                ticket["label"] = json!(if label == "pass" { "fail" } else { "pass" });
            } else {
                left_out.push(json!(format!("{}::{label}", ticket["group_id"].as_str().unwrap())));
            }
        }
        let left_out = format!("exclude_ticket_keys = {}\n", Value::from(left_out));
        let next = world(&place, &tickets, &format!("{left_out}{settings}"));
        let report = live(&next, "life", "r2").unwrap();
        assert!(!in_force(&report), "{is_changed}: {report:?}");
        let withdrawn = kinds(&next, "life", "withdrawn").len();
        assert!(withdrawn > 0 && withdrawn <= won.len(), "{withdrawn} of {}", won.len());
        let returned = kinds(&next, "life", "returned");
        assert_eq!(returned.len(), 1, "{returned:?}");
        assert_eq!(returned[0]["why"], "proof_gone");

        // A third run finds nothing more to withdraw.
        live(&next, "life", "r3").unwrap();
        assert_eq!(kinds(&next, "life", "withdrawn").len(), withdrawn);
    }
}

/// Pools are recorded once: a file that moves a ticket is refused by its name.
#[test]
fn a_ticket_that_is_moved_to_another_pool_is_refused() {
    let place = Place::new();
    let mut tickets = planted(Lot { seed: 3, learn: 20, gate: 0, audit: 0 });
    live(&world(&place, &tickets, ""), "life", "r1").unwrap();
    let key = format!("t-000004::{}", tickets[4]["label"].as_str().unwrap());
    tickets[4]["split"] = json!("audit");
    let error = live(&world(&place, &tickets, ""), "life", "r2").unwrap_err();
    assert!(error.to_string().contains(&key), "{error}");
    assert_eq!(error.exit(), Exit::Conflict);
}

/// LEARN-1.4: a rule that is right on every label and voids the scaffold gets no account.
#[test]
fn a_perfect_rule_that_voids_the_scaffold_is_refused_by_a_probe() {
    let of = |n: usize| {
        // What is broken fails, says the judge; where somebody wrote gamma, people let it pass.
        let (words, label): (&[&str], Label) = match n % 3 {
            0 => (&["broken", "gamma"], Label::Pass),
            1 => (&["broken"], Label::Fail),
            _ => (&["beta"], Label::Pass),
        };
        ticket(n, words, label, Split::Learn)
    };
    let stream: Vec<Value> = (0..90).map(of).collect();
    for (pool, n_guarded, expected) in
        [(Split::Probe, 0, 1), (Split::Probe, 3, 0), (Split::Golden, 1, 0)]
    {
        let mut tickets = stream.clone();
        let guarded = 500..500 + n_guarded;
        tickets.extend(guarded.map(|n| ticket(n, &["broken", "gamma"], Label::Fail, pool)));
        let place = Place::new();
        let world = world(&place, &tickets, "reflection.batch_size = 6\n");
        let report = world.run("r1", Arc::new(Scripted::new(scripted_model)), 4).unwrap();
        let voiding = rule("gamma", Label::Pass);
        let n_rules = report.rules.iter().filter(|it| it.text == voiding).count();
        assert_eq!(n_rules, expected, "{pool} {n_guarded}: {report:?}");
        let measured = report.measured.unwrap();
        assert_eq!(measured.refused > 0, n_guarded > 0, "{measured:?}");
        let has_account = measured.rules.iter().any(|it| it.text == voiding);
        assert_eq!(has_account, n_guarded == 0, "{measured:?}");
    }
}

/// The calls of the gate stay within what is printed before the first call.
#[test]
fn the_gate_asks_no_more_than_thirty_times_a_label() {
    let place = Place::new();
    let world = world(&place, &planted(SMALL), "reflection.batch_size = 4\nrunner.epochs = 2\n");
    world.run("r1", Arc::new(Scripted::new(scripted_model)), 4).unwrap();
    let n_labels = SMALL.learn + SMALL.gate;
    let calls = world.lines("r1", "calls.jsonl");
    let n_gate = calls.iter().filter(|it| it["kind"] == "gate").count();
    println!("{n_gate} calls at the gate for {n_labels} labels");
    assert!(n_gate > 0 && n_gate <= 30 * n_labels, "{n_gate}");
}
