//! What learning must show: whole runs with a scripted model, held against what may happen.

mod acceptance;
mod audit;
mod broken;
mod budget;
mod chinese;
mod classes;
mod gate;
mod rates;
mod same;
mod scaffold;
mod support;
mod trust;

use std::sync::Arc;

use provost_engine::learn::Report;
use provost_kernel::learn::Label;
use provost_testkit::{
    Place,
    learn::{Lot, Scripted, World, planted, scripted_model},
};
use serde_json::Value;

/// A small mission with a gate and an audit pool, in which one rule can be found.
const SMALL: Lot = Lot { seed: 1, learn: 80, gate: 40, audit: 20 };

/// A mission in a folder of its own.
fn world(place: &Place, tickets: &[Value], settings: &str) -> World {
    World::write(place.layout(), tickets, settings)
}

/// Carries out one run with a model that does its best.
fn run(world: &World, name: &str) -> (Arc<Scripted>, Report) {
    let model = Arc::new(Scripted::new(scripted_model));
    let report = world.run(name, model.clone(), 4).unwrap();
    (model, report)
}

/// Holds the files of two runs against each other, and names the first line that differs.
#[track_caller]
fn same(world: &World, found: &str, expected: &str) {
    let (files, wanted) = (world.files(found), world.files(expected));
    assert_eq!(files.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>());
    for (name, bytes) in files {
        let lines = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (found, wanted) = (lines(&bytes), lines(&wanted[&name]));
        for (n, (found, wanted)) in found.lines().zip(wanted.lines()).enumerate() {
            assert_eq!(found, wanted, "line {n} of {name}");
        }
        assert!(found == wanted, "{name}: {} and {} bytes", found.len(), wanted.len());
    }
}

/// The tickets that a line names.
fn keys(line: &Value) -> Vec<&str> {
    line["ticket_keys"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect()
}

/// LEARN-2.2: from tickets to a rule that makes judging better on tickets that nobody learned from.
#[test]
fn a_run_finds_the_rule_that_was_planted() {
    let place = Place::new();
    let world = world(&place, &planted(SMALL), "");
    let (model, report) = run(&world, "r1");
    let rules: Vec<&str> = report.rules.iter().map(|it| it.text.as_str()).collect();
    assert!(
        rules.contains(&provost_testkit::learn::rule("alpha", Label::Fail).as_str()),
        "{rules:?}"
    );
    let (before, after) = (report.before.tally, report.after.tally);
    assert!(after.true_pass + after.true_fail > before.true_pass + before.true_fail, "{report:?}");
    assert!(after.false_pass < before.false_pass, "{report:?}");
    assert_eq!(model.asked().len() as u64, report.calls);
    let learned = report.rules.iter().find(|it| it.text.contains("alpha")).unwrap();
    assert!(learned.sources.len() >= 6 && learned.hits > learned.misses, "{learned:?}");
}
