//! The machine's own disk, through calls that never follow a symbolic link below the root.

use std::{
    fs::{DirBuilder, File, TryLockError},
    io,
    os::{
        fd::OwnedFd,
        unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _},
    },
};

use provost_kernel::Millis;
use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags},
    io::Errno,
};

use super::{Disk, Kind, Stat};
use crate::{Location, Stamp};

/// The machine's disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);
const FOLDER_MODE: Mode = Mode::RWXU;

/// How a folder is opened on the way to a place below it.
#[cfg(target_os = "linux")]
const PASSAGE: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const PASSAGE: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

const READABLE_FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

impl Disk for RealDisk {
    type File = File;

    fn create_folder(&self, at: &Location) -> io::Result<()> {
        let Some((parent, name)) = passage(at)? else {
            // The root is the person's choice: the folders above it are ordinary ones.
            return create_root(at);
        };
        rustix::fs::mkdirat(&parent, name, FOLDER_MODE)?;
        // The mode of a new folder depends on the umask; this does not.
        let flags = READABLE_FOLDER | OFlags::NOFOLLOW;
        match rustix::fs::openat(&parent, name, flags, Mode::empty()) {
            Ok(folder) => Ok(rustix::fs::fchmod(folder, FOLDER_MODE)?),
            // Under a umask that takes reading away it can only be reached by its name.
            Err(Errno::ACCESS) => {
                Ok(rustix::fs::chmodat(&parent, name, FOLDER_MODE, AtFlags::empty())?)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn create(&self, at: &Location) -> io::Result<File> {
        let file = open_at(at, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)?;
        // The mode of a new file depends on the umask; this does not.
        rustix::fs::fchmod(&file, FILE_MODE)?;
        Ok(file)
    }

    fn open_log(&self, at: &Location) -> io::Result<File> {
        open_at(at, OFlags::RDWR | OFlags::APPEND | OFlags::CREATE)
    }

    fn open_lock(&self, at: &Location) -> io::Result<File> {
        open_at(at, OFlags::RDWR | OFlags::CREATE)
    }

    fn open(&self, at: &Location) -> io::Result<File> {
        // A pipe in place of a file would block an ordinary open for ever.
        open_at(at, OFlags::RDONLY | OFlags::NONBLOCK)
    }

    fn append(&self, mut file: &File, bytes: &[u8]) -> io::Result<usize> {
        io::Write::write(&mut file, bytes)
    }

    fn write_at(&self, file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
        file.write_at(bytes, offset)
    }

    fn read_at(&self, file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        file.read_at(buffer, offset)
    }

    fn len(&self, file: &File) -> io::Result<u64> {
        Ok(file.metadata()?.len())
    }

    fn stamp(&self, file: &File) -> io::Result<Stamp> {
        Ok(stamp(&rustix::fs::fstat(file)?))
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

    fn make_private(&self, file: &File) -> io::Result<()> {
        if file.metadata()?.mode() & 0o7777 != FILE_MODE.as_raw_mode() {
            rustix::fs::fchmod(file, FILE_MODE)?;
        }
        Ok(())
    }

    fn rename(&self, from: &Location, to: &Location) -> io::Result<()> {
        let (Some((parent, from_name)), Some((_, to_name))) = (passage(from)?, last(to)) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        debug_assert_eq!(from.folder(), to.folder(), "a rename stays in its folder");
        Ok(rustix::fs::renameat(&parent, from_name, &parent, to_name)?)
    }

    fn remove(&self, at: &Location) -> io::Result<()> {
        let Some((parent, name)) = passage(at)? else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        Ok(rustix::fs::unlinkat(&parent, name, AtFlags::empty())?)
    }

    fn sync_folder(&self, at: &Location) -> io::Result<()> {
        File::from(open_folder(at)?).sync_all()
    }

    fn stat(&self, at: &Location) -> io::Result<Stat> {
        Ok(found(&match passage(at)? {
            Some((parent, name)) => rustix::fs::statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW)?,
            None => rustix::fs::stat(at.root_path().as_std_path())?,
        }))
    }

    #[cfg(target_os = "linux")]
    fn birth(&self, at: &Location) -> io::Result<Option<u64>> {
        use rustix::fs::{StatxFlags, statx};
        let found = if let Some((parent, name)) = passage(at)? {
            statx(&parent, name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BTIME)?
        } else {
            let path = at.root_path().as_std_path();
            statx(rustix::fs::CWD, path, AtFlags::empty(), StatxFlags::BTIME)?
        };
        if found.stx_mask & StatxFlags::BTIME.bits() == 0 {
            return Ok(None);
        }
        let seconds = u64::try_from(found.stx_btime.tv_sec).ok();
        Ok(seconds.map(|it| it * 1_000_000_000 + u64::from(found.stx_btime.tv_nsec)))
    }

    #[cfg(not(target_os = "linux"))]
    fn birth(&self, at: &Location) -> io::Result<Option<u64>> {
        let made = std::fs::symlink_metadata(at.path())?.created().ok();
        let age = made.and_then(|it| it.duration_since(std::time::UNIX_EPOCH).ok());
        Ok(age.and_then(|it| u64::try_from(it.as_nanos()).ok()))
    }

    fn list(&self, at: &Location) -> io::Result<Vec<String>> {
        names(rustix::fs::Dir::new(open_folder(at)?)?)
    }

    fn list_stats(&self, at: &Location) -> io::Result<Vec<(String, Stat)>> {
        let folder = open_folder(at)?;
        let mut stats = Vec::new();
        for name in names(rustix::fs::Dir::read_from(&folder)?)? {
            match rustix::fs::statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => stats.push((name, found(&stat))),
                // Somebody removed it a moment ago.
                Err(Errno::NOENT) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(stats)
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

    fn is_current(&self, file: &File, at: &Location) -> io::Result<bool> {
        let Some((parent, name)) = passage(at)? else { return Ok(false) };
        let opened = file.metadata()?;
        match rustix::fs::statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(named) => Ok(named.st_ino == opened.ino() && named.st_dev == opened.dev()),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn open_each(
        &self,
        folder: &Location,
        names: &[String],
        each: &mut dyn FnMut(&str, io::Result<File>),
    ) -> io::Result<()> {
        let folder = open_folder(folder)?;
        for name in names {
            each(name, open_in(&folder, name, OFlags::RDONLY | OFlags::NONBLOCK));
        }
        Ok(())
    }
}

/// The plain names in a folder, sorted.
fn names(folder: rustix::fs::Dir) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in folder {
        if let Ok(name) = entry?.file_name().to_str()
            && Location::accepts(name)
        {
            names.push(name.to_owned());
        }
    }
    names.sort_unstable();
    Ok(names)
}

fn found(stat: &rustix::fs::Stat) -> Stat {
    Stat {
        kind: match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Folder,
            FileType::Symlink
            | FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => Kind::Other,
        },
        len: u64::try_from(stat.st_size).unwrap_or(0),
        modified: Millis(u64::try_from(stat.st_mtime).unwrap_or(0).saturating_mul(1000)),
        mode: stat.st_mode & 0o7777,
        stamp: stamp(stat),
    }
}

fn stamp(stat: &rustix::fs::Stat) -> Stamp {
    let nanos = |seconds: i128, nanos: i128| seconds.saturating_mul(1_000_000_000) + nanos;
    Stamp {
        len: u64::try_from(stat.st_size).unwrap_or(0),
        identity: (stat.st_dev, stat.st_ino),
        modified: nanos(stat.st_mtime.into(), stat.st_mtime_nsec.into()),
        changed: nanos(stat.st_ctime.into(), stat.st_ctime_nsec.into()),
    }
}

/// Walks to the folder that contains a place: an open folder, and the name within it.
///
/// Each component below the root is opened from its parent without following a link, so a link
/// that somebody plants, even while this runs, is refused and never followed.
fn passage(at: &Location) -> io::Result<Option<(OwnedFd, &str)>> {
    let Some((folders, name)) = last(at) else { return Ok(None) };
    let mut folder = rustix::fs::open(at.root_path().as_std_path(), PASSAGE, Mode::empty())?;
    for component in folders.components() {
        let next = PASSAGE | OFlags::NOFOLLOW;
        folder = rustix::fs::openat(&folder, component.as_str(), next, Mode::empty())?;
    }
    Ok(Some((folder, name)))
}

fn last(at: &Location) -> Option<(&camino::Utf8Path, &str)> {
    Some((at.below().parent()?, at.below().file_name()?))
}

fn open_at(at: &Location, flags: OFlags) -> io::Result<File> {
    let Some((parent, name)) = passage(at)? else {
        return Err(io::ErrorKind::IsADirectory.into());
    };
    open_in(&parent, name, flags)
}

/// Opens a plain file in an open folder, without following a link.
fn open_in(folder: &OwnedFd, name: &str, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(folder, name, flags, FILE_MODE) {
        Ok(file) => File::from(file),
        Err(Errno::LOOP) => {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, "it is a symbolic link"));
        }
        Err(error) => return Err(error.into()),
    };
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("it is not a plain file"))
    }
}

