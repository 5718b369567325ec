//! Verification: runs everything that was claimed again, on the current tree.

use std::collections::BTreeMap;

use provost_kernel::{
    Finding,
    story::{ClaimResult, Execution, Explanation, GateRun, StoryName, StoryRow, StoryUpdate},
};
use provost_rules_story::{claim::is_known, update as form, work};

use super::{
    StoryError,
    find::{History, find},
    gather::{Again, Subject, gather},
    measure::measure,
    plan_view::is_proven,
    record::{Answer, Facts, Occasion, record},
    worktree_snapshot::{OwnFiles, WorktreeSnapshot},
};
use crate::Engine;

/// Verifies a story again, without a new claim.
pub fn verify(engine: &Engine<'_>, name: &StoryName) -> Result<Answer, StoryError> {
    look_at(engine, name, Reason::Asked)
}

/// Why a story is verified again.
#[derive(Clone, Copy)]
enum Reason<'a> {
    Asked,
    /// Another story is done on this tree, and these gates were run for it.
    OtherDone(&'a [GateRun]),
}

fn look_at(
    engine: &Engine<'_>,
    name: &StoryName,
    reason: Reason<'_>,
) -> Result<Answer, StoryError> {
    let stories = engine.desk.stories()?;
    let (execution, row) = find(&stories, name)?;
    let exact = StoryName { of: Some(execution.id.to_string()), story: row.story_id.clone() };
    let history = History::of(&stories, &execution, &row)?;
    let story = row.story();
    let update = StoryUpdate {
        story_id: row.story_id.clone(),
        branch: None,
        passes: true,
        criteria: BTreeMap::new(),
        expected_files: None,
        explanations: explanations(&history),
        gates: BTreeMap::new(),
        files_changed: None,
        notes: None,
        error: None,
        step: None,
    };
    let Some(base) = history.base(&engine.git(), &execution)? else {
        return record(
            (engine.desk, engine.actor),
            &exact,
            &update,
            &Occasion::Verification,
            Facts::unmeasured(),
        );
    };
    let worktree =
        WorktreeSnapshot::take(engine, &execution, &base, &OwnFiles::of(&execution, &history))?;
    let is_settled = matches!(reason, Reason::OtherDone(_)) || history.is_settled();
    let mut facts = if is_settled {
        Facts::settled(&worktree)
    } else {
        measure(engine, (&execution, &worktree), &history, &update, None)?
    };
    if facts.judge(&row, &update).result == ClaimResult::Accept {
        let (again, gates) = match reason {
            Reason::Asked => (Again::Everything, None),
            Reason::OtherDone(gates) => (Again::Needed, Some(gates)),
        };
        let subject = Subject {
            execution: &execution,
            story: &story,
            update: &update,
            kept: &row.evidence,
            again,
            gates,
        };
        facts.gathered = gather(engine, &stories, &worktree, subject)?;
    }
    drop(stories);
    let broken = match reason {
        Reason::Asked => others(engine, &execution, &row, &update, &facts)?,
        Reason::OtherDone(_) => Vec::new(),
    };
    Ok(record((engine.desk, engine.actor), &exact, &update, &Occasion::Verification, facts)?
        .with(broken))
}

/// Verifies the other stories when this one is about to complete the plan: a plan is complete when
/// all stories hold on one tree. Returns a finding for each that no longer does.
pub(super) fn others(
    engine: &Engine<'_>,
    execution: &Execution,
    row: &StoryRow,
    update: &StoryUpdate,
    facts: &Facts<'_>,
) -> Result<Vec<Finding>, StoryError> {
    let Some(worktree) = facts.worktree.filter(|_| facts.judge(row, update).passes) else {
        return Ok(Vec::new());
    };
    let mut rows = engine.desk.stories()?.store().stories(&execution.id)?;
    rows.retain(|it| it.story_id != row.story_id);
    if !rows.iter().all(is_proven) {
        return Ok(Vec::new());
    }
    let holds_here = |row: &StoryRow| row.evidence.values().all(|it| is_known(it, &worktree.tree));
    let mut broken = Vec::new();
    for other in rows.into_iter().filter(|it| !holds_here(it)) {
        let name = StoryName { of: Some(execution.id.to_string()), story: other.story_id.clone() };
        let answer = look_at(engine, &name, Reason::OtherDone(&facts.gathered.gates))?;
        if !answer.passes {
            broken.push(work::broken(&other.story_id, &answer.label.0));
        }
    }
    Ok(broken)
}

/// What the newest update that was taken said about the change.
fn explanations(history: &History) -> Vec<Explanation> {
    let taken = history.attempts.iter().rev().filter(|it| it.result == ClaimResult::Accept);
    let read = |claimed: &serde_json::Value| form::read(claimed.as_object()?).ok();
    let mut found = taken.filter_map(|it| read(&it.claimed)).map(|it| it.explanations);
    found.find(|it| !it.is_empty()).unwrap_or_default()
}
