//! Events become rows: each once, in order, in one transaction.
//!
//! Every event that can be read can be applied. One that is about an execution or a story that is
//! not there changes nothing, and is remembered as ignored; so a log never stops being an index.

mod plan;
mod runs;

use std::collections::BTreeMap;

use provost_kernel::{
    Digest, Timestamp,
    story::{
        ClaimResult, Declared, EventBody, Execution, ExecutionChange, ExecutionId, GateRun,
        Replanned, Story, StoryEvent, StoryId, StoryOutcome, StoryState, Updated, Waived,
    },
};
use rusqlite::{OptionalExtension as _, Transaction, params};

use crate::{
    Action, Store, StoreError,
    error::Context,
    row::{self, text},
};

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It changed rows.
    Done,
    /// It is about something that is not there.
    Ignored,
    /// It was applied before, and nothing was written now.
    Already,
}

/// Why an index was not made again.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum RebuildError<E: std::error::Error + 'static> {
    /// An event could not be read.
    Log(E),
    Store(StoreError),
}

/// What the rows of one event are about.
struct Fold<'a> {
    transaction: &'a Transaction<'a>,
    seq: i64,
    at: Timestamp,
    execution_id: &'a ExecutionId,
}

/// Whether there was something to change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reached {
    Yes,
    No,
}

impl Store {
    /// Applies the next event. The same one again changes nothing; one that is not the next is
    /// refused, and so is another one under a number that is taken.
    pub fn apply(&mut self, event: &StoryEvent) -> Result<Applied, StoreError> {
        let context = self.context(Action::Write);
        let transaction = self.connection.transaction().map_err(|it| context.fail(it))?;
        let applied = apply(&transaction, event, &context)?;
        transaction.commit().map_err(|it| context.fail(it))?;
        Ok(applied)
    }

    /// Makes the index again from all events: as a whole, or not at all. A reader sees the old
    /// rows or the new ones. The answer is the number of events.
    pub fn rebuild<E: std::error::Error + 'static>(
        &mut self,
        events: impl IntoIterator<Item = Result<StoryEvent, E>>,
    ) -> Result<u64, RebuildError<E>> {
        let context = self.context(Action::Write);
        let fail = |it| RebuildError::Store(context.fail(it));
        let transaction = self.connection.transaction().map_err(fail)?;
        transaction
            .execute_batch(
                "DELETE FROM attempts; DELETE FROM declarations; DELETE FROM acceptance_criteria;
                 DELETE FROM gate_runs; DELETE FROM base_runs; DELETE FROM waivers;
                 DELETE FROM test_leave; DELETE FROM events_applied;
                 DELETE FROM user_stories WHERE executionId IN (SELECT id FROM executions);
                 DELETE FROM executions;",
            )
            .map_err(fail)?;
        let mut n_events = 0;
        for event in events {
            let event = event.map_err(RebuildError::Log)?;
            apply(&transaction, &event, &context).map_err(RebuildError::Store)?;
            n_events += 1;
        }
        transaction.commit().map_err(fail)?;
        Ok(n_events)
    }
}

fn apply(
    transaction: &Transaction<'_>,
    event: &StoryEvent,
    context: &Context,
) -> Result<Applied, StoreError> {
    let fail = |it| context.fail(it);
    let number = |it: u64| i64::try_from(it).map_err(|_| context.corrupt(format!("no event {it}")));
    let digest = event.digest().map_err(|source| StoreError::Event { seq: event.seq, source })?;
    let seq = number(event.seq)?;
    let known: Option<String> = transaction
        .prepare_cached("SELECT digest FROM events_applied WHERE seq = ?1")
        .and_then(|mut it| it.query_row([seq], |row| row.get(0)).optional())
        .map_err(fail)?;
    if let Some(known) = known {
        return if known == digest.to_string() {
            Ok(Applied::Already)
        } else {
            Err(StoreError::OtherLog { path: context.path().to_owned(), seq: event.seq })
        };
    }
    let last: i64 = transaction
        .prepare_cached("SELECT coalesce(max(seq), 0) FROM events_applied")
        .and_then(|mut it| it.query_row([], |row| row.get(0)))
        .map_err(fail)?;
    if seq != last + 1 {
        let expected = u64::try_from(last + 1).unwrap_or_default();
        return Err(StoreError::Gap { expected, found: event.seq });
    }
    let fold = Fold { transaction, seq, at: event.at, execution_id: &event.execution_id };
    let reached = fold.event(event, context)?;
    transaction
        .prepare_cached(
            "INSERT INTO events_applied (seq, kind, digest, isIgnored) VALUES (?1, ?2, ?3, ?4)",
        )
        .and_then(|mut it| {
            let kind = event.body.kind().as_str();
            it.execute(params![seq, kind, digest.to_string(), reached == Reached::No])
        })
        .map_err(fail)?;
    Ok(match reached {
        Reached::Yes => Applied::Done,
        Reached::No => Applied::Ignored,
    })
}

