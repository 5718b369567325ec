//! The index, held against the claims log: whatever it says was proven is on record there.
//!
//! An index lies in a file that a program of the same person can write. What a verdict is built on
//! comes from the log, and an index that says more is refused.

use std::collections::BTreeMap;

use provost_desk::story::Stories;
use provost_kernel::story::{
    AttemptRecord, ClaimResult, CriterionId, EventBody, Execution, GateOutcome, GateRun,
    KeptEvidence, StoryEvent, StoryId, StoryOutcome, StoryRow, TreeId,
};

use super::StoryError;

/// Insists that what the index knows of a story is what the log says.
pub(super) fn confirm(
    stories: &Stories<'_>,
    execution: &Execution,
    row: &StoryRow,
) -> Result<(), StoryError> {
    let mut logged = Logged::default();
    for event in stories.files().events()? {
        let event = event?;
        let is_own = event.story_id.as_ref().is_none_or(|it| *it == row.story_id);
        if event.execution_id == execution.id && is_own {
            logged.add(event);
        }
    }
    if logged.holds(row) {
        return Ok(());
    }
    Err(StoryError::IndexDiffers { story: row.story_id.clone() })
}

/// Insists that the updates by which stories are done are in the log: the next one sets out from
/// what they left behind.
pub(super) fn confirm_done(
    stories: &Stories<'_>,
    execution: &Execution,
    story: &StoryId,
    attempts: &[AttemptRecord],
) -> Result<(), StoryError> {
    let mut done: BTreeMap<u64, Option<&TreeId>> =
        attempts.iter().filter(|it| it.passes).map(|it| (it.seq, it.tree.as_ref())).collect();
    if done.is_empty() {
        return Ok(());
    }
    for event in stories.files().events()? {
        let event = event?;
        if let EventBody::Updated(it) = &event.body
            && event.execution_id == execution.id
            && it.result == ClaimResult::Accept
            && it.outcome.passes
            && done.get(&event.seq).is_some_and(|tree| *tree == it.outcome.tree.as_ref())
        {
            done.remove(&event.seq);
        }
    }
    if done.is_empty() {
        return Ok(());
    }
    Err(StoryError::IndexDiffers { story: story.clone() })
}

/// The gates that passed on a tree, as the log has them.
pub(super) fn passed(stories: &Stories<'_>, tree: &TreeId) -> Result<Vec<GateRun>, StoryError> {
    let mut passed = Vec::new();
    for event in stories.files().events()? {
        let gates = outcome(event?.body).map(|it| it.gates).unwrap_or_default();
        let is_passed = |it: &GateRun| {
            it.result.outcome == GateOutcome::Passed
                && it.result.exit_code == Some(0)
                && it.result.tree == *tree
        };
        passed.extend(gates.into_iter().filter(is_passed));
    }
    Ok(passed)
}

/// What the log says of one story.
#[derive(Debug, Default)]
struct Logged {
    evidence: BTreeMap<CriterionId, Vec<KeptEvidence>>,
    /// Whether it was done at the last look; none where something else decides it.
    passes: Option<bool>,
}

impl Logged {
    fn add(&mut self, event: StoryEvent) {
        self.passes = match &event.body {
            EventBody::Updated(it) if it.result == ClaimResult::Reject => self.passes,
            EventBody::Updated(it) => Some(it.outcome.passes),
            EventBody::Verified(it) => Some(it.outcome.passes),
            EventBody::Started(_) => Some(false),
            EventBody::Declared(_) | EventBody::Changed(_) => self.passes,
            EventBody::Replanned(_) | EventBody::Imported(_) | EventBody::Waived(_) => None,
        };
        for (id, kept) in outcome(event.body).map(|it| it.evidence).unwrap_or_default() {
            self.evidence.entry(id).or_default().push(kept);
        }
    }

    fn holds(&self, row: &StoryRow) -> bool {
        let is_known = |(id, kept): (&CriterionId, &KeptEvidence)| {
            kept.result.is_none() || self.evidence.get(id).is_some_and(|it| it.contains(kept))
        };
        row.evidence.iter().all(is_known) && self.passes.is_none_or(|it| it == row.passes)
    }
}

fn outcome(body: EventBody) -> Option<StoryOutcome> {
    match body {
        EventBody::Updated(it) => Some(it.outcome),
        EventBody::Verified(it) => Some(it.outcome),
        EventBody::Started(_)
        | EventBody::Declared(_)
        | EventBody::Changed(_)
        | EventBody::Replanned(_)
        | EventBody::Imported(_)
        | EventBody::Waived(_) => None,
    }
}
