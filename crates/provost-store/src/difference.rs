//! Where an index says something else than the log that it was made from.
//!
//! An index lies in a file that a program of the same person can write. Every row of it is held
//! against what the events of the log add up to.

use std::collections::BTreeSet;

use provost_kernel::story::AppliedEvent;
use rusqlite::{Connection, Transaction, TransactionBehavior, types::Value};

use crate::{
    Store, StoreError,
    error::{Action, Context},
};

/// A table, the columns that are compared, and those that say what a row is about.
struct Table {
    name: &'static str,
    columns: &'static str,
    subject: Subject,
}

/// What the first columns of a row say of whom it speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    Event,
    Execution,
    /// An execution and a story.
    Story,
}

/// The tables that somebody may read, each with the columns by which its rows are in order first.
/// What gates and commands on the base came to is asked of the log alone.
const TABLES: [Table; 8] = [
    Table {
        name: "events_applied",
        columns: "seq, digest, kind, isIgnored",
        subject: Subject::Event,
    },
    Table { name: "executions", columns: "id, record, lastSeq", subject: Subject::Execution },
    Table {
        name: "user_stories",
        columns: "executionId, storyId, id, title, description, acceptanceCriteria, priority, \
                  passes, notes, acStatus, evidence, expectedFiles",
        subject: Subject::Story,
    },
    Table {
        name: "acceptance_criteria",
        columns: "executionId, storyId, ordinal, text, digest, verify, need",
        subject: Subject::Story,
    },
    Table {
        name: "attempts",
        columns: "executionId, storyId, seq, claimed, tree, result, passes, originalPasses, \
                  isComplete, codes, createdAt",
        subject: Subject::Story,
    },
    Table {
        name: "declarations",
        columns: "executionId, storyId, seq, files, tree, isLate, reason, createdAt",
        subject: Subject::Story,
    },
    Table {
        name: "test_leave",
        columns: "executionId, storyId, ordinal, path",
        subject: Subject::Story,
    },
    Table {
        name: "waivers",
        columns: "executionId, storyId, seq, ordinal, digest, reason, actor, createdAt",
        subject: Subject::Story,
    },
];

/// The first thing of which two indexes say something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Another event has this number, or there is none.
    Event { seq: u64 },
    /// A story or an execution.
    Of(String),
}

/// An index as it is at one moment, whatever others write meanwhile.
#[derive(Debug)]
pub struct Snapshot<'a> {
    transaction: Transaction<'a>,
    context: Context,
    /// The newest event in it.
    pub last: Option<AppliedEvent>,
}

type Row = Vec<Value>;

impl Store {
    /// Holds on to the rows as they are.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        let context = self.context(Action::Read);
        // A reader blocks no writer.
        let transaction =
            Transaction::new_unchecked(&self.connection, TransactionBehavior::Deferred)
                .map_err(|it| context.fail(it))?;
        let last = self.last_applied()?;
        Ok(Snapshot { transaction, context, last })
    }
}

impl Snapshot<'_> {
    /// Holds every row against what a log adds up to. Rows of executions that no log tells of are
    /// left out: they count for nothing until they are taken over.
    pub fn difference(&self, logged: &Store) -> Result<Option<Difference>, StoreError> {
        let known: BTreeSet<String> = rows(&logged.connection, &TABLES[1], &self.context)?
            .iter()
            .map(|it| shown(it, 0))
            .collect();
        for table in &TABLES {
            let mut found = rows(&self.transaction, table, &self.context)?;
            if table.name == "user_stories" {
                found.retain(|it| known.contains(&shown(it, 0)));
            }
            let expected = rows(&logged.connection, table, &self.context)?;
            if let Some(row) = first_difference(&found, &expected) {
                return Ok(Some(about(row, table.subject)));
            }
        }
        Ok(None)
    }
}

fn rows(connection: &Connection, table: &Table, context: &Context) -> Result<Vec<Row>, StoreError> {
    let Table { name, columns, .. } = table;
    let sql = format!("SELECT {columns} FROM {name} ORDER BY 1, 2, 3");
    let n_columns = columns.split(',').count();
    connection
        .prepare_cached(&sql)
        .and_then(|mut it| {
            let read = |row: &rusqlite::Row<'_>| (0..n_columns).map(|at| row.get(at)).collect();
            it.query_map([], read)?.collect()
        })
        .map_err(|it| context.fail(it))
}

/// The first row that only one of them has.
fn first_difference<'a>(found: &'a [Row], expected: &'a [Row]) -> Option<&'a Row> {
    let n_same = found.iter().zip(expected).take_while(|(a, b)| a == b).count();
    expected.get(n_same).or_else(|| found.get(n_same))
}

fn about(row: &Row, subject: Subject) -> Difference {
    match (subject, row.first()) {
        (Subject::Event, Some(Value::Integer(seq))) => {
            Difference::Event { seq: u64::try_from(*seq).unwrap_or_default() }
        }
        (Subject::Story, _) => Difference::Of(format!("{}:{}", shown(row, 0), shown(row, 1))),
        (Subject::Execution | Subject::Event, _) => Difference::Of(shown(row, 0)),
    }
}

fn shown(row: &Row, at: usize) -> String {
    match row.get(at) {
        Some(Value::Text(it)) => it.clone(),
        Some(Value::Integer(it)) => it.to_string(),
        Some(Value::Null | Value::Real(_) | Value::Blob(_)) | None => String::new(),
    }
}
