//! One case alone: artifacts are checked against a case file (`provost check case`).

use provost_kernel::{
    Finding, Message, Severity, Text,
    eval::{CheckResult, ErrorCode, Response, StepError},
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    case::{Strictness, read},
    check::Rubric,
    judge::{judge, refused},
    response,
    suite::Suite,
};

/// What was found, as the command prints it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckedCase {
    pub result: CaseVerdict,
    pub case: String,
    pub fail_on: Severity,
    pub checks: Vec<CheckRow>,
    /// What is not good about the case itself.
    pub warnings: Vec<Finding>,
}

/// Whether the gate would let the case through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CaseVerdict {
    Pass,
    Fail,
}

/// One check; a skipped one is `pass: false`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckRow {
    pub name: String,
    pub level: Severity,
    pub pass: bool,
    pub status: &'static str,
    /// Why it did not pass; empty if it did.
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_code: Option<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub message_args: Map<String, Value>,
}

/// A case file that cannot be used: everything that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "eval.bad_case",
    en = "invalid case: {errors:clauses}",
    zh = "用例无法使用：{errors:clauses}",
    arg(errors = CaseFault::of(field0))
)]
pub struct BadCase(pub Vec<Finding>);

#[derive(Debug, Message)]
#[message(code = "eval.case_fault", en = "{subject}: {message}", zh = "{subject}：{message}")]
struct CaseFault {
    subject: String,
    message: Text,
}

impl CaseFault {
    fn of(findings: &[Finding]) -> Vec<Self> {
        let grave = findings.iter().filter(|it| it.severity == Severity::P0).cloned();
        grave.map(|it| Self { subject: it.subject, message: it.message }).collect()
    }
}

/// Why a row of the answer did not pass, where no check says it.
#[derive(Debug, Message)]
#[message(code = "eval.checked")]
enum Note {
    #[message(en = "not checked: `{by}` failed", zh = "未检查：`{by}` 失败")]
    Blocked { by: String },
    #[message(en = "the artifacts are not an object", zh = "产物不是对象")]
    NotAnObject,
}

impl CheckRow {
    fn of(check: CheckResult) -> Self {
        let blocked = check.blocked_by.map(|by| Note::Blocked { by }.text().to_parts());
        let (message, message_code, message_args) = match (check.message, blocked) {
            (Some(message), _) => (message, check.message_code, check.message_args),
            (None, Some(blocked)) => blocked,
            (None, None) => (String::new(), None, Map::new()),
        };
        Self {
            name: check.name,
            level: check.level,
            pass: check.pass,
            status: check.status.as_str(),
            message,
            message_code,
            message_args,
        }
    }

    /// Why it did not pass, before it is rendered.
    pub fn text(&self) -> Text {
        Text::from_parts(&self.message, self.message_code.as_deref(), &self.message_args)
    }
}

/// Checks artifacts against a case. Artifacts that are not a JSON object are judged, and fail.
pub fn check_files(
    suite: &Suite,
    (case_name, case): (&str, &[u8]),
    artifacts: &[u8],
    rubric: Rubric,
    fail_on: Severity,
) -> Result<CheckedCase, BadCase> {
    let found = read(case_name, case, &suite.case, Strictness::Normal);
    let Some(case) = found.case else { return Err(BadCase(found.findings)) };
    let outcome = answer(artifacts);
    let judged = match &outcome {
        Ok(response) => judge(suite, &case, Ok(response), rubric),
        Err(error) => judge(suite, &case, Err(error.clone()), rubric),
    };
    let is_refused = refused(&judged.checks).any(|it| it.level <= fail_on);
    let rows = judged.checks.into_iter().map(CheckRow::of);
    Ok(CheckedCase {
        result: if is_refused { CaseVerdict::Fail } else { CaseVerdict::Pass },
        case: case.id,
        fail_on,
        checks: rows.collect(),
        warnings: found.findings,
    })
}

/// Reads `{summary, …}`, or the whole answer of an engine with its `artifacts`.
fn answer(bytes: &[u8]) -> Result<Response, StepError> {
    let value = response::parse(bytes)?;
    if value.get("artifacts").is_some() || value.get("error_code").is_some() {
        return response::from_value(value);
    }
    match value {
        Value::Object(artifacts) => Ok(Response { artifacts, ..Response::default() }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(StepError::new(ErrorCode::Parse, &Note::NotAnObject.text()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            check::tests::{case, good},
            suite::shared,
        },
        *,
    };

    #[track_caller]
    fn check(artifacts: &str, fail_on: Severity, expected: CaseVerdict, n_failed: usize) {
        let case = Value::Object(case("en").fields).to_string();
        let files = ("case.json", case.as_bytes());
        let checked =
            check_files(shared(), files, artifacts.as_bytes(), Rubric::Standard, fail_on).unwrap();
        assert_eq!(checked.result, expected, "{artifacts}");
        let failed: Vec<_> = checked.checks.iter().filter(|it| !it.pass).collect();
        assert_eq!(failed.len(), n_failed, "{failed:?}");
        assert!(failed.iter().all(|it| !it.message.is_empty()));
    }

    /// Ruling 54: it fails when a check at P0 or P1 fails, and `--fail-on` changes that.
    #[test]
    fn artifacts_are_held_against_a_case() {
        use CaseVerdict::{Fail, Pass};
        let good = Value::Object(good("en"));
        check(&good.to_string(), Severity::P2, Pass, 0);
        check(&serde_json::json!({"artifacts": good.clone()}).to_string(), Severity::P1, Pass, 0);
        let mut vague = good.clone();
        vague["card"]["headline"] = "Some thoughts on productivity".into();
        check(&vague.to_string(), Severity::P1, Pass, 1);
        check(&vague.to_string(), Severity::P2, Fail, 1);
        check("not json", Severity::P1, Fail, 16);
        check("[]", Severity::P1, Fail, 16);
        check("{}", Severity::P0, Fail, 15);
    }

    #[test]
    fn a_case_that_cannot_be_used_is_an_error() {
        let error = check_files(shared(), ("c.json", b"{}"), b"{}", Rubric::Standard, Severity::P1);
        let text = error.unwrap_err().to_string();
        let start = "invalid case: c.json#/id: missing, expected a string; ";
        assert!(text.starts_with(start), "{text}");
    }
}
