//! One page that stands alone: no script, no font, no picture, nothing from elsewhere.

use std::fmt::Write as _;

use provost_kernel::{
    Lang, Message,
    eval::{CaseResult, CaseStatus, CheckResult, CheckStatus, Report},
};

use super::message;
use crate::xml::escape;

const STYLE: &str = "\
:root{color-scheme:light dark;--ok:#1a7f37;--bad:#cf222e;--mid:#9a6700;--line:#8884}\
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.5rem}ul,p.quiet{margin:.2rem 0}h2{font-size:1.15rem;margin-top:2rem}\
.badge{padding:.15rem .6rem;border-radius:1rem;color:#fff;font-size:.9rem}\
.pass{background:var(--ok)}.fail{background:var(--bad)}.error,.skipped{background:var(--mid)}\
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}\
details{border:1px solid var(--line);border-radius:.5rem;margin:.5rem 0;padding:.4rem .8rem}summary{cursor:pointer}\
code{font-size:.9em}.quiet{opacity:.7}dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}dd{margin:0;overflow-wrap:anywhere}";

/// The order in which cases stand: failed ones first, and open.
pub(super) const ORDER: [CaseStatus; 3] = [CaseStatus::Fail, CaseStatus::Error, CaseStatus::Pass];

/// What stands before the cases.
pub(super) fn start(report: &Report, lang: Lang) -> String {
    let title = lang.pick("Eval report", "评测报告");
    let status = match report.gate.exit_code {
        0 => CaseStatus::Pass,
        1 => CaseStatus::Fail,
        _ => CaseStatus::Error,
    };
    let mut out = format!(
        "<!doctype html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n\
         <body>\n<h1>{title} {}</h1>\n<p>{}</p>\n",
        badge(status, lang),
        escape(&lang.render(&report.gate.reason()))
    );
    let reason = report.gate.reason();
    for warning in report.gate.warnings().filter(|it| *it != reason) {
        let _ = writeln!(out, "<p class=\"quiet\">{}</p>", escape(&lang.render(&warning)));
    }
    out.push_str(&numbers(report, lang));
    out.push_str(&comparison(report, lang));
    let _ = writeln!(out, "<h2>{}</h2>", lang.pick("Cases", "用例"));
    out
}

/// What stands after the cases.
pub(super) fn end(report: &Report, lang: Lang) -> String {
    about(report, lang) + "</body>\n</html>\n"
}

/// How many cases and checks there were.
#[derive(Message)]
#[message(
    code = "eval.counts",
    en = "{all} {all:case|cases}: {passed} passed, {failed} failed, {errors} not measured; {checks} {checks:check|checks}",
    zh = "{all} 个用例：{passed} 通过，{failed} 失败，{errors} 未测量；共 {checks} 项检查"
)]
struct Counts {
    all: usize,
    passed: usize,
    failed: usize,
    errors: usize,
    checks: usize,
}

fn numbers(report: &Report, lang: Lang) -> String {
    let t = &report.totals;
    let head = lang
        .pick(["level", "failed checks", "failing cases"], ["级别", "失败的检查", "失败的用例"]);
    let mut out = format!("<table><tr><th>{}</th></tr>\n", head.join("</th><th>"));
    for (level, checks, cases) in [
        ("P0", t.p0_fail, t.cases_failing_p0),
        ("P1", t.p1_fail, t.cases_failing_p1),
        ("P2", t.p2_fail, t.cases_failing_p2),
    ] {
        let _ = writeln!(out, "<tr><td>{level}</td><td>{checks}</td><td>{cases}</td></tr>");
    }
    let counts = Counts {
        all: report.run.cases,
        passed: t.cases_passed,
        failed: t.cases_failed,
        errors: t.cases_error,
        checks: t.checks,
    };
    out + "</table>\n<p>" + &lang.render(&counts.text()) + "</p>\n"
}

fn comparison(report: &Report, lang: Lang) -> String {
    let mut out = String::new();
    if let Some(epochs) = &report.epochs {
        let (passed, runs) = (epochs.passed, epochs.runs);
        let (low, high) = (epochs.low * 100.0, epochs.high * 100.0);
        let line = lang.pick(
            format!("{passed} of {runs} runs passed; with 95 % confidence between {low:.1} % and {high:.1} %"),
            format!("{runs} 次运行中 {passed} 次通过；95 % 置信区间 {low:.1} % 到 {high:.1} %"),
        );
        let _ = writeln!(out, "<h2>{}</h2><p>{line}</p>", lang.pick("Certainty", "确定程度"));
        for it in &epochs.flaky {
            let (case, check) = (escape(&it.case), escape(&it.check));
            let _ = writeln!(out, "<p><code>{case}</code> {check}: {}/{}</p>", it.passed, it.runs);
        }
    }
    if let Some(baseline) = &report.baseline {
        let (better, worse) = (baseline.better.len(), baseline.worse.len());
        let (new, gone, p) =
            (baseline.cases_new.len(), baseline.cases_gone.len(), baseline.p_value);
        let line = lang.pick(
            format!(
                "checks: {better} better, {worse} worse (p = {p}); cases: {new} new, {gone} gone"
            ),
            format!(
                "检查：{better} 项变好，{worse} 项变差（p = {p}）；用例：新增 {new} 个，消失 {gone} 个"
            ),
        );
        let title = lang.pick("Against the baseline", "与基线相比");
        let _ = writeln!(out, "<h2>{title}</h2><p>{line}</p>");
        for (sign, list) in [("+", &baseline.better), ("−", &baseline.worse)] {
            for it in list {
                let (case, check) = (escape(&it.case), escape(&it.check));
                let _ = writeln!(out, "<p>{sign} <code>{case}</code> {check} ({:?})</p>", it.level);
            }
        }
    }
    out
}

