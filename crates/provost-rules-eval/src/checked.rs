//! One case alone: artifacts that somebody made, held against a case file (`provost check case`).

use provost_kernel::{
    Finding, Lang, Message, Severity, Text,
    eval::{ErrorCode, Response, StepError},
};
use serde::Serialize;
use serde_json::Value;

use super::{
    case::{Strictness, read},
    check::Rubric,
    judge::judge,
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
}

/// A case file that cannot be used: everything that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub struct BadCase(pub Vec<Finding>);

/// Holds artifacts against a case. Artifacts that are no JSON object are judged, and fail.
pub fn check_files(
    suite: &Suite,
    (case_name, case): (&str, &[u8]),
    artifacts: &[u8],
    rubric: Rubric,
    fail_on: Severity,
    lang: Lang,
) -> Result<CheckedCase, BadCase> {
    let found = read(case_name, case, &suite.case, Strictness::Normal, lang);
    let Some(case) = found.case else { return Err(BadCase(found.findings)) };
    let outcome = answer(artifacts, lang);
    let judged = match &outcome {
        Ok(response) => judge(suite, &case, Ok(response), rubric, lang),
        Err(error) => judge(suite, &case, Err(error.clone()), rubric, lang),
    };
    // What was skipped did not pass, whatever its cause weighs.
    let refuses = |it: &provost_kernel::eval::CheckResult| {
        !it.pass && it.excuse.is_none() && it.level <= fail_on
    };
    let is_refused = judged.checks.iter().any(refuses);
    let rows = judged.checks.into_iter().map(|it| CheckRow {
        message: it
            .message
            .or_else(|| it.blocked_by.map(|by| blocked(&by, lang)))
            .unwrap_or_default(),
        name: it.name,
        level: it.level,
        pass: it.pass,
        status: it.status.as_str(),
    });
    Ok(CheckedCase {
        result: if is_refused { CaseVerdict::Fail } else { CaseVerdict::Pass },
        case: case.id,
        fail_on,
        checks: rows.collect(),
        warnings: found.findings,
    })
}

/// Reads `{summary, …}`, or the whole answer of an engine with its `artifacts`.
fn answer(bytes: &[u8], lang: Lang) -> Result<Response, StepError> {
    let value = response::parse(bytes, lang)?;
    if value.get("artifacts").is_some() || value.get("error_code").is_some() {
        return response::from_value(value);
    }
    match value {
        Value::Object(artifacts) => Ok(Response { artifacts, ..Response::default() }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            let text = lang.pick("the artifacts are not an object", "产物不是对象");
            Err(response::bad(ErrorCode::Parse, text.to_owned()))
        }
    }
}

fn blocked(by: &str, lang: Lang) -> String {
    lang.pick(format!("not checked: `{by}` failed"), format!("未检查:`{by}` 失败"))
}

impl Message for BadCase {
    fn text(&self) -> Text {
        Text::each(|lang| {
            let lines: Vec<_> = self
                .0
                .iter()
                .filter(|it| it.severity == Severity::P0)
                .map(|it| format!("{}: {}", it.subject, it.message))
                .collect();
            let lines = lines.join("; ");
            lang.pick(format!("the case cannot be used: {lines}"), format!("用例无法使用:{lines}"))
        })
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
            check_files(shared(), files, artifacts.as_bytes(), Rubric::Standard, fail_on, Lang::En)
                .unwrap();
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
        check("not json", Severity::P1, Fail, 15);
        check("[]", Severity::P1, Fail, 15);
        check("{}", Severity::P0, Fail, 14);
    }

    #[test]
    fn a_case_that_cannot_be_used_is_an_error() {
        let error = check_files(
            shared(),
            ("c.json", b"{}"),
            b"{}",
            Rubric::Standard,
            Severity::P1,
            Lang::En,
        );
        let text = error.unwrap_err().to_string();
        assert!(
            text.starts_with("the case cannot be used: c.json#/id: the field is missing; "),
            "{text}"
        );
    }
}
