//! Every stop point of what hooks write: operations that wait, and modes.

use std::{io, time::Duration};

use provost_kernel::{
    Actor, Digest, Millis, RecordFile, Source,
    guard::{Mode, ModeState, Operation, Permit, PermitScope, Permits, RefusalCode, Tracking},
};

use super::{AfterNoon, Noon, check_caught, check_safe, explore, failed, layout};
use crate::{
    Disk as _, FileError, Layout,
    guard::{GuardFiles, PermitsError, Tracked},
    sim::SimDisk,
    write_record,
};

const ALL: [&str; 4] = ["a", "b", "c", "d"];

fn end(session: &str) -> Operation {
    Operation::EndSession { session_id: session.to_owned() }
}

/// Counts how often each operation was applied: once, or something is wrong.
fn apply(mut state: Tracking, operation: &Operation) -> Tracking {
    let Operation::EndSession { session_id } = operation else { return state };
    let order = state.last_updated.take().map_or(String::new(), |it| it.as_str().to_owned());
    state.last_updated = Some(format!("{order}{session_id}").into());
    state.total_spawned += 1;
    state
}

fn applied(state: &Tracking) -> String {
    state.last_updated.as_ref().map_or(String::new(), |it| it.as_str().to_owned())
}

/// Leaves the first two operations to the third, as if the lock had been held; the fourth may
/// forget their names.
fn track_all(disk: &SimDisk, layout: &Layout, acknowledge: impl Fn(u64)) -> io::Result<()> {
    let files = GuardFiles::new(disk, layout, &Noon);
    let lock = crate::disk::open_in_folder(disk, &layout.tracking_lock(), |disk| {
        disk.open_lock(&layout.tracking_lock())
    })?;
    disk.try_lock(&lock)?;
    for (name, n) in ALL.into_iter().zip(1..) {
        if n == 3 {
            disk.unlock(&lock)?;
        }
        let tracked = files.track(&end(name), Duration::ZERO, apply).map_err(failed)?;
        assert_eq!(matches!(tracked, Tracked::Applied(_)), n >= 3);
        acknowledge(n);
    }
    Ok(())
}

/// HOOK-2.2: what was acknowledged is applied once, whatever instant the machine stops at, be it
/// between the write of the state and the removal of what waited.
#[test]
fn an_operation_that_waited_is_applied_once_at_every_stop_point() {
    let layout = layout();
    let explored = explore(
        |_| {},
        |disk, ledger| track_all(disk, &layout, |n| ledger.acknowledge(n)),
        |image, acknowledged| {
            let files = GuardFiles::new(image, &layout, &AfterNoon);
            let look = || {
                let state = files.change_tracking(Duration::ZERO, apply, |it| it);
                state.map(|it| applied(&it)).map_err(|it| it.to_string())
            };
            let found = look()?;
            let n_found = found.len() as u64;
            let mut names: Vec<char> = found.chars().collect();
            names.sort_unstable();
            names.dedup();
            if names.len() as u64 != n_found {
                return Err(format!("applied twice: {found}"));
            }
            let n_expected = usize::try_from(acknowledged).unwrap();
            if let Some(lost) = ALL[..n_expected].iter().find(|it| !found.contains(**it)) {
                return Err(format!("`{lost}` was acknowledged, found {found}"));
            }
            let again = look()?;
            if again == found { Ok(()) } else { Err(format!("{found} became {again}")) }
        },
    );
    check_safe("operations that waited", &explored);
}

/// Without the names in the state, a crash between the two would count an operation twice.
#[test]
fn a_state_that_forgets_what_it_applied_is_caught() {
    let layout = layout();
    let explored = explore(
        |_| {},
        |disk, ledger| track_all(disk, &layout, |n| ledger.acknowledge(n)),
        |image, _| {
            let forget = |mut it: provost_kernel::RecordFile<Tracking>| {
                it.value.applied.clear();
                it
            };
            crate::modify_tracked(image, &layout, &AfterNoon, Duration::ZERO, forget)
                .map_err(|it| it.to_string())?;
            let files = GuardFiles::new(image, &layout, &AfterNoon);
            let state = files.change_tracking(Duration::ZERO, apply, |it| it);
            let state = state.map_err(|it| it.to_string())?;
            if state.total_spawned <= 4 { Ok(()) } else { Err(applied(&state)) }
        },
    );
    check_caught("no names of what was applied", &explored);
}

