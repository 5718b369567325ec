//! One page that stands alone: no font, no picture, nothing from elsewhere, and one script, which
//! searches and filters. Without it the page shows everything.
//!
//! A page of many cases stays small enough to be sent and opened: failures are shown in full while
//! there is room, and what comes after them in one line each.

mod case;
mod matrix;

use std::fmt::Write as _;

use provost_kernel::{
    Lang, Message,
    eval::{CaseResult, CaseStatus, Report},
    model::Usage,
};

use super::text::{difference, spent};
use crate::xml::escape;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");
/// Of the script, so that no other one runs.
const SCRIPT_SHA256: &str = "hB6hiRC8kjLNG8sJWzjErAnaCtGq/y7CvCGIhJihY4M=";
/// How many lines of changes and of flaky checks are shown.
const LINES: usize = 200;

pub(super) use self::case::Cases;
pub(in crate::eval) use self::matrix::matrix;

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
        "{}<body>\n<h1>{title} {}</h1>\n<p>{}</p>\n",
        head(title, lang),
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

/// The head of a page.
fn head(title: &str, lang: Lang) -> String {
    format!(
        "<!doctype html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{SCRIPT_SHA256}'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n"
    )
}

/// What stands after the cases.
pub(super) fn end(report: &Report, lang: Lang) -> String {
    format!("{}<script>{SCRIPT}</script>\n</body>\n</html>\n", about(report, lang))
}

/// The search and the filters, which the script brings to life.
pub(super) fn filter(noted: &[CaseResult], lang: Lang) -> String {
    let failed = noted.iter().flat_map(|it| &it.checks).map(|it| it.name.as_str());
    let names: std::collections::BTreeSet<&str> = failed.collect();
    let option = |value: &str, text: &str| {
        format!("<option value=\"{}\">{}</option>", escape(value), escape(text))
    };
    let [search, any, every] =
        lang.pick(["search", "any result", "any check"], ["搜索", "全部结果", "全部检查"]);
    let statuses: String = [CaseStatus::Fail, CaseStatus::Error, CaseStatus::Pass]
        .iter()
        .map(|it| option(case::letter(*it), status_word(*it, lang)))
        .collect();
    let checks: String = names.iter().take(LINES).map(|it| option(it, it)).collect();
    format!(
        "<div id=\"filter\" hidden><input id=\"q\" type=\"search\" placeholder=\"{search}\" aria-label=\"{search}\">\
         <select id=\"s\" aria-label=\"{any}\">{}{statuses}</select>\
         <select id=\"c\" aria-label=\"{every}\">{}{checks}</select><span id=\"n\" aria-live=\"polite\"></span></div>\n",
        option("", any),
        option("", every)
    )
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
        for it in epochs.of_k.iter().filter(|it| it.k > 1) {
            let _ =
                writeln!(out, "<p>pass@{0} {1:.4}, pass^{0} {2:.4}</p>", it.k, it.any, it.every);
        }
        for it in epochs.flaky.iter().take(LINES) {
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
        if let Some(it) = &baseline.difference {
            let _ = writeln!(out, "<p>{}</p>", difference(it, lang));
        }
        let lists = [("+", &baseline.better), ("−", &baseline.worse), ("!", &baseline.unknown)];
        for (sign, list) in lists {
            for it in list.iter().take(LINES) {
                let (case, check) = (escape(&it.case), escape(&it.check));
                let _ = writeln!(out, "<p>{sign} <code>{case}</code> {check} ({:?})</p>", it.level);
            }
        }
    }
    out
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
        (lang.pick("cost", "费用"), cost(run.usage, lang)),
        (lang.pick("judge", "评委"), judge(run, lang)),
        (lang.pick("time", "时间"), time),
        (lang.pick("digest", "摘要值"), digest),
    ];
    let rows: Vec<_> = rows
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("<dt>{name}</dt><dd>{}</dd>", escape(value)))
        .collect();
    format!(
        "<h2>{}</h2>\n<dl>{}</dl>\n",
        lang.pick("About this run", "关于本次运行"),
        rows.concat()
    )
}

fn cost(usage: Usage, lang: Lang) -> String {
    if usage.is_unknown() { String::new() } else { spent(usage, lang) }
}

fn judge(run: &provost_kernel::eval::Run, lang: Lang) -> String {
    let name = run.judge.clone().unwrap_or_default();
    [name, cost(run.judge_usage, lang)].join(" ").trim().to_owned()
}

fn badge(status: CaseStatus, lang: Lang) -> String {
    format!("<span class=\"badge {status}\">{}</span>", status_word(status, lang))
}

fn status_word(status: CaseStatus, lang: Lang) -> &'static str {
    match status {
        CaseStatus::Pass => lang.pick("passed", "通过"),
        CaseStatus::Fail => lang.pick("failed", "失败"),
        CaseStatus::Error => lang.pick("not measured", "未测量"),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::sample, *};

    fn page(report: &Report, cases: &[CaseResult], lang: Lang) -> String {
        let mut shown = Cases::new(lang);
        let mut page = start(report, lang) + &filter(cases, lang);
        for status in ORDER {
            cases.iter().filter(|it| it.status == status).for_each(|it| page += &shown.case(it));
        }
        page + shown.end() + &end(report, lang)
    }

    #[test]
    fn the_page_stands_alone_and_escapes_everything() {
        for lang in [Lang::En, Lang::Zh] {
            let (mut report, mut cases) = sample();
            cases[1].preview.headline = Some("<script>alert(1)</script>".to_owned());
            report.run.model_id = "<img src=x onerror=y>".to_owned();
            let page = page(&report, &cases, lang);
            assert_eq!(page.matches("<script").count(), 1, "{page}");
            assert!(!page.contains("<img") && page.contains("&lt;script&gt;"), "{page}");
            assert!(page.contains("a&lt;b"));
            for foreign in ["http://", "https://", "src=\"", "@import", "url("] {
                assert!(!page.contains(foreign), "{foreign}");
            }
            assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
        }
    }

    /// The policy of the page lets its own script run, and no other.
    #[test]
    fn the_digest_of_the_script_is_its_own() {
        let digest = provost_kernel::Digest::of_bytes(SCRIPT.as_bytes()).to_string();
        let hex = digest.trim_start_matches("sha256:");
        let bits: String = hex
            .chars()
            .map(|it| format!("{:04b}", it.to_digit(16).unwrap()))
            .chain(["0000".to_owned()])
            .collect();
        let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let letter = |at: usize| {
            let six = bits.get(at..(at + 6).min(bits.len())).unwrap();
            letters[usize::from_str_radix(&format!("{six:0<6}"), 2).unwrap()] as char
        };
        let text: String = (0..256).step_by(6).map(letter).chain(['=']).collect();
        assert_eq!(text, SCRIPT_SHA256);
    }

    /// 20,000 cases, all failing or all good, stay below 5 MB, and none is missing.
    #[test]
    fn many_cases_make_a_page_that_can_be_opened() {
        let (report, cases) = sample();
        for at in [0, 1] {
            let many: Vec<CaseResult> = (0..20_000)
                .map(|n| {
                    let id = format!("a-case-with-a-name-as-long-as-ids-may-be-{n:0>17}");
                    let mut case = CaseResult { id, ..cases[at].clone() };
                    if at == 1 {
                        case.status = CaseStatus::Pass;
                    }
                    case
                })
                .collect();
            let page = page(&report, &many, Lang::Zh);
            assert!(page.len() < 5_000_000, "{}", page.len());
            assert_eq!(page.matches("data-s=").count(), 20_000);
        }
    }
}
