//! Many runs of one case: P0 has to hold in each, else the majority decides, and what is not sure is
//! named.

use provost_kernel::{
    Severity,
    eval::{
        CaseResult, CaseRuns, CaseStatus, CheckResult, CheckStatus, Epochs, FlakyCheck, Meta, OfK,
    },
    model::Usage,
};
use provost_rules::statistics::wilson;
use serde_json::json;

use super::{judge::status, text::count};

/// Makes one result of the runs of one case.
///
/// A check at P0 passes when every run passed it, another one when more than half did. A run that
/// was not measured leaves the whole case without a result: it is neither a zero nor left out.
pub fn merge(mut runs: Vec<CaseResult>) -> Option<CaseResult> {
    let usage = runs.iter().fold(Usage::default(), |sum, it| sum.plus(it.meta.usage));
    let judge_usage = runs.iter().fold(Usage::default(), |sum, it| sum.plus(it.meta.judge_usage));
    let error = runs.iter().position(|it| it.status == CaseStatus::Error);
    let mut merged = runs.swap_remove(error.or((!runs.is_empty()).then_some(0))?);
    // Every run cost something.
    merged.meta = Meta { usage, judge_usage, ..merged.meta };
    if merged.status == CaseStatus::Error || runs.is_empty() {
        return Some(merged);
    }
    runs.push(merged.clone());
    let number = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
    let passed = runs.iter().filter(|it| it.status == CaseStatus::Pass).count();
    merged.runs = Some(CaseRuns { passed: number(passed), of: number(runs.len()) });
    // A run whose output was bad has one check more.
    let longest = runs.iter().max_by_key(|it| it.checks.len());
    let names: Vec<_> = longest.map(|it| it.checks.clone()).unwrap_or_default();
    merged.checks = names.iter().map(|it| vote(it, &runs)).collect();
    merged.status = status(&merged.checks);
    Some(merged)
}

fn vote(check: &CheckResult, runs: &[CaseResult]) -> CheckResult {
    let said: Vec<_> =
        runs.iter().filter_map(|it| it.checks.iter().find(|c| c.name == check.name)).collect();
    // A check that appears only when it failed passed where it is absent.
    let passed = runs.len() - said.iter().filter(|it| !it.pass).count();
    let other = |status| said.iter().copied().find(|it| it.status == status);
    let failed = other(CheckStatus::Fail).or_else(|| other(CheckStatus::Skipped));
    let holds = match check.level {
        Severity::P0 => passed == runs.len(),
        Severity::P1 | Severity::P2 => passed * 2 > runs.len(),
    };
    let mut result = if holds {
        CheckResult::pass(check.level, &check.name)
    } else {
        failed.cloned().unwrap_or_else(|| check.clone())
    };
    result.data = Some(json!({"passed": passed, "runs": runs.len()}));
    result
}

/// How sure the result is, over the runs of all cases.
#[derive(Debug)]
pub(super) struct Certainty {
    epochs: u32,
    passed: u64,
    runs: u64,
    flaky: Vec<FlakyCheck>,
    of_k: Vec<OfK>,
    cases: usize,
}

/// The largest k of which each is shown; beyond it only the last is.
const MOST_K: u32 = 10;

impl Certainty {
    pub(super) fn new(epochs: u32) -> Self {
        let shown = (1..=epochs).filter(|k| *k <= MOST_K || *k == epochs);
        let of_k = shown.map(|k| OfK { k, any: 0.0, every: 0.0 }).collect();
        Self { epochs, passed: 0, runs: 0, flaky: Vec::new(), of_k, cases: 0 }
    }

    /// Counts the runs of one case.
    pub(super) fn add(&mut self, case: &CaseResult, statuses: &[CaseStatus]) {
        for status in statuses {
            self.passed += u64::from(*status == CaseStatus::Pass);
            self.runs += 1;
        }
        if let Some(CaseRuns { passed, of }) = case.runs {
            self.cases += 1;
            for it in &mut self.of_k {
                it.any += 1.0 - share_of_draws(of.saturating_sub(passed), of, it.k);
                it.every += share_of_draws(passed, of, it.k);
            }
        }
        self.flaky.extend(case.checks.iter().filter_map(|it| flaky(case, it)));
    }

    pub(super) fn finish(mut self) -> Epochs {
        // Cases come in the order in which they are finished; their checks are in order.
        self.flaky.sort_by(|one, other| one.case.cmp(&other.case));
        let Self { epochs, passed, runs, flaky, mut of_k, cases } = self;
        let (low, high) = wilson(passed, runs);
        let mean = |sum: f64| (sum / count(cases.max(1)) * 10_000.0).round() / 10_000.0;
        for it in &mut of_k {
            (it.any, it.every) = (mean(it.any), mean(it.every));
        }
        // Where nothing was measured, nothing is known of any k.
        of_k.retain(|_| cases > 0);
        Epochs { epochs, passed, runs, low, high, flaky, of_k }
    }
}