impl Fold<'_> {
    fn event(&self, event: &StoryEvent, context: &Context) -> Result<Reached, StoreError> {
        let execution = self.execution(context)?;
        let fail = |it| context.fail(it);
        // A beginning is for an execution that is new; everything else is for one that is not.
        let (mut execution, story) = match (&event.body, execution, &event.story_id) {
            (EventBody::Started(started), None, _) => {
                self.begin(&started.execution).map_err(fail)?;
                for story in &started.stories {
                    self.put_story(&fresh(story)).map_err(fail)?;
                }
                self.put_bases(&started.bases).map_err(fail)?;
                return Ok(Reached::Yes);
            }
            (EventBody::Imported(imported), None, _) => {
                self.begin(&imported.execution).map_err(fail)?;
                for state in &imported.stories {
                    self.put_story(state).map_err(fail)?;
                }
                return Ok(Reached::Yes);
            }
            (EventBody::Started(_) | EventBody::Imported(_), Some(_), _) | (_, None, _) => {
                return Ok(Reached::No);
            }
            (_, Some(execution), story) => (execution, story),
        };
        let story = match story {
            Some(id) => match self.find_story(id).map_err(fail)? {
                Some(found) => Some(found),
                None => return Ok(Reached::No),
            },
            None => None,
        };
        match (&event.body, story) {
            (EventBody::Declared(declared), Some(story)) => {
                self.declare(&story, declared).map_err(fail)?;
            }
            (EventBody::Updated(updated), Some(story)) => {
                self.update(&story, updated).map_err(fail)?;
                change(&mut execution, &updated.change);
            }
            (EventBody::Verified(verified), Some(story)) => {
                self.look(&story, &verified.outcome, None).map_err(fail)?;
                change(&mut execution, &verified.change);
            }
            (EventBody::Waived(waived), Some(story)) => {
                self.waive(&story, waived).map_err(fail)?;
            }
            (EventBody::Changed(it), _) => change(&mut execution, it),
            (EventBody::Rebased(rebased), _) => {
                execution.base_commit_sha = Some(rebased.base.clone());
                execution.rebased.clone_from(&rebased.results);
                self.forget_trees(context)?;
            }
            (EventBody::Replanned(replanned), _) => {
                self.replan(&mut execution, replanned).map_err(fail)?;
            }
            // What is about one story names it, which its reader has checked; and a beginning was
            // dealt with above.
            (
                EventBody::Declared(_)
                | EventBody::Updated(_)
                | EventBody::Verified(_)
                | EventBody::Waived(_),
                None,
            )
            | (EventBody::Started(_) | EventBody::Imported(_), _) => return Ok(Reached::No),
        }
        execution.updated_at = self.at;
        self.save(&execution).map_err(fail)?;
        Ok(Reached::Yes)
    }

    fn execution(&self, context: &Context) -> Result<Option<Execution>, StoreError> {
        let record: Option<String> = self
            .transaction
            .prepare_cached("SELECT record FROM executions WHERE id = ?1")
            .and_then(|mut it| {
                it.query_row([self.execution_id.as_str()], |row| row.get(0)).optional()
            })
            .map_err(|it| context.fail(it))?;
        record.map(|it| row::execution(&it, context)).transpose()
    }

    fn begin(&self, execution: &Execution) -> rusqlite::Result<usize> {
        self.transaction
            .prepare_cached("INSERT INTO executions (id, record, lastSeq) VALUES (?1, ?2, ?3)")?
            .execute(params![execution.id.as_str(), text(execution)?, self.seq])
    }

    fn save(&self, execution: &Execution) -> rusqlite::Result<usize> {
        self.transaction
            .prepare_cached("UPDATE executions SET record = ?2, lastSeq = ?3 WHERE id = ?1")?
            .execute(params![execution.id.as_str(), text(execution)?, self.seq])
    }

    /// The id of a story as its row has it, however the event writes its digits.
    fn find_story(&self, id: &StoryId) -> rusqlite::Result<Option<String>> {
        self.transaction
            .prepare_cached(
                "SELECT storyId FROM user_stories
                 WHERE executionId = ?1 AND CAST(substr(storyId, 4) AS INTEGER) = ?2",
            )?
            .query_row(params![self.execution_id.as_str(), id.number()], |row| row.get(0))
            .optional()
    }

    fn put_story(&self, state: &StoryState) -> rusqlite::Result<()> {
        let story = &state.story;
        let id = format!("{}:{}", self.execution_id, story.id);
        let criteria: Vec<&str> = story.criteria.iter().map(|it| it.text.as_str()).collect();
        let values = params![
            id,
            self.execution_id.as_str(),
            story.id.as_str(),
            story.title,
            story.description,
            text(&criteria)?,
            story.priority,
            state.passes,
            state.notes,
            filled(&state.ac_status)?,
            filled(&state.evidence)?,
            state.expected_files.as_ref().map(text).transpose()?,
        ];
        // A table of the older shape may have no key, so that it cannot be left to the insertion.
        let n_changed = self
            .transaction
            .prepare_cached(
                "UPDATE user_stories SET executionId = ?2, storyId = ?3, title = ?4,
                     description = ?5, acceptanceCriteria = ?6, priority = ?7, passes = ?8,
                     notes = ?9, acStatus = ?10, evidence = ?11, expectedFiles = ?12
                 WHERE id = ?1",
            )?
            .execute(values)?;
        if n_changed == 0 {
            self.transaction
                .prepare_cached(
                    "INSERT INTO user_stories (id, executionId, storyId, title, description,
                         acceptanceCriteria, priority, passes, notes, acStatus, evidence,
                         expectedFiles)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
                )?
                .execute(values)?;
        }
        self.put_leave(story)?;
        self.put_criteria(story)
    }

    fn declare(&self, story: &str, declared: &Declared) -> rusqlite::Result<()> {
        let files = text(&declared.files)?;
        self.transaction
            .prepare_cached(
                "INSERT INTO declarations
                     (seq, executionId, storyId, files, tree, isLate, reason, createdAt)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                self.seq,
                self.execution_id.as_str(),
                story,
                files,
                declared.tree.as_ref().map(|it| &it.0),
                declared.is_late,
                declared.reason,
                self.at.to_string(),
            ])?;
        self.transaction
            .prepare_cached(
                "UPDATE user_stories SET expectedFiles = ?3 WHERE executionId = ?1 AND storyId = ?2",
            )?
            .execute(params![self.execution_id.as_str(), story, files])?;
        Ok(())
    }

    fn waive(&self, story: &str, waived: &Waived) -> rusqlite::Result<()> {
        self.transaction
            .prepare_cached(
                "INSERT INTO waivers
                     (seq, executionId, storyId, ordinal, digest, reason, actor, createdAt)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                self.seq,
                self.execution_id.as_str(),
                story,
                waived.criterion.get(),
                waived.digest.to_string(),
                waived.reason,
                waived.actor.to_string(),
                self.at.to_string(),
            ])?;
        Ok(())
    }

    fn update(&self, story: &str, updated: &Updated) -> rusqlite::Result<()> {
        if let Some(declared) = &updated.declared {
            self.declare(story, declared)?;
        }
        let outcome = &updated.outcome;
        let n_criteria: usize = self
            .transaction
            .prepare_cached(
                "SELECT json_array_length(acceptanceCriteria) FROM user_stories
                 WHERE executionId = ?1 AND storyId = ?2",
            )?
            .query_row([self.execution_id.as_str(), story], |row| row.get(0))?;
        let n_passing = outcome.ac_status.values().filter(|it| it.passes).count();
        let is_accepted = updated.result == ClaimResult::Accept;
        let codes: Vec<&str> = outcome.findings.iter().map(|it| it.rule.as_ref()).collect();
        self.transaction
            .prepare_cached(
                "INSERT INTO attempts (seq, executionId, storyId, claimed, tree, result, passes,
                     originalPasses, isComplete, codes, createdAt)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            )?
            .execute(params![
                self.seq,
                self.execution_id.as_str(),
                story,
                text(&updated.claimed)?,
                outcome.tree.as_ref().map(|it| &it.0),
                updated.result.as_str(),
                is_accepted && outcome.passes,
                updated.original_passes,
                is_accepted && n_criteria > 0 && n_passing == n_criteria,
                text(&codes)?,
                self.at.to_string(),
            ])?;
        if is_accepted {
            self.look(story, outcome, updated.notes.as_deref())
        } else {
            self.put_runs(outcome)
        }
    }

    /// Writes what a look at a story came to; notes that were not given stay as they were.
    fn look(
        &self,
        story: &str,
        outcome: &StoryOutcome,
        notes: Option<&str>,
    ) -> rusqlite::Result<()> {
        self.transaction
            .prepare_cached(
                "UPDATE user_stories SET passes = ?3, acStatus = ?4, evidence = ?5,
                     notes = coalesce(?6, notes)
                 WHERE executionId = ?1 AND storyId = ?2",
            )?
            .execute(params![
                self.execution_id.as_str(),
                story,
                outcome.passes,
                filled(&outcome.ac_status)?,
                filled(&outcome.evidence)?,
                notes,
            ])?;
        self.put_runs(outcome)
    }

    fn replan(&self, execution: &mut Execution, replanned: &Replanned) -> rusqlite::Result<()> {
        execution.plan_digest = replanned.plan_digest.or(execution.plan_digest);
        let known: Vec<&str> = replanned.stories.iter().map(|it| it.story.id.as_str()).collect();
        let gone = "executionId = ?1 AND storyId NOT IN (SELECT value FROM json_each(?2))";
        for table in ["user_stories", "acceptance_criteria"] {
            self.transaction.execute(
                &format!("DELETE FROM {table} WHERE {gone}"),
                params![execution.id.as_str(), text(&known)?],
            )?;
        }
        replanned.stories.iter().try_for_each(|it| self.put_story(it))
    }
}

