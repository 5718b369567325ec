//! Models that answer badly, late, or not at all.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use provost_adapter::model::{ChatModel, ChatModelSettings, Model};
use provost_engine::learn::LearnError;
use provost_kernel::{Exit, Lang, Message};
use provost_rules::retry::RetryPolicy;
use provost_testkit::{
    Place,
    learn::{
        Act, Kind, Lot, ParsedPrompt, Said, Scripted, Server, malformed, planted, scripted_model,
    },
};
use serde_json::Value;

use super::{same, world};

const LOT: Lot = Lot { seed: 5, learn: 30, gate: 0, audit: 0 };
const SETTINGS: &str = "runner.epochs = 1\nreflection.batch_size = 4\n";

/// LEARN-3.1, LEARN-5.1: whatever a pass answers, it costs a retry at most and never the run.
#[test]
fn every_malformed_answer_costs_a_retry_at_most() {
    let place = Place::new();
    let world = self::world(&place, &planted(LOT), SETTINGS);
    let n_calls = world.run("r1", Arc::new(Scripted::new(scripted_model)), 1).unwrap().calls;
    let clean = world.lines("r1", "census.jsonl")[0]["classes"].clone();
    let names: Vec<&str> = malformed("{}").into_iter().map(|(name, _)| name).collect();
    for (at, name) in names.into_iter().enumerate() {
        for kind in [Kind::Judge, Kind::Decide, Kind::Propose] {
            let place = Place::new();
            let world = self::world(&place, &planted(LOT), SETTINGS);
            // The first answer of its kind is malformed; of a ticket's three answers, the last.
            let is_first = AtomicBool::new(true);
            let script = move |heard: &ParsedPrompt| {
                let Said::Text(good) = scripted_model(heard) else { return Said::Down };
                let is_bad = heard.kind == kind
                    && (kind != Kind::Judge || heard.temperature > 0.5)
                    && is_first.swap(false, Ordering::SeqCst);
                Said::Text(if is_bad { malformed(&good).swap_remove(at).1 } else { good })
            };
            let report = world
                .run("r1", Arc::new(Scripted::new(script)), 1)
                .unwrap_or_else(|error| panic!("{name}, {kind:?}: {error}"));
            let classes = &world.lines("r1", "census.jsonl")[0]["classes"];
            let sum: u64 = classes.as_object().unwrap().values().filter_map(Value::as_u64).sum();
            assert_eq!(sum, 30, "{name}, {kind:?}: {classes}");
            assert_eq!(classes, &clean, "{name}, {kind:?}");
            // Four tickets come again: in two batches of two, or four of one, with two calls each.
            let most = n_calls + 1 + 2 * (2 + 4);
            assert!(report.calls <= most, "{name}, {kind:?}: {} calls", report.calls);
        }
    }
}

/// What a model says that answers one kind of question with nonsense.
fn nonsense(kind: Kind) -> Scripted {
    Scripted::new(move |heard: &ParsedPrompt| {
        if heard.kind == kind {
            Said::Text("\u{0}\u{fffd} nonsense".to_owned())
        } else {
            scripted_model(heard)
        }
    })
}

/// A model that does not answer as it is asked to is no measurement: the run fails, and says why.
#[test]
fn more_than_one_malformed_answer_in_twenty_fails_the_run() {
    for kind in [Kind::Judge, Kind::Decide, Kind::Propose] {
        let place = Place::new();
        let world = world(&place, &planted(LOT), SETTINGS);
        let error = world.run("r1", Arc::new(nonsense(kind)), 3).unwrap_err();
        let LearnError::Malformed { malformed, answers, text, .. } = &error else {
            panic!("{kind:?}: {error}");
        };
        assert!(malformed * 20 > *answers && text.contains("nonsense"), "{error}");
        assert!(!error.hints().is_empty() && world.lines("r1", "report.json").is_empty());
        // What it said is kept, and the same command comes to the same end without a call.
        let calls = world.lines("r1", "calls.jsonl").len();
        let model = Arc::new(nonsense(kind));
        let again = world.run("r1", model.clone(), 3).unwrap_err();
        assert_eq!((again.to_string(), model.asked().len()), (error.to_string(), 0));
        assert_eq!(world.lines("r1", "calls.jsonl").len(), calls);
    }
}

