//! Watching over a job until nothing of it is left.

use std::{
    collections::BTreeSet,
    io::{Read as _, Write as _},
    os::{fd::OwnedFd, unix::net::UnixStream},
    time::{Duration, Instant},
};

use provost_kernel::Message as _;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process_group, wait},
};

use super::output::Output;
use crate::{
    limits::{Limits, ReachedLimit},
    outcome::{Ended, Outcome},
    processes::{self, KILL_WINDOW},
    running::far_from_now,
    wire::{Plan, Report},
};

/// How often the size of the output is looked at.
const TICK: Duration = Duration::from_millis(100);

/// How often memory and processes are looked at: that costs a look at every process there is.
const METER: Duration = Duration::from_millis(300);

/// How often the program is looked at where its exit cannot be waited for.
const BLIND_TICK: Duration = Duration::from_millis(5);

/// How long a process that the program left behind may take to end. Its work is not waited for.
const LEFTOVER_GRACE: Duration = Duration::from_secs(1);

/// How long to wait between two looks at processes that are ending.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// Why the job must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Exited,
    Deadline,
    Cancelled,
    Abandoned,
    Limit(ReachedLimit),
}

/// What the coordinator did while we waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum News {
    Nothing,
    Cancel,
    Gone,
}

struct Watch<'l> {
    /// None once the coordinator is gone.
    link: Option<&'l UnixStream>,
    main: i32,
    /// Readable when the program has exited.
    main_exit: Option<OwnedFd>,
    status: Option<WaitStatus>,
    /// Whether any child of ours, adopted ones included, is left.
    is_alone: bool,
    output: Output,
    limits: Limits,
    next_meter: Instant,
    /// Every process that we had to end, apart from the program itself.
    ended: BTreeSet<(i32, u64)>,
}

/// Waits for the job to end, makes sure that nothing of it is left, and reports.
pub(super) fn until_over(link: &UnixStream, plan: &Plan, main: i32) -> Report {
    let start = Instant::now();
    let limits = plan.sandbox.as_ref().map(|it| it.limits).unwrap_or_default();
    let mut watch = Watch::new(link, main, plan.output_cap, limits);
    let grace = Duration::from_millis(plan.grace_ms);
    let cause = watch.wait(far_from_now(Duration::from_millis(plan.deadline_ms)));
    if !watch.is_alone {
        watch.terminate(match cause {
            Cause::Exited => grace.min(LEFTOVER_GRACE),
            Cause::Deadline | Cause::Cancelled => grace,
            // The coordinator is gone, so what the job would still do is not wanted; or others need
            // what the machine has left.
            Cause::Abandoned | Cause::Limit(_) => Duration::ZERO,
        });
    }
    let unkillable = if watch.is_alone { Vec::new() } else { watch.kill() };
    watch.output.trim();
    if let Cause::Limit(reached) = cause {
        // Wherever the output is shown, the reason is. A stream that cannot take it has no reader.
        let line = format!("provost ended this: {}\n", reached.text());
        let _ = std::io::stderr().write_all(line.as_bytes());
    }

    let (rc, ended) = verdict(cause, watch.status);
    Report::Finished {
        rc,
        ended,
        leftovers_ended: u32::try_from(watch.ended.len()).unwrap_or(u32::MAX),
        unkillable,
        stdout_dropped: watch.output.stdout_dropped,
        stderr_dropped: watch.output.stderr_dropped,
        wall_us: u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX),
    }
}

fn verdict(cause: Cause, status: Option<WaitStatus>) -> (i32, Ended) {
    let signal = status.and_then(WaitStatus::terminating_signal);
    let own = match (status.and_then(WaitStatus::exit_status), signal) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        // The program did not die even by KILL.
        (None, None) => 128 + Signal::KILL.as_raw(),
    };
    match (cause, signal) {
        (Cause::Deadline, _) => (Outcome::DEADLINE_RC, Ended::DeadlineReached),
        (Cause::Cancelled | Cause::Abandoned, _) => (own, Ended::Cancelled),
        (Cause::Limit(reached), _) => {
            (128 + Signal::KILL.as_raw(), Ended::LimitReached { reached })
        }
        (Cause::Exited, Some(signal)) => (own, Ended::Signalled { signal }),
        (Cause::Exited, None) => (own, Ended::Exited),
    }
}

impl<'l> Watch<'l> {
    fn new(link: &'l UnixStream, main: i32, output_cap: u64, limits: Limits) -> Self {
        Self {
            link: Some(link),
            main,
            main_exit: exit_of(main),
            status: None,
            is_alone: false,
            output: Output::new(output_cap),
            limits,
            next_meter: Instant::now() + METER,
            ended: BTreeSet::new(),
        }
    }

