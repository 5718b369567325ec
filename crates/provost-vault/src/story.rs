//! The claims log, the plans it refers to, and the file of its index.
//!
//! The log is the truth about stories: a line is on the disk before anybody is told that something
//! happened, and none may be missing. Plans are kept by the digest of their bytes. The database is
//! an index, which is put aside when it is corrupt and made again from the log.

mod outputs;

pub use outputs::{KeptOutput, OutputName, OutputStream};

use provost_kernel::{
    Clock, Digest, RecordFile, Timestamp,
    story::{AppliedEvent, EventBody, ExecutionId, StoryEvent, StoryId},
};

use crate::{
    Action, Disk, Durable, FileError, Layout, Lines, Location, Log,
    disk::{open_in_folder, read_all},
    error::InvalidContents,
    last_line, lines,
    log::lines_backward,
    read::{quarantine, record_of},
    write_atomic,
};

/// The files of all stories in a home.
#[derive(Debug)]
pub struct StoryFiles<'a, D: Disk> {
    disk: &'a D,
    layout: &'a Layout,
}

/// An event that has not happened yet: its number comes from the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    pub at: Timestamp,
    pub execution_id: ExecutionId,
    pub story_id: Option<StoryId>,
    pub body: EventBody,
}

/// The events of the claims log, in order. It ends after the first error.
#[derive(Debug)]
pub struct Events<'a, D: Disk> {
    lines: Lines<'a, D>,
    at: Location,
    last: u64,
    is_broken: bool,
}

/// Why nothing was added to the log.
#[derive(Debug)]
pub enum AppendError {
    /// Something happened since the caller looked: `last` is the number of the newest event.
    Moved {
        last: u64,
    },
    File(FileError),
}

impl From<FileError> for AppendError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

/// Whether an index was put aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aside {
    /// Kept in quarantine under this name.
    Kept(String),
    /// It was whole by the time the lock was free.
    NotNeeded,
}

impl<'a, D: Disk> StoryFiles<'a, D> {
    pub fn new(disk: &'a D, layout: &'a Layout) -> Self {
        Self { disk, layout }
    }

    /// Adds an event, durably, with the next number.
    pub fn append(&self, event: NewEvent) -> Result<StoryEvent, FileError> {
        self.append_where(event, |_| Ok::<_, FileError>(()))
    }

    /// Adds an event if `last` is still the number of the newest one: what the caller decided from
    /// holds, and no other process can come between.
    pub fn append_after(&self, last: u64, event: NewEvent) -> Result<StoryEvent, AppendError> {
        self.append_where(event, |found| {
            if found == last { Ok(()) } else { Err(AppendError::Moved { last: found }) }
        })
    }

    fn append_where<E: From<FileError>>(
        &self,
        event: NewEvent,
        admit: impl FnOnce(u64) -> Result<(), E>,
    ) -> Result<StoryEvent, E> {
        let at = self.layout.claims();
        let NewEvent { at: time, execution_id, story_id, body } = event;
        let mut event = StoryEvent { seq: 0, at: time, execution_id, story_id, body };
        Log::open(self.disk, &at)?.append_after(Durable::Now, |tail| {
            let last = match tail.last_line()? {
                Some(line) => read(&at, None, &line)?.seq,
                None => 0,
            };
            admit(last)?;
            event.seq = last.saturating_add(1);
            let line = serde_json::to_vec(&RecordFile::new(event.clone()))
                .map_err(|it| FileError::on(Action::Encode, &at)(it.into()))?;
            Ok::<_, E>(line)
        })?;
        Ok(event)
    }

    /// The newest event, without reading the others.
    pub fn last(&self) -> Result<Option<StoryEvent>, FileError> {
        let at = self.layout.claims();
        last_line(self.disk, &at)?.map(|line| read(&at, None, &line)).transpose()
    }