/// A model that never answers well ends in named failures, not in an endless run.
#[test]
fn a_model_that_only_talks_nonsense_ends_the_run_in_order() {
    for kind in [Kind::Judge, Kind::Decide, Kind::Propose] {
        let place = Place::new();
        let world = world(&place, &planted(LOT), &format!("{SETTINGS}runner.max_malformed = 1\n"));
        let report = world.run("r1", Arc::new(nonsense(kind)), 3).unwrap();
        assert_eq!(report.rules.len(), 1, "{kind:?}");
        let classes = &world.lines("r1", "census.jsonl")[0]["classes"];
        match kind {
            Kind::Judge => assert_eq!(classes["failed"], 30, "{classes}"),
            Kind::Decide | Kind::Propose => {
                assert_eq!(classes["contributor"], 0, "{classes}");
                assert!(classes["stop_gradient"].as_u64().unwrap() > 0, "{classes}");
            }
        }
    }
}

/// A model that is down is an error, nothing of it is remembered, and the run goes on when it is
/// there again.
#[test]
fn a_model_that_is_down_costs_nothing() {
    let place = Place::new();
    let world = world(&place, &planted(LOT), SETTINGS);
    let script = |after: u64| {
        let n_asked = AtomicU64::new(0);
        move |heard: &ParsedPrompt| {
            if n_asked.fetch_add(1, Ordering::SeqCst) < after {
                scripted_model(heard)
            } else {
                Said::Down
            }
        }
    };
    world.run("whole", Arc::new(Scripted::new(scripted_model)), 4).unwrap();
    let n_calls = world.lines("whole", "calls.jsonl").len();
    let refuse = |model: Scripted| {
        // One worker: with more, an earlier question may fail before a later one is answered, and is
        // then a failure among answers.
        let error = world.run("r1", Arc::new(model), 1).unwrap_err();
        assert!(matches!(error, LearnError::Unreachable { .. }), "{error}");
        assert!(!error.hints().is_empty());
        let calls = world.lines("r1", "calls.jsonl");
        assert!(calls.iter().all(|it| it["error"].is_null()));
        assert!(calls.len() < n_calls);
        calls.len()
    };
    assert_eq!(refuse(Scripted::new(script(0))), 0);
    assert_eq!(refuse(Scripted::new(script(1))), 1);
    assert_eq!(refuse(Scripted::new(script(40))), 41);
    // It is gone from the first reflection on.
    let is_down = AtomicBool::new(false);
    let n_judged = refuse(Scripted::new(move |heard: &ParsedPrompt| {
        is_down.fetch_or(heard.kind != Kind::Judge, Ordering::SeqCst);
        if is_down.load(Ordering::SeqCst) { Said::Down } else { scripted_model(heard) }
    }));
    assert_eq!(n_judged, 90);
    world.run("r1", Arc::new(Scripted::new(scripted_model)), 4).unwrap();
    same(&world, "r1", "whole");
}

/// A question that fails while others are answered costs a retry, also if it is a pass.
#[test]
fn a_pass_that_fails_alone_costs_a_retry() {
    for kind in [Kind::Decide, Kind::Propose] {
        let place = Place::new();
        let world = world(&place, &planted(LOT), SETTINGS);
        let is_first = AtomicBool::new(true);
        let script = move |heard: &ParsedPrompt| {
            let fails = heard.kind == kind && is_first.swap(false, Ordering::SeqCst);
            if fails { Said::Down } else { scripted_model(heard) }
        };
        // The pool asks only one model: what fails there has failed.
        world.run("r1", Arc::new(Scripted::new(script)), 1).unwrap();
        let calls = world.lines("r1", "calls.jsonl");
        assert_eq!(calls.iter().filter(|it| it["error"].is_object()).count(), 1, "{kind:?}");
        let classes = &world.lines("r1", "census.jsonl")[0]["classes"];
        assert_eq!(classes["stop_gradient"], 0, "{kind:?}: {classes}");
    }
}

