//! How much of the machine a job may take: memory and processes, of all its processes together.
//!
//! The guardian looks at them while it watches. Address space is unlimited, because programs such as
//! Node and Go reserve far more than they use.

use provost_kernel::Message;
use serde::{Deserialize, Serialize};

/// What a job may take at most; without a value it is unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// In bytes, what is shared between its processes counted once.
    pub memory: Option<u64>,
    pub processes: Option<u32>,
}

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Message)]
#[serde(rename_all = "snake_case", tag = "limit", deny_unknown_fields)]
#[message(code = "exec.limit")]
pub enum ReachedLimit {
    #[message(
        en = "it used {used_mb} MB of memory, and may use {most_mb} MB (`sandbox.memory_mb`)",
        zh = "它使用了 {used_mb} MB 内存，上限为 {most_mb} MB（`sandbox.memory_mb`）"
    )]
    Memory { used_mb: u64, most_mb: u64 },
    #[message(
        en = "it had {found} processes, and may have {most} (`sandbox.processes`)",
        zh = "它有 {found} 个进程，上限为 {most} 个（`sandbox.processes`）"
    )]
    Processes { found: u32, most: u32 },
}

/// What the processes of a job take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) processes: u32,
    /// In bytes.
    pub(crate) memory: u64,
}

const MB: u64 = 1 << 20;

impl Limits {
    /// Processes enough for any build or test run; far fewer than a system has.
    pub const PROCESSES: u32 = 4096;

    /// What is left to the rest of the system, of a hundred parts of its memory.
    const LEFT: u64 = 15;

    /// The limits for a machine with this much memory: most of it.
    pub fn of_memory(total: u64) -> Self {
        let memory = (total > 0).then(|| total / 100 * (100 - Self::LEFT));
        Self { memory, processes: Some(Self::PROCESSES) }
    }

    /// Those for this machine.
    #[cfg(target_os = "linux")]
    pub fn of_machine() -> Self {
        let info = rustix::system::sysinfo();
        #[expect(clippy::useless_conversion, reason = "the type depends on the platform")]
        let total = u64::from(info.totalram).saturating_mul(u64::from(info.mem_unit));
        Self::of_memory(total)
    }

    #[cfg(not(target_os = "linux"))]
    pub fn of_machine() -> Self {
        Self::of_memory(0)
    }

    pub(crate) fn is_none(self) -> bool {
        self.memory.is_none() && self.processes.is_none()
    }

    /// The limit that is exceeded, if one is.
    pub(crate) fn reached(self, usage: Usage) -> Option<ReachedLimit> {
        if let Some(most) = self.processes.filter(|it| usage.processes > *it) {
            return Some(ReachedLimit::Processes { found: usage.processes, most });
        }
        let most = self.memory.filter(|it| usage.memory > *it)?;
        Some(ReachedLimit::Memory { used_mb: usage.memory.div_ceil(MB), most_mb: most / MB })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(processes: u32, memory: u64, expected: Option<ReachedLimit>) {
        let limits = Limits { memory: Some(100 * MB), processes: Some(10) };
        assert_eq!(limits.reached(Usage { processes, memory }), expected);
    }

    #[test]
    fn a_limit_is_reached_when_it_is_exceeded() {
        check(10, 100 * MB, None);
        check(11, 0, Some(ReachedLimit::Processes { found: 11, most: 10 }));
        check(1, 100 * MB + 1, Some(ReachedLimit::Memory { used_mb: 101, most_mb: 100 }));
        let none = Limits::default();
        assert_eq!(none.reached(Usage { processes: u32::MAX, memory: u64::MAX }), None);
    }

    #[test]
    fn a_machine_keeps_a_part_of_its_memory() {
        let limits = Limits::of_memory(16 << 30);
        assert_eq!(limits.memory, Some((16 << 30) / 100 * 85));
        assert_eq!(Limits::of_memory(0).memory, None);
    }
}
