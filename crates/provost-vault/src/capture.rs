//! The files that a job prints to: opened here, written by the job itself (LOOP-A12).

use std::{borrow::Cow, fs::File, io};

use provost_kernel::{AttemptNumber, TaskId};

use crate::{
    Action, Disk, FileError, Layout, Location, RealDisk, Step, StepFile, disk::open_in_folder,
    write_atomic,
};

/// How much of a capture is kept. A job is held to less; only one that outlived its guardian is
/// cut here.
const MAX_CAPTURE: usize = 64 << 20;

/// Takes out what may not be shown.
type Redact<'a> = dyn for<'t> Fn(&'t [u8]) -> Cow<'t, [u8]> + 'a;

/// Opens an empty file for the output of a job, and creates it with its folders if it is absent.
///
/// It is opened for appending, so that a process that shares it can cut it back without a hole.
pub fn open_capture(at: &Location) -> Result<File, FileError> {
    let file = open_in_folder(&RealDisk, at, |disk| disk.open_log(at))
        .map_err(FileError::on(Action::Open, at))?;
    if RealDisk.len(&file).map_err(FileError::on(Action::Read, at))? > 0 {
        RealDisk.truncate(&file, 0).map_err(FileError::on(Action::Write, at))?;
    }
    Ok(file)
}

/// Turns the unredacted output that a dead coordinator left of an attempt into what it would have
/// kept, and says whether there was any.
///
/// The attempt may not be running any more. What was kept already stays, unless it is only the
/// beginning; an unredacted file is removed after the other is on the disk.
pub fn settle_captures(
    layout: &Layout,
    task: &TaskId,
    attempt: AttemptNumber,
    redact: &Redact<'_>,
) -> Result<bool, FileError> {
    settle(&RealDisk, layout, task, attempt, redact)
}

fn settle<D: Disk>(
    disk: &D,
    layout: &Layout,
    task: &TaskId,
    attempt: AttemptNumber,
    redact: &Redact<'_>,
) -> Result<bool, FileError> {
    let mut was_any = false;
    for step in [Step::Declare, Step::Coder, Step::Prepare, Step::Test, Step::Judge] {
        for (raw, clean) in
            [(StepFile::StdoutRaw, StepFile::Stdout), (StepFile::StderrRaw, StepFile::Stderr)]
        {
            let place = |file| layout.step_file(task, attempt, step, file);
            was_any |= settle_one(disk, &place(raw), &place(clean), redact)?;
        }
    }
    Ok(was_any)
}

fn settle_one<D: Disk>(
    disk: &D,
    raw: &Location,
    clean: &Location,
    redact: &Redact<'_>,
) -> Result<bool, FileError> {
    let Some(captured) = read(disk, raw)? else { return Ok(false) };
    let redacted = redact(&captured);
    let kept = read(disk, clean)?.unwrap_or_default();
    if kept.len() < redacted.len() && redacted.starts_with(&kept) {
        write_atomic(disk, clean, &redacted)?;
    }
    match disk.remove(raw) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(FileError::on(Action::Remove, raw)(error));
        }
        Ok(()) | Err(_) => {}
    }
    // Best effort, as for every folder: what a power cut brings back is settled again.
    let _ = raw.folder().map(|it| disk.sync_folder(&it));
    Ok(true)
}

fn read<D: Disk>(disk: &D, at: &Location) -> Result<Option<Vec<u8>>, FileError> {
    let file = match disk.open(at) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(FileError::on(Action::Open, at))?,
    };
    read_capped(disk, &file).map(Some).map_err(FileError::on(Action::Read, at))
}

