//! Every stop point of what is written for a task: its status with what follows from it, and the
//! orders of people with what repeats them.

use std::io;

use provost_kernel::{
    Actor, RecordFile, RequestId, Source, TaskId, Timestamp,
    task::{
        EventKind, EventLine, FinalSummary, IndexEntry, Note, Order, OrderRecord, OverrideVersion,
        Overrides, PauseCode, State, Status, TaskSpec,
    },
};

use super::{Noon, check_caught, check_safe, event, explore, failed, layout};
use crate::{
    Disk as _, Layout, Stored,
    audit::{Audit, Provenance, StatusChange, Trouble, status_digest, verify},
    read_json,
    sim::SimDisk,
    task::{Commit, Placed, Standing, TaskFiles},
    write_json,
};

fn task() -> TaskId {
    "t1".parse().unwrap()
}

/// A status of the version, paused from the second on.
fn status(version: u64) -> RecordFile<Status> {
    let mut status = Status::new(task(), Timestamp::EPOCH, 3);
    status.state_version = version;
    if version > 1 {
        status.state = State::Paused;
        status.pause_reason_code = Some(PauseCode::Crash);
        status.message = format!("version {version}");
    }
    RecordFile::new(status)
}

fn commit(version: u64) -> Commit {
    let notes = match version {
        1 => vec![Note::new(EventKind::TaskCreated, "")],
        _ => vec![
            Note::new(EventKind::CoordinatorCrashed, format!("version {version}")),
            Note::new(EventKind::StateChanged, format!("version {version}")),
        ],
    };
    Commit { status: status(version), notes }
}

fn create(files: &TaskFiles<'_, SimDisk>) -> io::Result<()> {
    let spec = RecordFile::new(TaskSpec::new(task()));
    files.create_audited(&spec, &event(1), commit(1)).map(drop).map_err(failed)
}

fn status_of(files: &TaskFiles<'_, SimDisk>) -> RecordFile<Status> {
    files.status().unwrap().present().unwrap()
}

fn digest(status: &RecordFile<Status>) -> provost_kernel::Digest {
    status_digest(serde_json::to_value(status).unwrap()).unwrap()
}

/// Announces a status in the chain.
fn enter(
    disk: &SimDisk,
    layout: &Layout,
    from: Option<&RecordFile<Status>>,
    to: &RecordFile<Status>,
) -> io::Result<()> {
    let change = StatusChange { task: task(), from: from.map(digest), to: digest(to) };
    let mut chain = Audit::open(disk, layout).map_err(failed)?;
    chain.append_status(None, &event(1), change, &Noon).map(drop).map_err(failed)
}

/// What the chain says of the status on a disk; none without a status.
fn provenance(disk: &SimDisk, layout: &Layout) -> Result<Option<Provenance>, String> {
    let id = task();
    let found = TaskFiles::new(disk, layout, &Noon, &id).found_status();
    Ok(found.map_err(|it| it.to_string())?.present().map(|it| it.provenance))
}

fn check_genuine(disk: &SimDisk, layout: &Layout) -> Result<(), String> {
    match provenance(disk, layout)? {
        Some(Provenance::Genuine) => Ok(()),
        other => Err(format!("the status is {other:?}")),
    }
}

/// The version of the status after a crash, once the rest was brought in step with it.
fn settled(image: &SimDisk, layout: &Layout) -> Result<u64, String> {
    let id = task();
    let files = TaskFiles::new(image, layout, &Noon, &id);
    let text = |it: crate::FileError| it.to_string();
    let status = match files.found_status().map_err(text)? {
        Stored::Present(found) if found.provenance == Provenance::Altered => {
            return Err("a crash is taken for a forgery".to_owned());
        }
        Stored::Present(found) => found.status,
        Stored::Absent => return Ok(0),
        Stored::Corrupt(it) => return Err(format!("the status is not whole: {it:?}")),
    };
    if !matches!(files.spec().map_err(text)?, Stored::Present(_)) {
        return Err("a status without a spec".to_owned());
    }
    // Twice: the next look finds nothing more to do.
    for _ in 0..2 {
        files.reconcile(&status).map_err(text)?;
        check_events(&files, &status.value)?;
        let index = files.index_entry().map_err(text)?.present().map(|it| it.value);
        if index != Some(IndexEntry::of(&status.value)) {
            return Err(format!("the index says {index:?}"));
        }
        let summary = read_json::<_, RecordFile<FinalSummary>>(image, &layout.final_summary(&id));
        let summary = summary.map_err(text)?.present().map(|it| it.value);
        let expected = FinalSummary::of(&status.value, None);
        if status.value.state != State::Running && summary != Some(expected) {
            return Err(format!("the summary says {summary:?}"));
        }
    }
    Ok(status.value.state_version)
}

