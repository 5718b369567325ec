//! Files that say how tests are run: edits after which other tests run, or none.
//!
//! A file that is new says how things are run from now on; one that was there and was edited in
//! the part that runs checks is reported. The rest of such a file is nobody's business.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use regex::Regex;
use toml_edit::{DocumentMut, Item};

use super::{ChangedText, package::package, shadow::replaces_shell, source::pattern};

/// Whether a change touches the part of a file that runs checks; a word for it, if it does.
pub(super) fn edited(change: &ChangedText<'_>) -> Option<String> {
    let path = change.old_path.unwrap_or(change.path);
    let name = path.rsplit('/').next().unwrap_or(path);
    let (before, after) = (change.before.unwrap_or_default(), change.after.unwrap_or_default());
    let was_there = change.before.is_some();
    match name {
        "package.json" if was_there => package(before, after),
        "Cargo.toml" if was_there => cargo(before, after),
        "pyproject.toml" if was_there => pyproject(before, after),
        "pytest.ini" | "tox.ini" | "setup.cfg" | ".coveragerc" if was_there => ini(before, after),
        "Makefile" | "makefile" | "GNUmakefile" | "justfile" | "Justfile" if was_there => {
            targets(before, after)
        }
        // Whatever these hold runs inside the runner, so that a new one counts as well.
        "conftest.py" | "sitecustomize.py" | "usercustomize.py" => hooks(name, before, after),
        // By the base's version this change is judged, and by this one the next.
        "provost.toml" => differs(before, after).then(|| name.to_owned()),
        ".npmrc" if was_there => {
            (plain(before) != plain(after) && replaces_shell(after)).then(|| name.to_owned())
        }
        "pom.xml" | "build.gradle" | "build.gradle.kts" if was_there => switches(before, after),
        _ if is_runner(path, name) => (was_there && before != after).then(|| name.to_owned()),
        _ => None,
    }
}

/// Files that do nothing but say how tests are run.
pub(super) fn is_runner(path: &str, name: &str) -> bool {
    static NAMES: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^(?:(?:jest|vitest|playwright|cypress|ava|karma|wdio|web-test-runner)\.(?:config|conf)\.\w+|jest\.setup\.\w+|vitest\.(?:setup|workspace)\.\w+|\.mocharc(?:\.\w+)?|\.rspec|phpunit\.xml(?:\.dist)?|noxfile\.py|nextest\.toml|\.jestrc)$",
        )
    });
    NAMES.is_match(name) || path == ".cargo/config.toml" || path.ends_with("/.cargo/config.toml")
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

/// What a manifest says about tests: targets, harnesses, profiles.
fn cargo(before: &str, after: &str) -> Option<String> {
    let (old, new) = (cargo_facts(before)?, cargo_facts(after).unwrap_or_default());
    let changed = old.iter().find(|(key, value)| new.get(*key) != Some(*value));
    if let Some((key, _)) = changed {
        return Some(key.clone());
    }
    // What is new counts where it turns something off.
    let turns_off = |key: &str, value: &str| {
        let (_, last) = key.rsplit_once('.').unwrap_or(("", key));
        matches!(last, "harness" | "test" | "doctest" | "autotests") && value.trim() == "false"
            || last == "required-features"
    };
    let off = new.iter().find(|(key, value)| !old.contains_key(*key) && turns_off(key, value));
    off.map(|(key, _)| key.clone())
}

fn cargo_facts(text: &str) -> Option<BTreeMap<String, String>> {
    const OF_TARGET: [&str; 5] = ["test", "harness", "doctest", "required-features", "path"];
    let document: DocumentMut = text.parse().ok()?;
    let mut facts = BTreeMap::new();
    let mut note = |key: String, item: Option<&Item>| {
        if let Some(item) = item {
            flatten(&key, item, &mut facts);
        }
    };
    let package = document.get("package");
    note("package.autotests".to_owned(), package.and_then(|it| it.get("autotests")));
    for key in ["test", "doctest", "harness"] {
        note(format!("lib.{key}"), document.get("lib").and_then(|it| it.get(key)));
    }
    note("profile.test".to_owned(), document.get("profile").and_then(|it| it.get("test")));
    for kind in ["test", "bin"] {
        let targets = document.get(kind).and_then(Item::as_array_of_tables);
        for target in targets.into_iter().flatten() {
            let name = target.get("name").and_then(Item::as_str).unwrap_or_default();
            for key in OF_TARGET {
                note(format!("{kind}.{name}.{key}"), target.get(key));
            }
        }
    }
    Some(facts)
}

