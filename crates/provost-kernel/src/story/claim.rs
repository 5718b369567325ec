//! What an agent claims about a story, and what provost found when it looked.
//!
//! A [`StoryUpdate`] is the agent's word: nothing in it passes anything. An [`EvidenceResult`] is
//! what a re-run of the evidence came to, bound to the tree on which it ran; a
//! [`CriterionStatus`] is what both amount to, in the shape that the original stores.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    CriterionId, EvidenceProof, Explanation, ProofNeed, ScopeReport, ScopeResult, StoryId,
};
use crate::{Finding, Text, message::MessageRecord, task::ProofLabel, words::words};

/// One update of a story, as an agent sent it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StoryUpdate {
    pub story_id: StoryId,
    /// Which plan the story belongs to, where more than one has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Whether the agent says that the whole story is done.
    pub passes: bool,
    #[serde(default)]
    pub criteria: BTreeMap<CriterionId, CriterionClaim>,
    /// The files that the agent says it changes; none when it says nothing about them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_files: Option<Vec<String>>,
    #[serde(default)]
    pub explanations: Vec<Explanation>,
    /// What the agent says of the gates. It can only lower what provost finds.
    #[serde(default)]
    pub gates: BTreeMap<GateKind, GateClaim>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_changed: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
}

/// What an agent claims about one criterion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CriterionClaim {
    /// None when the agent leaves it to the evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<bool>,
    /// A text, which proves nothing by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// A command that ends with 0 exactly when the criterion holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The folder in which the command runs, relative to the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What the agent says that the command printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Files in the repository that show it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Names of tests that show it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
    /// Why it cannot be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_reason: Option<String>,
}

/// What an agent says that a gate came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GateClaim {
    pub passed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

words! {
    /// What became of a piece of evidence when provost looked for itself.
    pub enum EvidenceLabel {
        /// It ran on this tree and showed what was claimed.
        Reproduced = "REPRODUCED",
        /// It ran on this tree and showed otherwise.
        Contradicted = "CONTRADICTED",
        /// It ran on another tree than the one that is judged.
        Stale = "STALE",
        /// It did not run.
        NotRun = "NOT_RUN",
    }
}

words! {
    /// A check of the whole tree that a story needs besides its criteria.
    pub enum GateKind {
        Typecheck = "typecheck",
        Build = "build",
        Test = "test",
        Lint = "lint",
        Custom = "custom",
    }
}

words! {
    /// How a gate ended, as provost itself saw it.
    pub enum GateOutcome {
        Passed = "passed",
        Failed = "failed",
        /// There is a command, and it could not be run to its end.
        NotRun = "not_run",
        /// It was shown that there is nothing to check.
        NotApplicable = "not_applicable",
        /// No way to check it was given.
        NotConfigured = "not_configured",
    }
}

words! {
    /// What the scope guard says of a change.
    pub enum ScopeOutcome {
        Accepted = "accept",
        /// An explanation is missing, or says nothing.
        Unexplained = "explain",
        /// The change went too far from what was declared.
        Reassess = "reassess",
        /// The change is too large, whatever is explained.
        Split = "split",
        /// The change could not be measured.
        Unverifiable = "unverifiable",
    }
}

words! {
    /// Whether an update was taken.
    pub enum ClaimResult {
        Accept = "accept",
        Reject = "reject",
    }
}

/// The content of a work tree, by the id that git gives it.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct TreeId(pub String);

impl TreeId {
    /// That of a result that was found out on another base: no worktree has it.
    pub fn forgotten() -> Self {
        Self("-".to_owned())
    }

    pub fn is_forgotten(&self) -> bool {
        self.0 == "-"
    }
}

/// What a re-run of the evidence of one criterion came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvidenceResult {
    pub label: EvidenceLabel,
    /// The tree on which it ran.
    pub tree: TreeId,
    /// None when no command ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default)]
    pub tests: TestFacts,
    /// What earlier versions counted on the base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<BaseTests>,
    /// How strong the proof is; none where nothing was reproduced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<EvidenceProof>,
    /// The end of what the command printed, without secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Whether what it printed is what the agent said; none when the agent said nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_matches: Option<bool>,
    /// Why it has this label, in English as it was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Code and arguments of the note, from which other languages are rendered.
    #[serde(default, rename = "note_code", skip_serializing_if = "Option::is_none")]
    pub note_code: Option<String>,
    #[serde(default, rename = "note_args", skip_serializing_if = "Option::is_none")]
    pub note_args: Option<Map<String, Value>>,
}

/// How many tests a runner found; none is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestFacts {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collected: Option<u64>,
    /// Of those, how many were skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<u64>,
}

/// What evidence comes to without the change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BaseTests {
    /// The tree of the base.
    pub tree: TreeId,
    /// How many tests a runner finds there.
    pub tests: TestFacts,
    /// Whether the agent's own command ends well there, too; none where not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<bool>,
}

/// What a gate came to on a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GateResult {
    pub kind: GateKind,
    /// How the gate is called in the configuration.
    #[serde(default)]
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    pub outcome: GateOutcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    pub tree: TreeId,
    /// Whether a story can pass without it. Typecheck and build are required whatever this says.
    pub required: bool,
}

/// What is known of one criterion over all updates: the newest claim and what it came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KeptEvidence {
    pub claim: CriterionClaim,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<EvidenceResult>,
}

