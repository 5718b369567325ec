//! What a person reads of a branch that is verified.

use provost_engine::task::{VerifyCheck, VerifyReport, VerifyTarget};
use provost_kernel::{
    Lang, Severity,
    task::{ProofLabel, Standing, Strictness, VerifyOutcome, short},
};
use serde::Serialize;

use super::exit;
use crate::{
    rows::{Mark, row},
    view::{Page, View},
};

/// The checks that a project need not have.
const CHECKS: [&str; 3] = ["lint", "types", "build"];
/// How many failing tests are named.
const NAMED: usize = 10;

/// The answer, as a script reads it.
#[derive(Serialize)]
pub(super) struct Answer<'a> {
    #[serde(flatten)]
    pub(super) report: &'a VerifyReport,
    pub(super) command: &'a str,
}

/// What is verified, and against what.
pub(super) fn head(page: &mut Page<'_>, target: &VerifyTarget) {
    let VerifyTarget { name, base_ref, behind, .. } = target;
    let (commit, base) = (short(&target.commit), short(&target.base));
    let noun = if *behind == 1 { "commit" } else { "commits" };
    let ahead = match behind {
        0 => String::new(),
        n => page.lang.pick(
            format!(" (where they parted; {base_ref} is {n} {noun} ahead)"),
            format!("（分叉处；{base_ref} 已前进 {n} 个提交）"),
        ),
    };
    page.write(
        format!("{}@{commit} against {base_ref}@{base}{ahead}", plain_name(name)),
        format!("{}@{commit}，基准 {base_ref}@{base}{ahead}", plain_name(name)),
    );
}

/// A commit stands for itself.
fn plain_name(name: &str) -> &str {
    let is_id = name.len() >= 7 && name.bytes().all(|it| it.is_ascii_hexdigit());
    if is_id { "commit" } else { name }
}

/// One check.
pub(super) fn check(page: &mut Page<'_>, check: &VerifyCheck) {
    let mark = match check.standing {
        // What the base says is neither good nor bad.
        _ if check.name == "base" && check.standing == Standing::Verified => Mark::None,
        // What a project does not have is neither good nor bad.
        _ if check.wall_ms.is_none() && CHECKS.contains(&check.name) => Mark::None,
        Standing::Verified => Mark::Good,
        Standing::Failed => Mark::Bad,
        Standing::NotVerified => Mark::Doubtful,
    };
    let text = page.lang.render(&check.detail.0);
    row(page, label(check.name, page.lang), &text, mark, check.wall_ms);
}

/// The name of a check in a column.
pub(super) fn label(name: &'static str, lang: Lang) -> &'static str {
    let zh = match name {
        "paths" => "路径",
        "secrets" => "密钥",
        "agent config" => return lang.pick("config", "配置"),
        "base" => "基准",
        "tests" => "测试",
        "proof" => "证明",
        "lint" => "代码检查",
        "types" => "类型",
        "build" => "构建",
        other => other,
    };
    lang.pick(name, zh)
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let report = self.report;
        let is_notice =
            |severity| report.outcome == VerifyOutcome::Passed && severity == Severity::P2;
        for it in &report.findings {
            if !is_notice(it.finding.severity) {
                page.finding(&it.finding);
            }
        }
        for line in report.output.lines().filter(|it| !it.trim().is_empty()) {
            page.exact(&format!("    │ {line}"));
        }
        let failed = &report.failed_tests;
        for it in failed.iter().take(NAMED) {
            page.line(&format!("    ✗ {it}"));
        }
        if let Some(more) = failed.len().checked_sub(NAMED).filter(|it| *it > 0) {
            page.write(format!("    and {more} more"), format!("    另有 {more} 个"));
        }
        page.line(&conclusion(report, page.lang));
    }
}

/// The verdict in one line.
fn conclusion(report: &VerifyReport, lang: Lang) -> String {
    let label = report.label;
    let VerifyReport { files, added, removed, .. } = report;
    let noun = if *files == 1 { "file" } else { "files" };
    let size = lang.pick(
        format!("{files} {noun}, +{added} -{removed}"),
        format!("{files} 个文件，+{added} -{removed}"),
    );
    let code = exit(report.outcome).code();
    match report.outcome {
        VerifyOutcome::Passed if report.gaps.is_empty() => format!("✓ {label} · {size}"),
        VerifyOutcome::Passed => {
            let gaps: Vec<String> = report.gaps.iter().map(|it| lang.render(&it.0)).collect();
            lang.pick(
                format!("✓ {label}: {} · {size} · refused with --strict", gaps.join("; ")),
                format!("✓ {label}：{} · {size} · 使用 --strict 则不通过", gaps.join("；")),
            )
        }
        VerifyOutcome::Refused => {
            let why = match (label, report.strictness) {
                (
                    ProofLabel::Holds | ProofLabel::Shown | ProofLabel::Proven,
                    Strictness::NoGaps,
                ) if !report.gaps.is_empty() => lang.pick(" (--strict)", "（--strict）"),
                _ => "",
            };
            lang.pick(
                format!("✗ refused: {label}{why} · {size} · exit {code}"),
                format!("✗ 未通过：{label}{why} · {size} · 退出码 {code}"),
            )
        }
        VerifyOutcome::NeedsPerson => lang.pick(
            format!("! you have to decide · tests {label} · {size} · exit {code}"),
            format!("! 需要你决定 · 测试 {label} · {size} · 退出码 {code}"),
        ),
    }
}
