//! What `provost init` writes into the project's `provost.toml`, and takes out again.
//!
//! A file that is there keeps every byte of its own: only keys that are missing are added, and only
//! those are taken out that still hold what was added.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use toml_edit::TomlError;
use toml_edit::{DocumentMut, Item, Table, TableLike, value};

/// What a file says that has nothing but what was added.
const HEADER: &str = "# Written by `provost init`; `provost init --remove` takes it out.\n";

/// Keys of `[task]`, with their values.
pub type TaskKeys = BTreeMap<String, String>;

/// A file with keys that were added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition {
    pub text: String,
    /// Those that the file did not have.
    pub added: TaskKeys,
}

/// What is left of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// None where nothing is left but what was added: the file goes.
    pub text: Option<String>,
    pub removed: TaskKeys,
    /// Keys that somebody has changed since: they stay.
    pub kept: Vec<String>,
}

/// Adds the keys that a file does not have.
pub fn add(text: Option<&str>, wanted: &TaskKeys) -> Result<Addition, TomlError> {
    let mut document: DocumentMut = text.unwrap_or_default().parse()?;
    let mut added = TaskKeys::new();
    let is_new = document.get("task").is_none();
    let mut table = Table::new();
    let task: &mut dyn TableLike = match document.get_mut("task").and_then(Item::as_table_like_mut)
    {
        Some(task) => task,
        None => &mut table,
    };
    for (key, text) in in_order(wanted) {
        if task.get(key).is_none() {
            task.insert(key, value(text));
            added.insert(key.to_owned(), text.to_owned());
        }
    }
    if is_new && !added.is_empty() {
        if !document.is_empty() {
            table.decor_mut().set_prefix("\n");
        }
        document.insert("task", Item::Table(table));
    }
    let head = if text.is_none_or(|it| it.trim().is_empty()) { HEADER } else { "" };
    Ok(Addition { text: format!("{head}{document}"), added })
}

/// Takes out the keys that still have the values with which they were added.
pub fn take_out(text: &str, added: &TaskKeys) -> Result<Removal, TomlError> {
    let mut document: DocumentMut = text.parse()?;
    let (mut removed, mut kept) = (TaskKeys::new(), Vec::new());
    if let Some(task) = document.get_mut("task").and_then(Item::as_table_like_mut) {
        for (key, text) in added {
            match task.get(key).map(Item::as_str) {
                Some(Some(now)) if now == text => {
                    task.remove(key);
                    removed.insert(key.clone(), text.clone());
                }
                Some(_) => kept.push(key.clone()),
                None => {}
            }
        }
        if task.is_empty() && !removed.is_empty() {
            document.remove("task");
        }
    }
    let left = document.to_string();
    let left = left.strip_prefix(HEADER).map_or(left.as_str(), |it| it);
    let is_left = !left.trim().is_empty();
    // What the person wrote above the first key belonged to the table that is gone.
    Ok(Removal { text: is_left.then(|| left.to_owned()), removed, kept })
}

/// The keys in the order in which a person reads them.
fn in_order(keys: &TaskKeys) -> impl Iterator<Item = (&str, &str)> {
    const ORDER: [&str; 6] = ["coder", "judge", "test", "lint", "types", "build"];
    let place = |key: &str| ORDER.iter().position(|it| *it == key).unwrap_or(ORDER.len());
    let mut pairs: Vec<(&str, &str)> =
        keys.iter().map(|(key, text)| (key.as_str(), text.as_str())).collect();
    pairs.sort_by_key(|(key, _)| place(key));
    pairs.into_iter()
}
