//! What the vault needs of a disk: few operations, each of which may be the last one.
//!
//! Two disks exist. [`RealDisk`] is the machine's. [`sim::SimDisk`] forgets whatever was not
//! synced and can lose its power at any step, so that every stop point can be tried.

use std::io;

use provost_kernel::Millis;

use crate::{Location, Stamp};

pub mod sim;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::RealDisk;
#[cfg(unix)]
pub(crate) use unix::open_folder;
#[cfg(windows)]
pub use windows::RealDisk;

/// A disk with files and folders under roots.
///
/// Nothing is durable until it is synced: the contents of a file by [`sync`](Disk::sync), its
/// name by [`sync_folder`](Disk::sync_folder). An implementation refuses a location that leads
/// through a symbolic link, and gives new folders the mode 0700 and new files 0600.
pub trait Disk: std::fmt::Debug + Send + Sync {
    type File: std::fmt::Debug + Send + Sync;

    /// Creates one folder; its parent must exist.
    fn create_folder(&self, at: &Location) -> io::Result<()>;

    /// Creates a file that must not exist yet.
    fn create(&self, at: &Location) -> io::Result<Self::File>;

    /// Opens a file to append to, and creates it if it is absent.
    fn open_log(&self, at: &Location) -> io::Result<Self::File>;

    /// Opens a file to lock and to write in place, and creates it if it is absent.
    fn open_lock(&self, at: &Location) -> io::Result<Self::File>;

    /// Opens a file to read.
    fn open(&self, at: &Location) -> io::Result<Self::File>;

    /// Adds bytes at the end; may add fewer than given.
    fn append(&self, file: &Self::File, bytes: &[u8]) -> io::Result<usize>;

    /// Replaces bytes in place; may write fewer than given. Not for logs.
    fn write_at(&self, file: &Self::File, bytes: &[u8], offset: u64) -> io::Result<usize>;

