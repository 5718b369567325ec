//! What provost found out by itself about an attempt.

use provost_form::{
    Expected, Field, Form, Invalid, Limits, ProblemKind, Problems, Table, flag, list, text, whole,
};
use provost_kernel::{
    Message,
    task::{ProofFinding, ThresholdError, Thresholds},
};
use serde_json::Value;

use super::{Ask, trigger};
use crate::checks::BrokenCheck;

/// Facts that no agent and no judge can argue with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineFacts {
    /// The exit code of the test; none when no test was run.
    pub test_rc: Option<i32>,
    pub typecheck: CheckOutcome,
    pub build: CheckOutcome,
    /// Whether the change carries a secret.
    pub secrets: bool,
    /// Whether a forbidden file was touched.
    pub forbidden_globs: bool,
    /// What was delivered where a change was asked for.
    pub delivery: Delivery,
    /// How many sections that the task requires are absent.
    pub missing_sections: u32,
    /// Those sections, where no rubric takes points for them.
    pub absent_sections: Vec<String>,
    /// Files with marks of a conflict between the base and the attempt before.
    pub unresolved: Vec<String>,
    /// Whether the change is larger than it may be, or not explained.
    pub scope_refused: bool,
    /// Checks besides the test that are green without the change, and red with it.
    pub broken_checks: Vec<BrokenCheck>,
    /// What speaks against a green test.
    pub test_findings: Vec<ProofFinding>,
    /// Acceptance criteria whose evidence could not be reproduced.
    pub unproven_criteria: Vec<String>,
    /// Stories that are not done although every criterion is proven.
    pub open_stories: Vec<String>,
    /// What only a person can decide.
    pub asks: Vec<Ask>,
}

/// What an attempt delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    #[default]
    Change,
    /// No file is another one than on the base.
    Nothing,
}

/// What became of a check; one that was not run did not pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CheckOutcome {
    #[default]
    NotRun,
    Passed,
    Failed,
}

/// Why a file of facts cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.facts", en = "{0}", zh = "{0}", inherit = field0)]
pub struct FactsError(pub Invalid<FactsProblem>);

/// One thing that is wrong with a file of facts.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "task.facts_problem")]
pub enum FactsProblem {
    #[message(transparent)]
    Form(ProblemKind),
    #[message(en = "invalid threshold: {0}", zh = "门槛无效：{0}")]
    Threshold(ThresholdError),
}

impl From<ProblemKind> for FactsProblem {
    fn from(kind: ProblemKind) -> Self {
        Self::Form(kind)
    }
}

const LIMITS: Limits = Limits { bytes: 256 * 1024, depth: 8 };

impl CheckOutcome {
    /// What an exit code says.
    pub fn of_rc(rc: Option<i32>) -> Self {
        match rc {
            None => Self::NotRun,
            Some(0) => Self::Passed,
            Some(_) => Self::Failed,
        }
    }
}

impl MachineFacts {
    /// Whether a test was run and did not pass.
    pub fn has_failed_test(&self) -> bool {
        CheckOutcome::of_rc(self.test_rc) == CheckOutcome::Failed
    }

    /// How often the facts pull a trigger.
    pub(super) fn times(&self, trigger: &str) -> u32 {
        match trigger {
            trigger::SECRETS_FORBIDDEN_GLOBS => u32::from(self.secrets || self.forbidden_globs),
            trigger::TEST_CMD_FAILS => u32::from(self.has_failed_test()),
            trigger::MISSING_REQUIRED_SECTION => self.missing_sections,
            _ => 0,
        }
    }

    /// Reads a file of facts, with the thresholds of the task if it names any.
    ///
    /// What was found is true or false, a list of what was found, or how many there were.
    pub fn read(bytes: &[u8]) -> Result<(Self, Thresholds), FactsError> {
        let form = Form::json(bytes, LIMITS);
        let form = form.map_err(|it| FactsError(it.map(FactsProblem::Form).into()))?;
        let problems = Problems::default();
        let read = form.table(&problems).map(|mut it| (Self::of(&mut it), thresholds(&mut it)));
        problems.into_result(read).map_err(FactsError)
    }

    fn of(table: &mut Table<'_, FactsProblem>) -> Self {
        table.know(["thresholds"]);
        let mut rc = |key| table.optional(key, whole(i32::MIN..=i32::MAX));
        let (test_rc, typecheck, build) = (rc("test_rc"), rc("typecheck_rc"), rc("build_rc"));
        let mut count = |key| table.field(key).and_then(|it| count(&it)).unwrap_or(0);
        let facts = Self {
            test_rc,
            typecheck: CheckOutcome::of_rc(typecheck),
            build: CheckOutcome::of_rc(build),
            secrets: count("secrets") > 0,
            forbidden_globs: count("forbidden_globs") > 0,
            delivery: Delivery::Change,
            missing_sections: count("missing_sections"),
            absent_sections: Vec::new(),
            unresolved: Vec::new(),
            scope_refused: table.optional("scope_refused", flag()).unwrap_or(false),
            broken_checks: Vec::new(),
            test_findings: Vec::new(),
            unproven_criteria: table
                .optional("unproven_criteria", list(text()))
                .unwrap_or_default(),
            open_stories: table.optional("open_stories", list(text())).unwrap_or_default(),
            asks: Vec::new(),
        };
        table.finish();
        facts
    }
}

