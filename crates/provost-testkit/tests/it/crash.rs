//! `kill -9` at random moments of a writing loop.

mod guard;
mod learn;
mod story;

use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
    time::Duration,
};

use provost_testkit::{Ended, Place, command, kills};
use provost_vault::{RealDisk, Stored, audit::verify, read_json, read_records};

/// Moments that look random and are the same in every run.
fn moment(kill: u32) -> Duration {
    let mixed = kill.wrapping_mul(2_654_435_761) >> 16;
    Duration::from_micros(u64::from(mixed % 12_000))
}

/// LOOP-A5, HOOK-2.1: no half file, no lost acknowledged line, and a chain that verifies.
#[test]
fn a_kill_at_any_moment_loses_nothing_that_was_acknowledged() {
    let place = Place::new();
    let layout = place.layout();
    let task = "t1".parse().unwrap();
    let mut acknowledged = 0_u64;
    let mut n_rounds = 0;
    for kill in 0..kills() {
        let child = command(super::WORKER)
            .args(["write", place.home().as_str(), &(acknowledged + 1).to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut child = Ended(child);
        let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
        // The first line says that the loop is under way.
        let first = lines.next().unwrap().unwrap();
        std::thread::sleep(moment(kill));
        child.0.kill().unwrap();
        child.0.wait().unwrap();
        // A number that was cut off by the kill is smaller than what was acknowledged.
        for line in std::iter::once(first).chain(lines.map_while(Result::ok)) {
            acknowledged = acknowledged.max(line.parse().unwrap_or(acknowledged));
            n_rounds += 1;
        }

        let status = read_json::<_, serde_json::Value>(&RealDisk, &layout.status(&task)).unwrap();
        let Stored::Present(status) = status else { panic!("kill {kill}: {status:?}") };
        assert!(status["n"].as_u64().unwrap() >= acknowledged, "kill {kill}: {status}");

        let events =
            read_records::<_, serde_json::Value>(&RealDisk, &layout.events(&task)).unwrap();
        assert_eq!(events.unreadable, [0; 0], "kill {kill}");
        let last = events.records.last().unwrap()["n"].as_u64().unwrap();
        assert!(last >= acknowledged, "kill {kill}: acknowledged {acknowledged}, found {last}");

        if kill % 25 == 0 || kill + 1 == kills() {
            let report = verify(&RealDisk, &layout).unwrap();
            assert!(report.is_intact(), "kill {kill}: {:?}", report.problems);
            assert!(report.entries >= n_rounds, "kill {kill}: {} entries", report.entries);
        }
        acknowledged = acknowledged.max(last);
    }
    println!("{} kills, {n_rounds} acknowledged rounds, nothing lost", kills());
}
