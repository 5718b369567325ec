//! What the coordinator and the guardian say to each other.
//!
//! One JSON document each, behind its length in four bytes. The coordinator sends one [`Plan`];
//! whatever it sends afterwards means "cancel", and the end of its stream means that it is gone.
//! The guardian sends one report when the program runs or cannot run, and one when nothing is left.

use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
    path::PathBuf,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    error::StartAction,
    job::Input,
    outcome::Ended,
    sandbox::{Gap, Sandbox, SandboxReport},
};

/// The byte that cancels a job.
pub(crate) const CANCEL: &[u8] = b"c";

/// A document longer than this is not ours. Arguments and environment together are far smaller.
const MAX_LEN: usize = 16 << 20;

/// What the guardian is to run.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {
    pub(crate) argv: Vec<String>,
    pub(crate) cwd: PathBuf,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) deadline_ms: u64,
    pub(crate) grace_ms: u64,
    pub(crate) output_cap: u64,
    pub(crate) input: Input,
    pub(crate) sandbox: Option<Sandbox>,
}

/// What the guardian says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "report", deny_unknown_fields)]
pub(crate) enum Report {
    /// The program runs.
    Started { pid: i32, sandbox: Option<SandboxReport> },
    /// The program cannot be run: nothing was started.
    NotRun { rc: i32, reason: String },
    /// The kernel cannot enforce what the job must have: nothing was started.
    Unenforceable { gaps: Vec<Gap> },
    /// The guardian could not do its own part: nothing was started.
    Failed { action: StartAction, cause: String },
    /// Nothing of the job is left.
    Finished {
        rc: i32,
        ended: Ended,
        leftovers_ended: u32,
        unkillable: Vec<i32>,
        stdout_dropped: u64,
        stderr_dropped: u64,
        wall_us: u64,
    },
}

/// A message of this size fits into a socket that is not read yet.
pub(crate) const ALWAYS_FITS: usize = 32 << 10;

/// One document as it is sent.
pub(crate) fn frame(document: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, document)?;
    let len = bytes.len() - 4;
    if len > MAX_LEN {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    let prefix = u32::try_from(len).map_err(io::Error::other)?.to_be_bytes();
    bytes.splice(..4, prefix);
    Ok(bytes)
}

/// Sends one document with a single system call, as long as the socket has room.
pub(crate) fn send(mut to: impl Write, document: &impl Serialize) -> io::Result<()> {
    to.write_all(&frame(document)?)
}

/// Reads one document.
pub(crate) fn receive<T: DeserializeOwned>(mut from: impl Read) -> io::Result<T> {
    let mut prefix = [0; 4];
    from.read_exact(&mut prefix)?;
    let len = usize::try_from(u32::from_be_bytes(prefix)).map_err(io::Error::other)?;
    if len > MAX_LEN {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    let mut bytes = vec![0; len];
    from.read_exact(&mut bytes)?;
    Ok(serde_json::from_slice(&bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_arrives_as_it_was_sent() {
        let mut bytes = frame(&Report::NotRun { rc: 127, reason: "没有".to_owned() }).unwrap();
        bytes.extend(frame(&Report::Started { pid: 7, sandbox: None }).unwrap());
        let mut rest = bytes.as_slice();
        assert!(
            matches!(receive(&mut rest), Ok(Report::NotRun { rc: 127, reason }) if reason == "没有")
        );
        assert!(matches!(receive(&mut rest), Ok(Report::Started { pid: 7, sandbox: None })));
        assert!(rest.is_empty());
    }

    #[test]
    fn a_length_that_cannot_be_true_is_refused_before_it_is_believed() {
        let error = receive::<Report>([0xff_u8; 8].as_slice()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}
