//! The tracked state of subagents, changed by many short processes at once (HOOK-2.2).
//!
//! Each change is an operation applied under the lock: lock, read, modify, atomic write. So no
//! count is lost, which merging snapshots cannot promise. The lock file keeps the name and the
//! content `PID:timestamp` that other tools know; an OS lock on it decides, and the content is
//! respected where it was written by a tool that takes no OS lock.

use std::time::Duration;

use provost_kernel::{Clock, Message, Millis, RecordFile, guard::Tracking};

use crate::{
    Action, Disk, FileError, Layout, Location,
    disk::{open_in_folder, read_all},
    process::is_alive,
    read::read_record_or_quarantine,
    write_json,
};

/// How long the lock is waited for by a caller that has the time.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// The age at which the lock of another tool is stale.
const STALE_AFTER: Duration = Duration::from_secs(5);

/// How long we allow ourselves to hold the lock: well below what others call stale.
const LONGEST_HOLD: Duration = Duration::from_secs(2);

const PAUSE: Duration = Duration::from_millis(1);

/// Why tracked state was not changed. Nothing was written.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "vault.tracking", exit = Conflict)]
pub enum TrackingError {
    /// Another process held the lock all the time.
    #[message(
        en = "`{at}` stayed locked for {waited} ms",
        zh = "`{at}` 被锁定超过 {waited} 毫秒",
        arg(waited = waited.as_millis()),
        hint(en = "nothing was written: try again", zh = "没有写入任何内容：请重试")
    )]
    Busy { at: Location, waited: Duration },
    /// The change took so long that others may already consider the lock stale.
    #[message(
        en = "changing `{at}` took more than 2 seconds",
        zh = "修改 `{at}` 用时超过 2 秒",
        hint(en = "nothing was written: try again", zh = "没有写入任何内容：请重试")
    )]
    TooSlow { at: Location },
    #[error(transparent)]
    #[message(transparent)]
    File(#[from] FileError),
}

/// Changes the tracked state: `change` gets what is stored, or the empty state.
///
/// The lock is waited for, but no longer than `wait`. A corrupt state is put aside and recorded,
/// and the change starts from the empty one (HOOK-2.5); one of a newer version is an error.
pub fn modify_tracked<D: Disk>(
    disk: &D,
    layout: &Layout,
    clock: &dyn Clock,
    wait: Duration,
    change: impl FnOnce(RecordFile<Tracking>) -> RecordFile<Tracking>,
) -> Result<RecordFile<Tracking>, TrackingError> {
    let lock = TrackingLock::acquire(disk, &layout.tracking_lock(), clock, wait)?;
    let at = layout.tracking();
    let before = read_record_or_quarantine(disk, layout, clock, &at)?;
    let after = change(before.unwrap_or_else(|| RecordFile::new(Tracking::default())));
    if clock.millis().since(lock.since) > LONGEST_HOLD {
        return Err(TrackingError::TooSlow { at });
    }
    write_json(disk, &at, &after)?;
    Ok(after)
}

struct TrackingLock<'a, D: Disk> {
    disk: &'a D,
    file: D::File,
    since: Millis,
}

impl<'a, D: Disk> TrackingLock<'a, D> {
    fn acquire(
        disk: &'a D,
        at: &Location,
        clock: &dyn Clock,
        wait: Duration,
    ) -> Result<Self, TrackingError> {
        let begin = clock.millis();
        // Counting the pauses bounds the wait even if the clock is set back meanwhile.
        for n_pauses in 0..=wait.as_millis() / PAUSE.as_millis() {
            if n_pauses > 0 {
                std::thread::sleep(PAUSE);
            }
            if let Some(file) = take(disk, at, clock)? {
                return Ok(Self { disk, file, since: clock.millis() });
            }
            if clock.millis().since(begin) >= wait {
                break;
            }
        }
        Err(TrackingError::Busy { at: at.clone(), waited: wait })
    }
}

