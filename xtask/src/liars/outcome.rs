//! What came of a case: who noticed the cheat, and whether the honest twin was left in peace.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::case::{Case, Level};
use crate::failure::Failure;

/// The state of a task that passed.
const PASSED: &str = "READY_FOR_REVIEW";

/// What can notice a cheat.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mechanism {
    /// The record of the tests that ran.
    Record,
    /// The same command with the tests, or the product, of the base.
    Square,
    /// Tests that must fail.
    Plant,
    /// The clean checkout itself: the test is red there.
    Place,
    /// The run without hooks, whose exit code counts; to provost it is the same as the place.
    Plain,
    /// Changes taken back, and errors in changed lines.
    Strict,
    /// Rules about the change itself, before any test.
    Policy,
}

/// What one run of a task left.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
pub(crate) struct TaskEnd {
    pub(crate) state: String,
    pub(crate) label: Option<String>,
    /// The codes of what was found, notices among them.
    pub(crate) codes: Vec<String>,
    /// The exit code of the test itself.
    pub(crate) test_rc: Option<i32>,
    pub(crate) message: String,
    pub(crate) seconds: u64,
}

/// A case that was run.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) level: Level,
    /// Whether the cheat is green by its exit code, apart from provost.
    pub(crate) is_green: bool,
    pub(crate) cheat: TaskEnd,
    pub(crate) caught_by: BTreeSet<Mechanism>,
    pub(crate) twin: TaskEnd,
    pub(crate) faults: Vec<Fault>,
}

/// Why a row is not as it should be.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fault {
    /// The cheat is red by itself: a fault of the case.
    CheatIsRed,
    Missed,
    /// It was caught although the only mechanism that should notice it was off, or it is called a
    /// limit.
    CaughtAllTheSame,
    TwinAccused,
    /// The twin passed, with another proof.
    TwinLabel,
}

impl Mechanism {
    pub(crate) fn is_on(self, level: Level) -> bool {
        match self {
            Self::Record | Self::Place | Self::Plain | Self::Policy => true,
            Self::Square | Self::Plant => level >= Level::Standard,
            Self::Strict => level >= Level::Strict,
        }
    }

    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Square => "square",
            Self::Plant => "plant",
            Self::Place => "place",
            Self::Plain => "plain",
            Self::Strict => "strict",
            Self::Policy => "policy",
        }
    }

    /// What finds this; none for a notice.
    fn of(code: &str) -> Option<Self> {
        Some(match code {
            "NO_TEST_PASSED" | "RUN_INCOMPLETE" | "EXIT_MASKED" | "RUNNER_GONE"
            | "TESTS_REWRITTEN" | "DIFFERS_UNWATCHED" | "TESTS_SKIPPED" | "TESTS_GONE"
            | "TESTS_FEWER" => Self::Record,
            "REGRESSION"
            | "ONLY_WITH_CHANGED_TESTS"
            | "GREENED_BY_TESTS"
            | "EXPECTATION_CHANGED"
            | "BASE_TESTS_DO_NOT_RUN" => Self::Square,
            "PLANT_SURVIVED" | "PLANT_BLIND" | "TESTS_READ" => Self::Plant,
            "CHANGE_UNNOTICED" | "MUTANTS_LIVE" => Self::Strict,
            _ => return None,
        })
    }
}

impl TaskEnd {
    pub(crate) fn has_passed(&self) -> bool {
        self.state == PASSED
    }

    /// What noticed that something is wrong.
    pub(crate) fn caught_by(&self) -> BTreeSet<Mechanism> {
        if self.has_passed() {
            return BTreeSet::new();
        }
        let found: BTreeSet<_> = self.codes.iter().filter_map(|it| Mechanism::of(it)).collect();
        match self.test_rc {
            _ if !found.is_empty() => found,
            // Where more than HOLDS is required, that nothing new is shown is a finding.
            Some(0) if self.codes.iter().any(|it| it == "NOTHING_NEW") => {
                [Mechanism::Square].into()
            }
            Some(0) | None => [Mechanism::Policy].into(),
            Some(_) => [Mechanism::Place].into(),
        }
    }
}

impl Row {
    pub(crate) fn new(
        (name, case): (&str, &Case),
        (level, off): (Level, Option<Mechanism>),
        is_green: bool,
        (cheat, twin): (TaskEnd, TaskEnd),
    ) -> Self {
        let caught_by = cheat.caught_by();
        let mut faults = Vec::new();
        let is_alone = off.is_some() && case.alone == off;
        if !is_green {
            faults.push(Fault::CheatIsRed);
        } else if caught_by.is_empty() && case.is_due(level, off) && !is_alone {
            faults.push(Fault::Missed);
        } else if !caught_by.is_empty() && (is_alone || case.limit.is_some()) {
            faults.push(Fault::CaughtAllTheSame);
        }
        if !twin.has_passed() {
            faults.push(Fault::TwinAccused);
        } else if twin.label.as_deref() != Some(&case.proof) && level >= Level::Standard {
            faults.push(Fault::TwinLabel);
        }
        Self { name: name.to_owned(), level, is_green, cheat, caught_by, twin, faults }
    }

