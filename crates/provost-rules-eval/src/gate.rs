//! The gate: totals, what they may be, and the exit code.
//!
//! A failure that is certain comes before an engine that was not there, and that before a pass.

use provost_kernel::{
    Lang, Severity,
    eval::{Baseline, BaselineGate, CaseResult, CaseStatus, Gate, Totals},
};

use super::number::n;

/// What the gate lets through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GatePolicy {
    pub fail_on: Severity,
    /// What a person configured; without it, a fifth of the cases may fail at P2, with a warning.
    pub p2_budget: Option<Budget>,
    pub errors_as: ErrorsAs,
    pub baseline: BaselineGate,
}

/// How many cases may fail at P2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    Cases(usize),
    /// Of all cases, rounded down.
    Percent(u8),
}

/// A text that is no budget.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a budget: write `3` or `20%`")]
pub struct BudgetError(String);

/// What an engine that was not there means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorsAs {
    /// The gate failed.
    Fail,
    /// The runner could not do its work.
    Error,
}

/// What is tolerated at P2 unless somebody says otherwise.
const DEFAULT_BUDGET: Budget = Budget::Percent(20);
/// Below this, chance does not explain what got worse.
const SIGNIFICANT: f64 = 0.05;

impl Default for GatePolicy {
    /// What the seed prescribes: `--fail-on P1`.
    fn default() -> Self {
        Self {
            fail_on: Severity::P1,
            p2_budget: None,
            errors_as: ErrorsAs::Error,
            baseline: BaselineGate::Show,
        }
    }
}

/// Counts one more case (EVAL-6.1).
pub fn count(totals: &mut Totals, case: &CaseResult) {
    let (mut p0, mut p1, mut p2) = (0, 0, 0);
    for check in &case.checks {
        totals.excused += usize::from(check.excuse.is_some());
        if check.is_counted() {
            match check.level {
                Severity::P0 => p0 += 1,
                Severity::P1 => p1 += 1,
                Severity::P2 => p2 += 1,
            }
        }
    }
    totals.p0_fail += p0;
    totals.p1_fail += p1;
    totals.p2_fail += p2;
    totals.cases_failing_p0 += usize::from(p0 > 0);
    totals.cases_failing_p1 += usize::from(p1 > 0);
    totals.cases_failing_p2 += usize::from(p2 > 0);
    totals.checks += case.checks.len();
    totals.repairs += u64::from(case.meta.repairs.unwrap_or_default());
    match case.status {
        CaseStatus::Pass => totals.cases_passed += 1,
        CaseStatus::Fail => totals.cases_failed += 1,
        CaseStatus::Error => totals.cases_error += 1,
    }
}

/// Decides (EVAL-1.3). The waivers are those that are over, as people read them.
pub fn decide(
    totals: &Totals,
    policy: &GatePolicy,
    expired_waivers: &[String],
    baseline: Option<&Baseline>,
    lang: Lang,
) -> Gate {
    let n_cases = totals.cases_passed + totals.cases_failed + totals.cases_error;
    let (mut refusals, mut warnings) = (Vec::new(), Vec::new());
    for (level, found) in [
        (Severity::P0, totals.p0_fail),
        (Severity::P1, totals.p1_fail),
        (Severity::P2, totals.p2_fail),
    ] {
        // A budget that somebody set takes the place of zero at P2.
        let has_budget = level == Severity::P2 && policy.p2_budget.is_some();
        if found > 0 && level <= policy.fail_on && !has_budget {
            refusals.push(lang.pick(
                format!("{} failed at {level:?}", n(found, "check", "checks")),
                format!("{level:?} 级有 {found} 项检查失败"),
            ));
        }
    }
    let (allowed, failing) =
        (policy.p2_budget.unwrap_or(DEFAULT_BUDGET).of(n_cases), totals.cases_failing_p2);
    if failing > allowed {
        let text = lang.pick(
            format!("{} at P2, and {allowed} may", n(failing, "case fails", "cases fail")),
            format!("{failing} 个用例在 P2 级失败,至多允许 {allowed} 个"),
        );
        match policy.p2_budget {
            Some(_) => refusals.push(text),
            None => warnings.push(text),
        }
    }
    for waiver in expired_waivers {
        refusals
            .push(lang.pick(format!("a waiver is over: {waiver}"), format!("豁免已过期:{waiver}")));
    }
    if let Some(baseline) = baseline {
        refusals.extend(worse(baseline, policy, lang));
        warnings.extend(baseline.differs.iter().map(|it| differs(it, lang)));
    }
    let errors = totals.cases_error;
    let has_errors = errors > 0;
    if has_errors {
        let text = lang.pick(
            format!("{} could not be measured", n(errors, "case", "cases")),
            format!("{errors} 个用例未能测量"),
        );
        match policy.errors_as {
            ErrorsAs::Fail => refusals.push(text),
            ErrorsAs::Error => warnings.push(text),
        }
    }
    let exit_code = match (refusals.is_empty(), has_errors) {
        (false, _) => 1,
        (true, true) => 2,
        (true, false) => 0,
    };
    let reason = match exit_code {
        0 => lang.pick("the gate passed", "门禁通过").to_owned(),
        1 => refusals.join("; "),
        _ => warnings.last().cloned().unwrap_or_default(),
    };
    Gate { pass: exit_code == 0, exit_code, reason, warnings }
}

fn worse(baseline: &Baseline, policy: &GatePolicy, lang: Lang) -> Option<String> {
    let grave = baseline.worse.iter().filter(|it| it.level <= policy.fail_on).count();
    let cases = baseline.cases_worse;
    match policy.baseline {
        BaselineGate::Worse if grave > 0 => Some(lang.pick(
            format!("{} got worse than the baseline", n(grave, "check", "checks")),
            format!("{grave} 项检查比基线差"),
        )),
        BaselineGate::Significant if cases > 0 && baseline.p_value < SIGNIFICANT => {
            Some(lang.pick(
                format!(
                    "{} got worse than the baseline (p = {:.4})",
                    n(cases, "case", "cases"),
                    baseline.p_value
                ),
                format!("{cases} 个用例比基线差(p = {:.4})", baseline.p_value),
            ))
        }
        BaselineGate::Show | BaselineGate::Worse | BaselineGate::Significant => None,
    }
}

/// Says what of the earlier report was another.
fn differs(what: &str, lang: Lang) -> String {
    let (en, zh) = match what {
        "suite" => ("another suite", "套件"),
        "profile" => ("another profile", "读者"),
        "lexicon" => ("another lexicon", "词表"),
        "schemas" => ("other schemas", "schema"),
        _ => ("other cases", "用例"),
    };
    lang.pick(format!("the baseline has {en}"), format!("基线的{zh}不同"))
}

impl Budget {
    fn of(self, n_cases: usize) -> usize {
        match self {
            Self::Cases(cases) => cases,
            Self::Percent(percent) => n_cases * usize::from(percent) / 100,
        }
    }
}

impl std::str::FromStr for Budget {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<Self, BudgetError> {
        let error = || BudgetError(text.chars().take(20).collect());
        match text.strip_suffix('%') {
            Some(percent) => {
                let percent = percent.parse().ok().filter(|it| *it <= 100);
                percent.map(Self::Percent).ok_or_else(error)
            }
            None => text.parse().map(Self::Cases).map_err(|_| error()),
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
