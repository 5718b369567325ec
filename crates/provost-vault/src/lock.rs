//! The lock of a task: one coordinator at a time (LOOP-U9).
//!
//! The truth is an OS lock, which the kernel frees when its holder dies. The file also names the
//! holder, for people and for hosts that share the folder but not the lock. The file is never
//! removed, so that no process locks a file that has lost its name.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread::JoinHandle,
    time::Duration,
};

use provost_kernel::{Clock, Message, Millis, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    Action, Disk, FileError, Location, ProcessIdentity, RealDisk,
    disk::{open_in_folder, read_all},
};

/// How long a holder on another host may be silent before its lock is taken over.
pub const STALE_AFTER: Duration = Duration::from_mins(30);

/// When a holder speaks, and when its silence counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// How often a holder says that it is still there.
    pub heartbeat: Duration,
    /// How long a holder on another host may be silent before its lock is taken over.
    pub stale_after: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self { heartbeat: Duration::from_secs(10), stale_after: STALE_AFTER }
    }
}

/// The lock file has one size, so that writing it never needs new space on a full disk.
const RECORD_LEN: usize = 1024;

/// Who holds a lock, or held it last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    pub schema: String,
    pub process: ProcessIdentity,
    pub since: Timestamp,
    pub heartbeat: Millis,
    /// Whether the holder let go of it in order.
    pub released: bool,
}

/// Why a lock that was not released could be taken all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TakeOver {
    /// The holder's process ended without releasing it.
    HolderGone,
    /// The holder is on another host and has been silent for too long.
    HolderSilent,
    /// The machine stopped while the file was written.
    HolderUnreadable,
}

/// A lock that is held. Dropping it releases it.
#[derive(Debug)]
pub struct Lock<'a, D: Disk> {
    disk: &'a D,
    at: Location,
    file: D::File,
    holder: Holder,
    /// What there was to take over, for a `LOCK_STALE_CLEARED` event.
    pub taken_over: Option<(TakeOver, Option<Holder>)>,
}

/// A held lock whose heartbeat runs by itself.
#[derive(Debug)]
pub struct TaskLock {
    lock: Arc<Mutex<Lock<'static, RealDisk>>>,
    stop: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

/// Why a lock was not taken.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "vault.lock")]
pub enum LockError {
    #[message(
        en = "`{at}` is locked by {process}",
        zh = "`{at}` 已被锁定：{process}",
        arg(process = Occupant::of(holder.as_deref())),
        hint(
            en = "wait until it is done, or end that process; nothing was changed",
            zh = "请等待其完成，或结束该进程；没有任何更改"
        ),
        exit = Conflict
    )]
    Held { at: Location, holder: Option<Box<Holder>> },
    #[error(transparent)]
    #[message(transparent)]
    File(#[from] FileError),
}

/// The process that holds a lock, as far as the lock file names it.
#[derive(Debug, Message)]
#[message(code = "vault.lock_holder")]
pub enum Occupant<'a> {
    #[message(en = "another process", zh = "其他进程")]
    Unknown,
    #[message(
        en = "process {pid} on `{host}` since {since}",
        zh = "`{host}` 上的进程 {pid}（自 {since} 起）"
    )]
    Process { pid: u32, host: &'a str, since: Timestamp },
}

impl<'a> Occupant<'a> {
    pub fn of(holder: Option<&'a Holder>) -> Self {
        holder.map_or(Self::Unknown, |it| Self::Process {
            pid: it.process.pid,
            host: &it.process.host,
            since: it.since,
        })
    }
}

/// What the record in a lock file means to one who has the OS lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Free,
    Stale(TakeOver),
    Held,
}

