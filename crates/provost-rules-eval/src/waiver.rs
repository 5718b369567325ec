//! Waivers: failures that a person accepted, with a reason and an end.
//!
//! A waived check stays failed in the report and is not counted. A waiver that is over is itself
//! a failure, so that it is not forgotten.

use provost_kernel::{
    Message, Timestamp,
    eval::{CaseResult, CaseStatus, CheckStatus, Excuse},
};
use serde::Deserialize;

use super::judge::status;

/// One accepted failure.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waiver {
    pub check: String,
    /// The case; every case, if none is named.
    #[serde(default)]
    pub case: Option<String>,
    pub reason: String,
    /// The last day on which it holds, as `2026-12-31`.
    pub until: String,
}

/// A file of waivers: `[[waiver]]` tables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waivers {
    #[serde(default)]
    pub waiver: Vec<Waiver>,
}

/// A waiver that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "eval.waiver")]
pub enum WaiverError {
    #[message(en = "the waiver of `{check}` has no reason", zh = "`{check}` 的豁免没有理由")]
    NoReason { check: String },
    #[message(
        en = "invalid `until` in the waiver of `{check}`: `{found}` is not a day such as 2026-12-31",
        zh = "`{check}` 的豁免截止日 `{found}` 不是形如 2026-12-31 的日期"
    )]
    NoDate { check: String, found: String },
}

impl Waivers {
    /// Checks that each has a reason and a date.
    pub fn validate(&self) -> Result<(), WaiverError> {
        for Waiver { check, reason, until, .. } in &self.waiver {
            if reason.trim().is_empty() {
                return Err(WaiverError::NoReason { check: check.clone() });
            }
            let is_day =
                until.len() == 10 && format!("{until}T00:00:00Z").parse::<Timestamp>().is_ok();
            if !is_day {
                return Err(WaiverError::NoDate { check: check.clone(), found: until.clone() });
            }
        }
        Ok(())
    }

    /// The waivers that are over, and those that hold.
    pub(super) fn split(&self, today: Timestamp) -> (Vec<&Waiver>, Vec<&Waiver>) {
        let today: String = today.to_string().chars().take(10).collect();
        self.waiver.iter().partition(|it| it.until < today)
    }
}

impl Waiver {
    /// Excuses what is waived in a case.
    pub(super) fn excuse(&self, case: &mut CaseResult) {
        if self.case.as_ref().is_some_and(|id| *id != case.id) {
            return;
        }
        let mut is_changed = false;
        for check in &mut case.checks {
            let is_counted = check.status == CheckStatus::Fail && check.excuse.is_none();
            if is_counted && check.name == self.check {
                let (reason, until) = (self.reason.clone(), self.until.clone());
                check.excuse = Some(Excuse::Waived { reason, until });
                is_changed = true;
            }
        }
        // A case without a result has none, whatever is waived.
        if is_changed && case.status != CaseStatus::Error {
            case.status = status(&case.checks);
        }
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{Severity, eval::CheckResult};

    use super::*;
    use crate::gate::tests::result;

    fn waiver(case: Option<&str>, until: &str) -> Waivers {
        let case = case.map(str::to_owned);
        let (check, reason) = ("x".to_owned(), "known".to_owned());
        Waivers { waiver: vec![Waiver { check, case, reason, until: until.to_owned() }] }
    }

    #[test]
    fn a_waiver_holds_to_the_end_of_its_day_and_for_its_case() {
        for (case, until, is_waived, is_over) in [
            (None, "2026-06-01", true, false),
            (None, "2026-05-31", false, true),
            (Some("a"), "2026-12-31", true, false),
            (Some("b"), "2026-12-31", false, false),
        ] {
            let mut judged = result("a", vec![CheckResult::fail(Severity::P1, "x", &"".into())]);
            let waivers = waiver(case, until);
            let (over, current) = waivers.split("2026-06-01T23:59:59Z".parse().unwrap());
            for waiver in current {
                waiver.excuse(&mut judged);
            }
            let found = (over.len() == 1, judged.status == CaseStatus::Pass);
            assert_eq!(found, (is_over, is_waived), "{case:?} {until}");
            assert!(!judged.checks[0].pass);
        }
    }

    #[test]
    fn a_waiver_has_a_reason_and_a_day() {
        assert_eq!(waiver(None, "2026-12-31").validate(), Ok(()));
        for bad in ["2026-13-01", "soon", "2026-12-31T00:00:00Z", ""] {
            assert!(waiver(None, bad).validate().is_err(), "{bad}");
        }
        let mut blank = waiver(None, "2026-12-31");
        blank.waiver[0].reason = " ".to_owned();
        assert_eq!(blank.validate(), Err(WaiverError::NoReason { check: "x".to_owned() }));
    }
}
