//! The verdict on an update: the claims, held against what provost itself found.

use std::collections::BTreeMap;

use provost_kernel::{
    Finding, Lang, Severity,
    story::{
        ClaimResult, ClaimVerdict, Criterion, CriterionId, EvidenceLabel, EvidenceResult, GateKind,
        GateOutcome, GateResult, KeptEvidence, ScopeOutcome, Story, StoryUpdate, TreeId,
    },
};

use super::{
    check::{shortcoming, strangers},
    code, label, merge,
    status::status,
    tampering,
};

/// Everything that provost found out for itself.
#[derive(Clone, Copy, Debug)]
pub struct ClaimFacts<'a> {
    /// The tree that is judged.
    pub tree: &'a TreeId,
    /// What is known from the updates before.
    pub kept: &'a BTreeMap<CriterionId, KeptEvidence>,
    /// What the evidence came to that was run for this update.
    pub evidence: &'a BTreeMap<CriterionId, EvidenceResult>,
    pub gates: &'a [GateResult],
    pub scope: ScopeOutcome,
    /// What the scope guard has to say.
    pub scope_findings: &'a [Finding],
    /// What was found about the tests and their runner, and no person has waived.
    pub tampering: &'a [Finding],
}

/// The gates without which no story passes, whatever the configuration says (STORY-1.2).
const HARD_GATES: [GateKind; 2] = [GateKind::Typecheck, GateKind::Build];

/// Judges an update.
///
/// A rejected update changes nothing that is kept. An accepted one passes exactly when the agent
/// claims it, every criterion was reproduced on this tree, every hard gate is green on it, the
/// scope guard accepts the change, and nothing was done to the tests.
pub fn judge(
    story: &Story,
    update: &StoryUpdate,
    facts: ClaimFacts<'_>,
    lang: Lang,
) -> ClaimVerdict {
    let mut findings = strangers(story, update, lang);
    let is_rejected = !findings.is_empty() || refuses(facts.scope, update);
    findings.extend_from_slice(facts.scope_findings);
    findings.extend(scope(facts, lang));
    let kept =
        if is_rejected { facts.kept.clone() } else { merge(facts.kept, update, facts.evidence) };

    let mut ac_status = BTreeMap::new();
    for criterion in &story.criteria {
        let known = kept.get(&criterion.id).cloned().unwrap_or_default();
        let label = label(&known, facts.tree);
        let doubts = doubts(criterion, &known, label, lang);
        let passes = doubts.is_empty()
            && label == EvidenceLabel::Reproduced
            && known.claim.is_claimed()
            && known.claim.is_checkable();
        if !is_rejected {
            findings.extend(doubts);
            findings.extend(remark(criterion, &known, label, lang));
            findings.extend(reservation(criterion, &known, label, lang));
        }
        ac_status.insert(criterion.id, status(&known.claim, label, passes));
    }
    let mut passes = !is_rejected && update.passes;
    if passes {
        let gates = gates(update, facts, lang);
        passes = gates.is_empty();
        findings.extend(gates);
    }
    findings.extend_from_slice(facts.tampering);
    passes = passes
        && !ac_status.is_empty()
        && ac_status.values().all(|it| it.passes)
        && facts.scope == ScopeOutcome::Accepted
        && facts.tampering.iter().all(|it| it.severity > Severity::P1);
    ClaimVerdict {
        result: if is_rejected { ClaimResult::Reject } else { ClaimResult::Accept },
        passes,
        original_passes: update.passes,
        ac_status,
        kept,
        findings,
    }
}

/// What is said of a work tree that changed while it was looked at.
pub fn moved(lang: Lang) -> Finding {
    let message =
        lang.pick("the work tree changed while it was checked", "检查期间工作区发生了变化");
    let hint = lang.pick("wait for the answer, and send it again", "请等待结果后重新提交");
    let rule = code::TREE_CHANGED_DURING_CHECK;
    Finding { hint: Some(hint.into()), ..finding(rule, Severity::P1, "", message.to_owned()) }
}

/// What is said of a lock file that is not followed: a notice, because what needs it shows it.
pub fn not_prepared(lock_file: &str, message: String) -> Finding {
    finding(code::NOT_PREPARED, Severity::P2, lock_file, message)
}

/// Whether the scope guard refuses the update as a whole.
///
/// Over the hard limit, and where nothing could be measured, every update is refused. An
/// explanation is owed by whoever claims something; a note on the way claims nothing.
fn refuses(scope: ScopeOutcome, update: &StoryUpdate) -> bool {
    match scope {
        ScopeOutcome::Accepted => false,
        ScopeOutcome::Unexplained | ScopeOutcome::Reassess => update.claims_something(),
        ScopeOutcome::Split | ScopeOutcome::Unverifiable => true,
    }
}

