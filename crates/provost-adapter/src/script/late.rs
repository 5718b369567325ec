//! An agent that leaves a process behind, to change things when everybody believes it is gone.

use std::{io, path::Path, process::ExitCode, time::Duration};

use super::{LATE_WRITER, coder::Plan, put};
use crate::{
    reply::Reply,
    request::{AgentRole, Request},
};

/// Starts the process that stays, in a session of its own.
#[expect(clippy::disallowed_methods, reason = "an agent that cheats starts its own process")]
pub(super) fn leave_behind() -> io::Result<()> {
    use std::os::unix::process::CommandExt as _;

    let program = std::env::current_exe()?;
    let mut words: Vec<_> = std::env::args_os().skip(1).collect();
    if let Some(name) = words.last_mut() {
        *name = LATE_WRITER.into();
    }
    std::process::Command::new(program).args(words).process_group(0).spawn()?;
    Ok(())
}

/// Waits until the agent is gone, then makes everything look right.
pub(super) fn write(request: &Request, reply: &Path) -> ExitCode {
    let parent = rustix::process::getppid();
    // Its parent now was not its parent before: the agent has exited.
    while rustix::process::getppid() == parent {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(200));
    let plan = Plan::of(&request.prompt);
    let better = Reply::new(AgentRole::Coder, "Done, and everything is right.".to_owned());
    let written = put(&plan.file, format!("{}\n", plan.right).as_bytes())
        .and_then(|()| put(reply, &serde_json::to_vec(&better)?));
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
