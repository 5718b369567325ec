//! Equal answers make equal bytes, however many are under way and however often it is begun.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use provost_adapter::Cancel;
use provost_adapter::model::{Model, ModelPool, RecordingModel};
use provost_engine::learn::LearnError;
use provost_rules_learn::hypothesis::{Event, Pool};
use provost_testkit::{
    Place,
    learn::{ParsedPrompt, Said, Scripted, planted, scripted_model},
};

use serde_json::Value;

use super::{SMALL, run, same, world};

const SETTINGS: &str =
    "runner.epochs = 2\nreflection.batch_size = 6\nrunner.rollout_batch_size = 16\n";

/// LEARN-5.1, LEARN-5.2: what a run leaves does not depend on its workers.
#[test]
fn every_number_of_workers_leaves_the_same_bytes() {
    let place = Place::new();
    let world = world(&place, &planted(SMALL), SETTINGS);
    let (_, report) = run(&world, "first");
    let expected = world.files("first");
    assert!(report.guidance_step > 0 && expected.len() >= 15, "{:?}", expected.keys());
    let recording = world.at("first").path().join("calls.jsonl");
    for workers in [1, 4, 16] {
        let recorded = Arc::new(RecordingModel::open(recording.as_std_path()).unwrap());
        world.run(&format!("recorded-{workers}"), recorded, workers).unwrap();
        same(&world, &format!("recorded-{workers}"), "first");
        let slow = Arc::new(Scripted::new(scripted_model).slow(Duration::from_millis(4)));
        world.run(&format!("slow-{workers}"), slow, workers).unwrap();
        same(&world, &format!("slow-{workers}"), "first");
    }
    // Two endpoints are as good as one.
    let both: Vec<(Arc<dyn Model>, usize)> = vec![
        (Arc::new(Scripted::new(scripted_model).slow(Duration::from_millis(1))), 2),
        (Arc::new(Scripted::new(scripted_model).slow(Duration::from_millis(3))), 3),
    ];
    world.run_with("both", &ModelPool::new(both, 5), &Cancel::new()).unwrap();
    same(&world, "both", "first");
}

/// A run that is over is over: beginning it again asks nothing and writes nothing.
#[test]
fn a_finished_run_asks_nothing_again() {
    let place = Place::new();
    let world = world(&place, &planted(SMALL), SETTINGS);
    let (_, first) = run(&world, "r1");
    let before = world.files("r1");
    let (model, again) = run(&world, "r1");
    assert_eq!(model.asked().len(), 0);
    assert_eq!(world.files("r1"), before);
    assert_eq!(format!("{first:?}"), format!("{again:?}"));
}

/// Ended after every so many answers, and begun again: the same bytes, and no question is asked
/// twice that was answered.
#[test]
fn a_run_that_is_interrupted_goes_on_at_the_call() {
    let place = Place::new();
    let world = world(&place, &planted(SMALL), SETTINGS);
    let (_, report) = run(&world, "whole");
    for step in [61, 301] {
        let name = format!("cut-{step}");
        let answered = Arc::new(AtomicU64::new(0));
        let mut n_starts = 0;
        loop {
            n_starts += 1;
            let cancel = Cancel::new();
            let (counter, end) = (Arc::clone(&answered), cancel.clone());
            let limit = answered.load(Ordering::SeqCst) + step;
            let script = move |heard: &ParsedPrompt| {
                if counter.fetch_add(1, Ordering::SeqCst) + 1 >= limit {
                    end.cancel();
                }
                scripted_model(heard)
            };
            let pool =
                ModelPool::new(vec![(Arc::new(Scripted::new(script)) as Arc<dyn Model>, 3)], 3);
            match world.run_with(&name, &pool, &cancel) {
                Ok(_) => break,
                Err(LearnError::Interrupted) => {}
                Err(error) => panic!("{error}"),
            }
            assert!(n_starts < 1000, "it goes on");
        }
        same(&world, &name, "whole");
        assert_eq!(one_life(&world, &name), one_life(&world, "whole"), "{name}");
        let asked = answered.load(Ordering::SeqCst);
        // What was under way when it ended was asked in vain: never more than the workers.
        assert!(asked <= report.calls + n_starts * 3, "{asked} for {} calls", report.calls);
        assert!(n_starts > 1);
    }
}

/// The ledger of a run that was alone in its mission's life, without its name.
fn one_life(world: &provost_testkit::learn::World, run: &str) -> Vec<Value> {
    let mut lines = world.ledger(run);
    for line in &mut lines {
        assert_eq!(line["run"], run, "{line}");
        line["run"] = Value::Null;
    }
    assert!(lines.len() > 100, "{}", lines.len());
    lines
}

/// LEARN-2.1: hypotheses are what their events on the disk add up to.
#[test]
fn hypotheses_survive_on_the_disk() {
    let place = Place::new();
    let world = world(&place, &planted(SMALL), SETTINGS);
    run(&world, "r1");
    let events: Vec<Event> = world
        .lines("r1", "hypothesis_events.jsonl")
        .into_iter()
        .map(|it| serde_json::from_value(it).unwrap())
        .collect();
    let pool = Pool::fold(&events);
    let file: Value = serde_json::from_slice(&world.files("r1")["hypotheses.json"]).unwrap();
    assert_eq!(pool.file(), file);
    assert!(pool.records().len() > 1);
}

/// Tickets, settings or answers that were changed under a run are refused; nothing is mixed.
#[test]
fn a_run_is_not_continued_with_other_inputs() {
    let place = Place::new();
    let tickets = planted(SMALL);
    let world = world(&place, &tickets, SETTINGS);
    run(&world, "r1");
    let before = world.files("r1");
    let refuse = |world: &provost_testkit::learn::World| {
        let model = Arc::new(Scripted::new(scripted_model));
        let error = world.run("r1", model.clone(), 2).unwrap_err();
        assert_eq!(model.asked().len(), 0, "{error}");
        assert_eq!(world.files("r1"), before, "{error}");
    };
    refuse(&super::world(&place, &tickets[1..], SETTINGS));
    refuse(&super::world(&place, &tickets, "runner.epochs = 3\n"));
    let world = super::world(&place, &tickets, SETTINGS);
    let calls = world.at("r1").path().join("calls.jsonl");
    let text = String::from_utf8(before["calls.jsonl"].clone()).unwrap();
    std::fs::write(&calls, text.replacen("Verdict: pass", "Verdict: fail", 1)).unwrap();
    let error =
        world.run("r1", Arc::new(Scripted::new(|_: &ParsedPrompt| Said::Down)), 2).unwrap_err();
    println!("{error}");
    let mut after = world.files("r1");
    after.insert("calls.jsonl".to_owned(), before["calls.jsonl"].clone());
    assert_eq!(after, before, "nothing that follows from the calls was written anew");
}
