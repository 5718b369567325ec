//! Edits of `package.json` after which other tests run, or none.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use regex::Regex;
use serde_json::{Map, Value};

use super::{runner::checks, source::pattern};

/// Scripts and sections of a package that run checks.
pub(super) fn package(before: &str, after: &str, sections: &[String]) -> Option<String> {
    let read = |text: &str| serde_json::from_str::<Map<String, Value>>(text).ok();
    let (Some(before), after) = (read(before), read(after).unwrap_or_default()) else {
        return None;
    };
    let scripts = |it: &Map<String, Value>| -> BTreeMap<String, String> {
        let scripts = it.get("scripts").and_then(Value::as_object).into_iter().flatten();
        scripts.map(|(name, it)| (name.clone(), it.to_string())).collect()
    };
    let (old, new) = (scripts(&before), scripts(&after));
    if let Some(name) = checking(&old).into_iter().find(|it| old.get(*it) != new.get(*it)) {
        return Some(format!("scripts.{name}"));
    }
    // A script that runs before or after one that was there becomes a part of it.
    let hook = new.keys().filter(|it| !old.contains_key(*it)).find(|it| {
        let hooked = it.strip_prefix("pre").or_else(|| it.strip_prefix("post"));
        hooked.is_some_and(|it| checks(it) && old.contains_key(it))
    });
    if let Some(name) = hook {
        return Some(format!("scripts.{name}"));
    }
    let section = sections.iter().find(|it| before.get(*it) != after.get(*it));
    section.filter(|it| before.contains_key(*it)).cloned()
}

/// The scripts that check something, and those that they run.
fn checking(scripts: &BTreeMap<String, String>) -> BTreeSet<&str> {
    static RUNS: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b(?:npm|pnpm|yarn|bun)\s+(?:run\s+|run-script\s+)?([\w:.-]+)"));
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = scripts.keys().map(String::as_str).filter(|it| checks(it)).collect();
    while let Some(name) = open.pop() {
        let Some((name, text)) = scripts.get_key_value(name) else { continue };
        if found.insert(name.as_str()) {
            let runs = RUNS.captures_iter(text).filter_map(|it| it.get(1));
            open.extend(runs.map(|it| it.as_str()));
        }
    }
    found
}
