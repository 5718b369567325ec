//! The lists of dangerous and ordinary calls.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{failure::Failure, project};

/// What a list is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Dangerous,
    Ordinary,
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) kind: Kind,
    pub(super) class: String,
    /// The list that it stands in: the first or the second of its kind.
    pub(super) list: usize,
    pub(super) tool: String,
    pub(super) input: Value,
}

const FILES: [(&str, Kind, usize); 4] = [
    ("dangerous", Kind::Dangerous, 1),
    ("dangerous-2", Kind::Dangerous, 2),
    ("ordinary", Kind::Ordinary, 1),
    ("ordinary-2", Kind::Ordinary, 2),
];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    class: String,
    tool: String,
    command: Option<String>,
    input: Option<Value>,
}

pub(super) fn read() -> Result<Vec<Call>, Failure> {
    let mut calls = Vec::new();
    for (name, kind, list) in FILES {
        let path = format!("fixtures/guard/lists/{name}.jsonl");
        for (at, line) in project::read(&path)?.lines().enumerate() {
            let line: Line = serde_json::from_str(line).map_err(|error| {
                Failure::Unable(format!("cannot read line {} of `{path}`: {error}", at + 1))
            })?;
            let Line { class, tool, command, input } = line;
            let input = input.unwrap_or_else(|| json!({ "command": command }));
            calls.push(Call { kind, class, list, tool, input });
        }
    }
    Ok(calls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_as_long_as_they_must_be() {
        let calls = read().unwrap();
        let count = |kind: Kind| calls.iter().filter(|it| it.kind == kind).count();
        assert!(count(Kind::Dangerous) >= 700 && count(Kind::Ordinary) >= 500);
        assert!(calls.iter().all(|it| it.input.is_object()));
    }
}
