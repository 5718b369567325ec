//! The commit of `provost.toml`, by the person's own git: with their name, hooks and keys.

use camino::Utf8Path;

use crate::{
    config::PROJECT_FILE,
    git::{self, Reply},
    own,
    session::{AnyFault, Session},
};

const MESSAGE: &str = "Set up provost";

/// Whether the project's file differs from the last commit, or is not in it: git says nothing about
/// one that it ignores.
pub(super) fn is_pending(session: &Session, root: &Utf8Path) -> bool {
    let ask = |question: &[&str]| git::ask(&session.environment, root, question);
    let changed = ask(&["status", "--porcelain=v1", "-z", "--", PROJECT_FILE]);
    if changed.is_ok_and(|it| it.reply == Reply::Yes && !it.stdout.is_empty()) {
        return true;
    }
    let name = format!("HEAD:{PROJECT_FILE}");
    let is_committed = ask(&["cat-file", "-e", &name]).is_ok_and(|it| it.reply == Reply::Yes);
    !is_committed && root.join(PROJECT_FILE).is_file()
}

/// Commits the file, and nothing else; what git says if it does not.
pub(super) fn commit(session: &Session, root: &Utf8Path) -> Result<Result<(), String>, AnyFault> {
    for argv in [
        &["git", "add", "--", PROJECT_FILE][..],
        &["git", "commit", "--quiet", "--only", "-m", MESSAGE, "--", PROJECT_FILE],
    ] {
        if let Err(said) = own::run(session, root, argv)? {
            return Ok(Err(said));
        }
    }
    Ok(Ok(()))
}
