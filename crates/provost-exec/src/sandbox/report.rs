//! What a sandbox enforced and what it did not, as data.

use provost_kernel::Message;
use serde::{Deserialize, Serialize};

use super::{Network, Requirement, Sandbox};

/// What the kernel enforced for one job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SandboxReport {
    /// The version of Landlock in use; 0 when the kernel has none.
    pub landlock_abi: u8,
    pub files: FileCover,
    pub network: NetworkCover,
    /// Whether the job can signal only its own processes.
    pub signals_scoped: bool,
    /// What was not enforced, gravest first.
    pub gaps: Vec<Gap>,
}

/// How far the rules on files hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileCover {
    /// No content outside the writable folders can be changed, nothing hidden can be read.
    Full,
    /// As `Full`, except that files can be emptied.
    Partial,
    None,
}

/// How far the job is cut off from the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkCover {
    NotAsked,
    /// The job has a network of its own, in which there is only a loopback that works.
    Namespace,
    /// As `Namespace`, but the loopback could not be switched on.
    NamespaceWithoutLoopback,
    /// TCP is refused; other protocols are not.
    Tcp,
    None,
}

/// What a job cannot leave behind for the next one, or do to what is not its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Own {
    /// All mounts are read-only, except for the writable folders.
    pub(super) mounts: bool,
    /// Shared memory, semaphores and queues end with the job, or are refused.
    pub(super) memory: bool,
    /// Keys are refused.
    pub(super) keys: bool,
}

/// Something that is not enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Message)]
#[serde(rename_all = "snake_case")]
#[message(code = "sandbox.gap")]
pub enum Gap {
    #[message(
        en = "files: this kernel has no Landlock, so a job can read and write whatever you can",
        zh = "文件：此内核没有 Landlock，作业可读写你能读写的一切"
    )]
    Files,
    #[message(en = "files outside can be emptied", zh = "外部文件可被清空")]
    Truncation,
    #[message(en = "the network stays reachable", zh = "网络仍可访问")]
    Network,
    #[message(
        en = "only TCP is refused, other protocols are not",
        zh = "仅禁止 TCP，其他协议不受限"
    )]
    NetworkBeyondTcp,
    #[message(en = "other processes of yours can be signalled", zh = "可向你的其他进程发送信号")]
    Signals,
    #[message(
        en = "abstract Unix sockets of other programs can be reached",
        zh = "可连接其他程序的抽象 Unix 套接字"
    )]
    AbstractSockets,
    #[message(
        en = "Unix sockets of other programs can be reached through their paths",
        zh = "可通过路径连接其他程序的 Unix 套接字"
    )]
    UnixSockets,
    #[message(en = "devices can be sent control commands", zh = "可向设备发送控制命令")]
    DeviceControl,
    #[message(
        en = "shared memory, semaphores and queues outlive a job",
        zh = "共享内存、信号量与消息队列在作业结束后仍然存在"
    )]
    SharedMemory,
    #[message(
        en = "keys in the keyrings of the kernel outlive a job",
        zh = "内核密钥环中的密钥在作业结束后仍然存在"
    )]
    Keys,
    #[message(
        en = "permissions, times and owners of your files can be changed",
        zh = "可更改你的文件的权限、时间与属主"
    )]
    Metadata,
}

impl SandboxReport {
    /// Derives the report from the version of Landlock that was in force.
    pub(super) fn new(landlock_abi: u8, network: NetworkCover, own: Own) -> Self {
        let has_own_network =
            matches!(network, NetworkCover::Namespace | NetworkCover::NamespaceWithoutLoopback);
        let gaps = [
            (Gap::Files, landlock_abi < 1),
            (Gap::Truncation, landlock_abi < 3),
            (Gap::Network, network == NetworkCover::None),
            (Gap::NetworkBeyondTcp, network == NetworkCover::Tcp),
            (Gap::Signals, landlock_abi < 6),
            (Gap::AbstractSockets, landlock_abi < 6 && !has_own_network),
            (Gap::UnixSockets, landlock_abi < 9),
            (Gap::DeviceControl, landlock_abi < 5),
            (Gap::SharedMemory, !own.memory),
            (Gap::Keys, !own.keys),
            (Gap::Metadata, !own.mounts),
        ];
        Self {
            landlock_abi,
            files: match landlock_abi {
                0 => FileCover::None,
                1 | 2 => FileCover::Partial,
                3.. => FileCover::Full,
            },
            network,
            signals_scoped: landlock_abi >= 6,
            gaps: gaps.into_iter().filter_map(|(gap, is_open)| is_open.then_some(gap)).collect(),
        }
    }

    /// The gaps with which a job that asked for this sandbox may not run.
    pub(super) fn unmet(&self, sandbox: &Sandbox) -> Vec<Gap> {
        let is_unmet = |gap: &Gap| match gap {
            Gap::Files | Gap::Truncation => sandbox.files == Requirement::Must,
            Gap::Network | Gap::NetworkBeyondTcp => {
                sandbox.network == Network::Off(Requirement::Must)
            }
            Gap::Signals
            | Gap::AbstractSockets
            | Gap::UnixSockets
            | Gap::DeviceControl
            | Gap::SharedMemory
            | Gap::Keys
            | Gap::Metadata => false,
        };
        self.gaps.iter().copied().filter(is_unmet).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SANDBOX: Sandbox = Sandbox {
        writable: Vec::new(),
        hidden: Vec::new(),
        network: Network::Off(Requirement::Must),
        files: Requirement::Must,
        limits: crate::Limits { memory: None, processes: None },
    };

    const OWN: Own = Own { mounts: true, memory: true, keys: true };

    #[track_caller]
    fn check(abi: u8, network: NetworkCover, unmet: &[Gap]) {
        let report = SandboxReport::new(abi, network, OWN);
        assert_eq!(report.unmet(&SANDBOX), unmet, "{abi} {network:?}");
    }

    #[test]
    fn what_must_be_enforced_and_is_not_is_unmet() {
        check(7, NetworkCover::Namespace, &[]);
        check(3, NetworkCover::NamespaceWithoutLoopback, &[]);
        check(2, NetworkCover::Namespace, &[Gap::Truncation]);
        check(0, NetworkCover::Namespace, &[Gap::Files, Gap::Truncation]);
        check(4, NetworkCover::Tcp, &[Gap::NetworkBeyondTcp]);
        check(3, NetworkCover::None, &[Gap::Network]);
    }

    #[test]
    fn what_is_accepted_is_reported_all_the_same() {
        let lenient = Sandbox {
            network: Network::Off(Requirement::Accept),
            files: Requirement::Accept,
            ..SANDBOX
        };
        let report = SandboxReport::new(0, NetworkCover::None, Own::default());
        assert_eq!(report.unmet(&lenient), []);
        assert_eq!(report.files, FileCover::None);
        assert!(report.gaps.starts_with(&[Gap::Files, Gap::Truncation, Gap::Network]));
        assert!(report.gaps.ends_with(&[Gap::SharedMemory, Gap::Keys, Gap::Metadata]));
        assert!(report.gaps.is_sorted());
        assert_eq!(SandboxReport::new(9, NetworkCover::Namespace, OWN).gaps, []);
    }
}
