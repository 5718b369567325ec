//! The checks that a task has besides its test: lint, types and build.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TaskSpec;
use crate::{Config, Record, words::words};

words! {
    /// A check besides the test, in the order in which they are run: what is cheap comes first.
    pub enum CheckKind {
        Lint = "lint",
        Types = "types",
        Build = "build",
    }
}

words! {
    /// How a check ended on one version of the files.
    pub enum CheckState {
        Green = "green",
        Red = "red",
        /// Its program is not there, or it did not end in time: it says nothing about the files.
        CannotRun = "cannot_run",
        /// What it needs could not be installed.
        NotReady = "not_ready",
    }
}

words! {
    /// What a check says of a change, held against the base.
    pub enum CheckVerdict {
        Green = "green",
        /// Red on the base, and green now.
        Mended = "mended",
        /// Green on the base, and not any more.
        Broken = "broken",
        /// Red on the base as well: it does not count against the change.
        RedBefore = "red_before",
        /// Green, and the change touches what decides that.
        RulesChanged = "rules_changed",
        /// It could not be run: nothing is known.
        NotRun = "not_run",
    }
}

/// A check that is configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub kind: CheckKind,
    /// As a shell reads it, from the root of the repository.
    pub command: String,
}

/// One run of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckRun {
    pub kind: CheckKind,
    pub command: String,
    pub state: CheckState,
    pub rc: i32,
    pub wall_ms: u64,
    /// The end of what it printed, without secrets, or why it was not started.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said: String,
    /// Files that decide what it says and that the change touches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules_changed: Vec<String>,
    /// What it says of the change; none for a run on the base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<CheckVerdict>,
}

/// The checks of one version of the files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckRuns {
    pub commit: String,
    pub runs: Vec<CheckRun>,
}

impl Record for CheckRuns {
    const SCHEMA: &'static str = "provost.checks/1";
    const KEYS: &'static [&'static str] = &["commit", "runs"];
}

impl CheckRun {
    /// The last line of what it printed; empty where it printed nothing.
    pub fn last_line(&self) -> &str {
        self.said.lines().rev().map(str::trim).find(|it| !it.is_empty()).unwrap_or_default()
    }
}

impl CheckRuns {
    /// Whether these are the runs of these checks.
    pub fn are_of(&self, checks: &[Check]) -> bool {
        let runs = self.runs.iter().map(|it| (it.kind, it.command.as_str()));
        runs.eq(checks.iter().map(|it| (it.kind, it.command.as_str())))
    }

    pub fn of(&self, kind: CheckKind) -> Option<&CheckRun> {
        self.runs.iter().find(|it| it.kind == kind)
    }
}

impl Check {
    /// The checks of a command for each kind, in their order.
    fn all<'a>(command: impl Fn(CheckKind) -> Option<&'a String>) -> Vec<Self> {
        let kinds = CheckKind::ALL.iter();
        kinds.filter_map(|&kind| Some(Self { kind, command: command(kind)?.clone() })).collect()
    }
}

impl Config {
    /// The checks of tasks that name none.
    pub fn checks(&self) -> Vec<Check> {
        Check::all(|kind| match kind {
            CheckKind::Lint => self.task.lint.as_ref(),
            CheckKind::Types => self.task.types.as_ref(),
            CheckKind::Build => self.task.build.as_ref(),
        })
    }
}

impl TaskSpec {
    /// The checks that its result has to pass besides the test.
    pub fn checks(&self) -> Vec<Check> {
        Check::all(|kind| match kind {
            CheckKind::Lint => self.lint.as_ref(),
            CheckKind::Types => self.types.as_ref(),
            CheckKind::Build => self.build.as_ref(),
        })
    }

    /// Takes a check over, unless the task names one of its kind.
    pub fn take_check(&mut self, check: &Check) {
        let own = match check.kind {
            CheckKind::Lint => &mut self.lint,
            CheckKind::Types => &mut self.types,
            CheckKind::Build => &mut self.build,
        };
        own.get_or_insert_with(|| check.command.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_keeps_the_checks_that_it_names() {
        let mut spec = TaskSpec::new("t1".parse().unwrap());
        assert_eq!(spec.checks(), []);
        spec.types = Some("mypy src".to_owned());
        let mut config = Config::default();
        config.task.types = Some("mypy .".to_owned());
        config.task.lint = Some("ruff check .".to_owned());
        config.checks().iter().for_each(|it| spec.take_check(it));
        let commands: Vec<_> =
            spec.checks().into_iter().map(|it| (it.kind.as_str(), it.command)).collect();
        assert_eq!(
            commands,
            [("lint", "ruff check .".to_owned()), ("types", "mypy src".to_owned())]
        );
    }

    #[test]
    fn the_last_line_says_something() {
        let run = |said: &str| CheckRun {
            kind: CheckKind::Types,
            command: "mypy .".to_owned(),
            state: CheckState::Red,
            rc: 1,
            wall_ms: 0,
            said: said.to_owned(),
            rules_changed: Vec::new(),
            verdict: None,
        };
        assert_eq!(run("a\n  b \n\n").last_line(), "b");
        assert_eq!(run("").last_line(), "");
        let check = Check { kind: CheckKind::Types, command: "mypy .".to_owned() };
        let runs = CheckRuns { commit: String::new(), runs: vec![run("")] };
        assert!(runs.are_of(std::slice::from_ref(&check)) && !runs.are_of(&[]));
        assert!(runs.of(CheckKind::Types).is_some() && runs.of(CheckKind::Lint).is_none());
    }
}
