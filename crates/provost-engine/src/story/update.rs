//! An update: parsed, held against the story, measured, proven, judged and recorded.

use provost_kernel::{
    Finding, Severity,
    story::{
        ClaimResult, Declaration, Declared, EventBody, ExecutionChange, StoryName, StoryOutcome,
        StoryUpdate, Updated,
    },
};
use provost_rules_story::{
    declaration,
    evidence::with_commands_of_plan,
    scope::{self, Said},
    update as form, work,
};
use provost_vault::story::NewEvent;
use serde_json::Value;

use super::{
    StoryError,
    find::{History, find},
    gather::{Again, Gathered, Subject, gather},
    look::{Look, Ours},
    record::{Answer, Facts, Occasion, record},
    trail,
    verify::others,
};
use crate::{Engine, surroundings::redact_json};

/// How much of what is no update is kept.
const KEPT: usize = 4000;

/// Takes an update. The name, where there is one, says which story it must be about.
pub fn update(
    engine: &Engine<'_>,
    name: Option<&StoryName>,
    bytes: &[u8],
) -> Result<Answer, StoryError> {
    let clean = redact_json(bytes);
    // What repeats a key shows it only as it was sent; what is kept has no secret in it.
    let update = match form::parse(bytes).and_then(|_| form::parse(&clean)) {
        Ok(update) => update,
        Err(error) => return refuse(engine, name, &clean, error.findings()),
    };
    let wanted = StoryName {
        of: name.and_then(|it| it.of.clone()).or_else(|| update.branch.clone()),
        story: name.map_or_else(|| update.story_id.clone(), |it| it.story.clone()),
    };
    let stories = engine.desk.stories()?;
    let (execution, row) = find(&stories, &wanted)?;
    if let Some(found) = update.branch.as_ref().filter(|it| **it != execution.branch.as_str()) {
        let expected = execution.branch;
        return Err(StoryError::OtherBranch { found: found.clone(), expected });
    }
    let exact = StoryName { of: Some(execution.id.to_string()), story: row.story_id.clone() };
    let story = row.story();
    let update = with_commands_of_plan(&story, &update);
    let claimed = serde_json::from_slice(&clean).unwrap_or(Value::Null);
    let occasion = Occasion::Update(claimed);
    let history = History::of(&stories, &execution, &row)?;

    let Some(base) = history.base(&engine.git(), &execution)? else {
        return record(engine, &exact, &update, &occasion, Facts::unmeasured());
    };
    // Neither the plan nor the update itself is work, wherever somebody put their files.
    let ours = Ours::of(&execution, &history).with(bytes);
    let look = Look::take(engine, &execution, &base, &ours)?;
    // One that comes with an update counts if it is the first.
    let is_first = history.declarations.is_empty();
    let declared = match declaration_of(&update, &look) {
        Ok(declared) => declared.filter(|_| is_first),
        Err(finding) if is_first => {
            return refuse(engine, Some(&exact), &clean, vec![finding]);
        }
        Err(_) => None,
    };
    let mut facts = measure(engine, &look, &history, &update, declared);
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
        facts.gathered = gather(engine, &stories, &look, subject)?;
    }
    drop(stories);
    let broken = others(engine, &execution, &row, &update, &facts)?;
    Ok(record(engine, &exact, &update, &occasion, facts)?.with(broken))
}

/// The answer to what is no update and names no story that is known; none if it has the form of
/// one.
pub fn unreadable(bytes: &[u8]) -> Option<Answer> {
    let error = form::parse(bytes).err()?;
    Some(Answer::refused(None, error.findings()))
}

/// Measures the change, and holds it against what was declared and explained.
pub(super) fn measure<'a>(
    engine: &Engine<'_>,
    look: &'a Look,
    history: &History,
    update: &StoryUpdate,
    declared: Option<Declared>,
) -> Facts<'a> {
    let limits = engine.settings.limits;
    let standing = match &declared {
        Some(it) => Some(Declaration { files: it.files.clone(), is_late: it.is_late }),
        None => work::declaration(&history.declarations),
    };
    // Whoever claims something without ever declaring a file has declared none.
    let is_silent = standing.is_none() && update.claims_something();
    let standing =
        standing.or_else(|| is_silent.then(|| Declaration { files: Vec::new(), is_late: false }));
    let said = Said { declared: standing.as_ref(), explained: &update.explanations };
    let report = scope::reconcile(&look.deltas, said, &look.base, limits);
    let mut scope_findings = report.findings.clone();
    if is_silent && report.files > 0 {
        scope_findings.push(work::undeclared());
    }
    Facts {
        look: Some(look),
        scope: scope::outcome(&report),
        report: Some(report),
        scope_findings,
        gathered: Gathered::default(),
        declared,
    }
}

/// The declaration that comes with an update.
pub(super) fn declaration_of(
    update: &StoryUpdate,
    look: &Look,
) -> Result<Option<Declared>, Finding> {
    let Some(files) = &update.expected_files else { return Ok(None) };
    let parsed = declaration::parse(files.iter().map(String::as_str))
        .map_err(|it| Finding::new("DECLARATION_INVALID", Severity::P0, "/expectedFiles", &it))?;
    let (tree, is_late) = (Some(look.tree.clone()), !look.deltas.is_empty());
    Ok(Some(Declared { files: parsed.files, tree, is_late, reason: None }))
}

/// Refuses what is no update, and keeps that it came where it is known for which story.
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
