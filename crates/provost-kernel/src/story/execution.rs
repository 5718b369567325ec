//! One run over a plan: who it is, where it stands, and how its loop is doing.

use std::{collections::BTreeMap, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BranchName, DiskRules, PlanPriority, StoryId, TreeId};
use crate::{Digest, Message, Timestamp, shorten, text_id::text_id, words::words};

text_id! {
    /// The name of an execution; provost gives a version 4 UUID, as the original did.
    ///
    /// The grammar is `[A-Za-z0-9][A-Za-z0-9_-]*`, at most 64 bytes.
    #[schemars(with = "String", extend("pattern" = "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"))]
    pub struct ExecutionId(String): ExecutionIdError;
}

/// A string that is not an execution id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "story.execution_id",
    en = "invalid execution id {0:?}",
    zh = "执行 id 无效：{0:?}",
    hint(
        en = "an id has letters, digits, `-` and `_`, at most 64 of them",
        zh = "id 由字母、数字、`-` 和 `_` 组成，最多 64 个字符",
    )
)]
pub struct ExecutionIdError(String);

words! {
    /// Where an execution stands. Which step may follow which is a rule.
    pub enum ExecutionStatus {
        Pending = "pending",
        Ready = "ready",
        Starting = "starting",
        Running = "running",
        Interrupted = "interrupted",
        Completed = "completed",
        Failed = "failed",
        Stopped = "stopped",
        Merging = "merging",
        Merged = "merged",
    }
}

/// One run over a plan, with the original's names for what it shares with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Execution {
    pub id: ExecutionId,
    /// The name of the folder of the repository.
    pub project: String,
    pub branch: BranchName,
    pub description: String,
    pub priority: PlanPriority,
    /// Where the plan lay; what it said is kept by its digest.
    pub prd_path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_digest: Option<Digest>,
    pub project_root: String,
    #[serde(default)]
    pub worktree_path: Option<String>,
    /// The commit from which the work set out.
    #[serde(default)]
    pub base_commit_sha: Option<String>,
    /// How its files lay on the disk when it started, where that is not how git stores them.
    #[serde(default, skip_serializing_if = "DiskRules::is_plain")]
    pub disk: DiskRules,
    /// What accepted results became on a newer base, by their trees on record.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rebased: BTreeMap<TreeId, TreeId>,
    pub status: ExecutionStatus,
    /// Why it has this status, where somebody said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_reason: Option<String>,
    #[serde(default)]
    pub agent_task_id: Option<String>,
    /// The branches that come before this one.
    #[serde(default)]
    pub dependencies: Vec<String>,
    #[serde(default)]
    pub progress: ExecutionProgress,
    /// Whether it is history: no longer listed among what is going on.
    #[serde(default)]
    pub is_archived: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_commit_sha: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// How the loop of an execution is doing; each change replaces it as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ExecutionProgress {
    pub loop_count: u32,
    pub consecutive_no_progress: u32,
    pub consecutive_errors: u32,
    pub last_error: Option<String>,
    pub last_files_changed: u64,
    pub last_progress_at: Option<Timestamp>,
    pub last_commit_count: Option<u64>,
    pub current_story_id: Option<StoryId>,
    pub current_step: Option<String>,
    pub step_started_at: Option<Timestamp>,
}

crate::display_arguments!(ExecutionStatus);

const MAX_LEN: usize = 64;

impl FromStr for ExecutionId {
    type Err = ExecutionIdError;

    fn from_str(text: &str) -> Result<Self, ExecutionIdError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let starts_well = text.bytes().next().is_some_and(|it| it.is_ascii_alphanumeric());
        if text.len() <= MAX_LEN && starts_well && text.bytes().all(is_plain) {
            Ok(Self(text.to_owned()))
        } else {
            Err(ExecutionIdError(shorten(text)))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Lang;

    #[track_caller]
    fn check(text: &str, is_id: bool) {
        assert_eq!(text.parse::<ExecutionId>().is_ok(), is_id, "{text:?}");
    }

    #[test]
    fn an_execution_is_named_by_what_is_safe_in_a_path_and_in_a_shell() {
        for text in ["5f0c1f0e-8a43-4c63-9f7b-0c3f4a2e1d55", "e1", "A_b", &"x".repeat(64)] {
            check(text, true);
        }
        for text in ["", "-x", "_x", "a b", "a/b", "..", "a:b", "$(x)", "任务", &"x".repeat(65)] {
            check(text, false);
        }
        let error = "\u{1b}".parse::<ExecutionId>().unwrap_err();
        assert_eq!(error.to_string(), "invalid execution id \"\\u{1b}\"");
        assert_eq!(Lang::Zh.render(&error.text()), "执行 id 无效：\"\\u{1b}\"");
    }

    #[test]
    fn an_execution_has_the_names_of_the_original() {
        let value = json!({
            "id": "e1", "project": "shop", "branch": "ralph/login", "description": "Login",
            "priority": "P1", "prdPath": "tasks/login.md", "projectRoot": "/shop",
            "worktreePath": null, "baseCommitSha": "abc", "status": "running",
            "agentTaskId": null, "dependencies": [], "isArchived": false,
            "progress": {
                "loopCount": 2, "consecutiveNoProgress": 0, "consecutiveErrors": 0,
                "lastError": null, "lastFilesChanged": 0, "lastProgressAt": null,
                "lastCommitCount": null, "currentStoryId": "US-001", "currentStep": null,
                "stepStartedAt": null,
            },
            "createdAt": "2026-11-15T00:00:00Z", "updatedAt": "2026-11-15T00:00:00Z",
        });
        let read: Execution = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(read.status, ExecutionStatus::Running);
        assert_eq!(serde_json::to_value(&read).unwrap(), value);
        let forged = value.to_string().replace("ralph/login", "$(x)");
        assert!(serde_json::from_str::<Execution>(&forged).is_err());
    }
}
