//! Waivers: failures that a person accepted, with a reason and an end.
//!
//! A waived check stays failed in the report and is not counted. A waiver that is over is itself
//! a failure, so that nobody forgets it.

use provost_kernel::{
    Fault, Lang, Timestamp,
    eval::{CaseResult, CheckStatus, Excuse},
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

/// Why a waiver is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text(Lang::En))]
pub enum WaiverError {
    NoReason { check: String },
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

    /// Excuses what is waived, and returns the waivers that are over.
    pub fn apply(&self, cases: &mut [CaseResult], today: Timestamp) -> Vec<&Waiver> {
        let today: String = today.to_string().chars().take(10).collect();
        let (over, current): (Vec<_>, Vec<_>) = self.waiver.iter().partition(|it| it.until < today);
        for case in cases {
            let mine = current.iter().filter(|it| it.case.as_ref().is_none_or(|id| *id == case.id));
            let mut is_changed = false;
            for waiver in mine {
                let checks = case.checks.iter_mut();
                let is_waived = |it: &&mut provost_kernel::eval::CheckResult| {
                    it.name == waiver.check && it.status == CheckStatus::Fail && it.excuse.is_none()
                };
                for check in checks.filter(is_waived) {
                    let (reason, until) = (waiver.reason.clone(), waiver.until.clone());
                    check.excuse = Some(Excuse::Waived { reason, until });
                    is_changed = true;
                }
            }
            // A case without a result has none, whatever is waived.
            if is_changed && case.status != provost_kernel::eval::CaseStatus::Error {
                case.status = status(&case.checks);
            }
        }
        over
    }
}

impl Fault for WaiverError {
    fn text(&self, lang: Lang) -> String {
        match self {
            Self::NoReason { check } => lang.pick(
                format!("the waiver of `{check}` has no reason"),
                format!("`{check}` 的豁免没有理由"),
            ),
            Self::NoDate { check, found } => lang.pick(
                format!(
                    "the waiver of `{check}` ends on `{found}`, which is no day such as 2026-12-31"
                ),
                format!("`{check}` 的豁免截止日 `{found}` 不是形如 2026-12-31 的日期"),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Severity,
        eval::{CaseStatus, CheckResult},
    };

    use super::*;
    use crate::eval::gate::tests::result;

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
            let mut cases =
                [result("a", vec![CheckResult::fail(Severity::P1, "x", String::new())])];
            let waivers = waiver(case, until);
            let over = waivers.apply(&mut cases, "2026-06-01T23:59:59Z".parse().unwrap()).len();
            assert_eq!((over == 1, cases[0].status == CaseStatus::Pass), (is_over, is_waived));
            assert!(!cases[0].checks[0].pass);
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