/// The state of one criterion, in the shape that the original stores (STORY-2.2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CriterionStatus {
    pub passes: bool,
    pub label: EvidenceLabel,
    /// How strong the proof is, where the evidence was reproduced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofLabel>,
    /// How strong it has to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub need: Option<ProofNeed>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What provost captured when it ran the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// What the agent said that it printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_output: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_reason: Option<String>,
}

/// What an update amounts to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClaimVerdict {
    pub result: ClaimResult,
    /// Whether the story is done, as provost sees it.
    pub passes: bool,
    /// Whether the agent said so.
    pub original_passes: bool,
    pub ac_status: BTreeMap<CriterionId, CriterionStatus>,
    /// What is to be kept for the next update; of a rejected one, what was kept before.
    pub kept: BTreeMap<CriterionId, KeptEvidence>,
    pub findings: Vec<Finding>,
}

impl EvidenceResult {
    /// The result with a note.
    #[must_use]
    pub fn with_note(mut self, note: Option<&Text>) -> Self {
        let (code, args) = note.and_then(Text::record).map(|it| (it.code, it.args)).unzip();
        self.note = note.map(ToString::to_string);
        (self.note_code, self.note_args) = (code, args);
        self
    }

    /// Why it has this label, for a person.
    pub fn note(&self) -> Option<Text> {
        let record = self.note_code.clone().map(|code| {
            let args = self.note_args.clone().unwrap_or_default();
            MessageRecord { code, args }
        });
        Some(Text::restore(self.note.clone()?, record.as_ref()))
    }
}

impl CriterionClaim {
    /// Whether there is something that provost can look at itself: a command, a file or a test.
    pub fn is_checkable(&self) -> bool {
        let listed = self.files.iter().chain(&self.tests).any(|it| says(it));
        listed || self.command.as_deref().is_some_and(says)
    }

    /// Whether the agent says that the criterion holds.
    ///
    /// Left out, it is claimed by any evidence; a reason why it is blocked is stronger than both.
    pub fn is_claimed(&self) -> bool {
        if self.blocked_reason.as_deref().is_some_and(says) {
            return false;
        }
        let texts = [&self.evidence, &self.output];
        let has_text = texts.into_iter().flatten().any(|it| says(it));
        self.passes.unwrap_or_else(|| has_text || self.is_checkable())
    }
}

impl CriterionStatus {
    /// The word for how far it is proven.
    pub fn word(&self) -> &'static str {
        match (self.label, self.proof) {
            (EvidenceLabel::Reproduced, Some(proof)) => proof.as_str(),
            (label, _) => label.as_str(),
        }
    }
}

impl ScopeOutcome {
    /// What a report comes to.
    pub fn of(report: &ScopeReport) -> Self {
        match report.result {
            ScopeResult::Split => Self::Split,
            ScopeResult::Explain if report.reassess => Self::Reassess,
            ScopeResult::Explain => Self::Unexplained,
            ScopeResult::Accept => Self::Accepted,
        }
    }
}

impl StoryUpdate {
    /// Whether anything is claimed to be done, as opposed to a report on the way.
    pub fn claims_something(&self) -> bool {
        self.passes || self.criteria.values().any(CriterionClaim::is_claimed)
    }

    /// Whether it says nothing about the work: neither criteria, files, lines nor gates.
    pub fn is_note(&self) -> bool {
        let Self { passes, criteria, expected_files, explanations, gates, files_changed, .. } =
            self;
        !passes
            && criteria.is_empty()
            && expected_files.is_none()
            && explanations.is_empty()
            && gates.is_empty()
            && files_changed.is_none()
    }
}

fn says(text: &str) -> bool {
    !text.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(claim: Value, is_claimed: bool, is_checkable: bool) {
        let read: CriterionClaim = serde_json::from_value(claim.clone()).unwrap();
        assert_eq!((read.is_claimed(), read.is_checkable()), (is_claimed, is_checkable), "{claim}");
    }

    /// STORY-6.1: a text is a claim, and never something that can be checked.
    #[test]
    fn a_claim_is_read_from_what_it_carries() {
        check(json!({}), false, false);
        check(json!({"passes": true}), true, false);
        check(json!({"passes": false, "command": "make"}), false, true);
        check(json!({"evidence": "done"}), true, false);
        check(json!({"evidence": "  "}), false, false);
        check(json!({"output": "ok"}), true, false);
        check(json!({"command": "make"}), true, true);
        check(json!({"command": " \n"}), false, false);
        check(json!({"files": ["a.rs"]}), true, true);
        check(json!({"files": [""]}), false, false);
        check(json!({"tests": ["adds"]}), true, true);
        check(json!({"blockedReason": "no network", "command": "make"}), false, true);
        check(json!({"blockedReason": "no network", "passes": true}), false, false);
        check(json!({"blockedReason": " ", "passes": true}), true, false);
    }

    /// STORY-2.2: the original's keys.
    #[test]
    fn a_status_has_the_shape_of_the_original() {
        let status = CriterionStatus {
            passes: false,
            label: EvidenceLabel::NotRun,
            proof: None,
            need: None,
            evidence: None,
            command: None,
            output: None,
            claimed_output: None,
            files: Vec::new(),
            tests: Vec::new(),
            blocked_reason: Some("no network".to_owned()),
        };
        let expected = json!({"passes": false, "label": "NOT_RUN", "blockedReason": "no network"});
        assert_eq!(serde_json::to_value(&status).unwrap(), expected);
        assert_eq!(serde_json::from_value::<CriterionStatus>(expected).unwrap(), status);
    }
}
