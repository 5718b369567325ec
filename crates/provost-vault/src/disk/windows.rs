//! The machine's own disk on Windows. Written to the rules of HOOK-2.3; not built or run in the
//! project's own tests, which have no Windows machine.
//!
//! What differs: a replace fails while another process holds the target, so it is retried under
//! [`RetryPolicy`] and then reported, with the old file and the new one both intact; a folder
//! cannot be synced; and permissions come from the folder's access list, not from a mode.

use std::{
    fs::{File, Metadata, OpenOptions, TryLockError},
    io,
    os::windows::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _},
    time::{Instant, UNIX_EPOCH},
};

use provost_kernel::Millis;

use super::{Disk, Kind, Stat};
use crate::{Location, RetryPolicy, Stamp, replace::is_held_by_another};

/// The machine's disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

/// Opens a link itself and not what it points to, so that nothing is followed.
const OPEN_REPARSE_POINT: u32 = 0x0020_0000;

impl Disk for RealDisk {
    type File = File;

    fn create_folder(&self, at: &Location) -> io::Result<()> {
        follow_no_link(at)?;
        #[expect(clippy::disallowed_methods, reason = "this is vault's own disk")]
        std::fs::create_dir(at.path())
    }

    fn create(&self, at: &Location) -> io::Result<File> {
        open(at, OpenOptions::new().write(true).create_new(true))
    }

    fn open_log(&self, at: &Location) -> io::Result<File> {
        open(at, OpenOptions::new().read(true).append(true).create(true))
    }

    fn open_lock(&self, at: &Location) -> io::Result<File> {
        open(at, OpenOptions::new().read(true).write(true).create(true))
    }

    fn open(&self, at: &Location) -> io::Result<File> {
        open(at, OpenOptions::new().read(true))
    }

    fn append(&self, mut file: &File, bytes: &[u8]) -> io::Result<usize> {
        io::Write::write(&mut file, bytes)
    }

    fn write_at(&self, file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
        file.seek_write(bytes, offset)
    }

    fn read_at(&self, file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        file.seek_read(buffer, offset)
    }

    fn len(&self, file: &File) -> io::Result<u64> {
        Ok(file.metadata()?.len())
    }

    fn stamp(&self, file: &File) -> io::Result<Stamp> {
        Ok(stamp(&file.metadata()?))
    }

    fn truncate(&self, file: &File, len: u64) -> io::Result<()> {
        file.set_len(len)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    fn sync_data(&self, file: &File) -> io::Result<()> {
        file.sync_data()
    }

    fn make_private(&self, _: &File) -> io::Result<()> {
        // Permissions come from the folder's access list.
        Ok(())
    }

    fn rename(&self, from: &Location, to: &Location) -> io::Result<()> {
        follow_no_link(to)?;
        let policy = RetryPolicy::default();
        let started = Instant::now();
        let mut tries = 0;
        loop {
            #[expect(clippy::disallowed_methods, reason = "this is vault's own disk")]
            let error = match std::fs::rename(from.path(), to.path()) {
                Ok(()) => return Ok(()),
                Err(error) => error,
            };
            let held = error.raw_os_error().is_some_and(is_held_by_another);
            tries += 1;
            match policy.wait_before(tries, started.elapsed()) {
                Some(wait) if held => std::thread::sleep(wait),
                Some(_) | None => return Err(error),
            }
        }
    }

    fn remove(&self, at: &Location) -> io::Result<()> {
        follow_no_link(at)?;
        #[expect(clippy::disallowed_methods, reason = "this is vault's own disk")]
        std::fs::remove_file(at.path())
    }

    fn sync_folder(&self, _at: &Location) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn stat(&self, at: &Location) -> io::Result<Stat> {
        follow_no_link(at)?;
        let metadata = std::fs::symlink_metadata(at.path())?;
        let kind = match (metadata.is_file(), metadata.is_dir()) {
            (true, _) => Kind::File,
            (false, true) => Kind::Folder,
            (false, false) => Kind::Other,
        };
        let since = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        let modified = Millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX));
        Ok(Stat { kind, len: metadata.len(), modified, mode: 0, stamp: stamp(&metadata) })
    }

    fn birth(&self, at: &Location) -> io::Result<Option<u64>> {
        follow_no_link(at)?;
        Ok(Some(std::fs::symlink_metadata(at.path())?.creation_time()))
    }

    fn list(&self, at: &Location) -> io::Result<Vec<String>> {
        follow_no_link(at)?;
        let mut names = Vec::new();
        for entry in std::fs::read_dir(at.path())? {
            if let Ok(name) = entry?.file_name().into_string()
                && Location::accepts(&name)
            {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    fn lock(&self, file: &File) -> io::Result<()> {
        file.lock()
    }

    fn try_lock(&self, file: &File) -> io::Result<bool> {
        match file.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn unlock(&self, file: &File) -> io::Result<()> {
        file.unlock()
    }

    fn is_current(&self, _file: &File, at: &Location) -> io::Result<bool> {
        // A file that is open cannot be replaced here, so the name still stands for it.
        Ok(std::fs::symlink_metadata(at.path()).is_ok())
    }
}

/// The number of a file is not to be had here; the time at which it was made tells two apart.
fn stamp(metadata: &Metadata) -> Stamp {
    /// Between 1601 and 1970, in the unit of file times: 100 nanoseconds.
    const EPOCH: i128 = 116_444_736_000_000_000;
    let written = (i128::from(metadata.last_write_time()) - EPOCH) * 100;
    Stamp {
        len: metadata.len(),
        identity: (0, metadata.creation_time()),
        modified: written,
        changed: written,
    }
}

fn open(at: &Location, options: &mut OpenOptions) -> io::Result<File> {
    follow_no_link(at)?;
    #[expect(clippy::disallowed_methods, reason = "this is vault's own disk")]
    options.custom_flags(OPEN_REPARSE_POINT).open(at.path())
}

fn follow_no_link(at: &Location) -> io::Result<()> {
    let mut path = at.root_path().to_owned();
    for component in at.below().components() {
        path.push(component);
        match std::fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => {
                return Err(io::Error::other("a part of the path is a symbolic link"));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
