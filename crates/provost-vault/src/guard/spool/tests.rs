//! What waits is applied once, and in its order.

use std::sync::atomic::{AtomicU64, Ordering};

use camino::Utf8Path;
use provost_kernel::{Clock, Millis};

use super::*;
use crate::{Layout, sim::SimDisk, write_atomic};

/// A clock that moves on by a millisecond each time somebody looks.
struct Ticking(AtomicU64);

impl Clock for Ticking {
    fn millis(&self) -> Millis {
        Millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

fn layout() -> Layout {
    Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"))
}

fn end(session: &str) -> Operation {
    Operation::EndSession { session_id: session.to_owned() }
}

/// Counts the operation, and remembers in which order they came.
fn apply(mut state: Tracking, operation: &Operation) -> Tracking {
    let Operation::EndSession { session_id } = operation else { panic!("{operation:?}") };
    state.total_spawned += 1;
    let order = state.last_updated.take().map_or(String::new(), |it| it.as_str().to_owned());
    state.last_updated = Some(format!("{order}{session_id}").into());
    state
}

fn order(state: &Tracking) -> &str {
    state.last_updated.as_ref().map_or("", |it| it.as_str())
}

/// HOOK-2.2: what could not be applied in time waits, and comes before what follows.
#[test]
fn what_waits_is_applied_by_the_next_one() {
    let (disk, layout, clock) = (SimDisk::default(), layout(), Ticking(AtomicU64::new(0)));
    let files = GuardFiles::new(&disk, &layout, &clock);
    let track = |name: &str| files.track(&end(name), Duration::from_millis(2), apply).unwrap();
    assert!(matches!(track("a"), Tracked::Applied(_)));
    let lock = disk.open_lock(&layout.tracking_lock()).unwrap();
    assert!(disk.try_lock(&lock).unwrap());
    assert_eq!((track("b"), track("c")), (Tracked::Spooled, Tracked::Spooled));
    assert_eq!(disk.list(&layout.spool()).unwrap().len(), 2);
    assert_eq!(order(&files.tracking().unwrap()), "a");
    disk.unlock(&lock).unwrap();
    let Tracked::Applied(state) = track("d") else { panic!("the lock is free") };
    assert_eq!((order(&state), state.total_spawned), ("abcd", 4));
    assert_eq!(state.applied.len(), 2, "until the removal is durable");
    assert!(disk.list(&layout.spool()).unwrap().is_empty());
    let Tracked::Applied(state) = track("e") else { panic!("the lock is free") };
    assert_eq!((order(&state), state.applied.len()), ("abcde", 0));
}

/// HOOK-2.2: a file that a crash left behind is not applied again.
#[test]
fn what_is_in_the_state_already_is_not_applied_again() {
    let (disk, layout, clock) = (SimDisk::default(), layout(), Ticking(AtomicU64::new(0)));
    let files = GuardFiles::new(&disk, &layout, &clock);
    files.spool(&end("a")).unwrap();
    let name = disk.list(&layout.spool()).unwrap().remove(0);
    let state = files.change_tracking(Duration::ZERO, apply, |it| it).unwrap();
    assert_eq!((order(&state), state.applied.as_slice()), ("a", &[name.clone()][..]));
    // The removal did not reach the disk.
    let record = RecordFile::new(Spooled { operation: end("a") });
    write_json(&disk, &layout.spool().join(&name), &record).unwrap();
    for _ in 0..2 {
        let state = files.change_tracking(Duration::ZERO, apply, |it| it).unwrap();
        assert_eq!((order(&state), state.applied.len()), ("a", 0));
    }
    assert!(disk.list(&layout.spool()).unwrap().is_empty());
}

/// HOOK-2.5: a file that holds no operation is evidence and does no harm.
#[test]
fn a_broken_file_of_the_spool_is_put_aside() {
    let (disk, layout, clock) = (SimDisk::default(), layout(), Ticking(AtomicU64::new(0)));
    let files = GuardFiles::new(&disk, &layout, &clock);
    files.spool(&end("a")).unwrap();
    let place = |name: &str| layout.spool().join(name);
    write_atomic(&disk, &place("0.json"), b"{half").unwrap();
    write_atomic(&disk, &place("notes.txt"), b"mine").unwrap();
    let newer = b"{\"schema\": \"provost.operation/2\", \"operation\": 7}";
    write_atomic(&disk, &place("1.json"), newer).unwrap();
    let state = files.change_tracking(Duration::ZERO, apply, |it| it).unwrap();
    assert_eq!((order(&state), state.total_spawned), ("a", 1));
    assert_eq!(disk.list(&layout.spool()).unwrap(), ["1.json", "notes.txt"]);
    assert_eq!(disk.list(&layout.quarantine()).unwrap().len(), 1);
    let error = files.last_tool_error().unwrap().unwrap();
    assert_eq!(error.tool_input_preview.as_deref(), Some(place("0.json").path().as_str()));
}

/// What is left while somebody has the lock is not left for good.
#[test]
fn whoever_had_the_lock_looks_again() {
    let (disk, layout, clock) = (SimDisk::default(), layout(), Ticking(AtomicU64::new(0)));
    let files = GuardFiles::new(&disk, &layout, &clock);
    let state = files.change_tracking(Duration::ZERO, apply, |state| {
        // Another process finds the lock held, behind our look at the spool.
        assert_eq!(files.track(&end("late"), Duration::ZERO, apply).unwrap(), Tracked::Spooled);
        state
    });
    assert_eq!(order(&state.unwrap()), "late");
    assert!(disk.list(&layout.spool()).unwrap().is_empty());
}

/// A change that took too long is not written, and not lost either.
#[test]
fn an_operation_that_took_too_long_waits() {
    let (disk, layout, clock) = (SimDisk::default(), layout(), Ticking(AtomicU64::new(0)));
    let files = GuardFiles::new(&disk, &layout, &clock);
    let is_first = std::cell::Cell::new(true);
    let tracked = files.track(&end("a"), Duration::ZERO, |state, it| {
        if is_first.replace(false) {
            clock.0.fetch_add(3_000, Ordering::Relaxed);
        }
        apply(state, it)
    });
    let Tracked::Applied(state) = tracked.unwrap() else { panic!("the second time was quick") };
    assert_eq!((order(&state), state.total_spawned), ("a", 1));
}
