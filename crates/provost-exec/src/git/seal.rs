//! A checkout whose repository tells nothing about other versions.
//!
//! What runs in a checkout can read its `.git`. With the history at hand, a product could look up how its
//! tests were written before provost changed them, and with a commit's message, which version it is
//! run in. So the repository is replaced by one with the newest commits and the names of the files, as
//! `git log`, `git status` and `git describe` need them, and without a single file's content.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use provost_kernel::Timestamp;

use super::{
    Git, GitAction, GitError, Identity, ObjectId, PrivateClone, clone,
    publish::{Commit, commit_tree},
    snapshot::{reading, scratch_file},
};

/// Where the private repository keeps the commit that the checkout names.
const SEALED_REF: &str = "refs/provost/sealed";

/// How many commits are kept.
const COMMITS: &str = "--max-count=1000";

/// Replaces the repository in a checkout. Its only own commit is the same whatever was checked out,
/// but for the files, and lies on `onto`.
pub fn seal(
    git: &Git,
    checkout: &PrivateClone,
    onto: &ObjectId,
    identity: &Identity,
) -> Result<(), GitError> {
    let commit = only_commit(git, checkout, onto, identity)?;
    let History { commits, shallow } = History::of(git, checkout, &commit)?;
    let mut objects = commits;
    objects.extend(folders(git, checkout)?);

    let tree = checkout.tree.to_str().ok_or_else(|| clone::bad_path(&checkout.tree))?;
    let own = checkout.tree.join(".git");
    discard(&own)?;
    let format = format!("--object-format={}", format_of(git, checkout)?);
    let init = ["init", "--quiet", "--template=", &format, "--initial-branch", clone::BRANCH];
    let init = [init.as_slice(), &["--", tree]].concat();
    git.at(Path::new("/"), GitAction::CreateClone, &init).output()?;

    pack(git, checkout, &objects, &own)?;
    if !shallow.is_empty() {
        clone::write(&own.join("shallow"), lines(&shallow).as_bytes())?;
    }
    clone::sign(git, &own, identity)?;
    git.in_dir(&own, GitAction::Configure, &["update-ref", "HEAD", commit.as_str()]).output()?;
    clone::copy_if_present(&checkout.git_dir.join("index"), &own.join("index"))
}

/// Removes what a build may have made of the repository; a link is not followed.
fn discard(own: &Path) -> Result<(), GitError> {
    let fail = |source| GitError::File { action: GitAction::Write, path: own.to_owned(), source };
    #[expect(clippy::disallowed_methods, reason = "a checkout of ours, outside every home")]
    match own.symlink_metadata() {
        Ok(it) if it.is_dir() => fs::remove_dir_all(own).map_err(fail),
        Ok(_) => fs::remove_file(own).map_err(fail),
        Err(_) => Ok(()),
    }
}

/// Packs these objects and no others. Git may write into its own repository only, so the pack is made there.
fn pack(
    git: &Git,
    checkout: &PrivateClone,
    objects: &BTreeSet<String>,
    into: &Path,
) -> Result<(), GitError> {
    let folder = scratch_file(checkout, "sealed");
    let input = folder.join("objects");
    clone::write(&input, lines(objects).as_bytes())?;
    let name = folder.join("pack");
    let name = name.to_str().ok_or_else(|| clone::bad_path(&name))?;
    let args = ["pack-objects", "--quiet", "--window=0", name];
    let hash = reading(git, checkout, GitAction::Write, &args).reading(input).line()?;
    for end in ["pack", "idx"] {
        let file = format!("pack-{hash}.{end}");
        let to = into.join("objects/pack").join(&file);
        let fail = |source| GitError::File { action: GitAction::Copy, path: to.clone(), source };
        #[expect(clippy::disallowed_methods, reason = "scratch of ours, outside every home")]
        fs::rename(folder.join(&file), &to).map_err(fail)?;
    }
    Ok(())
}

