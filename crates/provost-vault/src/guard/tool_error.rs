//! `last-tool-error.json`: the last thing that went wrong.

use provost_kernel::{RecordFile, guard::LastToolError};

use super::{GuardFiles, locked};
use crate::{Disk, FileError, Layout, read_record, write_json};

/// What becomes of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    Keep,
    Replace(LastToolError),
}

impl<D: Disk> GuardFiles<'_, D> {
    /// The last error, if there is a record of one that can be read.
    pub fn last_tool_error(&self) -> Result<Option<LastToolError>, FileError> {
        read(self.disk, self.layout)
    }

    /// Replaces the last error by the next one, which may depend on it.
    pub fn record_tool_error(
        &self,
        next: impl FnOnce(Option<&LastToolError>) -> Option<LastToolError>,
    ) -> Result<(), FileError> {
        replace_tool_error(self.disk, self.layout, |before| {
            next(before).map_or(Reaction::Keep, Reaction::Replace)
        })
    }
}

/// Replaces the record, with no other process between check and write.
pub(crate) fn replace_tool_error<D: Disk>(
    disk: &D,
    layout: &Layout,
    react: impl FnOnce(Option<&LastToolError>) -> Reaction,
) -> Result<(), FileError> {
    locked(disk, &layout.tool_error_lock(), || match react(read(disk, layout)?.as_ref()) {
        Reaction::Keep => Ok(()),
        Reaction::Replace(error) => {
            write_json(disk, &layout.last_tool_error(), &RecordFile::new(error)).map(drop)
        }
    })
}

/// A record that cannot be read, or that a newer version wrote, is as good as none: it is always
/// replaced as a whole, and it says nothing that anybody relies on.
fn read<D: Disk>(disk: &D, layout: &Layout) -> Result<Option<LastToolError>, FileError> {
    match read_record::<D, LastToolError>(disk, &layout.last_tool_error()) {
        Ok(stored) => Ok(stored.present().map(|it| it.value)),
        Err(error) if error.is_misread() => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;
    use provost_kernel::{Clock, Millis};

    use super::*;
    use crate::{sim::SimDisk, write_atomic};

    struct Noon;

    impl Clock for Noon {
        fn millis(&self) -> Millis {
            Millis(43_200_000)
        }
    }

    fn failure(count: u32) -> LastToolError {
        LastToolError {
            tool_name: "Bash".to_owned(),
            tool_input_preview: None,
            error: "no".to_owned(),
            timestamp: Noon.now().into(),
            retry_count: count,
        }
    }

    /// HOOK-2.5: a record that is broken is replaced like any other.
    #[test]
    fn the_next_error_depends_on_the_last() {
        let layout = Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"));
        let disk = SimDisk::default();
        let files = GuardFiles::new(&disk, &layout, &Noon);
        let next = || {
            let more = |before: Option<&LastToolError>| {
                Some(failure(before.map_or(1, |it| it.retry_count + 1)))
            };
            files.record_tool_error(more).unwrap();
            files.last_tool_error().unwrap().unwrap().retry_count
        };
        assert_eq!(files.last_tool_error().unwrap(), None);
        assert_eq!((next(), next()), (1, 2));
        files.record_tool_error(|_| None).unwrap();
        assert_eq!(files.last_tool_error().unwrap(), Some(failure(2)));
        for broken in [&b"{half"[..], b"", b"{\"schema\": \"provost.tool-error/9\"}"] {
            write_atomic(&disk, &layout.last_tool_error(), broken).unwrap();
            assert_eq!(files.last_tool_error().unwrap(), None);
            assert_eq!(next(), 1);
        }
    }
}
