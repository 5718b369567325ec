//! A program that goes on when the terminal and the caller are gone.

use std::{
    fs::File,
    io,
    path::Path,
    process::{Child, Command, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{ExecError, error::StartAction};

/// Starts a program whose output goes to a file, and does not wait for it.
///
/// It has the environment of this process. It has to leave this session itself
/// ([`leave_session`]): code between fork and exec would need a copy of this process.
pub fn start(program: &Path, args: &[String], log: &File) -> Result<u32, ExecError> {
    let mut child = command(program, args, log)?.spawn().map_err(not_started)?;
    let pid = child.id();
    // A server that goes on would keep what is left of every process that it started.
    std::thread::spawn(move || child.wait());
    Ok(pid)
}

fn command(program: &Path, args: &[String], log: &File) -> Result<Command, ExecError> {
    let clone = || log.try_clone().map_err(not_started);
    #[expect(clippy::disallowed_methods, reason = "the coordinator itself, which is not a job")]
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(clone()?).stderr(clone()?);
    Ok(command)
}

fn not_started(source: io::Error) -> ExecError {
    ExecError::NotStarted { action: StartAction::Detach, cause: source.to_string() }
}

/// A program that this process started and waits for, in a process group of its own: a signal from
/// the terminal reaches this process alone, which passes it on once. It goes on if this process is
/// killed.
#[derive(Debug)]
pub struct Companion {
    child: Child,
}

impl Companion {
    /// Starts a program whose output goes to a file.
    pub fn start(program: &Path, args: &[String], log: &File) -> Result<Self, ExecError> {
        use std::os::unix::process::CommandExt as _;
        let child = command(program, args, log)?.process_group(0).spawn().map_err(not_started)?;
        Ok(Self { child })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its exit code, if it has ended; none of its own where a signal ended it.
    pub fn ended(&mut self) -> io::Result<Option<Option<i32>>> {
        Ok(self.child.try_wait()?.map(|it| it.code()))
    }

    /// Passes a signal on; one that has just ended does not need it.
    pub fn signal(&self, number: i32) {
        if let Some(signal) = Signal::from_named_raw(number) {
            let _ = kill_process(Pid::from_child(&self.child), signal);
        }
    }
}

/// Makes the calling process independent of the session that it was started in.
pub fn leave_session() {
    // It fails only for a process that leads a group already; then a signal to the terminal's
    // group does not reach it either.
    let _ = rustix::process::setsid();
}
