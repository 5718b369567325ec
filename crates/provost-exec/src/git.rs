//! Git, driven through its command line, on trees that an agent has had in its hands.
//!
//! An agent can put commands into a repository: hooks, filters, a file-system monitor, textconv,
//! aliases, an included file. So its own `.git` is never the repository of a command. Beside each
//! tree there is a private repository that the agent cannot write to; commands run in that one,
//! with the agent's folder as their work tree and no configuration but ours. What is needed
//! from the agent's `.git` (a commit id, an index, objects) is read as data and checked as data.

pub mod changes;
pub mod clone;
pub mod compose;
pub mod disk;
mod error;
mod folder;
pub mod head;
pub mod history;
mod import;
pub mod keep;
mod list;
pub mod merge;
pub mod own;
pub mod publish;
pub mod read;
pub mod renew;
pub mod restore;
mod run;
pub mod seal;
pub mod snapshot;
pub mod stat;
mod submodule;
mod survey;
pub mod tree;
mod watch;

use std::{fmt, str::FromStr, sync::Arc, time::Duration};

pub use changes::{FileChange, Kind, Stages};
pub use clone::PrivateClone;
pub use error::{Content, GitAction, GitError};
pub use publish::Published;
pub use snapshot::{Part, Snapshot};
pub use survey::Obstacle;
pub use watch::Watch;

use crate::Guardian;

/// How to run git.
#[derive(Clone, Debug)]
pub struct Git {
    pub guardian: Guardian,
    /// Where git and the programs that belong to it are, as in `PATH`.
    pub path: String,
    /// How long one command may take.
    pub deadline: Duration,
    /// Who may end a command before its time.
    pub watch: Option<Arc<dyn Watch>>,
}

/// Who a commit is by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub name: String,
    pub email: String,
}

/// The id of an object: 40 or 64 lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectId(String);

impl Git {
    /// Long enough to check out a large repository.
    pub const DEADLINE: Duration = Duration::from_mins(10);

    pub fn new(guardian: Guardian, path: &str) -> Self {
        Self { guardian, path: path.to_owned(), deadline: Self::DEADLINE, watch: None }
    }

    /// Lets somebody end the commands before their time.
    #[must_use]
    pub fn with_watch(self, watch: Arc<dyn Watch>) -> Self {
        Self { watch: Some(watch), ..self }
    }
}

impl ObjectId {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the id that stands for no object.
    fn is_null(&self) -> bool {
        self.0.bytes().all(|it| it == b'0')
    }
}

impl FromStr for ObjectId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let is_hex = text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
        if is_hex && matches!(text.len(), 40 | 64) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NotAnId)
        }
    }
}

/// A text that is not an [`ObjectId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an object id is 40 or 64 lower-case hexadecimal digits")]
pub struct NotAnId;

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
