//! An update: parsed, matched with its story, measured, proven, judged and recorded.

use provost_desk::{Desk, story::Stories};
use provost_kernel::{
    Actor, Finding,
    story::{
        ClaimResult, EventBody, Execution, ExecutionChange, StoryName, StoryOutcome, StoryRow,
        StoryUpdate, Updated,
    },
};
use provost_rules_story::{evidence::with_commands_of_plan, update as form};
use provost_vault::story::NewEvent;
use serde_json::Value;

use super::{
    StoryError,
    find::{History, find},
    gather::{Again, Subject, gather},
    measure::{declaration_of, measure},
    record::{Answer, Facts, Occasion, record},
    trail,
    verify::others,
    worktree_snapshot::{OwnFiles, WorktreeSnapshot},
};
use crate::{Engine, context::redact_json};

/// How many characters of an invalid update are kept.
const KEPT: usize = 4000;

/// Takes an update. The name, where there is one, says which story it must be about.
pub fn update(
    engine: &Engine<'_>,
    name: Option<&StoryName>,
    bytes: &[u8],
) -> Result<Answer, StoryError> {
    if let Some(answer) = note(engine.desk, engine.actor, name, bytes)? {
        return Ok(answer);
    }
    let clean = redact_json(bytes);
    let update = match parse(bytes, &clean) {
        Ok(update) => update,
        Err(error) => return refuse(engine, name, &clean, error.findings()),
    };
    let stories = engine.desk.stories()?;
    let (execution, row) = addressed(&stories, name, &update)?;
    let exact = StoryName { of: Some(execution.id.to_string()), story: row.story_id.clone() };
    let story = row.story();
    let update = with_commands_of_plan(&story, &update);
    let claimed = serde_json::from_slice(&clean).unwrap_or(Value::Null);
    let occasion = Occasion::Update(claimed);
    let history = History::of(&stories, &execution, &row)?;

    let Some(base) = history.base(&engine.git(), &execution)? else {
        return record(
            (engine.desk, engine.actor),
            &exact,
            &update,
            &occasion,
            Facts::unmeasured(),
        );
    };
    // Neither the plan nor the update itself is part of the work, wherever their files lie.
    let own = OwnFiles::of(&execution, &history).with(bytes);
    let worktree = WorktreeSnapshot::take(engine, &execution, &base, &own)?;
    // One that comes with an update counts if it is the first.
    let is_first = history.declarations.is_empty();
    let declared = match declaration_of(&update, &worktree) {
        Ok(declared) => declared.filter(|_| is_first),
        Err(finding) if is_first => {
            return refuse(engine, Some(&exact), &clean, vec![finding]);
        }
        Err(_) => None,
    };
    let mut facts = measure(engine, (&execution, &worktree), &history, &update, declared)?;
    let is_taken = facts.judge(&row, &update).result == ClaimResult::Accept;
    if is_taken && update.claims_something() {
        let subject = Subject {
            execution: &execution,
            story: &story,
            update: &update,
            kept: &row.evidence,
            again: Again::Needed,
            gates: None,
        };
        facts.gathered = gather(engine, &stories, &worktree, subject)?;
    }
    drop(stories);
    let broken = others(engine, &execution, &row, &update, &facts)?;
    Ok(record((engine.desk, engine.actor), &exact, &update, &occasion, facts)?.with(broken))
}

/// Takes a note: an update that says nothing about the work. It is recorded, and nothing is measured,
/// run or asked of git. None for any other update, also for one that cannot be read.
pub fn note(
    desk: &Desk,
    actor: &Actor,
    name: Option<&StoryName>,
    bytes: &[u8],
) -> Result<Option<Answer>, StoryError> {
    let clean = redact_json(bytes);
    let Some(update) = parse(bytes, &clean).ok().filter(StoryUpdate::is_note) else {
        return Ok(None);
    };
    let (execution, row) = addressed(&desk.stories()?, name, &update)?;
    let exact = StoryName { of: Some(execution.id.to_string()), story: row.story_id };
    let occasion = Occasion::Note(serde_json::from_slice(&clean).unwrap_or(Value::Null));
    record((desk, actor), &exact, &update, &occasion, Facts::unmeasured()).map(Some)
}

/// Reads an update. What repeats a key shows it only as it was sent; what is kept has no secret in it.
fn parse(bytes: &[u8], clean: &[u8]) -> Result<StoryUpdate, form::UpdateError> {
    form::parse(bytes).and_then(|_| form::parse(clean))
}

/// The story that an update is about.
fn addressed(
    stories: &Stories<'_>,
    name: Option<&StoryName>,
    update: &StoryUpdate,
) -> Result<(Execution, StoryRow), StoryError> {
    let wanted = StoryName {
        of: name.and_then(|it| it.of.clone()).or_else(|| update.branch.clone()),
        story: name.map_or_else(|| update.story_id.clone(), |it| it.story.clone()),
    };
    let (execution, row) = find(stories, &wanted)?;
    if let Some(found) = update.branch.as_ref().filter(|it| **it != execution.branch.as_str()) {
        let expected = execution.branch;
        return Err(StoryError::OtherBranch { found: found.clone(), expected });
    }
    Ok((execution, row))
}

/// The answer to an invalid update that names no known story; none if the update is valid.
pub fn unreadable(bytes: &[u8]) -> Option<Answer> {
    let error = form::parse(bytes).err()?;
    Some(Answer::refused(None, error.findings()))
}

/// Refuses an invalid update, and records it where its story is known.
pub(super) fn refuse(
    engine: &Engine<'_>,
    name: Option<&StoryName>,
    clean: &[u8],
    findings: Vec<Finding>,
) -> Result<Answer, StoryError> {
    let Some(name) = name else { return Ok(Answer::refused(None, findings)) };
    let mut stories = engine.desk.stories()?;
    let (execution, row) = find(&stories, name)?;
    let sent: String = String::from_utf8_lossy(clean).chars().take(KEPT).collect();
    let outcome = StoryOutcome {
        passes: row.passes,
        tree: None,
        ac_status: row.ac_status.clone(),
        evidence: row.evidence.clone(),
        findings: findings.clone(),
        gates: Vec::new(),
        bases: Vec::new(),
    };
    let updated = Updated {
        claimed: Value::String(sent),
        result: ClaimResult::Reject,
        original_passes: false,
        outcome,
        declared: None,
        notes: None,
        change: ExecutionChange::default(),
    };
    let event = stories.record(NewEvent {
        at: engine.desk.clock().now(),
        execution_id: execution.id.clone(),
        story_id: Some(row.story_id.clone()),
        body: EventBody::Updated(Box::new(updated)),
    })?;
    trail::keep(engine.desk, engine.actor, &event)?;
    Ok(Answer::refused(Some((&execution, &row)), findings))
}
