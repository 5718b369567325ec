//! What is verified, and against what.

use std::path::Path;

use provost_exec::git::{Git, GitError, ObjectId, history, read};
use provost_form::nearest::nearest;
use provost_rules_task::verification::VerifyError;
use serde::Serialize;

use crate::EngineError;

/// Where a branch may be merged into, in the order in which they are looked for.
const TARGETS: [(&str, &str); 4] = [
    ("refs/remotes/origin/main", "origin/main"),
    ("refs/heads/main", "main"),
    ("refs/remotes/origin/master", "origin/master"),
    ("refs/heads/master", "master"),
];

/// A revision, and the commit at which it left the branch that it is to be merged into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerifyTarget {
    /// As a person named it, or the branch that HEAD is on.
    #[serde(rename = "ref")]
    pub name: String,
    pub commit: String,
    /// The branch that it is to be merged into.
    pub base_ref: String,
    /// The newest commit that both have.
    pub base: String,
    /// How many commits that branch has gone on since.
    pub behind: u64,
    /// Where that branch is now.
    #[serde(skip)]
    pub tip: String,
}

/// Finds a revision (HEAD, if none is named) and its base: the newest commit that it has in common
/// with the branch that is named, or with the one that is found.
pub fn resolve(
    git: &Git,
    repository: &Path,
    revision: Option<&str>,
    base: Option<&str>,
) -> Result<VerifyTarget, EngineError> {
    let commit = match revision {
        Some(name) => named(git, repository, name)?,
        None => match read::commit(git, repository, "HEAD") {
            Err(GitError::BadRevision { .. }) => return Err(VerifyError::NoCommit.into()),
            commit => commit?,
        },
    };
    let name = match revision {
        Some("HEAD") | None => {
            history::current_branch(git, repository)?.unwrap_or_else(|| "HEAD".to_owned())
        }
        Some(name) => shown(name),
    };
    let (tip, base_ref) = match base {
        Some(base) => (named(git, repository, base)?, shown(base)),
        None => match target(git, repository)? {
            Some(target) => target,
            None => return Err(VerifyError::NoTarget { name }.into()),
        },
    };
    let Some(common) = history::common(git, repository, &commit, &tip)? else {
        let is_shallow = history::is_shallow(git, repository)?;
        return Err(VerifyError::NoCommonBase { name, base: base_ref, is_shallow }.into());
    };
    if common == commit {
        return Err(VerifyError::NothingToVerify { name, base: base_ref }.into());
    }
    let behind = history::count(git, repository, &common, &tip)?;
    let (commit, base, tip) = (commit.to_string(), common.to_string(), tip.to_string());
    Ok(VerifyTarget { name, commit, base_ref, base, behind, tip })
}

/// The commit that a name stands for; where it stands for none, what may have been meant.
fn named(git: &Git, repository: &Path, name: &str) -> Result<ObjectId, EngineError> {
    // Git prefers a tag of the same name, and a pushed tag could then choose the base.
    for folder in ["refs/heads/", "refs/remotes/"] {
        if let Ok(commit) = read::commit(git, repository, &format!("{folder}{name}")) {
            return Ok(commit);
        }
    }
    match read::commit(git, repository, name) {
        Err(GitError::BadRevision { revision }) => {
            let known = history::names(git, repository)?;
            let nearest = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
            Err(VerifyError::NoSuchRevision { name: revision, nearest }.into())
        }
        commit => Ok(commit?),
    }
}

/// The branch that work is merged into: what `origin` says, else one of the usual names.
fn target(git: &Git, repository: &Path) -> Result<Option<(ObjectId, String)>, EngineError> {
    let of_origin = history::default_branch(git, repository)?;
    let of_origin = of_origin.as_deref().map(|it| (it, it.trim_start_matches("refs/remotes/")));
    for (full, short) in of_origin.into_iter().chain(TARGETS) {
        match read::commit(git, repository, full) {
            Ok(commit) => return Ok(Some((commit, short.to_owned()))),
            Err(GitError::BadRevision { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

/// A name as it is shown: a long id of a commit is cut.
fn shown(name: &str) -> String {
    let is_id = name.len() >= 40 && name.bytes().all(|it| it.is_ascii_hexdigit());
    if is_id { provost_kernel::task::short(name).to_owned() } else { name.to_owned() }
}
