//! `check claim`: checks an update against a story without running anything (ruling 47).

use std::collections::BTreeMap;

use provost_kernel::{
    Finding, Message, Severity,
    story::{
        ClaimResult, Criterion, CriterionClaim, CriterionId, CriterionStatus, EvidenceLabel,
        KeptEvidence, Story, StoryId, StoryUpdate,
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

/// Parses an update and checks it against a story; an invalid update is rejected.
pub fn check_bytes(story: &Story, bytes: &[u8]) -> CheckedClaim {
    match update::parse(bytes) {
        Ok(update) => check(story, &update),
        Err(error) => rejected(story, error.findings()),
    }
}

/// Checks an update against a story.
pub fn check(story: &Story, update: &StoryUpdate) -> CheckedClaim {
    let strangers = strangers(story, update);
    if !strangers.is_empty() {
        return rejected(story, strangers);
    }
    let mut findings = Vec::new();
    let mut ac_status = BTreeMap::new();
    for criterion in &story.criteria {
        let claim = update.criteria.get(&criterion.id).cloned().unwrap_or_default();
        findings.extend(shortcoming(criterion, &claim));
        if let Some(command) = &claim.command {
            findings.extend(tampering::command(&criterion.id.to_string(), command));
        }
        let passes = claim.is_claimed() && claim.is_checkable();
        let known = KeptEvidence { claim, result: None };
        let status = status(&known, EvidenceLabel::NotRun, criterion.need, passes);
        ac_status.insert(criterion.id, status);
    }
    let all = !ac_status.is_empty() && ac_status.values().all(|it| it.passes);
    CheckedClaim { result: ClaimResult::Accept, passes: update.passes && all, ac_status, findings }
}

/// What keeps an update from being judged, or a claim from being checked.
#[derive(Message)]
#[message(code = "story.claim")]
enum Shortcoming<'a> {
    #[message(
        en = "the update is for {found}, but the story is {expected}",
        zh = "更新针对 {found}，而故事是 {expected}"
    )]
    OtherStory { found: &'a StoryId, expected: &'a StoryId },
    #[message(
        en = "{story} has no criterion {id}",
        zh = "{story} 没有 {id}",
        hint(en = "its criteria are AC-1 to AC-{count}", zh = "其 AC 为 AC-1 到 AC-{count}")
    )]
    UnknownCriterion { story: &'a StoryId, id: CriterionId, count: usize },
    #[message(
        en = "{id} is claimed in words alone",
        zh = "{id} 只有文字说明",
        hint(
            en = "give a command, files or tests that provost can check itself",
            zh = "请提供 provost 可自行核实的命令、文件或测试",
        )
    )]
    WordsAlone { id: CriterionId },
    #[message(
        en = "{id} has no evidence",
        zh = "{id} 没有证据",
        hint(
            en = "give a command, files or tests that provost can check itself",
            zh = "请提供 provost 可自行核实的命令、文件或测试",
        )
    )]
    NoEvidence { id: CriterionId },
}

/// What an update names that the story does not have.
pub(super) fn strangers(story: &Story, update: &StoryUpdate) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (found, expected) = (&update.story_id, &story.id);
    if expected.number() != found.number() {
        let message = Shortcoming::OtherStory { found, expected };
        findings.push(Finding::new(code::STORY_MISMATCH, Severity::P0, "/storyId", &message));
    }
    let unknown = update.criteria.keys().filter(|id| story.criterion(**id).is_none());
    findings.extend(unknown.map(|&id| {
        let count = story.criteria.len();
        let message = Shortcoming::UnknownCriterion { story: &story.id, id, count };
        Finding::new(code::UNKNOWN_AC, Severity::P0, id.to_string(), &message)
    }));
    findings
}

/// What a claim lacks before anything is run: evidence at all, or evidence that can be checked.
pub(super) fn shortcoming(criterion: &Criterion, claim: &CriterionClaim) -> Option<Finding> {
    let id = criterion.id;
    let is_blocked = claim.blocked_reason.as_deref().is_some_and(|it| !it.trim().is_empty());
    if is_blocked || (claim.is_claimed() && claim.is_checkable()) {
        return None;
    }
    let has_words =
        claim.is_claimed() && [&claim.evidence, &claim.output].iter().any(|it| it.is_some());
    let (rule, message) = if has_words {
        (code::EVIDENCE_UNVERIFIED, Shortcoming::WordsAlone { id })
    } else {
        (code::EVIDENCE_MISSING, Shortcoming::NoEvidence { id })
    };
    Some(Finding::new(rule, Severity::P1, id.to_string(), &message))
}

/// The answer to a rejected update: nothing passes.
fn rejected(story: &Story, findings: Vec<Finding>) -> CheckedClaim {
    let nothing = KeptEvidence::default();
    let state = |it: &Criterion| status(&nothing, EvidenceLabel::NotRun, it.need, false);
    CheckedClaim {
        result: ClaimResult::Reject,
        passes: false,
        ac_status: story.criteria.iter().map(|it| (it.id, state(it))).collect(),
        findings,
    }
}
