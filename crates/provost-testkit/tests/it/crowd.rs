//! Many processes on one file.

use std::collections::BTreeMap;

use provost_testkit::{Ended, Place, command};
use provost_vault::{RealDisk, Stored, read_json, read_records};
use serde_json::Value;

fn run_all(n_processes: usize, arguments: &[&str]) {
    let children: Vec<Ended> = (0..n_processes)
        .map(|_| Ended(command(super::WORKER).args(arguments).spawn().unwrap()))
        .collect();
    for mut child in children {
        assert!(child.0.wait().unwrap().success());
    }
}

#[test]
fn eight_processes_append_eight_thousand_whole_lines() {
    let place = Place::new();
    run_all(8, &["append", place.home().as_str(), "1000"]);

    let at = place.layout().events(&"t1".parse().unwrap());
    let found = read_records::<_, serde_json::Value>(&RealDisk, &at).unwrap();
    assert_eq!((found.records.len(), found.unreadable), (8000, vec![]));
    let mut next: BTreeMap<u64, u64> = BTreeMap::new();
    for record in found.records {
        let expected = next.entry(record["who"].as_u64().unwrap()).or_default();
        assert_eq!(record["n"].as_u64(), Some(*expected), "each writer's lines are in order");
        *expected += 1;
    }
    assert_eq!(next.len(), 8);
}

/// HOOK-2.2: the original loses counts here.
#[test]
fn sixteen_processes_count_to_sixteen_hundred() {
    let place = Place::new();
    run_all(16, &["increment", place.home().as_str(), "100"]);
    assert_eq!(tracked(&place)["total_spawned"], 1600);
}

fn tracked(place: &Place) -> Value {
    let state = read_json(&RealDisk, &place.layout().tracking()).unwrap();
    let Stored::Present(state) = state else { panic!("{state:?}") };
    state
}

/// HOOK-2.2: nobody waits long, and still nobody is lost: what was left in the spool is applied by
/// whoever had the lock, and the last one leaves nothing behind.
#[test]
fn sixty_four_processes_without_patience_lose_nothing() {
    let place = Place::new();
    run_all(64, &["start", place.home().as_str()]);
    let state = tracked(&place);
    assert_eq!(state["total_spawned"], 64);
    assert_eq!(state["agents"].as_array().unwrap().len(), 64);
    let guard = place.layout().guard().path();
    let lock = std::fs::read(guard.join("subagent-tracker.lock")).unwrap();
    assert_eq!(lock, b"", "free to those who look at the content");
    let left = std::fs::read_dir(guard.join("spool")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "nothing waits");
    let names = std::fs::read_dir(guard).unwrap().map(|it| it.unwrap().file_name());
    let torn: Vec<_> = names.filter(|it| it.to_string_lossy().contains(".tmp.")).collect();
    assert!(torn.is_empty(), "{torn:?}");
}
