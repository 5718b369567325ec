//! What a job may touch: where it may write, what it may not even read, whether it has a network.
//!
//! Files are held by Landlock, which checks each access by its path as the kernel resolves it, so
//! that neither a symbolic link nor `/proc/self/root` leads out. Permissions, times and owners, which
//! Landlock does not know, are held by mounts that are read-only. The network is a namespace of its
//! own with nothing but a loopback in it; where that cannot be had, Landlock at least refuses TCP.
//! What would outlive a job without being a file is its own or refused: shared memory, semaphores,
//! queues, keys. What cannot be enforced is said in the [`SandboxReport`] as a [`Gap`], never passed
//! over.
//!
//! Known limits, of every kernel so far: a hard link that someone outside made earlier is a second
//! name of the same file (a job cannot make one); a bind mount is a second path. In a folder on the
//! way to a hidden path, entries that are made later cannot be read, and the folder itself cannot be
//! listed. The person's other processes can be seen in `/proc`, and their priority, processors and
//! limits be changed where the person could change them.

#[cfg(target_os = "linux")]
mod calls;
mod credentials;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod namespaces;
#[cfg(target_os = "linux")]
mod network;
#[cfg(target_os = "linux")]
mod powers;
mod report;

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

pub use credentials::{Credentials, credentials, environments};
use report::Own;
pub use report::{FileCover, Gap, NetworkCover, SandboxReport};
use serde::{Deserialize, Serialize};

use crate::{
    Guardian, Job, Limits, Streams,
    error::{BadJob, ExecError, JobPart, StartAction},
    job::validate_path,
};

/// The limits of one job.
///
/// Besides `writable`, a job can write to the usual devices (`/dev/null`, `zero`, `full`,
/// `random`, `urandom`, `tty`, `ptmx`, `pts`) and to its own output. No other device can be opened,
/// not even for reading: a disk holds what is hidden, and a keyboard what is typed. `/dev/shm` and
/// `/tmp` are shared between all programs of the person and are not writable unless they are
/// listed, so `TMPDIR` belongs into a writable folder. A job of root keeps only those of root's
/// powers that do not lead around all this.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sandbox {
    /// Folders with everything in them. They must exist, and no part of their paths may be a
    /// symbolic link: who can place one could otherwise choose what becomes writable. They may lie
    /// inside a hidden path.
    pub writable: Vec<PathBuf>,
    /// What can be neither read nor listed nor written.
    pub hidden: Vec<PathBuf>,
    pub network: Network,
    /// Whether the job may run when the rules on files cannot be enforced.
    pub files: Requirement,
    /// How much of the machine it may take.
    pub limits: Limits,
}

/// Whether a job has a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    On,
    Off(Requirement),
}

/// What happens when the kernel cannot enforce a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Requirement {
    /// The job is not started.
    Must,
    /// The job runs, and the report says what was not enforced.
    Accept,
}

/// A sandbox of which everything is done that one process can do for another.
#[derive(Debug)]
pub(crate) struct Prepared {
    sandbox: Sandbox,
    network: NetworkCover,
    own: Own,
}

/// Tries out what this kernel can enforce, by running a program in a sandbox.
pub fn probe(guardian: &Guardian) -> Result<SandboxReport, ExecError> {
    let sandbox = Sandbox {
        writable: Vec::new(),
        hidden: Vec::new(),
        network: Network::Off(Requirement::Accept),
        files: Requirement::Accept,
        limits: Limits::default(),
    };
    let mut job = Job::new(["true"], Path::new("/"), Duration::from_secs(10));
    job.sandbox = Some(sandbox);
    let streams = Streams::nowhere()?;
    let outcome = job.start(guardian, streams, &|_| Ok(()))?.wait(&|bytes| bytes.into())?;
    outcome.sandbox.ok_or_else(|| ExecError::NotStarted {
        action: StartAction::ProbeSandbox,
        cause: format!("{:?}", outcome.ended),
    })
}