/// The chance that k runs, drawn without putting back from all, are of these alone.
fn share_of_draws(these: u32, all: u32, k: u32) -> f64 {
    if k > these {
        return 0.0;
    }
    (0..k).map(|drawn| f64::from(these - drawn) / f64::from(all - drawn)).product()
}

fn flaky(case: &CaseResult, check: &CheckResult) -> Option<FlakyCheck> {
    let number = |key| u32::try_from(check.data.as_ref()?.get(key)?.as_u64()?).ok();
    let (passed, runs) = (number("passed")?, number("runs")?);
    let is_flaky = passed > 0 && passed < runs;
    is_flaky.then(|| FlakyCheck { case: case.id.clone(), check: check.name.clone(), passed, runs })
}

#[cfg(test)]
mod tests {
    use provost_kernel::Severity::P1;

    use super::*;
    use crate::gate::tests::result;

    fn run(passes: bool) -> CaseResult {
        let check = if passes {
            CheckResult::pass(P1, "x")
        } else {
            CheckResult::fail(P1, "x", &"why".into())
        };
        result("a", vec![check])
    }

    #[test]
    fn more_than_half_decides() {
        for (runs, status, n_flaky) in [
            (vec![true], CaseStatus::Pass, 0),
            (vec![true, true, false], CaseStatus::Pass, 1),
            (vec![false, true, false], CaseStatus::Fail, 1),
            (vec![true, false], CaseStatus::Fail, 1),
            (vec![false, false], CaseStatus::Fail, 0),
            (vec![true, true, true], CaseStatus::Pass, 0),
        ] {
            let statuses: Vec<_> = runs.iter().map(|it| run(*it).status).collect();
            let merged = merge(runs.iter().map(|it| run(*it)).collect()).unwrap();
            assert_eq!(merged.status, status, "{runs:?}");
            assert_eq!(merged.checks[0].pass, status == CaseStatus::Pass);
            let epochs = u32::try_from(runs.len()).unwrap();
            let mut certainty = Certainty::new(epochs);
            certainty.add(&merged, &statuses);
            assert_eq!(certainty.finish().flaky.len(), n_flaky, "{runs:?}");
        }
        assert!(merge(Vec::new()).is_none());
    }

    /// What must never happen did happen, also if it was in one run of five.
    #[test]
    fn p0_holds_in_every_run() {
        let run = |name: &str, passes: bool| {
            let check = if passes {
                CheckResult::pass(Severity::P0, name)
            } else {
                CheckResult::fail(Severity::P0, name, &"why".into())
            };
            result("a", vec![check])
        };
        for (runs, status) in [
            ([true, true, true], CaseStatus::Pass),
            ([true, false, true], CaseStatus::Fail),
            ([false, true, true], CaseStatus::Fail),
            ([false, false, false], CaseStatus::Fail),
        ] {
            let merged = merge(runs.iter().map(|it| run("x", *it)).collect()).unwrap();
            assert_eq!(merged.status, status, "{runs:?}");
            assert_eq!(merged.checks[0].message.is_some(), status == CaseStatus::Fail);
        }
        // A check that appears only when it failed is at P0, too.
        let empty = result("a", Vec::new());
        let merged = merge(vec![empty.clone(), run("engine.output", false), empty]).unwrap();
        assert_eq!(merged.status, CaseStatus::Fail);
    }

    #[test]
    fn a_run_that_was_not_measured_leaves_no_result() {
        let error = CaseResult { status: CaseStatus::Error, ..run(true) };
        assert_eq!(merge(vec![run(true), error, run(true)]).unwrap().status, CaseStatus::Error);
    }

    /// pass@k and pass^k, as they are estimated without bias: of 2 passes in 4 runs, two drawn are
    /// both good in 1 of 6 pairs and both bad in 1 of 6.
    #[test]
    fn k_runs_pass_at_all_or_altogether() {
        let mut certainty = Certainty::new(4);
        for passed in [2, 4] {
            let runs = Some(CaseRuns { passed, of: 4 });
            certainty.add(&CaseResult { runs, ..run(true) }, &[]);
        }
        let found: Vec<_> =
            certainty.finish().of_k.iter().map(|it| (it.k, it.any, it.every)).collect();
        assert_eq!(found, [(1, 0.75, 0.75), (2, 0.9167, 0.5833), (3, 1.0, 0.5), (4, 1.0, 0.5)]);
        assert_eq!(Certainty::new(20).finish().of_k, []);
        let merged = merge(vec![run(true), run(false), run(true)]).unwrap();
        assert_eq!(merged.runs, Some(CaseRuns { passed: 2, of: 3 }));
    }
}
