//! Processes of a job that outlived both their coordinator and their guardian: found by what they cannot
//! get rid of, and ended.
//!
//! A guardian that is killed together with its coordinator can end nothing. What is left has the mark
//! of every job: it can never gain rights again (`no_new_privs`, which no process can take back), and it
//! was started with a temporary folder below the folder of its task, or works there. A person's own
//! shell or editor in that folder does not have the mark.

use std::{io, path::Path, time::Instant};

use rustix::process::Signal;

use crate::processes::{self, KILL_WINDOW, Process};

/// Ends every process of a job that works in a folder or below it. The answer is how many there were.
/// An error if one did not end.
pub fn end(folder: &Path) -> io::Result<usize> {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let end = Instant::now() + KILL_WINDOW;
    let mut ended = std::collections::BTreeSet::new();
    loop {
        let found = find(&folder)?;
        if found.is_empty() {
            return Ok(ended.len());
        }
        if Instant::now() > end {
            let pids: Vec<i32> = found.iter().map(|it| it.pid).collect();
            return Err(io::Error::other(format!(
                "processes {pids:?} of an earlier run do not end"
            )));
        }
        // All are stopped before the first is killed, so that none can start another meanwhile.
        for signal in [Signal::STOP, Signal::KILL] {
            for it in &found {
                it.send(signal);
            }
        }
        ended.extend(found.iter().map(Process::identity));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// The processes of jobs in a folder.
#[cfg(target_os = "linux")]
fn find(folder: &Path) -> io::Result<Vec<Process>> {
    let all = processes::all()?;
    let own = ancestors(&all);
    let is_stray = |it: &&Process| {
        !it.is_zombie && !own.contains(&it.pid) && is_marked(it.pid) && is_in(it.pid, folder)
    };
    Ok(all.iter().filter(is_stray).copied().collect())
}

#[cfg(not(target_os = "linux"))]
fn find(_folder: &Path) -> io::Result<Vec<Process>> {
    Ok(Vec::new())
}

/// This process and those that it comes from: a coordinator may itself be part of a job.
#[cfg(target_os = "linux")]
fn ancestors(all: &[Process]) -> Vec<i32> {
    let mut found = vec![rustix::process::getpid().as_raw_nonzero().get()];
    while let Some(parent) = found
        .last()
        .and_then(|last| all.iter().find(|it| it.pid == *last))
        .map(|it| it.parent)
        .filter(|it| !found.contains(it))
    {
        found.push(parent);
    }
    found
}

/// Whether a process can never gain rights.
#[cfg(target_os = "linux")]
fn is_marked(pid: i32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    status.lines().any(|it| it.strip_prefix("NoNewPrivs:").is_some_and(|it| it.trim() == "1"))
}

/// Whether a process works in a folder, or was started with a temporary folder there. What may not be
/// looked at is another person's.
#[cfg(target_os = "linux")]
fn is_in(pid: i32, folder: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt as _;

    let link = std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_default();
    // A folder that was removed is shown with a remark behind its name.
    if link.starts_with(folder) {
        return true;
    }
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let values = environment.split(|it| *it == 0).filter_map(|it| it.strip_prefix(b"TMPDIR="));
    values.map(|it| Path::new(std::ffi::OsStr::from_bytes(it))).any(|it| it.starts_with(folder))
}