/// What the outcome of the scope guard is called, where the guard has not said it itself.
fn scope(facts: ClaimFacts<'_>, lang: Lang) -> Option<Finding> {
    let (rule, message) = match facts.scope {
        ScopeOutcome::Accepted => return None,
        ScopeOutcome::Unexplained => {
            (code::SCOPE_WARN_UNEXPLAINED, lang.pick("the change is not explained", "改动缺少解释"))
        }
        ScopeOutcome::Reassess => (
            code::REEVALUATION_REQUIRED,
            lang.pick(
                "the change went too far from what was declared",
                "改动与声明相差过大,需要重新评估",
            ),
        ),
        ScopeOutcome::Split => (
            code::SCOPE_HARD,
            lang.pick("the change is too large and has to be split", "改动过大,必须拆分"),
        ),
        ScopeOutcome::Unverifiable => (
            code::SCOPE_UNVERIFIABLE,
            lang.pick("the change could not be measured", "无法度量改动"),
        ),
    };
    // What stands in the way has its own name; the guard says it better than its outcome does.
    let is_said = facts.scope_findings.iter().any(|it| it.severity <= Severity::P1);
    (!is_said).then(|| finding(rule, Severity::P0, "scope", message.to_owned()))
}

/// Why a criterion cannot pass, apart from its label.
fn doubts(
    criterion: &Criterion,
    known: &KeptEvidence,
    label: EvidenceLabel,
    lang: Lang,
) -> Vec<Finding> {
    let id = criterion.id.to_string();
    let mut doubts: Vec<Finding> = shortcoming(criterion, &known.claim, lang).into_iter().collect();
    if let Some(command) = &known.claim.command {
        doubts.extend(tampering::command(&id, command, lang));
        // What a person wrote into the plan may do what it likes.
        let is_of_plan = criterion.verify.as_ref() == Some(command);
        let unfit = tampering::unfit(&id, command, lang).filter(|_| !is_of_plan);
        let is_said = |it: &Finding| doubts.iter().any(|doubt| doubt.rule == it.rule);
        let unfit = unfit.filter(|it| !is_said(it));
        doubts.extend(unfit);
    }
    let collected = known.result.as_ref().and_then(|it| it.tests.collected);
    if label == EvidenceLabel::Reproduced && collected == Some(0) {
        let message = lang.pick(
            format!("the evidence for {id} ran no test at all"),
            format!("{id} 的证据没有运行任何测试"),
        );
        doubts.push(finding(code::EVIDENCE_UNVERIFIED, Severity::P1, &id, message));
    }
    if let (EvidenceLabel::Reproduced, Some(result)) = (label, &known.result)
        && let Some(base) = &result.base
    {
        doubts.extend(tampering::fewer(&id, &base.tests, &result.tests, lang));
    }
    doubts
}

/// What the label of a claimed criterion means; nothing for one that was reproduced as claimed.
fn remark(
    criterion: &Criterion,
    known: &KeptEvidence,
    label: EvidenceLabel,
    lang: Lang,
) -> Option<Finding> {
    let id = criterion.id.to_string();
    if !known.claim.is_claimed() || !known.claim.is_checkable() {
        return None;
    }
    let result = known.result.as_ref();
    let (rule, severity, message) = match label {
        EvidenceLabel::Reproduced => {
            let differs = result.and_then(|it| it.output_matches) == Some(false);
            let message = lang.pick(
                format!("the evidence for {id} printed something else than was claimed"),
                format!("{id} 的证据输出与声称的不同"),
            );
            return differs.then(|| finding(code::EVIDENCE_MISMATCH, Severity::P2, &id, message));
        }
        EvidenceLabel::Contradicted => {
            let exit = result.and_then(|it| it.exit_code);
            let message = match exit {
                Some(exit) => lang.pick(
                    format!("the evidence for {id} ended with exit code {exit}"),
                    format!("{id} 的证据以退出码 {exit} 结束"),
                ),
                None => lang.pick(
                    format!("the evidence for {id} does not show it"),
                    format!("{id} 的证据不能证明它"),
                ),
            };
            (code::EVIDENCE_MISMATCH, Severity::P1, message)
        }
        EvidenceLabel::Stale => (
            code::EVIDENCE_STALE,
            Severity::P1,
            lang.pick(
                format!("the evidence for {id} was run on another tree"),
                format!("{id} 的证据是在另一个版本上运行的"),
            ),
        ),
        EvidenceLabel::NotRun => (
            code::EVIDENCE_UNVERIFIED,
            Severity::P1,
            lang.pick(format!("the evidence for {id} was not run"), format!("{id} 的证据没有运行")),
        ),
    };
    let hint = result.and_then(|it| it.note.clone());
    Some(Finding { hint: hint.map(Into::into), ..finding(rule, severity, &id, message) })
}

