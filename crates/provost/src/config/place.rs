//! Where a configuration file is.

use std::fmt;

use camino::Utf8PathBuf;
use provost_kernel::Message;
use provost_rules::config::Origin;

/// A file, or what a revision of the repository has in its place.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "config.place")]
pub(super) enum Place {
    #[message(en = "`{path}`", zh = "`{path}`")]
    File { path: Utf8PathBuf },
    #[message(en = "`{path}` at `{revision}`", zh = "`{revision}` 处的 `{path}`")]
    Revision { path: &'static str, revision: String },
}

impl Place {
    /// The place of a line.
    pub(super) fn origin(&self, line: usize) -> Origin {
        match self {
            Self::File { path } => Origin::File { path: path.to_string(), line },
            Self::Revision { path, revision } => {
                Origin::Revision { path, revision: revision.clone(), line }
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path } => write!(f, "{path}"),
            Self::Revision { path, revision } => write!(f, "{path} at {revision}"),
        }
    }
}