/// The events of every status so far are there once, in order, and none of a later one.
fn check_events(files: &TaskFiles<'_, SimDisk>, status: &Status) -> Result<(), String> {
    let found = files.events().map_err(|it| it.to_string())?;
    let mut expected = Vec::new();
    for version in 1..=status.state_version {
        expected.extend(commit(version).notes.into_iter().map(|it| (it.kind, it.summary)));
    }
    let said = |it: &EventLine| (it.value.kind, it.value.summary.clone());
    let actual: Vec<_> = found.records.iter().map(said).collect();
    if actual != expected || !found.unreadable.is_empty() {
        return Err(format!("version {}: {found:?}", status.state_version));
    }
    let numbers: Vec<u64> = found.records.iter().map(|it| it.value.seq).collect();
    if numbers != (1..=numbers.len() as u64).collect::<Vec<_>>() {
        return Err(format!("the numbers of the events are {numbers:?}"));
    }
    Ok(())
}

fn check_version(image: &SimDisk, layout: &Layout, acknowledged: u64) -> Result<(), String> {
    let version = settled(image, layout)?;
    if version != acknowledged && version != acknowledged + 1 {
        return Err(format!("acknowledged {acknowledged}, found {version}"));
    }
    let entries = verify(image, layout).map_err(|it| it.to_string())?.entries;
    // The entry comes before its effect.
    if entries < version { Err(format!("version {version}, {entries} entries")) } else { Ok(()) }
}

/// LOOP-B16, LOOP-B17: the status is whole, and what belongs to it is there, once.
#[test]
fn a_commit_survives_every_stop_point() {
    let (layout, id) = (layout(), task());
    let explored = explore(
        |_| {},
        |disk, ledger| {
            let files = TaskFiles::new(disk, &layout, &Noon, &id);
            create(&files)?;
            ledger.acknowledge(1);
            files.commit_audited(&event(2), commit(2)).map_err(failed)?;
            ledger.acknowledge(2);
            files.commit_audited(&event(3), commit(3)).map_err(failed)?;
            ledger.acknowledge(3);
            Ok(())
        },
        |image, acknowledged| check_version(image, &layout, acknowledged),
    );
    check_safe("commit of a status", &explored);
}

/// LOOP-A11, ruling 83: the machine stops between the entry and the rename, comes back, and stops there
/// again, as often as it likes.
#[test]
fn a_crash_after_a_crash_is_no_forgery() {
    let (layout, id) = (layout(), task());
    let next = |disk: &SimDisk| {
        let files = TaskFiles::new(disk, &layout, &Noon, &id);
        let found = files.found_status().map_err(failed)?.present();
        let version = found.ok_or(io::ErrorKind::NotFound)?.status.value.state_version + 1;
        files.commit_audited(&event(version), commit(version)).map(drop).map_err(failed)
    };
    let explored = explore(
        |disk| create(&TaskFiles::new(disk, &layout, &Noon, &id)).unwrap(),
        |disk, _| next(disk),
        |image, _| {
            check_genuine(image, &layout)?;
            let complete = image.again_with_power(u64::MAX / 2);
            next(&complete).map_err(|it| it.to_string())?;
            for power in 0..=complete.steps() - image.steps() {
                let again = image.again_with_power(power);
                let _ = next(&again);
                for image in again.images() {
                    check_genuine(&image, &layout)?;
                }
            }
            Ok(())
        },
    );
    check_safe("a status after two crashes", &explored);
}

/// A process that was killed before its folder was synced leaves a status that a power cut takes
/// back: the next writer names it only when that cannot happen.
#[test]
fn a_status_is_replaced_when_its_name_is_on_the_disk() {
    let (layout, id) = (layout(), task());
    let killed = |disk: &SimDisk| {
        let files = TaskFiles::new(disk, &layout, &Noon, &id);
        create(&files).unwrap();
        enter(disk, &layout, Some(&status_of(&files)), &status(2)).unwrap();
        let at = layout.status(&id);
        let temporary = at.folder().unwrap().join(".status.json.tmp");
        let file = disk.create(&temporary).unwrap();
        disk.append(&file, &serde_json::to_vec(&status(2)).unwrap()).unwrap();
        disk.sync(&file).unwrap();
        disk.rename(&temporary, &at).unwrap();
    };
    let explored = explore(
        killed,
        |disk, _| {
            let files = TaskFiles::new(disk, &layout, &Noon, &id);
            files.found_status().map_err(failed)?;
            files.commit_audited(&event(3), commit(3)).map(drop).map_err(failed)
        },
        |image, _| check_genuine(image, &layout),
    );
    check_safe("a status whose writer was killed", &explored);
}

