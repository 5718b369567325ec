//! A second look: everything that was claimed before, run again on the tree as it is now.

use std::collections::BTreeMap;

use provost_kernel::story::{ClaimResult, Explanation, ScopeOutcome, StoryName, StoryUpdate};
use provost_rules::story::update as form;

use super::{
    StoryError,
    confirm::confirm,
    find::{History, find},
    gather::{Again, Gathered, Subject, gather},
    look::{Look, Ours},
    record::{Answer, Facts, Occasion, record},
    update::measure,
};
use crate::Engine;

/// Looks again at a story. Nothing is claimed by it.
pub fn verify(engine: &Engine<'_>, name: &StoryName) -> Result<Answer, StoryError> {
    let lang = engine.desk.lang();
    let stories = engine.desk.stories()?;
    let (execution, row) = find(&stories, name)?;
    confirm(&stories, &execution, &row)?;
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
        let facts = Facts {
            look: None,
            scope: ScopeOutcome::Unverifiable,
            report: None,
            scope_findings: Vec::new(),
            gathered: Gathered::default(),
            declared: None,
        };
        return record(engine, &exact, &update, &Occasion::Look, facts);
    };
    let look = Look::take(engine, &execution, &base, &Ours::of(&execution, &history))?;
    let mut facts = measure(engine, &look, &history, &update, None);
    if facts.judge(&row, &update, lang).result == ClaimResult::Accept {
        let subject = Subject {
            execution: &execution,
            story: &story,
            update: &update,
            kept: &row.evidence,
            again: Again::Everything,
        };
        facts.gathered = gather(engine, &stories, &look, subject)?;
    }
    drop(stories);
    record(engine, &exact, &update, &Occasion::Look, facts)
}

/// What the newest update that was taken said about the change.
fn explanations(history: &History) -> Vec<Explanation> {
    let taken = history.attempts.iter().rev().filter(|it| it.result == ClaimResult::Accept);
    let read = |claimed: &serde_json::Value| form::read(claimed.as_object()?).ok();
    let mut found = taken.filter_map(|it| read(&it.claimed)).map(|it| it.explanations);
    found.find(|it| !it.is_empty()).unwrap_or_default()
}
