//! What a gate says: one severity, one finding, one ruling, for every capability.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
pub struct Finding {
    /// The stable name of the rule, such as `command.sudo`.
    pub rule: Cow<'static, str>,
    pub severity: Severity,
    /// What it was found in: a path, a field, a command.
    pub subject: String,
    /// What is the matter, in one sentence.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
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
            message: "y".to_owned(),
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
