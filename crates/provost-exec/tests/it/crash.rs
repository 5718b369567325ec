//! Programs that do not want to end, and ends that come without warning.

use std::{
    process::{Child, Command, Stdio},
    time::Duration,
};

use provost_exec::{Ended, ExecError};

use crate::world::{AGES, PROBE, World, is_gone, parent_of, until};

/// A child that ignores TERM, double-forks and keeps its output open is gone, with all its
/// descendants, after deadline and grace.
#[test]
fn a_stubborn_program_is_gone_after_deadline_and_grace() {
    let world = World::new();
    let mut job = world.role("stubborn");
    job.deadline = Duration::from_secs(2);
    job.grace = Duration::from_millis(200);
    let left = world.run(&job);
    // It had the time to become stubborn, or this would prove nothing.
    let (main, leaf) = (world.noted("ready"), world.noted("leaf"));
    assert_eq!((left.outcome.rc, left.outcome.ended), (124, Ended::DeadlineReached));
    assert_eq!(left.outcome.leftovers_ended, 1);
    assert_eq!(left.outcome.unkillable, [0; 0]);
    assert!(left.outcome.wall >= job.deadline + job.grace);
    assert!(is_gone(main) && is_gone(leaf));
    assert_eq!(world.living(), [0; 0]);
}

#[test]
fn processes_that_keep_replacing_themselves_do_not_get_away() {
    for _ in 0..4 {
        let world = World::new();
        let mut job = world.role("relays");
        job.deadline = Duration::from_secs(1);
        job.grace = Duration::from_millis(20);
        let left = world.run(&job);
        world.noted("ready");
        assert_eq!(left.outcome.rc, 124);
        assert_eq!(left.outcome.unkillable, [0; 0]);
        assert_eq!(world.living(), [0; 0]);
    }
}

#[test]
fn what_a_program_leaves_behind_is_ended_with_it() {
    let world = World::new();
    let left = world.run(&world.role("leave-behind"));
    assert_eq!((left.outcome.rc, left.outcome.ended), (0, Ended::Exited));
    assert_eq!(left.outcome.leftovers_ended, 1);
    assert!(is_gone(world.noted("leaf")));
    assert_eq!(world.living(), [0; 0]);
}

/// Also when the program stops its own processes, so that they would sleep through a TERM.
#[test]
fn a_stopped_leftover_is_ended_too() {
    let world = World::new();
    let script = format!("{PROBE} sleep $PWD & kill -STOP $!; exit 7");
    let left = world.run(&world.job(&["sh", "-c", &script]));
    assert_eq!(left.outcome.rc, 7);
    assert_eq!(left.outcome.leftovers_ended, 1);
    assert_eq!(world.living(), [0; 0]);
}

/// A process that is stopped at the deadline still gets to use its grace.
#[test]
fn a_stopped_program_can_say_goodbye() {
    let world = World::new();
    let script = "trap 'echo > goodbye; exit 0' TERM; kill -STOP $$; while :; do :; done";
    let mut job = world.job(&["sh", "-c", script]);
    job.deadline = Duration::from_secs(2);
    job.grace = AGES;
    let left = world.run(&job);
    assert_eq!((left.outcome.rc, left.outcome.ended), (124, Ended::DeadlineReached));
    assert!(world.path.join("goodbye").exists());
    assert!(left.outcome.wall < AGES);
}

/// A coordinator in a process of its own, killed without warning at the end.
struct Coordinator(Child);

impl Coordinator {
    fn start(world: &World) -> Self {
        let mut command = Command::new(PROBE);
        command.args(["coordinator", world.path.to_str().unwrap()]).stdin(Stdio::null());
        Self(command.spawn().unwrap())
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// KILL of the coordinator itself: the guardian leaves no descendant alive, and goes too.
#[test]
fn a_killed_coordinator_leaves_nothing_behind() {
    for _ in 0..5 {
        let world = World::new();
        let coordinator = Coordinator::start(&world);
        let main = world.noted("ready");
        let guardian = parent_of(main);
        assert_eq!(parent_of(guardian).unsigned_abs(), coordinator.0.id());
        assert_eq!(world.living().len(), 3);

        drop(coordinator);
        until(|| world.living().is_empty() && is_gone(guardian));
        assert!(is_gone(world.noted("leaf")));
    }
}

/// KILL of the guardian: the coordinator notices, and ends what never left the job's session.
#[test]
fn a_killed_guardian_is_reported_and_its_session_is_ended() {
    let world = World::new();
    let script = format!("{PROBE} sleep $PWD & {PROBE} sleep $PWD & kill -KILL $PPID; wait");
    let started = world.start(&world.job(&["sh", "-c", &script]));
    let error = started.and_then(|it| it.wait(&|bytes| bytes.into())).unwrap_err();
    assert!(matches!(error, ExecError::GuardianLost { .. }), "{error:?}");
    until(|| world.living().is_empty());
}

/// A guardian that was stopped must not hold the coordinator for ever: dropping the job is
/// bounded.
#[test]
fn a_stopped_guardian_does_not_stop_the_coordinator() {
    let world = World::new();
    let script = format!(
        "until [ -e go ]; do :; done; kill -STOP $PPID; echo > stopped; exec {PROBE} sleep $PWD"
    );
    let running = world.start(&world.job(&["sh", "-c", &script])).unwrap();
    world.write("go", "");
    until(|| world.path.join("stopped").exists());
    drop(running);
    until(|| world.living().is_empty());
}