impl<'a, D: Disk> Lock<'a, D> {
    /// Takes the lock, or says who holds it. Never takes it from a live holder on this host.
    pub fn acquire(
        disk: &'a D,
        at: &Location,
        clock: &dyn Clock,
        stale_after: Duration,
    ) -> Result<Self, LockError> {
        let file = open_in_folder(disk, at, |disk| disk.open_lock(at))
            .map_err(FileError::on(Action::Open, at))?;
        let is_ours = lock_briefly(disk, at, &file)?;
        let previous = read(disk, at, &file)?;
        if !is_ours {
            let holder = previous.and_then(Result::ok).map(Box::new);
            return Err(LockError::Held { at: at.clone(), holder });
        }
        let process = ProcessIdentity::current();
        let taken_over = match standing(previous.as_ref(), &process, clock.millis(), stale_after) {
            Standing::Free => None,
            Standing::Stale(why) => Some((why, previous.and_then(Result::ok))),
            Standing::Held => {
                let _ = disk.unlock(&file);
                let holder = previous.and_then(Result::ok).map(Box::new);
                return Err(LockError::Held { at: at.clone(), holder });
            }
        };
        let holder = Holder {
            schema: "provost.lock/1".to_owned(),
            process,
            since: clock.now(),
            heartbeat: clock.millis(),
            released: false,
        };
        let lock = Self { disk, at: at.clone(), file, holder, taken_over };
        lock.record()?;
        Ok(lock)
    }

    /// Says that the holder is still there.
    pub fn beat(&mut self, clock: &dyn Clock) -> Result<(), FileError> {
        self.holder.heartbeat = clock.millis();
        self.record()
    }

    fn record(&self) -> Result<(), FileError> {
        let fail = || FileError::on(Action::Write, &self.at);
        let mut bytes =
            serde_json::to_vec(&self.holder).map_err(std::io::Error::from).map_err(fail())?;
        bytes.resize(bytes.len().max(RECORD_LEN - 1), b' ');
        bytes.push(b'\n');
        let written = self.disk.write_at(&self.file, &bytes, 0).map_err(fail())?;
        if written == bytes.len() {
            Ok(())
        } else {
            Err(fail()(std::io::ErrorKind::WriteZero.into()))
        }
    }
}

impl<D: Disk> Drop for Lock<'_, D> {
    fn drop(&mut self) {
        // If the record cannot be written, the next holder finds a free lock and a name that is
        // gone: it takes over and says so.
        self.holder.released = true;
        let _ = self.record();
        let _ = self.disk.unlock(&self.file);
    }
}

impl TaskLock {
    /// Takes the lock of a task and keeps its heartbeat going until it is dropped.
    pub fn acquire(
        at: &Location,
        clock: Arc<dyn Clock>,
        timing: Timing,
    ) -> Result<Self, LockError> {
        static DISK: RealDisk = RealDisk;
        let lock = Lock::acquire(&DISK, at, &*clock, timing.stale_after)?;
        let lock = Arc::new(Mutex::new(lock));
        let stop = Arc::new((Mutex::new(false), Condvar::new()));
        let thread = std::thread::spawn({
            let (lock, stop) = (Arc::clone(&lock), Arc::clone(&stop));
            move || {
                let (stopped, changed) = &*stop;
                let mut guard = stopped.lock().unwrap_or_else(PoisonError::into_inner);
                while !*guard {
                    guard = changed
                        .wait_timeout(guard, timing.heartbeat)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0;
                    // A beat that cannot be written is tried again; the OS lock still holds.
                    let mut lock = lock.lock().unwrap_or_else(PoisonError::into_inner);
                    let _ = lock.beat(&*clock);
                }
            }
        });
        Ok(Self { lock, stop, thread: Some(thread) })
    }

    /// Who holds it: this process, with its last heartbeat.
    pub fn holder(&self) -> Holder {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner).holder.clone()
    }

    /// What there was to take over, for a `LOCK_STALE_CLEARED` event.
    pub fn taken_over(&self) -> Option<(TakeOver, Option<Holder>)> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner).taken_over.clone()
    }
}

impl Drop for TaskLock {
    fn drop(&mut self) {
        let (stopped, changed) = &*self.stop;
        *stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
        changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Who holds a lock, or held it last, as the file says; none where it was never held. It takes
/// nothing.
pub fn holder<D: Disk>(disk: &D, at: &Location) -> Result<Option<Holder>, FileError> {
    let file = match disk.open(at) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FileError::on(Action::Open, at)(error)),
    };
    Ok(read(disk, at, &file)?.and_then(Result::ok))
}