fn read_capped<D: Disk>(disk: &D, file: &D::File) -> io::Result<Vec<u8>> {
    let len = usize::try_from(disk.len(file)?).unwrap_or(MAX_CAPTURE).min(MAX_CAPTURE);
    let mut bytes = vec![0; len];
    let mut filled = 0;
    while let Some(free) = bytes.get_mut(filled..).filter(|it| !it.is_empty()) {
        match disk.read_at(file, free, filled as u64) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::sim::SimDisk;

    const FIRST: AttemptNumber = AttemptNumber::FIRST;

    fn layout() -> Layout {
        Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"))
    }

    fn task() -> TaskId {
        "t1".parse().unwrap()
    }

    fn redact(bytes: &[u8]) -> Cow<'_, [u8]> {
        String::from_utf8_lossy(bytes).replace("secret", "[gone]").into_bytes().into()
    }

    fn place(step: Step, file: StepFile) -> Location {
        layout().step_file(&task(), FIRST, step, file)
    }

    fn text(disk: &SimDisk, at: &Location) -> Option<String> {
        read(disk, at).unwrap().map(|it| String::from_utf8(it).unwrap())
    }

    /// `raw` and `kept` before, and what is kept after.
    #[track_caller]
    fn check(raw: Option<&str>, kept: Option<&str>, expected: Option<&str>) {
        for (step, raw_file, clean_file) in [
            (Step::Coder, StepFile::StdoutRaw, StepFile::Stdout),
            (Step::Test, StepFile::StderrRaw, StepFile::Stderr),
            (Step::Judge, StepFile::StdoutRaw, StepFile::Stdout),
        ] {
            let disk = SimDisk::default();
            let (raw_at, clean_at) = (place(step, raw_file), place(step, clean_file));
            for (at, text) in [(&raw_at, raw), (&clean_at, kept)] {
                text.map(|it| write_atomic(&disk, at, it.as_bytes()).unwrap());
            }
            let was_any = settle(&disk, &layout(), &task(), FIRST, &redact).unwrap();
            assert_eq!(was_any, raw.is_some(), "{raw:?} {kept:?}");
            assert_eq!(text(&disk, &clean_at).as_deref(), expected, "{raw:?} {kept:?}");
            assert_eq!(text(&disk, &raw_at), None, "{raw:?} {kept:?}");
            assert!(!settle(&disk, &layout(), &task(), FIRST, &redact).unwrap());
        }
    }

    #[test]
    fn what_was_captured_is_kept_redacted_and_the_rest_removed() {
        check(None, None, None);
        check(None, Some("kept"), Some("kept"));
        check(Some(""), None, None);
        check(Some("a secret\n"), None, Some("a [gone]\n"));
        check(Some("a secret\n"), Some(""), Some("a [gone]\n"));
        check(Some("a secret\n"), Some("a [go"), Some("a [gone]\n"));
        check(Some("a secret\n"), Some("a [gone]\n"), Some("a [gone]\n"));
        check(Some("a secret\n"), Some("something else"), Some("something else"));
    }

    /// Whenever the power goes, the capture or what was made of it is there, and another try ends
    /// with what was made of it alone.
    #[test]
    fn a_crash_loses_nothing_that_was_captured() {
        let at = (place(Step::Coder, StepFile::StdoutRaw), place(Step::Coder, StepFile::Stdout));
        let disk = SimDisk::default();
        write_atomic(&disk, &at.0, b"a secret").unwrap();
        let mut n_crashes = 0;
        for steps in 0.. {
            let crashed = disk.again_with_power(steps);
            let done = settle(&crashed, &layout(), &task(), FIRST, &redact);
            let lost_power = crashed.has_lost_power();
            for image in crashed.images() {
                n_crashes += 1;
                let kept = text(&image, &at.1);
                let is_whole = kept.as_deref() == Some("a [gone]");
                assert!(is_whole || text(&image, &at.0).is_some(), "after {steps}");
                settle(&image, &layout(), &task(), FIRST, &redact).unwrap();
                assert_eq!(text(&image, &at.1).as_deref(), Some("a [gone]"), "after {steps}");
                assert_eq!(text(&image, &at.0), None, "after {steps}");
            }
            if !lost_power {
                assert!(done.unwrap());
                break;
            }
        }
        assert!(n_crashes > 5, "{n_crashes}");
    }
}