impl<D: Disk> Drop for TrackingLock<'_, D> {
    fn drop(&mut self) {
        // Without content the file means "free" to a tool that looks only at the content.
        let _ = self.disk.truncate(&self.file, 0);
        let _ = self.disk.unlock(&self.file);
    }
}

/// Takes the lock, unless somebody holds it: a provost by the OS lock, another tool by its words.
fn take<D: Disk>(disk: &D, at: &Location, clock: &dyn Clock) -> Result<Option<D::File>, FileError> {
    let file = open_in_folder(disk, at, |disk| disk.open_lock(at))
        .map_err(FileError::on(Action::Open, at))?;
    let fail = || FileError::on(Action::Lock, at);
    if !disk.try_lock(&file).map_err(fail())? {
        return Ok(None);
    }
    let content = read_all(disk, &file).map_err(FileError::on(Action::Read, at))?;
    if is_held(&content, clock.millis(), is_alive) {
        disk.unlock(&file).map_err(fail())?;
        return Ok(None);
    }
    let content = format!("{}:{}", std::process::id(), clock.millis().0);
    disk.truncate(&file, 0).map_err(fail())?;
    disk.write_at(&file, content.as_bytes(), 0).map_err(fail())?;
    // A tool that frees its lock by removing the file may have removed this one, until it could
    // read that we have it.
    if !disk.is_current(&file, at).map_err(fail())? {
        disk.unlock(&file).map_err(fail())?;
        return Ok(None);
    }
    Ok(Some(file))
}

