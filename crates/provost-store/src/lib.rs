//! The index of the stories, in `SQLite`.
//!
//! Everything here can be made again from the claims log: a [`Store`] applies its events, each
//! once and in order, and answers questions about what they add up to. It decides nothing and it
//! is proof of nothing. It never removes or renames its file; that is the vault's business.

mod apply;
mod difference;
mod error;
mod legacy;
mod query;
mod row;
mod schema;

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::story::AppliedEvent;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, TransactionBehavior};

use self::error::Context;
pub use self::{
    apply::{Applied, RebuildError},
    difference::{Difference, Snapshot},
    error::{Action, StoreError},
    query::{Found, Listed},
};

/// How long somebody waits for another process that writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// An open index.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: Utf8PathBuf,
}

impl Store {
    /// Opens the index at a path, makes it if the file is empty or absent, and brings an older one
    /// to the shape of this version without losing a row.
    pub fn open(path: &Utf8Path) -> Result<Self, StoreError> {
        let context = Context::new(Action::Open, path);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let mut connection =
            Connection::open_with_flags(path, flags).map_err(|it| context.fail(it))?;
        connection.busy_timeout(PATIENCE).map_err(|it| context.fail(it))?;
        // A transaction that begins as a reader could find itself behind when it writes.
        connection.set_transaction_behavior(TransactionBehavior::Immediate);
        schema::refuse_newer(&connection, &context)?;
        schema::configure(&connection, &context)?;
        schema::migrate(&mut connection, &context)?;
        Ok(Self { connection, path: path.to_owned() })
    }

    /// An index that lies nowhere, for what a log adds up to; errors name the path.
    pub fn in_memory(path: &Utf8Path) -> Result<Self, StoreError> {
        let context = Context::new(Action::Open, path);
        let mut connection = Connection::open_in_memory().map_err(|it| context.fail(it))?;
        schema::migrate(&mut connection, &context)?;
        Ok(Self { connection, path: path.to_owned() })
    }

    /// The newest event that the index holds.
    pub fn last_applied(&self) -> Result<Option<AppliedEvent>, StoreError> {
        let context = self.context(Action::Read);
        let found: Option<(u64, String)> = self
            .connection
            .prepare_cached("SELECT seq, digest FROM events_applied ORDER BY seq DESC LIMIT 1")
            .and_then(|mut it| it.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional())
            .map_err(|it| context.fail(it))?;
        found.map(|(seq, digest)| row::applied(seq, &digest, &context)).transpose()
    }

    /// A number that changes when another connection has written.
    pub fn version(&self) -> Result<i64, StoreError> {
        let context = self.context(Action::Read);
        self.connection
            .prepare_cached("PRAGMA data_version")
            .and_then(|mut it| it.query_row([], |row| row.get(0)))
            .map_err(|it| context.fail(it))
    }

    /// Looks at every page: an error if one of them is not what it should be.
    pub fn check(&self) -> Result<(), StoreError> {
        let context = self.context(Action::Check);
        let found: String = self
            .connection
            .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
            .map_err(|it| context.fail(it))?;
        if found == "ok" { Ok(()) } else { Err(context.corrupt(found)) }
    }

    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    fn context(&self, action: Action) -> Context {
        Context::new(action, &self.path)
    }
}
