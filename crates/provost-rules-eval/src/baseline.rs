//! What got better and worse since an earlier report.
//!
//! Of the earlier report only what failed stays in memory, whatever its size.

use std::collections::BTreeMap;

use provost_kernel::{
    Severity,
    eval::{Baseline, CaseResult, CaseStatus, Change, CheckResult, Difference, Run},
};

use super::judge::refused;

/// An earlier report, as far as it is compared with.
#[derive(Clone, Debug)]
pub struct Earlier {
    pub run: Run,
    /// Whether its digest fits.
    pub seal: Seal,
    cases: BTreeMap<String, Verdict>,
}

/// What an earlier case came to, and the checks that did not pass.
#[derive(Clone, Debug)]
pub struct Verdict {
    id: String,
    status: CaseStatus,
    rate: f64,
    bad: BTreeMap<String, Severity>,
}

/// What the digest of an earlier report says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    Whole,
    /// It is one of an earlier version, which covered something else.
    Unknown,
}

/// Which cases a run has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    All,
    /// Those of a filter or a shard.
    Part,
}

/// A comparison under way: cases come one by one.
#[derive(Debug)]
pub struct Comparison<'a> {
    run: &'a Run,
    seal: Seal,
    extent: Extent,
    /// The earlier cases that did not come yet.
    left: BTreeMap<&'a str, &'a Verdict>,
    found: Baseline,
    changes: Changes,
}

/// What changed in each case that was measured twice: their number, their sum, and that of the
/// squares.
#[derive(Debug, Default)]
struct Changes {
    n: usize,
    sum: f64,
    squares: f64,
}

impl Earlier {
    /// A report with its cases.
    pub fn new(run: Run, seal: Seal, cases: Vec<Verdict>) -> Self {
        Self { run, seal, cases: cases.into_iter().map(|it| (it.id.clone(), it)).collect() }
    }

    /// What is compared of a case: of a good one, next to nothing.
    pub fn verdict(case: &CaseResult) -> Verdict {
        let bad = case.checks.iter().filter(|it| !it.pass && it.excuse.is_none());
        let bad = bad.map(|it| (it.name.clone(), it.level)).collect();
        Verdict { id: case.id.clone(), status: case.status, rate: rate(case), bad }
    }
}

/// The share of its runs that a case passed.
fn rate(case: &CaseResult) -> f64 {
    match case.runs {
        Some(runs) if runs.of > 0 => f64::from(runs.passed) / f64::from(runs.of),
        Some(_) | None => f64::from(u8::from(case.status == CaseStatus::Pass)),
    }
}

impl Changes {
    fn add(&mut self, change: f64) {
        self.n += 1;
        self.sum += change;
        self.squares += change * change;
    }

    /// The mean and its interval, with one imagined case that got better and one that got worse, so
    /// that few cases which all changed alike are not taken for certainty (Bonett and Price, 2012).
    fn difference(&self) -> Option<Difference> {
        if self.n == 0 {
            return None;
        }
        let n = super::text::count(self.n + 2);
        let middle = self.sum / n;
        let spread = ((self.squares + 2.0) / n - middle * middle).max(0.0);
        let half = Z * (spread / n).sqrt();
        let round = |it: f64| (it.clamp(-1.0, 1.0) * 10_000.0).round() / 10_000.0;
        Some(Difference {
            mean: round(self.sum / super::text::count(self.n)),
            low: round(middle - half),
            high: round(middle + half),
            cases: self.n,
        })
    }
}

/// The 97.5th percentile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

impl<'a> Comparison<'a> {
    /// Compares with this report.
    pub fn new(earlier: &'a Earlier, extent: Extent) -> Self {
        let left = earlier.cases.iter().map(|(id, it)| (id.as_str(), it)).collect();
        let (found, changes) = (Baseline::default(), Changes::default());
        Self { run: &earlier.run, seal: earlier.seal, extent, left, found, changes }
    }

