use Severity::{P0, P1, P2};
use provost_kernel::{
    Lang,
    eval::{Change, CheckResult, Meta, Preview},
};

use super::*;
use crate::judge::status;

/// A case with these checks.
pub(crate) fn result(id: &str, checks: Vec<CheckResult>) -> CaseResult {
    CaseResult {
        id: id.to_owned(),
        status: status(&checks),
        run_id: format!("eval_{id}"),
        meta: Meta::default(),
        checks,
        preview: Preview::default(),
        error: None,
        warnings: Vec::new(),
        warnings_codes: Vec::new(),
        latency_ms: None,
        runs: None,
        shown: None,
    }
}

fn failing(level: Severity) -> CaseResult {
    result("a", vec![CheckResult::fail(level, "x", &"".into())])
}

fn passing() -> CaseResult {
    result("a", vec![CheckResult::pass(P0, "x")])
}

fn broken() -> CaseResult {
    CaseResult {
        status: CaseStatus::Error,
        ..result("a", vec![CheckResult::skipped(P0, "x", "y")])
    }
}

fn totals(cases: &[CaseResult]) -> Totals {
    let mut totals = Totals::default();
    for case in cases {
        count(&mut totals, case);
    }
    totals
}

#[track_caller]
fn check(cases: Vec<CaseResult>, policy: GatePolicy, exit: u8, n_warnings: usize) {
    let gate = decide(&totals(&cases), &policy, &[], None);
    assert_eq!((gate.exit_code, gate.warnings.len()), (exit, n_warnings), "{gate:?}");
    assert_eq!(gate.pass, exit == 0);
    assert!(!gate.reason.is_empty());
}

/// EVAL-1.2, EVAL-1.3: `--fail-on` is cumulative.
#[test]
fn failures_at_the_level_or_graver_refuse() {
    let on = |fail_on| GatePolicy { fail_on, ..GatePolicy::default() };
    check(vec![], on(P2), 0, 0);
    for (level, exits) in [(P0, [1, 1, 1]), (P1, [0, 1, 1]), (P2, [0, 0, 1])] {
        for (fail_on, exit) in [P0, P1, P2].into_iter().zip(exits) {
            let warnings = usize::from(level == P2);
            check(vec![failing(level)], on(fail_on), exit, warnings);
        }
    }
}

/// Ruling 81: a check that could not look is a failure of its level, and one that was blocked by an
/// accepted failure is accepted with it.
#[test]
fn a_skipped_check_refuses_like_a_failed_one() {
    let skipped = |level| vec![CheckResult::skipped(level, "x", "schema.y")];
    let on = |fail_on| GatePolicy { fail_on, ..GatePolicy::default() };
    check(vec![result("a", skipped(P1))], on(P1), 1, 0);
    check(vec![result("a", skipped(P1))], on(P0), 0, 0);
    check(vec![result("a", skipped(P0))], on(P0), 1, 0);
    check(vec![result("a", skipped(P2))], on(P2), 1, 1);
    // A cause below the level of the gate does not take its consequences with it.
    let mut all = vec![CheckResult::fail(P2, "schema.y", &"".into())];
    all.extend(skipped(P1));
    check(vec![result("a", all.clone())], on(P1), 1, 1);
    all[0].excuse = Some(provost_kernel::eval::Excuse::Expected);
    check(vec![result("a", all)], on(P2), 0, 0);
    // P2 keeps its budget, over whatever made a case fail there.
    let budget = GatePolicy { p2_budget: Some(Budget::Cases(0)), ..GatePolicy::default() };
    check(vec![result("a", skipped(P2))], budget, 1, 0);
    let gate = decide(&totals(&[result("a", skipped(P1))]), &on(P1), &[], None);
    assert_eq!(gate.reason, "1 check was skipped at P1");
    assert_eq!(Lang::Zh.render(&gate.reason()), "P1 级有 1 项检查被跳过");
}

/// EVAL-5.3: a few failures at P2 are tolerated.
#[test]
fn the_budget_of_p2() {
    let cases = |bad: usize| {
        let mut cases: Vec<_> = (bad..10).map(|_| passing()).collect();
        cases.extend((0..bad).map(|_| failing(P2)));
        cases
    };
    let with = |p2_budget, fail_on| GatePolicy { fail_on, p2_budget, ..GatePolicy::default() };
    check(cases(2), with(None, P1), 0, 0);
    check(cases(3), with(None, P1), 0, 1);
    check(cases(2), with(Some(Budget::Percent(20)), P1), 0, 0);
    check(cases(3), with(Some(Budget::Percent(20)), P1), 1, 0);
    check(cases(3), with(Some(Budget::Cases(3)), P2), 0, 0);
    check(cases(4), with(Some(Budget::Cases(3)), P2), 1, 0);
    check(cases(1), with(None, P2), 1, 0);
    for (text, expected) in [
        ("3", Some(Budget::Cases(3))),
        ("20%", Some(Budget::Percent(20))),
        ("101%", None),
        ("x", None),
        ("-1", None),
    ] {
        assert_eq!(text.parse::<Budget>().ok(), expected, "{text}");
    }
}

