//! What got better and worse since an earlier report.
//!
//! Of the earlier report only what failed stays in memory, whatever its size.

use std::collections::BTreeMap;

use provost_kernel::{
    Severity,
    eval::{Baseline, CaseResult, CaseStatus, Change, CheckResult, Run},
};
use serde::{Deserialize, de::IgnoredAny};

/// An earlier report, as far as it is compared with.
#[derive(Clone, Debug, Deserialize)]
pub struct Earlier {
    pub schema: String,
    run: Run,
    cases: Vec<EarlierCase>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(from = "CaseForm")]
struct EarlierCase {
    id: String,
    verdict: Verdict,
}

/// What an earlier case came to, and the checks that did not pass.
#[derive(Clone, Debug)]
struct Verdict {
    status: CaseStatus,
    bad: BTreeMap<String, Severity>,
}

#[derive(Deserialize)]
struct CaseForm {
    id: String,
    status: CaseStatus,
    checks: Vec<CheckForm>,
}

#[derive(Deserialize)]
struct CheckForm {
    level: Severity,
    name: String,
    pass: bool,
    #[serde(default)]
    excuse: Option<IgnoredAny>,
}

/// A comparison under way: cases come one by one.
#[derive(Debug)]
pub struct Comparison<'a> {
    run: &'a Run,
    /// The earlier cases that did not come yet.
    left: BTreeMap<&'a str, &'a Verdict>,
    found: Baseline,
}

impl From<CaseForm> for EarlierCase {
    fn from(form: CaseForm) -> Self {
        let bad = form.checks.into_iter().filter(|it| !it.pass && it.excuse.is_none());
        let bad = bad.map(|it| (it.name, it.level)).collect();
        Self { id: form.id, verdict: Verdict { status: form.status, bad } }
    }
}

impl<'a> Comparison<'a> {
    /// Compares with this report.
    pub fn new(earlier: &'a Earlier) -> Self {
        let left = earlier.cases.iter().map(|it| (it.id.as_str(), &it.verdict)).collect();
        Self { run: &earlier.run, left, found: Baseline::default() }
    }

    /// Compares one case, check by check.
    ///
    /// A case without a result in either is left out: what was not measured did not change.
    pub(super) fn add(&mut self, now: &CaseResult) {
        let id = &now.id;
        let Some(before) = self.left.remove(id.as_str()) else {
            self.found.cases_new.push(id.clone());
            return;
        };
        if [before.status, now.status].contains(&CaseStatus::Error) {
            return;
        }
        match (before.status, now.status) {
            (CaseStatus::Pass, CaseStatus::Fail) => self.found.cases_worse += 1,
            (CaseStatus::Fail, CaseStatus::Pass) => self.found.cases_better += 1,
            (CaseStatus::Pass | CaseStatus::Fail | CaseStatus::Error, _) => {}
        }
        let is_fine = |it: &CheckResult| it.pass || it.excuse.is_some();
        let change =
            |check: &str, level| Change { case: id.clone(), check: check.to_owned(), level };
        let bad = now.checks.iter().filter(|it| !is_fine(it));
        let worse = bad.filter(|it| !before.bad.contains_key(&it.name));
        self.found.worse.extend(worse.map(|it| change(&it.name, it.level)));
        for (name, level) in &before.bad {
            // `engine.output` is there only when it failed.
            let check = now.checks.iter().find(|it| it.name == *name);
            if check.is_none_or(is_fine) {
                let level = check.map_or(*level, |it| it.level);
                self.found.better.push(change(name, level));
            }
        }
    }

    /// What was found, in the order of the cases.
    pub(super) fn finish(self, run: &Run) -> Baseline {
        let Self { run: earlier, left, mut found } = self;
        found.differs = differs(earlier, run);
        found.better.sort_unstable();
        found.worse.sort_unstable();
        found.cases_new.sort_unstable();
        found.cases_gone = left.into_keys().map(str::to_owned).collect();
        found.p_value = mcnemar(found.cases_worse, found.cases_better);
        found
    }
}

