//! `check claim`: an update held against a story, without running anything (ruling 47).

use std::collections::BTreeMap;

use provost_kernel::{
    Finding, Lang, Severity, Text,
    story::{
        ClaimResult, Criterion, CriterionClaim, CriterionId, CriterionStatus, EvidenceLabel, Story,
        StoryUpdate,
    },
};
use serde::Serialize;

use super::{code, status::status, tampering};
use crate::update;

/// The answer of `check claim`, with the keys that scripts read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckedClaim {
    pub result: ClaimResult,
    /// Whether every criterion is claimed with something that can be checked, and the story too.
    pub passes: bool,
    pub ac_status: BTreeMap<CriterionId, CriterionStatus>,
    pub findings: Vec<Finding>,
}

/// Reads an update and holds it against a story; what cannot be read is rejected.
pub fn check_bytes(story: &Story, bytes: &[u8], lang: Lang) -> CheckedClaim {
    match update::parse(bytes) {
        Ok(update) => check(story, &update, lang),
        Err(error) => rejected(story, error.findings(lang)),
    }
}

/// Holds an update against a story.
pub fn check(story: &Story, update: &StoryUpdate, lang: Lang) -> CheckedClaim {
    let strangers = strangers(story, update, lang);
    if !strangers.is_empty() {
        return rejected(story, strangers);
    }
    let mut findings = Vec::new();
    let mut ac_status = BTreeMap::new();
    for criterion in &story.criteria {
        let claim = update.criteria.get(&criterion.id).cloned().unwrap_or_default();
        findings.extend(shortcoming(criterion, &claim, lang));
        if let Some(command) = &claim.command {
            findings.extend(tampering::command(&criterion.id.to_string(), command, lang));
        }
        let passes = claim.is_claimed() && claim.is_checkable();
        ac_status.insert(criterion.id, status(&claim, EvidenceLabel::NotRun, passes));
    }
    let all = !ac_status.is_empty() && ac_status.values().all(|it| it.passes);
    CheckedClaim { result: ClaimResult::Accept, passes: update.passes && all, ac_status, findings }
}

/// What an update speaks of that the story does not have.
pub(super) fn strangers(story: &Story, update: &StoryUpdate, _lang: Lang) -> Vec<Finding> {
    let mut findings = Vec::new();
    if story.id.number() != update.story_id.number() {
        let (found, expected) = (&update.story_id, &story.id);
        findings.push(Finding {
            rule: code::STORY_MISMATCH.into(),
            severity: Severity::P0,
            subject: "/storyId".to_owned(),
            message: Text::pair(
                format!("the update is about {found}, and the story is {expected}"),
                format!("更新针对 {found},而故事是 {expected}"),
            ),
            hint: None,
        });
    }
    let unknown = update.criteria.keys().filter(|id| story.criterion(**id).is_none());
    findings.extend(unknown.map(|id| {
        let (story, count) = (&story.id, story.criteria.len());
        Finding {
            rule: code::UNKNOWN_AC.into(),
            severity: Severity::P0,
            subject: id.to_string(),
            message: Text::pair(
                format!("{story} has no criterion {id}"),
                format!("{story} 没有 {id}"),
            ),
            hint: Some(Text::pair(
                format!("its criteria are AC-1 to AC-{count}"),
                format!("其 AC 为 AC-1 到 AC-{count}"),
            )),
        }
    }));
    findings
}

/// What a claim lacks before anything is run: evidence at all, or evidence that can be checked.
pub(super) fn shortcoming(
    criterion: &Criterion,
    claim: &CriterionClaim,
    lang: Lang,
) -> Option<Finding> {
    let id = criterion.id;
    let is_blocked = claim.blocked_reason.as_deref().is_some_and(|it| !it.trim().is_empty());
    if is_blocked || (claim.is_claimed() && claim.is_checkable()) {
        return None;
    }
    let has_words =
        claim.is_claimed() && [&claim.evidence, &claim.output].iter().any(|it| it.is_some());
    let (rule, message) = if has_words {
        let message =
            lang.pick(format!("{id} is claimed in words alone"), format!("{id} 只有文字说明"));
        (code::EVIDENCE_UNVERIFIED, message)
    } else {
        (
            code::EVIDENCE_MISSING,
            lang.pick(format!("{id} has no evidence"), format!("{id} 没有证据")),
        )
    };
    Some(Finding {
        rule: rule.into(),
        severity: Severity::P1,
        subject: id.to_string(),
        message: message.into(),
        hint: Some(
            lang.pick(
                "give a command, files or tests that provost can look at itself",
                "请提供 provost 可自行核实的命令、文件或测试",
            )
            .into(),
        ),
    })
}

/// The answer to an update that is not taken: nothing passes by it.
fn rejected(story: &Story, findings: Vec<Finding>) -> CheckedClaim {
    let nothing = CriterionClaim::default();
    let ids = story.criteria.iter().map(|it| it.id);
    CheckedClaim {
        result: ClaimResult::Reject,
        passes: false,
        ac_status: ids.map(|id| (id, status(&nothing, EvidenceLabel::NotRun, false))).collect(),
        findings,
    }
}
