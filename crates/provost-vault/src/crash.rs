//! Every stop point, tried.
//!
//! Each test runs an operation on a simulated disk whose power goes before the first step, then
//! before the second, and so on to the end; and at each of these moments looks at every disk
//! that a crash may leave behind, with any subset of what was not synced. What was acknowledged
//! must be there, and what is there must be whole.

mod guard;
mod learn;
mod notify;
mod story;
mod task;

use std::{cell::Cell, io};

use camino::Utf8Path;
use provost_kernel::{Actor, Clock, Millis, Source};

use crate::{
    Disk, Durable, Layout, Location, Log, PATIENCE, Stored,
    audit::{Audit, Event, verify},
    disk::append_all,
    lock::{Lock, STALE_AFTER},
    modify_tracked, read_json, read_or_quarantine, read_records,
    sim::SimDisk,
    write_atomic, write_json,
};

/// What trying every stop point found.
#[derive(Debug, Default)]
struct Explored {
    stops: u64,
    images: u64,
    violations: Vec<String>,
}

/// The clock before the crash stands still.
struct Noon;

/// The clock after it: the machine took a while to come back.
struct AfterNoon;

impl Clock for Noon {
    fn millis(&self) -> Millis {
        Millis(43_200_000)
    }
}

impl Clock for AfterNoon {
    fn millis(&self) -> Millis {
        Millis(43_260_000)
    }
}

/// What was acknowledged before the power went; afterwards no process is there to do so.
struct Ledger<'a> {
    disk: &'a SimDisk,
    acknowledged: Cell<u64>,
}

impl Ledger<'_> {
    fn acknowledge(&self, value: u64) {
        if !self.disk.has_lost_power() {
            self.acknowledged.set(value);
        }
    }
}

