//! What an agent keeps: its login, its settings, its sessions.
//!
//! It gets folders of its own for each call, with the person's login and settings copied in. The
//! person's folders cannot be written by a job, because their programs obey what lies there at their
//! next start, outside every sandbox (ruling 96). Only a login that the program renewed goes back, and
//! only if nothing but its values changed.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::Value;

/// Where a program keeps its state, and what of the person's it is given.
#[derive(Debug)]
pub struct AgentState {
    /// Variables that name its folders, each with the folder below the private one.
    pub folders: &'static [(&'static str, &'static str)],
    pub files: &'static [StateFile],
}

/// A file of the person's that is copied in.
#[derive(Debug)]
pub struct StateFile {
    /// The variable that names the person's folder, where it is set.
    pub variable: &'static str,
    /// The folder below the person's home where it is not.
    pub home: &'static str,
    /// The file below that folder.
    pub name: &'static str,
    /// The folder below the private one that stands for it.
    pub into: &'static str,
    pub kind: StateKind,
}

/// What a file is to its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// Programs renew it, and then the old one may no longer count.
    Login,
    Settings,
}

impl AgentState {
    /// A program whose state has no folder of its own.
    pub const NONE: Self = Self { folders: &[], files: &[] };
}

impl StateFile {
    /// Where the person has it.
    pub fn source(&self, home: &Path, variables: &BTreeMap<String, String>) -> PathBuf {
        let named = variables.get(self.variable).filter(|it| Path::new(it).is_absolute());
        let folder = named.map_or_else(|| home.join(self.home), PathBuf::from);
        folder.join(self.name)
    }
}

/// Whether a login was renewed: the same keys as before, with other texts, numbers or flags. What
/// has another form is none that a program may read outside the sandbox.
pub fn is_renewed(before: &[u8], after: &[u8]) -> bool {
    let parsed = |bytes| serde_json::from_slice::<Value>(bytes).ok();
    match (parsed(before), parsed(after)) {
        (Some(before), Some(after)) => before != after && has_form_of(&before, &after),
        (None, _) | (_, None) => false,
    }
}

fn has_form_of(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            before.len() == after.len()
                && before
                    .iter()
                    .all(|(key, it)| after.get(key).is_some_and(|to| has_form_of(it, to)))
        }
        (Value::Array(before), Value::Array(after)) => before == after,
        (Value::Null, Value::Null)
        | (Value::Bool(_), Value::Bool(_))
        | (Value::Number(_), Value::Number(_))
        | (Value::String(_), Value::String(_)) => true,
        (_, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preset::table;

    /// Ruling 96: a login goes back only with the form that it had.
    #[test]
    fn only_the_values_of_a_login_are_renewed() {
        let before = r#"{"oauth": {"token": "a", "until": 1, "scopes": ["x"], "plan": null}}"#;
        for (after, expected) in [
            (before.to_owned(), false),
            (before.replace("\"a\"", "\"b\"").replace('1', "2"), true),
            (before.replace("\"x\"", "\"x\", \"y\""), false),
            (before.replace("null", "\"p\""), false),
            (before.replace("\"until\"", "\"apiKeyHelper\""), false),
            (before.replace('}', ", \"hooks\": 1}"), false),
            ("{".to_owned(), false),
            (String::new(), false),
        ] {
            assert_eq!(is_renewed(before.as_bytes(), after.as_bytes()), expected, "{after}");
        }
    }

    #[test]
    fn a_variable_of_the_person_s_goes_before_the_home() {
        let file = &StateFile {
            variable: "CODEX_HOME",
            home: ".codex",
            name: "auth.json",
            into: "codex",
            kind: StateKind::Login,
        };
        let home = Path::new("/h");
        let set = |it: &str| BTreeMap::from([("CODEX_HOME".to_owned(), it.to_owned())]);
        assert_eq!(file.source(home, &BTreeMap::new()), Path::new("/h/.codex/auth.json"));
        assert_eq!(file.source(home, &set("/c")), Path::new("/c/auth.json"));
        assert_eq!(file.source(home, &set("c")), Path::new("/h/.codex/auth.json"));
    }

    /// Ruling 96: a folder that is private is named by a variable, and no file leads out of it.
    #[test]
    fn the_states_of_the_presets_are_well_formed() {
        for preset in &table::ALL {
            let folders: Vec<&str> = preset.state.folders.iter().map(|it| it.1).collect();
            for file in preset.state.files {
                assert!(folders.contains(&file.into), "{}: {}", preset.name, file.name);
                let is_plain = |it: &str| !it.is_empty() && it != "." && it != "..";
                assert!(file.name.split('/').all(is_plain), "{}", file.name);
            }
            for (variable, _) in preset.state.folders {
                assert!(!preset.may_pass(variable), "{}: {variable}", preset.name);
            }
        }
    }
}
