//! What got better and worse since an earlier report.

use std::collections::BTreeMap;

use provost_kernel::{
    Severity,
    eval::{Baseline, CaseResult, CaseStatus, Change, CheckResult, Report, Run},
};

/// Compares a run with an earlier report, check by check and case by case.
///
/// A case without a result in either is left out: what was not measured did not change.
pub fn compare(earlier: &Report, run: &Run, cases: &[CaseResult]) -> Baseline {
    let by_id = |list: &[CaseResult]| list.iter().map(|it| (it.id.clone(), it.clone())).collect();
    let (old, new): (BTreeMap<_, _>, BTreeMap<_, _>) = (by_id(&earlier.cases), by_id(cases));
    let mut found = Baseline { differs: differs(&earlier.run, run), ..Baseline::default() };
    for (id, now) in &new {
        let Some(before) = old.get(id) else {
            found.cases_new.push(id.clone());
            continue;
        };
        if [before.status, now.status].contains(&CaseStatus::Error) {
            continue;
        }
        match (before.status, now.status) {
            (CaseStatus::Pass, CaseStatus::Fail) => found.cases_worse += 1,
            (CaseStatus::Fail, CaseStatus::Pass) => found.cases_better += 1,
            (CaseStatus::Pass | CaseStatus::Fail | CaseStatus::Error, _) => {}
        }
        changes(id, before, now, &mut found);
    }
    found.cases_gone = old.into_keys().filter(|id| !new.contains_key(id)).collect();
    found.p_value = mcnemar(found.cases_worse, found.cases_better);
    found
}

fn changes(id: &str, before: &CaseResult, now: &CaseResult, found: &mut Baseline) {
    let verdicts = |case: &CaseResult| -> BTreeMap<String, (bool, Severity)> {
        let is_fine = |it: &CheckResult| it.pass || it.excuse.is_some();
        case.checks.iter().map(|it| (it.name.clone(), (is_fine(it), it.level))).collect()
    };
    let (before, now) = (verdicts(before), verdicts(now));
    let names: std::collections::BTreeSet<_> = before.keys().chain(now.keys()).collect();
    for name in names {
        // `engine.output` is there only when it failed.
        let was = before.get(name).is_none_or(|it| it.0);
        let is = now.get(name).is_none_or(|it| it.0);
        let level = now.get(name).or(before.get(name)).map_or(Severity::P0, |it| it.1);
        let change = || Change { case: id.to_owned(), check: name.clone(), level };
        match (was, is) {
            (true, false) => found.worse.push(change()),
            (false, true) => found.better.push(change()),
            (true, true) | (false, false) => {}
        }
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
    use crate::eval::{gate::tests::result, report::tests::report};

    fn case(id: &str, passes: bool) -> CaseResult {
        let level = Severity::P1;
        let check = if passes {
            CheckResult::pass(level, "x")
        } else {
            CheckResult::fail(level, "x", String::new())
        };
        result(id, vec![check])
    }

    #[test]
    fn changes_are_told_apart() {
        let earlier =
            report(vec![case("a", true), case("b", false), case("c", true), case("d", false)]);
        let lost = CaseResult { status: CaseStatus::Error, ..case("d", false) };
        let now = [case("a", false), case("b", true), lost, case("e", true)];
        let found = compare(&earlier, &earlier.run, &now);
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
    fn a_report_over_other_cases_is_another_measurement() {
        let earlier = report(vec![]);
        let mut run = earlier.run.clone();
        run.cases_sha256 = provost_kernel::Digest::of_bytes(b"x");
        run.lexicon_sha256 = provost_kernel::Digest::of_bytes(b"x");
        assert_eq!(compare(&earlier, &run, &[]).differs, ["lexicon", "cases"]);
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
