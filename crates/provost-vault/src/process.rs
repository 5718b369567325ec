//! Who a process is, so that a number that was reused is not mistaken for its former owner.

use serde::{Deserialize, Serialize};

/// What identifies a running process across reboots, hosts and reused numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessIdentity {
    pub pid: u32,
    /// When it started, in clock ticks since the machine did; none where that cannot be known.
    pub started: Option<u64>,
    /// Which boot of the machine it belongs to; none where that cannot be known.
    pub boot: Option<String>,
    pub host: String,
}

impl ProcessIdentity {
    /// The process that asks.
    pub fn current() -> Self {
        let pid = std::process::id();
        Self { pid, started: start_of(pid), boot: boot_id(), host: host_name() }
    }

    /// Whether this process still runs, as far as this host can know.
    ///
    /// A process of another host counts as running: only its silence can tell.
    pub fn is_running(&self) -> bool {
        if self.host != host_name() {
            return true;
        }
        if self.boot.is_some() && self.boot != boot_id() {
            return false;
        }
        is_alive(self.pid) && (self.started.is_none() || self.started == start_of(self.pid))
    }
}

/// Whether a process with this number exists; one of another user does.
#[cfg(unix)]
pub(crate) fn is_alive(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else {
        return false;
    };
    // A process of another user exists too: only "no such process" says that it does not.
    rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH)
}

/// Whether a process with this number exists. Without a way to ask, it does: fail closed.
#[cfg(not(unix))]
pub(crate) fn is_alive(_pid: u32) -> bool {
    true
}

#[cfg(target_os = "linux")]
fn start_of(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program stands in parentheses and may contain any character.
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
fn start_of(_pid: u32) -> Option<u64> {
    None
}

#[cfg(target_os = "linux")]
fn boot_id() -> Option<String> {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(text.trim().to_owned())
}

#[cfg(not(target_os = "linux"))]
fn boot_id() -> Option<String> {
    None
}

#[cfg(unix)]
fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn host_name() -> String {
    #[expect(clippy::disallowed_methods, reason = "the host's name is nowhere else in std")]
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_knows_itself_and_no_impostor() {
        let me = ProcessIdentity::current();
        assert!(me.is_running());
        assert_eq!(me, ProcessIdentity::current());

        let before_the_boot = ProcessIdentity { boot: Some("another".to_owned()), ..me.clone() };
        assert!(!before_the_boot.is_running());
        let reused = ProcessIdentity { started: me.started.map(|it| it + 1), ..me.clone() };
        assert!(!reused.is_running());
        let nobody = ProcessIdentity { pid: 0, ..me.clone() };
        assert!(!nobody.is_running());
        let elsewhere = ProcessIdentity { host: "elsewhere".to_owned(), pid: 1, ..me };
        assert!(elsewhere.is_running());
    }
}
