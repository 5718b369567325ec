//! What an attempt has proven of a plan: by story and by criterion, as provost found it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Digest, Finding, Record, TaskId, Timestamp,
    story::{
        CriterionId, EvidenceLabel, GateResult, ProofNeed, ScopeOutcome, StoryId, VerifyOnBase,
    },
    task::{ProofFinding, ProofLabel},
};

/// What was found when the claims of an attempt were checked, before anybody judged it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proofs {
    pub task_id: TaskId,
    pub attempt: u16,
    pub checked_at: Timestamp,
    /// Where the plan lies in the repository.
    pub plan: String,
    /// The plan as it was when the task was made; what it says later changes nothing.
    #[serde(default)]
    pub plan_digest: Option<Digest>,
    /// The commit that was looked at.
    pub commit: String,
    /// Every story of the task, in the order of the plan.
    pub stories: Vec<StoryProof>,
    /// What there is to say of what was handed in as a whole.
    #[serde(default)]
    pub findings: Vec<Finding>,
}

/// What is proven of one story.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StoryProof {
    pub story_id: StoryId,
    pub title: String,
    /// Whether a claim for it was handed in that could be read.
    pub is_claimed: bool,
    /// Whether it is done: every criterion, every gate, the scope, and untouched tests.
    pub is_done: bool,
    pub criteria: Vec<CriterionProof>,
    #[serde(default)]
    pub gates: Vec<GateResult>,
    /// What the scope guard said; none when nothing was measured.
    #[serde(default)]
    pub scope: Option<ScopeOutcome>,
    /// How a change that is too large could be split: the files of each part.
    #[serde(default)]
    pub proposal: Vec<Vec<String>>,
    #[serde(default)]
    pub findings: Vec<Finding>,
}

/// What is proven of one criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CriterionProof {
    pub id: CriterionId,
    pub text: String,
    pub is_proven: bool,
    pub label: EvidenceLabel,
    /// None when no command ran.
    #[serde(default)]
    pub exit_code: Option<i32>,
    #[serde(default)]
    pub command: Option<String>,
    /// How strong the proof is, and has to be; none where nothing was reproduced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofLabel>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<ProofNeed>,
    /// What the re-run of the evidence found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<ProofFinding>,
    /// How the command of the plan ends on the base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_base: Option<VerifyOnBase>,
    /// The tree on which it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// What the agent said of it, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<String>,
    /// The end of what the command printed, without secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

impl Record for Proofs {
    const SCHEMA: &'static str = "provost.proofs/1";
    const KEYS: &'static [&'static str] = &[
        "attempt",
        "checked_at",
        "commit",
        "findings",
        "plan",
        "plan_digest",
        "stories",
        "task_id",
    ];
}

impl StoryProof {
    /// How many criteria are proven, of how many.
    pub fn count(&self) -> (usize, usize) {
        let proven = self.criteria.iter().filter(|it| it.is_proven).count();
        (proven, self.criteria.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::assert_keys;

    #[test]
    fn every_key_is_known() {
        assert_keys::<Proofs>();
    }
}
