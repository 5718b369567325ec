//! What is known of a result: what was verified, what was not, and what a verdict says.

use provost_desk::task::{Phase, View as TaskView};
use provost_kernel::{
    Lang, Message as _,
    task::{
        Acceptance, Checked, ProofEffect, ProofLabel, Standing, TestProof, VerdictDecision,
        VerdictSummary,
    },
};
use provost_rules_task::{
    accept::settles,
    checks::{self, CheckNote},
};

use super::{RUBRIC, label, rubric};
use crate::{paint::Tone, view::Page};

/// How many changed tests are named.
const SHOWN: usize = 20;

/// Writes what is known of the newest result, besides the reasons that were written already.
pub(super) fn write(page: &mut Page<'_>, view: &TaskView, reasons: &[String]) {
    let lang = page.lang;
    checks(page, view);
    if let Some(it) = &view.proof {
        proof(page, it, view);
    }
    if view.is_judged_by_tests() {
        let by = lang.pick("the tests decide; no model is asked", "由测试决定，不询问模型");
        page.fact("judge", "评审", Tone::Plain, by);
    } else if let Some(summary) = &view.status().verdict_summary {
        verdict(page, summary, view, reasons);
    }
    if let Some(red) = view.base.as_ref().and_then(|it| it.message.as_ref()) {
        page.fact("base", "基准", Tone::Plain, lang.render(red));
    }
    if let Some(task_type) = rubric(view) {
        let version = view.status().rubric_version_used.as_deref().unwrap_or_default();
        page.fact("type", "类型", Tone::Plain, format!("{task_type} {version}").trim_end());
    }
}

/// What was checked: one line each for what holds, what does not, and what is open.
fn checks(page: &mut Page<'_>, view: &TaskView) {
    let lang = page.lang;
    // A task without a type has no rubric, and needs none.
    let is_typed = rubric(view).is_some();
    let of_newest = view.checks();
    let accepted = view.accepted();
    let is_accepted = |name: &str| accepted.iter().any(|it| settles(&it.finding) == Some(name));
    let heading = |it: &Checked| match (it.standing, it.name.as_str()) {
        // Green, and nothing that it shows of the change.
        (Standing::Verified, "tests")
            if view.proof.as_ref().is_some_and(|it| !it.label.shows()) =>
        {
            "UNPROVEN"
        }
        (Standing::Verified, _) => "VERIFIED",
        (Standing::Failed, _) => "FAILED",
        // A green test that is not verified did run.
        (Standing::NotVerified, "tests") if view.proof.is_some() => "UNPROVEN",
        (Standing::NotVerified, "tests") => "NOT RUN",
        (Standing::NotVerified, name) if is_accepted(name) => "ACCEPTED",
        (Standing::NotVerified, "lint" | "types" | "build") if !checks::did_run(&it.detail) => {
            "NOT RUN"
        }
        // What was looked at, and is left to a person.
        (Standing::NotVerified, _) => "OPEN",
    };
    for (en, zh, tone) in [
        ("VERIFIED", "已验证", Tone::Ok),
        ("FAILED", "未通过", Tone::Bad),
        ("UNPROVEN", "未证明", Tone::Warn),
        ("NOT RUN", "未运行", Tone::Warn),
        ("OPEN", "待确认", Tone::Warn),
        ("ACCEPTED", "已接受", Tone::Plain),
    ] {
        let mut of: Vec<String> = of_newest
            .iter()
            .filter(|it| heading(it) == en)
            .filter(|it| it.name != RUBRIC || is_typed)
            .map(|it| {
                let name = lang.pick(it.name.as_str(), label(&it.name));
                match lang.render(&it.detail).as_str() {
                    "" => name.to_owned(),
                    detail => {
                        lang.pick(format!("{name} ({detail})"), format!("{name}（{detail}）"))
                    }
                }
            })
            .collect();
        if en == "NOT RUN" && !of_newest.is_empty() {
            of.extend(not_configured(view, lang));
        }
        if !of.is_empty() {
            page.fact(en, zh, tone, of.join(" · "));
        }
    }
}