fn thresholds(table: &mut Table<'_, FactsProblem>) -> Thresholds {
    let Some(field) = table.field("thresholds") else { return Thresholds::default() };
    let Some(object) = field.value.as_object() else {
        field.mismatch(Expected::Object);
        return Thresholds::default();
    };
    Thresholds::read(object).unwrap_or_else(|error| {
        field.report(FactsProblem::Threshold(error));
        Thresholds::default()
    })
}

fn count(field: &Field<'_, FactsProblem>) -> Option<u32> {
    let bounded = |it: u64| u32::try_from(it).unwrap_or(u32::MAX);
    match field.value {
        Value::Bool(it) => Some(u32::from(*it)),
        Value::Array(list) => Some(u32::try_from(list.len()).unwrap_or(u32::MAX)),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            field.read(&whole(0..=u64::MAX)).map(bounded)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<MachineFacts, &str>) {
        let actual = MachineFacts::read(text.as_bytes()).map(|it| it.0);
        assert_eq!(actual.map_err(|it| it.to_string()), expected.map_err(str::to_owned), "{text}");
    }

    #[test]
    fn facts_are_read_in_the_forms_that_programs_write() {
        let none = MachineFacts::default();
        check("{}", Ok(none.clone()));
        check(r#"{"test_rc": 0}"#, Ok(MachineFacts { test_rc: Some(0), ..none.clone() }));
        check(r#"{"test_rc": null, "secrets": null}"#, Ok(none.clone()));
        for yes in ["true", "1", "[\"a\"]", "99999999999"] {
            let text = format!(r#"{{"secrets": {yes}, "forbidden_globs": {yes}}}"#);
            check(&text, Ok(MachineFacts { secrets: true, forbidden_globs: true, ..none.clone() }));
        }
        for no in ["false", "0", "[]"] {
            check(&format!(r#"{{"secrets": {no}, "forbidden_globs": {no}}}"#), Ok(none.clone()));
        }
        check(
            r#"{"typecheck_rc": 2, "build_rc": 0, "missing_sections": 3, "scope_refused": true, "unproven_criteria": ["AC-1"], "open_stories": ["US-001"]}"#,
            Ok(MachineFacts {
                typecheck: CheckOutcome::Failed,
                build: CheckOutcome::Passed,
                missing_sections: 3,
                scope_refused: true,
                unproven_criteria: vec!["AC-1".to_owned()],
                open_stories: vec!["US-001".to_owned()],
                ..none
            }),
        );
    }

    #[test]
    fn malformed_facts_have_a_named_error() {
        check(&format!("{{}}{}", " ".repeat(262_142)), Ok(MachineFacts::default()));
        check(&" ".repeat(262_145), Err("larger than 262144 bytes"));
        for (text, expected) in [
            ("[]", "expected an object, found `[]`"),
            ("{", "not valid JSON at column 1"),
            (r#"{"secret": true}"#, "`secret`: unknown key, did you mean `secrets`?"),
            (r#"{"xyzzy": true}"#, "`xyzzy`: unknown key"),
            (
                r#"{"test_rc": "0"}"#,
                "`test_rc`: expected a whole number from -2147483648 to 2147483647, found `\"0\"`",
            ),
            (
                r#"{"secrets": "no"}"#,
                "`secrets`: expected a whole number of at least 0, found `\"no\"`",
            ),
            (r#"{"secrets": -1}"#, "`secrets`: expected a whole number of at least 0, found `-1`"),
            (r#"{"scope_refused": 1}"#, "`scope_refused`: expected `true` or `false`, found `1`"),
            (
                r#"{"unproven_criteria": [1]}"#,
                "`unproven_criteria[0]`: expected a string, found `1`",
            ),
            (r#"{"thresholds": 1}"#, "`thresholds`: expected an object, found `1`"),
            (
                r#"{"thresholds": {"clarity": 9}}"#,
                "`thresholds`: invalid threshold: `clarity` is not a number from 0 to 5",
            ),
        ] {
            check(text, Err(&format!("line 1: {expected}")));
        }
        let error = MachineFacts::read(br#"{"xyzzy": true}"#).unwrap_err();
        assert!(error.hints()[0].to_string().starts_with("the known keys are `build_rc`"));
    }

    #[test]
    fn thresholds_come_with_the_facts() {
        let (_, thresholds) = MachineFacts::read(br#"{"thresholds": {"min_score": 50}}"#).unwrap();
        assert_eq!(serde_json::to_string(&thresholds).unwrap(), r#"{"min_score_0_100":50}"#);
    }

    #[test]
    fn a_check_that_was_not_run_did_not_pass() {
        assert_eq!(CheckOutcome::of_rc(None), CheckOutcome::NotRun);
        assert_eq!(CheckOutcome::of_rc(Some(0)), CheckOutcome::Passed);
        assert_eq!(CheckOutcome::of_rc(Some(-1)), CheckOutcome::Failed);
        assert!(!MachineFacts::default().has_failed_test());
        assert!(MachineFacts { test_rc: Some(1), ..MachineFacts::default() }.has_failed_test());
    }
}
