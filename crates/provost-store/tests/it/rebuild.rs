//! An index that is made again is the index that was there.

use proptest::prelude::*;
use provost_kernel::story::{
    ClaimResult, EventBody, ExecutionChange, ExecutionStatus, Imported, Replanned, StoryEvent,
    StoryState,
};
use provost_store::{Applied, RebuildError};

use crate::world::{
    World, changed, declared, event, execution, started, statuses, story, updated, verified, waived,
};

fn state(number: u32, n_passing: u16) -> StoryState {
    StoryState {
        story: story(number, 3),
        passes: n_passing > 2,
        notes: "n".to_owned(),
        ac_status: statuses(n_passing, 3),
        evidence: std::collections::BTreeMap::new(),
        expected_files: Some(vec!["a".to_owned()]),
    }
}

/// Any event, about executions and stories that may or may not be there.
fn any_event() -> impl Strategy<Value = StoryEvent> {
    let execution_id = prop::sample::select(vec!["e1", "e2", "e3"]);
    let story_id = prop::sample::select(vec!["US-001", "US-002", "US-1", "US-003"]);
    (execution_id, story_id, 0_u8..10, 0_u16..4, any::<bool>(), 0_usize..10).prop_map(
        |(id, us, kind, n, flag, status)| match kind {
            0 => started(0, id, u32::from(n)),
            1 => event(0, id, Some(us), declared(&["a", "b"][..usize::from(n).min(2)])),
            2 => event(0, id, Some(us), updated(ClaimResult::Accept, flag, n)),
            3 => event(0, id, Some(us), updated(ClaimResult::Reject, flag, n)),
            4 => event(0, id, Some(us), verified(n)),
            5 => event(0, id, None, changed(ExecutionStatus::ALL[status])),
            6 => {
                let change =
                    ExecutionChange { is_archived: Some(flag), ..ExecutionChange::default() };
                event(0, id, None, EventBody::Changed(change))
            }
            8 => {
                let body = waived(n + 1, if flag { "criterion 1" } else { "other" });
                event(0, id, Some(us), body)
            }
            7 => {
                let stories = (1..=u32::from(n)).map(|it| state(it, n)).collect();
                let body = Replanned { plan_digest: None, stories };
                event(0, id, None, EventBody::Replanned(body))
            }
            _ => {
                let stories = vec![state(1, n), state(2, 0)];
                let body = Imported { execution: execution(id), stories };
                event(0, id, None, EventBody::Imported(Box::new(body)))
            }
        },
    )
}

fn numbered(mut events: Vec<StoryEvent>) -> Vec<StoryEvent> {
    for (event, seq) in events.iter_mut().zip(1..) {
        event.seq = seq;
    }
    events
}

fn log(events: &[StoryEvent]) -> impl Iterator<Item = Result<StoryEvent, std::fmt::Error>> {
    events.iter().cloned().map(Ok)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// One after the other, some of them twice and with another process in between, or all of
    /// them at once into a used index: the rows are the same, byte for byte.
    #[test]
    fn a_rebuilt_index_has_the_same_rows(
        events in prop::collection::vec(any_event(), 0..20).prop_map(numbered),
        rubbish in prop::collection::vec(any_event(), 0..6).prop_map(numbered),
        again in 0_usize..20,
    ) {
        let one_by_one = World::new();
        let mut store = one_by_one.open();
        for (at, event) in events.iter().enumerate() {
            prop_assert_ne!(store.apply(event).unwrap(), Applied::Already);
            if at == again {
                store = one_by_one.open();
                prop_assert_eq!(store.apply(event).unwrap(), Applied::Already);
            }
        }
        let at_once = World::new();
        let mut store = at_once.with(&rubbish);
        prop_assert_eq!(store.rebuild(log(&events)).unwrap(), events.len() as u64);
        prop_assert_eq!(one_by_one.rows(), at_once.rows());
        // Every question can be answered, whatever happened.
        store.executions(provost_store::Listed::Active).unwrap();
        store.first_submissions().unwrap();
        store.check().unwrap();
    }
}

/// A log that cannot be read to its end leaves the old rows.
#[test]
fn a_rebuild_that_fails_changes_nothing() {
    let world = World::new();
    let mut store = world.with(&[started(1, "e1", 2)]);
    let before = world.rows();
    let broken = [Ok(started(1, "e2", 1)), Err(std::fmt::Error)];
    assert!(matches!(store.rebuild(broken), Err(RebuildError::Log(_))));
    let gap = [Ok::<_, std::fmt::Error>(started(2, "e2", 1))];
    assert!(matches!(store.rebuild(gap), Err(RebuildError::Store(_))));
    assert_eq!(world.rows(), before);
}
