//! A declaration: which files a story will touch, said before they are touched.

use provost_kernel::story::{Declared, EventBody, Execution, StoryName, StoryRow};
use provost_rules_story::{declaration, work};
use provost_vault::story::NewEvent;
use serde::Serialize;

use super::{
    StoryError,
    find::{History, find},
    trail,
    worktree_snapshot::{OwnFiles, WorktreeSnapshot},
};
use crate::Engine;

/// What became of a declaration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Declaring {
    pub branch: String,
    pub story_id: String,
    /// In their one form.
    pub expected_files: Vec<String>,
    /// Whether the work had begun.
    pub is_late: bool,
    /// Whether the change is compared with it: a late one does not replace an earlier one.
    pub holds: bool,
}

/// Records a declaration, and whether it came in time.
pub fn declare(
    engine: &Engine<'_>,
    name: &StoryName,
    files: &[String],
    reason: Option<String>,
) -> Result<Declaring, StoryError> {
    let declared = declaration::parse(files.iter().map(String::as_str))?;
    let mut stories = engine.desk.stories()?;
    let (execution, row) = find(&stories, name)?;
    let history = History::of(&stories, &execution, &row)?;
    let worktree = snapshot(engine, &history, &execution, &row)?;
    declaration::require_narrow(&declared, &worktree.base)?;
    let is_late = !worktree.deltas.is_empty();
    let body = Declared {
        files: declared.files.clone(),
        tree: Some(worktree.tree.clone()),
        is_late,
        reason,
    };
    let event = NewEvent {
        at: engine.desk.clock().now(),
        execution_id: execution.id.clone(),
        story_id: Some(row.story_id.clone()),
        body: EventBody::Declared(body),
    };
    trail::keep(engine.desk, engine.actor, &stories.record(event)?)?;
    let history = History::of(&stories, &execution, &row)?;
    let standing = work::declaration(&history.declarations);
    Ok(Declaring {
        branch: execution.branch.to_string(),
        story_id: row.story_id.to_string(),
        holds: standing.is_some_and(|it| it.files == declared.files),
        expected_files: declared.files,
        is_late,
    })
}

fn snapshot(
    engine: &Engine<'_>,
    history: &History,
    execution: &Execution,
    row: &StoryRow,
) -> Result<WorktreeSnapshot, StoryError> {
    let base = history.base(&engine.git(), execution)?;
    let base = base.ok_or_else(|| StoryError::NoBase { story: row.story_id.clone() })?;
    WorktreeSnapshot::take(engine, execution, &base, &OwnFiles::of(execution, history))
}