/// What a person should know of a criterion that was reproduced, and yet may not be proven.
fn reservation(
    criterion: &Criterion,
    known: &KeptEvidence,
    label: EvidenceLabel,
    lang: Lang,
) -> Option<Finding> {
    if label != EvidenceLabel::Reproduced {
        return None;
    }
    let (id, claim) = (criterion.id.to_string(), &known.claim);
    let base = known.result.as_ref().and_then(|it| it.base.as_ref());
    if base.and_then(|it| it.passes) == Some(true) {
        let message = lang.pick(
            format!("the command for {id} ends with 0 without the change as well"),
            format!("没有此改动时,{id} 的命令同样以 0 退出"),
        );
        let hint = lang.pick(
            "it shows that nothing broke, not that something new works",
            "这只说明没有损坏,不说明新功能有效",
        );
        let found = finding(code::PASSES_ON_BASE, Severity::P2, &id, message);
        return Some(Finding { hint: Some(hint.into()), ..found });
    }
    let is_command = claim.command.as_deref().is_some_and(|it| !it.trim().is_empty());
    let names = |file: &String| {
        let path = file.split(':').next().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        !name.is_empty() && criterion.text.contains(name)
    };
    let is_alone = !is_command
        && !claim.files.is_empty()
        && claim.tests.is_empty()
        && criterion.verify.is_none();
    (is_alone && !claim.files.iter().any(names)).then(|| {
        let message = lang.pick(
            format!("for {id} a file is there that was changed, and nothing was run"),
            format!("{id} 仅有一个被改动的文件作为证据,没有运行任何东西"),
        );
        let hint = lang.pick("read the file, or ask for a command", "请阅读该文件,或要求提供命令");
        let found = finding(code::FILES_ALONE, Severity::P2, &id, message);
        Finding { hint: Some(hint.into()), ..found }
    })
}

/// What keeps the gates from being green.
fn gates(update: &StoryUpdate, facts: ClaimFacts<'_>, lang: Lang) -> Vec<Finding> {
    let mut findings = Vec::new();
    for kind in HARD_GATES {
        if !facts.gates.iter().any(|it| it.kind == kind) {
            findings.push(gate(code::GATE_NOT_RUN, kind.as_str(), None, lang));
        }
    }
    let is_needed = |it: &&GateResult| it.required || HARD_GATES.contains(&it.kind);
    for result in facts.gates.iter().filter(is_needed) {
        let name = if result.name.is_empty() { result.kind.as_str() } else { &result.name };
        let rule = match result.outcome {
            GateOutcome::NotApplicable => continue,
            GateOutcome::Passed if result.exit_code.is_some_and(|it| it != 0) => code::GATE_FAILED,
            GateOutcome::Passed if result.tree == *facts.tree => continue,
            GateOutcome::Passed => code::TREE_CHANGED_DURING_CHECK,
            GateOutcome::Failed => code::GATE_FAILED,
            GateOutcome::NotRun => code::GATE_NOT_RUN,
            GateOutcome::NotConfigured => code::GATE_NOT_CONFIGURED,
        };
        findings.push(gate(rule, name, result.exit_code, lang));
    }
    // An agent that says itself that a gate failed is believed.
    let admitted = update.gates.iter().filter(|(_, it)| !it.passed);
    for (kind, _) in admitted {
        if !findings.iter().any(|it| it.rule == code::GATE_FAILED && it.subject == kind.as_str()) {
            findings.push(gate(code::GATE_FAILED, kind.as_str(), None, lang));
        }
    }
    findings
}

fn gate(rule: &'static str, name: &str, exit: Option<i32>, lang: Lang) -> Finding {
    let message = match rule {
        code::GATE_NOT_CONFIGURED => lang
            .pick(format!("nobody said how to run `{name}`"), format!("没有配置如何运行 `{name}`")),
        code::GATE_NOT_RUN => {
            lang.pick(format!("`{name}` was not run"), format!("`{name}` 没有运行"))
        }
        code::TREE_CHANGED_DURING_CHECK => lang.pick(
            format!("`{name}` ran on another tree than the one that is judged"),
            format!("`{name}` 运行的不是被裁决的版本"),
        ),
        _ => match exit {
            Some(exit) => lang.pick(
                format!("`{name}` failed with exit code {exit}"),
                format!("`{name}` 失败,退出码 {exit}"),
            ),
            None => lang.pick(format!("`{name}` failed"), format!("`{name}` 失败")),
        },
    };
    let hint = (rule == code::GATE_NOT_CONFIGURED).then(|| {
        lang.pick(
            format!(
                "name its command in `provost.toml`, in a table `[[story.gates]]` with `kind = \"{name}\"`"
            ),
            format!("请在 `provost.toml` 的 `[[story.gates]]` 表中以 `kind = \"{name}\"` 指定命令"),
        )
    });
    Finding { hint: hint.map(Into::into), ..finding(rule, Severity::P1, name, message) }
}

fn finding(rule: &'static str, severity: Severity, subject: &str, message: String) -> Finding {
    Finding {
        rule: rule.into(),
        severity,
        subject: subject.to_owned(),
        message: message.into(),
        hint: None,
    }
}
