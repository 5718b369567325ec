//! Files that say how tests are run: edits after which other tests run, or none.
//!
//! A new file says how things are run from now on; one that existed and was edited in the part that
//! runs checks is reported. Which part that is stands in the table of ecosystems.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use provost_rules::ecosystem::{self, Pattern, Reads, TomlKeys};
use regex::Regex;
use toml_edit::{DocumentMut, Item};

use super::{ChangedText, package::package, source::pattern};

/// Whether a change touches the part of a file that runs checks; a word for it, if it does.
pub(super) fn edited(change: &ChangedText<'_>) -> Option<String> {
    let path = change.old_path.unwrap_or(change.path);
    let name = path.rsplit('/').next().unwrap_or(path);
    let (before, after) = (change.before.unwrap_or_default(), change.after.unwrap_or_default());
    // By the base's version this change is judged, and by this one the next.
    if name == "provost.toml" {
        return differs(before, after).then(|| name.to_owned());
    }
    let file = ecosystem::runner_file(path)?;
    let narrows = &file.narrows;
    let was_there = change.before.is_some();
    match &file.reads {
        // These run inside the runner, so that a new one counts as well.
        Reads::Hooks => hooks(before, after, narrows).then(|| name.to_owned()),
        Reads::Preloaded => {
            (plain(before) != plain(after) && !after.is_empty()).then(|| name.to_owned())
        }
        _ if !was_there => None,
        Reads::Whole => (before != after).then(|| name.to_owned()),
        Reads::PackageScripts(sections) => package(before, after, sections),
        Reads::TomlKeys(keys) => toml_keys(before, after, keys, narrows),
        Reads::TomlTables(tables) => toml_tables(before, after, tables, narrows),
        Reads::IniSections(read) => ini_sections(before, after, read, narrows),
        Reads::MakeTargets => targets(before, after),
        Reads::Settings => {
            (plain(before) != plain(after) && narrows.is_match(after)).then(|| name.to_owned())
        }
        Reads::Switches => switches(before, after, narrows),
    }
}

/// Whether a script or a target of this name checks something.
pub(super) fn checks(name: &str) -> bool {
    static NAMES: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^(?:pre|post)?(?:test|tests|check|checks|lint|build|typecheck|type-check|check-types|types|tsc|verify|ci|e2e|unit|spec|coverage)(?:$|[:_-])",
        )
    });
    NAMES.is_match(name)
}

/// Values that were changed or removed, and new ones that turn something off.
fn toml_keys(before: &str, after: &str, keys: &TomlKeys, narrows: &Pattern) -> Option<String> {
    let (old, new) = (toml_values(before, keys)?, toml_values(after, keys).unwrap_or_default());
    let changed = old.iter().find(|(key, value)| new.get(*key) != Some(*value));
    let turned_off = || {
        let mut added = new.iter().filter(|(key, _)| !old.contains_key(*key));
        added.find(|(key, value)| narrows.is_match(&format!("{key} = {value}")))
    };
    changed.or_else(turned_off).map(|(key, _)| key.clone())
}

fn toml_values(text: &str, keys: &TomlKeys) -> Option<BTreeMap<String, String>> {
    let document: DocumentMut = text.parse().ok()?;
    let mut values = BTreeMap::new();
    for key in &keys.keys {
        if let Some(item) = toml_item(&document, key) {
            flatten(key, item, &mut values);
        }
    }
    for kind in &keys.targets {
        let targets = document.get(kind).and_then(Item::as_array_of_tables);
        for target in targets.into_iter().flatten() {
            let name = target.get("name").and_then(Item::as_str).unwrap_or_default();
            for key in &keys.target_keys {
                if let Some(item) = target.get(key) {
                    flatten(&format!("{kind}.{name}.{key}"), item, &mut values);
                }
            }
        }
    }
    Some(values)
}

/// The item at a path such as `tool.pytest`.
fn toml_item<'a>(document: &'a DocumentMut, path: &str) -> Option<&'a Item> {
    path.split('.').try_fold(document.as_item(), |item, key| item.get(key))
}

/// Tables that were edited, and new ones that leave tests out.
fn toml_tables(before: &str, after: &str, tables: &[String], narrows: &Pattern) -> Option<String> {
    let read = |text: &str| text.parse::<DocumentMut>().ok();
    let (old, new) = (read(before)?, read(after).unwrap_or_default());
    let table = |document: &DocumentMut, path: &str| {
        let item = toml_item(document, path)?;
        let mut values = BTreeMap::new();
        flatten(path, item, &mut values);
        let lines = values.iter().map(|(key, value)| format!("{key} = {value}\n"));
        Some(lines.collect::<String>())
    };
    let changed = tables.iter().find(|it| {
        let was = table(&old, it);
        was.is_some() && was != table(&new, it)
    });
    let narrowed = || {
        tables.iter().find(|it| {
            let added = table(&new, it).filter(|_| table(&old, it).is_none());
            added.is_some_and(|it| narrows.is_match(&it))
        })
    };
    changed.or_else(narrowed).cloned()
}

/// The values below an item, by their keys: neither order nor comments count.
fn flatten(key: &str, item: &Item, values: &mut BTreeMap<String, String>) {
    match item.as_table_like() {
        Some(table) => {
            for (name, item) in table.iter() {
                flatten(&format!("{key}.{name}"), item, values);
            }
        }
        None if item.is_none() => {}
        None => {
            values.insert(key.to_owned(), plain(&item.to_string()).trim().to_owned());
        }
    }
}

