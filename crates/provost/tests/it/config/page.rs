//! `docs/configuration.md`, held against the schema that the program itself prints.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::world::World;

/// The first column of every table of the page: what is documented as a key.
fn documented() -> BTreeSet<String> {
    let page = include_str!("../../../../../docs/configuration.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    rows.map(|(key, _)| key.to_owned()).collect()
}

/// Every key of the schema that can hold a value.
fn keys(section: &str, schema: &Value, found: &mut BTreeSet<String>) {
    for (name, property) in schema["properties"].as_object().unwrap() {
        let key = if section.is_empty() { name.clone() } else { format!("{section}.{name}") };
        if property["properties"].is_object() {
            keys(&key, property, found);
        } else if property["items"]["properties"].is_object() {
            keys(&format!("{key}[]"), &property["items"], found);
        } else if property["type"] == "object" {
            found.insert(format!("{key}.NAME"));
        } else {
            found.insert(key);
        }
    }
}

#[test]
fn the_page_describes_every_key_and_no_other() {
    let schema = World::new().provost().args(["config", "schema"]).run().json();
    let mut expected = BTreeSet::new();
    keys("", &schema, &mut expected);
    assert_eq!(documented(), expected);
}

#[test]
fn the_page_states_every_default() {
    let page = include_str!("../../../../../docs/configuration.md");
    let shown = World::new().provost().args(["config", "show"]).run().stdout();
    for line in shown.lines() {
        let (key, value) = match line.split_once(" = ") {
            Some((key, value)) => (key, format!("`{value}`")),
            None => (line.trim_start_matches("# ").split(' ').next().unwrap(), "none".to_owned()),
        };
        // What a person names themselves has no default of its own.
        if ["adapter", "guard.rules", "prepare", "story.gates"].contains(&key) {
            continue;
        }
        let row = page.lines().find(|it| it.starts_with(&format!("| `{key}` |")));
        let columns: Vec<_> = row.unwrap_or_default().split(" | ").collect();
        assert_eq!(columns.get(2), Some(&value.as_str()), "{key}");
    }
}

#[test]
fn every_key_that_can_only_be_tightened_says_so() {
    let page = include_str!("../../../../../docs/configuration.md");
    for key in [
        "guard.unknown_fields",
        "identity.host",
        "identity.user",
        "remote.aliases",
        "retention.replay_days",
        "sandbox.required",
        "story.scope.hard_files",
        "story.scope.hard_lines",
        "story.scope.warn_files",
        "story.scope.warn_lines",
    ] {
        let row = page.lines().find(|it| it.starts_with(&format!("| `{key}` |"))).unwrap();
        assert!(row.contains("A later layer can only"), "{row}");
    }
}
