//! Writes that may wait a moment, so that a burst becomes one (HOOK-2.2).
//!
//! For long-lived processes only: a one-shot hook writes at once. What is waiting is written
//! after 100 ms of quiet, at the latest one second after the first change, and in any case when
//! the writer is dropped. One thread does it, so two flushes never run at the same time.

use std::{
    collections::BTreeMap,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use crate::{Disk, FileError, Location, write_atomic};

/// How long a file must be quiet before it is written.
const QUIET: Duration = Duration::from_millis(100);

/// How long a file that is never quiet may wait.
const LONGEST: Duration = Duration::from_secs(1);

/// A writer that keeps the newest contents of each file and writes them a moment later.
#[derive(Debug)]
pub struct DebouncedWriter {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: BTreeMap<Location, Waiting>,
    /// Contents that could not be written stay in `waiting`; this says why, last failure only.
    failures: BTreeMap<Location, FileError>,
    is_flushing: bool,
    wants_flush: bool,
    is_closed: bool,
}

#[derive(Debug)]
struct Waiting {
    bytes: Vec<u8>,
    first: Instant,
    last: Instant,
}

impl DebouncedWriter {
    /// Starts a writer on a disk.
    pub fn start<D: Disk + 'static>(disk: D) -> Self {
        let shared = Arc::new(Shared::default());
        let thread = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.run(&disk)
        });
        Self { shared, thread: Some(thread) }
    }

    /// Replaces the file at a location, soon; a later call for the same file replaces this one.
    pub fn put(&self, at: &Location, bytes: Vec<u8>) {
        let now = Instant::now();
        let mut queue = self.shared.queue();
        let first = queue.waiting.get(at).map_or(now, |it| it.first);
        queue.waiting.insert(at.clone(), Waiting { bytes, first, last: now });
        self.shared.changed.notify_all();
    }

    /// Writes everything that is waiting now, and says what could not be written since the last
    /// call; that stays waiting and is tried again with the next flush.
    pub fn flush(&self) -> Result<(), Vec<FileError>> {
        let mut queue = self.shared.queue();
        queue.wants_flush = true;
        self.shared.changed.notify_all();
        while queue.wants_flush || queue.is_flushing {
            queue = self.shared.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        let failures = std::mem::take(&mut queue.failures);
        if failures.is_empty() { Ok(()) } else { Err(failures.into_values().collect()) }
    }
}

impl Drop for DebouncedWriter {
    fn drop(&mut self) {
        self.shared.queue().is_closed = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, disk: &impl Disk) {
        let mut queue = self.queue();
        loop {
            let is_last = queue.is_closed;
            let now = Instant::now();
            if is_last || queue.wants_flush {
                queue = self.write(disk, queue, |_| true);
            } else {
                let patience = queue.waiting.values().map(|it| it.patience(now)).min();
                queue = match patience {
                    None => self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
                    Some(Duration::ZERO) => {
                        self.write(disk, queue, |it| it.patience(now).is_zero())
                    }
                    Some(patience) => {
                        let waited = self.changed.wait_timeout(queue, patience);
                        waited.unwrap_or_else(PoisonError::into_inner).0
                    }
                };
            }
            if is_last {
                return;
            }
        }
    }

    /// Writes the chosen files, without keeping others from putting new contents meanwhile.
    fn write<'a>(
        &'a self,
        disk: &impl Disk,
        mut queue: MutexGuard<'a, Queue>,
        is_chosen: impl Fn(&Waiting) -> bool,
    ) -> MutexGuard<'a, Queue> {
        let chosen: BTreeMap<Location, Waiting> =
            queue.waiting.extract_if(.., |_, it| is_chosen(it)).collect();
        queue.wants_flush = false;
        queue.is_flushing = true;
        drop(queue);

        let results: Vec<_> = chosen
            .into_iter()
            .map(|(at, waiting)| (write_atomic(disk, &at, &waiting.bytes), at, waiting))
            .collect();

        let mut queue = self.queue();
        for (result, at, waiting) in results {
            if let Err(error) = result {
                queue.failures.insert(at.clone(), error);
                // Newer contents, if somebody put them meanwhile, are the ones to keep.
                let now = Instant::now();
                let again = Waiting { first: now, last: now, ..waiting };
                queue.waiting.entry(at).or_insert(again);
            }
        }
        queue.is_flushing = false;
        self.changed.notify_all();
        queue
    }
}

impl Waiting {
    /// How much longer this may wait.
    fn patience(&self, now: Instant) -> Duration {
        let quiet = (self.last + QUIET).saturating_duration_since(now);
        let longest = (self.first + LONGEST).saturating_duration_since(now);
        quiet.min(longest)
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::{Layout, Stored, read_json, sim::SimDisk};

    fn places() -> [Location; 2] {
        let layout = Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"));
        [layout.tracking(), layout.last_tool_error()]
    }

    #[track_caller]
    fn check(first_ms: u64, last_ms: u64, now_ms: u64, expected_ms: u64) {
        let start = Instant::now();
        let after = |ms| start + Duration::from_millis(ms);
        let waiting = Waiting { bytes: Vec::new(), first: after(first_ms), last: after(last_ms) };
        assert_eq!(waiting.patience(after(now_ms)), Duration::from_millis(expected_ms));
    }

    /// HOOK-2.2: 100 ms after the last change.
    #[test]
    fn a_file_waits_for_quiet_but_not_for_ever() {
        check(0, 0, 0, 100);
        check(0, 0, 60, 40);
        check(0, 60, 60, 100);
        check(0, 950, 950, 50);
        check(0, 999, 1000, 0);
        check(0, 0, 5000, 0);
    }

    /// HOOK-2.2: flushed at exit, the newest contents win.
    #[test]
    fn a_burst_becomes_one_write_and_nothing_is_lost_at_the_end() {
        let disk = Arc::new(SimDisk::default());
        let [one, two] = places();
        let writer = DebouncedWriter::start(Arc::clone(&disk));
        for n in 0..1000 {
            writer.put(&one, n.to_string().into_bytes());
        }
        writer.flush().unwrap();
        assert_eq!(read_json::<_, u64>(&*disk, &one).unwrap(), Stored::Present(999));
        let steps = disk.steps();

        writer.put(&two, b"7".to_vec());
        drop(writer);
        assert_eq!(read_json::<_, u64>(&*disk, &two).unwrap(), Stored::Present(7));
        assert!(disk.steps() - steps <= 7, "one write, not many");
    }

    #[test]
    fn what_cannot_be_written_is_reported_and_kept() {
        let disk = Arc::new(SimDisk::with_power(0));
        let [one, _] = places();
        let writer = DebouncedWriter::start(Arc::clone(&disk));
        writer.put(&one, b"1".to_vec());
        let failures = writer.flush().unwrap_err();
        assert_eq!(failures[0].path, one.path());
        assert!(writer.shared.queue().waiting.contains_key(&one), "it stays waiting");
    }
}