/// HOOK-2.2, HOOK-2.5: a mode is on or off, never torn.
#[test]
fn a_mode_survives_every_stop_point() {
    let layout = layout();
    let switch = |disk: &SimDisk, active| {
        let files = GuardFiles::new(disk, &layout, &Noon);
        let state = ModeState { active, ..ModeState::default() };
        files.change_mode(Mode::Ralph, |_| Ok::<_, FileError>(state)).map(drop).map_err(failed)
    };
    let explored = explore(
        |_| {},
        |disk, ledger| {
            for n in 1..=3 {
                switch(disk, n % 2 == 1)?;
                ledger.acknowledge(n);
            }
            Ok(())
        },
        |image, acknowledged| {
            let files = GuardFiles::new(image, &layout, &AfterNoon);
            let is_active =
                files.active_modes().map_err(|it| it.to_string())?.contains(&Mode::Ralph);
            if files.last_tool_error().map_err(|it| it.to_string())?.is_some() {
                return Err("a corrupt state was found".to_owned());
            }
            // The switch after the last that was acknowledged may have happened.
            let mut possible = (acknowledged..=3.min(acknowledged + 1)).map(|n| n % 2 == 1);
            let is_right = possible.any(|it| it == is_active);
            if !is_right {
                return Err(format!("{acknowledged} switches, active: {is_active}"));
            }
            switch(image, true).map_err(|it| it.to_string())
        },
    );
    check_safe("mode", &explored);
}

fn permit() -> Permit {
    Permit {
        code: RefusalCode::of_random([1; 6]),
        call: Digest::ZERO,
        scope: PermitScope::Once,
        rule: "git.reset-hard".to_owned(),
        subject: "git reset --hard".to_owned(),
        because: "a test".to_owned(),
        by: Actor { source: Source::Cli, id: "ann".to_owned() },
        at: Millis(0),
        expires: Millis(1),
        is_spent: false,
    }
}

/// A permission that waits for its call.
fn granted(disk: &SimDisk, layout: &Layout) {
    let files = GuardFiles::new(disk, layout, &Noon);
    let grant = |it: Permits| Ok((Permits { permits: vec![permit()], ..it }, ()));
    files.change_permits::<_, PermitsError>(grant).unwrap();
}

/// Uses the permission, if it is there. The second value of the ledger is the answer to the call.
fn use_up(files: &GuardFiles<'_, SimDisk>) -> Result<bool, PermitsError> {
    files.change_permits(|mut it| {
        let is_there = it.permits.pop().is_some();
        Ok((it, is_there))
    })
}

/// KEEP-1: a permission for one call is used at most once, whatever instant the machine stops at:
/// a call that was let run is not let run again.
#[test]
fn a_permission_is_used_at_most_once_at_every_stop_point() {
    let layout = layout();
    let explored = explore(
        |disk| granted(disk, &layout),
        |disk, ledger| {
            let files = GuardFiles::new(disk, &layout, &Noon);
            assert!(use_up(&files).map_err(failed)?, "the first has it");
            ledger.acknowledge(1);
            assert!(!use_up(&files).map_err(failed)?, "the second has not");
            Ok(())
        },
        |image, acknowledged| {
            let files = GuardFiles::new(image, &layout, &AfterNoon);
            let n_left = files.permits().map_err(|it| it.to_string())?.permits.len();
            if acknowledged == 1 && n_left > 0 {
                return Err("it was used, and is there again".to_owned());
            }
            // The next process can go on with either.
            use_up(&files).map(drop).map_err(|it| it.to_string())
        },
    );
    check_safe("a permission for one call", &explored);
}

/// The same without waiting for the disk: the test would see it.
#[test]
fn a_permission_that_is_taken_out_later_is_caught() {
    let layout = layout();
    let explored = explore(
        |disk| granted(disk, &layout),
        |disk, ledger| {
            let none = serde_json::to_vec(&RecordFile::new(Permits::default()))?;
            write_record(disk, &layout.permits(), &none).map_err(failed)?;
            ledger.acknowledge(1);
            disk.stat(&layout.permits()).map(drop)
        },
        |image, acknowledged| {
            let files = GuardFiles::new(image, &layout, &AfterNoon);
            match files.permits() {
                Ok(it) if acknowledged == 1 && !it.permits.is_empty() => Err("twice".to_owned()),
                Ok(_) | Err(_) => Ok(()),
            }
        },
    );
    check_caught("a permission that is taken out later", &explored);
}
