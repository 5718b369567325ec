//! What a job may take of the machine, and what is left where everybody who watched it was killed.

use std::process::{Command, Stdio};

use provost_exec::{
    Ended, Job, Limits, ReachedLimit,
    sandbox::{Network, Requirement, Sandbox},
    strays,
};
use rustix::process::{Pid, Signal, kill_process};

use crate::world::{PROBE, World, is_gone, parent_of, until};

fn limited(world: &World, argv: &[&str], limits: Limits) -> Job {
    let mut job = world.job(argv);
    job.sandbox = Some(Sandbox {
        writable: vec![world.path.clone()],
        hidden: Vec::new(),
        network: Network::On,
        files: Requirement::Accept,
        limits,
    });
    job
}

/// Ruling 91: a job that multiplies is ended as a whole, and its output says why.
#[test]
fn a_job_with_too_many_processes_is_ended() {
    let world = World::new();
    let script = format!("for i in 1 2 3 4 5 6 7 8 9; do {PROBE} sleep $PWD & done; wait");
    let limits = Limits { memory: None, processes: Some(6) };
    let left = world.run(&limited(&world, &["sh", "-c", &script], limits));
    let Ended::LimitReached { reached: ReachedLimit::Processes { found, most: 6 } } =
        left.outcome.ended
    else {
        panic!("{:?}", left.outcome)
    };
    assert!(found > 6 && left.outcome.rc == 137, "{found} {}", left.outcome.rc);
    assert!(left.stderr.contains("and may have 6 (`sandbox.processes`)"), "{}", left.stderr);
    assert_eq!(world.living(), [0; 0]);
}

/// Ruling 91: what counts is the memory that is used, of all processes together.
#[test]
fn a_job_with_too_much_memory_is_ended() {
    let world = World::new();
    let limits = |mb: u64| Limits { memory: Some(mb << 20), processes: None };
    let two = format!("{PROBE} hog 60 & {PROBE} hog 60; wait");
    let left = world.run(&limited(&world, &["sh", "-c", &two], limits(100)));
    let Ended::LimitReached { reached: ReachedLimit::Memory { most_mb: 100, .. } } =
        left.outcome.ended
    else {
        panic!("{:?}", left.outcome)
    };
    assert!(left.stderr.contains("MB of memory, and may use 100 MB"), "{}", left.stderr);
    assert_eq!(world.living(), [0; 0]);
    let left = world.run(&limited(&world, &["sh", "-c", &two], limits(400)));
    assert_eq!((left.outcome.rc, left.outcome.ended), (0, Ended::Exited));
}

/// Ruling 91: address space is not memory, and a program that reserves much and forks a little stays
/// within the limits of its machine.
#[test]
fn what_is_reserved_does_not_count() {
    let world = World::new();
    let script = "import mmap, os\n\
                  whole = mmap.mmap(-1, 64 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)\n\
                  held = bytearray(80 << 20)\n\
                  pids = [os.fork() for _ in range(2)]\n\
                  import time; time.sleep(1.5)\n";
    let limits = Limits { memory: Some(200 << 20), processes: Some(40) };
    let left = world.run(&limited(&world, &["python3", "-c", script], limits));
    assert_eq!((left.outcome.rc, &left.outcome.ended), (0, &Ended::Exited), "{}", left.stderr);
}

/// PROOF-12: an agent that outlived coordinator and guardian is found by what it cannot get rid of,
/// and a person's own process in the same folder is left alone.
#[test]
fn what_outlived_coordinator_and_guardian_is_ended() {
    let world = World::new();
    let mut coordinator = Command::new(PROBE);
    coordinator.args(["coordinator", world.path.to_str().unwrap()]).stdin(Stdio::null());
    let mut coordinator = coordinator.spawn().unwrap();
    let (main, leaf) = (world.noted("ready"), world.noted("leaf"));
    let guardian = Pid::from_raw(parent_of(main)).unwrap();
    // Neither has the time to end anything.
    kill_process(guardian, Signal::STOP).unwrap();
    coordinator.kill().unwrap();
    coordinator.wait().unwrap();
    kill_process(guardian, Signal::KILL).unwrap();
    until(|| is_gone(guardian.as_raw_nonzero().get()));
    assert!(!is_gone(main) && !is_gone(leaf), "they outlived both");

    let mut person = Command::new("sleep").arg("600").current_dir(&world.path).spawn().unwrap();
    assert_eq!(strays::end(&world.path).unwrap(), 2);
    assert!(is_gone(main) && is_gone(leaf));
    assert_eq!(person.try_wait().unwrap(), None, "it is not part of a job");
    assert_eq!(strays::end(&world.path).unwrap(), 0);
    person.kill().unwrap();
    person.wait().unwrap();
}