    fn cells(&self) -> [String; 6] {
        let by: Vec<&str> = self.caught_by.iter().map(|it| it.text()).collect();
        let caught = match (self.is_green, by.is_empty()) {
            (false, _) => "red by itself".to_owned(),
            (true, true) => "missed".to_owned(),
            (true, false) => by.join(" "),
        };
        let has_mechanism = |it: &&String| Mechanism::of(it).is_some();
        let codes: BTreeSet<&String> = self.cheat.codes.iter().filter(has_mechanism).collect();
        let codes: Vec<&str> = codes.into_iter().map(String::as_str).collect();
        let codes = if codes.is_empty() { self.cheat.message.clone() } else { codes.join(" ") };
        let label = self.twin.label.clone().unwrap_or_else(|| "none".to_owned());
        let accused = if self.twin.has_passed() { "no".to_owned() } else { self.twin.why() };
        let fault = self.faults.iter().map(Fault::text).collect::<Vec<_>>().join(", ");
        [self.name.clone(), caught, codes, label, accused, fault].map(|it| shortened(&it))
    }
}

impl TaskEnd {
    /// Why it did not pass, in a few words.
    pub(crate) fn why(&self) -> String {
        let found = self.codes.iter().filter(|it| Mechanism::of(it).is_some());
        let found = found.map(String::as_str).collect::<Vec<_>>().join(" ");
        if found.is_empty() { format!("{}: {}", self.state, self.message) } else { found }
    }
}

impl Fault {
    fn text(&self) -> &'static str {
        match self {
            Self::CheatIsRed => "FAULT OF THE CASE",
            Self::Missed => "MISSED",
            Self::CaughtAllTheSame => "CAUGHT ALL THE SAME",
            Self::TwinAccused => "TWIN ACCUSED",
            Self::TwinLabel => "ANOTHER LABEL",
        }
    }
}

/// The rows, and what they come to for each set and mechanism.
pub(crate) fn report(rows: &[Row]) -> String {
    let head = ["case", "caught by", "found", "twin", "accused", ""].map(str::to_owned);
    let mut text = table(&[vec![head], rows.iter().map(Row::cells).collect()].concat());
    text.push('\n');
    text.push_str(&totals(rows));
    text
}

/// What rows come to, for each set.
pub(crate) fn totals(rows: &[Row]) -> String {
    let head = [
        "set",
        "cheats",
        "caught",
        "record",
        "square",
        "plant",
        "place",
        "strict",
        "policy",
        "twins accused",
    ];
    let mut lines = vec![head.map(str::to_owned)];
    let mut sets: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        sets.entry(row.name.split('/').next().unwrap_or_default()).or_default().push(row);
    }
    for (set, rows) in sets {
        let count = |is_so: &dyn Fn(&Row) -> bool| rows.iter().filter(|it| is_so(it)).count();
        let by = |it: Mechanism| count(&|row| row.caught_by.contains(&it));
        let numbers = [
            rows.len(),
            count(&|it| it.is_green && !it.caught_by.is_empty()),
            by(Mechanism::Record),
            by(Mechanism::Square),
            by(Mechanism::Plant),
            by(Mechanism::Place),
            by(Mechanism::Strict),
            by(Mechanism::Policy),
            count(&|it| !it.twin.has_passed()),
        ];
        let mut line = vec![set.to_owned()];
        line.extend(numbers.map(|it| it.to_string()));
        lines.extend(<[String; 10]>::try_from(line).ok());
    }
    table(&lines)
}

/// Columns of equal width.
pub(crate) fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|it| it[column].chars().count()).max();
    let widths: [usize; N] = std::array::from_fn(|it| width(it).unwrap_or_default());
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// The first line of a text, and not too much of it.
fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= 72 {
        line.to_owned()
    } else {
        line.chars().take(71).chain(['…']).collect()
    }
}

/// Whether every row is as it should be.
pub(crate) fn judge(rows: &[Row]) -> Result<(), Failure> {
    let wrong: Vec<String> = rows
        .iter()
        .filter(|it| !it.faults.is_empty())
        .map(|it| {
            let faults = it.faults.iter().map(Fault::text).collect::<Vec<_>>().join(", ");
            format!("`{}`: {}", it.name, faults.to_lowercase())
        })
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(Failure::Refused(wrong.join("\n"))) }
}

#[cfg(test)]
mod tests;
