//! The guardian: a small process between the coordinator and one job.
//!
//! It leads a session of its own and adopts every orphan below it, so that each process of the job
//! stays its descendant, whatever double forks or sessions of their own they try. It ends all of
//! them at the deadline, when it is cancelled, when the program has exited, and when the
//! coordinator is gone, even by KILL: the coordinator's end of the socket closes with it. If the
//! guardian itself is killed, the coordinator ends what has stayed in the guardian's session.
//!
//! The shipped binary hosts it as a hidden subcommand. It never prints: its standard output and
//! error are the job's.

mod child;
mod output;
mod watch;

use std::{
    io,
    os::{
        fd::{AsFd as _, BorrowedFd},
        unix::net::UnixStream,
    },
    path::PathBuf,
    process::ExitCode,
    sync::{Arc, atomic::AtomicBool},
};

use rustix::io::FdFlags;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

use crate::{
    error::StartAction,
    sandbox,
    wire::{self, Plan, Report},
};

/// How to start a guardian: the program that hosts it, and the arguments that select it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guardian {
    /// An absolute path: the guardian has no `PATH`.
    pub program: PathBuf,
    pub args: Vec<String>,
}

/// What the guardian could not do.
struct Failure {
    action: StartAction,
    source: io::Error,
}

/// Runs the guardian: its standard input is the socket to the coordinator.
pub fn main() -> ExitCode {
    let Ok(link) = io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from) else {
        return ExitCode::FAILURE;
    };
    let sent = match guard(&link) {
        Ok(report) => wire::send(&link, &report),
        Err(Failure { action, source }) => {
            wire::send(&link, &Report::Failed { action, cause: source.to_string() })
        }
    };
    if sent.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs one job and says how it ended.
fn guard(link: &UnixStream) -> Result<Report, Failure> {
    hold_on().map_err(|source| Failure { action: StartAction::TrackProcesses, source })?;
    let plan: Plan =
        wire::receive(link).map_err(|source| Failure { action: StartAction::ReadPlan, source })?;

    let program = match child::locate(&plan) {
        Ok(program) => program,
        Err(not_run) => return Ok(not_run.into()),
    };
    let prepared = match &plan.sandbox {
        Some(sandbox) => Some(
            // The namespaces come first: they need a process with one thread.
            sandbox::prepare(sandbox)
                .map_err(|source| Failure { action: StartAction::PrepareSandbox, source })?,
        ),
        None => None,
    };
    let started = match child::start(&plan, &program, prepared) {
        Ok(started) => started,
        Err(child::StartError::NotRun(not_run)) => return Ok(not_run.into()),
        Err(child::StartError::Unenforceable(gaps)) => return Ok(Report::Unenforceable { gaps }),
        Err(child::StartError::Sandbox(source)) => {
            return Err(Failure { action: StartAction::EnterSandbox, source });
        }
    };
    // A coordinator that is gone already is noticed by the watch, which then ends the job.
    let _ = wire::send(link, &Report::Started { pid: started.pid, sandbox: started.sandbox });
    Ok(watch::until_over(link, &plan, started.pid))
}

/// Makes every process of the job one that this process can find, and this process one that the
/// job cannot easily take away.
fn hold_on() -> io::Result<()> {
    rustix::process::setsid()?;
    #[cfg(target_os = "linux")]
    {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        // A program such as sudo then runs with the rights that the job has anyway.
        rustix::thread::set_no_new_privs(true)?;
        close_on_exec()?;
    }
    // A handler and not "ignore": the job must start with the usual answer to each signal, and an
    // ignored signal stays ignored in the programs that are started from here.
    let ignored = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2] {
        signal_hook::flag::register(signal, Arc::clone(&ignored))?;
    }
    Ok(())
}

/// Keeps from the job what this process inherited beyond its standard streams.
#[cfg(target_os = "linux")]
fn close_on_exec() -> io::Result<()> {
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let name = entry?.file_name();
        let Some(number) = name.to_str().and_then(|it| it.parse().ok()).filter(|&it| it > 2) else {
            continue;
        };
        mark_close_on_exec(number);
    }
    Ok(())
}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "a number from `/proc/self/fd` has no owner in this program")]
fn mark_close_on_exec(number: i32) {
    // SAFETY: the borrow ends with this call, which neither closes nor reads the descriptor. If it
    // is closed by now, the call fails; if it is another one, closing that on exec is right too.
    let borrowed = unsafe { BorrowedFd::borrow_raw(number) };
    let _ = rustix::io::fcntl_setfd(borrowed, FdFlags::CLOEXEC);
}