    /// Waits until the program has exited or must be ended.
    fn wait(&mut self, deadline: Instant) -> Cause {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let tick = if self.main_exit.is_some() { TICK } else { BLIND_TICK };
            match self.pause(left.min(tick)) {
                News::Cancel => return Cause::Cancelled,
                News::Gone => return Cause::Abandoned,
                News::Nothing => {}
            }
            self.reap();
            if self.status.is_some() || self.is_alone {
                return Cause::Exited;
            }
            if Instant::now() >= deadline {
                return Cause::Deadline;
            }
            self.output.trim();
            if let Some(reached) = self.meter() {
                return Cause::Limit(reached);
            }
        }
    }

    /// Looks, from time to time, at what the job takes of the machine.
    fn meter(&mut self) -> Option<ReachedLimit> {
        if self.limits.is_none() || Instant::now() < self.next_meter {
            return None;
        }
        let found = processes::descendants(getpid().as_raw_nonzero().get()).ok()?;
        let reached = self.limits.reached(processes::usage(&found, self.limits.memory));
        self.next_meter = Instant::now() + METER;
        reached
    }

    /// Asks every process to end, and waits for them as long as `grace`.
    fn terminate(&mut self, grace: Duration) {
        if grace.is_zero() {
            return;
        }
        let end = far_from_now(grace);
        self.signal(Signal::TERM);
        // One that is stopped would sleep through it.
        self.signal(Signal::CONT);
        let mut pause = SHORTEST_PAUSE;
        while Instant::now() < end {
            let left = end.saturating_duration_since(Instant::now());
            if self.pause(pause.min(left)) == News::Gone {
                return;
            }
            self.reap();
            if self.is_alone {
                return;
            }
            self.output.trim();
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Kills every process, in rounds, and returns those that even this did not end.
    fn kill(&mut self) -> Vec<i32> {
        let end = Instant::now() + KILL_WINDOW;
        let mut pause = SHORTEST_PAUSE;
        loop {
            // A process that is stopped starts no other, so when a look finds no new one, every one
            // is caught; a fork that was in flight is found by the next look or the next round.
            let mut caught = self.signal(Signal::STOP);
            while Instant::now() < end {
                let again = self.signal(Signal::STOP);
                if again.is_subset(&caught) {
                    break;
                }
                caught = again;
            }
            let left = self.signal(Signal::KILL);
            self.pause(pause);
            self.reap();
            if self.is_alone {
                return Vec::new();
            }
            if Instant::now() >= end {
                return left.into_iter().map(|(pid, _)| pid).collect();
            }
            self.output.trim();
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Signals every descendant that is not dead yet, and returns who they are. Without `/proc`
    /// only the program's own group can be reached.
    fn signal(&mut self, signal: Signal) -> BTreeSet<(i32, u64)> {
        let Ok(found) = processes::descendants(getpid().as_raw_nonzero().get()) else {
            if let Some(group) = Pid::from_raw(self.main) {
                let _ = kill_process_group(group, signal);
            }
            return BTreeSet::new();
        };
        let living = found.into_iter().filter(|it| !it.is_zombie);
        let signalled: BTreeSet<(i32, u64)> =
            living.inspect(|it| it.send(signal)).map(|it| it.identity()).collect();
        self.ended.extend(signalled.iter().filter(|(pid, _)| *pid != self.main));
        signalled
    }

    /// Collects every child that has died, adopted ones included.
    fn reap(&mut self) {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => {
                    if pid.as_raw_nonzero().get() == self.main {
                        self.status = Some(status);
                        self.main_exit = None;
                    }
                }
                Ok(None) | Err(rustix::io::Errno::INTR) => return,
                Err(_) => {
                    self.is_alone = true;
                    return;
                }
            }
        }
    }

    /// Waits for the coordinator, for the program's exit, or for this long.
    fn pause(&mut self, timeout: Duration) -> News {
        let timeout = Timespec::try_from(timeout).ok();
        let mut watched = Vec::with_capacity(2);
        if let Some(link) = self.link {
            watched.push(PollFd::new(link, PollFlags::IN));
        }
        if let Some(exit) = &self.main_exit {
            watched.push(PollFd::new(exit, PollFlags::IN));
        }
        let woken = poll(&mut watched, timeout.as_ref()).unwrap_or(0);
        let Some(link) = self.link else { return News::Nothing };
        if woken == 0 || watched.first().is_none_or(|it| it.revents().is_empty()) {
            return News::Nothing;
        }
        let mut bytes = [0; 16];
        match { link }.read(&mut bytes) {
            Ok(0) | Err(_) => {
                self.link = None;
                News::Gone
            }
            Ok(_) => News::Cancel,
        }
    }
}

/// A handle that becomes readable when the process exits, where the system has one.
#[cfg(target_os = "linux")]
fn exit_of(pid: i32) -> Option<OwnedFd> {
    use rustix::process::{PidfdFlags, pidfd_open};
    Pid::from_raw(pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok())
}

#[cfg(not(target_os = "linux"))]
fn exit_of(_pid: i32) -> Option<OwnedFd> {
    None
}
