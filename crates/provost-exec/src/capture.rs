//! Where the output of a job goes: to files that the caller opened, never to pipes (LOOP-A12).
//!
//! A pipe must be read until its end, and any process that still holds it can withhold that end.
//! A file needs no reader: the job writes to the raw file itself, and when nothing of the job is
//! left, what it wrote is copied through the caller's redactor into the clean file.

use std::{
    borrow::Cow,
    fs::{File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::FileExt as _,
};

use crate::error::ExecError;

/// Takes out what may not be shown. It is given everything a stream captured, at once.
pub type Redact<'a> = dyn for<'t> Fn(&'t [u8]) -> Cow<'t, [u8]> + 'a;

/// The two files of one stream.
#[derive(Debug)]
pub struct Capture {
    /// What the job writes to, opened for reading and for appending. It holds secrets if the job
    /// printed any.
    pub raw: File,
    /// What people and later steps read.
    pub clean: File,
}

/// The files of both streams.
#[derive(Debug)]
pub struct Streams {
    pub stdout: Capture,
    pub stderr: Capture,
}

/// What a job wrote, in memory and nowhere else.
#[derive(Debug)]
pub struct Printed(File);

impl Printed {
    /// What was written, up to `cap` bytes. It is not redacted.
    pub fn read(&self, cap: u64) -> Result<Vec<u8>, ExecError> {
        let fail = |source| ExecError::Output { stream: "stdout", source };
        read_from_start(&self.0, cap).map_err(fail)
    }
}

impl Streams {
    /// Streams that keep standard output in memory, and nothing else.
    pub fn in_memory() -> Result<(Self, Printed), ExecError> {
        let fail = |source| ExecError::Output { stream: "stdout", source };
        let mut streams = Self::nowhere()?;
        let raw = scratch().map_err(fail)?;
        streams.stdout.raw = raw.try_clone().map_err(fail)?;
        Ok((streams, Printed(raw)))
    }

    /// Streams that keep both in memory, in the order in which they were written.
    pub fn together_in_memory() -> Result<(Self, Printed), ExecError> {
        let (mut streams, printed) = Self::in_memory()?;
        let fail = |source| ExecError::Output { stream: "stderr", source };
        streams.stderr.raw = printed.0.try_clone().map_err(fail)?;
        Ok((streams, printed))
    }

    /// Streams that keep nothing.
    pub fn nowhere() -> Result<Self, ExecError> {
        let open = || {
            #[expect(clippy::disallowed_methods, reason = "a device, not a file of ours")]
            OpenOptions::new().read(true).append(true).open("/dev/null")
        };
        let capture = |stream| {
            let fail = |source| ExecError::Output { stream, source };
            Ok(Capture { raw: open().map_err(fail)?, clean: open().map_err(fail)? })
        };
        Ok(Self { stdout: capture("stdout")?, stderr: capture("stderr")? })
    }
}

impl Capture {
    /// Copies what was captured, up to `cap` bytes, through the redactor.
    pub(crate) fn clean(&self, cap: u64, redact: &Redact<'_>) -> io::Result<()> {
        let bytes = read_from_start(&self.raw, cap)?;
        if bytes.is_empty() {
            return Ok(());
        }
        (&self.clean).write_all(&redact(&bytes))
    }
}

/// Reads a file from its start, whatever its position is, up to `cap` bytes.
pub(crate) fn read_from_start(file: &File, cap: u64) -> io::Result<Vec<u8>> {
    let size = file.metadata()?.len().min(cap);
    let mut bytes = vec![0; usize::try_from(size).map_err(io::Error::other)?];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}

/// Whether every write to this file goes to its end, as cutting it back requires.
pub(crate) fn is_append_only(file: &File) -> bool {
    rustix::fs::fcntl_getfl(file).is_ok_and(|flags| flags.contains(rustix::fs::OFlags::APPEND))
}

/// A file without a name, to be written at its end.
#[cfg(target_os = "linux")]
pub(crate) fn scratch() -> io::Result<File> {
    use rustix::fs::{MemfdFlags, OFlags, fcntl_setfl, memfd_create};

    let file = memfd_create(c"provost", MemfdFlags::CLOEXEC)?;
    fcntl_setfl(&file, OFlags::APPEND)?;
    Ok(File::from(file))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn scratch() -> io::Result<File> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
