//! What `provost doctor --fix` may do.

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{Fault, Lang};
use provost_vault::RealDisk;
use rustix::fs::{Mode, OFlags};

use crate::session::{AnyFault, Session};

/// A repair that cannot do harm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Repair {
    /// Create the home with what it needs; it ignores itself in git.
    CreateHome { path: Utf8PathBuf },
    /// Make the home private to its owner.
    MakePrivate { path: Utf8PathBuf },
}

impl Repair {
    /// Does it. An answer of `Ok` means that it was done.
    pub(super) fn carry_out(&self, session: &Session) -> Result<(), AnyFault> {
        match self {
            Self::CreateHome { .. } => {
                provost_vault::prepare_home(&RealDisk, &session.layout()?)?;
            }
            Self::MakePrivate { path } => {
                make_private(path).map_err(|source| NotPrivate { path: path.clone(), source })?;
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
        }
    }
}

/// Gives the folder the mode 0700, and only if it is one: a link is not followed.
fn make_private(path: &Utf8Path) -> rustix::io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::open(path.as_std_path(), flags, Mode::empty())?;
    rustix::fs::fchmod(folder, Mode::RWXU)
}

/// A home that could not be made private.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text(Lang::En))]
struct NotPrivate {
    path: Utf8PathBuf,
    source: rustix::io::Errno,
}

impl Fault for NotPrivate {
    fn text(&self, lang: Lang) -> String {
        let path = &self.path;
        lang.pick(
            format!("cannot make `{path}` private to its owner"),
            format!("无法将 `{path}` 设为仅所有者可访问"),
        )
    }

    fn hints(&self, lang: Lang) -> Vec<String> {
        vec![lang.pick("check who owns the folder", "请检查该文件夹的所有者").to_owned()]
    }
}
