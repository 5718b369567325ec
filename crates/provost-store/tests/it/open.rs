//! Files that are new, newer, broken or in use.

use provost_kernel::{Exit, Message};
use provost_store::{Store, StoreError};

use crate::world::{World, event, started, verified};

#[test]
fn an_index_keeps_its_rows_and_its_settings() {
    let world = World::new();
    drop(world.with(&[started(1, "e1", 1)]));
    let store = world.open();
    assert_eq!(store.last_applied().unwrap().unwrap().seq, 1);
    store.check().unwrap();
    let mode: String =
        world.other().query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
}

#[test]
fn a_newer_index_is_refused_and_not_touched() {
    let world = World::new();
    drop(world.with(&[started(1, "e1", 1)]));
    world.other().pragma_update(None, "user_version", 99).unwrap();
    let before = std::fs::read(world.path()).unwrap();
    let error = Store::open(&world.path()).unwrap_err();
    assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error:?}");
    assert_eq!((error.exit(), error.is_corrupt()), (Exit::Unable, false));
    assert_eq!(error.hints(), ["a newer provost wrote it: use that version"]);
    assert_eq!(std::fs::read(world.path()).unwrap(), before);
}

#[track_caller]
fn check_corrupt(what: &str, damage: impl FnOnce(&World)) {
    let world = World::new();
    drop(world.with(&[started(1, "e1", 3), event(2, "e1", Some("US-001"), verified(1))]));
    damage(&world);
    let used = Store::open(&world.path()).and_then(|store| {
        store.check()?;
        store.last_applied()?;
        store.executions(provost_store::Listed::Active)?;
        store.stories(&"e1".parse().unwrap())
    });
    let error = used.expect_err(what);
    assert!(error.is_corrupt(), "{what}: {error:?}");
    assert_eq!(error.exit(), Exit::Integrity, "{what}");
}

fn overwrite(world: &World, bytes: &[u8]) {
    std::fs::write(world.path(), bytes).unwrap();
}

#[test]
fn whatever_nobody_wrote_is_corruption() {
    check_corrupt("not a database", |world| overwrite(world, b"hello, this is not a database"));
    check_corrupt("a page of rubbish", |world| {
        let mut bytes = std::fs::read(world.path()).unwrap();
        for byte in bytes.iter_mut().skip(4096) {
            *byte = 0x5a;
        }
        overwrite(world, &bytes);
    });
    let run = |sql: &'static str| move |world: &World| world.other().execute_batch(sql).unwrap();
    check_corrupt("a table is gone", run("DROP TABLE events_applied"));
    check_corrupt("a digest is none", run("UPDATE events_applied SET digest = 'x'"));
    check_corrupt("a status is no JSON", run("UPDATE user_stories SET acStatus = '{'"));
    check_corrupt("a status of another shape", run("UPDATE user_stories SET acStatus = '[1]'"));
    check_corrupt(
        "an execution of another shape",
        run("UPDATE executions SET record = json_set(record, '$.status', 'invented')"),
    );
    check_corrupt("a story without a name", run("UPDATE user_stories SET storyId = '../x'"));
    check_corrupt("a format below zero", run("PRAGMA user_version = -1"));
}

/// Nothing that lies in the way is followed or replaced.
#[cfg(unix)]
#[test]
fn a_link_is_not_followed() {
    let (world, elsewhere) = (World::new(), World::new());
    std::os::unix::fs::symlink(elsewhere.path(), world.path()).unwrap();
    assert!(Store::open(&world.path()).is_err());
    assert!(!elsewhere.path().exists());
}

#[test]
fn two_that_open_a_new_index_at_once_both_can() {
    let world = World::new();
    let path = world.path();
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..8).map(|_| scope.spawn(|| Store::open(&path).map(drop))).collect();
        for thread in threads {
            thread.join().unwrap().unwrap();
        }
    });
    world.open().check().unwrap();
}

/// A reader never waits for a writer, and sees what was committed.
#[test]
fn a_reader_sees_the_rows_before_a_transaction_that_is_open() {
    let world = World::new();
    let store = world.with(&[started(1, "e1", 1)]);
    let writer = world.other();
    writer.execute_batch("BEGIN IMMEDIATE; DELETE FROM user_stories").unwrap();
    assert_eq!(store.stories(&"e1".parse().unwrap()).unwrap().len(), 1);
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(store.stories(&"e1".parse().unwrap()).unwrap().len(), 0);
}
