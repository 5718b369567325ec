//! Events become rows, each once and in order.

use provost_kernel::story::{ClaimResult, EventBody, ExecutionStatus, Replanned, StoryState};
use provost_store::{Applied, StoreError};

use crate::world::{World, changed, declared, event, started, story, updated, verified};

const US: Option<&str> = Some("US-001");

/// STORY-2.1, STORY-2.2: what an accepted update says stands in the columns of the seed.
#[test]
fn an_accepted_update_changes_the_story_and_a_rejected_one_only_the_record() {
    let world = World::new();
    let mut store = world.with(&[
        started(1, "e1", 2),
        event(2, "e1", US, declared(&["src/a.rs"])),
        event(3, "e1", US, updated(ClaimResult::Accept, false, 2)),
        event(4, "e1", US, updated(ClaimResult::Reject, true, 3)),
    ]);
    let id = "e1".parse().unwrap();
    let rows = store.stories(&id).unwrap();
    assert_eq!(rows[0].ac_status.values().filter(|it| it.passes).count(), 2);
    assert_eq!(rows[0].expected_files.as_deref(), Some(&["src/a.rs".to_owned()][..]));
    assert_eq!(rows[0].story(), story(1, 3));
    assert!(!rows[0].passes && rows[1].ac_status.is_empty());

    let attempts = store.attempts(&id, &rows[0].story_id).unwrap();
    let results: Vec<_> = attempts.iter().map(|it| (it.seq, it.result, it.passes)).collect();
    assert_eq!(results, [(3, ClaimResult::Accept, false), (4, ClaimResult::Reject, false)]);

    store.apply(&event(5, "e1", US, verified(3))).unwrap();
    assert!(store.stories(&id).unwrap()[0].passes);
    let column: String = world
        .other()
        .query_row("SELECT acStatus ->> '$.\"AC-1\".label' FROM user_stories LIMIT 1", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(column, "REPRODUCED");
}

/// Ruling: the log is appended first, so that an event may arrive twice, or by two processes.
#[test]
fn the_same_event_again_changes_nothing() {
    let world = World::new();
    let events = [
        started(1, "e1", 1),
        event(2, "e1", US, updated(ClaimResult::Accept, true, 3)),
        event(3, "e1", None, changed(ExecutionStatus::Running)),
    ];
    let mut store = world.with(&events);
    let before = world.rows();
    for event in &events {
        assert_eq!(store.apply(event).unwrap(), Applied::Already);
    }
    assert_eq!(world.rows(), before);
    assert_eq!(store.last_applied().unwrap().unwrap().seq, 3);
}

#[test]
fn an_event_out_of_order_or_of_another_log_is_refused() {
    let world = World::new();
    let mut store = world.with(&[started(1, "e1", 1)]);
    let before = world.rows();
    let early = store.apply(&event(3, "e1", US, verified(1)));
    assert!(matches!(early, Err(StoreError::Gap { expected: 2, found: 3 })), "{early:?}");
    let other = store.apply(&started(1, "e2", 1));
    assert!(matches!(other, Err(StoreError::OtherLog { seq: 1, .. })), "{other:?}");
    let none = store.apply(&event(0, "e1", US, verified(1)));
    assert!(matches!(none, Err(StoreError::Gap { .. })), "{none:?}");
    let huge = store.apply(&event(u64::MAX, "e1", US, verified(1)));
    assert!(huge.is_err());
    assert_eq!(world.rows(), before);
}

/// An event that means nothing here must not stop those after it.
#[test]
fn an_event_about_nothing_is_remembered_and_ignored() {
    let world = World::new();
    let mut store = world.open();
    for (event, expected) in [
        (event(1, "e1", US, verified(1)), Applied::Ignored),
        (event(2, "e1", None, changed(ExecutionStatus::Failed)), Applied::Ignored),
        (started(3, "e1", 1), Applied::Done),
        (started(4, "e1", 2), Applied::Ignored),
        (event(5, "e1", Some("US-009"), declared(&[])), Applied::Ignored),
        // The digits of an id may be written in another way.
        (event(6, "e1", Some("US-1"), verified(3)), Applied::Done),
    ] {
        assert_eq!(store.apply(&event).unwrap(), expected, "{}", event.seq);
    }
    let rows = store.stories(&"e1".parse().unwrap()).unwrap();
    assert_eq!(rows.len(), 1);
    assert!(rows[0].passes);
}

#[test]
fn a_changed_plan_replaces_the_stories_and_keeps_what_it_is_told_to() {
    let world = World::new();
    let mut store = world
        .with(&[started(1, "e1", 2), event(2, "e1", US, updated(ClaimResult::Accept, true, 3))]);
    let kept = store.stories(&"e1".parse().unwrap()).unwrap().remove(0);
    let state = |number, from: Option<&provost_kernel::story::StoryRow>| StoryState {
        story: story(number, 2),
        passes: false,
        notes: String::new(),
        ac_status: from.map(|it| it.ac_status.clone()).unwrap_or_default(),
        evidence: from.map(|it| it.evidence.clone()).unwrap_or_default(),
        expected_files: None,
    };
    let stories = vec![state(1, Some(&kept)), state(3, None)];
    let body = EventBody::Replanned(Replanned { plan_digest: None, stories });
    store.apply(&event(3, "e1", None, body)).unwrap();
    let rows = store.stories(&"e1".parse().unwrap()).unwrap();
    let ids: Vec<&str> = rows.iter().map(|it| it.story_id.as_str()).collect();
    assert_eq!(ids, ["US-001", "US-003"]);
    assert_eq!(rows[0].ac_status, kept.ac_status);
    assert_eq!(rows[0].acceptance_criteria.len(), 2);
}
