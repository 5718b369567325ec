//! Reading a file that somebody else named: never a pipe, never more than a limit.

use std::{fs::File, io, io::Read as _, path::Path};

use rustix::fs::{Mode, OFlags};

/// Why a file was not read.
#[derive(Debug)]
pub(crate) enum Unread {
    Folder,
    /// A pipe, a socket or a device: reading it could wait for ever or have effects.
    Special,
    /// It has more bytes than the limit.
    TooLarge,
    System(io::Error),
}

/// Reads a whole file of at most `limit` bytes.
pub(crate) fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Unread> {
    refuse_special(&path.metadata().map_err(Unread::System)?)?;
    // Somebody may put a pipe in the place of the file between the two looks: without
    // `NONBLOCK`, opening it would wait for a writer.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = rustix::fs::open(path, flags, Mode::empty());
    let file = File::from(opened.map_err(|error| Unread::System(error.into()))?);
    let metadata = file.metadata().map_err(Unread::System)?;
    refuse_special(&metadata)?;
    if metadata.len() > limit {
        return Err(Unread::TooLarge);
    }
    read_up_to(file, limit)
}

/// Reads to the end, if that comes before the limit.
pub(crate) fn read_up_to(source: impl io::Read, limit: u64) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    source.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(Unread::System)?;
    if u64::try_from(bytes.len()).is_ok_and(|it| it <= limit) {
        Ok(bytes)
    } else {
        Err(Unread::TooLarge)
    }
}

fn refuse_special(metadata: &std::fs::Metadata) -> Result<(), Unread> {
    if metadata.is_dir() {
        Err(Unread::Folder)
    } else if metadata.is_file() {
        Ok(())
    } else {
        Err(Unread::Special)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_bytes_as_the_limit_are_read_and_not_one_more() {
        let check = |bytes: &[u8], limit: u64, expected: Option<&[u8]>| {
            assert_eq!(read_up_to(bytes, limit).ok().as_deref(), expected, "{bytes:?} {limit}");
        };
        check(b"", 0, Some(b""));
        check(b"abc", 3, Some(b"abc"));
        check(b"abc", 2, None);
        check(b"abc", u64::MAX, Some(b"abc"));
    }

    /// A file in `/proc` claims to be empty; one that is still written grows after the first look.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_limit_holds_for_what_is_read_and_not_for_what_is_claimed() {
        let path = Path::new("/proc/self/status");
        assert_eq!(path.metadata().unwrap().len(), 0);
        assert!(matches!(read(path, 10), Err(Unread::TooLarge)));
        assert!(read(path, 1024 * 1024).is_ok_and(|it| it.starts_with(b"Name:")));
    }

    #[test]
    fn what_is_no_file_is_not_opened() {
        assert!(matches!(read(Path::new("/"), 10), Err(Unread::Folder)));
        assert!(matches!(read(Path::new("/dev/zero"), 10), Err(Unread::Special)));
        assert!(matches!(read(Path::new("/no/such/file"), 10), Err(Unread::System(_))));
    }
}