/// EVAL-1.3: a certain failure is 1, else a case that was not measured is 2.
#[test]
fn errors_come_after_failures() {
    let policy = GatePolicy::default();
    check(vec![passing(), broken()], policy, 2, 1);
    check(vec![failing(P0), broken()], policy, 1, 1);
    check(vec![failing(P2), broken()], policy, 2, 2);
    check(vec![broken()], GatePolicy { errors_as: ErrorsAs::Fail, ..policy }, 1, 0);
}

#[test]
fn an_expired_waiver_refuses() {
    let totals = totals(&[passing()]);
    let waiver = Waiver {
        check: "x".to_owned(),
        case: None,
        suite: None,
        reason: "known".to_owned(),
        until: "2026-05-31".to_owned(),
    };
    let gate = decide(&totals, &GatePolicy::default(), &[&waiver], None);
    assert_eq!(gate.exit_code, 1);
    assert_eq!(gate.reason, "the waiver of `x` expired on 2026-05-31 (known)");
    assert_eq!(Lang::Zh.render(&gate.reason()), "`x` 的豁免已于 2026-05-31 过期（known）");
}

#[test]
fn a_baseline_refuses_only_when_asked_to() {
    let worse = |level| Baseline {
        worse: vec![Change { case: "a".to_owned(), check: "x".to_owned(), level }],
        cases_worse: 5,
        p_value: 0.031_25,
        ..Baseline::default()
    };
    for (gate, level, p_value, exit) in [
        (BaselineGate::Show, P0, 0.0, 0),
        (BaselineGate::Worse, P1, 1.0, 1),
        (BaselineGate::Worse, P2, 1.0, 0),
        (BaselineGate::Significant, P2, 0.049, 1),
        (BaselineGate::Significant, P0, 0.05, 0),
    ] {
        let baseline = Baseline { p_value, ..worse(level) };
        let policy = GatePolicy { baseline: gate, ..GatePolicy::default() };
        let decided = decide(&totals(&[passing()]), &policy, &[], Some(&baseline));
        assert_eq!(decided.exit_code, exit, "{gate} {level:?}");
    }
}

/// What failed in the baseline, too, is known; what did not is not.
#[test]
fn only_new_failures_refuse() {
    let policy = GatePolicy { baseline: BaselineGate::New, ..GatePolicy::default() };
    let mut totals = Totals::default();
    count(&mut totals, &failing(P1));
    let change = |level| Change { case: "a".to_owned(), check: "x".to_owned(), level };
    let check = |baseline: Baseline, exit_code: u8, reason: &str| {
        let gate = decide(&totals, &policy, &[], Some(&baseline));
        assert_eq!((gate.exit_code, gate.reason.as_str()), (exit_code, reason), "{baseline:?}");
    };
    check(Baseline::default(), 0, "the gate passed");
    let reason = "1 check failed that the baseline does not know to fail";
    check(Baseline { worse: vec![change(P0)], ..Baseline::default() }, 1, reason);
    check(Baseline { unknown: vec![change(P1)], ..Baseline::default() }, 1, reason);
    check(Baseline { worse: vec![change(P2)], ..Baseline::default() }, 0, "the gate passed");
    let fewer = Baseline {
        differs: vec![FEWER.to_owned()],
        cases_gone: vec!["b".to_owned()],
        ..Baseline::default()
    };
    check(fewer, 1, "1 case of the baseline is gone: `b`");
    let other = Baseline { differs: vec![SUITE.to_owned()], ..Baseline::default() };
    check(other.clone(), 1, "the baseline has another suite");
    let shown = decide(&Totals::default(), &GatePolicy::default(), &[], Some(&other));
    assert_eq!((shown.exit_code, shown.warnings.len()), (0, 1));
    // Without a baseline everything is new.
    assert_eq!(decide(&totals, &policy, &[], None).exit_code, 1);
    let engine = Baseline { engine: Some("0.1.0".to_owned()), ..Baseline::default() };
    let gate = decide(&Totals::default(), &policy, &[], Some(&engine));
    assert_eq!(gate.warnings, ["the baseline is of engine version 0.1.0"]);
}
