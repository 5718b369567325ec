//! One line of the claims log: something that happened to an execution or to one of its stories.
//!
//! The log is the truth about stories, and the database only its index: a process that applies the
//! events from the first to the last has every row again. What an agent sent, and what was kept of
//! its evidence, stays as it was written, whatever later versions know.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeStruct as _};
use serde_json::Value;

use super::{
    ClaimResult, CriterionId, CriterionStatus, Execution, ExecutionId, ExecutionProgress,
    ExecutionStatus, GateResult, KeptEvidence, Story, StoryId, TreeId,
};
use crate::{Actor, Digest, DigestError, Finding, Record, Timestamp, task::BaseTest, words::words};

/// Something that happened, in its place in the order of everything that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryEvent {
    /// Counts all events from 1, without a gap.
    pub seq: u64,
    pub at: Timestamp,
    pub execution_id: ExecutionId,
    /// None for what concerns the whole execution.
    pub story_id: Option<StoryId>,
    pub body: EventBody,
}

impl StoryEvent {
    /// The digest by which the index knows the event.
    ///
    /// A text that stands beside its code is left out: a later version may word it otherwise, and
    /// the event stays the same.
    pub fn digest(&self) -> Result<Digest, DigestError> {
        let mut value = serde_json::to_value(self).map_err(DigestError::NotCanonical)?;
        drop_texts(&mut value);
        Digest::of_json(&value)
    }
}

fn drop_texts(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(drop_texts),
        Value::Object(map) => {
            for name in ["message", "hint"] {
                if map.contains_key(&format!("{name}_code")) {
                    map.remove(name);
                }
            }
            map.values_mut().for_each(drop_texts);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

words! {
    /// What kind of thing happened.
    pub enum EventKind {
        Started = "started",
        Declared = "declared",
        Updated = "updated",
        Verified = "verified",
        Changed = "changed",
        Replanned = "replanned",
        Imported = "imported",
        Waived = "waived",
        Rebased = "rebased",
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventBody {
    /// An execution of a plan began.
    Started(Box<Started>),
    /// Somebody said which files a story will touch.
    Declared(Declared),
    /// An agent sent an update, and provost judged it.
    Updated(Box<Updated>),
    /// provost looked again, without a new claim.
    Verified(Box<Verified>),
    /// The execution itself changed.
    Changed(ExecutionChange),
    /// The plan was read again, and says something else.
    Replanned(Replanned),
    /// An execution came from another program, with what that program believed.
    Imported(Box<Imported>),
    /// A person does without the proof of a criterion.
    Waived(Waived),
    /// A person says that the plan is measured from a newer commit.
    Rebased(Rebased),
}

/// The beginning of an execution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    pub execution: Execution,
    pub stories: Vec<Story>,
    /// How the commands of the plan came out on the base.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bases: Vec<BaseRun>,
}

/// A declaration, bound to the tree on which it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    pub files: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<TreeId>,
    /// Whether the work had begun.
    #[serde(default)]
    pub is_late: bool,
    /// Why it differs from the one before; required by a rule, not here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// An update and what came of it. A rejected one changes no story and is on record all the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Updated {
    /// What the agent sent.
    pub claimed: Value,
    pub result: ClaimResult,
    /// Whether the agent said that the story is done.
    pub original_passes: bool,
    pub outcome: StoryOutcome,
    /// The first declaration, where it came with this update.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<Declared>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    #[serde(default, skip_serializing_if = "ExecutionChange::is_nothing")]
    pub change: ExecutionChange,
}

/// What a second look came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    pub outcome: StoryOutcome,
    #[serde(default, skip_serializing_if = "ExecutionChange::is_nothing")]
    pub change: ExecutionChange,
}

/// What is known of a story after a look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoryOutcome {
    /// Whether the story is done, as provost sees it.
    pub passes: bool,
    /// The tree that was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<TreeId>,
    /// By criterion, in the shape of STORY-2.2.
    #[serde(default)]
    pub ac_status: BTreeMap<CriterionId, CriterionStatus>,
    /// What is kept for the next look.
    #[serde(default)]
    pub evidence: BTreeMap<CriterionId, KeptEvidence>,
    #[serde(default)]
    pub findings: Vec<Finding>,
    #[serde(default)]
    pub gates: Vec<GateRun>,
    /// How commands came out on the base, where that was not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bases: Vec<BaseRun>,
}

/// How a command came out on the base: it need not run there again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaseRun {
    /// Of everything that the run depends on.
    pub key: Digest,
    pub test: BaseTest,
    /// Whether it started where a build had ended, which other commands begin with as well.
    #[serde(default)]
    pub is_after_build: bool,
}

/// One run of a gate on a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateRun {
    pub result: GateResult,
    #[serde(default)]
    pub duration_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_path: Option<String>,
}

