//! Whether a folder belongs to the installation of one above it.

use provost_rules::ecosystem::{Install, is_like};
use serde_json::Value;

use super::{Files, join};

/// Whether the manifest of a folder counts another one below it among its members: its lock file,
/// if it has one, is not used.
pub(crate) fn is_member(row: &Install, above: &str, folder: &str, files: Files<'_>) -> bool {
    let below = match above {
        "" => folder,
        above => match folder.strip_prefix(above).and_then(|it| it.strip_prefix('/')) {
            Some(below) => below,
            None => return false,
        },
    };
    let patterns = row.members.iter().flat_map(|it| {
        let text = (files.delivered)(&join(above, &it.file)).unwrap_or_default();
        list(&it.file, &it.key, &text)
    });
    let patterns: Vec<String> = patterns.collect();
    let (out, into): (Vec<&String>, Vec<&String>) =
        patterns.iter().partition(|it| it.starts_with('!'));
    into.iter().any(|it| matches(it, below))
        && !out.iter().any(|it| matches(it.trim_start_matches('!'), below))
}

/// The texts of a list in a file.
fn list(file: &str, key: &str, text: &str) -> Vec<String> {
    if extension(file) == Some("yaml") {
        return yaml_list(key, text);
    }
    let value = read(file, text);
    let items = at(&value, key).and_then(Value::as_array).cloned().unwrap_or_default();
    items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// A document in JSON or TOML, by the name of its file.
pub(super) fn read(file: &str, text: &str) -> Value {
    if extension(file) == Some("toml") {
        let table: Option<toml::Table> = toml::from_str(text).ok();
        table.and_then(|it| serde_json::to_value(it).ok()).unwrap_or_default()
    } else {
        serde_json::from_str(text).unwrap_or_default()
    }
}

fn extension(file: &str) -> Option<&str> {
    file.rsplit_once('.').map(|(_, it)| it)
}

/// What a document has at a key; dots lead into tables.
pub(super) fn at<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    key.split('.').try_fold(value, |value, key| value.get(key))
}

/// The items of a top-level list of a YAML file, one on each line.
fn yaml_list(key: &str, text: &str) -> Vec<String> {
    let mut lines = text.lines().skip_while(|it| it.trim_end() != format!("{key}:"));
    lines.next();
    let items = lines
        .filter(|it| !it.trim().is_empty() && !it.trim_start().starts_with('#'))
        .map_while(|it| it.trim_start().strip_prefix("- "));
    items.map(|it| it.trim().trim_matches(['"', '\'']).to_owned()).collect()
}

/// Whether a folder is meant by a pattern: `*` stands for one name, `**` for any number.
fn matches(pattern: &str, folder: &str) -> bool {
    fn parts(pattern: &[&str], folder: &[&str]) -> bool {
        match (pattern, folder) {
            ([], []) => true,
            (["**", rest @ ..], _) => {
                (0..=folder.len()).any(|it| parts(rest, folder.get(it..).unwrap_or_default()))
            }
            ([first, pattern @ ..], [name, folder @ ..]) => {
                is_like(first, name) && parts(pattern, folder)
            }
            ([], [_, ..]) | ([_, ..], []) => false,
        }
    }
    let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
    let pattern: Vec<&str> = pattern.split('/').collect();
    let folder: Vec<&str> = folder.split('/').collect();
    parts(&pattern, &folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_named_by_a_pattern() {
        for (pattern, folder, expected) in [
            ("packages/*", "packages/a", true),
            ("packages/*", "packages/a/b", false),
            ("packages/**", "packages/a/b", true),
            ("./web/", "web", true),
            ("web", "webs", false),
            ("lib-*", "lib-a", true),
        ] {
            assert_eq!(matches(pattern, folder), expected, "{pattern} {folder}");
        }
    }

    #[test]
    fn members_are_read_from_each_kind_of_file() {
        let json = r#"{"workspaces": ["a", "b/*"]}"#;
        assert_eq!(list("package.json", "workspaces", json), ["a", "b/*"]);
        let nested = r#"{"workspaces": {"packages": ["a"]}}"#;
        assert_eq!(list("package.json", "workspaces.packages", nested), ["a"]);
        let toml = "[workspace]\nmembers = [\"x\"]\n";
        assert_eq!(list("Cargo.toml", "workspace.members", toml), ["x"]);
        let yaml = "packages:\n  - 'a/*'\n  # not this\n  - \"!a/b\"\nother:\n  - c\n";
        assert_eq!(list("pnpm-workspace.yaml", "packages", yaml), ["a/*", "!a/b"]);
    }
}
