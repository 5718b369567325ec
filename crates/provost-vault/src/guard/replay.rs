//! Replays: what the agents of a session did, line by line (HOOK-2.6).
//!
//! A line is one write at the end of the file, so that hooks need no lock; nothing is concluded
//! from a replay, so that nothing waits for the disk either.

use std::io;

use provost_kernel::{Millis, SessionId, guard::ReplayEvent};
use serde::Deserialize;

use super::GuardFiles;
use crate::{Action, Disk, Expired, FileError, Retention, disk::open_in_folder, sweep_replays};

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    Written,
    /// The replay has as many bytes as it may have.
    Full,
}

/// What was removed because it has had its time.
#[derive(Debug, Default)]
pub struct Pruned {
    pub removed: Vec<Expired>,
    pub failed: Vec<FileError>,
}

/// What the first line says of the time.
#[derive(Deserialize)]
struct First {
    ts: Millis,
}

impl<D: Disk> GuardFiles<'_, D> {
    /// Adds a line to the replay of a session; the newline is added here.
    pub fn append_replay(&self, session: &SessionId, line: &[u8]) -> Result<Appended, FileError> {
        let at = self.layout.replay(session);
        let fail = |action| FileError::on(action, &at);
        let is_line = !line.contains(&b'\n') && line.len() < ReplayEvent::LINE_BYTES;
        if !is_line {
            let why = io::Error::new(io::ErrorKind::InvalidInput, "it is not one short line");
            return Err(fail(Action::Append)(why));
        }
        let file = open_in_folder(self.disk, &at, |disk| disk.open_log(&at))
            .map_err(fail(Action::Open))?;
        self.disk.make_private(&file).map_err(fail(Action::MakePrivate))?;
        let end = self.disk.len(&file).map_err(fail(Action::Read))?;

        let mut bytes = Vec::with_capacity(line.len() + 2);
        // Behind a line that was cut off by a power cut begins a new one.
        if self.is_cut(&file, end).map_err(fail(Action::Read))? {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
        if end.saturating_add(bytes.len() as u64) > ReplayEvent::REPLAY_BYTES {
            return Ok(Appended::Full);
        }
        match self.disk.append(&file, &bytes).map_err(fail(Action::Append))? {
            n if n == bytes.len() => Ok(Appended::Written),
            _ => Err(fail(Action::Append)(io::ErrorKind::WriteZero.into())),
        }
    }

    /// The time of the first event of a session.
    pub fn first_replay_ts(&self, session: &SessionId) -> Result<Option<Millis>, FileError> {
        let at = self.layout.replay(session);
        let file = match self.disk.open(&at) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(FileError::on(Action::Open, &at)(error)),
        };
        let mut bytes = [0; ReplayEvent::LINE_BYTES];
        let n =
            self.disk.read_at(&file, &mut bytes, 0).map_err(FileError::on(Action::Read, &at))?;
        let mut lines = bytes.get(..n).unwrap_or_default().split(|&it| it == b'\n');
        // Lines that are none, which a power cut leaves, are skipped.
        Ok(lines.find_map(|it| serde_json::from_slice::<First>(it).ok()).map(|it| it.ts))
    }

    /// Removes the replays that have had their time.
    pub fn sweep_replays(&self, now: Millis, retention: &Retention) -> Pruned {
        let found = sweep_replays(self.disk, self.layout, now, retention);
        let mut pruned = Pruned { removed: Vec::new(), failed: found.unreadable };
        for it in found.expired {
            match it.remove(self.disk) {
                Ok(()) => pruned.removed.push(it),
                Err(error) => pruned.failed.push(error),
            }
        }
        pruned
    }

    /// Whether the last line has no end.
    fn is_cut(&self, file: &D::File, end: u64) -> io::Result<bool> {
        let Some(last) = end.checked_sub(1) else { return Ok(false) };
        let mut byte = [b'\n'];
        self.disk.read_at(file, &mut byte, last)?;
        Ok(byte != [b'\n'])
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;
    use provost_kernel::Clock;

    use super::*;
    use crate::{Layout, Location, Why, disk::read_all, sim::SimDisk, write_atomic};

    struct Noon;

    impl Clock for Noon {
        fn millis(&self) -> Millis {
            Millis(43_200_000)
        }
    }

    fn layout() -> Layout {
        Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"))
    }

    fn content(disk: &SimDisk, at: &Location) -> String {
        String::from_utf8(read_all(disk, &disk.open(at).unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn a_replay_grows_by_whole_lines() {
        let (disk, layout) = (SimDisk::default(), layout());
        let files = GuardFiles::new(&disk, &layout, &Noon);
        let session = "s1".parse().unwrap();
        let at = layout.replay(&session);
        assert_eq!(files.first_replay_ts(&session).unwrap(), None);
        for ts in [7, 8] {
            let line = format!("{{\"ts\":{ts}}}");
            assert_eq!(files.append_replay(&session, line.as_bytes()).unwrap(), Appended::Written);
        }
        assert_eq!(content(&disk, &at), "{\"ts\":7}\n{\"ts\":8}\n");
        assert_eq!(files.first_replay_ts(&session).unwrap(), Some(Millis(7)));

        write_atomic(&disk, &at, b"{\"t").unwrap();
        files.append_replay(&session, b"{\"ts\":9}").unwrap();
        assert_eq!(content(&disk, &at), "{\"t\n{\"ts\":9}\n");
        assert_eq!(files.first_replay_ts(&session).unwrap(), Some(Millis(9)));
        for bad in [b"a\nb".to_vec(), vec![b'x'; ReplayEvent::LINE_BYTES]] {
            assert!(files.append_replay(&session, &bad).is_err());
        }
        assert_eq!(content(&disk, &at), "{\"t\n{\"ts\":9}\n");
    }

    /// HOOK-2.6: five mebibytes, and not a byte more.
    #[test]
    fn a_replay_has_an_end() {
        let (disk, layout) = (SimDisk::default(), layout());
        let files = GuardFiles::new(&disk, &layout, &Noon);
        let session = "s1".parse().unwrap();
        let at = layout.replay(&session);
        let limit = usize::try_from(ReplayEvent::REPLAY_BYTES).unwrap();
        let mut full = vec![b'x'; limit - 3];
        full.push(b'\n');
        write_atomic(&disk, &at, &full).unwrap();
        assert_eq!(files.append_replay(&session, b"12").unwrap(), Appended::Full);
        assert_eq!(files.append_replay(&session, b"1").unwrap(), Appended::Written);
        assert_eq!(files.append_replay(&session, b"").unwrap(), Appended::Full);
        assert_eq!(content(&disk, &at).len(), limit);
    }

    /// HOOK-2.6: after seven days it is gone, and nothing else is.
    #[test]
    fn old_replays_are_removed() {
        let (disk, layout) = (SimDisk::default(), layout());
        let files = GuardFiles::new(&disk, &layout, &Noon);
        let (session, week) = ("s1".parse().unwrap(), Millis(7 * 24 * 60 * 60 * 1000));
        files.append_replay(&session, b"{}").unwrap();
        let notes = layout.replays().join("notes.txt");
        write_atomic(&disk, &notes, b"mine").unwrap();
        let kept = files.sweep_replays(week, &Retention::default());
        assert!(kept.removed.is_empty() && kept.failed.is_empty(), "{kept:?}");
        let pruned = files.sweep_replays(Millis(week.0 + 1), &Retention::default());
        let removed: Vec<_> = pruned.removed.iter().map(|it| (it.at.clone(), it.why)).collect();
        assert_eq!(removed, [(layout.replay(&session), Why::Replay)]);
        assert!(disk.stat(&layout.replay(&session)).is_err() && disk.stat(&notes).is_ok());
    }
}
