//! The console: failures grouped by severity, then one line of totals (EVAL-6.2).

use std::fmt::Write as _;

use provost_kernel::{
    Lang, Severity,
    eval::{CaseResult, CaseStatus, Change, Difference, Excuse, Report},
    model::Usage,
};
use provost_rules_eval::judge::listed;

use super::message;

/// How wide the columns of cases and checks are at most.
const MAX_COLUMN: usize = 40;

/// The report as text, without a final newline. The cases are those that are not simply good.
pub(in crate::eval) fn text(report: &Report, noted: &[CaseResult], lang: Lang) -> String {
    let mut out = String::new();
    let width = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0).min(MAX_COLUMN);
    let ids = width(&mut noted.iter().map(|it| it.id.chars().count()));
    let names =
        width(&mut noted.iter().flat_map(|it| &it.checks).map(|it| it.name.chars().count()));
    for level in [Severity::P0, Severity::P1, Severity::P2] {
        let rows: Vec<_> = noted
            .iter()
            .flat_map(|case| listed(case).map(|it| (&case.id, it)))
            .filter(|(_, it)| it.level == level)
            .collect();
        line(&mut out, &format!("{level:?} ({})", rows.len()));
        for (id, check) in rows {
            let message = one_line(&message(check, lang));
            line(&mut out, &format!("  {id:ids$}  {:names$}  {message}", check.name));
        }
    }
    let broken: Vec<_> = noted.iter().filter(|it| it.status == CaseStatus::Error).collect();
    if !broken.is_empty() {
        line(&mut out, &format!("{} ({})", lang.pick("not measured", "未测量"), broken.len()));
        for case in broken {
            let why = case
                .error
                .as_ref()
                .map(|it| format!("{}  {}", it.error_code, one_line(&lang.render(&it.text()))));
            line(&mut out, &format!("  {:ids$}  {}", case.id, why.unwrap_or_default()));
        }
    }
    excuses(&mut out, noted, lang);
    comparison(&mut out, report, lang);
    for warning in report.gate.warnings() {
        let warning = lang.render(&warning);
        line(&mut out, &lang.pick(format!("warning: {warning}"), format!("警告：{warning}")));
    }
    // A waiver that is over, a budget or a baseline refuses without a row of its own.
    if report.gate.exit_code == 1 {
        let reason = one_line(&lang.render(&report.gate.reason()));
        line(&mut out, &lang.pick(format!("refused: {reason}"), format!("拒绝：{reason}")));
    }
    for (name, usage) in [
        (lang.pick("cost", "费用"), report.run.usage),
        (lang.pick("judge", "评委"), report.run.judge_usage),
    ] {
        if !usage.is_unknown() {
            line(&mut out, &format!("{name}  {}", spent(usage, lang)));
        }
    }
    out.push_str(&totals(report, lang));
    out
}

/// Tokens and money, as far as they are known.
pub(super) fn spent(usage: Usage, lang: Lang) -> String {
    let Usage { input_tokens, output_tokens, usd } = usage;
    let number = |it: Option<u64>| it.map_or_else(|| "?".to_owned(), |it| it.to_string());
    let (read, written) = (number(input_tokens), number(output_tokens));
    let tokens = lang.pick(
        format!("{read} tokens read, {written} written"),
        format!("读入 {read} 个 token，写出 {written} 个"),
    );
    match usd {
        Some(usd) => format!("{tokens}  {usd}"),
        None => tokens,
    }
}

fn excuses(out: &mut String, noted: &[CaseResult], lang: Lang) {
    for case in noted {
        for check in &case.checks {
            if let Some(Excuse::Waived { reason, until }) = &check.excuse {
                let (id, name, reason) = (&case.id, &check.name, one_line(reason));
                line(
                    out,
                    &lang.pick(
                        format!("waived until {until}: {id} {name} ({reason})"),
                        format!("豁免至 {until}：{id} {name}（{reason}）"),
                    ),
                );
            }
        }
    }
}

