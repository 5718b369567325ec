//! Where a file of configuration is.

use std::fmt;

use camino::Utf8PathBuf;
use provost_kernel::Lang;
use provost_rules::config::Origin;

/// A file, or what a revision of the repository has in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    File { path: Utf8PathBuf },
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

    /// The whole file, for a sentence.
    pub(super) fn describe(&self, lang: Lang) -> String {
        match self {
            Self::File { path } => format!("`{path}`"),
            Self::Revision { path, revision } => lang
                .pick(format!("`{path}` at `{revision}`"), format!("`{revision}` 处的 `{path}`")),
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
