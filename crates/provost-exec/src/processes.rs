//! The processes of this machine as `/proc` shows them, and how to signal exactly one of them.

use std::{
    io,
    time::{Duration, Instant},
};

use rustix::process::Signal;

use crate::limits::Usage;

/// One process, as it was when `/proc` was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    /// Clock ticks since boot. Together with the id it names a process for ever: ids come back.
    started: u64,
    pub(crate) parent: i32,
    session: i32,
    pub(crate) is_zombie: bool,
}

/// How long processes may take to disappear after KILL. Only the kernel can hold one longer.
pub(crate) const KILL_WINDOW: Duration = Duration::from_secs(10);

/// All descendants of the process `root`, without itself.
pub(crate) fn descendants(root: i32) -> io::Result<Vec<Process>> {
    let all = all()?;
    let mut found: Vec<Process> = Vec::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        let children = all.iter().filter(|it| it.parent == parent && it.pid != root);
        for child in children {
            found.push(*child);
            parents.push(child.pid);
        }
    }
    Ok(found)
}

/// What these processes take together. What they share is counted once, as far as that can be known
/// cheaply; where the sum is above `most`, it is counted exactly, page by page.
#[cfg(target_os = "linux")]
pub(crate) fn usage(of: &[Process], most: Option<u64>) -> Usage {
    let living = || of.iter().filter(|it| !it.is_zombie);
    let processes = u32::try_from(living().count()).unwrap_or(u32::MAX);
    let Some(most) = most else { return Usage { processes, memory: 0 } };
    let (mut own, mut shared) = (0_u64, 0_u64);
    for it in living().map(|it| Resident::read(it.pid)) {
        own = own.saturating_add(it.own);
        shared = shared.max(it.shared);
    }
    let memory = own.saturating_add(shared);
    // Pages that were shared by a fork and not written since are in every one of them.
    let memory = if memory > most { living().map(|it| share(it.pid)).sum() } else { memory };
    Usage { processes, memory }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn usage(_of: &[Process], _most: Option<u64>) -> Usage {
    Usage::default()
}

/// What a process has in memory, in bytes.
#[cfg(target_os = "linux")]
struct Resident {
    own: u64,
    /// What belongs to files, and to memory that is shared on purpose.
    shared: u64,
}

#[cfg(target_os = "linux")]
impl Resident {
    /// A process that is gone has nothing.
    fn read(pid: i32) -> Self {
        let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let of = |key: &str| kilobytes(&text, key).saturating_mul(1024);
        Self { own: of("RssAnon:"), shared: of("RssFile:").saturating_add(of("RssShmem:")) }
    }
}

/// A number of kilobytes behind a key.
#[cfg(target_os = "linux")]
fn kilobytes(text: &str, key: &str) -> u64 {
    let line = text.lines().find_map(|it| it.strip_prefix(key));
    line.and_then(|it| it.split_ascii_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// The share of a process in the memory of the machine, in bytes: what several have is divided.
#[cfg(target_os = "linux")]
fn share(pid: i32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    kilobytes(&text, "Pss:").saturating_mul(1024)
}

/// Kills every process of the session that `leader` leads, except the leader.
///
/// This is for a coordinator that has lost its guardian: the guardian's descendants have no
/// parent that we know any more, but those that never left its session are still found.
pub(crate) fn end_session(leader: u32) {
    let Ok(leader) = i32::try_from(leader) else { return };
    let end = Instant::now() + KILL_WINDOW;
    while Instant::now() < end {
        let Ok(all) = all() else { return };
        let members: Vec<Process> = all
            .into_iter()
            .filter(|it| it.session == leader && it.pid != leader && !it.is_zombie)
            .collect();
        if members.is_empty() {
            return;
        }
        // All are stopped before the first is killed, so that none can start another meanwhile.
        for member in &members {
            member.send(Signal::STOP);
        }
        for member in &members {
            member.send(Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

impl Process {
    /// What names this process and no other, ever.
    pub(crate) fn identity(&self) -> (i32, u64) {
        (self.pid, self.started)
    }

    /// Sends a signal to this process and to no other that may have got its id since.
    #[cfg(target_os = "linux")]
    pub(crate) fn send(&self, signal: Signal) {
        use rustix::process::{Pid, PidfdFlags, pidfd_open, pidfd_send_signal};

        let Some(pid) = Pid::from_raw(self.pid) else { return };
        let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { return };
        // The handle holds whichever process has the id now; it is ours if it started when ours
        // did. A process that is gone needs no signal.
        if read(self.pid).is_some_and(|now| now.started == self.started) {
            let _ = pidfd_send_signal(handle, signal);
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn send(&self, signal: Signal) {
        if let Some(pid) = rustix::process::Pid::from_raw(self.pid) {
            let _ = rustix::process::kill_process(pid, signal);
        }
    }

    /// Reads the line of `/proc/<pid>/stat`. The second field is the program's name in brackets
    /// and may hold anything, brackets included; the rest is numbers.
    fn parse(pid: i32, stat: &[u8]) -> Option<Self> {
        let name_end = stat.iter().rposition(|&byte| byte == b')')?;
        let rest = std::str::from_utf8(stat.get(name_end + 1..)?).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let session = fields.nth(1)?.parse().ok()?;
        let started = fields.nth(15)?.parse().ok()?;
        Some(Self { pid, started, parent, session, is_zombie: matches!(state, "Z" | "X") })
    }
}

#[cfg(target_os = "linux")]
pub(crate) fn all() -> io::Result<Vec<Process>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name();
        // A process that ends while we look is not an error.
        found.extend(name.to_str().and_then(|it| it.parse().ok()).and_then(read));
    }
    Ok(found)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn all() -> io::Result<Vec<Process>> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

#[cfg(target_os = "linux")]
fn read(pid: i32) -> Option<Process> {
    Process::parse(pid, &std::fs::read(format!("/proc/{pid}/stat")).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_forge_the_numbers_after_it() {
        let line = b"42 (a) S 1 1 1) R 7 8 9 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 12345 0 0";
        let expected = Process { pid: 42, started: 12345, parent: 7, session: 9, is_zombie: false };
        assert_eq!(Process::parse(42, line), Some(expected));
        assert_eq!(Process::parse(42, b"42 (\xff\xfe) Z 7"), None);
        assert_eq!(Process::parse(42, b""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_is_a_descendant_of_its_parent() {
        let me = i32::try_from(std::process::id()).unwrap();
        let parent = read(me).unwrap().parent;
        assert!(descendants(parent).unwrap().iter().any(|it| it.pid == me));
        assert!(descendants(me).unwrap().iter().all(|it| it.pid != me));
    }
}
