//! What a repository says, where that decides whether a rule speaks against a call.
//!
//! It is looked for only when such a rule was met. What cannot be found out does not hold.

use std::{fs, io::Read as _};

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::guard::policy::RepositoryFact;

/// Asks git a question in a folder, to be answered with yes; a failure is a no.
pub type AskGit<'a> = &'a dyn Fn(&Utf8Path, &[&str]) -> bool;

/// How many facts are looked for in one call.
const MOST: usize = 8;
/// How much of a small file of git is read.
const LIMIT: u64 = 64 << 10;
/// Folders for what is temporary. A variable could name any other, and an agent sets it.
const TEMPORARY: [&str; 4] = ["/tmp", "/var/tmp", "/private/tmp", "/dev/shm"];
/// Branches that several people work on.
const SHARED: [&str; 8] =
    ["dev", "develop", "main", "master", "prod", "production", "staging", "trunk"];

/// Those of these facts that hold. `work` is the folder in which provost keeps worktrees itself.
pub(super) fn that_hold(
    open: &[RepositoryFact],
    work: Option<&Utf8Path>,
    ask_git: AskGit<'_>,
) -> Vec<RepositoryFact> {
    let mut known: Vec<RepositoryFact> = Vec::new();
    for fact in open.iter().take(MOST) {
        if !known.contains(fact) && holds(fact, work, ask_git) {
            known.push(fact.clone());
        }
    }
    known
}

fn holds(fact: &RepositoryFact, work: Option<&Utf8Path>, ask_git: AskGit<'_>) -> bool {
    match fact {
        RepositoryFact::ThrowAway { folder } => {
            is_throw_away(Utf8Path::new(folder), work).unwrap_or(false)
        }
        RepositoryFact::Merged { folder, branch } => {
            is_merged(Utf8Path::new(folder), branch, ask_git)
        }
        RepositoryFact::OwnBranch { folder, branch } => {
            is_own_branch(Utf8Path::new(folder), branch).unwrap_or(false)
        }
    }
}

/// Whether a folder lies in a linked worktree that is temporary: another work tree has the
/// repository, so that only what was done here can be lost.
fn is_throw_away(folder: &Utf8Path, work: Option<&Utf8Path>) -> Option<bool> {
    let folder = folder.canonicalize_utf8().ok()?;
    let tree = tree_of(&folder)?;
    let is_linked = linked(&tree)?.components().any(|it| it.as_str() == "worktrees");
    let lies_in = |base: &Utf8Path| tree.starts_with(base) && tree != *base;
    let is_temporary = TEMPORARY.iter().any(|it| lies_in(Utf8Path::new(it)));
    let is_ours = work.and_then(|it| it.canonicalize_utf8().ok()).is_some_and(|it| lies_in(&it));
    Some(is_linked && (is_temporary || is_ours))
}

/// The work tree around a folder.
fn tree_of(folder: &Utf8Path) -> Option<Utf8PathBuf> {
    let has_git = |it: &&Utf8Path| fs::symlink_metadata(it.join(".git")).is_ok();
    folder.ancestors().find(has_git).map(Utf8Path::to_owned)
}

/// The folder in which git keeps what belongs to a linked worktree; none for another one.
fn linked(tree: &Utf8Path) -> Option<Utf8PathBuf> {
    let dot_git = tree.join(".git");
    if !fs::symlink_metadata(&dot_git).ok()?.is_file() {
        return None;
    }
    let text = small(&dot_git)?;
    let path = Utf8PathBuf::from(text.strip_prefix("gitdir:")?.trim());
    let path = tree.join(path).canonicalize_utf8().ok()?;
    // The repository must know the worktree: an agent can write a `.git` file that links nowhere.
    let back = Utf8PathBuf::from(small(&path.join("gitdir"))?.trim().to_owned());
    let is_known = back.canonicalize_utf8().ok()? == dot_git.canonicalize_utf8().ok()?;
    is_known.then_some(path)
}

/// Whether every commit of a branch is in what is checked out, or in the branch's upstream.
fn is_merged(folder: &Utf8Path, branch: &str, ask_git: AskGit<'_>) -> bool {
    let is_name = !branch.is_empty()
        && !branch.starts_with('-')
        && branch.chars().all(|it| it.is_ascii_alphanumeric() || "/_.-+#".contains(it))
        && !branch.contains("..");
    if !is_name {
        return false;
    }
    let tip = format!("refs/heads/{branch}");
    let upstream = format!("{branch}@{{upstream}}");
    let is_in = |other: &str| {
        ask_git(folder, &["--no-replace-objects", "merge-base", "--is-ancestor", &tip, other])
    };
    is_in("HEAD") || is_in(&upstream)
}

/// Whether a branch was begun in this clone, and is not one that several people work on.
fn is_own_branch(folder: &Utf8Path, branch: &str) -> Option<bool> {
    let tree = tree_of(&folder.canonicalize_utf8().ok()?)?;
    let git = if tree.join(".git").is_dir() { tree.join(".git") } else { linked(&tree)? };
    let common = match small(&git.join("commondir")) {
        Some(text) => git.join(text.trim()),
        None => git.clone(),
    };
    let current = small(&git.join("HEAD"))?;
    let current = current.trim().strip_prefix("ref: refs/heads/");
    let name = match branch {
        "HEAD" => current?.to_owned(),
        name => name.to_owned(),
    };
    let is_safe = name.split('/').all(|it| !it.is_empty() && !it.starts_with('.'));
    let is_shared = SHARED.contains(&name.as_str()) || name.starts_with("release");
    let default = small(&common.join("refs/remotes/origin/HEAD")).unwrap_or_default();
    let is_default = default.trim().strip_prefix("ref: refs/remotes/origin/") == Some(&name);
    if !is_safe || is_shared || is_default {
        return Some(false);
    }
    // The first line says where it came from: of a server's branch of that name, it is not ours.
    let log = small(&common.join("logs/refs/heads").join(&name))?;
    let begin = log.lines().next()?.split_once('\t')?.1;
    let from = begin.strip_prefix("branch: Created from ")?;
    Some(!from.ends_with(&format!("/{name}")) && !from.starts_with("refs/remotes/"))
}

/// The beginning of a small file.
fn small(path: &Utf8Path) -> Option<String> {
    let mut text = Vec::new();
    fs::File::open(path).ok()?.take(LIMIT).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}
