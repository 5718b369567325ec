//! The rules on files, as Landlock takes them.
//!
//! Landlock only grants: what is granted on a folder is granted on everything below. To hide a
//! path, reading is granted on each neighbour along the way to it, and on no folder of the way
//! itself.

use std::{
    collections::BTreeSet,
    ffi::{CString, OsStr},
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::ffi::OsStrExt as _,
    },
    path::{Component, Path, PathBuf},
};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, Scope,
};
use rustix::{
    fs::{CWD, Dir, FileType, Mode, OFlags, ResolveFlags, fstat, openat, openat2},
    io::Errno,
};

use super::{NetworkCover, Sandbox};

/// The newest version whose rights are known here. Older kernels take what they know.
const NEWEST: ABI = ABI::V9;

/// Where devices are. The names there may be listed, but only some of them opened.
const DEVICE_FOLDER: &str = "/dev";

/// Devices that programs expect to be able to write to and that keep nothing. Terminals are not
/// among them: in one of the person's a job could show a prompt and read what is typed.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];

/// A folder on the way to a hidden path may have this many entries.
const MAX_NEIGHBOURS: usize = 200_000;

/// Restricts the calling thread, and returns the version of Landlock that is in force, or 0.
pub(super) fn restrict(sandbox: &Sandbox, network: NetworkCover) -> io::Result<u8> {
    let mut request = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))
        .and_then(|it| it.scope(Scope::from_all(NEWEST)))
        .map_err(io::Error::other)?;
    if matches!(network, NetworkCover::Tcp) {
        // No port is granted, so none can be used.
        request = request.handle_access(AccessNet::from_all(NEWEST)).map_err(io::Error::other)?;
    }
    let mut rules = request.create().map_err(io::Error::other)?;

    grant_reading(&mut rules, &sandbox.hidden)?;
    let devices = AccessFs::MakeBlock | AccessFs::MakeChar;
    for path in &sandbox.writable {
        grant(&mut rules, &open_exactly(path)?, AccessFs::from_all(NEWEST) & !devices)?;
    }
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev | AccessFs::Truncate;
    grant_if_present(&mut rules, DEVICE_FOLDER, AccessFs::ReadDir.into())?;
    for name in DEVICES {
        grant_if_present(&mut rules, &format!("{DEVICE_FOLDER}/{name}"), device)?;
    }
    // Scripts write to `/dev/stderr`, which opens the capture file once more. Output that is not a
    // file on a disk cannot be named in a rule, and need not be.
    for stream in [rustix::stdio::stdout(), rustix::stdio::stderr()] {
        let _ = grant(&mut rules, &stream, AccessFs::WriteFile | AccessFs::Truncate);
    }

    let status = rules.restrict_self().map_err(io::Error::other)?;
    Ok(match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => number_of(effective_abi),
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => 0,
    })
}

fn number_of(abi: ABI) -> u8 {
    (1..=9).rev().find(|&it| ABI::from(i32::from(it)) <= abi).unwrap_or(0)
}

/// Opens a folder by a path that no symbolic link is part of.
pub(super) fn open_exactly(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS).map_err(|error| {
        let why = match error {
            Errno::LOOP => "is reached through a symbolic link".to_owned(),
            Errno::NOTDIR => "is not a folder".to_owned(),
            Errno::NOENT => "does not exist".to_owned(),
            other => format!("cannot be opened: {other}"),
        };
        io::Error::other(format!("the writable folder `{}` {why}", path.display()))
    })
}

/// A machine without such a file has nothing to grant.
fn grant_if_present(
    rules: &mut RulesetCreated,
    path: &str,
    access: BitFlags<AccessFs>,
) -> io::Result<()> {
    match openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) {
        Ok(file) => grant(rules, &file, access),
        Err(_) => Ok(()),
    }
}

fn grant(
    rules: &mut RulesetCreated,
    file: &impl AsFd,
    access: BitFlags<AccessFs>,
) -> io::Result<()> {
    let stat = fstat(file)?;
    let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
    let access = if is_folder { access } else { access & AccessFs::from_file(NEWEST) };
    rules.add_rule(PathBeneath::new(file, access)).map_err(io::Error::other)?;
    Ok(())
}

/// Grants reading and executing everywhere except at and below the hidden paths and the devices.
fn grant_reading(rules: &mut RulesetCreated, hidden: &[PathBuf]) -> io::Result<()> {
    let root = openat(CWD, "/", OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let devices = Path::new(DEVICE_FOLDER);
    let ways = hidden.iter().map(PathBuf::as_path).chain([devices]).map(way_to);
    let ways: Vec<Way<'_>> = ways.collect();
    carve(rules, &root, &ways)
}

/// The names that lead from a folder to a hidden path; none when it is the folder itself.
type Way<'p> = Vec<&'p OsStr>;

fn way_to(path: &Path) -> Way<'_> {
    path.components()
        .filter_map(|it| match it {
            Component::Normal(name) => Some(name),
            // The path is resolved, so these do not lead anywhere.
            Component::RootDir
            | Component::CurDir
            | Component::ParentDir
            | Component::Prefix(_) => None,
        })
        .collect()
}

/// Grants reading on `folder`, or, when ways to hidden paths lead through it, around them.
fn carve(rules: &mut RulesetCreated, folder: &OwnedFd, ways: &[Way<'_>]) -> io::Result<()> {
    let read = AccessFs::from_read(NEWEST);
    if ways.is_empty() {
        return grant(rules, folder, read);
    }
    if ways.iter().any(Vec::is_empty) {
        return Ok(());
    }
    for name in entries(folder, ways)? {
        let onward: Vec<Way<'_>> = ways
            .iter()
            .filter_map(|way| way.split_first())
            .filter(|(first, _)| first.as_bytes() == name.as_bytes())
            .map(|(_, rest)| rest.to_vec())
            .collect();
        // The entry itself is opened, never what it points to: the target of a symbolic link is
        // granted where it lies, if it is.
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(entry) = openat(folder, name.as_c_str(), flags, Mode::empty()) else { continue };
        if FileType::from_raw_mode(fstat(&entry)?.st_mode) != FileType::Symlink {
            carve(rules, &entry, &onward)?;
        }
    }
    Ok(())
}

/// The entries of a folder. When it may not be listed, only those on the way are known, and the
/// others stay unreadable.
fn entries(folder: &OwnedFd, ways: &[Way<'_>]) -> io::Result<BTreeSet<CString>> {
    let mut found: BTreeSet<CString> = ways
        .iter()
        .filter_map(|way| way.first())
        .filter_map(|name| CString::new(name.as_bytes()).ok())
        .collect();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(listing) = openat(folder, c".", flags, Mode::empty()).and_then(Dir::new) else {
        return Ok(found);
    };
    for entry in listing {
        let name = entry?.file_name().to_owned();
        if !matches!(name.to_bytes(), b"." | b"..") {
            found.insert(name);
        }
        if found.len() > MAX_NEIGHBOURS {
            return Err(io::Error::other("a folder on the way to a hidden path is too large"));
        }
    }
    Ok(found)
}
