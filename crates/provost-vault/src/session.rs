//! The transcript of an agent's session, from the end of one attempt to the start of the next.
//!
//! An agent wrote it: it is read without following a link, up to a limit, and given only to the
//! same agent. It lies among the work of its task, not in the home, because secrets are not redacted
//! in it. The record is written last and removed first, and names the digest: what a power cut left
//! half is not there.

use provost_kernel::{Digest, RecordFile, TaskId, task::SessionRecord};

use crate::{
    Action, Disk as _, FileError, Kind, Layout, Location, RealDisk, read_record, remove,
    write_atomic, write_json,
};

/// The largest transcript that is kept.
const LARGEST: u64 = 64 << 20;
/// More names of one folder are not looked at.
const NAMES: usize = 1000;

/// What was found in place of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundTranscript {
    /// Its name, and what it holds.
    One(String, Vec<u8>),
    None,
    /// More than one file could be it.
    Several,
    TooLarge,
}

/// Looks for a transcript by its name, at most `depth` folders below one that an agent could write.
pub fn find_transcript(
    folder: &Location,
    depth: u8,
    is_it: &dyn Fn(&str) -> bool,
) -> Result<FoundTranscript, FileError> {
    let mut found = Vec::new();
    search(folder, depth, is_it, &mut found);
    match found.as_slice() {
        [] => Ok(FoundTranscript::None),
        [at] => read(at),
        [_, _, ..] => Ok(FoundTranscript::Several),
    }
}

/// Keeps a transcript in place of an earlier one.
pub fn keep_session(
    layout: &Layout,
    record: SessionRecord,
    transcript: &[u8],
) -> Result<(), FileError> {
    let task = record.task_id.clone();
    forget_session(layout, &task)?;
    write_atomic(&RealDisk, &transcript_at(layout, &task), transcript)?;
    write_json(&RealDisk, &record_at(layout, &task), &RecordFile::new(record)).map(drop)
}

/// Says that the session belongs to other files by now.
pub fn keep_record(layout: &Layout, record: SessionRecord) -> Result<(), FileError> {
    let at = record_at(layout, &record.task_id);
    write_json(&RealDisk, &at, &RecordFile::new(record)).map(drop)
}

/// What is known of the session that is kept; none where none is, or where it is not whole.
pub fn kept_record(layout: &Layout, task: &TaskId) -> Result<Option<SessionRecord>, FileError> {
    let stored = read_record::<_, SessionRecord>(&RealDisk, &record_at(layout, task))?;
    Ok(stored.present().map(|it| it.value).filter(|it| it.task_id == *task))
}

/// The transcript of a session, if it is the one that was kept.
pub fn kept_transcript(
    layout: &Layout,
    record: &SessionRecord,
) -> Result<Option<Vec<u8>>, FileError> {
    let read = read(&transcript_at(layout, &record.task_id))?;
    let FoundTranscript::One(_, bytes) = read else { return Ok(None) };
    Ok(Some(bytes).filter(|it| Digest::of_bytes(it) == record.digest))
}

/// Removes the session that is kept.
pub fn forget_session(layout: &Layout, task: &TaskId) -> Result<(), FileError> {
    remove(&record_at(layout, task))?;
    remove(&layout.session(task))
}

/// A file below a work place; none where a part of its name is not one plain component.
pub fn work_path(place: &Location, parts: &[&str]) -> Option<Location> {
    parts.iter().try_fold(place.clone(), |at, part| Location::accepts(part).then(|| at.join(part)))
}

fn record_at(layout: &Layout, task: &TaskId) -> Location {
    layout.session(task).join("session.json")
}

fn transcript_at(layout: &Layout, task: &TaskId) -> Location {
    layout.session(task).join("transcript")
}

/// Adds the files with the name; what cannot be listed holds none.
fn search(folder: &Location, depth: u8, is_it: &dyn Fn(&str) -> bool, found: &mut Vec<Location>) {
    for name in RealDisk.list(folder).unwrap_or_default().into_iter().take(NAMES) {
        let at = folder.join(&name);
        match RealDisk.stat(&at).map(|it| it.kind) {
            Ok(Kind::File) if is_it(&name) => found.push(at),
            Ok(Kind::Folder) if depth > 0 => search(&at, depth - 1, is_it, found),
            Ok(_) | Err(_) => {}
        }
    }
}