#[test]
fn a_status_that_is_written_before_its_entry_is_caught() {
    let (layout, id) = (layout(), task());
    let explored = explore(
        |disk| create(&TaskFiles::new(disk, &layout, &Noon, &id)).unwrap(),
        |disk, _| {
            let before = status_of(&TaskFiles::new(disk, &layout, &Noon, &id));
            write_json(disk, &layout.status(&id), &status(2)).map_err(failed)?;
            enter(disk, &layout, Some(&before), &status(2))
        },
        |image, _| check_genuine(image, &layout),
    );
    check_caught("a status before its entry", &explored);
}

/// LOOP-A11, ruling 83: whatever a hand changes is noticed, by a reader and by the chain; a status without a
/// digest in the chain is one of an earlier version.
#[test]
fn a_status_that_a_hand_wrote_is_not_genuine() {
    #[track_caller]
    fn check(hand: impl FnOnce(&SimDisk, &mut serde_json::Value), expected: Provenance) {
        let (disk, layout, id) = (SimDisk::default(), layout(), task());
        let files = TaskFiles::new(&disk, &layout, &Noon, &id);
        create(&files).unwrap();
        files.commit_audited(&event(2), commit(2)).unwrap();
        files.commit(commit(3)).unwrap();
        assert_eq!(provenance(&disk, &layout), Ok(Some(Provenance::Genuine)));
        let mut value = serde_json::to_value(status_of(&files)).unwrap();
        hand(&disk, &mut value);
        write_json(&disk, &layout.status(&id), &value).unwrap();
        assert_eq!(provenance(&disk, &layout), Ok(Some(expected)));
        let problems = verify(&disk, &layout).unwrap().problems;
        let is_reported = problems.iter().any(|it| it.trouble == Trouble::StatusAltered);
        assert_eq!(is_reported, expected == Provenance::Altered, "{problems:?}");
    }
    use Provenance::{Altered, Genuine, Unrecorded};
    check(|_, _| {}, Genuine);
    check(|_, it| it["state"] = "READY_FOR_REVIEW".into(), Altered);
    check(|_, it| it["attempts_consumed"] = 9.into(), Altered);
    check(|_, it| it["a_new_field"] = 1.into(), Altered);
    check(|_, it| _ = it.as_object_mut().unwrap().remove("outbox"), Altered);
    // The one before the newest is what a crash may leave; an older one is not.
    let older = |version| serde_json::to_value(status(version)).unwrap();
    check(|_, it| *it = older(1), Altered);
    check(|disk, _| disk.remove(&layout().audit()).unwrap(), Unrecorded);
}

/// The process that brings the files in step may be stopped as well.
#[test]
fn bringing_files_in_step_survives_every_stop_point() {
    let (layout, id) = (layout(), task());
    // The machine stopped right after the status: nothing that follows from it is there.
    let behind = |disk: &SimDisk| {
        let files = TaskFiles::new(disk, &layout, &Noon, &id);
        create(&files).unwrap();
        let line = |note: Note| {
            let mut line = note.line(&id, 0, Timestamp::EPOCH);
            line.rest.insert("state_version".to_owned(), 2.into());
            line
        };
        let mut next = status(2);
        next.value.outbox = commit(2).notes.into_iter().map(line).collect();
        enter(disk, &layout, Some(&status_of(&files)), &next).unwrap();
        write_json(disk, &layout.status(&id), &next).unwrap();
    };
    let explored = explore(
        behind,
        |disk, _| {
            let files = TaskFiles::new(disk, &layout, &Noon, &id);
            let status =
                files.status().map_err(failed)?.present().ok_or(io::ErrorKind::NotFound)?;
            files.reconcile(&status).map_err(failed)
        },
        |image, _| match settled(image, &layout)? {
            2 => Ok(()),
            other => Err(format!("version {other}")),
        },
    );
    check_safe("reconcile", &explored);
}

