//! The gate: totals, what they may be, and the exit code.
//!
//! A failure that is certain comes before an engine that was not there, and that before a pass.

use provost_kernel::{
    Message, Severity, Text,
    eval::{Baseline, BaselineGate, CaseResult, CaseStatus, CheckStatus, Gate, Totals},
    shorten,
};

use super::{
    baseline::{FEWER, SUITE, UNVERIFIED},
    judge::refused,
    waiver::Waiver,
};

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

/// A text that is not a budget.
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
/// How many cases are named that are gone.
const NAMED: usize = 5;
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
    let levels = [
        (Severity::P0, &mut totals.p0_fail, &mut totals.p0_skip, &mut totals.cases_failing_p0),
        (Severity::P1, &mut totals.p1_fail, &mut totals.p1_skip, &mut totals.cases_failing_p1),
        (Severity::P2, &mut totals.p2_fail, &mut totals.p2_skip, &mut totals.cases_failing_p2),
    ];
    // Where nothing was measured, nothing was found either.
    let is_measured = case.status != CaseStatus::Error;
    for (level, failed, skipped, failing) in levels {
        let at_level = refused(&case.checks).filter(|it| it.level == level && is_measured);
        let (mut n_failed, mut n_skipped) = (0, 0);
        for check in at_level {
            match check.status {
                CheckStatus::Fail => n_failed += 1,
                CheckStatus::Skipped => n_skipped += 1,
                CheckStatus::Pass => {}
            }
        }
        *failed += n_failed;
        *skipped += n_skipped;
        *failing += usize::from(n_failed + n_skipped > 0);
    }
    totals.excused += case.checks.iter().filter(|it| it.excuse.is_some()).count();
    totals.checks += case.checks.len();
    totals.repairs += u64::from(case.meta.repairs.unwrap_or_default());
    match case.status {
        CaseStatus::Pass => totals.cases_passed += 1,
        CaseStatus::Fail => totals.cases_failed += 1,
        CaseStatus::Error => totals.cases_error += 1,
    }
}

/// Decides (EVAL-1.3).
pub fn decide(
    totals: &Totals,
    policy: &GatePolicy,
    expired_waivers: &[&Waiver],
    baseline: Option<&Baseline>,
) -> Gate {
    let n_cases = totals.cases_passed + totals.cases_failed + totals.cases_error;
    let (mut refusals, mut warnings) = (Vec::new(), Vec::new());
    // What failed in the baseline, too, is known there.
    let only_new = baseline.filter(|_| policy.baseline == BaselineGate::New);
    for (level, found, skipped) in [
        (Severity::P0, totals.p0_fail, totals.p0_skip),
        (Severity::P1, totals.p1_fail, totals.p1_skip),
        (Severity::P2, totals.p2_fail, totals.p2_skip),
    ] {
        // A budget that somebody set takes the place of zero at P2.
        let has_budget = level == Severity::P2 && policy.p2_budget.is_some();
        if level > policy.fail_on || has_budget || only_new.is_some() {
            continue;
        }
        if found > 0 {
            refusals.push(Reason::Failed { found, level });
        }
        // Most are skipped because another check failed, which says more.
        if skipped > 0 && refusals.is_empty() {
            refusals.push(Reason::Skipped { skipped, level });
        }
    }
    let (allowed, failing) =
        (policy.p2_budget.unwrap_or(DEFAULT_BUDGET).of(n_cases), totals.cases_failing_p2);
    if failing > allowed {
        let reason = Reason::OverBudget { failing, allowed };
        match policy.p2_budget {
            Some(_) => refusals.push(reason),
            None => warnings.push(reason),
        }
    }
    refusals.extend(expired_waivers.iter().map(|it| Reason::WaiverExpired {
        check: it.check.clone(),
        until: it.until.clone(),
        reason: it.reason.clone(),
    }));
    if let Some(baseline) = baseline {
        refusals.extend(worse(baseline, policy));
        let decides = policy.baseline != BaselineGate::Show;
        for name in &baseline.differs {
            let reason = Reason::of_difference(name, baseline);
            // Another suite measures something else, and a case that is gone cannot fail.
            let is_hole = name == SUITE || name == FEWER;
            if decides && is_hole { refusals.push(reason) } else { warnings.push(reason) }
        }
        let engine = baseline.engine.clone();
        warnings.extend(engine.map(|version| Reason::OtherEngine { version }));
    }
    let errors = totals.cases_error;
    let has_errors = errors > 0;
    if has_errors {
        match policy.errors_as {
            ErrorsAs::Fail => refusals.push(Reason::NotMeasured { errors }),
            ErrorsAs::Error => warnings.push(Reason::NotMeasured { errors }),
        }
    }
    let exit_code = match (refusals.is_empty(), has_errors) {
        (false, _) => 1,
        (true, true) => 2,
        (true, false) => 0,
    };
    let reason = match exit_code {
        0 => Reason::Passed.text(),
        1 => Reason::Refused(refusals).text(),
        _ => warnings.last().map_or_else(|| Text::verbatim(""), Message::text),
    };
    let (reason, reason_code, reason_args) = reason.to_parts();
    let warnings: Vec<Text> = warnings.iter().map(Message::text).collect();
    Gate {
        pass: exit_code == 0,
        exit_code,
        reason,
        reason_code,
        reason_args,
        warnings_codes: warnings.iter().map(|it| it.record().unwrap_or_default()).collect(),
        warnings: warnings.iter().map(Text::to_string).collect(),
    }
}