/// What changed of an execution; what is none stays as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExecutionChange {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<ExecutionStatus>,
    /// Why the status changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<ExecutionProgress>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_archived: Option<bool>,
}

/// A plan that changed under way. What a rule let stand of each story comes with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replanned {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_digest: Option<Digest>,
    pub stories: Vec<StoryState>,
}

/// What another program believed of an execution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    pub execution: Execution,
    pub stories: Vec<StoryState>,
}

/// A criterion that a person does without. It is not proof, and holds for this text alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waived {
    pub criterion: CriterionId,
    /// Of the criterion's text.
    pub digest: Digest,
    pub reason: String,
    pub actor: Actor,
}

/// A newer base of an execution. Whatever was found out on the old one has to be found out again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rebased {
    pub before: String,
    pub base: String,
    /// What accepted results became on it, by their trees on record.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub results: BTreeMap<TreeId, TreeId>,
    pub actor: Actor,
}

/// A story with what is known of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoryState {
    pub story: Story,
    #[serde(default)]
    pub passes: bool,
    #[serde(default)]
    pub notes: String,
    #[serde(default)]
    pub ac_status: BTreeMap<CriterionId, CriterionStatus>,
    #[serde(default)]
    pub evidence: BTreeMap<CriterionId, KeptEvidence>,
    /// The files of the newest declaration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_files: Option<Vec<String>>,
}

impl EventBody {
    pub fn kind(&self) -> EventKind {
        match self {
            Self::Started(_) => EventKind::Started,
            Self::Declared(_) => EventKind::Declared,
            Self::Updated(_) => EventKind::Updated,
            Self::Verified(_) => EventKind::Verified,
            Self::Changed(_) => EventKind::Changed,
            Self::Replanned(_) => EventKind::Replanned,
            Self::Imported(_) => EventKind::Imported,
            Self::Waived(_) => EventKind::Waived,
            Self::Rebased(_) => EventKind::Rebased,
        }
    }

    fn read(kind: EventKind, body: Value) -> Result<Self, serde_json::Error> {
        let from = body;
        match kind {
            EventKind::Started => serde_json::from_value(from).map(Self::Started),
            EventKind::Declared => serde_json::from_value(from).map(Self::Declared),
            EventKind::Updated => serde_json::from_value(from).map(Self::Updated),
            EventKind::Verified => serde_json::from_value(from).map(Self::Verified),
            EventKind::Changed => serde_json::from_value(from).map(Self::Changed),
            EventKind::Replanned => serde_json::from_value(from).map(Self::Replanned),
            EventKind::Imported => serde_json::from_value(from).map(Self::Imported),
            EventKind::Waived => serde_json::from_value(from).map(Self::Waived),
            EventKind::Rebased => serde_json::from_value(from).map(Self::Rebased),
        }
    }

    /// Which execution the body itself names, where it names one.
    fn execution_id(&self) -> Option<&ExecutionId> {
        match self {
            Self::Started(it) => Some(&it.execution.id),
            Self::Imported(it) => Some(&it.execution.id),
            Self::Declared(_)
            | Self::Updated(_)
            | Self::Verified(_)
            | Self::Changed(_)
            | Self::Replanned(_)
            | Self::Waived(_)
            | Self::Rebased(_) => None,
        }
    }

    /// Whether it is about one story.
    fn needs_story(&self) -> bool {
        matches!(self, Self::Declared(_) | Self::Updated(_) | Self::Verified(_) | Self::Waived(_))
    }
}

impl ExecutionChange {
    /// Whether nothing changes.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// An event as it stands in a line: the kind beside the body, so that every line can be listed
/// without knowing what is in it.
#[derive(Deserialize)]
struct Line {
    seq: u64,
    at: Timestamp,
    kind: EventKind,
    execution_id: ExecutionId,
    #[serde(default)]
    story_id: Option<StoryId>,
    body: Value,
}

impl Serialize for StoryEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut line = serializer.serialize_struct("StoryEvent", 6)?;
        line.serialize_field("seq", &self.seq)?;
        line.serialize_field("at", &self.at)?;
        line.serialize_field("kind", &self.body.kind())?;
        line.serialize_field("execution_id", &self.execution_id)?;
        line.serialize_field("story_id", &self.story_id)?;
        match &self.body {
            EventBody::Started(body) => line.serialize_field("body", body)?,
            EventBody::Declared(body) => line.serialize_field("body", body)?,
            EventBody::Updated(body) => line.serialize_field("body", body)?,
            EventBody::Verified(body) => line.serialize_field("body", body)?,
            EventBody::Changed(body) => line.serialize_field("body", body)?,
            EventBody::Replanned(body) => line.serialize_field("body", body)?,
            EventBody::Imported(body) => line.serialize_field("body", body)?,
            EventBody::Waived(body) => line.serialize_field("body", body)?,
            EventBody::Rebased(body) => line.serialize_field("body", body)?,
        }
        line.end()
    }
}