    /// The events behind one that the caller knows, without reading those before it; none if that
    /// event is not in the log as the caller knows it.
    pub fn since(&self, known: AppliedEvent) -> Result<Option<Vec<StoryEvent>>, FileError> {
        let at = self.layout.claims();
        let mut found: Vec<StoryEvent> = Vec::new();
        for line in lines_backward(self.disk, &at)? {
            let event = read(&at, None, &line?)?;
            if event.seq <= known.seq {
                let is_known = event.seq == known.seq
                    && event.digest().is_ok_and(|digest| digest == known.digest);
                found.reverse();
                let is_whole = (known.seq + 1..).zip(&found).all(|(seq, it)| it.seq == seq);
                return Ok((is_known && is_whole).then_some(found));
            }
            found.push(event);
        }
        Ok(None)
    }

    /// Every event, in order. A line that cannot be read, or that is not the next one, is an error:
    /// what is left out would be lost.
    pub fn events(&self) -> Result<Events<'a, D>, FileError> {
        let at = self.layout.claims();
        Ok(Events { lines: lines(self.disk, &at)?, at, last: 0, is_broken: false })
    }

    /// Keeps a plan, and says under which digest.
    pub fn keep_plan(&self, bytes: &[u8]) -> Result<Digest, FileError> {
        let digest = Digest::of_bytes(bytes);
        let at = self.layout.plan(digest);
        let is_kept = self.disk.open(&at).and_then(|file| read_all(self.disk, &file));
        if !is_kept.is_ok_and(|it| it == bytes) {
            write_atomic(self.disk, &at, bytes)?;
        }
        Ok(digest)
    }

    /// A plan as it was; an error if what is kept is not what was kept.
    pub fn plan(&self, digest: Digest) -> Result<Vec<u8>, FileError> {
        let at = self.layout.plan(digest);
        let file = self.disk.open(&at).map_err(FileError::on(Action::Open, &at))?;
        let bytes = read_all(self.disk, &file).map_err(FileError::on(Action::Read, &at))?;
        if Digest::of_bytes(&bytes) != digest {
            return Err(FileError::invalid(&at, InvalidContents::Altered));
        }
        Ok(bytes)
    }

    /// Makes the file of the index, for its owner alone, where there is none: what `SQLite`
    /// puts beside it has the same mode.
    pub fn prepare_index(&self) -> Result<Location, FileError> {
        let at = self.layout.database();
        if self.disk.stat(&at).is_err() {
            open_in_folder(self.disk, &at, |disk| disk.open_lock(&at))
                .map_err(FileError::on(Action::Open, &at))?;
        }
        Ok(at)
    }

    /// Puts a corrupt index into quarantine, unless somebody else did meanwhile: `is_corrupt` looks
    /// again when no other process is about to.
    pub fn put_index_aside(
        &self,
        clock: &dyn Clock,
        is_corrupt: impl FnOnce() -> bool,
    ) -> Result<Aside, FileError> {
        let lock_at = self.layout.index_lock();
        let lock = open_in_folder(self.disk, &lock_at, |disk| disk.open_lock(&lock_at))
            .map_err(FileError::on(Action::Open, &lock_at))?;
        self.disk.lock(&lock).map_err(FileError::on(Action::Lock, &lock_at))?;
        let aside = if is_corrupt() { self.move_index(clock) } else { Ok(Aside::NotNeeded) };
        // The kernel frees the lock with the file at the latest.
        let _ = self.disk.unlock(&lock);
        aside
    }

    fn move_index(&self, clock: &dyn Clock) -> Result<Aside, FileError> {
        let at = self.layout.database();
        let file = self.disk.open(&at).map_err(FileError::on(Action::Open, &at))?;
        let bytes = read_all(self.disk, &file).map_err(FileError::on(Action::Read, &at))?;
        let kept = quarantine(self.disk, self.layout, clock, &at, &bytes)?;
        // The companions go first: a log without its database is nothing, and a new database beside
        // the old log would take it for its own.
        for gone in self.layout.database_companions().into_iter().chain([at]) {
            match self.disk.remove(&gone) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(FileError::on(Action::Remove, &gone)(error));
                }
                Ok(()) | Err(_) => {}
            }
        }
        Ok(Aside::Kept(kept.name().to_owned()))
    }
}

/// Reads one line; `number` is its place in the log, where it is known.
fn read(at: &Location, number: Option<usize>, line: &[u8]) -> Result<StoryEvent, FileError> {
    match record_of::<StoryEvent>(at, line)? {
        Ok(kept) => Ok(kept.value),
        Err(why) => Err(FileError::invalid(
            at,
            match number {
                Some(line) => InvalidContents::Line { line, why },
                None => InvalidContents::LastLine { why },
            },
        )),
    }
}