/// Sections that were edited, and new ones that leave tests out.
fn ini_sections(before: &str, after: &str, read: &Pattern, narrows: &Pattern) -> Option<String> {
    let (old, new) = (sections(before), sections(after));
    let mut known = old.iter().filter(|(name, _)| read.is_match(name));
    if let Some((name, _)) = known.find(|(name, text)| new.get(*name) != Some(*text)) {
        return Some(format!("[{name}]"));
    }
    let is_new = |name: &str| read.is_match(name) && !old.contains_key(name);
    let mut added = new.iter().filter(|(name, _)| is_new(name));
    added.find(|(_, text)| narrows.is_match(text)).map(|(name, _)| format!("[{name}]"))
}

fn sections(text: &str) -> BTreeMap<String, String> {
    let mut sections: BTreeMap<String, String> = BTreeMap::new();
    let mut name = String::new();
    for line in plain(text).lines() {
        if let Some(it) = line.trim().strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            it.clone_into(&mut name);
            continue;
        }
        let section = sections.entry(name.clone()).or_default();
        section.push_str(line);
        section.push('\n');
    }
    sections
}

/// The recipes of the targets that check something, with those that they need, and what make
/// itself is told.
fn targets(before: &str, after: &str) -> Option<String> {
    let (old, new) = (recipes(before), recipes(after));
    let mut wanted = checking(&old);
    let edited = wanted.find(|it| old.get(*it) != new.get(*it)).map(str::to_owned);
    edited.or_else(|| {
        let (old, new) = (make_settings(before), make_settings(after));
        new.difference(&old).next().cloned()
    })
}

/// The targets that check something, and everything that they need.
fn checking(recipes: &BTreeMap<String, String>) -> impl Iterator<Item = &str> {
    let mut found: BTreeSet<&str> = BTreeSet::new();
    let mut open: Vec<&str> = recipes.keys().map(String::as_str).filter(|it| checks(it)).collect();
    while let Some(name) = open.pop() {
        let Some((name, text)) = recipes.get_key_value(name) else { continue };
        if found.insert(name) {
            let headers = text.lines().filter(|it| !it.starts_with([' ', '\t']));
            let needed = headers.filter_map(|it| it.split_once(':')).map(|(_, needed)| needed);
            open.extend(needed.flat_map(str::split_whitespace));
        }
    }
    found.into_iter()
}

/// Lines of a makefile that configure make itself.
fn make_settings(text: &str) -> BTreeSet<String> {
    static SETTINGS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^(?:(?:override|export)\s+)*(?:(\.SHELLFLAGS|MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES)\s*[:+?!]*=|(SHELL)\s*[:+?!]*=\s*(\S*)|(\.IGNORE|\.DEFAULT|\.RECIPEPREFIX)\b)",
        )
    });
    const SHELLS: [&str; 4] = ["sh", "bash", "dash", "zsh"];
    let is_shell = |it: &str| SHELLS.contains(&it.rsplit('/').next().unwrap_or(it));
    let text = plain(text);
    let found = text.lines().filter(|it| {
        let found = SETTINGS.captures(it);
        found.is_some_and(|it| it.get(3).is_none_or(|shell| !is_shell(shell.as_str())))
    });
    found.map(|it| it.trim().to_owned()).collect()
}

/// Whether two versions of a TOML file say something else; one that cannot be read does.
fn differs(before: &str, after: &str) -> bool {
    let values = |text: &str| {
        let document: DocumentMut = text.parse().ok()?;
        let mut values = BTreeMap::new();
        document.iter().for_each(|(key, item)| flatten(key, item, &mut values));
        Some(values)
    };
    let (old, new) = (values(before), values(after));
    new.is_none() || old != new
}

fn recipes(text: &str) -> BTreeMap<String, String> {
    static TARGET: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^([A-Za-z][\w.-]*)\s*[^:=]*::?(?:[^=]|$)"));
    let mut recipes: BTreeMap<String, String> = BTreeMap::new();
    let mut name = String::new();
    for line in plain(text).lines() {
        let target = if line.starts_with([' ', '\t']) { None } else { TARGET.captures(line) };
        if let Some(found) = target.as_ref().and_then(|it| it.get(1)) {
            found.as_str().clone_into(&mut name);
        }
        if !name.is_empty() {
            let recipe = recipes.entry(name.clone()).or_default();
            recipe.push_str(line.trim_end());
            recipe.push('\n');
        }
    }
    recipes
}

/// Whether hooks of a runner were added, or a file with hooks was edited: a hook's body may change
/// without the line that names it.
fn hooks(before: &str, after: &str, narrows: &Pattern) -> bool {
    let (before, after) = (plain(before), plain(after));
    let found = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|it| narrows.is_match(it));
        lines.map(|it| it.trim().to_owned()).collect()
    };
    let old = found(&before);
    let is_edited = !old.is_empty() && before != after;
    is_edited || found(&after).iter().any(|it| !old.contains(it))
}

/// Switches by which a build leaves its tests out.
fn switches(before: &str, after: &str, narrows: &Pattern) -> Option<String> {
    let found = |text: &str| narrows.find_iter(text).count();
    let first = narrows.find(after).map(|it| it.as_str().to_owned());
    first.filter(|_| found(after) > found(before))
}

/// A text without comments and blank lines.
fn plain(text: &str) -> String {
    let lines = text.lines().map(str::trim_end);
    let lines = lines.filter(|it| !it.is_empty() && !it.trim_start().starts_with(['#', ';']));
    lines.flat_map(|it| [it, "\n"]).collect()
}