#[test]
fn an_event_that_is_written_before_its_status_is_caught() {
    let (layout, id) = (layout(), task());
    let explored = explore(
        |disk| create(&TaskFiles::new(disk, &layout, &Noon, &id)).unwrap(),
        |disk, ledger| {
            let files = TaskFiles::new(disk, &layout, &Noon, &id);
            for note in commit(2).notes {
                files.append_note(note, 0).map_err(failed)?;
            }
            enter(disk, &layout, Some(&status_of(&files)), &status(2))?;
            write_json(disk, &layout.status(&id), &status(2)).map_err(failed)?;
            ledger.acknowledge(2);
            Ok(())
        },
        |image, _| settled(image, &layout).map(drop),
    );
    check_caught("events before their status", &explored);
}

/// The orders of the test: an answer, an override, an answer.
fn order(n: u64) -> OrderRecord {
    let actor = Actor { source: Source::Cli, id: "ann".to_owned() };
    let request_id: Option<RequestId> = format!("r{n}").parse().ok();
    let overrides = Overrides::of_attempts(5);
    let (order, resolved) = if n == 2 {
        let version = OverrideVersion {
            version: 1,
            task_id: task(),
            overrides: overrides.clone(),
            request_id: request_id.clone(),
            updated_at: Timestamp::EPOCH,
            actor: actor.clone(),
            rolled_back_to: None,
        };
        (Order::Override { overrides }, Some(version))
    } else {
        (Order::Answer { text: format!("answer {n}") }, None)
    };
    OrderRecord {
        seq: 0,
        created_at: Timestamp::EPOCH,
        task_id: task(),
        order,
        request_id,
        actor,
        seen: None,
        blind: false,
        resolved,
    }
}

/// Places an order, unless it is there already.
fn place(files: &TaskFiles<'_, SimDisk>, n: u64) -> Result<Placed, crate::FileError> {
    files.place_order(|earlier| {
        let new = order(n);
        let known = earlier.iter().find(|it| it.request_id == new.request_id).cloned();
        Ok(match known {
            Some(record) => Placed { record, standing: Standing::Repeated },
            None => Placed { record: new, standing: Standing::New },
        })
    })
}

/// The orders from 1 to `n` are there once, and so is what repeats them.
fn check_orders(image: &SimDisk, layout: &Layout, n: u64) -> Result<(), String> {
    let id = task();
    let files = TaskFiles::new(image, layout, &Noon, &id);
    let text = |it: crate::FileError| it.to_string();
    files.follow_orders().map_err(text)?;
    let orders = files.orders().map_err(text)?;
    let expected: Vec<_> = (1..=n).map(|it| OrderRecord { seq: it, ..order(it) }).collect();
    if orders != expected {
        return Err(format!("{n} orders: {orders:?}"));
    }
    let said: Vec<_> = files.user_input().map_err(text)?;
    let said: Vec<_> = said.into_iter().map(|it| (it.seq, it.text)).collect();
    let answers = [1, 3].into_iter().filter(|it| *it <= n).map(|it| format!("answer {it}"));
    if said != (1..).zip(answers).collect::<Vec<_>>() {
        return Err(format!("{n} orders, and people said {said:?}"));
    }
    let newest = order(2).resolved.filter(|_| n >= 2);
    for at in [layout.runtime_overrides(&id), layout.override_version(&id, 1)] {
        let kept = read_json::<_, RecordFile<OverrideVersion>>(image, &at).map_err(text)?;
        if kept.present().map(|it| it.value) != newest {
            return Err(format!("{n} orders, and `{}` disagrees", at.path()));
        }
    }
    Ok(())
}

/// LOOP-U5, LOOP-U6: an order that was acknowledged is there, and none is there twice, although
/// a sender without an answer sends it again.
#[test]
fn an_order_survives_every_stop_point() {
    let (layout, id) = (layout(), task());
    let explored = explore(
        |disk| create(&TaskFiles::new(disk, &layout, &Noon, &id)).unwrap(),
        |disk, ledger| {
            let files = TaskFiles::new(disk, &layout, &Noon, &id);
            for n in 1..=3 {
                place(&files, n).map_err(failed)?;
                ledger.acknowledge(n);
                files.follow_orders().map_err(failed)?;
            }
            Ok(())
        },
        |image, acknowledged| {
            let files = TaskFiles::new(image, &layout, &Noon, &id);
            let n = files.orders().map_err(|it| it.to_string())?.len() as u64;
            if n != acknowledged && n != acknowledged + 1 {
                return Err(format!("acknowledged {acknowledged}, found {n}"));
            }
            check_orders(image, &layout, n)?;
            for n in 1..=3 {
                place(&files, n).map_err(|it| it.to_string())?;
            }
            check_orders(image, &layout, 3)
        },
    );
    check_safe("orders", &explored);
}
