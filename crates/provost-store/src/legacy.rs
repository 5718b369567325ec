//! Rows that no log tells of: an older database had them before there was one.

use provost_kernel::story::LegacyStory;
use rusqlite::{Row, types::Value};

use crate::{Action, Store, StoreError};

impl Store {
    /// The rows whose execution the index does not know, in order. They stay where they are until
    /// an event in the log tells of them.
    pub fn unlogged(&self) -> Result<Vec<LegacyStory>, StoreError> {
        let context = self.context(Action::Read);
        let read = |row: &Row<'_>| {
            let text = |at: usize| row.get::<_, Value>(at).map(shown);
            Ok(LegacyStory {
                execution_id: text(0)?,
                story_id: text(1)?,
                title: text(2)?,
                description: text(3)?,
                acceptance_criteria: text(4)?,
                priority: text(5)?,
                passes: matches!(text(6)?.as_str(), "1" | "true"),
                notes: text(7)?,
                ac_status: text(8)?,
                evidence: text(9)?,
                expected_files: text(10)?,
            })
        };
        self.connection
            .prepare_cached(
                "SELECT executionId, storyId, title, description, acceptanceCriteria, priority,
                     passes, notes, acStatus, evidence, expectedFiles
                 FROM user_stories WHERE executionId NOT IN (SELECT id FROM executions)
                 ORDER BY executionId, rowid",
            )
            .and_then(|mut it| it.query_map([], read)?.collect())
            .map_err(|it| context.fail(it))
    }
}

/// Whatever stands in a column, as text; nothing is the empty text.
fn shown(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Integer(it) => it.to_string(),
        Value::Real(it) => it.to_string(),
        Value::Text(it) => it,
        Value::Blob(it) => String::from_utf8_lossy(&it).into_owned(),
    }
}