/// What differs besides the engine.
fn differs(old: &Run, new: &Run) -> Vec<String> {
    let parts = [
        ("suite", old.suite != new.suite),
        ("profile", old.profile != new.profile),
        ("lexicon", old.lexicon_sha256 != new.lexicon_sha256),
        ("schemas", old.schemas_sha256 != new.schemas_sha256),
        ("cases", old.cases_sha256 != new.cases_sha256),
    ];
    parts.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name.to_owned()).collect()
}

/// The chance that at least so many of all changed cases got worse, if better and worse were
/// equally likely; to six places.
fn mcnemar(worse: usize, better: usize) -> f64 {
    let n = worse + better;
    let half = std::f64::consts::LN_2;
    let mut logarithm = 0.0;
    let mut sum = 0.0;
    // The terms C(n, k) / 2^n, from k = 0 on, in logarithms: n may be large.
    for k in 0..=n {
        if k >= worse {
            sum += f64::exp(logarithm - super::text::count(n) * half);
        }
        let (left, next) = (super::text::count(n - k), super::text::count(k + 1));
        logarithm += if left > 0.0 { (left / next).ln() } else { 0.0 };
    }
    (sum.min(1.0) * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{gate::tests::result, report::tests::run};

    fn case(id: &str, passes: bool) -> CaseResult {
        let level = Severity::P1;
        let check = if passes {
            CheckResult::pass(level, "x")
        } else {
            CheckResult::fail(level, "x", &"".into())
        };
        result(id, vec![check])
    }

    fn compare(earlier: &[CaseResult], run_now: &Run, now: &[CaseResult]) -> Baseline {
        let document = serde_json::json!({"schema": "s", "run": run(), "cases": earlier});
        let earlier = serde_json::from_value(document).unwrap();
        let mut comparison = Comparison::new(&earlier);
        for case in now {
            comparison.add(case);
        }
        comparison.finish(run_now)
    }

    #[test]
    fn changes_are_told_apart() {
        let earlier = [case("a", true), case("b", false), case("c", true), case("d", false)];
        let lost = CaseResult { status: CaseStatus::Error, ..case("d", false) };
        let now = [case("e", true), case("b", true), lost, case("a", false)];
        let found = compare(&earlier, &run(), &now);
        let names =
            |list: &[Change]| list.iter().map(|it| it.case.clone()).collect::<Vec<_>>().concat();
        assert_eq!((names(&found.better), names(&found.worse)), ("b".to_owned(), "a".to_owned()));
        assert_eq!((found.cases_better, found.cases_worse), (1, 1));
        assert_eq!(
            (found.cases_new, found.cases_gone),
            (vec!["e".to_owned()], vec!["c".to_owned()])
        );
        assert_eq!(found.differs, Vec::<String>::new());
    }

    #[test]
    fn a_failure_that_is_excused_is_none() {
        let mut excused = case("a", false);
        excused.checks[0].excuse = Some(provost_kernel::eval::Excuse::Expected);
        excused.status = CaseStatus::Pass;
        let found = compare(&[case("a", false)], &run(), std::slice::from_ref(&excused));
        assert_eq!((found.better.len(), found.worse.len()), (1, 0));
        let found = compare(&[excused], &run(), &[case("a", false)]);
        assert_eq!((found.better.len(), found.worse.len()), (0, 1));
    }

    #[test]
    fn a_report_over_other_cases_is_another_measurement() {
        let mut other = run();
        other.cases_sha256 = provost_kernel::Digest::of_bytes(b"x");
        other.lexicon_sha256 = provost_kernel::Digest::of_bytes(b"x");
        assert_eq!(compare(&[], &other, &[]).differs, ["lexicon", "cases"]);
    }

    /// W6: five changes in one direction are needed.
    #[test]
    fn chance_is_measured_exactly() {
        for (worse, better, expected) in [
            (0, 0, 1.0),
            (4, 0, 0.0625),
            (5, 0, 0.03125),
            (5, 1, 0.109_375),
            (0, 5, 1.0),
            (600, 400, 0.0),
        ] {
            assert!((mcnemar(worse, better) - expected).abs() < 1e-6, "{worse} {better}");
        }
    }
}
