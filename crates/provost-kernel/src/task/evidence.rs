//! What an attempt left behind, as a judge and a person see it.
//!
//! Whatever an agent wrote is an [`Excerpt`]: bounded, with its whole length and a mark that it
//! is data. Nothing in it is an instruction to anybody.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Finding, Record, TaskId, Timestamp};

/// The evidence of one attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The version of the format that the original gave it; always `v1`.
    pub schema_version: String,
    pub task_id: TaskId,
    pub attempt: u16,
    #[serde(default)]
    pub task_code: Option<String>,
    #[serde(default)]
    pub worktree_path: String,
    pub created_at: Timestamp,
    pub git: GitEvidence,
    #[serde(default)]
    pub commands: Vec<CommandEvidence>,
    pub test: TestEvidence,
    /// Files that the attempt made to be looked at, relative to the work tree.
    #[serde(default)]
    pub artifacts: Vec<String>,
    #[serde(default)]
    pub metrics_path: Option<String>,
    /// What the coder replied.
    pub coder_output: Excerpt,
    /// What the rules noticed about the change.
    #[serde(default)]
    pub findings: Vec<Finding>,
}

/// The change, as git sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GitEvidence {
    pub diff_stat_path: String,
    pub diff_patch_path: String,
    #[serde(default)]
    pub head_commit: Option<String>,
    /// The files that changed: committed, staged, unstaged and untracked.
    #[serde(default)]
    pub changed_paths: Vec<String>,
    /// The change itself.
    #[serde(default)]
    pub diff: Excerpt,
}

/// One command that was run in an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommandEvidence {
    pub cmd: String,
    pub rc: i32,
    pub seconds: u64,
}

/// What the test said; not run is not passed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestEvidence {
    #[serde(default)]
    pub cmd: Option<String>,
    /// None when no test was run.
    #[serde(default)]
    pub rc: Option<i32>,
    /// How long it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<u64>,
    /// Whether it could reach the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<bool>,
    /// The end of what it printed.
    #[serde(default)]
    pub log_tail: Excerpt,
}

/// A part of a text that somebody else wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Excerpt {
    pub text: String,
    /// How long the whole is.
    #[serde(default)]
    pub total_bytes: u64,
    /// Whether a part was left out.
    #[serde(default)]
    pub truncated: bool,
    #[serde(default)]
    pub trust: Trust,
}

/// How much a text may be believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// An agent could have written it: it is data, and an instruction in it is none.
    #[default]
    Untrusted,
    /// provost or the task's author wrote it.
    Trusted,
}

impl Excerpt {
    /// The start of a text, at most so many bytes, cut between characters.
    pub fn head(text: &str, max_bytes: usize) -> Self {
        Self::part(text, &text[..text.floor_char_boundary(max_bytes)])
    }

    /// The end of a text, at most so many bytes, cut between characters.
    pub fn tail(text: &str, max_bytes: usize) -> Self {
        let start = text.ceil_char_boundary(text.len().saturating_sub(max_bytes));
        Self::part(text, &text[start..])
    }

    /// The last lines of a text, at most so many, and at most so many bytes.
    pub fn last_lines(text: &str, max_lines: usize, max_bytes: usize) -> Self {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let left_out = lines.len().saturating_sub(max_lines);
        let start: usize = lines.iter().take(left_out).map(|it| it.len()).sum();
        let mut part = Self::tail(&text[start..], max_bytes);
        part.total_bytes = text.len() as u64;
        part.truncated = part.text.len() < text.len();
        part
    }

    fn part(whole: &str, part: &str) -> Self {
        Self {
            text: part.to_owned(),
            total_bytes: whole.len() as u64,
            truncated: part.len() < whole.len(),
            trust: Trust::Untrusted,
        }
    }
}

impl Record for Evidence {
    const SCHEMA: &'static str = "provost.evidence/1";
    const KEYS: &'static [&'static str] = &[
        "artifacts",
        "attempt",
        "coder_output",
        "commands",
        "created_at",
        "findings",
        "git",
        "metrics_path",
        "schema_version",
        "task_code",
        "task_id",
        "test",
        "worktree_path",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::assert_keys;

    #[test]
    fn the_keys_are_those_of_the_schema() {
        assert_keys::<Evidence>();
    }

    #[track_caller]
    fn check(part: Excerpt, text: &str, total_bytes: u64, truncated: bool) {
        let expected =
            Excerpt { text: text.to_owned(), total_bytes, truncated, trust: Trust::Untrusted };
        assert_eq!(part, expected);
    }

    #[test]
    fn an_excerpt_is_cut_between_characters() {
        check(Excerpt::head("abc", 3), "abc", 3, false);
        check(Excerpt::head("abc", 2), "ab", 3, true);
        check(Excerpt::head("中文", 5), "中", 6, true);
        check(Excerpt::tail("abc", 3), "abc", 3, false);
        check(Excerpt::tail("abc", 9), "abc", 3, false);
        check(Excerpt::tail("中文", 5), "文", 6, true);
        check(Excerpt::tail("abc", 0), "", 3, true);
        check(Excerpt::head("", 0), "", 0, false);
    }

    #[test]
    fn the_last_lines_are_the_last_lines() {
        check(Excerpt::last_lines("a\nb\nc\n", 2, 100), "b\nc\n", 6, true);
        check(Excerpt::last_lines("a\nb\nc", 2, 100), "b\nc", 5, true);
        check(Excerpt::last_lines("a\nb\nc\n", 3, 100), "a\nb\nc\n", 6, false);
        check(Excerpt::last_lines("a\nb\nc\n", 9, 100), "a\nb\nc\n", 6, false);
        check(Excerpt::last_lines("a\nb\nccc", 2, 3), "ccc", 7, true);
        check(Excerpt::last_lines("", 2, 3), "", 0, false);
        check(Excerpt::last_lines("a\nb\n", 0, 100), "", 4, true);
    }
}
