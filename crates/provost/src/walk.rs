//! The files of a folder that a project would commit.
//!
//! Only the project's own `.gitignore` files leave something out, so that the same folder gives
//! the same answer on every machine and no other file can hide one.

use std::{
    ffi::OsStr,
    io,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use camino::Utf8Path;
use ignore::{DirEntry, WalkBuilder};

use crate::{
    environment::Environment,
    git::{self, GitError},
    home,
};

/// What a walk met.
#[derive(Debug)]
pub(crate) enum Visit<'a> {
    File(&'a Path),
    /// A pipe, a socket or a device: it has no content that could be committed.
    Special(&'a Path),
    Unreadable(&'a Path, io::Error),
    /// A `.gitignore` that cannot be read without the risk of waiting for ever.
    IgnoreFile(&'a Path),
}

/// Visits what is in a folder, in the order of the names. Links are not followed: their targets
/// are either in the folder anyway or not part of it.
pub(crate) fn folder(root: &Utf8Path, home: Option<&Utf8Path>, mut visit: impl FnMut(Visit<'_>)) {
    let real = match root.canonicalize() {
        Ok(real) => real,
        Err(error) => return visit(Visit::Unreadable(root.as_std_path(), error)),
    };
    // The walk also reads the `.gitignore` of each folder above.
    if let Some(bad) = real.ancestors().find_map(special_ignore_file) {
        return visit(Visit::IgnoreFile(&bad));
    }
    let home_below = home
        .and_then(|it| it.as_std_path().strip_prefix(&real).ok())
        .map(|it| root.as_std_path().join(it));
    let refused = Refused::default();
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .ignore(false)
        .git_global(false)
        .git_exclude(false)
        .sort_by_file_name(OsStr::cmp)
        .filter_entry(filter(home_below, refused.clone()))
        .build();
    for entry in walk {
        match entry {
            Ok(entry) => visit_entry(&entry, &mut visit),
            Err(error) if is_bad_pattern(&error) => {}
            Err(error) => {
                let path = path_of(&error).unwrap_or(root.as_std_path()).to_owned();
                let text = error.to_string();
                let source = error.into_io_error().unwrap_or_else(|| io::Error::other(text));
                visit(Visit::Unreadable(&path, source));
            }
        }
    }
    for path in refused.take() {
        visit(Visit::IgnoreFile(&path));
    }
}

/// The files of a folder that git tracks, whatever the rules say; none outside of a repository.
///
/// `real` is the real path of `root`, in which git is asked.
pub(crate) fn tracked(
    environment: &Environment,
    root: &Utf8Path,
    real: &Utf8Path,
) -> Result<Vec<PathBuf>, GitError> {
    if home::git_root(real).is_none() {
        return Ok(Vec::new());
    }
    let answer = git::ask(environment, real, &["ls-files", "-z", "--cached"])?;
    let names = answer.stdout.split(|it| *it == 0).filter(|it| !it.is_empty());
    let paths = names.map(|it| root.as_std_path().join(OsStr::from_bytes(it)));
    // What was deleted has no content here, and neither has a link or a module.
    let is_file = |it: &PathBuf| it.symlink_metadata().is_ok_and(|it| it.is_file());
    Ok(paths.filter(is_file).collect())
}

/// The `.gitignore` files because of which a folder was not entered.
#[derive(Clone, Debug, Default)]
struct Refused(Arc<Mutex<Vec<PathBuf>>>);

impl Refused {
    fn add(&self, path: PathBuf) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(path);
    }

    fn take(self) -> Vec<PathBuf> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Leaves out `.git`, the home, and folders that cannot be entered safely.
fn filter(
    home: Option<PathBuf>,
    refused: Refused,
) -> impl Fn(&DirEntry) -> bool + Send + Sync + 'static {
    move |entry| {
        if entry.file_name() == ".git" {
            return false;
        }
        if !entry.file_type().is_some_and(|it| it.is_dir()) {
            return true;
        }
        if home.as_deref() == Some(entry.path()) {
            return false;
        }
        if let Some(bad) = special_ignore_file(entry.path()) {
            refused.add(bad);
            return false;
        }
        true
    }
}

/// The `.gitignore` of a folder, if there is one that is not a file: reading a pipe would wait
/// for a writer who never comes.
fn special_ignore_file(folder: &Path) -> Option<PathBuf> {
    let path = folder.join(".gitignore");
    let metadata = path.metadata().ok()?;
    (!metadata.is_file() && !metadata.is_dir()).then_some(path)
}

fn visit_entry(entry: &DirEntry, visit: &mut impl FnMut(Visit<'_>)) {
    let Some(kind) = entry.file_type() else { return };
    if kind.is_file() {
        visit(Visit::File(entry.path()));
    } else if !kind.is_dir() && !kind.is_symlink() {
        visit(Visit::Special(entry.path()));
    }
}

/// Whether the error is about a line of a `.gitignore`: such a line leaves nothing out.
fn is_bad_pattern(error: &ignore::Error) -> bool {
    use ignore::Error::{
        Glob, InvalidDefinition, Io, Loop, Partial, UnrecognizedFileType, WithDepth,
        WithLineNumber, WithPath,
    };
    match error {
        Glob { .. } => true,
        Partial(errors) => errors.iter().all(is_bad_pattern),
        WithPath { err, .. } | WithLineNumber { err, .. } | WithDepth { err, .. } => {
            is_bad_pattern(err)
        }
        Loop { .. } | Io(_) | UnrecognizedFileType(_) | InvalidDefinition => false,
    }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    use ignore::Error::{
        Glob, InvalidDefinition, Io, Loop, Partial, UnrecognizedFileType, WithDepth,
        WithLineNumber, WithPath,
    };
    match error {
        WithPath { path, .. } => Some(path),
        WithLineNumber { err, .. } | WithDepth { err, .. } => path_of(err),
        Partial(_)
        | Glob { .. }
        | Loop { .. }
        | Io(_)
        | UnrecognizedFileType(_)
        | InvalidDefinition => None,
    }
}