/// Reads a file that an agent wrote; a link, a pipe or a device is none.
fn read(at: &Location) -> Result<FoundTranscript, FileError> {
    match RealDisk.stat(at) {
        Ok(stat) if stat.kind == Kind::File && stat.len <= LARGEST => {}
        Ok(stat) if stat.kind == Kind::File => return Ok(FoundTranscript::TooLarge),
        Ok(_) | Err(_) => return Ok(FoundTranscript::None),
    }
    let fail = || FileError::on(Action::Read, at);
    let Ok(file) = RealDisk.open(at) else { return Ok(FoundTranscript::None) };
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let length = RealDisk.read_at(&file, &mut buffer, bytes.len() as u64).map_err(fail())?;
        if length == 0 {
            return Ok(FoundTranscript::One(at.name().to_owned(), bytes));
        }
        bytes.extend_from_slice(&buffer[..length]);
        if bytes.len() as u64 > LARGEST {
            return Ok(FoundTranscript::TooLarge);
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes what an agent would have left")]
mod tests {
    use std::fs;

    use camino::Utf8Path;
    use provost_kernel::{AttemptNumber, model::Usage, task::SessionAgent};

    use super::*;

    fn layout(state: &std::path::Path) -> Layout {
        let state = Utf8Path::from_path(state).unwrap();
        Layout::new(&state.join("home"), None, state)
    }

    fn record(task: &TaskId, transcript: &[u8]) -> SessionRecord {
        SessionRecord {
            task_id: task.clone(),
            attempt: AttemptNumber::FIRST,
            agent: SessionAgent {
                adapter: "claude".to_owned(),
                preset: "claude-code".to_owned(),
                model: None,
            },
            session: "s1".parse().unwrap(),
            file: "s1.jsonl".to_owned(),
            digest: Digest::of_bytes(transcript),
            spent: Usage::default(),
        }
    }

    #[test]
    fn a_session_is_there_whole_or_not_at_all() {
        let state = tempfile::tempdir().unwrap();
        let (layout, task) = (layout(state.path()), "t1".parse().unwrap());
        assert_eq!(kept_record(&layout, &task).unwrap(), None);
        let kept = record(&task, b"one");
        keep_session(&layout, kept.clone(), b"one").unwrap();
        assert_eq!(kept_record(&layout, &task).unwrap(), Some(kept.clone()));
        assert_eq!(kept_transcript(&layout, &kept).unwrap().unwrap(), b"one");

        // The transcript of another time, and none.
        fs::write(transcript_at(&layout, &task).path(), "two").unwrap();
        assert_eq!(kept_transcript(&layout, &kept).unwrap(), None);
        fs::remove_file(transcript_at(&layout, &task).path()).unwrap();
        assert_eq!(kept_transcript(&layout, &kept).unwrap(), None);
        fs::write(record_at(&layout, &task).path(), "{").unwrap();
        assert_eq!(kept_record(&layout, &task).unwrap(), None);

        forget_session(&layout, &task).unwrap();
        forget_session(&layout, &task).unwrap();
        assert!(fs::read_dir(layout.work(&task).path()).unwrap().next().is_none());
    }

    /// What an agent left: links, pipes, two of a kind, another depth.
    #[cfg(unix)]
    #[test]
    fn only_a_plain_file_is_a_transcript() {
        let state = tempfile::tempdir().unwrap();
        let layout = layout(state.path());
        let at = layout.work(&"t1".parse().unwrap());
        let folder = at.path().into_std_path_buf();
        let find = |depth: u8| find_transcript(&at, depth, &|it| it == "s.jsonl").unwrap();
        assert_eq!(find(1), FoundTranscript::None);
        fs::create_dir_all(folder.join("a/b")).unwrap();
        fs::write(state.path().join("secret"), "x").unwrap();
        let link = folder.join("a/s.jsonl");
        std::os::unix::fs::symlink(state.path().join("secret"), &link).unwrap();
        assert_eq!(find(1), FoundTranscript::None, "a link");
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(folder.join("a/b"), folder.join("c")).unwrap();
        fs::write(folder.join("a/b/s.jsonl"), "y").unwrap();
        assert_eq!(find(1), FoundTranscript::None, "a folder behind a link, or too deep");
        assert_eq!(find(2), FoundTranscript::One("s.jsonl".to_owned(), b"y".to_vec()));
        fs::write(folder.join("s.jsonl"), "z").unwrap();
        assert_eq!(find(2), FoundTranscript::Several);
        assert_eq!(find(0), FoundTranscript::One("s.jsonl".to_owned(), b"z".to_vec()));
        fs::File::create(folder.join("s.jsonl")).unwrap().set_len(LARGEST + 1).unwrap();
        assert_eq!(find(0), FoundTranscript::TooLarge);
        fs::remove_file(folder.join("s.jsonl")).unwrap();
        let (fifo, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR);
        let pipe = folder.join("s.jsonl");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, fifo, mode, 0).unwrap();
        assert_eq!(find(0), FoundTranscript::None, "a pipe");
    }

    #[test]
    fn a_name_leads_nowhere_else() {
        let state = tempfile::tempdir().unwrap();
        let at = layout(state.path()).work(&"t1".parse().unwrap());
        assert!(work_path(&at, &["a", "b.jsonl"]).is_some());
        for bad in ["", "..", "a/b", "a\0"] {
            assert_eq!(work_path(&at, &["a", bad]), None, "{bad:?}");
        }
    }
}
