//! A checkout in which programs ran, exchanged for a new one at the same place.
//!
//! What a program left behind does not come along: neither an untracked file, nor an edit, nor
//! anything in `.git`. Only folders that the caller names are carried over, such as installed
//! dependencies, and it is seen afterwards whether somebody has changed them.

use std::{
    collections::BTreeMap,
    fs::{self, Metadata},
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use super::{Git, GitAction, GitError, Identity, PrivateClone, clone};

/// How many files and folders are looked at.
const MAX_ENTRIES: usize = 2_000_000;

/// What was carried over into a checkout, as it was then.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// From the tree.
    paths: Vec<PathBuf>,
    stamps: BTreeMap<PathBuf, Stamp>,
}

/// How a file is told from one that was written to since. No process can set the time of
/// change, whatever else they set back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    mode: u32,
    /// None for a folder: it changes with every file that is made in it.
    content: Option<(u64, u64, i64, i64)>,
}

/// What is to be done with something that was found.
enum Visit {
    Enter,
    Pass,
}

/// Whether something of a checkout may stay: its path, and whether it is a folder.
pub type IsKept<'a> = &'a dyn Fn(&str, bool) -> bool;

/// Exchanges a checkout for a new one of the same commit, which `source` has, and carries over
/// what may stay. The old one is moved into the folder `aside`, which is empty.
pub fn renew(
    git: &Git,
    source: &PrivateClone,
    checkout: &PrivateClone,
    (aside, identity): (&Path, &Identity),
    is_kept: IsKept<'_>,
) -> Result<Carried, GitError> {
    let paths = find(&checkout.tree, is_kept).map_err(failed(GitAction::Read, &checkout.tree))?;
    exchange(git, source, checkout, (aside, identity), paths)
}

/// Finds what may stay in a tree: whole folders, and files, from the tree.
pub fn kept(tree: &Path, is_kept: IsKept<'_>) -> Result<Vec<PathBuf>, GitError> {
    find(tree, is_kept).map_err(failed(GitAction::Read, tree))
}

impl Carried {
    /// What was put into a checkout just now, at these paths.
    pub fn of(tree: &Path, paths: Vec<PathBuf>) -> Result<Self, GitError> {
        let mut stamps = BTreeMap::new();
        walk(tree, paths.clone(), &mut |path, metadata| {
            stamps.insert(path.to_owned(), Stamp::of(metadata));
            Ok(enter(metadata))
        })
        .map_err(failed(GitAction::Read, tree))?;
        Ok(Self { paths, stamps })
    }

    /// Exchanges a checkout as [`renew`] does, and carries the same over again.
    pub fn renew(
        self,
        git: &Git,
        source: &PrivateClone,
        checkout: &PrivateClone,
        place: (&Path, &Identity),
    ) -> Result<Self, GitError> {
        exchange(git, source, checkout, place, self.paths)
    }

    /// Removes what was added to it since, and says whether everything else is as it was.
    pub fn is_intact(&self, tree: &Path) -> bool {
        let mut n_found = 0;
        let looked =
            walk(tree, self.paths.clone(), &mut |path, metadata| match self.stamps.get(path) {
                None => remove(&tree.join(path), metadata).map(|()| Visit::Pass),
                Some(stamp) if *stamp == Stamp::of(metadata) => {
                    n_found += 1;
                    Ok(enter(metadata))
                }
                Some(_) => Err(io::ErrorKind::InvalidData.into()),
            });
        looked.is_ok() && n_found == self.stamps.len()
    }
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        let content = (metadata.ino(), metadata.size(), metadata.ctime(), metadata.ctime_nsec());
        Self { mode: metadata.mode(), content: (!metadata.is_dir()).then_some(content) }
    }
}

fn exchange(
    git: &Git,
    source: &PrivateClone,
    checkout: &PrivateClone,
    (aside, identity): (&Path, &Identity),
    paths: Vec<PathBuf>,
) -> Result<Carried, GitError> {
    let old = aside.join("tree");
    rename(&checkout.tree, &old).map_err(failed(GitAction::Move, &checkout.tree))?;
    rename(&checkout.git_dir, &aside.join("git"))
        .map_err(failed(GitAction::Move, &checkout.tree))?;
    let new = clone::exact(git, source, &checkout.base, &checkout.tree, identity)?;
    for path in &paths {
        carry(&old, &new.tree, path).map_err(failed(GitAction::Move, &new.tree.join(path)))?;
    }
    let there = paths.iter().filter(|it| new.tree.join(it).symlink_metadata().is_ok());
    Carried::of(&new.tree, there.cloned().collect())
}

/// Finds what may stay in a tree: whole folders, and files.
fn find(tree: &Path, is_kept: IsKept<'_>) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let entries = list(tree, Path::new(""))?.into_iter().filter(|it| it.as_os_str() != ".git");
    walk(tree, entries.collect(), &mut |path, metadata| {
        let is_folder = metadata.is_dir();
        if path.to_str().is_some_and(|it| is_kept(it, is_folder)) {
            found.push(path.to_owned());
            return Ok(Visit::Pass);
        }
        Ok(enter(metadata))
    })?;
    Ok(found)
}

/// Looks at paths of a tree and at everything below them, without following a link.
fn walk(
    tree: &Path,
    mut open: Vec<PathBuf>,
    visit: &mut dyn FnMut(&Path, &Metadata) -> io::Result<Visit>,
) -> io::Result<()> {
    let mut n_entries = 0;
    while let Some(path) = open.pop() {
        n_entries += 1;
        if n_entries > MAX_ENTRIES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let metadata = tree.join(&path).symlink_metadata()?;
        match visit(&path, &metadata)? {
            Visit::Enter => open.extend(list(tree, &path)?),
            Visit::Pass => {}
        }
    }
    Ok(())
}

fn list(tree: &Path, folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(tree.join(folder))?;
    entries.map(|it| it.map(|it| folder.join(it.file_name()))).collect()
}

fn enter(metadata: &Metadata) -> Visit {
    if metadata.is_dir() { Visit::Enter } else { Visit::Pass }
}

/// Moves a path of one tree to the same path of another. What lies there already was delivered,
/// and stays.
fn carry(from: &Path, to: &Path, path: &Path) -> io::Result<()> {
    let mut folder = to.to_owned();
    for part in path.parent().into_iter().flat_map(Path::components) {
        folder.push(part);
        match folder.symlink_metadata() {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Ok(()),
            #[expect(clippy::disallowed_methods, reason = "a checkout of ours, outside every home")]
            Err(_) => fs::create_dir(&folder)?,
        }
    }
    merge(&from.join(path), &to.join(path))
}

fn merge(from: &Path, to: &Path) -> io::Result<()> {
    let Ok(there) = to.symlink_metadata() else { return rename(from, to) };
    if there.is_dir() && from.symlink_metadata()?.is_dir() {
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            merge(&from.join(&name), &to.join(&name))?;
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a checkout of ours, outside every home")]
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

#[expect(clippy::disallowed_methods, reason = "a checkout of ours, outside every home")]
fn remove(path: &Path, metadata: &Metadata) -> io::Result<()> {
    if metadata.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

fn failed(action: GitAction, path: &Path) -> impl FnOnce(io::Error) -> GitError {
    let path = path.to_owned();
    move |source| GitError::File { action, path, source }
}