impl<'de> Deserialize<'de> for StoryEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Line { seq, at, kind, execution_id, story_id, body } = Line::deserialize(deserializer)?;
        let body = EventBody::read(kind, body).map_err(de::Error::custom)?;
        if body.execution_id().is_some_and(|it| *it != execution_id) {
            return Err(de::Error::custom("the body is about another execution"));
        }
        if body.needs_story() != story_id.is_some() {
            return Err(de::Error::custom(format!("`{kind}` with a story that does not fit")));
        }
        Ok(Self { seq, at, execution_id, story_id, body })
    }
}

impl Record for StoryEvent {
    const SCHEMA: &'static str = "provost.story-event/1";
    const KEYS: &'static [&'static str] =
        &["at", "body", "execution_id", "kind", "seq", "story_id"];
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::RecordFile;

    fn line(kind: &str, story: Value, body: Value) -> Value {
        json!({
            "schema": "provost.story-event/1", "seq": 3, "at": "2026-11-15T00:00:00Z",
            "kind": kind, "execution_id": "e1", "story_id": story, "body": body,
        })
    }

    #[track_caller]
    fn check(kind: &str, story: Value, body: Value, is_event: bool) {
        let line = line(kind, story, body);
        match RecordFile::<StoryEvent>::read(line.clone()) {
            Ok(kept) => {
                assert!(is_event, "{line}");
                assert_eq!(serde_json::to_value(&kept).unwrap(), line);
            }
            Err(error) => assert!(!is_event, "{line}: {:?}", std::error::Error::source(&error)),
        }
    }

    #[test]
    fn another_wording_of_a_finding_is_the_same_event() {
        let event = |message: &str, code: Option<&str>| {
            let finding = json!({
                "rule": "X", "severity": "P1", "subject": "", "message": message,
                "message_code": code,
            });
            let outcome = json!({
                "passes": false, "tree": "t", "ac_status": {}, "evidence": {}, "gates": [],
                "findings": [finding],
            });
            let line = line("verified", json!("US-001"), json!({"outcome": outcome}));
            RecordFile::<StoryEvent>::read(line).unwrap().value
        };
        let digest = |message, code| event(message, code).digest().unwrap();
        let known = Some("story.branch_rule.empty");
        assert_eq!(digest("a", known), digest("b", known));
        assert_ne!(digest("a", None), digest("b", None));
        assert_eq!(digest("a", None), Digest::of_json(&event("a", None)).unwrap());
    }

    #[test]
    fn a_line_says_what_happened_to_whom_and_survives_its_file() {
        let execution = json!({
            "id": "e1", "project": "shop", "branch": "ralph/login", "description": "",
            "priority": "P1", "prdPath": "p.md", "projectRoot": "/shop", "worktreePath": null,
            "baseCommitSha": null, "status": "ready", "agentTaskId": null, "dependencies": [],
            "progress": ExecutionProgress::default(), "isArchived": false,
            "createdAt": "2026-11-15T00:00:00Z", "updatedAt": "2026-11-15T00:00:00Z",
        });
        let mut other = execution.clone();
        other["id"] = "e2".into();
        let outcome = json!({
            "passes": false, "tree": "t", "ac_status": {"AC-1": {"passes": true, "label": "REPRODUCED"}},
            "evidence": {}, "findings": [], "gates": [],
        });
        let us = json!("US-001");
        check("started", json!(null), json!({"execution": execution, "stories": []}), true);
        check("started", json!(null), json!({"execution": other, "stories": []}), false);
        check("imported", json!(null), json!({"execution": execution, "stories": []}), true);
        check("declared", us.clone(), json!({"files": ["a"], "is_late": false}), true);
        check("declared", json!(null), json!({"files": ["a"], "is_late": false}), false);
        check("verified", us.clone(), json!({"outcome": outcome}), true);
        check("changed", json!(null), json!({"status": "failed", "reason": "no"}), true);
        check("changed", us.clone(), json!({}), false);
        check("changed", json!(null), json!({"status": "done"}), false);
        check("invented", json!(null), json!({}), false);
        let updated = json!({
            "claimed": {"storyId": "US-001"}, "result": "accept", "original_passes": true,
            "outcome": outcome, "change": {"status": "running"},
        });
        check("updated", us.clone(), updated, true);
        let waived = json!({
            "criterion": "AC-2", "digest": Digest::of_bytes(b"x"), "reason": "by hand",
            "actor": {"source": "cli", "id": "ann"},
        });
        check("waived", json!(null), waived.clone(), false);
        check("waived", us, waived, true);
        check("replanned", json!(null), json!({"stories": []}), true);
    }
}
