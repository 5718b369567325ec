//! What a look at the stories costs: open the index, hold it against the log, count everything.

use provost_desk::story::Stories;
use provost_store::Listed;
use provost_testkit::{Place, story};
use provost_vault::SystemClock;
use serde_json::Value;

use super::{Comparison, Goal, compare_medians};

pub(super) fn measure() -> Vec<Value> {
    let homes = [1, 30, 300].map(home);
    let [one, thirty, many] = [&homes[0], &homes[1], &homes[2]];
    let small = compare_medians(200, || look(thirty, 30), || look(one, 1));
    let large = compare_medians(100, || look(many, 300), || look(thirty, 30));
    vec![
        Comparison {
            name: "story-status",
            what: "status of 30 executions with 5 stories each",
            baseline: "the same with 1 execution",
            goal: Goal::Milliseconds(20.0),
        }
        .result(&small),
        Comparison {
            name: "story-status-300",
            what: "status of 300 executions",
            baseline: "the same with 30",
            goal: Goal::TimeAtMost(12.0),
        }
        .result(&large),
    ]
}

fn look(place: &Place, expected: usize) {
    let layout = place.layout();
    let stories = Stories::open(&layout, &SystemClock).expect("stories");
    let found = stories.store().executions(Listed::Active).expect("executions");
    stories.store().first_submissions().expect("submissions");
    let n_passing: u32 = found.iter().map(|it| it.criteria().0).sum();
    assert_eq!((found.len(), n_passing as usize), (expected, expected * 2));
}

/// A home with as many executions, each with a story that was looked at.
fn home(n_executions: u32) -> Place {
    let place = Place::new();
    let layout = place.layout();
    let mut stories = Stories::open(&layout, &SystemClock).expect("stories");
    for number in 0..n_executions {
        let id = format!("e{number}");
        stories.record(story::started(&id)).expect("a beginning");
        stories.record(story::updated(&id)).expect("an update");
    }
    drop(stories);
    place
}