/// A single failure among answers is a part of the run: it is remembered like an answer.
#[test]
fn a_failure_among_answers_is_remembered() {
    let place = Place::new();
    let world = world(&place, &planted(LOT), SETTINGS);
    let script = |heard: &ParsedPrompt| {
        let is_lost = heard.kind == Kind::Judge
            && heard.temperature > 0.5
            && heard.cases[0].text.contains("beta");
        if is_lost { Said::Down } else { scripted_model(heard) }
    };
    world.run("r1", Arc::new(Scripted::new(script)), 1).unwrap();
    let expected = world.files("r1");
    let calls = world.lines("r1", "calls.jsonl");
    assert!(calls.iter().any(|it| it["error"].is_object()));
    world.run("r2", Arc::new(Scripted::new(script).slow(Duration::from_millis(2))), 8).unwrap();
    same(&world, "r2", "r1");
    let model = Arc::new(Scripted::new(scripted_model));
    world.run("r1", model.clone(), 4).unwrap();
    assert_eq!((world.files("r1"), model.asked().len()), (expected, 0));
}

fn chat(server: &Server, concurrency: usize) -> Arc<dyn Model> {
    let mut settings = ChatModelSettings::new(&server.base(), "m-1");
    settings.connections = concurrency;
    settings.retry = RetryPolicy {
        retries: 3,
        first: Duration::from_millis(1),
        longest: Duration::from_millis(2),
    };
    Arc::new(ChatModel::new("m-1", settings).unwrap())
}

/// A server that refuses, breaks off and sends rubbish now and then changes nothing.
#[test]
fn a_server_with_bad_moments_changes_nothing() {
    let place = Place::new();
    let world = world(&place, &planted(LOT), SETTINGS);
    let good = Server::start(Duration::ZERO, scripted_model);
    world.run("good", chat(&good, 4), 4).unwrap();
    // Every question meets one of them, and is answered when it is asked again.
    let acts = |number: u64, n_before: u64| match (n_before, number % 3) {
        (0, 0) => Act::Refuse(429),
        (0, 1) => Act::Refuse(500),
        (0, _) => Act::BreakOff,
        _ => Act::Script,
    };
    let bad = Server::misbehaving(Duration::ZERO, scripted_model, acts);
    world.run("bad", chat(&bad, 4), 4).unwrap();
    same(&world, "bad", "good");
    // A vote that repeats a question is another request, and no other question.
    assert!(bad.n_requests() >= good.n_requests() + 90, "{} requests", bad.n_requests());
}

/// A quota that is spent is known as such, and the run goes on when there is one again.
#[test]
fn a_quota_that_is_spent_is_said_to_be() {
    let place = Place::new();
    let world = world(&place, &planted(LOT), SETTINGS);
    let is_up = Arc::new(AtomicBool::new(false));
    let now = Arc::clone(&is_up);
    let server = Server::misbehaving(Duration::ZERO, scripted_model, move |_, _| {
        if now.load(Ordering::SeqCst) { Act::Script } else { Act::Refuse(402) }
    });
    let error = world.run("r1", chat(&server, 2), 2).unwrap_err();
    assert!(matches!(error, LearnError::Quota { .. }), "{error}");
    assert_eq!(error.exit(), Exit::Quota);
    assert!(error.hints()[0].to_string().contains("when there is quota"), "{error}");
    assert!(Lang::Zh.render(&error.hints()[0]).contains("配额"), "{error}");
    assert_eq!(world.lines("r1", "calls.jsonl").len(), 0);
    is_up.store(true, Ordering::SeqCst);
    world.run("r1", chat(&server, 2), 2).unwrap();
}

/// A server that only refuses is a model that is down.
#[test]
fn a_server_that_only_refuses_is_down() {
    for act in [Act::Refuse(401), Act::Refuse(503), Act::Bytes(vec![0xff, 0xfe, 0]), Act::BreakOff]
    {
        let place = Place::new();
        let world = world(&place, &planted(LOT), SETTINGS);
        let is_up = Arc::new(AtomicBool::new(false));
        let (now, said) = (Arc::clone(&is_up), act.clone());
        let server = Server::misbehaving(Duration::ZERO, scripted_model, move |_, _| {
            if now.load(Ordering::SeqCst) { Act::Script } else { said.clone() }
        });
        let error = world.run("r1", chat(&server, 2), 2).unwrap_err();
        assert!(matches!(error, LearnError::Unreachable { .. }), "{act:?}: {error}");
        assert_eq!(world.lines("r1", "calls.jsonl").len(), 0, "{act:?}");
        is_up.store(true, Ordering::SeqCst);
        world.run("r1", chat(&server, 2), 2).unwrap();
    }
}