fn comparison(out: &mut String, report: &Report, lang: Lang) {
    if let Some(epochs) = &report.epochs {
        let (passed, runs, low, high) = (epochs.passed, epochs.runs, epochs.low, epochs.high);
        line(out, &lang.pick(
            format!("epochs {}: {passed} of {runs} runs passed (95 % interval {low:.3} to {high:.3})", epochs.epochs),
            format!("重复 {} 次：{runs} 次运行中 {passed} 次通过（95 % 区间 {low:.3} 到 {high:.3}）", epochs.epochs),
        ));
        for it in epochs.of_k.iter().filter(|it| it.k > 1) {
            line(out, &format!("  pass@{0} {1:.4}  pass^{0} {2:.4}", it.k, it.any, it.every));
        }
        for it in &epochs.flaky {
            let label = lang.pick("flaky", "不稳定");
            line(out, &format!("  {label}  {}  {}  {}/{}", it.case, it.check, it.passed, it.runs));
        }
    }
    if let Some(baseline) = &report.baseline {
        let (better, worse, p) = (baseline.better.len(), baseline.worse.len(), baseline.p_value);
        line(
            out,
            &lang.pick(
                format!("against the baseline: {better} better, {worse} worse (p = {p})"),
                format!("与基线相比：{better} 项变好，{worse} 项变差（p = {p}）"),
            ),
        );
        if let Some(it) = &baseline.difference {
            line(out, &format!("  {}", difference(it, lang)));
        }
        let mut list = |sign: char, changes: &[Change]| {
            for it in changes {
                line(out, &format!("  {sign} {}  {}  {:?}", it.case, it.check, it.level));
            }
        };
        list('+', &baseline.better);
        list('-', &baseline.worse);
        list('!', &baseline.unknown);
    }
}

/// By how much the share of passed runs changed, in points.
pub(super) fn difference(it: &Difference, lang: Lang) -> String {
    let [mean, low, high] = [it.mean, it.low, it.high].map(|it| it * 100.0);
    let cases = it.cases;
    lang.pick(
        format!(
            "passed runs: {mean:+.1} points (95 % interval {low:+.1} to {high:+.1}, {cases} cases)"
        ),
        format!(
            "通过率变化：{mean:+.1} 个百分点（95 % 区间 {low:+.1} 到 {high:+.1}，{cases} 个用例）"
        ),
    )
}

fn totals(report: &Report, lang: Lang) -> String {
    let t = &report.totals;
    let (cases, exit, on) = (report.run.cases, report.gate.exit_code, report.run.fail_on);
    let gate = match exit {
        0 => lang.pick("GATE PASSED", "门禁通过"),
        1 => lang.pick("GATE FAILED", "门禁失败"),
        _ => lang.pick("NOT MEASURED", "未能测量"),
    };
    lang.pick(
        format!(
            "cases {cases}  passed {}  failed {}  errors {} | checks {}  P0 {}  P1 {}  P2 {} | fail-on {on:?} | {gate} (exit {exit})",
            t.cases_passed, t.cases_failed, t.cases_error, t.checks, t.p0_fail, t.p1_fail, t.p2_fail
        ),
        format!(
            "用例 {cases}  通过 {}  失败 {}  错误 {} | 检查 {}  P0 {}  P1 {}  P2 {} | fail-on {on:?} | {gate}（退出码 {exit}）",
            t.cases_passed, t.cases_failed, t.cases_error, t.checks, t.p0_fail, t.p1_fail, t.p2_fail
        ),
    )
}

fn line(out: &mut String, text: &str) {
    let _ = writeln!(out, "{}", text.trim_end());
}

/// What an engine wrote cannot start a line of its own.
pub(super) fn one_line(text: &str) -> String {
    text.split(char::is_control).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;

    /// EVAL-6.2.
    #[test]
    fn failures_are_grouped_by_severity() {
        let (report, cases) = sample();
        let shown = text(&report, &cases, Lang::En);
        let expected = "\
P0 (1)
  a<b  score.priority_band     IF_TIME but score 81 (allowed 39.5 ≤ s < 60.5)
P1 (1)
  a<b  todos.verb_led          one two
P2 (1)
  c    card.headline_specific  `x` & \"y\"
not measured (1)
  d    AI_TIMEOUT  after 5 s
warning: 1 case fails at P2, allowed 0
warning: 1 case could not be measured
refused: 1 check failed at P0; 1 check failed at P1
cases 3  passed 0  failed 2  errors 1 | checks 5  P0 1  P1 1  P2 1 | fail-on P1 | GATE FAILED (exit 1)";
        assert_eq!(shown, expected);
        assert!(text(&report, &cases, Lang::Zh).contains("门禁失败（退出码 1）"));
    }
}
