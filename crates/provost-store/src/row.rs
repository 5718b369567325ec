//! From rows to words, and back. What does not parse is corruption: no other program writes here.

use provost_kernel::{
    Digest,
    story::{AppliedEvent, Execution, ProofNeed, StoryRow},
};
use rusqlite::{Connection, Row};
use serde::{Serialize, de::DeserializeOwned};

use crate::error::{Context, StoreError};

/// The columns of `user_stories` in the order in which [`RawStory`] reads them.
pub(crate) const STORY_COLUMNS: &str = "executionId, storyId, title, description, priority, \
     passes, notes, acStatus, evidence, expectedFiles";

/// A row of `user_stories` before it is understood.
pub(crate) struct RawStory {
    execution_id: String,
    story_id: String,
    title: String,
    description: String,
    priority: u32,
    passes: bool,
    notes: String,
    ac_status: Option<String>,
    evidence: Option<String>,
    expected_files: Option<String>,
}

impl RawStory {
    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            execution_id: row.get(0)?,
            story_id: row.get(1)?,
            title: row.get(2)?,
            description: row.get(3)?,
            priority: row.get(4)?,
            passes: row.get(5)?,
            notes: row.get(6)?,
            ac_status: row.get(7)?,
            evidence: row.get(8)?,
            expected_files: row.get(9)?,
        })
    }

    pub(crate) fn finish(
        self,
        connection: &Connection,
        context: &Context,
    ) -> Result<StoryRow, StoreError> {
        let criteria = criteria(connection, &self.execution_id, &self.story_id, context)?;
        let leave = leave(connection, &self.execution_id, &self.story_id, context)?;
        Ok(StoryRow {
            execution_id: self.execution_id.parse().map_err(|it| context.corrupt(it))?,
            story_id: self.story_id.parse().map_err(|it| context.corrupt(it))?,
            title: self.title,
            description: self.description,
            acceptance_criteria: criteria,
            priority: self.priority,
            passes: self.passes,
            notes: self.notes,
            ac_status: optional(self.ac_status, context)?.unwrap_or_default(),
            evidence: optional(self.evidence, context)?.unwrap_or_default(),
            expected_files: optional(self.expected_files, context)?,
            tests_may_change: leave,
        })
    }
}

/// The tests that the work on a story may change.
fn leave(
    connection: &Connection,
    execution_id: &str,
    story_id: &str,
    context: &Context,
) -> Result<Vec<String>, StoreError> {
    connection
        .prepare_cached(
            "SELECT path FROM test_leave WHERE executionId = ?1 AND storyId = ?2 ORDER BY ordinal",
        )
        .and_then(|mut it| it.query_map([execution_id, story_id], |row| row.get(0))?.collect())
        .map_err(|it| context.fail(it))
}

fn criteria(
    connection: &Connection,
    execution_id: &str,
    story_id: &str,
    context: &Context,
) -> Result<Vec<provost_kernel::story::Criterion>, StoreError> {
    type Columns = (u16, String, String, Option<String>, Option<String>);
    let read = |row: &Row<'_>| -> rusqlite::Result<Columns> {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
    };
    let found: Vec<_> = connection
        .prepare_cached(
            "SELECT ordinal, text, digest, verify, need FROM acceptance_criteria
             WHERE executionId = ?1 AND storyId = ?2 ORDER BY ordinal",
        )
        .and_then(|mut it| it.query_map([execution_id, story_id], read)?.collect())
        .map_err(|it| context.fail(it))?;
    let understand = |(ordinal, text, digest, verify, need): Columns| {
        let need = need.map(|it| it.parse::<ProofNeed>()).transpose();
        Ok(provost_kernel::story::Criterion {
            id: ordinal
                .try_into()
                .map_err(|it: provost_kernel::story::CriterionIdError| context.corrupt(it))?,
            text,
            digest: digest
                .parse()
                .map_err(|it: provost_kernel::DigestError| context.corrupt(it))?,
            verify,
            need: need.map_err(|it| context.corrupt(it))?,
        })
    };
    found.into_iter().map(understand).collect()
}

pub(crate) fn execution(record: &str, context: &Context) -> Result<Execution, StoreError> {
    parse(record, context)
}

pub(crate) fn applied(
    seq: u64,
    digest: &str,
    context: &Context,
) -> Result<AppliedEvent, StoreError> {
    let digest: Digest = digest.parse().map_err(|it| context.corrupt(it))?;
    Ok(AppliedEvent { seq, digest })
}

pub(crate) fn parse<T: DeserializeOwned>(text: &str, context: &Context) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|it| context.corrupt(it))
}

fn optional<T: DeserializeOwned>(
    text: Option<String>,
    context: &Context,
) -> Result<Option<T>, StoreError> {
    text.map(|it| parse(&it, context)).transpose()
}

/// A value as the text of a column.
pub(crate) fn text(value: &impl Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|it| rusqlite::Error::ToSqlConversionFailure(it.into()))
}
