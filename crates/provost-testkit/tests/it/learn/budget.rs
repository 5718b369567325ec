//! Budgets end a run at one place, whoever carries it out.

use std::{sync::Arc, time::Duration};

use provost_engine::learn::Stop;
use provost_testkit::{
    Place,
    learn::{Scripted, planted, scripted_model},
};
use serde_json::Value;

use super::{SMALL, same, world};

/// LEARN-5.2: calls, tokens and money; the same bytes with 1 and 8 workers, and after going on.
#[test]
fn a_budget_ends_a_run_at_the_same_place_with_any_number_of_workers() {
    for (budget, most) in [
        ("max_model_calls = 1", 1),
        ("max_model_calls = 100", 100),
        ("max_model_calls = 241", 241),
        ("max_model_calls = 400", 400),
        // 110 tokens and 7 millionths a call.
        ("max_tokens = 11_001", 101),
        ("max_usd = 0.0021", 300),
    ] {
        let place = Place::new();
        let settings = format!("reflection.batch_size = 6\n[budget]\n{budget}\n");
        let world = world(&place, &planted(SMALL), &settings);
        let one = world.run("w1", Arc::new(Scripted::new(scripted_model)), 1).unwrap();
        assert_eq!((one.stop, one.calls), (Stop::Budget, most), "{budget}");
        let slow = Arc::new(Scripted::new(scripted_model).slow(Duration::from_millis(2)));
        world.run("w8", slow, 8).unwrap();
        same(&world, "w8", "w1");
        let model = Arc::new(Scripted::new(scripted_model));
        world.run("w8", model.clone(), 8).unwrap();
        assert_eq!(model.asked().len(), 0, "{budget}");
        same(&world, "w8", "w1");
        for line in world.lines("w1", "census.jsonl") {
            let classes = line["classes"].as_object().unwrap();
            let sum: u64 = classes.values().filter_map(Value::as_u64).sum();
            assert_eq!(sum, (SMALL.learn + SMALL.gate) as u64, "{budget}");
        }
    }
}
