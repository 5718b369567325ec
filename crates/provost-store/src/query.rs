//! What people and agents ask: how far everything is, and everything about one story.

use std::collections::BTreeMap;

use provost_kernel::story::{
    AttemptRecord, BaseRun, BranchName, ClaimResult, CriterionIdError, DeclarationRecord,
    Execution, ExecutionId, ExecutionSummary, FirstSubmissions, GateRun, StoryCount, StoryId,
    StoryName, StoryRow, TreeId, WaiverRecord,
};
use provost_kernel::{Digest, TimestampError};
use rusqlite::{OptionalExtension as _, Params, Row, params};

use crate::{
    Action, Store, StoreError,
    row::{self, RawStory, STORY_COLUMNS},
};

/// Which executions are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// What is going on.
    Active,
    /// What is history: the newest of it.
    Archived { limit: u32 },
}

/// What a name of a story leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    One(Box<(Execution, StoryRow)>),
    /// More than one execution has it: the names that lead to one each, in order.
    Ambiguous(Vec<String>),
    /// None has it: the names of those that there are, in order.
    Missing(Vec<String>),
}

impl Listed {
    fn is_archived(self) -> bool {
        matches!(self, Self::Archived { .. })
    }

    /// How many at most; below zero, `SQLite` lists all.
    fn limit(self) -> i64 {
        match self {
            Self::Active => -1,
            Self::Archived { limit } => i64::from(limit),
        }
    }
}

impl Store {
    /// Executions with how far their stories are, the one that changed last first: one query for
    /// all executions and one for all their stories, however many there are.
    pub fn executions(&self, listed: Listed) -> Result<Vec<ExecutionSummary>, StoreError> {
        let context = self.context(Action::Read);
        // Both see the same rows: what another process commits between them comes later.
        let snapshot = self.connection.unchecked_transaction().map_err(|it| context.fail(it))?;
        let executions = self.records(listed)?;
        let counts = self.counts(
            "executionId IN (SELECT id FROM executions WHERE isArchived = ?1
                             ORDER BY lastSeq DESC LIMIT ?2)",
            params![listed.is_archived(), listed.limit()],
        )?;
        drop(snapshot);