/// The gate and the digest of its command: with the tree, what a run is found by.
pub(crate) fn gate_key(run: &GateRun) -> (String, String) {
    let result = &run.result;
    let name = if result.name.is_empty() { result.kind.as_str() } else { &result.name };
    let command = result.command.as_deref().unwrap_or_default();
    (name.to_owned(), Digest::of_bytes(command.as_bytes()).to_string())
}

fn fresh(story: &Story) -> StoryState {
    StoryState {
        story: story.clone(),
        passes: false,
        notes: String::new(),
        ac_status: BTreeMap::new(),
        evidence: BTreeMap::new(),
        expected_files: None,
    }
}

fn change(execution: &mut Execution, change: &ExecutionChange) {
    if let Some(status) = change.status {
        execution.status = status;
        execution.status_reason.clone_from(&change.reason);
    }
    if let Some(agent) = &change.agent_task_id {
        execution.agent_task_id = Some(agent.clone());
    }
    if let Some(path) = &change.worktree_path {
        execution.worktree_path = Some(path.clone());
    }
    if let Some(progress) = &change.progress {
        execution.progress = progress.clone();
    }
    if let Some(is_archived) = change.is_archived {
        execution.is_archived = is_archived;
    }
}

/// A map as the text of a column; none if nothing is in it.
fn filled<K: serde::Serialize, V: serde::Serialize>(
    map: &BTreeMap<K, V>,
) -> rusqlite::Result<Option<String>> {
    if map.is_empty() { Ok(None) } else { text(map).map(Some) }
}
