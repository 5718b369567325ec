//! What tests and benchmarks need, and what is not shipped: folders to work in and processes to
//! end.

pub mod changes;
pub mod coordinator;
pub mod eval;
pub mod http;
pub mod learn;
pub mod receiver;
pub mod stage;
pub mod story;
pub mod telegram;

use std::{
    ffi::OsStr,
    process::{Child, Command},
};

use camino::{Utf8Path, Utf8PathBuf};
use provost_vault::Layout;

/// A temporary folder with a home in it; gone when it is dropped.
#[derive(Debug)]
pub struct Place {
    folder: tempfile::TempDir,
}

/// A child process that does not outlive the test that started it.
#[derive(Debug)]
pub struct Ended(pub Child);

impl Place {
    #[expect(clippy::expect_used, reason = "a test without a folder cannot go on")]
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    #[expect(clippy::expect_used, reason = "the tests run under a UTF-8 path")]
    pub fn path(&self) -> &Utf8Path {
        self.folder.path().try_into().expect("a UTF-8 path")
    }

    pub fn home(&self) -> Utf8PathBuf {
        self.path().join(".provost")
    }

    pub fn layout(&self) -> Layout {
        layout(&self.home())
    }
}

impl Default for Place {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The layout that tests and their workers agree on.
pub fn layout(home: &Utf8Path) -> Layout {
    Layout::new(home, None, &home.join("state"))
}

/// Starts a program the plain way: tests look at processes from outside.
#[expect(clippy::disallowed_methods, reason = "a test stands outside of what exec supervises")]
pub fn command(program: impl AsRef<OsStr>) -> Command {
    Command::new(program)
}

/// How often a test kills what it started: 10 times for each change, and as often as
/// `cargo xtask crash` says in a long run.
#[expect(clippy::disallowed_methods, reason = "a test is configured by its environment")]
pub fn kills() -> u32 {
    std::env::var("PROVOST_TEST_KILLS").ok().and_then(|it| it.parse().ok()).unwrap_or(10)
}
