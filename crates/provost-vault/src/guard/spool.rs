//! Operations on the tracked state, none of which is lost.
//!
//! A process that cannot have the lock in time leaves its operation in a file of the spool. The
//! process that has the lock applies what waits there, oldest first, and writes the names of these
//! files into the state together with what they changed. So a crash before that write leaves the
//! files to the next one, and a crash behind it leaves names that tell the next one not to apply
//! them again. A name is dropped from the state only when the removal of its file is durable.

use std::time::Duration;

use provost_kernel::{
    RecordFile,
    guard::{Operation, Spooled, Tracking},
};

use super::GuardFiles;
use crate::{
    Disk, FileError, Location, TrackingError, modify_tracked, read::read_record_or_quarantine,
    read_record, write_json,
};

/// What became of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tracked {
    /// It is in the state.
    Applied(Tracking),
    /// It is in the spool: the next who has the lock applies it.
    Spooled,
}

/// How many operations of the spool are applied under one lock, so that it is never held long.
const MOST_AT_ONCE: usize = 1000;

/// How often the holder of the lock looks again for what was left meanwhile.
const MOST_LOOKS: usize = 8;

impl<D: Disk> GuardFiles<'_, D> {
    /// The tracked state, without what waits in the spool.
    pub fn tracking(&self) -> Result<Tracking, FileError> {
        let at = self.layout.tracking();
        let kept = read_record_or_quarantine(self.disk, self.layout, self.clock, &at)?;
        Ok(kept.map_or_else(Tracking::default, |it| it.value))
    }

    /// How many operations wait for the next holder of the lock.
    pub fn n_waiting(&self) -> usize {
        self.waiting(&[]).len()
    }

    /// Applies an operation, or leaves it to the next one if the lock cannot be had in time.
    pub fn track(
        &self,
        operation: &Operation,
        wait: Duration,
        apply: impl Fn(Tracking, &Operation) -> Tracking,
    ) -> Result<Tracked, TrackingError> {
        match self.change_tracking(wait, &apply, |state| apply(state, operation)) {
            Ok(state) => Ok(Tracked::Applied(state)),
            Err(TrackingError::Busy { .. } | TrackingError::TooSlow { .. }) => {
                self.spool(operation)?;
                // The holder of the lock may have looked before the file was there.
                match self.change_tracking(Duration::ZERO, &apply, |state| state) {
                    Ok(state) => Ok(Tracked::Applied(state)),
                    Err(_) => Ok(Tracked::Spooled),
                }
            }
            Err(error @ TrackingError::File(_)) => Err(error),
        }
    }

    /// Changes the tracked state, after what waits in the spool was applied.
    pub fn change_tracking(
        &self,
        wait: Duration,
        apply: impl Fn(Tracking, &Operation) -> Tracking,
        change: impl FnOnce(Tracking) -> Tracking,
    ) -> Result<Tracking, TrackingError> {
        let mut changed = self.change_once(wait, &apply, change)?;
        // A process that found the lock held meanwhile relies on us to look again.
        for _ in 0..MOST_LOOKS {
            if self.waiting(&changed.seen).is_empty() {
                break;
            }
            match self.change_once(Duration::ZERO, &apply, |state| state) {
                Ok(after) => changed = after,
                // Somebody else has the lock now and will look.
                Err(_) => break,
            }
        }
        Ok(changed.state)
    }

    fn change_once(
        &self,
        wait: Duration,
        apply: &impl Fn(Tracking, &Operation) -> Tracking,
        change: impl FnOnce(Tracking) -> Tracking,
    ) -> Result<Changed, TrackingError> {
        let mut seen = Vec::new();
        let after = modify_tracked(self.disk, self.layout, self.clock, wait, |mut kept| {
            let mut applied = self.clear(std::mem::take(&mut kept.value.applied));
            for name in self.waiting(&applied) {
                seen.push(name.clone());
                match self.take(&name) {
                    Taken::Operation(operation) => kept.value = apply(kept.value, &operation),
                    Taken::Nothing => {}
                    Taken::NotOurs => continue,
                }
                applied.push(name);
            }
            kept.value = change(kept.value);
            kept.value.applied = applied;
            kept
        })?;
        // What stays is removed by the next one.
        for name in &after.value.applied {
            let _ = self.disk.remove(&self.layout.spool().join(name));
        }
        seen.extend(after.value.applied.iter().cloned());
        Ok(Changed { state: after.value, seen })
    }

    /// Leaves an operation to the next one.
    fn spool(&self, operation: &Operation) -> Result<(), FileError> {
        // What waits here has no number to go by; the time is as good an order as there is.
        let (millis, id) = (self.clock.millis().0, uuid::Uuid::new_v4());
        let at = self.layout.spool().join(format!("{millis:015}-{id}.json"));
        let record = RecordFile::new(Spooled { operation: operation.clone() });
        write_json(self.disk, &at, &record).map(drop)
    }

    /// The names of the files that wait, oldest first, without those that are known.
    fn waiting(&self, known: &[String]) -> Vec<String> {
        // Hardly ever is there a spool at all; one that cannot be read waits for who can.
        let names = self.disk.list(&self.layout.spool()).unwrap_or_default();
        let waits = |name: &String| {
            let is_record = !name.starts_with('.') && name.strip_suffix(".json").is_some();
            is_record && !known.contains(name)
        };
        names.into_iter().filter(waits).take(MOST_AT_ONCE).collect()
    }

    /// Removes the files of operations that are in the state, durably; those that cannot be
    /// removed are named again.
    fn clear(&self, applied: Vec<String>) -> Vec<String> {
        if applied.is_empty() {
            return applied;
        }
        let folder = self.layout.spool();
        let stays = |name: &String| match self.disk.remove(&folder.join(name)) {
            Ok(()) => false,
            Err(error) => error.kind() != std::io::ErrorKind::NotFound,
        };
        let left = applied.into_iter().filter(stays).collect();
        // Best effort, as for every folder: some file systems cannot sync one.
        let _ = self.disk.sync_folder(&folder);
        left
    }

    fn take(&self, name: &str) -> Taken {
        let at = self.layout.spool().join(name);
        match read_record::<D, Spooled>(self.disk, &at) {
            Ok(stored) => match stored.present() {
                Some(kept) => Taken::Operation(kept.value.operation),
                None => self.put_aside(&at),
            },
            // A newer version wrote it, or it may not be read: it waits for who can.
            Err(_) => Taken::NotOurs,
        }
    }

    /// A file that holds no operation is kept as evidence and never looked at again.
    fn put_aside(&self, at: &Location) -> Taken {
        match read_record_or_quarantine::<D, Spooled>(self.disk, self.layout, self.clock, at) {
            Ok(_) => Taken::Nothing,
            Err(_) => Taken::NotOurs,
        }
    }
}

/// The state after a change, and the files of the spool that were looked at.
struct Changed {
    state: Tracking,
    seen: Vec<String>,
}

/// What a file of the spool holds.
enum Taken {
    Operation(Operation),
    Nothing,
    NotOurs,
}

#[cfg(test)]
mod tests;