/// Where the contents of other versions lie that a checkout can reach: its own repository, and those
/// whose objects it reads.
pub fn stores(clone: &PrivateClone) -> Vec<PathBuf> {
    let mut found = vec![clone.git_dir.clone()];
    let mut at = 0;
    while let Some(git_dir) = found.get(at).cloned() {
        at += 1;
        let list = fs::read_to_string(git_dir.join("objects/info/alternates")).unwrap_or_default();
        for objects in list.lines().map(Path::new).filter(|it| it.is_absolute()) {
            if let Some(store) = objects.parent()
                && store.is_dir()
                && !found.iter().any(|it| it == store)
            {
                found.push(store.to_owned());
            }
        }
    }
    found
}

fn only_commit(
    git: &Git,
    checkout: &PrivateClone,
    onto: &ObjectId,
    identity: &Identity,
) -> Result<ObjectId, GitError> {
    let name = format!("{}^{{tree}}", checkout.base);
    let line = reading(git, checkout, GitAction::Read, &["rev-parse", "--verify", &name]).line()?;
    let tree: ObjectId = line.parse().map_err(|_| GitError::BadRevision { revision: line })?;
    let (when, message) = (Timestamp::EPOCH, "work");
    let parts = Commit { tree: &tree, parent: onto, identity, when, message };
    commit_tree(git, checkout, &parts, SEALED_REF)
}

/// Commits, and those of them whose parents are left out.
struct History {
    commits: BTreeSet<String>,
    shallow: BTreeSet<String>,
}

impl History {
    fn of(git: &Git, checkout: &PrivateClone, commit: &ObjectId) -> Result<Self, GitError> {
        let args = ["rev-list", "--parents", COMMITS, commit.as_str()];
        let bytes = reading(git, checkout, GitAction::Read, &args).output()?;
        let text = String::from_utf8_lossy(&bytes);
        let listed: Vec<Vec<&str>> = text.lines().map(|it| it.split(' ').collect()).collect();
        let commits: BTreeSet<String> =
            listed.iter().filter_map(|it| it.first()).map(|it| (*it).to_owned()).collect();
        let known = fs::read_to_string(checkout.git_dir.join("shallow")).unwrap_or_default();
        let mut shallow: BTreeSet<String> =
            known.lines().filter(|it| commits.contains(*it)).map(str::to_owned).collect();
        for line in &listed {
            if let [commit, parents @ ..] = line.as_slice()
                && parents.iter().any(|it| !commits.contains(*it))
            {
                shallow.insert((*commit).to_owned());
            }
        }
        Ok(Self { commits, shallow })
    }
}

/// The ids of the folders of what is checked out, its root among them.
fn folders(git: &Git, checkout: &PrivateClone) -> Result<BTreeSet<String>, GitError> {
    let args = ["ls-tree", "-r", "-d", "-z", "--full-tree", checkout.base.as_str()];
    let bytes = reading(git, checkout, GitAction::List, &args).output()?;
    let text = String::from_utf8_lossy(&bytes);
    let id = |line: &str| {
        let rest = line.split('\t').next()?.strip_prefix("040000 tree ")?;
        Some(rest.trim().to_owned())
    };
    let mut ids: BTreeSet<String> = text.split('\0').filter_map(id).collect();
    let root = format!("{}^{{tree}}", checkout.base);
    ids.insert(reading(git, checkout, GitAction::Read, &["rev-parse", "--verify", &root]).line()?);
    Ok(ids)
}

fn format_of(git: &Git, checkout: &PrivateClone) -> Result<String, GitError> {
    let args = ["rev-parse", "--show-object-format"];
    git.in_dir(&checkout.git_dir, GitAction::Read, &args).line()
}

fn lines(ids: &BTreeSet<String>) -> String {
    ids.iter().flat_map(|it| [it.as_str(), "\n"]).collect()
}
