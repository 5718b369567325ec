//! What `provost doctor --fix` may do.

use camino::Utf8PathBuf;
use provost_kernel::Lang;
use provost_vault::{Location, RealDisk};

use crate::session::{AnyFault, Session};

/// A repair that cannot do harm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Repair {
    /// Create the home with what it needs; it ignores itself in git.
    CreateHome { path: Utf8PathBuf },
    /// Make the home private to its owner.
    MakePrivate { path: Utf8PathBuf },
    /// Make folders of the home private to their owner.
    MakeFoldersPrivate { folders: Vec<Location> },
}

impl Repair {
    /// Does it. An answer of `Ok` means that it was done.
    pub(super) fn carry_out(&self, session: &Session) -> Result<(), AnyFault> {
        match self {
            Self::CreateHome { .. } => {
                provost_vault::prepare_home(&RealDisk, &session.intended_layout()?)?;
            }
            Self::MakePrivate { .. } => {
                provost_vault::make_home_private(&session.intended_layout()?)?;
            }
            Self::MakeFoldersPrivate { folders } => {
                folders.iter().try_for_each(provost_vault::make_private)?;
            }
        }
        Ok(())
    }

    /// What was done, once it was.
    pub(super) fn describe(&self, lang: Lang) -> String {
        match self {
            Self::CreateHome { path } => {
                lang.pick(format!("prepared `{path}`"), format!("已准备好 `{path}`"))
            }
            Self::MakePrivate { path } => lang.pick(
                format!("made `{path}` private to its owner"),
                format!("已将 `{path}` 设为仅所有者可访问"),
            ),
            Self::MakeFoldersPrivate { folders } => lang.pick(
                format!("made folders private to their owner: {}", folders.len()),
                format!("已将 {} 个文件夹设为仅所有者可访问", folders.len()),
            ),
        }
    }
}