/// The tables of `pyproject.toml` that runners read.
fn pyproject(before: &str, after: &str) -> Option<String> {
    const TOOLS: [&str; 5] = ["pytest", "tox", "coverage", "nox", "poe"];
    let read = |text: &str| text.parse::<DocumentMut>().ok();
    let (old, new) = (read(before)?, read(after).unwrap_or_default());
    let tool = |document: &DocumentMut, name: &str| {
        let item = document.get("tool").and_then(|it| it.get(name))?;
        let mut values = BTreeMap::new();
        flatten(name, item, &mut values);
        let lines = values.iter().map(|(key, value)| format!("{key} = {value}\n"));
        Some(lines.collect::<String>())
    };
    let was_there = |name: &&&str| tool(&old, name).is_some();
    let changed = TOOLS.iter().filter(was_there).find(|it| tool(&old, it) != tool(&new, it));
    let narrowed = TOOLS.iter().find(|it| {
        let added = tool(&new, it).filter(|_| tool(&old, it).is_none());
        added.is_some_and(|it| narrows(&it))
    });
    changed.or(narrowed).map(|it| format!("tool.{it}"))
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

/// The sections of an INI file that runners read.
fn ini(before: &str, after: &str) -> Option<String> {
    let reads = |name: &str| {
        let names = ["pytest", "tool:pytest", "tox", "run", "report", "coverage:run"];
        names.contains(&name) || name.starts_with("testenv")
    };
    let (old, new) = (sections(before), sections(after));
    let mut read = old.iter().filter(|(name, _)| reads(name));
    if let Some((name, _)) = read.find(|(name, text)| new.get(*name) != Some(*text)) {
        return Some(format!("[{name}]"));
    }
    let mut added = new.iter().filter(|(name, _)| reads(name) && !old.contains_key(*name));
    added.find(|(_, text)| narrows(text)).map(|(name, _)| format!("[{name}]"))
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

/// Whether settings that are new leave tests out.
pub(super) fn narrows(text: &str) -> bool {
    static NARROWING: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"--ignore|--deselect|-k\s|-m\s|collect_ignore|\bnorecursedirs\b|-p\s+no:|--co\b|--exit-zero|\|\|",
        )
    });
    NARROWING.is_match(text)
}

/// The recipes of the targets that check something, with those that they need, and what make
/// itself is told.
fn targets(before: &str, after: &str) -> Option<String> {
    let (old, new) = (recipes(before), recipes(after));
    let mut wanted = checking(&old);
    let edited = wanted.find(|it| old.get(*it) != new.get(*it)).map(str::to_owned);
    edited.or_else(|| {
        let (told, now) = (told(before), told(after));
        now.difference(&told).next().cloned()
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

/// What a makefile tells make about how everything is run.
fn told(text: &str) -> BTreeSet<String> {
    static TOLD: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^(?:(?:override|export)\s+)*(?:(\.SHELLFLAGS|MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES)\s*[:+?!]*=|(SHELL)\s*[:+?!]*=\s*(\S*)|(\.IGNORE|\.DEFAULT|\.RECIPEPREFIX)\b)",
        )
    });
    const SHELLS: [&str; 4] = ["sh", "bash", "dash", "zsh"];
    let is_shell = |it: &str| SHELLS.contains(&it.rsplit('/').next().unwrap_or(it));
    let text = plain(text);
    let found = text.lines().filter(|it| {
        let found = TOLD.captures(it);
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

/// Hooks by which a file changes what a runner does; fixtures are not among them.
fn hooks(name: &str, before: &str, after: &str) -> Option<String> {
    static HOOKS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\bpytest_(?:collection_modifyitems|collect_file|ignore_collect|itemcollected|deselected|runtest_\w+|sessionfinish|configure|cmdline_\w+|report_\w+|pyfunc_call|exception_interact|terminal_summary|unconfigure)\b|\bcollect_ignore(?:_glob)?\b|\b(?:os\._exit|sys\.exit)\(|\bexitstatus\b|\bhook(?:wrapper|impl)\b|\b_pytest\b|\bbuiltins\.|\bunittest\.\w+\.\w+\s*=",
        )
    });
    let found = |text: &str| -> Vec<String> {
        let text = plain(text);
        let lines = text.lines().filter(|it| HOOKS.is_match(it));
        lines.map(|it| it.trim().to_owned()).collect()
    };
    if name != "conftest.py" {
        // Python runs these before everything else, so that nothing in them is a fixture.
        return (plain(before) != plain(after) && !after.is_empty()).then(|| name.to_owned());
    }
    let old = found(before);
    // With a hook in the file, its body may have changed without the line that names it.
    let is_edited = !old.is_empty() && plain(before) != plain(after);
    let is_new = found(after).iter().any(|it| !old.contains(it));
    (is_edited || is_new).then(|| name.to_owned())
}

/// Switches by which a build leaves its tests out.
fn switches(before: &str, after: &str) -> Option<String> {
    static SWITCHES: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"skipTests|maven\.test\.skip|testFailureIgnore|ignoreFailures|<skip>\s*true|\bexcludeTestsMatching\b|\benabled\s*=\s*false|failIfNoTests",
        )
    });
    let found = |text: &str| SWITCHES.find_iter(text).count();
    let first = SWITCHES.find(after).map(|it| it.as_str().to_owned());
    first.filter(|_| found(after) > found(before))
}

/// A text without comments and blank lines.
fn plain(text: &str) -> String {
    let lines = text.lines().map(str::trim_end);
    let lines = lines.filter(|it| !it.is_empty() && !it.trim_start().starts_with(['#', ';']));
    lines.flat_map(|it| [it, "\n"]).collect()
}