/// Opens a folder to work on it, without following a link below the root.
pub(crate) fn open_folder(at: &Location) -> io::Result<OwnedFd> {
    Ok(match passage(at)? {
        Some((parent, name)) => {
            let flags = READABLE_FOLDER | OFlags::NOFOLLOW;
            rustix::fs::openat(&parent, name, flags, Mode::empty())?
        }
        None => rustix::fs::open(at.root_path().as_std_path(), READABLE_FOLDER, Mode::empty())?,
    })
}

fn create_root(at: &Location) -> io::Result<()> {
    let path = at.root_path();
    if path.is_dir() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let missing: Vec<_> = path.ancestors().take_while(|it| !it.is_dir()).collect();
    for folder in missing.into_iter().rev().filter(|it| !it.as_str().is_empty()) {
        match DirBuilder::new().mode(0o700).create(folder) {
            Ok(()) => rustix::fs::chmod(folder.as_std_path(), FOLDER_MODE)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        // Each folder is durable before the next one is made in it.
        let parent = folder.parent().filter(|it| !it.as_str().is_empty());
        let parent = parent.unwrap_or(camino::Utf8Path::new("."));
        let parent = rustix::fs::open(parent.as_std_path(), READABLE_FOLDER, Mode::empty())?;
        let _ = File::from(parent).sync_all();
    }
    Ok(())
}
