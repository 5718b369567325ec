//! How the files of a task look: while that stays the same, so does everything that is read of it.

use std::{fmt::Write as _, io};

use provost_kernel::{Clock as _, Digest, Millis};

use super::TaskFiles;
use crate::{Action, Disk, FileError, Kind, Location, Stamp, SystemClock, audit::StatusMemory};

/// How the files of a task looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskStamp(Digest);

/// Which files of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// What a look at its state reads.
    State,
    Everything,
}

/// Folders lie no deeper below that of a task.
const DEEPEST: usize = 12;

impl<D: Disk> TaskFiles<'_, D> {
    /// How the files of the task look now, and what the chain says of its state; none where the next
    /// write could leave the same.
    pub fn stamp(
        &self,
        extent: Extent,
        memory: &StatusMemory,
    ) -> Result<Option<TaskStamp>, FileError> {
        let mut stamps =
            Stamps { now: SystemClock.millis(), is_settled: true, text: String::new() };
        let newest = memory.now(self.disk, self.layout)?.newest(self.task);
        // Writing to a text cannot fail.
        let _ = write!(stamps.text, "{extent:?} {newest:?}");
        stamps.add_file(self.disk, &self.layout.index_entry(self.task))?;
        match extent {
            Extent::State => {
                stamps.add_file(self.disk, &self.layout.status(self.task))?;
                stamps.add_file(self.disk, &self.layout.events(self.task))?;
            }
            Extent::Everything => {
                stamps.add_folder(self.disk, &self.layout.task(self.task), DEEPEST)?;
            }
        }
        let Stamps { is_settled, text, .. } = stamps;
        Ok(is_settled.then(|| TaskStamp(Digest::of_bytes(text.as_bytes()))))
    }
}

struct Stamps {
    now: Millis,
    is_settled: bool,
    text: String,
}

impl Stamps {
    fn add(&mut self, name: &str, stamp: Stamp) {
        self.is_settled &= stamp.is_settled(self.now);
        let Stamp { len, identity: (device, number), modified, changed } = stamp;
        let _ = write!(self.text, "\n{name} {len} {device} {number} {modified} {changed}");
    }

    fn add_file<D: Disk>(&mut self, disk: &D, at: &Location) -> Result<(), FileError> {
        match disk.stat(at) {
            Ok(stat) => self.add(at.name(), stat.stamp),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.text.push_str("\nnone"),
            Err(error) => return Err(FileError::on(Action::Read, at)(error)),
        }
        Ok(())
    }

    fn add_folder<D: Disk>(
        &mut self,
        disk: &D,
        at: &Location,
        depth: usize,
    ) -> Result<(), FileError> {
        let found = match disk.list_stats(at) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.text.push_str("\nnone");
                return Ok(());
            }
            Err(error) => return Err(FileError::on(Action::List, at)(error)),
        };
        for (name, stat) in found {
            self.add(&name, stat.stamp);
            if stat.kind == Kind::Folder {
                match depth.checked_sub(1) {
                    Some(depth) => self.add_folder(disk, &at.join(&name), depth)?,
                    // What lies deeper is not looked at.
                    None => self.is_settled = false,
                }
            }
        }
        self.text.push_str("\nend");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;
    use provost_kernel::{AttemptNumber, Clock, TaskId};

    use super::*;
    use crate::{AttemptFile, Layout, sim::SimDisk, write_atomic};

    struct Noon;

    impl Clock for Noon {
        fn millis(&self) -> Millis {
            Millis(43_200_000)
        }
    }

    /// Whatever is written to a task is seen, and nothing else is.
    #[test]
    fn a_stamp_stays_as_long_as_the_files_do() {
        let (disk, memory) = (SimDisk::default(), StatusMemory::default());
        let layout = Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"));
        let (task, other): (TaskId, TaskId) = ("t1".parse().unwrap(), "t2".parse().unwrap());
        let files = TaskFiles::new(&disk, &layout, &Noon, &task);
        let decision = layout.attempt_file(&task, AttemptNumber::FIRST, AttemptFile::Decision);
        let mut before = None;
        for (at, text, is_state, is_any) in [
            (layout.status(&task), "{}", true, true),
            (layout.events(&task), "{}", true, true),
            (layout.index_entry(&task), "{}", true, true),
            (layout.status(&other), "{}", false, false),
            (layout.index_entry(&other), "{}", false, false),
            (decision.clone(), "{}", false, true),
            // The same bytes again: another file.
            (decision, "{}", false, true),
            (layout.review(&task), "{}", false, true),
            (layout.status(&task), "{}", true, true),
        ] {
            write_atomic(&disk, &at, text.as_bytes()).unwrap();
            let stamp = |extent| files.stamp(extent, &memory).unwrap().unwrap();
            let now = (stamp(Extent::State), stamp(Extent::Everything));
            assert_eq!(now, (stamp(Extent::State), stamp(Extent::Everything)));
            if let Some((state, any)) = before {
                assert_eq!(now.0 != state, is_state, "{at:?}");
                assert_eq!(now.1 != any, is_any, "{at:?}");
            }
            before = Some(now);
        }
    }
}
