//! Compares the files that an agent declared with those that it changed.
//!
//! A declaration names files, folders that are new (`src/new/`) and narrow globs. What is too
//! wide to say anything covers nothing. Generated files are left out on both sides.

mod error;
mod pattern;

use std::collections::BTreeSet;

use provost_form::{Limits, json};
use provost_kernel::story::{Declaration, DeltaKind, Deviation, FileDelta};
use serde_json::Value;

pub use self::error::DeclarationError;
use self::{error::InvalidEntry, pattern::Entry};
use super::{
    base::{BaseTree, normal},
    generated,
};

/// More than the longest list that may be declared.
const LIMITS: Limits = Limits { bytes: 1024 * 1024, depth: 4 };

/// How many entries a declaration may have: twice the files that a change may have.
pub const MAX_ENTRIES: usize = 50;

/// How many files of the base a glob may stand for.
pub const MAX_MATCHES: usize = 20;

/// How a change compares with its declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reconciliation {
    /// Changed, and not declared.
    pub undeclared: Vec<Undeclared>,
    /// Declared, and not changed.
    pub unused: Vec<String>,
    /// Entries that cover nothing, because they would cover too much.
    pub too_wide: Vec<String>,
    pub deviation: Deviation,
}

/// A file outside the declaration.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Undeclared {
    pub path: String,
    pub novelty: Novelty,
}

/// Whether the base knows a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Novelty {
    Known,
    NewFile,
    /// The outermost folder around it that the base does not have.
    NewFolder(String),
}

/// Reads a list of paths, or an object with one as `expectedFiles`.
pub fn read(bytes: &[u8]) -> Result<Declaration, DeclarationError> {
    let value = json::parse(bytes, LIMITS).map_err(DeclarationError::Json)?;
    let list = match &value {
        Value::Object(object) if object.len() == 1 => object.get("expectedFiles"),
        Value::Array(_) => Some(&value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            None
        }
    };
    let list = list.and_then(Value::as_array).ok_or(DeclarationError::NotAList)?;
    let texts: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
    parse(texts.ok_or(DeclarationError::NotAList)?)
}

/// Brings the entries of a declaration into one form, and refuses invalid paths.
pub fn parse<'a>(
    entries: impl IntoIterator<Item = &'a str>,
) -> Result<Declaration, DeclarationError> {
    let mut files = BTreeSet::new();
    for (position, entry) in entries.into_iter().enumerate() {
        if position >= MAX_ENTRIES {
            return Err(DeclarationError::TooMany);
        }
        files.insert(clean(entry).map_err(|why| DeclarationError::entry(entry, why))?);
    }
    Ok(Declaration { files: files.into_iter().collect(), is_late: false })
}

/// Refuses a declaration with an entry that would cover nothing, because it would cover too much.
pub fn require_narrow(declared: &Declaration, base: &BaseTree) -> Result<(), DeclarationError> {
    let is_wide = |it: &&String| Entry::new(it, &BTreeSet::new(), base).is_none();
    match declared.files.iter().find(is_wide) {
        Some(entry) => Err(DeclarationError::entry(entry, InvalidEntry::Wide)),
        None => Ok(()),
    }
}

/// A path from the root of the repository, in its one form. A folder keeps its last `/`.
fn clean(entry: &str) -> Result<String, InvalidEntry> {
    let text = normal(entry.trim()).replace('\\', "/");
    let is_folder = text.ends_with('/') || text.ends_with("/.");
    let parts: Vec<&str> = text.split('/').filter(|it| !matches!(*it, "" | ".")).collect();
    if parts.contains(&"..") {
        return Err(InvalidEntry::Outside);
    }
    if parts.is_empty() {
        return Err(InvalidEntry::Empty);
    }
    if text.contains('\0') {
        return Err(InvalidEntry::NoPath);
    }
    let path = parts.join("/") + if is_folder { "/" } else { "" };
    if pattern::is_boundless(&path) { Err(InvalidEntry::Boundless) } else { Ok(path) }
}

/// The form in which an entry of any list names a file; none for what names none.
pub(super) fn subject(entry: &str) -> Option<String> {
    clean(entry).ok()
}

/// Compares what was declared with what counts in a change.
pub fn reconcile(
    declared: &Declaration,
    counted: &[&FileDelta],
    base: &BaseTree,
) -> Reconciliation {
    let changed: BTreeSet<String> = counted.iter().map(|it| normal(&it.path)).collect();
    let entries: Vec<(&str, Option<Entry>)> = declared
        .files
        .iter()
        .map(|text| (text.as_str(), Entry::new(text, &changed, base)))
        .collect();
    let usable = || entries.iter().filter_map(|(_, entry)| entry.as_ref());
    let covers = |delta: &FileDelta| {
        let path = normal(&delta.path);
        usable().any(|entry| match delta.kind {
            DeltaKind::Submodule => entry.is_exactly(&path),
            DeltaKind::Added
            | DeltaKind::Modified
            | DeltaKind::Deleted
            | DeltaKind::Renamed
            | DeltaKind::Mode
            | DeltaKind::Symlink => entry.covers(&path),
        })
    };
    let outside: Vec<&&FileDelta> = counted.iter().filter(|it| !covers(it)).collect();
    let named: BTreeSet<String> = usable().flat_map(|entry| entry.paths(&changed, base)).collect();
    // Where a renamed file was goes without saying, and so do generated files.
    let sources: BTreeSet<String> =
        counted.iter().filter_map(|it| it.old_path.as_deref()).map(normal).collect();
    let unused: Vec<String> = named
        .into_iter()
        .filter(|it| !changed.contains(it) && !sources.contains(it))
        .filter(|it| !generated::is_excluded(it, base))
        .collect();
    Reconciliation {
        deviation: deviation(changed.len(), outside.len(), unused.len()),
        undeclared: outside.iter().map(|it| undeclared(&it.path, base)).collect(),
        unused,
        too_wide: entries
            .iter()
            .filter(|(_, entry)| entry.is_none())
            .map(|(text, _)| (*text).to_owned())
            .collect(),
    }
}

/// The larger of two parts: of what changed, what was not declared; and of everything that was
/// declared or changed, what was only one of both.
fn deviation(n_changed: usize, n_outside: usize, n_unused: usize) -> Deviation {
    let part = |differing: usize, of: usize| Deviation {
        differing: differing as u64,
        of: of.max(1) as u64,
    };
    part(n_outside, n_changed).max(part(n_outside + n_unused, n_changed + n_unused))
}

fn undeclared(path: &str, base: &BaseTree) -> Undeclared {
    let folders = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
    let novelty = match folders.into_iter().find(|it| !base.has_folder(it)) {
        Some(folder) => Novelty::NewFolder(folder.to_owned()),
        None if base.has_file(path) => Novelty::Known,
        None => Novelty::NewFile,
    };
    Undeclared { path: path.to_owned(), novelty }
}

#[cfg(test)]
mod tests;