        let mut stories: BTreeMap<String, Vec<StoryCount>> = BTreeMap::new();
        for (execution, count) in counts {
            stories.entry(execution).or_default().push(count);
        }
        let summary = |execution: Execution| {
            let stories = stories.remove(execution.id.as_str()).unwrap_or_default();
            ExecutionSummary { execution, stories }
        };
        Ok(executions.into_iter().map(summary).collect())
    }

    /// Executions without their stories, the one that changed last first.
    pub fn records(&self, listed: Listed) -> Result<Vec<Execution>, StoreError> {
        self.records_where(
            "isArchived = ?1 ORDER BY lastSeq DESC LIMIT ?2",
            params![listed.is_archived(), listed.limit()],
        )
    }

    fn records_where(
        &self,
        condition: &str,
        values: impl Params,
    ) -> Result<Vec<Execution>, StoreError> {
        let context = self.context(Action::Read);
        let records: Vec<String> = self
            .connection
            .prepare_cached(&format!("SELECT record FROM executions WHERE {condition}"))
            .and_then(|mut it| it.query_map(values, |row| row.get(0))?.collect())
            .map_err(|it| context.fail(it))?;
        records.iter().map(|it| row::execution(it, &context)).collect()
    }

    /// How far the stories of an execution are, in their order.
    pub fn story_counts(&self, id: &ExecutionId) -> Result<Vec<StoryCount>, StoreError> {
        let counts = self.counts("executionId = ?1", [id.as_str()])?;
        Ok(counts.into_iter().map(|it| it.1).collect())
    }

    /// How far stories are, each with its execution.
    fn counts(
        &self,
        condition: &str,
        values: impl Params,
    ) -> Result<Vec<(String, StoryCount)>, StoreError> {
        type Raw = (String, String, String, bool, u32, u32);
        let context = self.context(Action::Read);
        let read = |row: &Row<'_>| -> rusqlite::Result<Raw> {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
        };
        let sql = format!(
            "SELECT executionId, storyId, title, passes,
                 (SELECT count(*) FROM json_each(acStatus) WHERE value ->> '$.passes' = 1),
                 json_array_length(acceptanceCriteria)
             FROM user_stories WHERE {condition} ORDER BY priority, rowid",
        );
        let found: Vec<Raw> = self
            .connection
            .prepare_cached(&sql)
            .and_then(|mut it| it.query_map(values, read)?.collect())
            .map_err(|it| context.fail(it))?;
        let understand = |(execution, story_id, title, passes, passing, total): Raw| {
            let story_id: StoryId = story_id.parse().map_err(|it| context.corrupt(it))?;
            Ok((execution, StoryCount { story_id, title, passes, passing, total }))
        };
        found.into_iter().map(understand).collect()
    }

    pub fn execution(&self, id: &ExecutionId) -> Result<Option<Execution>, StoreError> {
        self.one_execution("SELECT record FROM executions WHERE id = ?1", id.as_str())
    }

    /// The execution of a branch: the one that is going on, else the newest of history.
    pub fn execution_of_branch(
        &self,
        branch: &BranchName,
    ) -> Result<Option<Execution>, StoreError> {
        self.one_execution(
            "SELECT record FROM executions WHERE branch = ?1
             ORDER BY isArchived, lastSeq DESC LIMIT 1",
            branch.as_str(),
        )
    }

    fn one_execution(&self, sql: &str, key: &str) -> Result<Option<Execution>, StoreError> {
        let context = self.context(Action::Read);
        let record: Option<String> = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut it| it.query_row([key], |row| row.get(0)).optional())
            .map_err(|it| context.fail(it))?;
        record.map(|it| row::execution(&it, &context)).transpose()
    }

    /// The stories of an execution, in their order (STORY-2.4).
    pub fn stories(&self, id: &ExecutionId) -> Result<Vec<StoryRow>, StoreError> {
        let context = self.context(Action::Read);
        let sql = format!(
            "SELECT {STORY_COLUMNS} FROM user_stories WHERE executionId = ?1
             ORDER BY priority, rowid",
        );
        let found: Vec<RawStory> = self
            .connection
            .prepare_cached(&sql)
            .and_then(|mut it| it.query_map([id.as_str()], RawStory::read)?.collect())
            .map_err(|it| context.fail(it))?;
        found.into_iter().map(|it| it.finish(&self.connection, &context)).collect()
    }

    /// The story that a name leads to, among what is going on. With a branch or an execution
    /// before it, history is looked at as well.
    pub fn find_story(&self, name: &StoryName) -> Result<Found, StoreError> {
        let mut executions: Vec<Execution> = if let Some(of) = &name.of {
            self.executions_named(of)?
        } else {
            self.executions_with(&name.story)?
        };
        executions.sort_by(|a, b| a.branch.cmp(&b.branch).then_with(|| a.id.cmp(&b.id)));
        let mut found = Vec::new();
        let mut others = Vec::new();
        for execution in executions {
            for row in self.stories(&execution.id)? {
                if row.story_id.number() == name.story.number() {
                    found.push((execution.clone(), row));
                } else {
                    others.push(format!("{}:{}", execution.branch, row.story_id));
                }
            }
        }
        Ok(match found.len() {
            0 => Found::Missing(others),
            1 => Found::One(Box::new(found.remove(0))),
            _ => Found::Ambiguous(distinct_names(&found)),
        })
    }

    /// The active executions that have a story of this number; all of them if none has it, because
    /// their stories are then named.
    fn executions_with(&self, story: &StoryId) -> Result<Vec<Execution>, StoreError> {
        let found = self.records_where(
            "isArchived = 0 AND id IN (SELECT executionId FROM user_stories
                 WHERE CAST(substr(storyId, 4) AS INTEGER) = ?1)",
            [story.number()],
        )?;
        if found.is_empty() { self.records(Listed::Active) } else { Ok(found) }
    }

    fn executions_named(&self, of: &str) -> Result<Vec<Execution>, StoreError> {
        if let Ok(id) = of.parse()
            && let Some(execution) = self.execution(&id)?
        {
            return Ok(vec![execution]);
        }
        match of.parse() {
            Ok(branch) => Ok(self.execution_of_branch(&branch)?.into_iter().collect()),
            Err(_) => Ok(Vec::new()),
        }
    }

    /// The updates of a story, the oldest first.
    pub fn attempts(
        &self,
        execution: &ExecutionId,
        story: &StoryId,
    ) -> Result<Vec<AttemptRecord>, StoreError> {
        type Raw = (i64, String, Option<String>, String, bool, bool, bool, String, String);
        let context = self.context(Action::Read);
        let read = |row: &Row<'_>| -> rusqlite::Result<Raw> {
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
                row.get(5)?,
                row.get(6)?,
                row.get(7)?,
                row.get(8)?,
            ))
        };
        let found: Vec<Raw> = self
            .connection
            .prepare_cached(
                "SELECT seq, claimed, tree, result, passes, originalPasses, isComplete, codes,
                     createdAt
                 FROM attempts WHERE executionId = ?1 AND storyId = ?2 ORDER BY seq",
            )
            .and_then(|mut it| it.query_map([execution.as_str(), story.as_str()], read)?.collect())
            .map_err(|it| context.fail(it))?;
        let understand = |raw: Raw| {
            Ok(AttemptRecord {
                seq: raw
                    .0
                    .try_into()
                    .map_err(|it: std::num::TryFromIntError| context.corrupt(it))?,
                claimed: row::parse(&raw.1, &context)?,
                tree: raw.2.map(TreeId),
                result: raw
                    .3
                    .parse()
                    .map_err(|it: provost_kernel::WordError| context.corrupt(it))?,
                passes: raw.4,
                original_passes: raw.5,
                is_complete: raw.6,
                codes: row::parse(&raw.7, &context)?,
                created_at: raw
                    .8
                    .parse()
                    .map_err(|it: provost_kernel::TimestampError| context.corrupt(it))?,
            })
        };
        found.into_iter().map(understand).collect()
    }

    /// The declarations of a story, the oldest first.
    pub fn declarations(
        &self,
        execution: &ExecutionId,
        story: &StoryId,
    ) -> Result<Vec<DeclarationRecord>, StoreError> {
        type Raw = (i64, String, Option<String>, bool, Option<String>, String);
        let context = self.context(Action::Read);
        let read = |row: &Row<'_>| -> rusqlite::Result<Raw> {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
        };
        let found: Vec<Raw> = self
            .connection
            .prepare_cached(
                "SELECT seq, files, tree, isLate, reason, createdAt FROM declarations
                 WHERE executionId = ?1 AND storyId = ?2 ORDER BY seq",
            )
            .and_then(|mut it| it.query_map([execution.as_str(), story.as_str()], read)?.collect())
            .map_err(|it| context.fail(it))?;
        let understand = |raw: Raw| {
            Ok(DeclarationRecord {
                seq: raw
                    .0
                    .try_into()
                    .map_err(|it: std::num::TryFromIntError| context.corrupt(it))?,
                files: row::parse(&raw.1, &context)?,
                tree: raw.2.map(TreeId),
                is_late: raw.3,
                reason: raw.4,
                created_at: raw
                    .5
                    .parse()
                    .map_err(|it: provost_kernel::TimestampError| context.corrupt(it))?,
            })
        };
        found.into_iter().map(understand).collect()
    }

    /// The newest run of a gate with this command on this tree.
    pub fn gate_run(
        &self,
        tree: &TreeId,
        gate: &str,
        command: &str,
    ) -> Result<Option<GateRun>, StoreError> {
        let context = self.context(Action::Read);
        let digest = Digest::of_bytes(command.as_bytes()).to_string();
        let record: Option<String> = self
            .connection
            .prepare_cached(
                "SELECT record FROM gate_runs
                 WHERE tree = ?1 AND gate = ?2 AND commandDigest = ?3",
            )
            .and_then(|mut it| {
                it.query_row(params![tree.0, gate, digest], |row| row.get(0)).optional()
            })
            .map_err(|it| context.fail(it))?;
        record.map(|it| row::parse(&it, &context)).transpose()
    }

    /// How a command came out on the base, by everything that this depends on.
    pub fn base_run(&self, key: &Digest) -> Result<Option<BaseRun>, StoreError> {
        let context = self.context(Action::Read);
        let record: Option<String> = self
            .connection
            .prepare_cached("SELECT record FROM base_runs WHERE key = ?1")
            .and_then(|mut it| it.query_row([key.to_string()], |row| row.get(0)).optional())
            .map_err(|it| context.fail(it))?;
        record.map(|it| row::parse(&it, &context)).transpose()
    }

    /// What a person does without in an execution, the oldest first: the newest waiver of each
    /// criterion, if it is about the text that the criterion has now.
    pub fn waivers(&self, execution: &ExecutionId) -> Result<Vec<WaiverRecord>, StoreError> {
        type Raw = (i64, String, u16, String, String, String);
        let context = self.context(Action::Read);
        let read = |row: &Row<'_>| -> rusqlite::Result<Raw> {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
        };
        let found: Vec<Raw> = self
            .connection
            .prepare_cached(
                // With `max`, the other columns are those of the row that has it.
                "SELECT max(seq), storyId, ordinal, reason, actor, createdAt
                 FROM waivers JOIN acceptance_criteria
                     USING (executionId, storyId, ordinal, digest)
                 WHERE executionId = ?1 GROUP BY storyId, ordinal ORDER BY 1",
            )
            .and_then(|mut it| it.query_map([execution.as_str()], read)?.collect())
            .map_err(|it| context.fail(it))?;
        let understand = |(seq, story, ordinal, reason, actor, created_at): Raw| {
            Ok(WaiverRecord {
                seq: seq.try_into().map_err(|it: std::num::TryFromIntError| context.corrupt(it))?,
                story_id: story.parse().map_err(|it| context.corrupt(it))?,
                criterion: ordinal
                    .try_into()
                    .map_err(|it: CriterionIdError| context.corrupt(it))?,
                reason,
                actor,
                created_at: created_at.parse().map_err(|it: TimestampError| context.corrupt(it))?,
            })
        };
        found.into_iter().map(understand).collect()
    }

    /// How often each rule had something to say about an update that was rejected.
    pub fn rejections(&self) -> Result<BTreeMap<String, u64>, StoreError> {
        let context = self.context(Action::Read);
        let read = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, u32>(1)?.into()));
        self.connection
            .prepare_cached(
                // A rule that speaks of several files of one update counts once.
                "SELECT value, count(DISTINCT seq) FROM attempts, json_each(codes)
                 WHERE result = ?1 GROUP BY value",
            )
            .and_then(|mut it| it.query_map([ClaimResult::Reject.as_str()], read)?.collect())
            .map_err(|it| context.fail(it))
    }

    /// How many stories had complete evidence when somebody first said that they are done.
    pub fn first_submissions(&self) -> Result<FirstSubmissions, StoreError> {
        let context = self.context(Action::Read);
        let (complete, submitted): (u32, u32) = self
            .connection
            .prepare_cached(
                // With `min`, the other columns are those of the row that has it.
                "SELECT coalesce(sum(isComplete), 0), count(*) FROM (
                     SELECT isComplete, min(seq) FROM attempts WHERE originalPasses = 1
                     GROUP BY executionId, storyId)",
            )
            .and_then(|mut it| it.query_row([], |row| Ok((row.get(0)?, row.get(1)?))))
            .map_err(|it| context.fail(it))?;
        Ok(FirstSubmissions { complete: complete.into(), submitted: submitted.into() })
    }
}

/// Names that lead to one story each: by branch where that is enough, else by execution.
fn distinct_names(found: &[(Execution, StoryRow)]) -> Vec<String> {
    let name = |(execution, row): &(Execution, StoryRow)| {
        let is_alone = found.iter().filter(|it| it.0.branch == execution.branch).count() == 1;
        if is_alone {
            format!("{}:{}", execution.branch, row.story_id)
        } else {
            format!("{}:{}", execution.id, row.story_id)
        }
    };
    found.iter().map(name).collect()
}