impl Sandbox {
    pub(crate) fn validate(&self) -> Result<(), BadJob> {
        for path in &self.writable {
            validate_path(JobPart::Writable, path)?;
        }
        for hidden in &self.hidden {
            validate_path(JobPart::Hidden, hidden)?;
            if let Some(writable) = self.writable.iter().find(|it| hidden.starts_with(it)) {
                return Err(BadJob::HiddenInWritable {
                    hidden: hidden.clone(),
                    writable: writable.clone(),
                });
            }
        }
        Ok(())
    }
}

/// Does what must be done by a process with one thread: entering namespaces.
pub(crate) fn prepare(sandbox: &Sandbox) -> io::Result<Prepared> {
    let mut sandbox = sandbox.clone();
    for hidden in &mut sandbox.hidden {
        *hidden = resolve(hidden)?;
        if let Some(writable) = sandbox.writable.iter().find(|it| hidden.starts_with(it)) {
            return Err(io::Error::other(format!(
                "`{}` is hidden but lies inside the writable `{}`",
                hidden.display(),
                writable.display()
            )));
        }
    }
    #[cfg(target_os = "linux")]
    let (network, own) = separate(&sandbox)?;
    #[cfg(not(target_os = "linux"))]
    let (network, own) = match sandbox.network {
        Network::On => (NetworkCover::NotAsked, Own::default()),
        Network::Off(_) => (NetworkCover::None, Own::default()),
    };
    Ok(Prepared { sandbox, network, own })
}

/// Gives the job what it can have for itself.
#[cfg(target_os = "linux")]
fn separate(sandbox: &Sandbox) -> io::Result<(NetworkCover, Own)> {
    use rustix::thread::UnshareFlags;

    let wanted = UnshareFlags::NEWIPC | UnshareFlags::NEWNS;
    let (entered, network) = match sandbox.network {
        Network::On => (namespaces::enter(wanted), NetworkCover::NotAsked),
        Network::Off(_) => {
            let entered = namespaces::enter(wanted | UnshareFlags::NEWNET);
            (entered, network::cover(entered.contains(UnshareFlags::NEWNET)))
        }
    };
    let has_mounts = entered.contains(UnshareFlags::NEWNS);
    let own = Own {
        mounts: has_mounts && mounts::seal(&sandbox.writable)?,
        memory: entered.contains(UnshareFlags::NEWIPC),
        keys: false,
    };
    Ok((network, own))
}

/// Puts the calling thread, and everything it starts, into the sandbox. Also returns those gaps
/// with which the job may not run.
pub(crate) fn enter(prepared: Prepared) -> io::Result<(SandboxReport, Vec<Gap>)> {
    let Prepared { sandbox, network, own } = prepared;
    #[cfg(target_os = "linux")]
    let (abi, own) = {
        powers::give_up()?;
        (files::restrict(&sandbox, network)?, refuse_calls(own))
    };
    #[cfg(not(target_os = "linux"))]
    let abi = 0;
    let report = SandboxReport::new(abi, network, own);
    let unmet = report.unmet(&sandbox);
    Ok((report, unmet))
}

/// Refuses what would outlive the job and could not be made its own.
#[cfg(target_os = "linux")]
fn refuse_calls(own: Own) -> Own {
    let refused = if own.memory { calls::Refused::Keys } else { calls::Refused::KeysAndMemory };
    let is_refused = calls::refuse(refused).is_ok();
    Own { memory: own.memory || is_refused, keys: is_refused, ..own }
}

/// The real path of `path`, as far as it exists.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    match path.canonicalize() {
        Ok(real) => Ok(real),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            match (path.parent(), path.file_name()) {
                (Some(parent), Some(name)) => Ok(resolve(parent)?.join(name)),
                _ => Err(error),
            }
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(writable: &str, hidden: &str, is_allowed: bool) {
        let sandbox = Sandbox {
            writable: vec![writable.into()],
            hidden: vec![hidden.into()],
            network: Network::On,
            files: Requirement::Must,
            limits: Limits::default(),
        };
        assert_eq!(sandbox.validate().is_ok(), is_allowed, "{writable} {hidden}");
    }

    #[test]
    fn what_is_writable_cannot_be_hidden() {
        check("/w", "/h", true);
        check("/h/exchange", "/h", true);
        check("/h", "/h", false);
        check("/h", "/h/inner", false);
        check("/h", "/hidden", true);
        check("w", "/h", false);
        check("/w", "h", false);
    }
}
