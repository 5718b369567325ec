//! Files of which a part says how tests are run: the product's part of one version, with the tests'
//! part of another.

pub mod rust;

use provost_rules::ecosystem::{self, Pattern, Reads, TomlKeys};
use serde_json::{Map, Value};
use toml_edit::{DocumentMut, Item};

/// Keys of a `package.json` that decide how its tests are run, besides those of the table.
const PACKAGE_KEYS: [&str; 3] = ["scripts", "type", "workspaces"];

/// The file with the tests' part of another version, which may not have the file at all. None if it
/// is not such a file, or cannot be read as what its name says.
pub fn with_tests_of(path: &str, product: &str, tests: Option<&str>) -> Option<String> {
    match &ecosystem::runner_file(path)?.reads {
        Reads::PackageScripts(keys) => {
            let keys = keys.iter().map(String::as_str).chain(PACKAGE_KEYS);
            json(product, tests, keys)
        }
        Reads::TomlTables(tables) => toml(product, tests, tables.iter().map(String::as_str)),
        Reads::TomlKeys(TomlKeys { keys, targets, .. }) => {
            // Other programs are the product; only tests are replaced whole.
            let targets = targets.iter().filter(|it| *it == "test");
            toml(product, tests, keys.iter().chain(targets).map(String::as_str))
        }
        Reads::IniSections(names) => Some(ini(product, tests, names)),
        Reads::Whole
        | Reads::MakeTargets
        | Reads::Hooks
        | Reads::Preloaded
        | Reads::Settings
        | Reads::Switches => None,
    }
}

fn json<'a>(
    product: &str,
    tests: Option<&str>,
    keys: impl Iterator<Item = &'a str>,
) -> Option<String> {
    let mut whole: Map<String, Value> = serde_json::from_str(product).ok()?;
    let tests: Map<String, Value> = serde_json::from_str(tests.unwrap_or("{}")).ok()?;
    for key in keys {
        match tests.get(key) {
            Some(value) => whole.insert(key.to_owned(), value.clone()),
            None => whole.remove(key),
        };
    }
    let mut text = serde_json::to_string_pretty(&whole).ok()?;
    text.push('\n');
    Some(text)
}

fn toml<'a>(
    product: &str,
    tests: Option<&str>,
    keys: impl Iterator<Item = &'a str>,
) -> Option<String> {
    let mut whole: DocumentMut = product.parse().ok()?;
    let tests: DocumentMut = tests.unwrap_or_default().parse().ok()?;
    for key in keys {
        let parts: Vec<&str> = key.split('.').collect();
        let found = parts.iter().try_fold(tests.as_item(), |item, part| item.get(part)).cloned();
        replace(whole.as_item_mut(), &parts, found);
    }
    Some(whole.to_string())
}

/// Puts an item where a path leads, or takes away what is there.
fn replace(item: &mut Item, parts: &[&str], new: Option<Item>) {
    let Some((first, rest)) = parts.split_first() else { return };
    let Some(table) = item.as_table_like_mut() else { return };
    match (rest.is_empty(), new) {
        (true, Some(new)) => drop(table.insert(first, new)),
        (true, None) => drop(table.remove(first)),
        (false, new) => {
            if new.is_some() && !table.contains_key(first) {
                let mut parent = toml_edit::Table::new();
                parent.set_implicit(true);
                table.insert(first, Item::Table(parent));
            }
            if let Some(item) = table.get_mut(first) {
                replace(item, rest, new);
            }
        }
    }
}

/// Sections whose names match come from the tests, the others from the product.
fn ini(product: &str, tests: Option<&str>, names: &Pattern) -> String {
    let part = |text: &str, is_wanted: bool| -> String {
        let mut is_taken = !is_wanted;
        let lines = text.lines().filter(|line| {
            if let Some(name) = line.trim().strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
                is_taken = names.is_match(name.trim()) == is_wanted;
            }
            is_taken
        });
        lines.flat_map(|it| [it, "\n"]).collect()
    };
    format!("{}{}", part(product, false), part(tests.unwrap_or_default(), true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, product: &str, tests: Option<&str>, expected: Option<&str>) {
        assert_eq!(with_tests_of(path, product, tests).as_deref(), expected, "{path}");
    }

    #[test]
    fn each_part_comes_from_its_own_version() {
        check(
            "package.json",
            r#"{"dependencies": {"a": "2"}, "scripts": {"test": "true"}, "jest": {"bail": 1}}"#,
            Some(r#"{"dependencies": {"a": "1"}, "scripts": {"test": "jest"}}"#),
            Some(
                "{\n  \"dependencies\": {\n    \"a\": \"2\"\n  },\n  \"scripts\": {\n    \"test\": \"jest\"\n  }\n}\n",
            ),
        );
        check(
            "pyproject.toml",
            "[project]\nname = \"new\"\n[tool.pytest.ini_options]\naddopts = \"--co\"\n",
            Some("[project]\nname = \"old\"\n"),
            Some("[project]\nname = \"new\"\n"),
        );
        check(
            "pyproject.toml",
            "[project]\nname = \"new\"\n",
            Some("[tool.pytest.ini_options]\naddopts = \"-q\"\n"),
            Some("[project]\nname = \"new\"\n[tool.pytest.ini_options]\naddopts = \"-q\"\n"),
        );
        check(
            "Cargo.toml",
            "[package]\nname = \"a\"\nautotests = false\n[lib]\ntest = false\npath = \"x.rs\"\n",
            Some("[package]\nname = \"a\"\n"),
            Some("[package]\nname = \"a\"\n[lib]\npath = \"x.rs\"\n"),
        );
        check(
            "setup.cfg",
            "[metadata]\nname = new\n[tool:pytest]\naddopts = --co\n[x]\ny = 1\n",
            Some("[metadata]\nname = old\n[tool:pytest]\naddopts = -q\n"),
            Some("[metadata]\nname = new\n[x]\ny = 1\n[tool:pytest]\naddopts = -q\n"),
        );
        check("setup.cfg", "[pytest]\na = 1\n", None, Some(""));
        check("src/a.py", "", None, None);
        check("package.json", "{", Some("{}"), None);
    }
}
