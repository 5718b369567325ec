//! Waivers: failures that a person accepted, with a reason and an end.
//!
//! A waived check stays failed in the report and is not counted. A waiver that is over is itself
//! a failure, so that it is not forgotten.

use provost_form::nearest::nearest;
use provost_kernel::{
    Message, Timestamp,
    eval::{CaseResult, CaseStatus, CheckStatus, Excuse},
};
use serde::Deserialize;

use super::{
    judge::{RUNNER_CHECKS, status},
    suite::Suite,
};

/// One accepted failure.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waiver {
    pub check: String,
    /// The case; every case, if none is named.
    #[serde(default)]
    pub case: Option<String>,
    /// The suite; any, if none is named.
    #[serde(default)]
    pub suite: Option<String>,
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
    #[message(
        en = "the waiver of `{check}` names a check that suite `{suite}` does not have",
        zh = "`{check}` 的豁免所指的检查不在套件 `{suite}` 中",
        hint(
            when = nearest.is_some(),
            en = "did you mean `{near}`?",
            zh = "是否想写 `{near}`？"
        ),
        hint(
            en = "remove it, or add `suite = \"NAME\"` if it belongs to another suite",
            zh = "请删除该豁免；若属于另一套件，请加上 `suite = \"名称\"`"
        ),
        arg(near = nearest.clone().unwrap_or_default())
    )]
    UnknownCheck { check: String, suite: String, nearest: Option<String> },
    #[message(
        en = "the waiver of `{check}` names the case `{case}`, which does not exist",
        zh = "`{check}` 的豁免所指的用例 `{case}` 不存在",
        hint(
            when = nearest.is_some(),
            en = "did you mean `{near}`?",
            zh = "是否想写 `{near}`？"
        ),
        hint(
            en = "remove it; `provost eval --list` shows the cases",
            zh = "请删除该豁免；`provost eval --list` 列出用例"
        ),
        arg(near = nearest.clone().unwrap_or_default())
    )]
    UnknownCase { check: String, case: String, nearest: Option<String> },
}

impl Waivers {
    /// The waivers that speak of a suite. One whose check does not exist is an error: what it was
    /// written for would be refused again, or was never accepted.
    pub fn of_suite(self, suite: &Suite) -> Result<Self, WaiverError> {
        let is_meant = |it: &Waiver| it.suite.as_ref().is_none_or(|name| *name == suite.name);
        let waiver: Vec<_> = self.waiver.into_iter().filter(is_meant).collect();
        let known: Vec<&str> =
            suite.checks.iter().map(|it| it.name.as_str()).chain(RUNNER_CHECKS).collect();
        match waiver.iter().find(|it| !known.contains(&it.check.as_str())) {
            None => Ok(Self { waiver }),
            Some(it) => Err(WaiverError::UnknownCheck {
                check: it.check.clone(),
                suite: suite.name.clone(),
                nearest: nearest(&it.check, known).map(str::to_owned),
            }),
        }
    }

    /// Checks that each named case exists. The ids are those of all cases, in order.
    pub fn check_cases(&self, ids: &[&str]) -> Result<(), WaiverError> {
        let named = self.waiver.iter().filter_map(|it| Some((it, it.case.as_deref()?)));
        let mut unknown = named.filter(|(_, case)| ids.binary_search(case).is_err());
        unknown.next().map_or(Ok(()), |(waiver, case)| {
            Err(WaiverError::UnknownCase {
                check: waiver.check.clone(),
                case: case.to_owned(),
                nearest: nearest(case, ids.iter().copied()).map(str::to_owned),
            })
        })
    }

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
            let is_bad = check.status != CheckStatus::Pass && check.excuse.is_none();
            if is_bad && check.name == self.check {
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
    use provost_kernel::{Lang, Severity, eval::CheckResult};

    use super::*;
    use crate::gate::tests::result;

    fn waiver(case: Option<&str>, until: &str) -> Waivers {
        let case = case.map(str::to_owned);
        let (check, reason) = ("x".to_owned(), "known".to_owned());
        let until = until.to_owned();
        Waivers { waiver: vec![Waiver { check, case, suite: None, reason, until }] }
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

    /// A waiver that excuses nothing that exists is an error, and so is one of a case that is gone.
    #[test]
    fn a_waiver_names_a_check_and_a_case_that_exist() {
        let named = |check: &str, suite: Option<&str>| {
            let mut waivers = waiver(None, "2026-12-31");
            waivers.waiver[0].check = check.to_owned();
            waivers.waiver[0].suite = suite.map(str::to_owned);
            waivers.of_suite(crate::suite::shared()).map(|it| it.waiver.len())
        };
        for known in ["todos.verb_led", "engine.output", "expect.score"] {
            assert_eq!(named(known, None), Ok(1), "{known}");
        }
        assert_eq!(named("todos.verb_led", Some("read-do")), Ok(1));
        assert_eq!(named("verdict.calibrated", Some("calibration")), Ok(0));
        let error = named("todos.verb_let", None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the waiver of `todos.verb_let` names a check that suite `read-do` does not have"
        );
        let hints: Vec<_> = error.hints().iter().map(|it| Lang::En.render(it)).collect();
        assert_eq!(hints[0], "did you mean `todos.verb_led`?");
        assert_eq!(named("nothing", None).unwrap_err().hints().len(), 1);
        assert_eq!(waiver(Some("a"), "2026-12-31").check_cases(&["a", "b"]), Ok(()));
        let error = waiver(Some("case-1"), "2026-12-31").check_cases(&["case-2"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the waiver of `x` names the case `case-1`, which does not exist"
        );
    }

    /// A skipped check can be accepted by its own name, when no other failed.
    #[test]
    fn a_waiver_excuses_a_skipped_check() {
        let mut judged = result("a", vec![CheckResult::skipped(Severity::P1, "x", "y")]);
        waiver(None, "2026-12-31").waiver[0].excuse(&mut judged);
        assert_eq!(judged.status, CaseStatus::Pass);
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