/// Reads a record as one who has the OS lock: its previous holder has let go of it.
fn standing(
    record: Option<&Result<Holder, ()>>,
    me: &ProcessIdentity,
    now: Millis,
    stale_after: Duration,
) -> Standing {
    match record {
        None => Standing::Free,
        Some(Err(())) => Standing::Stale(TakeOver::HolderUnreadable),
        Some(Ok(holder)) if holder.released => Standing::Free,
        Some(Ok(holder)) if holder.process.host == me.host => Standing::Stale(TakeOver::HolderGone),
        // The OS lock of another host may not reach us: only its silence counts.
        Some(Ok(holder)) if now.since(holder.heartbeat) > stale_after => {
            Standing::Stale(TakeOver::HolderSilent)
        }
        Some(Ok(_)) => Standing::Held,
    }
}

/// Takes the OS lock if it is free, or about to be.
///
/// A holder that was killed while it started a child shares the lock with that child until the
/// child's own program begins: a moment later it is free.
fn lock_briefly<D: Disk>(disk: &D, at: &Location, file: &D::File) -> Result<bool, FileError> {
    const TRIES: u32 = 20;
    for _ in 0..TRIES {
        if disk.try_lock(file).map_err(FileError::on(Action::Lock, at))? {
            return Ok(true);
        }
        match read(disk, at, file)? {
            Some(Ok(holder)) if holder.released || !holder.process.is_running() => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Some(_) | None => return Ok(false),
        }
    }
    Ok(false)
}

/// The record in a lock file: none in a new one, an error in one that is not whole.
fn read<D: Disk>(
    disk: &D,
    at: &Location,
    file: &D::File,
) -> Result<Option<Result<Holder, ()>>, FileError> {
    let bytes = read_all(disk, file).map_err(FileError::on(Action::Read, at))?;
    if bytes.iter().all(|&byte| byte == 0) {
        return Ok(None);
    }
    Ok(Some(serde_json::from_slice(&bytes).map_err(drop)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn me() -> ProcessIdentity {
        ProcessIdentity { pid: 7, started: None, boot: None, host: "here".to_owned() }
    }

    fn holder(host: &str, heartbeat: u64, released: bool) -> Holder {
        Holder {
            schema: "provost.lock/1".to_owned(),
            process: ProcessIdentity { host: host.to_owned(), ..me() },
            since: Timestamp::EPOCH,
            heartbeat: Millis(heartbeat),
            released,
        }
    }

    #[track_caller]
    fn check(record: Option<Result<Holder, ()>>, expected: Standing) {
        let now = Millis(10_000_000);
        let actual = standing(record.as_ref(), &me(), now, STALE_AFTER);
        assert_eq!(actual, expected, "{record:?}");
    }

    /// LOOP-U9: a dead holder, or one that is silent for 30 minutes, is taken over.
    #[test]
    fn a_free_os_lock_is_read_with_its_record() {
        let silent = 10_000_000 - 30 * 60 * 1000;
        check(None, Standing::Free);
        check(Some(Err(())), Standing::Stale(TakeOver::HolderUnreadable));
        check(Some(Ok(holder("here", 0, true))), Standing::Free);
        check(Some(Ok(holder("there", 0, true))), Standing::Free);
        check(Some(Ok(holder("here", 9_999_999, false))), Standing::Stale(TakeOver::HolderGone));
        check(Some(Ok(holder("there", 9_999_999, false))), Standing::Held);
        check(Some(Ok(holder("there", silent, false))), Standing::Held);
        check(
            Some(Ok(holder("there", silent - 1, false))),
            Standing::Stale(TakeOver::HolderSilent),
        );
        // A clock that runs ahead is not silence.
        check(Some(Ok(holder("there", 99_000_000, false))), Standing::Held);
    }
}
