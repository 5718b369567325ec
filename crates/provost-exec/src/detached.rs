//! A program that goes on when the terminal and the caller are gone.

use std::{
    fs::File,
    io,
    path::Path,
    process::{Command, Stdio},
};

use crate::{ExecError, error::StartAction};

/// Starts a program whose output goes to a file, and does not wait for it.
///
/// It has the environment of this process. It has to leave this session itself
/// ([`leave_session`]): code between fork and exec would need a copy of this process.
pub fn start(program: &Path, args: &[String], log: &File) -> Result<u32, ExecError> {
    let fail = |source: io::Error| ExecError::NotStarted {
        action: StartAction::Detach,
        cause: source.to_string(),
    };
    let clone = || log.try_clone().map_err(fail);
    #[expect(clippy::disallowed_methods, reason = "the coordinator itself, which is not a job")]
    let child = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(clone()?)
        .stderr(clone()?)
        .spawn()
        .map_err(fail)?;
    Ok(child.id())
}

/// Makes the calling process independent of the session that it was started in.
pub fn leave_session() {
    // It fails only for a process that leads a group already; then a signal to the terminal's
    // group does not reach it either.
    let _ = rustix::process::setsid();
}
