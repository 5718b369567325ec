//! `kill -9` while a run learns: whoever goes on with it comes to the same bytes.

use std::{
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use provost_testkit::{
    Ended, Place, command, kills,
    learn::{Lot, World, planted},
};

/// After so many kills a run may come to its end and is looked at.
const KILLS_OF_A_RUN: u32 = 8;
const LOT: Lot = Lot { seed: 9, learn: 48, gate: 40, audit: 8 };
const SETTINGS: &str = "\
runner.epochs = 2
runner.rollout_batch_size = 12
reflection.batch_size = 5
";

fn learn(place: &Place, run: &str) -> Child {
    command(super::super::WORKER)
        .args(["learn", place.home().as_str(), run])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Moments that look random, over the whole time that a run takes.
fn moment(kill: u32, whole: Duration) -> Duration {
    let mixed = kill.wrapping_mul(2_654_435_761) >> 16;
    whole * (mixed % 1000) / 1000
}

/// LEARN-5.2: after kills at random moments a run ends with the artifacts of one that nobody
/// disturbed.
#[test]
fn a_run_that_is_killed_again_and_again_ends_as_if_nothing_had_happened() {
    let place = Place::new();
    let world = World::write(place.layout(), &planted(LOT), SETTINGS);
    let started = Instant::now();
    assert!(Ended(learn(&place, "whole")).0.wait().unwrap().success());
    let whole = started.elapsed();
    let expected = world.files("whole");
    let calls = world.lines("whole", "calls.jsonl").len();
    assert!(expected.len() >= 15, "{:?}", expected.keys());
    let (mut n_kills, mut n_runs, mut n_tries) = (0, 0, 0);
    let mut moments = Vec::new();
    while n_kills < kills() {
        n_runs += 1;
        let run = format!("run-{n_runs}");
        for _ in 0..KILLS_OF_A_RUN {
            let mut child = Ended(learn(&place, &run));
            n_tries += 1;
            std::thread::sleep(moment(n_tries, whole));
            if child.0.try_wait().unwrap().is_some() {
                break;
            }
            child.0.kill().unwrap();
            // It may have ended after it was looked at.
            if child.0.wait().unwrap().success() {
                break;
            }
            n_kills += 1;
            moments.push(world.lines(&run, "calls.jsonl").len());
        }
        assert!(Ended(learn(&place, &run)).0.wait().unwrap().success(), "{run}");
        let files = world.files(&run);
        assert_eq!(files.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (name, bytes) in files {
            assert!(bytes == expected[&name], "{run}: {name} differs");
        }
        assert!(n_runs <= kills(), "runs are over before they can be killed");
    }
    moments.sort_unstable();
    moments.dedup();
    println!(
        "{n_kills} kills in {n_runs} runs of {calls} calls, at {} different calls: every artifact \
         the same",
        moments.len()
    );
    assert!(moments.len() * 5 > kills() as usize, "{moments:?}");
}