impl<D: Disk> Iterator for Events<'_, D> {
    type Item = Result<StoryEvent, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_broken {
            return None;
        }
        let number = usize::try_from(self.last).unwrap_or(usize::MAX).saturating_add(1);
        let event = self.lines.next()?.and_then(|line| read(&self.at, Some(number), &line));
        let event = event.and_then(|event| {
            let expected = self.last.saturating_add(1);
            if event.seq == expected {
                return Ok(event);
            }
            let why = format!("it has the number {}, and {expected} is next", event.seq);
            Err(FileError::invalid(&self.at, InvalidContents::Line { line: number, why }))
        });
        match &event {
            Ok(event) => self.last = event.seq,
            Err(_) => self.is_broken = true,
        }
        Some(event)
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;
    use provost_kernel::{
        Exit, Message, Millis,
        story::{ExecutionChange, ExecutionStatus},
    };

    use super::*;
    use crate::sim::SimDisk;

    struct Noon;

    impl Clock for Noon {
        fn millis(&self) -> Millis {
            Millis(43_200_000)
        }
    }

    fn layout() -> Layout {
        Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"))
    }

    fn changed(reason: &str) -> NewEvent {
        let change = ExecutionChange {
            status: Some(ExecutionStatus::Failed),
            reason: Some(reason.to_owned()),
            ..ExecutionChange::default()
        };
        NewEvent {
            at: Timestamp::EPOCH,
            execution_id: "e1".parse().unwrap(),
            story_id: None,
            body: EventBody::Changed(change),
        }
    }

    fn numbers(files: &StoryFiles<'_, SimDisk>) -> Vec<u64> {
        files.events().unwrap().map(|it| it.unwrap().seq).collect()
    }

    #[test]
    fn events_are_numbered_without_a_gap_and_read_back() {
        let (disk, layout) = (SimDisk::default(), layout());
        let files = StoryFiles::new(&disk, &layout);
        assert_eq!(files.last().unwrap(), None);
        assert_eq!(numbers(&files), [0; 0]);
        let first = files.append(changed("a")).unwrap();
        let second = files.append_after(1, changed("b")).unwrap();
        assert_eq!((first.seq, second.seq), (1, 2));
        assert_eq!(files.last().unwrap(), Some(second));
        assert_eq!(numbers(&files), [1, 2]);
    }

    #[test]
    fn only_what_is_new_is_read_and_another_log_is_noticed() {
        let (disk, layout) = (SimDisk::default(), layout());
        let files = StoryFiles::new(&disk, &layout);
        let events: Vec<StoryEvent> =
            ["a", "b", "c"].map(|it| files.append(changed(it)).unwrap()).into();
        let known = |it: &StoryEvent| AppliedEvent { seq: it.seq, digest: it.digest().unwrap() };
        assert_eq!(files.since(known(&events[2])).unwrap(), Some(Vec::new()));
        assert_eq!(files.since(known(&events[0])).unwrap(), Some(events[1..].to_vec()));
        // Another event under the same number, one that is not there yet, and no log at all.
        let other = AppliedEvent { seq: 2, digest: events[0].digest().unwrap() };
        assert_eq!(files.since(other).unwrap(), None);
        assert_eq!(files.since(AppliedEvent { seq: 4, ..other }).unwrap(), None);
        let elsewhere = Layout::new(Utf8Path::new("/none"), None, Utf8Path::new("/s"));
        assert_eq!(StoryFiles::new(&disk, &elsewhere).since(other).unwrap(), None);
        // A line that is gone from between.
        let at = layout.claims();
        let whole = read_all(&disk, &disk.open(&at).unwrap()).unwrap();
        let lines: Vec<&[u8]> = whole.split_inclusive(|it| *it == b'\n').collect();
        write_atomic(&disk, &at, &[lines[0], lines[2]].concat()).unwrap();
        assert_eq!(files.since(known(&events[0])).unwrap(), None);
    }

    #[test]
    fn what_was_decided_from_an_older_state_is_not_added() {
        let (disk, layout) = (SimDisk::default(), layout());
        let files = StoryFiles::new(&disk, &layout);
        files.append(changed("a")).unwrap();
        let late = files.append_after(0, changed("b"));
        assert!(matches!(late, Err(AppendError::Moved { last: 1 })), "{late:?}");
        assert_eq!(numbers(&files), [1]);
    }

    /// Nothing may be left out: neither a line that cannot be read nor one that is gone.
    #[test]
    fn a_log_with_a_broken_or_a_missing_line_is_refused_and_named() {
        let (disk, layout) = (SimDisk::default(), layout());
        let files = StoryFiles::new(&disk, &layout);
        for reason in ["a", "b", "c"] {
            files.append(changed(reason)).unwrap();
        }
        let at = layout.claims();
        let whole = read_all(&disk, &disk.open(&at).unwrap()).unwrap();
        let lines: Vec<&[u8]> = whole.split_inclusive(|it| *it == b'\n').collect();
        let newer = String::from_utf8(lines[1].to_vec()).unwrap().replace("event/1", "event/2");
        for (second, n_read, exit) in [
            (b"{}\n".as_slice(), 1, Exit::Integrity),
            (b"not JSON\n", 1, Exit::Integrity),
            (b"", 1, Exit::Integrity),
            (lines[0], 1, Exit::Integrity),
            (newer.as_bytes(), 1, Exit::Unable),
        ] {
            write_atomic(&disk, &at, &[lines[0], second, lines[2]].concat()).unwrap();
            let mut events = files.events().unwrap();
            let read = events.by_ref().take_while(Result::is_ok).count();
            assert_eq!(read, n_read, "{second:?}");
            assert!(events.next().is_none(), "nothing comes after an error");
            let error = files.events().unwrap().find_map(Result::err).unwrap();
            assert_eq!(error.exit(), exit, "{error}");
        }
        write_atomic(&disk, &at, b"{}\n").unwrap();
        assert_eq!(files.append(changed("d")).unwrap_err().exit(), Exit::Integrity);
        assert_eq!(files.last().unwrap_err().exit(), Exit::Integrity);
    }

    #[test]
    fn a_plan_is_kept_by_its_digest_and_a_changed_one_is_noticed() {
        let (disk, layout) = (SimDisk::default(), layout());
        let files = StoryFiles::new(&disk, &layout);
        let digest = files.keep_plan("# 计划\n".as_bytes()).unwrap();
        assert_eq!(files.keep_plan("# 计划\n".as_bytes()).unwrap(), digest);
        assert_eq!(files.plan(digest).unwrap(), "# 计划\n".as_bytes());
        write_atomic(&disk, &layout.plan(digest), b"# other\n").unwrap();
        assert_eq!(files.plan(digest).unwrap_err().exit(), Exit::Integrity);
        files.keep_plan("# 计划\n".as_bytes()).unwrap();
        assert_eq!(files.plan(digest).unwrap(), "# 计划\n".as_bytes(), "it was repaired");
        assert!(files.plan(Digest::ZERO).is_err());
    }

    #[test]
    fn a_corrupt_index_is_kept_in_quarantine_and_a_whole_one_stays() {
        let (disk, layout) = (SimDisk::default(), layout());
        let files = StoryFiles::new(&disk, &layout);
        let at = files.prepare_index().unwrap();
        assert_eq!(disk.stat(&at).unwrap().len, 0);
        write_atomic(&disk, &at, b"rubbish").unwrap();
        write_atomic(&disk, &layout.database_companions()[0], b"log").unwrap();
        files.prepare_index().unwrap();
        assert_eq!(files.put_index_aside(&Noon, || false).unwrap(), Aside::NotNeeded);
        assert_eq!(disk.stat(&at).unwrap().len, 7);

        let Aside::Kept(name) = files.put_index_aside(&Noon, || true).unwrap() else { panic!() };
        let kept = layout.quarantine().join(name);
        assert_eq!(read_all(&disk, &disk.open(&kept).unwrap()).unwrap(), b"rubbish");
        assert!(disk.stat(&at).is_err());
        assert!(disk.stat(&layout.database_companions()[0]).is_err());
    }
}
