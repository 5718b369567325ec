//! The folder in which a program finds its request and leaves its reply.
//!
//! It is private to one call. The caller makes it and puts files into it; a program in a sandbox
//! may write there and in its work tree, and nowhere else.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, Mode, OFlags},
    io::Errno,
};

use crate::{
    error::{AdapterError, ExchangeAction},
    reply::ReplyProblem,
    request::Request,
};

/// A private folder for one call.
///
/// It is held open, so that a program which puts another folder in its place changes nothing.
#[derive(Debug)]
pub struct Exchange {
    path: PathBuf,
    handle: OwnedFd,
}

/// A file that must lie in the exchange folder before the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExchangeFile {
    /// One path component.
    pub name: &'static str,
    pub bytes: Vec<u8>,
}

impl Exchange {
    /// The request, as JSON. The caller writes it.
    pub const REQUEST: &'static str = "request.json";
    /// The reply, as JSON. The program writes it.
    pub const REPLY: &'static str = "reply.json";
    /// The prompt as plain text, for programs that read one.
    pub const PROMPT: &'static str = "prompt.txt";
    /// The answer as plain text, of programs that do not know the protocol.
    pub const ANSWER: &'static str = "answer.txt";

    /// What a coder claims to have done, as JSON. The program writes it where a task has a plan.
    pub const CLAIM: &'static str = "claim.json";

    /// Opens a folder that the caller has made. Its path is absolute.
    pub fn open(path: &Path) -> Result<Self, AdapterError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = rustix::fs::open(path, flags, Mode::empty())
            .map_err(|error| AdapterError::exchange(ExchangeAction::Open, path, error.into()))?;
        Ok(Self { path: path.to_owned(), handle })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of one of its files.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Refuses a folder in which an answer lies already: its author would be unknown.
    pub(crate) fn refuse_answered(&self) -> Result<(), AdapterError> {
        for name in [Self::REPLY, Self::ANSWER] {
            match rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => {}
                Ok(_) => return Err(AdapterError::Answered { path: self.file(name) }),
                Err(error) => {
                    let error = io::Error::from(error);
                    return Err(AdapterError::exchange(ExchangeAction::Read, &self.path, error));
                }
            }
        }
        Ok(())
    }

    /// Reads what a coder claims; none if it claims nothing.
    pub fn claim(&self) -> Result<Option<Vec<u8>>, ReplyProblem> {
        match self.read(Self::CLAIM) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(ReplyProblem::Absent) => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    /// Reads what a program left under this name.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>, ReplyProblem> {
        crate::reply::read_file(&self.handle, name)
    }
}

impl AsFd for Exchange {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

impl ExchangeFile {
    /// The request as the file that the program reads.
    pub(crate) fn request(request: &Request) -> Self {
        // Plain texts and numbers always have a JSON form.
        let mut bytes = serde_json::to_vec_pretty(request).unwrap_or_default();
        bytes.push(b'\n');
        Self { name: Exchange::REQUEST, bytes }
    }
}

/// A path as text. One that is not UTF-8 becomes another, which the program will not find: the
/// job's own rules refuse such paths before.
pub(crate) fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