/// The checks besides the test that the task does not have.
fn not_configured(view: &TaskView, lang: Lang) -> Option<String> {
    let spec = &view.spec.as_ref()?.value;
    let kinds: Vec<&str> = checks::not_configured(&spec.checks())
        .map(|it| lang.pick(it.as_str(), label(it.as_str())))
        .collect();
    let names = kinds.join(lang.pick(", ", "、"));
    let text = lang.render(&CheckNote::NotConfigured.text());
    (!kinds.is_empty())
        .then(|| lang.pick(format!("{names} ({text})"), format!("{names}（{text}）")))
}

/// What a green test proves; the files that could have bent it come first.
fn proof(page: &mut Page<'_>, proof: &TestProof, view: &TaskView) {
    let lang = page.lang;
    let is_clean = proof.effect() == ProofEffect::Notice && proof.label != ProofLabel::NotRun;
    let text = match view.proof_text() {
        // What did not hold is said below, each with the name to accept it by.
        Some(text) if is_clean => lang.render(&text),
        Some(_) | None => proof.label.to_string(),
    };
    let tone = match view.proof_word() {
        Some(provost_desk::task::Proof::Verified) => Tone::Ok,
        Some(provost_desk::task::Proof::Gaps) | None => Tone::Warn,
        Some(provost_desk::task::Proof::Red | provost_desk::task::Proof::Refused) => Tone::Bad,
    };
    page.fact("proof", "证明", tone, text);
    for path in proof.changed_tests.iter().take(SHOWN) {
        page.item("  changed test", "  改动的测试", path);
    }
    let more = proof.changed_tests.len().saturating_sub(SHOWN);
    if more > 0 {
        let text = lang.pick(format!("{more} more"), format!("另有 {more} 个"));
        page.item("  changed test", "  改动的测试", &text);
    }
    if !is_clean {
        for finding in &proof.findings {
            let code = format!("  {}", finding.code);
            page.item(&code, &code, lang.render(&finding.text()));
        }
    }
}

/// What a judge decided.
fn verdict(page: &mut Page<'_>, summary: &VerdictSummary, view: &TaskView, reasons: &[String]) {
    let lang = page.lang;
    let mut parts = vec![summary.decision.to_string()];
    if let Some(score) = summary.final_score_0_100 {
        parts.push(lang.pick(format!("{score} of 100"), format!("{score}/100")));
    }
    if summary.gated {
        parts.push(lang.pick("stopped by a gate", "被硬性门槛拦下").to_owned());
    }
    let is_passed = summary.decision == VerdictDecision::Pass;
    let is_taken = matches!(
        Phase::of(view.status()),
        Phase::Ready | Phase::Approved | Phase::Landing | Phase::Landed | Phase::Undone
    );
    if is_taken && !is_passed && !view.accepted().is_empty() {
        let then = lang.pick("then accepted by a person", "其后经人工接受");
        parts.push(then.to_owned());
    }
    page.fact("verdict", "裁决", Tone::Plain, parts.join(lang.pick(", ", "，")));
    for reason in &summary.gating_reasons {
        page.fact("gate", "门槛", Tone::Plain, reason);
    }
    // Without a score they are what the judge gave as its reasons.
    let are_reasons = is_passed || summary.final_score_0_100.is_none();
    let (en, zh) = if are_reasons { ("reason", "理由") } else { ("issue", "问题") };
    for issue in summary.top_issues.iter().filter(|it| !reasons.contains(it)) {
        page.fact(en, zh, Tone::Plain, issue);
    }
}

/// What a person accepted, and why.
pub(super) fn acceptance(it: &Acceptance, lang: Lang) -> String {
    let Acceptance { finding, because, actor, accepted_at, .. } = it;
    let who = &actor.id;
    lang.pick(
        format!("{finding} by {who}, {accepted_at}: {because}"),
        format!("{finding}（{who}，{accepted_at}）：{because}"),
    )
}
