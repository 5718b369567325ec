//! What a gate says: one severity, one finding, one ruling, for every capability.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Message, Text};

/// How much a finding weighs. `P0` is the gravest and the smallest.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub enum Severity {
    P0,
    P1,
    P2,
}

/// One thing that a rule noticed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "FindingRecord", into = "FindingRecord")]
pub struct Finding {
    /// The stable name of the rule, such as `command.sudo`.
    pub rule: Cow<'static, str>,
    pub severity: Severity,
    /// What it was found in: a path, a field, a command.
    pub subject: String,
    /// What is the matter, in one sentence.
    pub message: Text,
    /// What to do about it.
    pub hint: Option<Text>,
}

/// A finding in JSON: the texts in English, and beside them codes and arguments, from which a
/// reader of another language renders them.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct FindingRecord {
    rule: Cow<'static, str>,
    severity: Severity,
    subject: String,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message_code: Option<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    message_args: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hint_code: Option<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    hint_args: Map<String, Value>,
}

impl Finding {
    /// A finding that says what a message says, with its first hint.
    pub fn new(
        rule: impl Into<Cow<'static, str>>,
        severity: Severity,
        subject: impl Into<String>,
        message: &impl Message,
    ) -> Self {
        Self {
            rule: rule.into(),
            severity,
            subject: subject.into(),
            message: message.text(),
            hint: message.hints().into_iter().next(),
        }
    }
}

impl From<FindingRecord> for Finding {
    fn from(record: FindingRecord) -> Self {
        let text = Text::from_parts;
        let (code, args) = (record.message_code.as_deref(), &record.message_args);
        let message = text(&record.message, code, args);
        let (code, args) = (record.hint_code.as_deref(), &record.hint_args);
        let hint = record.hint.as_deref().map(|it| text(it, code, args));
        let FindingRecord { rule, severity, subject, .. } = record;
        Self { rule, severity, subject, message, hint }
    }
}

impl From<Finding> for FindingRecord {
    fn from(finding: Finding) -> Self {
        let (message, message_code, message_args) = finding.message.to_parts();
        let hint = finding.hint.as_ref().map(Text::to_parts);
        let (hint, hint_code, hint_args) =
            hint.map_or((None, None, Map::new()), |(text, code, args)| (Some(text), code, args));
        Self {
            rule: finding.rule,
            severity: finding.severity,
            subject: finding.subject,
            message,
            message_code,
            message_args,
            hint,
            hint_code,
            hint_args,
        }
    }
}

/// What a gate decided, and why.
///
/// The fields are private because they depend on each other: a ruling passes exactly when no
/// finding is as grave as the gate's limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ruling {
    passed: bool,
    findings: Vec<Finding>,
}

impl Ruling {
    /// Rules on findings: one of severity `fail_on`, or graver, refuses.
    pub fn new(findings: Vec<Finding>, fail_on: Severity) -> Self {
        Self { passed: findings.iter().all(|it| it.severity > fail_on), findings }
    }

    pub fn passed(&self) -> bool {
        self.passed
    }

    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(found: &[Severity], fail_on: Severity, passes: bool) {
        let findings = found.iter().map(|&severity| Finding {
            rule: "test.rule".into(),
            severity,
            subject: "x".to_owned(),
            message: "y".into(),
            hint: None,
        });
        assert_eq!(Ruling::new(findings.collect(), fail_on).passed(), passes, "{found:?}");
    }

    #[test]
    fn a_finding_as_grave_as_the_limit_refuses() {
        use Severity::{P0, P1, P2};
        check(&[], P2, true);
        check(&[P2], P1, true);
        check(&[P1], P1, false);
        check(&[P0], P1, false);
        check(&[P2, P0], P0, false);
        check(&[P2, P1], P0, true);
        check(&[P2], P2, false);
    }
}
