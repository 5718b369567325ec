//! A database of the older shape.

use provost_kernel::story::{EventBody, Imported, StoryState};
use rusqlite::Connection;

use crate::world::{World, event, execution, started, story};

const OLDER: &str = "
CREATE TABLE user_stories (id TEXT, executionId TEXT, storyId TEXT, title TEXT, description TEXT,
    acceptanceCriteria TEXT, priority INTEGER, passes INTEGER, notes TEXT);
INSERT INTO user_stories VALUES
    ('e9:US-001', 'e9', 'US-001', '登录', 'As a user', '[\"one\",\"two\"]', 1, 1, 'kept'),
    ('e9:US-002', 'e9', 'US-002', 'Out', '', '[]', 2, 0, NULL);
";

fn older(world: &World, more: &str) -> Connection {
    let connection = world.other();
    connection.execute_batch(OLDER).unwrap();
    connection.execute_batch(more).unwrap();
    connection
}

/// STORY-2.1: an existing table gets the three columns, and no row is lost or changed.
#[test]
fn an_older_table_gets_the_columns_and_keeps_its_rows() {
    for more in [
        "",
        "ALTER TABLE user_stories ADD COLUMN acStatus TEXT;",
        "ALTER TABLE user_stories ADD COLUMN acStatus TEXT;
         ALTER TABLE user_stories ADD COLUMN evidence TEXT;
         ALTER TABLE user_stories ADD COLUMN expectedFiles TEXT;",
        "CREATE TABLE executions (id TEXT, branch TEXT); INSERT INTO executions VALUES ('e9', 'b');",
    ] {
        let world = World::new();
        drop(older(&world, more));
        let store = world.open();
        let rows = store.unlogged().unwrap();
        assert_eq!(rows.len(), 2, "{more}");
        assert_eq!((rows[0].title.as_str(), rows[0].passes), ("登录", true));
        assert_eq!((rows[1].notes.as_str(), rows[1].passes), ("", false));
        assert_eq!(rows[0].acceptance_criteria, r#"["one","two"]"#);
        let (title, notes, status): (String, String, Option<String>) = world
            .other()
            .query_row("SELECT title, notes, acStatus FROM user_stories LIMIT 1", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .unwrap();
        assert_eq!((title.as_str(), notes.as_str(), status), ("登录", "kept", None));
        drop(store);
        assert_eq!(world.open().unlogged().unwrap(), rows, "opening again changes nothing");
    }
}

#[test]
fn a_table_of_the_same_name_keeps_its_rows_under_another() {
    let world = World::new();
    drop(older(&world, "CREATE TABLE executions (id TEXT); INSERT INTO executions VALUES ('x');"));
    drop(world.open());
    let id: String = world
        .other()
        .query_row("SELECT id FROM executions_before_provost", [], |row| row.get(0))
        .unwrap();
    assert_eq!(id, "x");
}

/// A table that cannot become ours belongs to somebody: it is refused, and never put aside.
#[test]
fn a_table_that_does_not_fit_is_refused_and_not_called_corrupt() {
    let world = World::new();
    world.other().execute_batch("CREATE TABLE user_stories (whatever TEXT)").unwrap();
    let error = provost_store::Store::open(&world.path()).unwrap_err();
    assert!(!error.is_corrupt(), "{error:?}");
    let n_tables: i64 = world
        .other()
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .unwrap();
    assert_eq!(n_tables, 1, "nothing was half done");
}

/// Once the log tells of them, rows of an older database are like all others: a rebuild has them.
#[test]
fn rows_that_were_logged_come_back_from_the_log() {
    let world = World::new();
    drop(older(&world, ""));
    let mut store = world.open();
    let state = |number| StoryState {
        story: story(number, 2),
        passes: true,
        notes: String::new(),
        ac_status: std::collections::BTreeMap::new(),
        evidence: std::collections::BTreeMap::new(),
        expected_files: None,
    };
    let body = Imported { execution: execution("e9"), stories: vec![state(1), state(2)] };
    let events = [event(1, "e9", None, EventBody::Imported(Box::new(body))), started(2, "e1", 1)];
    for event in &events {
        store.apply(event).unwrap();
    }
    assert_eq!(store.unlogged().unwrap(), []);
    assert_eq!(store.stories(&"e9".parse().unwrap()).unwrap().len(), 2);
    let before = world.rows();
    store.rebuild(events.iter().cloned().map(Ok::<_, std::fmt::Error>)).unwrap();
    assert_eq!(world.rows(), before);
}

/// A rebuild is about what the log tells of, and of nothing else.
#[test]
fn a_rebuild_leaves_rows_that_no_log_tells_of() {
    let world = World::new();
    drop(older(&world, ""));
    let mut store = world.with(&[started(1, "e1", 1)]);
    store.rebuild([Ok::<_, std::fmt::Error>(started(1, "e2", 1))]).unwrap();
    assert_eq!(store.unlogged().unwrap().len(), 2);
    assert!(store.execution(&"e1".parse().unwrap()).unwrap().is_none());
}
