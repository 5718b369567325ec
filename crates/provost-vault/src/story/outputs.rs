//! What commands printed that were run for a story: found, and read, by names that are parsed.

use std::{fmt, io, str::FromStr};

use provost_kernel::{
    Millis,
    story::{ExecutionId, StoryId},
};

use super::StoryFiles;
use crate::{Action, Disk, FileError, StepFile};

/// How much of an output is read at most.
const LIMIT: usize = 1 << 20;

/// One output: the moment of the look, the number of the command in it, and the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OutputName {
    pub look: Millis,
    pub command: u16,
    pub stream: OutputStream,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OutputStream {
    Stdout,
    Stderr,
}

/// What an output holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptOutput {
    pub bytes: Vec<u8>,
    /// How much of it there is besides.
    pub left_out: u64,
}

impl<D: Disk> StoryFiles<'_, D> {
    /// The outputs of the newest look at a story, in their order; what else lies there is none.
    pub fn newest_outputs(
        &self,
        execution: &ExecutionId,
        story: &StoryId,
    ) -> Result<Vec<OutputName>, FileError> {
        let at = self.layout.story_outputs(execution, story);
        let looks = self.names(&at)?;
        let newest = looks.iter().filter_map(|it| it.parse::<u64>().ok()).max();
        let Some(newest) = newest else { return Ok(Vec::new()) };
        let names = self.names(&at.join(newest.to_string()))?;
        let named = names.iter().map(|it| format!("{newest}/{it}").parse::<OutputName>());
        let mut outputs: Vec<OutputName> = named.flatten().collect();
        outputs.sort_unstable();
        Ok(outputs)
    }

    /// An output, up to a limit; none if there is no such output.
    pub fn output(
        &self,
        execution: &ExecutionId,
        story: &StoryId,
        name: OutputName,
    ) -> Result<Option<KeptOutput>, FileError> {
        let OutputName { look, command, stream } = name;
        let at = self.layout.story_output(execution, story, look, command, stream.file());
        let file = match self.disk.open(&at) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(FileError::on(Action::Open, &at))?,
        };
        let fail = FileError::on(Action::Read, &at);
        let read = || -> io::Result<KeptOutput> {
            let len = self.disk.len(&file)?;
            let wanted = usize::try_from(len).unwrap_or(usize::MAX).min(LIMIT);
            let mut bytes = vec![0; wanted];
            let mut filled = 0;
            while let Some(free) = bytes.get_mut(filled..).filter(|it| !it.is_empty()) {
                match self.disk.read_at(&file, free, filled as u64)? {
                    0 => break,
                    n => filled += n,
                }
            }
            bytes.truncate(filled);
            Ok(KeptOutput { bytes, left_out: len.saturating_sub(filled as u64) })
        };
        read().map(Some).map_err(fail)
    }

    /// The names in a folder; none if there is no folder.
    fn names(&self, at: &crate::Location) -> Result<Vec<String>, FileError> {
        match self.disk.list(at) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            listed => listed.map_err(FileError::on(Action::Read, at)),
        }
    }
}

impl OutputStream {
    /// The file that holds it.
    pub fn file(self) -> StepFile {
        match self {
            Self::Stdout => StepFile::Stdout,
            Self::Stderr => StepFile::Stderr,
        }
    }

    fn file_name(self) -> &'static str {
        match self {
            Self::Stdout => "stdout.log",
            Self::Stderr => "stderr.log",
        }
    }
}

impl fmt::Display for OutputName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}-{}", self.look.0, self.command, self.stream.file_name())
    }
}

impl FromStr for OutputName {
    type Err = ();

    /// Reads `LOOK/COMMAND-stdout.log`, written exactly so.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (look, file) = text.split_once('/').ok_or(())?;
        let (command, stream) = file.split_once('-').ok_or(())?;
        let stream = match stream {
            "stdout.log" => OutputStream::Stdout,
            "stderr.log" => OutputStream::Stderr,
            _ => return Err(()),
        };
        let look = Millis(look.parse().map_err(drop)?);
        let name = Self { look, command: command.parse().map_err(drop)?, stream };
        if name.to_string() == text { Ok(name) } else { Err(()) }
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::{Layout, sim::SimDisk, write_atomic};

    #[track_caller]
    fn check(text: &str, is_name: bool) {
        assert_eq!(text.parse::<OutputName>().is_ok(), is_name, "{text:?}");
    }

    #[test]
    fn a_name_is_written_in_one_way_and_leads_nowhere_else() {
        check("7/2-stdout.log", true);
        check("7/2-stderr.log", true);
        for text in [
            "",
            "7",
            "7/2",
            "7/2-stdout.raw",
            "07/2-stdout.log",
            "+7/2-stdout.log",
            "7/02-stdout.log",
            "7/../2-stdout.log",
            "../7/2-stdout.log",
            "7/2-stdout.log/",
            "7//2-stdout.log",
            "7/-1-stdout.log",
            "7/99999-stdout.log",
        ] {
            check(text, false);
        }
    }

    #[test]
    fn the_newest_look_is_listed_and_read() {
        let (disk, layout) =
            (SimDisk::default(), Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s")));
        let files = StoryFiles::new(&disk, &layout);
        let (execution, story) = ("e1".parse().unwrap(), "US-001".parse().unwrap());
        assert_eq!(files.newest_outputs(&execution, &story).unwrap(), []);
        let folder = layout.story_outputs(&execution, &story);
        for (look, name) in [
            ("9", "1-stdout.log"),
            ("10", "2-stdout.log"),
            ("10", "1-stderr.log"),
            ("10", "1-stdout.raw"),
            ("x", "1-stdout.log"),
        ] {
            write_atomic(&disk, &folder.join(look).join(name), look.as_bytes()).unwrap();
        }
        let found = files.newest_outputs(&execution, &story).unwrap();
        let shown: Vec<_> = found.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["10/1-stderr.log", "10/2-stdout.log"]);
        let kept = files.output(&execution, &story, found[0]).unwrap().unwrap();
        assert_eq!(kept, KeptOutput { bytes: b"10".to_vec(), left_out: 0 });
        let gone = "11/1-stdout.log".parse().unwrap();
        assert_eq!(files.output(&execution, &story, gone).unwrap(), None);
        let large = folder.join("10").join("2-stdout.log");
        write_atomic(&disk, &large, &vec![b'x'; LIMIT + 5]).unwrap();
        let kept = files.output(&execution, &story, found[1]).unwrap().unwrap();
        assert_eq!((kept.bytes.len(), kept.left_out), (LIMIT, 5));
    }
}
