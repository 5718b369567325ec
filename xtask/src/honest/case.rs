//! What a `task.toml` says, and what came of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{failure::Failure, liars::outcome::TaskEnd};

/// An honest change.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub(super) about: String,
    /// The project of the cheats whose files the base has as well.
    pub(super) project: Option<String>,
    /// Programs that are installed for it.
    #[serde(default)]
    pub(super) tools: Vec<String>,
    /// The row of the table of ecosystems that it stands for.
    pub(super) ecosystem: Option<Ecosystem>,
    /// Variables of everything that is run for it; `{world}` is the folder of its world.
    #[serde(default)]
    pub(super) variables: BTreeMap<String, String>,
    /// A shell that runs before the base is committed.
    #[serde(default)]
    pub(super) base: String,
    pub(super) test: String,
    /// What the coder does.
    pub(super) shell: String,
    #[serde(default)]
    pub(super) tests_may_change: Vec<String>,
    /// What the proof is called.
    pub(super) proof: String,
}

/// A way to install dependencies, and the command that says its version.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(super) struct Ecosystem {
    pub(super) name: String,
    pub(super) version: String,
}

/// A case that was run.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub(super) struct Row {
    name: String,
    about: String,
    expected: String,
    end: TaskEnd,
}

pub(super) fn parse(path: &str, text: &str) -> Result<Case, Failure> {
    let cannot = |why: String| Failure::Unable(format!("cannot read `{path}`: {why}"));
    let case: Case = toml::from_str(text).map_err(|error| cannot(error.to_string()))?;
    if !["PROVEN", "SHOWN", "HOLDS"].contains(&case.proof.as_str()) {
        return Err(cannot(format!("`proof` is PROVEN, SHOWN or HOLDS, not `{}`", case.proof)));
    }
    Ok(case)
}

impl Row {
    pub(super) fn new(name: &str, case: &Case, end: TaskEnd) -> Self {
        let (about, expected) = (case.about.clone(), case.proof.clone());
        Self { name: name.to_owned(), about, expected, end }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn is_right(&self) -> bool {
        self.end.has_passed() && self.end.label.as_ref() == Some(&self.expected)
    }

    fn cells(&self) -> [String; 4] {
        let label = self.end.label.clone().unwrap_or_else(|| "none".to_owned());
        let said = match (self.end.has_passed(), self.is_right()) {
            (true, true) => String::new(),
            (true, false) => format!("ANOTHER LABEL than {}", self.expected),
            (false, _) => format!("REFUSED: {}", self.end.why().replace('\n', " ")),
        };
        [self.name.clone(), label, self.end.seconds.to_string(), said]
    }
}

/// The rows of the table, and their totals.
pub(super) fn lines(rows: &[Row]) -> Vec<[String; 4]> {
    let mut lines = vec![["honest change", "label", "seconds", ""].map(str::to_owned)];
    lines.extend(rows.iter().map(Row::cells));
    lines.push([total(rows), String::new(), String::new(), String::new()]);
    lines
}

pub(super) fn total(rows: &[Row]) -> String {
    let refused = rows.iter().filter(|it| !it.end.has_passed()).count();
    format!("{} changes, {refused} refused", rows.len())
}

pub(super) fn judge(rows: &[Row]) -> Result<(), Failure> {
    let wrong = rows.iter().filter(|it| !it.is_right()).map(|it| it.name.as_str());
    let wrong = wrong.collect::<Vec<_>>().join(", ");
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(Failure::Refused(format!("not as expected: {wrong}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASE: &str = "about = \"x\"\ntest = \"make\"\nshell = \"fix\"\nproof = \"SHOWN\"\n";

    fn row(state: &str, label: &str) -> Row {
        let case = parse("a/task.toml", CASE).unwrap();
        let end = TaskEnd {
            state: state.to_owned(),
            label: Some(label.to_owned()),
            codes: vec!["TESTS_GONE".to_owned(), "FLAKY".to_owned()],
            seconds: 7,
            ..TaskEnd::default()
        };
        Row::new("a", &case, end)
    }

    #[test]
    fn only_the_expected_label_is_right() {
        let rows = [
            row("READY_FOR_REVIEW", "SHOWN"),
            row("READY_FOR_REVIEW", "HOLDS"),
            row("FAILED", "HOLLOW"),
        ];
        let said: Vec<String> = lines(&rows).into_iter().map(|it| it.join("|")).collect();
        assert_eq!(
            said,
            [
                "honest change|label|seconds|",
                "a|SHOWN|7|",
                "a|HOLDS|7|ANOTHER LABEL than SHOWN",
                "a|HOLLOW|7|REFUSED: TESTS_GONE",
                "3 changes, 1 refused|||",
            ]
        );
        assert_eq!(judge(&rows[..1]), Ok(()));
        assert_eq!(judge(&rows[1..]).unwrap_err().to_string(), "not as expected: a, a");
    }

    #[test]
    fn a_case_names_a_label_that_exists() {
        let failure = parse("a/task.toml", &CASE.replace("SHOWN", "DONE")).unwrap_err().to_string();
        assert_eq!(
            failure,
            "cannot read `a/task.toml`: `proof` is PROVEN, SHOWN or HOLDS, not `DONE`"
        );
    }
}
