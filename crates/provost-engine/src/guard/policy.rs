//! The compiled policy of a home: read, held against its files, and made anew when they changed.

use std::{fs, io, os::unix::fs::MetadataExt as _};

use provost_kernel::{
    Fault, RecordFile,
    guard::{CompiledPolicy, SourceStamp},
};
use provost_rules_guard::compiled;
use provost_vault::{Corruption, Disk, Location, Stored, read_record, write_json};

use super::GuardError;

/// Makes the policy from its files: slow, because it reads TOML.
pub type Compile<'a> = &'a dyn Fn() -> Result<CompiledPolicy, Box<dyn Fault>>;

/// The policy that holds, and whether it had to be made anew.
#[derive(Debug)]
pub struct Loaded {
    pub policy: CompiledPolicy,
    pub is_new: bool,
}

/// Reads a compiled policy. One that cannot be read is an error: what it said is unknown.
pub fn load<D: Disk>(disk: &D, at: &Location, compile: Compile<'_>) -> Result<Loaded, GuardError> {
    match read_record::<D, CompiledPolicy>(disk, at)? {
        Stored::Present(RecordFile { value, .. }) if compiled::is_current(&value, look) => {
            Ok(Loaded { policy: value, is_new: false })
        }
        Stored::Present(_) | Stored::Absent => {
            let policy = renew(disk, at, compile)?;
            Ok(Loaded { policy, is_new: true })
        }
        Stored::Corrupt(Corruption { why, .. }) => {
            Err(GuardError::Policy { path: at.path().to_string(), why })
        }
    }
}

/// Makes a policy anew and stores it, whatever was there.
pub fn renew<D: Disk>(
    disk: &D,
    at: &Location,
    compile: Compile<'_>,
) -> Result<CompiledPolicy, GuardError> {
    let policy = compile().map_err(|it| GuardError::Compile(it.into()))?;
    write_json(disk, at, &RecordFile::new(policy.clone()))?;
    Ok(policy)
}

/// What can be said of a file without reading it; nothing if there is none.
pub fn look(path: &str) -> io::Result<Option<SourceStamp>> {
    let nanoseconds = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000) + rest;
    match fs::metadata(path) {
        Ok(it) => Ok(Some(SourceStamp {
            size: it.size(),
            inode: it.ino(),
            modified: nanoseconds(it.mtime(), it.mtime_nsec()),
            changed: nanoseconds(it.ctime(), it.ctime_nsec()),
        })),
        // A link that leads nowhere is something: its author meant a file.
        Err(error) if is_absent(&error) => match fs::symlink_metadata(path) {
            Err(error) if is_absent(&error) => Ok(None),
            Ok(_) | Err(_) => Err(error),
        },
        Err(error) => Err(error),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