/// Whether the content of a lock file says that somebody holds it.
fn is_held(content: &[u8], now: Millis, is_alive: impl Fn(u32) -> bool) -> bool {
    let holder = std::str::from_utf8(content)
        .ok()
        .and_then(|text| text.split_once(':'))
        .and_then(|(pid, since)| Some((pid.parse().ok()?, since.trim().parse().ok()?)));
    match holder {
        // A time far ahead is not a time: waiting for it to pass would be waiting for ever.
        Some((pid, since)) => {
            let (since, stale) = (Millis(since), STALE_AFTER);
            now.since(since) <= stale && since.since(now) <= stale && is_alive(pid)
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use camino::Utf8Path;
    use serde_json::json;

    use super::*;
    use crate::{read_json, sim::SimDisk};

    /// A clock that moves on by a fixed amount each time somebody looks.
    struct Ticking(AtomicU64, u64);

    impl Clock for Ticking {
        fn millis(&self) -> Millis {
            Millis(self.0.fetch_add(self.1, Ordering::Relaxed))
        }
    }

    fn layout() -> Layout {
        Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"))
    }

    #[track_caller]
    fn check(content: &str, alive: bool, expected: bool) {
        let actual = is_held(content.as_bytes(), Millis(10_000), |_| alive);
        assert_eq!(actual, expected, "{content:?}");
    }

    /// HOOK-2.2: `PID:timestamp`, stale after 5 s or a dead holder.
    #[test]
    fn a_lock_is_stale_by_age_or_by_a_dead_holder() {
        check("12:9999", true, true);
        check("12:5000", true, true);
        check("12:4999", true, false);
        check("12:9999", false, false);
        check("", true, false);
        check("12", true, false);
        check("12abc:9999", true, false);
        check("x:y", true, false);
        check("12:15000", true, true);
        check("12:15001", true, false);
    }

    /// One more agent was started.
    fn count(mut kept: RecordFile<Tracking>) -> RecordFile<Tracking> {
        kept.value.total_spawned += 1;
        kept
    }

    fn stored(disk: &SimDisk, layout: &Layout) -> serde_json::Value {
        read_json(disk, &layout.tracking()).unwrap().present().unwrap_or_default()
    }

    /// HOOK-2.2.
    #[test]
    fn a_change_is_applied_to_what_is_stored_and_frees_the_lock() {
        let (disk, layout) = (SimDisk::default(), layout());
        let clock = Ticking(AtomicU64::new(1000), 1);
        for n in 1..=3_u64 {
            let after = modify_tracked(&disk, &layout, &clock, PATIENCE, count).unwrap();
            assert_eq!(after.value.total_spawned, n);
        }
        let lock = disk.open(&layout.tracking_lock()).unwrap();
        assert_eq!(read_all(&disk, &lock).unwrap(), b"", "free to those who look at the content");
    }

    /// HOOK-2.2: what another version wrote is kept, and one from the future is not touched.
    #[test]
    fn what_is_not_known_is_kept_and_a_newer_state_is_refused() {
        let (disk, layout) = (SimDisk::default(), layout());
        let modify =
            || modify_tracked(&disk, &layout, &Ticking(AtomicU64::new(0), 0), PATIENCE, count);
        let original = json!({"agents": [], "total_spawned": 4, "later": {"x": [1]}});
        write_json(&disk, &layout.tracking(), &original).unwrap();
        modify().unwrap();
        let after = stored(&disk, &layout);
        assert_eq!((&after["total_spawned"], &after["later"]), (&json!(5), &json!({"x": [1]})));
        assert_eq!(after["schema"], "provost.tracking/1");

        let newer = json!({"schema": "provost.tracking/2", "total_spawned": 7});
        write_json(&disk, &layout.tracking(), &newer).unwrap();
        let error = modify().unwrap_err();
        assert_eq!(error.to_string(), "cannot parse `/h/guard/subagent-tracking.json`");
        assert_eq!(error.hints()[0].to_string(), "a newer provost wrote it: use that one");
        assert_eq!(stored(&disk, &layout), newer);
        assert!(modify().is_err(), "the lock is free again");
    }

    #[test]
    fn a_fresh_lock_of_another_tool_is_respected_and_a_stale_one_is_not() {
        let (disk, layout) = (SimDisk::default(), layout());
        let wait = Duration::from_millis(3);
        let modify = |start: u64, step: u64| {
            let clock = Ticking(AtomicU64::new(start), step);
            modify_tracked(&disk, &layout, &clock, wait, count)
        };
        modify(0, 0).unwrap();
        let lock = disk.open_lock(&layout.tracking_lock()).unwrap();
        let content = format!("{}:1000", std::process::id());
        disk.write_at(&lock, content.as_bytes(), 0).unwrap();
        // A clock that stands still: the other's lock never becomes stale.
        let error = modify(6_000, 0).unwrap_err();
        assert_eq!(error.to_string(), "`/h/guard/subagent-tracker.lock` stayed locked for 3 ms");
        assert_eq!(error.exit(), provost_kernel::Exit::Conflict);
        assert_eq!(modify(6_001, 0).unwrap().value.total_spawned, 2);
    }

    /// HOOK-2.2: another provost is waited for, but not for ever.
    #[test]
    fn a_lock_of_another_provost_is_waited_for_and_then_given_up() {
        let (disk, layout) = (SimDisk::default(), layout());
        let clock = Ticking(AtomicU64::new(0), 0);
        let modify = |wait| modify_tracked(&disk, &layout, &clock, wait, count);
        modify(Duration::ZERO).unwrap();
        let lock = disk.open_lock(&layout.tracking_lock()).unwrap();
        assert!(disk.try_lock(&lock).unwrap());
        for wait in [Duration::ZERO, Duration::from_millis(2)] {
            assert!(matches!(modify(wait), Err(TrackingError::Busy { .. })));
        }
        disk.unlock(&lock).unwrap();
        assert_eq!(modify(Duration::ZERO).unwrap().value.total_spawned, 2);
    }

    #[test]
    fn a_change_that_takes_too_long_is_not_written() {
        let (disk, layout) = (SimDisk::default(), layout());
        let clock = Ticking(AtomicU64::new(0), 0);
        let slow = modify_tracked(&disk, &layout, &clock, PATIENCE, |it| {
            clock.0.fetch_add(2_001, Ordering::Relaxed);
            count(it)
        });
        assert!(matches!(slow, Err(TrackingError::TooSlow { .. })));
        assert_eq!(stored(&disk, &layout), serde_json::Value::Null);
    }
}
