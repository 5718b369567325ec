//! How strong the proof of a criterion is, and how strong it has to be.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    task::{ProofFinding, ProofLabel},
    words::words,
};

words! {
    /// What a criterion needs before it is done; the plan may say it as `(proof: holds)`.
    pub enum ProofNeed {
        /// A check that the agent could not write was red, and is green now.
        Proven = "proven",
        /// A check is green, and red without the work.
        Shown = "shown",
        /// A check is green, with the work as without it.
        Holds = "holds",
        /// A text or a file is there.
        Present = "present",
    }
}

impl ProofNeed {
    /// The label that it asks for.
    pub fn label(self) -> ProofLabel {
        match self {
            Self::Proven => ProofLabel::Proven,
            Self::Shown => ProofLabel::Shown,
            Self::Holds => ProofLabel::Holds,
            Self::Present => ProofLabel::Present,
        }
    }

    /// Whether a label is as strong as this.
    pub fn is_met_by(self, label: ProofLabel) -> bool {
        match label {
            ProofLabel::Proven => true,
            ProofLabel::Shown => self >= Self::Shown,
            ProofLabel::Holds => self >= Self::Holds,
            ProofLabel::Present => self >= Self::Present,
            ProofLabel::Claimed
            | ProofLabel::Hollow
            | ProofLabel::Contradicted
            | ProofLabel::NotRun => false,
        }
    }
}

/// What the evidence of a criterion proves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvidenceProof {
    pub label: ProofLabel,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<ProofFinding>,
    /// How many tests are green now and were not before; none where single tests are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_tests: Option<u32>,
    /// How the command of the plan ended on the base; none where the plan names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify_on_base: Option<VerifyOnBase>,
}

words! {
    /// How the command that a plan names for a criterion ends on the base.
    pub enum VerifyOnBase {
        Green = "green",
        Red = "red",
        /// It cannot be run there: a program, a script or a target is missing.
        Missing = "missing",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PROOF-5: the ladder, from the strongest to the weakest.
    #[test]
    fn a_need_is_met_by_its_label_and_by_stronger_ones() {
        let ladder =
            [ProofLabel::Proven, ProofLabel::Shown, ProofLabel::Holds, ProofLabel::Present];
        for (at, need) in ProofNeed::ALL.iter().enumerate() {
            assert_eq!(need.label(), ladder[at]);
            for (step, label) in ladder.iter().enumerate() {
                assert_eq!(need.is_met_by(*label), step <= at, "{need} and {label}");
            }
            for label in [
                ProofLabel::Claimed,
                ProofLabel::Hollow,
                ProofLabel::Contradicted,
                ProofLabel::NotRun,
            ] {
                assert!(!need.is_met_by(label), "{need} and {label}");
            }
        }
    }
}
