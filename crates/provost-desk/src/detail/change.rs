//! What an attempt changed: its files by risk, each with the reason, and the hunks of one.

use provost_kernel::{AttemptNumber, TaskId, Text, task::Status};
use provost_rules_task::evidence::{Class, FileDiff, Section, hunks, mode};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Desk, DeskError, LookError};

/// The change of one attempt, what could bend a verdict first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangeView {
    pub attempt: u16,
    pub added: usize,
    pub removed: usize,
    pub files: Vec<ChangedFile>,
}

/// A file of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangedFile {
    pub path: String,
    pub class: Class,
    /// Why it could bend a verdict.
    pub risk: Option<Text>,
    /// Describes the mode of a file that is not a regular file, or whose mode changes.
    pub mode: Option<Text>,
    pub added: usize,
    pub removed: usize,
    pub is_binary: bool,
}

impl Desk {
    /// The change of an attempt; of the newest one that delivered something, unless one is named.
    pub fn change_of(
        &self,
        task: &TaskId,
        attempt: Option<AttemptNumber>,
    ) -> Result<ChangeView, DeskError> {
        let diff = self.diff(task, attempt)?;
        let files: Vec<ChangedFile> = diff.files.into_iter().map(file).collect();
        let added = files.iter().map(|it| it.added).sum();
        let removed = files.iter().map(|it| it.removed).sum();
        Ok(ChangeView { attempt: diff.attempt.get(), added, removed, files })
    }

    /// What an attempt changed in one file.
    pub fn file_diff(
        &self,
        task: &TaskId,
        attempt: AttemptNumber,
        path: &str,
    ) -> Result<FileDiff, DeskError> {
        let diff = self.diff(task, Some(attempt))?;
        let Some(section) = diff.files.iter().find(|it| it.path == path) else {
            let (task, attempt) = (task.clone(), Some(attempt.get()));
            return Err(LookError::NoChange { task, attempt }.into());
        };
        Ok(hunks(section))
    }

    /// The change of the newest attempt; none where it delivered nothing.
    pub(super) fn change_view(&self, status: &Status) -> Result<Option<ChangeView>, DeskError> {
        let Ok(attempt) = AttemptNumber::try_from(status.current_attempt) else { return Ok(None) };
        match self.change_of(&status.task_id, Some(attempt)) {
            Ok(change) => Ok(Some(change)),
            Err(DeskError::Look(LookError::NoChange { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn file(section: Section) -> ChangedFile {
    let Section { path, class, added, removed, text } = section;
    let is_binary =
        |it: &str| it.starts_with("Binary files ") || it.starts_with("GIT binary patch");
    let is_binary = text.lines().take_while(|it| !it.starts_with("@@ -")).any(is_binary);
    let (risk, mode) = (class.risk(), mode(&text));
    ChangedFile { path, class, risk, mode, added, removed, is_binary }
}