    /// Compares one case, check by check.
    ///
    /// A case without a result in either is left out: what was not measured did not change.
    pub(super) fn add(&mut self, now: &CaseResult) {
        let id = &now.id;
        let is_fine = |it: &CheckResult| it.pass || it.excuse.is_some();
        let change =
            |check: &str, level| Change { case: id.clone(), check: check.to_owned(), level };
        let before = self.left.remove(id.as_str());
        if before.is_none() {
            self.found.cases_new.push(id.clone());
        }
        if now.status == CaseStatus::Error {
            return;
        }
        let Some(before) = before.filter(|it| it.status != CaseStatus::Error) else {
            let bad = refused(&now.checks).map(|it| change(&it.name, it.level));
            self.found.unknown.extend(bad);
            return;
        };
        self.changes.add(rate(now) - before.rate);
        match (before.status, now.status) {
            (CaseStatus::Pass, CaseStatus::Fail) => self.found.cases_worse += 1,
            (CaseStatus::Fail, CaseStatus::Pass) => self.found.cases_better += 1,
            (CaseStatus::Pass | CaseStatus::Fail | CaseStatus::Error, _) => {}
        }
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
        let Self { run: earlier, seal, extent, left, mut found, changes } = self;
        found.differs = differs(earlier, run);
        if extent == Extent::All && !left.is_empty() {
            found.differs.push(FEWER.to_owned());
        }
        if seal == Seal::Unknown {
            found.differs.push(UNVERIFIED.to_owned());
        }
        let is_other = earlier.engine_version != run.engine_version;
        found.engine = is_other.then(|| earlier.engine_version.clone());
        found.difference = changes.difference();
        found.unknown.sort_unstable();
        found.better.sort_unstable();
        found.worse.sort_unstable();
        found.cases_new.sort_unstable();
        found.cases_gone = left.into_keys().map(str::to_owned).collect();
        found.p_value = mcnemar(found.cases_worse, found.cases_better);
        found
    }
}

/// The word for cases of the baseline that the run does not have, although it has all there are.
pub(super) const FEWER: &str = "fewer_cases";
/// The word for a digest that could not be verified.
pub(super) const UNVERIFIED: &str = "unverified";
/// The word for another suite.
pub(super) const SUITE: &str = "suite";

/// What differs besides the engine.
fn differs(old: &Run, new: &Run) -> Vec<String> {
    // An earlier version did not note the file of the suite.
    let is_other_file = old.suite_sha256.is_some() && old.suite_sha256 != new.suite_sha256;
    let parts = [
        (SUITE, old.suite != new.suite),
        ("checks", old.suite == new.suite && is_other_file),
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
        let before =
            Earlier::new(run(), Seal::Whole, earlier.iter().map(Earlier::verdict).collect());
        let mut comparison = Comparison::new(&before, Extent::All);
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
        assert_eq!(found.differs, [FEWER]);
        assert_eq!(found.difference.map(|it| (it.mean, it.cases)), Some((0.0, 2)));
    }

    /// A failure of a case that the baseline does not have, or did not measure, is not known.
    #[test]
    fn what_the_baseline_does_not_have_is_not_known() {
        let lost = CaseResult { status: CaseStatus::Error, ..case("b", true) };
        let found = compare(
            &[case("a", false), lost],
            &run(),
            &[case("a", false), case("b", false), case("c", false), case("d", true)],
        );
        let ids: Vec<_> = found.unknown.iter().map(|it| it.case.as_str()).collect();
        assert_eq!((ids, found.worse.len()), (vec!["b", "c"], 0));
    }

    /// A case is one observation, so the interval is wide for few cases.
    #[test]
    fn the_difference_has_an_interval() {
        let runs = |id: &str, passed: u32| CaseResult {
            runs: Some(provost_kernel::eval::CaseRuns { passed, of: 10 }),
            ..case(id, passed > 5)
        };
        let all = |passed: u32| -> Vec<_> {
            (0..40).map(|at| runs(&format!("c{at:02}"), passed)).collect()
        };
        let found = compare(&all(9), &run(), &all(7)).difference.unwrap();
        assert!((found.mean + 0.2).abs() < 1e-9 && found.high < 0.0, "{found:?}");
        assert_eq!(found.cases, 40);
        let few = compare(&all(9)[..3], &run(), &all(7)[..3]).difference.unwrap();
        assert!(few.low < few.mean && few.mean < few.high && few.high > 0.0, "{few:?}");
        let one = compare(&[case("a", true)], &run(), &[case("a", false)]).difference.unwrap();
        assert!(one.high > 0.0, "one case that got worse may be chance: {one:?}");
        assert_eq!(compare(&[], &run(), &[case("a", true)]).difference, None);
    }

    /// Another engine and another file of the suite are named.
    #[test]
    fn another_engine_is_named() {
        let mut other = run();
        other.engine_version = "0.2.0".to_owned();
        assert_eq!(compare(&[], &other, &[]).engine, Some("0.1.0".to_owned()));
        assert_eq!(compare(&[], &run(), &[]).engine, None);
        other.suite = "else".to_owned();
        assert_eq!(compare(&[], &other, &[]).differs, ["suite"]);
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
