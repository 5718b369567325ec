//! What provost found out by itself about an attempt.

use provost_kernel::{
    Message,
    task::{ThresholdError, Thresholds},
};
use provost_rules::nearest::nearest;
use serde_json::{Map, Value};

use super::trigger;
use crate::strict::{self, Limits, StrictError, shorten};

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
    /// How many sections that the task requires are absent.
    pub missing_sections: u32,
    /// Whether the change is larger than it may be, or not explained.
    pub scope_refused: bool,
    /// Acceptance criteria whose evidence could not be reproduced.
    pub unproven_criteria: Vec<String>,
    /// Stories that are not done although every criterion is proven.
    pub open_stories: Vec<String>,
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
#[message(code = "task.facts")]
pub enum FactsError {
    #[message(transparent)]
    Json(StrictError),
    #[message(en = "the facts are not a JSON object", zh = "事实不是 JSON 对象")]
    NotAnObject,
    #[message(
        en = "unknown fact `{key}`",
        zh = "未知的事实 `{key}`",
        hint(
            when = nearest.is_some(),
            en = "did you mean `{nearest}`?",
            zh = "是否想写 `{nearest}`？"
        ),
        hint(
            when = nearest.is_none(),
            en = "the facts are {known:names}",
            zh = "可用的事实：{known:names}"
        ),
        arg(known = KEYS)
    )]
    UnknownKey { key: String, nearest: Option<&'static str> },
    #[message(en = "the fact `{key}` has the wrong type", zh = "事实 `{key}` 的类型不对")]
    WrongType { key: &'static str },
    #[message(en = "invalid threshold: {0}", zh = "门槛无效：{0}")]
    Threshold(ThresholdError),
}

const LIMITS: Limits = Limits { bytes: 256 * 1024, depth: 8 };
const KEYS: [&str; 10] = [
    "test_rc",
    "secrets",
    "forbidden_globs",
    "thresholds",
    "typecheck_rc",
    "build_rc",
    "missing_sections",
    "scope_refused",
    "unproven_criteria",
    "open_stories",
];

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
        let value = strict::parse(bytes, LIMITS).map_err(FactsError::Json)?;
        let Value::Object(object) = value else { return Err(FactsError::NotAnObject) };
        if let Some(key) = object.keys().find(|it| !KEYS.contains(&it.as_str())) {
            let nearest = nearest(key, KEYS);
            return Err(FactsError::UnknownKey { key: shorten(key), nearest });
        }
        let input = Input { object: &object };
        let thresholds = match input.typed("thresholds", Value::as_object)? {
            Some(it) => Thresholds::read(it).map_err(FactsError::Threshold)?,
            None => Thresholds::default(),
        };
        let facts = Self {
            test_rc: input.typed("test_rc", exit_code)?,
            typecheck: CheckOutcome::of_rc(input.typed("typecheck_rc", exit_code)?),
            build: CheckOutcome::of_rc(input.typed("build_rc", exit_code)?),
            secrets: input.typed("secrets", count)?.is_some_and(|it| it > 0),
            forbidden_globs: input.typed("forbidden_globs", count)?.is_some_and(|it| it > 0),
            missing_sections: input.typed("missing_sections", count)?.unwrap_or(0),
            scope_refused: input.typed("scope_refused", Value::as_bool)?.unwrap_or(false),
            unproven_criteria: input.typed("unproven_criteria", texts)?.unwrap_or_default(),
            open_stories: input.typed("open_stories", texts)?.unwrap_or_default(),
        };
        Ok((facts, thresholds))
    }
}

struct Input<'a> {
    object: &'a Map<String, Value>,
}

impl<'a> Input<'a> {
    fn typed<T>(
        &self,
        key: &'static str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, FactsError> {
        let value = self.object.get(key).filter(|it| !it.is_null());
        value.map(|it| read(it).ok_or(FactsError::WrongType { key })).transpose()
    }
}

fn exit_code(value: &Value) -> Option<i32> {
    value.as_i64().and_then(|it| i32::try_from(it).ok())
}

fn count(value: &Value) -> Option<u32> {
    match value {
        Value::Bool(it) => Some(u32::from(*it)),
        Value::Array(list) => Some(u32::try_from(list.len()).unwrap_or(u32::MAX)),
        Value::Number(it) => it.as_u64().map(|it| u32::try_from(it).unwrap_or(u32::MAX)),
        Value::Null | Value::String(_) | Value::Object(_) => None,
    }
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|it| it.as_str().map(str::to_owned)).collect()
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
        check(&" ".repeat(262_145), Err("the text has more than 262144 bytes"));
        check("[]", Err("the facts are not a JSON object"));
        check("{", Err("the text is not JSON, at line 1, column 1"));
        check(r#"{"secret": true}"#, Err("unknown fact `secret`"));
        check(r#"{"test_rc": "0"}"#, Err("the fact `test_rc` has the wrong type"));
        check(r#"{"secrets": "no"}"#, Err("the fact `secrets` has the wrong type"));
        check(r#"{"secrets": -1}"#, Err("the fact `secrets` has the wrong type"));
        check(r#"{"scope_refused": 1}"#, Err("the fact `scope_refused` has the wrong type"));
        check(
            r#"{"unproven_criteria": [1]}"#,
            Err("the fact `unproven_criteria` has the wrong type"),
        );
        check(
            r#"{"thresholds": {"clarity": 9}}"#,
            Err("invalid threshold: `clarity` is not a number from 0 to 5"),
        );
        let error = MachineFacts::read(br#"{"secret": true}"#).unwrap_err();
        assert_eq!(error.hints(), ["did you mean `secrets`?"]);
        let error = MachineFacts::read(br#"{"xyzzy": true}"#).unwrap_err();
        assert!(error.hints()[0].to_string().starts_with("the facts are `test_rc`"));
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
