//! What the index of the stories answers: rows of the database, as other layers see them.

use std::{collections::BTreeMap, str::FromStr};

use serde::Serialize;
use serde_json::Value;

use super::{
    ClaimResult, Criterion, CriterionId, CriterionStatus, Execution, ExecutionId, KeptEvidence,
    Story, StoryId, StoryIdError, TreeId,
};
use crate::{Digest, Timestamp};

/// One story as it stands, with the original's names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryRow {
    pub execution_id: ExecutionId,
    pub story_id: StoryId,
    pub title: String,
    pub description: String,
    pub acceptance_criteria: Vec<Criterion>,
    pub priority: u32,
    /// What was recorded. Of an imported story that is the other program's belief.
    pub passes: bool,
    pub notes: String,
    /// By criterion, in the shape of STORY-2.2; empty before the first look.
    pub ac_status: BTreeMap<CriterionId, CriterionStatus>,
    /// What is kept for the next look.
    pub evidence: BTreeMap<CriterionId, KeptEvidence>,
    /// The files of the newest declaration; none before the first.
    pub expected_files: Option<Vec<String>>,
    /// The tests that the plan lets the work change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tests_may_change: Vec<String>,
}

/// How far a story is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryCount {
    pub story_id: StoryId,
    pub title: String,
    /// What was recorded.
    pub passes: bool,
    /// How many criteria pass.
    pub passing: u32,
    pub total: u32,
}

/// An execution with how far its stories are, in their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionSummary {
    pub execution: Execution,
    pub stories: Vec<StoryCount>,
}

/// One update that was sent, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AttemptRecord {
    /// The number of the event.
    pub seq: u64,
    pub claimed: Value,
    pub tree: Option<TreeId>,
    pub result: ClaimResult,
    pub passes: bool,
    pub original_passes: bool,
    /// Whether every criterion was proven by it.
    pub is_complete: bool,
    /// The rules that had something to say, in order.
    pub codes: Vec<String>,
    pub created_at: Timestamp,
}

/// One declaration of a story.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeclarationRecord {
    /// The number of the event.
    pub seq: u64,
    pub files: Vec<String>,
    pub tree: Option<TreeId>,
    pub is_late: bool,
    pub reason: Option<String>,
    pub created_at: Timestamp,
}

/// A criterion that a person does without, as long as its text is the one that was waived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaiverRecord {
    /// The number of the event.
    pub seq: u64,
    pub story_id: StoryId,
    pub criterion: CriterionId,
    pub reason: String,
    /// Who did it, with the channel.
    pub actor: String,
    pub created_at: Timestamp,
}

/// How many stories had complete evidence at the first update that said they are done
/// (STORY-6.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FirstSubmissions {
    pub complete: u64,
    pub submitted: u64,
}

/// A story of an older database, as its columns have it: nothing in it is checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LegacyStory {
    pub execution_id: String,
    pub story_id: String,
    pub title: String,
    pub description: String,
    /// A JSON list, or whatever else somebody put there.
    pub acceptance_criteria: String,
    pub priority: String,
    pub passes: bool,
    pub notes: String,
    pub ac_status: String,
    pub evidence: String,
    pub expected_files: String,
}

/// How a person names a story: `US-001`, or with its branch or its execution `BRANCH:US-001`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryName {
    pub of: Option<String>,
    pub story: StoryId,
}

/// The newest event that an index holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppliedEvent {
    pub seq: u64,
    /// Of the event as canonical JSON: another log gives another one.
    pub digest: Digest,
}

impl FromStr for StoryName {
    type Err = StoryIdError;

    fn from_str(text: &str) -> Result<Self, StoryIdError> {
        // Neither a branch nor an execution has a colon in its name.
        match text.rsplit_once(':') {
            Some((of, story)) => Ok(Self { of: Some(of.to_owned()), story: story.parse()? }),
            None => Ok(Self { of: None, story: text.parse()? }),
        }
    }
}

impl StoryRow {
    /// The story as its plan says it.
    pub fn story(&self) -> Story {
        Story {
            id: self.story_id.clone(),
            title: self.title.clone(),
            description: self.description.clone(),
            priority: self.priority,
            criteria: self.acceptance_criteria.clone(),
            tests_may_change: self.tests_may_change.clone(),
        }
    }
}

impl StoryCount {
    /// Whether every criterion passes and the story with them: what is only believed does not
    /// count.
    pub fn is_proven(&self) -> bool {
        self.passes && self.total > 0 && self.passing == self.total
    }
}

impl ExecutionSummary {
    /// How many stories are proven.
    pub fn n_proven(&self) -> usize {
        self.stories.iter().filter(|it| it.is_proven()).count()
    }

    /// How many criteria pass, of how many.
    pub fn criteria(&self) -> (u32, u32) {
        let add = |sum: (u32, u32), it: &StoryCount| {
            (sum.0.saturating_add(it.passing), sum.1.saturating_add(it.total))
        };
        self.stories.iter().fold((0, 0), add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(passes: bool, passing: u32, total: u32, expected: bool) {
        let story_id = "US-001".parse().unwrap();
        let count = StoryCount { story_id, title: String::new(), passes, passing, total };
        assert_eq!(count.is_proven(), expected, "{count:?}");
    }

    #[track_caller]
    fn check_name(text: &str, expected: Option<(Option<&str>, &str)>) {
        let actual = text.parse::<StoryName>().ok();
        let actual = actual.as_ref().map(|it| (it.of.as_deref(), it.story.as_str()));
        assert_eq!(actual, expected, "{text:?}");
    }

    #[test]
    fn a_story_is_named_alone_or_with_its_branch() {
        check_name("US-001", Some((None, "US-001")));
        check_name("us-1", Some((None, "US-1")));
        check_name("ralph/login:US-001", Some((Some("ralph/login"), "US-001")));
        check_name("e1:us-2", Some((Some("e1"), "US-2")));
        check_name("ralph/login", None);
        check_name("ralph/login:", None);
        check_name("", None);
    }

    /// STORY-6.1: a story that somebody called done is not proven by that.
    #[test]
    fn a_story_is_proven_when_it_and_all_its_criteria_pass() {
        check(true, 3, 3, true);
        check(true, 2, 3, false);
        check(false, 3, 3, false);
        check(true, 0, 0, false);
        check(true, 0, 3, false);
    }
}
