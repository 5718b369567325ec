//! A plan: the stories that somebody wants, and the criteria by which each of them is done.
//!
//! A plan is read once, and its criteria are frozen by digest. A person who edits the document
//! later is seen, because the texts and their digests no longer agree.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BranchName, CriterionId, ProofNeed, StoryId};
use crate::{Digest, Finding, words::words};

words! {
    /// How much a plan presses. `P0` comes first.
    pub enum PlanPriority {
        P0 = "P0" | "p0",
        P1 = "P1" | "p1",
        P2 = "P2" | "p2",
    }
}

/// What a plan document says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    pub title: String,
    pub branch: BranchName,
    pub description: String,
    pub priority: PlanPriority,
    /// The branches of the plans that come before this one.
    pub dependencies: Vec<String>,
    /// In the order in which they are worked on: by priority, then as written.
    pub stories: Vec<Story>,
    /// What the reader noticed and did not refuse.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Finding>,
}

/// One thing that somebody wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Story {
    pub id: StoryId,
    pub title: String,
    pub description: String,
    /// Smaller comes first.
    pub priority: u32,
    /// Never empty, and numbered from 1 without a gap.
    pub criteria: Vec<Criterion>,
    /// The tests that the work may change: files, folders or globs from the root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests_may_change: Vec<String>,
}

/// One condition without which a story is not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    pub id: CriterionId,
    /// The text on one line, without its label and without its command.
    pub text: String,
    /// The digest of the text.
    pub digest: Digest,
    /// The command by which the plan says it is proven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<String>,
    /// How strong its proof has to be; none until the command was run on the base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub need: Option<ProofNeed>,
}

impl Plan {
    /// The story with this id, however its digits are written.
    pub fn story(&self, id: &StoryId) -> Option<&Story> {
        self.stories.iter().find(|it| it.id.number() == id.number())
    }
}

impl Story {
    /// The criterion with this id.
    pub fn criterion(&self, id: CriterionId) -> Option<&Criterion> {
        self.criteria.iter().find(|it| it.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        Plan {
            title: "Login".to_owned(),
            branch: "ralph/login".parse().unwrap(),
            description: String::new(),
            priority: PlanPriority::P1,
            dependencies: Vec::new(),
            stories: vec![Story {
                id: "US-001".parse().unwrap(),
                title: "Form".to_owned(),
                description: String::new(),
                priority: 1,
                criteria: vec![Criterion {
                    id: "AC-1".parse().unwrap(),
                    text: "x".to_owned(),
                    digest: Digest::of_bytes(b"x"),
                    verify: None,
                    need: None,
                }],
                tests_may_change: Vec::new(),
            }],
            notices: Vec::new(),
        }
    }

    #[test]
    fn a_story_is_found_however_its_digits_are_written() {
        let plan = plan();
        for id in ["US-001", "us-1", "US-000001"] {
            assert_eq!(plan.story(&id.parse().unwrap()), Some(&plan.stories[0]), "{id}");
        }
        assert_eq!(plan.story(&"US-002".parse().unwrap()), None);
        assert!(plan.stories[0].criterion("1".parse().unwrap()).is_some());
        assert!(plan.stories[0].criterion("2".parse().unwrap()).is_none());
    }

    #[test]
    fn a_plan_goes_through_json_and_back() {
        let plan = plan();
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
        let forged = text.replace("ralph/login", "$(x)");
        assert!(serde_json::from_str::<Plan>(&forged).is_err());
    }
}
