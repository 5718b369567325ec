//! Many processes on one file.

use std::collections::BTreeMap;

use provost_testkit::{Ended, Place, command};
use provost_vault::{RealDisk, Stored, read_json, read_records};

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
    let count = read_json::<_, u64>(&RealDisk, &place.layout().tracking()).unwrap();
    assert_eq!(count, Stored::Present(1600));
}