/// Tries `act` with power for 0, 1, 2, … steps; it stops at the first error and tells the ledger
/// what was acknowledged. `check` looks at what a crash left.
fn explore(
    prepare: impl Fn(&SimDisk),
    act: impl Fn(&SimDisk, &Ledger<'_>) -> io::Result<()>,
    check: impl Fn(&SimDisk, u64) -> Result<(), String>,
) -> Explored {
    let prepared = SimDisk::default();
    prepare(&prepared);
    let attempt = |power| {
        let disk = prepared.again_with_power(power);
        let ledger = Ledger { disk: &disk, acknowledged: Cell::new(0) };
        let ended = act(&disk, &ledger);
        let acknowledged = ledger.acknowledged.get();
        assert!(ended.is_ok() || disk.has_lost_power(), "{ended:?}");
        (disk, acknowledged)
    };
    let (complete, _) = attempt(u64::MAX / 2);
    let n_steps = complete.steps() - prepared.steps();

    let mut explored = Explored::default();
    for power in 0..=n_steps {
        let (disk, acknowledged) = attempt(power);
        assert_eq!(disk.has_lost_power(), power < n_steps, "the power goes when it should");
        explored.stops += 1;
        for image in disk.images() {
            explored.images += 1;
            if let Err(violation) = check(&image, acknowledged) {
                explored.violations.push(format!("after {power} steps: {violation}"));
            }
        }
    }
    explored
}

#[track_caller]
#[expect(clippy::print_stdout, reason = "the count is what the test shows")]
fn check_safe(what: &str, explored: &Explored) {
    println!(
        "{what}: {} stop points, {} crash images, {} violations",
        explored.stops,
        explored.images,
        explored.violations.len(),
    );
    assert_eq!(explored.violations, [""; 0]);
    assert!(explored.images > explored.stops, "a crash has more than one outcome");
}

#[track_caller]
#[expect(clippy::print_stdout, reason = "the count is what the test shows")]
fn check_caught(what: &str, explored: &Explored) {
    let n_violations = explored.violations.len();
    println!("{what}: caught by {n_violations} of {} crash images", explored.images);
    assert!(n_violations > 0, "{what} was not caught");
}

fn layout() -> Layout {
    Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"))
}

fn status() -> Location {
    layout().status(&"t1".parse().unwrap())
}

fn events() -> Location {
    layout().events(&"t1".parse().unwrap())
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::other(error)
}

/// Replaces a value three times, with a writer of choice.
fn explore_writer(write: impl Fn(&SimDisk, &Location, &[u8]) -> io::Result<()>) -> Explored {
    let at = status();
    explore(
        |_| {},
        |disk, ledger| {
            for value in 1..=3_u64 {
                write(disk, &at, value.to_string().as_bytes())?;
                ledger.acknowledge(value);
            }
            Ok(())
        },
        |image, acknowledged| {
            let stored: Stored<u64> = read_json(image, &at).map_err(|it| it.to_string())?;
            let value = match stored {
                Stored::Present(value) => value,
                Stored::Absent => 0,
                Stored::Corrupt(corruption) => return Err(format!("corrupt: {corruption:?}")),
            };
            if value != acknowledged && value != acknowledged + 1 {
                return Err(format!("acknowledged {acknowledged}, found {value}"));
            }
            // What a crash leaves behind does no harm.
            write_atomic(image, &at, b"9").map_err(|it| it.to_string())?;
            Ok(())
        },
    )
}

/// Appends three lines, with an appender of choice.
fn explore_appender(append: impl Fn(&SimDisk, &Location, &[u8]) -> io::Result<()>) -> Explored {
    let at = events();
    explore(
        |_| {},
        |disk, ledger| {
            for value in 1..=3_u64 {
                append(disk, &at, value.to_string().as_bytes())?;
                ledger.acknowledge(value);
            }
            Ok(())
        },
        |image, acknowledged| {
            let records = |image| read_records::<_, u64>(image, &at).map_err(|it| it.to_string());
            let found = records(image)?;
            let n = found.records.len() as u64;
            if !found.unreadable.is_empty() || found.records != (1..=n).collect::<Vec<_>>() {
                return Err(format!("not the lines that were written: {found:?}"));
            }
            if n < acknowledged {
                return Err(format!("acknowledged {acknowledged} lines, found {n}"));
            }
            let mut log = Log::open(image, &at).map_err(|it| it.to_string())?;
            log.append(b"9", Durable::Now).map_err(|it| it.to_string())?;
            let after = records(image)?;
            if after.unreadable.is_empty() && after.records.len() as u64 == n + 1 {
                Ok(())
            } else {
                Err(format!("cannot go on: {after:?}"))
            }
        },
    )
}

/// LOOP-A5, HOOK-2.1.
#[test]
fn an_atomic_write_survives_every_stop_point() {
    let explored =
        explore_writer(|disk, at, bytes| write_atomic(disk, at, bytes).map(drop).map_err(failed));
    check_safe("atomic write", &explored);
}

#[test]
fn an_append_survives_every_stop_point() {
    let explored = explore_appender(|disk, at, line| {
        Log::open(disk, at).map_err(failed)?.append(line, Durable::Now).map_err(failed)
    });
    check_safe("append", &explored);
}

/// Lines that may wait are lost only together with what came after them, until one is synced.
#[test]
fn a_synced_line_makes_the_lines_before_it_durable() {
    let at = events();
    let explored = explore(
        |_| {},
        |disk, ledger| {
            let mut log = Log::open(disk, &at).map_err(failed)?;
            log.append(b"1", Durable::Later).map_err(failed)?;
            log.append(b"2", Durable::Later).map_err(failed)?;
            log.append(b"3", Durable::Now).map_err(failed)?;
            ledger.acknowledge(3);
            log.append(b"4", Durable::Later).map_err(failed)
        },
        |image, acknowledged| {
            let found = read_records::<_, u64>(image, &at).map_err(|it| it.to_string())?;
            let is_there = (1..=acknowledged).all(|it| found.records.contains(&it));
            if is_there { Ok(()) } else { Err(format!("{found:?}")) }
        },
    );
    check_safe("append, some lines later", &explored);
}

/// LOOP-U9: a crash never leaves a lock that cannot be taken.
#[test]
fn a_lock_is_free_after_a_crash_at_any_stop_point() {
    let at = layout().task_lock(&"t1".parse().unwrap());
    let explored = explore(
        |_| {},
        |disk, ledger| {
            for n in 1..=2 {
                let mut lock = Lock::acquire(disk, &at, &Noon, STALE_AFTER).map_err(failed)?;
                if n == 2 {
                    lock.beat(&Noon).map_err(failed)?;
                }
                ledger.acknowledge(n);
            }
            Ok(())
        },
        |image, _| {
            let lock = Lock::acquire(image, &at, &Noon, STALE_AFTER);
            lock.map(drop).map_err(|it| it.to_string())?;
            let again =
                Lock::acquire(image, &at, &Noon, STALE_AFTER).map_err(|it| it.to_string())?;
            match &again.taken_over {
                None => Ok(()),
                Some(taken_over) => Err(format!("not released: {taken_over:?}")),
            }
        },
    );
    check_safe("task lock", &explored);
}

/// HOOK-2.2.
#[test]
fn a_tracked_count_survives_every_stop_point() {
    let layout = layout();
    let explored = explore(
        |_| {},
        |disk, ledger| {
            for n in 1..=2 {
                modify_tracked(disk, &layout, &Noon, PATIENCE, |mut it| {
                    it.value.total_spawned += 1;
                    it
                })
                .map_err(failed)?;
                ledger.acknowledge(n);
            }
            Ok(())
        },
        |image, acknowledged| {
            let after = modify_tracked(image, &layout, &AfterNoon, PATIENCE, |it| it)
                .map_err(|it| it.to_string())?;
            let after = after.value.total_spawned;
            let is_right = after == acknowledged || after == acknowledged + 1;
            if is_right { Ok(()) } else { Err(format!("{acknowledged} became {after}")) }
        },
    );
    check_safe("tracking lock and counter", &explored);
}

/// HOOK-2.5: the bytes of a corrupt file are in quarantine before anybody starts without them.
#[test]
fn a_corrupt_file_is_in_quarantine_once_it_was_read() {
    let (layout, at) = (layout(), status());
    let explored = explore(
        |disk| {
            write_atomic(disk, &at, b"{broken").unwrap();
        },
        |disk, ledger| {
            read_or_quarantine::<_, u64>(disk, &layout, &Noon, &at).map_err(failed)?;
            ledger.acknowledge(1);
            Ok(())
        },
        |image, acknowledged| {
            let kept = image.list(&layout.quarantine()).unwrap_or_default();
            let is_kept = kept.iter().any(|name| !name.starts_with('.'));
            match read_json::<_, u64>(image, &at).map_err(|it| it.to_string())? {
                Stored::Corrupt(it) if it.bytes == b"{broken" && is_kept >= (acknowledged == 1) => {
                    Ok(())
                }
                other @ (Stored::Present(_) | Stored::Absent | Stored::Corrupt(_)) => {
                    Err(format!("{other:?}, kept {kept:?}"))
                }
            }
        },
    );
    check_safe("quarantine", &explored);
}

fn event(n: u64) -> Event {
    Event {
        actor: Actor { source: Source::Cli, id: "somebody".to_owned() },
        action: "test.note".to_owned(),
        subject: format!("note:{n}"),
        request_id: None,
        detail: serde_json::json!({ "n": n }),
    }
}

fn entries_of_intact_chain(disk: &SimDisk) -> Result<u64, String> {
    let report = verify(disk, &layout()).map_err(|it| it.to_string())?;
    if report.is_intact() { Ok(report.entries) } else { Err(format!("{report:?}")) }
}

fn go_on(disk: &SimDisk) -> Result<(), String> {
    let layout = layout();
    let mut audit = Audit::open(disk, &layout).map_err(|it| it.to_string())?;
    audit.append(&event(9), &Noon, Durable::Now).map_err(|it| it.to_string())?;
    entries_of_intact_chain(disk).map(drop)
}

#[test]
fn a_synced_audit_chain_verifies_at_every_stop_point() {
    let layout = layout();
    let explored = explore(
        |_| {},
        |disk, ledger| {
            let mut audit = Audit::open(disk, &layout).map_err(failed)?;
            for n in 1..=3 {
                let head = audit.append(&event(n), &Noon, Durable::Now).map_err(failed)?;
                ledger.acknowledge(n);
                if n == 2 {
                    audit.store_head(head, "the second note", &Noon).map_err(failed)?;
                }
            }
            Ok(())
        },
        |image, acknowledged| {
            let entries = entries_of_intact_chain(image)?;
            if entries < acknowledged {
                return Err(format!("acknowledged {acknowledged}, found {entries}"));
            }
            go_on(image)
        },
    );
    check_safe("audit chain, each entry synced", &explored);
}

/// Entries that may wait can be lost with the power, but what a stored head vouches for cannot,
/// and the chain always goes on intact.
#[test]
fn an_audit_chain_that_lost_its_end_says_so_and_goes_on() {
    let layout = layout();
    let explored = explore(
        |_| {},
        |disk, ledger| {
            let mut audit = Audit::open(disk, &layout).map_err(failed)?;
            audit.append(&event(1), &Noon, Durable::Later).map_err(failed)?;
            let head = audit.append(&event(2), &Noon, Durable::Later).map_err(failed)?;
            audit.store_head(head, "the second note", &Noon).map_err(failed)?;
            ledger.acknowledge(2);
            audit.append(&event(3), &Noon, Durable::Later).map_err(failed)?;
            audit.append(&event(4), &Noon, Durable::Later).map(drop).map_err(failed)
        },
        |image, acknowledged| {
            let was_intact = verify(image, &layout).map_err(|it| it.to_string())?.is_intact();
            go_on(image)?;
            let report = verify(image, &layout).map_err(|it| it.to_string())?;
            if !was_intact && report.put_aside.is_empty() {
                return Err("an end was cut off and nobody was told".to_owned());
            }
            let kept = image.list(&layout.quarantine()).unwrap_or_default();
            if let Some(lost) = report.put_aside.iter().find(|it| !kept.contains(&it.kept_as)) {
                return Err(format!("{lost:?} is not kept"));
            }
            let entries = report.entries;
            if entries > acknowledged { Ok(()) } else { Err(format!("{entries} entries")) }
        },
    );
    check_safe("audit chain, some entries later", &explored);
}

/// KEEP-2: the heads only lag behind: whatever instant the machine stops at between an entry, its stored
/// head and the one outside the project, the chain goes on.
#[test]
fn no_stop_point_between_an_entry_and_its_heads_locks_anybody_out() {
    let layout = layout();
    let explored = explore(
        |disk| crate::disk::create_folders(disk, &layout.project()).unwrap(),
        |disk, ledger| {
            for n in 1..=3 {
                let mut audit = Audit::open(disk, &layout).map_err(failed)?;
                let head = audit.append(&event(n), &Noon, Durable::Later).map_err(failed)?;
                audit.store_head(head, "each", &Noon).map_err(failed)?;
                ledger.acknowledge(n);
            }
            Ok(())
        },
        |image, acknowledged| {
            go_on(image)?;
            let entries = entries_of_intact_chain(image)?;
            if entries > acknowledged { Ok(()) } else { Err(format!("{entries} entries")) }
        },
    );
    check_safe("heads of the audit chain", &explored);
}

/// A head outside the project that is kept before its entry is durable locks people out.
#[test]
fn a_head_outside_that_is_ahead_of_its_entry_is_caught() {
    let layout = layout();
    let explored = explore(
        |disk| crate::disk::create_folders(disk, &layout.project()).unwrap(),
        |disk, _| {
            let mut audit = Audit::open(disk, &layout).map_err(failed)?;
            let head = audit.append(&event(1), &Noon, Durable::Later).map_err(failed)?;
            crate::audit::keep_outside(disk, &layout, head, &Noon).map_err(failed)
        },
        |image, _| go_on(image),
    );
    check_caught("a head outside before its entry", &explored);
}

/// A person's order for a new chain can be given again wherever it stopped, and loses no evidence.
#[test]
fn a_restart_survives_every_stop_point() {
    let layout = layout();
    let actor = || event(1).actor;
    let explored = explore(
        |disk| {
            crate::disk::create_folders(disk, &layout.project()).unwrap();
            let mut audit = Audit::open(disk, &layout).unwrap();
            for n in 1..=2 {
                let head = audit.append(&event(n), &Noon, Durable::Now).unwrap();
                audit.store_head(head, "each", &Noon).unwrap();
            }
            crate::write_atomic(disk, &layout.audit(), b"evidence\n").unwrap();
        },
        |disk, ledger| {
            let begun =
                crate::audit::restart(disk, &layout, &actor(), "", &Noon).map_err(failed)?;
            ledger.acknowledge(begun.map_or(0, |it| it.head.seq));
            Ok(())
        },
        |image, acknowledged| {
            let again = crate::audit::restart(image, &layout, &actor(), "", &AfterNoon)
                .map_err(|it| it.to_string())?;
            if acknowledged > 0 && again.is_some() {
                return Err("a chain that was begun is broken".to_owned());
            }
            go_on(image)?;
            let kept = image.list(&layout.quarantine()).unwrap_or_default();
            let has_evidence = kept.iter().any(|it| {
                let file = image.open(&layout.quarantine().join(it));
                file.and_then(|file| crate::disk::read_all(image, &file))
                    .is_ok_and(|it| it == b"evidence\n")
            });
            if has_evidence { Ok(()) } else { Err(format!("no evidence in {kept:?}")) }
        },
    );
    check_safe("a new audit chain", &explored);
}

/// A home that is being made is a home or is made again.
#[test]
fn a_home_survives_every_stop_point_of_its_creation() {
    let layout = layout();
    let explored = explore(
        |_| {},
        |disk, ledger| {
            crate::prepare_home(disk, &layout).map_err(failed)?;
            ledger.acknowledge(1);
            Ok(())
        },
        |image, _| {
            let is_home = crate::inspect_home(image, &layout).map_err(|it| it.to_string())?;
            if is_home && image.stat(&layout.gitignore()).is_err() {
                return Err("a home that git does not ignore".to_owned());
            }
            crate::prepare_home(image, &layout).map_err(|it| it.to_string())?;
            image.stat(&layout.gitignore()).map(drop).map_err(|it| it.to_string())
        },
    );
    check_safe("home", &explored);
}

/// The temporary file of the deliberately wrong writers.
fn temporary(at: &Location) -> Location {
    at.folder().unwrap().join(".wrong")
}

fn create_folder_of(disk: &SimDisk, at: &Location) -> io::Result<()> {
    crate::disk::create_folders(disk, &at.folder().unwrap())
}

#[test]
fn a_writer_that_does_not_sync_the_file_is_caught() {
    let explored = explore_writer(|disk, at, bytes| {
        create_folder_of(disk, at)?;
        let _ = disk.remove(&temporary(at));
        let file = disk.create(&temporary(at))?;
        append_all(disk, &file, bytes)?;
        disk.rename(&temporary(at), at)?;
        disk.sync_folder(&at.folder().unwrap())
    });
    check_caught("no sync of the file", &explored);
}

#[test]
fn a_writer_that_does_not_sync_the_folder_is_caught() {
    let explored = explore_writer(|disk, at, bytes| {
        create_folder_of(disk, at)?;
        let _ = disk.remove(&temporary(at));
        let file = disk.create(&temporary(at))?;
        append_all(disk, &file, bytes)?;
        disk.sync(&file)?;
        disk.rename(&temporary(at), at)
    });
    check_caught("no sync of the folder", &explored);
}

#[test]
fn a_writer_that_does_not_rename_is_caught() {
    let explored = explore_writer(|disk, at, bytes| {
        create_folder_of(disk, at)?;
        let file = disk.open_log(at)?;
        disk.truncate(&file, 0)?;
        append_all(disk, &file, bytes)?;
        disk.sync(&file)?;
        disk.sync_folder(&at.folder().unwrap())
    });
    check_caught("no rename", &explored);
}

#[test]
fn an_appender_that_does_not_sync_is_caught() {
    let explored = explore_appender(|disk, at, line| {
        Log::open(disk, at).map_err(failed)?.append(line, Durable::Later).map_err(failed)
    });
    check_caught("no sync of the log", &explored);
}

#[test]
fn a_head_that_is_stored_before_its_entry_is_caught() {
    let layout = layout();
    let explored = explore(
        |_| {},
        |disk, _| {
            let mut audit = Audit::open(disk, &layout).map_err(failed)?;
            let head = audit.append(&event(1), &Noon, Durable::Later).map_err(failed)?;
            let stored = serde_json::json!({
                "schema": "provost.audit-head/1",
                "ts": Noon.now(),
                "head": head,
                "because": "too early",
            });
            let mut heads = Log::open(disk, &layout.audit_heads()).map_err(failed)?;
            heads.append(stored.to_string().as_bytes(), Durable::Now).map_err(failed)
        },
        |image, _| entries_of_intact_chain(image).map(drop),
    );
    check_caught("a head before its entry", &explored);
}

#[test]
fn json_is_written_with_a_final_newline() {
    let disk = SimDisk::default();
    write_json(&disk, &status(), &["new"]).unwrap();
    let file = disk.open(&status()).unwrap();
    let bytes = crate::disk::read_all(&disk, &file).unwrap();
    assert_eq!(bytes, b"[\n  \"new\"\n]\n");
}