    /// Reads bytes from a place; 0 at the end.
    fn read_at(&self, file: &Self::File, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    fn len(&self, file: &Self::File) -> io::Result<u64>;

    /// How an open file looks now.
    fn stamp(&self, file: &Self::File) -> io::Result<Stamp>;

    fn truncate(&self, file: &Self::File, len: u64) -> io::Result<()>;

    /// Makes a file durable: contents, length and mode.
    fn sync(&self, file: &Self::File) -> io::Result<()>;

    /// Makes the contents and the length of a file durable: what a log needs.
    fn sync_data(&self, file: &Self::File) -> io::Result<()>;

    /// Takes an open file away from everybody but its owner, where the platform has modes.
    fn make_private(&self, file: &Self::File) -> io::Result<()>;

    /// Gives a file another name in the same folder, replacing what had that name.
    fn rename(&self, from: &Location, to: &Location) -> io::Result<()>;

    fn remove(&self, at: &Location) -> io::Result<()>;

    /// Makes the names in a folder durable.
    fn sync_folder(&self, at: &Location) -> io::Result<()>;

    fn stat(&self, at: &Location) -> io::Result<Stat>;

    /// When a file or folder was made, in nanoseconds; nothing on a disk that does not say. A file
    /// system gives the number of a removed folder to the next one, and never its time.
    fn birth(&self, at: &Location) -> io::Result<Option<u64>>;

    /// The names in a folder, sorted; those that are not UTF-8 are left out.
    fn list(&self, at: &Location) -> io::Result<Vec<String>>;

    /// What lies in a folder, in the order of the names. A disk that can walk to the folder once does so.
    fn list_stats(&self, at: &Location) -> io::Result<Vec<(String, Stat)>> {
        let mut found = Vec::new();
        for name in self.list(at)? {
            match self.stat(&at.join(&name)) {
                Ok(stat) => found.push((name, stat)),
                // Somebody removed it a moment ago.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    /// Waits for the exclusive lock on a file; the lock ends with the process.
    fn lock(&self, file: &Self::File) -> io::Result<()>;

    /// Takes the exclusive lock if it is free.
    fn try_lock(&self, file: &Self::File) -> io::Result<bool>;

    fn unlock(&self, file: &Self::File) -> io::Result<()>;

    /// Whether this open file is still the one with that name.
    fn is_current(&self, file: &Self::File, at: &Location) -> io::Result<bool>;

    /// Opens files of one folder to read, one after the other. A disk that can walk to the folder
    /// once does so.
    fn open_each(
        &self,
        folder: &Location,
        names: &[String],
        each: &mut dyn FnMut(&str, io::Result<Self::File>),
    ) -> io::Result<()> {
        for name in names {
            each(name, self.open(&folder.join(name)));
        }
        Ok(())
    }
}

/// Makes a way to share a disk the same disk.
macro_rules! shared {
    ($($shared:ty),+) => {
        $(
            impl<D: Disk> Disk for $shared {
                type File = D::File;

                fn create_folder(&self, at: &Location) -> io::Result<()> {
                    (**self).create_folder(at)
                }

                fn create(&self, at: &Location) -> io::Result<Self::File> {
                    (**self).create(at)
                }

                fn open_log(&self, at: &Location) -> io::Result<Self::File> {
                    (**self).open_log(at)
                }

                fn open_lock(&self, at: &Location) -> io::Result<Self::File> {
                    (**self).open_lock(at)
                }

                fn open(&self, at: &Location) -> io::Result<Self::File> {
                    (**self).open(at)
                }

                fn append(&self, file: &Self::File, bytes: &[u8]) -> io::Result<usize> {
                    (**self).append(file, bytes)
                }

                fn write_at(&self, file: &Self::File, bytes: &[u8], offset: u64) -> io::Result<usize> {
                    (**self).write_at(file, bytes, offset)
                }

                fn read_at(&self, file: &Self::File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
                    (**self).read_at(file, buffer, offset)
                }

                fn len(&self, file: &Self::File) -> io::Result<u64> {
                    (**self).len(file)
                }

                fn stamp(&self, file: &Self::File) -> io::Result<Stamp> {
                    (**self).stamp(file)
                }

                fn truncate(&self, file: &Self::File, len: u64) -> io::Result<()> {
                    (**self).truncate(file, len)
                }

                fn sync(&self, file: &Self::File) -> io::Result<()> {
                    (**self).sync(file)
                }

                fn sync_data(&self, file: &Self::File) -> io::Result<()> {
                    (**self).sync_data(file)
                }

                fn make_private(&self, file: &Self::File) -> io::Result<()> {
                    (**self).make_private(file)
                }

                fn rename(&self, from: &Location, to: &Location) -> io::Result<()> {
                    (**self).rename(from, to)
                }

                fn remove(&self, at: &Location) -> io::Result<()> {
                    (**self).remove(at)
                }

                fn sync_folder(&self, at: &Location) -> io::Result<()> {
                    (**self).sync_folder(at)
                }

                fn stat(&self, at: &Location) -> io::Result<Stat> {
                    (**self).stat(at)
                }

                fn birth(&self, at: &Location) -> io::Result<Option<u64>> {
                    (**self).birth(at)
                }

                fn list(&self, at: &Location) -> io::Result<Vec<String>> {
                    (**self).list(at)
                }

                fn lock(&self, file: &Self::File) -> io::Result<()> {
                    (**self).lock(file)
                }

                fn try_lock(&self, file: &Self::File) -> io::Result<bool> {
                    (**self).try_lock(file)
                }

                fn unlock(&self, file: &Self::File) -> io::Result<()> {
                    (**self).unlock(file)
                }

                fn is_current(&self, file: &Self::File, at: &Location) -> io::Result<bool> {
                    (**self).is_current(file, at)
                }
            }
        )+
    };
}

shared!(&D, std::sync::Arc<D>);

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    pub kind: Kind,
    pub len: u64,
    pub modified: Millis,
    /// The permission bits; 0 where the platform has none.
    pub mode: u32,
    pub stamp: Stamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
    /// A symbolic link, a device, a socket or a pipe: nothing that the vault touches.
    Other,
}

/// Adds all bytes at the end.
pub(crate) fn append_all<D: Disk>(disk: &D, file: &D::File, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match disk.append(file, bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads a whole open file.
pub(crate) fn read_all<D: Disk>(disk: &D, file: &D::File) -> io::Result<Vec<u8>> {
    let expected = usize::try_from(disk.len(file)?).unwrap_or(usize::MAX);
    let mut bytes = vec![0; expected.saturating_add(1).min(1 << 20)];
    let mut filled = 0;
    loop {
        if filled == bytes.len() {
            bytes.resize(bytes.len() * 2, 0);
        }
        let Some(free) = bytes.get_mut(filled..) else { break };
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

/// Opens a file in a way that creates it, and creates its folders if one is missing.
///
/// The folders are made only then: the common open spends no call on them.
pub(crate) fn open_in_folder<D: Disk>(
    disk: &D,
    at: &Location,
    open: impl Fn(&D) -> io::Result<D::File>,
) -> io::Result<D::File> {
    match open(disk) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = at.folder().ok_or(io::ErrorKind::IsADirectory)?;
            create_folders(disk, &folder)?;
            open(disk)
        }
        opened => opened,
    }
}

/// Creates a folder and the folders above it, each durable before the next.
///
/// Every folder from the first missing one on is synced into its parent, so that a power cut
/// cannot take away a folder in which something was acknowledged.
pub(crate) fn create_folders<D: Disk>(disk: &D, at: &Location) -> io::Result<()> {
    match disk.create_folder(at) {
        Ok(()) => {}
        // Somebody made it a moment ago and may not have synced it yet.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let Some(parent) = at.folder() else { return Err(error) };
            create_folders(disk, &parent)?;
            match disk.create_folder(at) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Err(error) => return Err(error),
    }
    // Best effort, as for every folder: some file systems cannot sync one.
    if let Some(parent) = at.folder() {
        let _ = disk.sync_folder(&parent);
    }
    Ok(())
}