/// One case.
pub(super) fn case(case: &CaseResult, lang: Lang) -> String {
    let open = if case.status == CaseStatus::Pass { "" } else { " open" };
    let headline = escape(case.preview.headline.as_deref().unwrap_or_default());
    let mut out = format!(
        "<details{open}><summary>{} <code>{}</code> {headline}</summary>\n",
        badge(case.status, lang),
        escape(&case.id)
    );
    if let Some(error) = &case.error {
        let _ =
            writeln!(out, "<p>{}: {}</p>", error.error_code, escape(&lang.render(&error.text())));
    }
    out.push_str(&checks(case, lang));
    let preview = &case.preview;
    if let Some(priority) = &preview.priority {
        let score = preview.score.map(|it| it.to_string()).unwrap_or_default();
        let _ = writeln!(out, "<p>{} {score}</p>", escape(priority));
    }
    let warnings: Vec<_> = case.warnings().map(|it| lang.render(&it)).collect();
    let lists = [
        (lang.pick("reasons", "理由"), &preview.reasons),
        (lang.pick("todos", "待办"), &preview.todo_titles),
        (lang.pick("warnings", "警告"), &warnings),
    ];
    for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        let items: Vec<_> = list.iter().map(|it| format!("<li>{}</li>", escape(it))).collect();
        let _ = writeln!(out, "<p class=\"quiet\">{name}</p><ul>{}</ul>", items.concat());
    }
    out + "</details>\n"
}

/// The checks of a case, what failed first. Where none could be made, the reason stands above.
fn checks(case: &CaseResult, lang: Lang) -> String {
    let is_made = |it: &CheckResult| it.status != CheckStatus::Skipped;
    if case.error.is_some() && !case.checks.iter().any(is_made) {
        return String::new();
    }
    let mut out = String::from("<table>\n");
    let mut checks: Vec<_> = case.checks.iter().collect();
    checks.sort_by_key(|it| it.status != CheckStatus::Fail);
    for check in checks {
        let said = message(check, lang);
        let excuse =
            if check.excuse.is_some() { lang.pick(" (excused)", "（已豁免）") } else { "" };
        let _ = writeln!(
            out,
            "<tr><td>{:?}</td><td><code>{}</code></td><td>{}{excuse}</td><td>{}</td></tr>",
            check.level,
            escape(&check.name),
            word(check.status, lang),
            escape(&said)
        );
    }
    out + "</table>\n"
}

fn about(report: &Report, lang: Lang) -> String {
    let run = &report.run;
    let time = run.timestamp.map(|it| it.to_string()).unwrap_or_default();
    let digest = report.digest.map(|it| it.to_string()).unwrap_or_default();
    let templates: Vec<_> = run.template_versions.values().cloned().collect();
    let rows = [
        (lang.pick("suite", "套件"), run.suite.clone()),
        (lang.pick("generator", "生成器"), run.generator.clone()),
        (lang.pick("engine", "引擎"), run.engine_version.clone()),
        (lang.pick("templates", "模板"), templates.join(", ")),
        (lang.pick("model", "模型"), run.model_id.clone()),
        (lang.pick("profile", "读者"), run.profile.to_string()),
        (lang.pick("time", "时间"), time),
        (lang.pick("digest", "摘要值"), digest),
    ];
    let rows: Vec<_> = rows
        .iter()
        .map(|(name, value)| format!("<dt>{name}</dt><dd>{}</dd>", escape(value)))
        .collect();
    format!(
        "<h2>{}</h2>\n<dl>{}</dl>\n",
        lang.pick("About this run", "关于本次运行"),
        rows.concat()
    )
}

fn badge(status: CaseStatus, lang: Lang) -> String {
    let word = match status {
        CaseStatus::Pass => lang.pick("passed", "通过"),
        CaseStatus::Fail => lang.pick("failed", "失败"),
        CaseStatus::Error => lang.pick("not measured", "未测量"),
    };
    format!("<span class=\"badge {status}\">{word}</span>")
}

fn word(status: CheckStatus, lang: Lang) -> &'static str {
    match status {
        CheckStatus::Pass => lang.pick("passed", "通过"),
        CheckStatus::Fail => lang.pick("failed", "失败"),
        CheckStatus::Skipped => lang.pick("skipped", "跳过"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;

    #[test]
    fn the_page_stands_alone_and_escapes_everything() {
        for lang in [Lang::En, Lang::Zh] {
            let (mut report, mut cases) = sample();
            cases[1].preview.headline = Some("<script>alert(1)</script>".to_owned());
            report.run.model_id = "<img src=x onerror=y>".to_owned();
            let rows: String = cases.iter().map(|it| case(it, lang)).collect();
            let page = format!("{}{rows}{}", start(&report, lang), end(&report, lang));
            assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
            assert!(page.contains("&lt;script&gt;") && page.contains("a&lt;b"));
            for foreign in ["http://", "https://", "src=\"", "@import", "url("] {
                assert!(!page.contains(foreign), "{foreign}");
            }
            assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
        }
    }
}