fn worse(baseline: &Baseline, policy: &GatePolicy) -> Option<Reason> {
    let checks = baseline.worse.iter().filter(|it| it.level <= policy.fail_on).count();
    let (cases, p_value) = (baseline.cases_worse, baseline.p_value);
    match policy.baseline {
        BaselineGate::Worse if checks > 0 => Some(Reason::ChecksWorse { checks }),
        BaselineGate::Significant if cases > 0 && p_value < SIGNIFICANT => {
            Some(Reason::CasesWorse { cases, p_value })
        }
        BaselineGate::New => {
            let unknown = baseline.unknown.iter().filter(|it| it.level <= policy.fail_on).count();
            let found = checks + unknown;
            (found > 0).then_some(Reason::NewFailures { checks: found })
        }
        BaselineGate::Show | BaselineGate::Worse | BaselineGate::Significant => None,
    }
}

/// Why the gate decided as it did, and what it warns about.
#[derive(Debug, Message)]
#[message(code = "eval.gate")]
enum Reason {
    #[message(en = "the gate passed", zh = "门禁通过")]
    Passed,
    #[message(en = "{0:clauses}", zh = "{0:clauses}")]
    Refused(Vec<Self>),
    #[message(
        en = "{found} {found:check|checks} failed at {level}",
        zh = "{level} 级有 {found} 项检查失败",
        arg(level = format!("{level:?}"))
    )]
    Failed { found: usize, level: Severity },
    #[message(
        en = "{skipped} {skipped:check was|checks were} skipped at {level}",
        zh = "{level} 级有 {skipped} 项检查被跳过",
        arg(level = format!("{level:?}"))
    )]
    Skipped { skipped: usize, level: Severity },
    #[message(
        en = "{failing} {failing:case fails|cases fail} at P2, allowed {allowed}",
        zh = "{failing} 个用例在 P2 级失败，至多允许 {allowed} 个"
    )]
    OverBudget { failing: usize, allowed: usize },
    #[message(
        en = "the waiver of `{check}` expired on {until} ({reason})",
        zh = "`{check}` 的豁免已于 {until} 过期（{reason}）"
    )]
    WaiverExpired { check: String, until: String, reason: String },
    #[message(
        en = "{checks} {checks:check|checks} got worse than the baseline",
        zh = "{checks} 项检查比基线差"
    )]
    ChecksWorse { checks: usize },
    #[message(
        en = "{cases} {cases:case|cases} got worse than the baseline (p = {p})",
        zh = "{cases} 个用例比基线差（p = {p}）",
        arg(p = format!("{p_value:.4}"))
    )]
    CasesWorse { cases: usize, p_value: f64 },
    #[message(
        en = "{checks} {checks:check|checks} failed that the baseline does not know to fail",
        zh = "{checks} 项检查失败，而基线中没有"
    )]
    NewFailures { checks: usize },
    #[message(
        en = "{gone} {gone:case|cases} of the baseline {gone:is|are} gone: {names:names}",
        zh = "基线中的 {gone} 个用例已不存在：{names:names}"
    )]
    FewerCases { gone: usize, names: Vec<String> },
    #[message(
        en = "the baseline is of engine version {version}",
        zh = "基线的引擎版本为 {version}"
    )]
    OtherEngine { version: String },
    #[message(
        en = "the baseline is of an earlier version, and its digest cannot be verified",
        zh = "基线由早期版本写成，其摘要无法核实"
    )]
    Unverified,
    #[message(en = "the baseline has another file of the suite", zh = "基线的套件文件不同")]
    OtherChecks,
    #[message(
        en = "{errors} {errors:case|cases} could not be measured",
        zh = "{errors} 个用例未能测量"
    )]
    NotMeasured { errors: usize },
    #[message(en = "the baseline has another suite", zh = "基线的套件不同")]
    OtherSuite,
    #[message(en = "the baseline has another profile", zh = "基线的读者不同")]
    OtherProfile,
    #[message(en = "the baseline has another lexicon", zh = "基线的词表不同")]
    OtherLexicon,
    #[message(en = "the baseline has other schemas", zh = "基线的 schema 不同")]
    OtherSchemas,
    #[message(en = "the baseline has other cases", zh = "基线的用例不同")]
    OtherCases,
}

impl Reason {
    fn of_difference(name: &str, baseline: &Baseline) -> Self {
        match name {
            SUITE => Self::OtherSuite,
            FEWER => Self::FewerCases {
                gone: baseline.cases_gone.len(),
                names: baseline.cases_gone.iter().take(NAMED).cloned().collect(),
            },
            "checks" => Self::OtherChecks,
            UNVERIFIED => Self::Unverified,
            "profile" => Self::OtherProfile,
            "lexicon" => Self::OtherLexicon,
            "schemas" => Self::OtherSchemas,
            _ => Self::OtherCases,
        }
    }
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
        let error = || BudgetError(shorten(text));
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
