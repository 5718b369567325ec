//! The tables, and how an older database becomes this one.
//!
//! `user_stories` has the original's columns under the original's names, and the three that the
//! seed adds to them (STORY-2.1). A database that has the older table, with or without the three,
//! keeps its rows. What lies in it that no log tells of is found by `legacy`.

use rusqlite::{Connection, Transaction};
use rusqlite_migration::{HookResult, M, Migrations};

use crate::error::{Action, Context, StoreError};

/// The tables of the first version; those that are there already stay.
const TABLES: &str = "
CREATE TABLE IF NOT EXISTS user_stories (
    id TEXT PRIMARY KEY,
    executionId TEXT NOT NULL,
    storyId TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    acceptanceCriteria TEXT NOT NULL,
    priority INTEGER NOT NULL,
    passes INTEGER NOT NULL,
    notes TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS user_stories_by_execution ON user_stories (executionId);
CREATE INDEX IF NOT EXISTS user_stories_by_id ON user_stories (id);

CREATE TABLE IF NOT EXISTS executions (
    id TEXT PRIMARY KEY,
    record TEXT NOT NULL CHECK (json_valid(record)),
    branch TEXT NOT NULL AS (record ->> '$.branch') VIRTUAL,
    project TEXT NOT NULL AS (record ->> '$.project') VIRTUAL,
    status TEXT NOT NULL AS (record ->> '$.status') VIRTUAL,
    isArchived INTEGER NOT NULL AS (record ->> '$.isArchived') VIRTUAL,
    lastSeq INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS executions_by_branch ON executions (branch);
CREATE INDEX IF NOT EXISTS executions_by_seq ON executions (isArchived, lastSeq);

CREATE TABLE IF NOT EXISTS acceptance_criteria (
    executionId TEXT NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
    storyId TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    text TEXT NOT NULL,
    digest TEXT NOT NULL,
    verify TEXT,
    PRIMARY KEY (executionId, storyId, ordinal)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS attempts (
    seq INTEGER PRIMARY KEY,
    executionId TEXT NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
    storyId TEXT NOT NULL,
    claimed TEXT NOT NULL,
    tree TEXT,
    result TEXT NOT NULL,
    passes INTEGER NOT NULL,
    originalPasses INTEGER NOT NULL,
    isComplete INTEGER NOT NULL,
    codes TEXT NOT NULL,
    createdAt TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS attempts_by_story ON attempts (executionId, storyId, seq);

CREATE TABLE IF NOT EXISTS declarations (
    seq INTEGER PRIMARY KEY,
    executionId TEXT NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
    storyId TEXT NOT NULL,
    files TEXT NOT NULL,
    tree TEXT,
    isLate INTEGER NOT NULL,
    reason TEXT,
    createdAt TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS declarations_by_story ON declarations (executionId, storyId, seq);

CREATE TABLE IF NOT EXISTS gate_runs (
    tree TEXT NOT NULL,
    gate TEXT NOT NULL,
    commandDigest TEXT NOT NULL,
    record TEXT NOT NULL CHECK (json_valid(record)),
    seq INTEGER NOT NULL,
    PRIMARY KEY (tree, gate, commandDigest)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS events_applied (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    digest TEXT NOT NULL,
    isIgnored INTEGER NOT NULL
);
";

/// The table of the second version.
const WAIVERS: &str = "
CREATE TABLE IF NOT EXISTS waivers (
    seq INTEGER PRIMARY KEY,
    executionId TEXT NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
    storyId TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    digest TEXT NOT NULL,
    reason TEXT NOT NULL,
    actor TEXT NOT NULL,
    createdAt TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS waivers_by_story ON waivers (executionId, storyId, seq);
";

/// The table of the sixth version: which tests the work on a story may change.
const LEAVE: &str = "
CREATE TABLE IF NOT EXISTS test_leave (
    executionId TEXT NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
    storyId TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (executionId, storyId, ordinal)
) WITHOUT ROWID;
";

/// The table of the seventh version: how commands came out on the base.
const BASES: &str = "
CREATE TABLE IF NOT EXISTS base_runs (
    key TEXT PRIMARY KEY,
    record TEXT NOT NULL CHECK (json_valid(record)),
    seq INTEGER NOT NULL
) WITHOUT ROWID;
";

/// The columns that the seed adds to `user_stories`, each a text that holds JSON.
const SEED_COLUMNS: [&str; 3] = ["acStatus", "evidence", "expectedFiles"];

fn migrations() -> Migrations<'static> {
    Migrations::new(vec![
        M::up_with_hook("", move_older_executions),
        M::up(TABLES),
        M::up_with_hook("", add_seed_columns).comment("STORY-2.1"),
        M::up(WAIVERS),
        M::up_with_hook("", add_need).comment("PROOF-5"),
        M::up(LEAVE).comment("PROOF-6"),
        M::up(BASES),
    ])
}

/// The newest format that this version knows.
const KNOWN: i64 = 7;

/// Gives another program's table of the same name another one; nothing in it is touched.
fn move_older_executions(transaction: &Transaction<'_>) -> HookResult {
    let n_foreign: i64 = transaction.query_row(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'executions'
         AND NOT EXISTS
             (SELECT 1 FROM pragma_table_info('executions') WHERE name = 'lastSeq')",
        [],
        |row| row.get(0),
    )?;
    if n_foreign > 0 {
        transaction.execute_batch("ALTER TABLE executions RENAME TO executions_before_provost")?;
    }
    Ok(())
}

/// Adds how strong the proof of a criterion has to be.
fn add_need(transaction: &Transaction<'_>) -> HookResult {
    add_column(transaction, "acceptance_criteria", "need")
}

/// Adds the three columns where they are missing: somebody may have run the seed's own statements.
fn add_seed_columns(transaction: &Transaction<'_>) -> HookResult {
    SEED_COLUMNS.iter().try_for_each(|it| add_column(transaction, "user_stories", it))
}

/// Adds a column of texts where it is missing.
fn add_column(transaction: &Transaction<'_>, table: &str, column: &str) -> HookResult {
    let n_found: i64 = transaction.query_row(
        "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2",
        [table, column],
        |row| row.get(0),
    )?;
    if n_found == 0 {
        transaction.execute_batch(&format!("ALTER TABLE {table} ADD COLUMN {column} TEXT"))?;
    }
    Ok(())
}

/// Refuses a database of a newer version before anything is written to it.
pub(crate) fn refuse_newer(connection: &Connection, context: &Context) -> Result<(), StoreError> {
    let found: i64 = connection
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .map_err(|it| context.fail(it))?;
    if found < 0 {
        return Err(context.corrupt(format!("its format is {found}")));
    }
    if found > KNOWN {
        return Err(StoreError::Newer { path: context.path().to_owned(), found, known: KNOWN });
    }
    Ok(())
}

/// Sets what holds for every connection.
///
/// A writer of the log has synced before it comes here, so that the index would not have to; it
/// does all the same, because a reader is told of nothing that a power cut could take back.
pub(crate) fn configure(connection: &Connection, context: &Context) -> Result<(), StoreError> {
    let fail = |it| context.fail(it);
    let mode = || connection.query_row("PRAGMA journal_mode", [], |row| row.get::<_, String>(0));
    if mode().map_err(fail)? != "wal" {
        make_wal(connection).map_err(fail)?;
    }
    connection.pragma_update(None, "synchronous", "FULL").map_err(fail)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(fail)?;
    connection.pragma_update(None, "cell_size_check", true).map_err(fail)?;
    connection.pragma_update(None, "trusted_schema", false).map_err(fail)
}

/// Turns a new database into one with a write-ahead log. `SQLite` does not wait for others
/// here, so we do.
fn make_wal(connection: &Connection) -> rusqlite::Result<()> {
    const TRIES: u32 = 500;
    let mut left = TRIES;
    loop {
        let made = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
        match made {
            Err(error)
                if left > 0
                    && error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) =>
            {
                left -= 1;
                std::thread::sleep(crate::PATIENCE / TRIES);
            }
            made => return made,
        }
    }
}

/// Brings the tables to the newest format, all of it or nothing.
pub(crate) fn migrate(connection: &mut Connection, context: &Context) -> Result<(), StoreError> {
    let found: i64 = connection
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .map_err(|it| context.fail(it))?;
    if found == KNOWN {
        return Ok(());
    }
    migrations().to_latest(connection).map_err(|error| {
        let context = Context::new(Action::Migrate, context.path());
        if let rusqlite_migration::Error::RusqliteError { err, .. } = error {
            context.fail_to_migrate(err)
        } else {
            context.corrupt(error)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_migrations_are_sound_and_the_newest_format_is_the_last_of_them() {
        migrations().validate().unwrap();
        let mut connection = Connection::open_in_memory().unwrap();
        migrations().to_latest(&mut connection).unwrap();
        let version: i64 =
            connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
        assert_eq!(version, KNOWN);
    }

    /// STORY-2.1: the columns of the original, and the three of the seed, in this order.
    #[test]
    fn the_table_has_exactly_the_columns_of_the_seed() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrations().to_latest(&mut connection).unwrap();
        let mut statement =
            connection.prepare("SELECT name, type FROM pragma_table_info('user_stories')").unwrap();
        let columns: Vec<(String, String)> = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let names: Vec<&str> = columns.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(
            names,
            [
                "id",
                "executionId",
                "storyId",
                "title",
                "description",
                "acceptanceCriteria",
                "priority",
                "passes",
                "notes",
                "acStatus",
                "evidence",
                "expectedFiles",
            ],
        );
        assert!(columns[9..].iter().all(|it| it.1 == "TEXT"), "{columns:?}");
    }
}
