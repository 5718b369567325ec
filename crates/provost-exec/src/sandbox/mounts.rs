//! A view of the mounts in which only the writable folders can be changed.
//!
//! Landlock knows neither `chmod` nor `chown`, `touch` or attributes. On a mount that is read-only
//! the kernel refuses them all, and reading a file leaves no time of access behind. The price: each
//! writable folder is a mount of its own, so that neither a hard link nor a plain rename leads from
//! one to another, as with two disks.

use std::{
    io,
    os::fd::{AsFd, AsRawFd as _, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::mount::{MoveMountFlags, OpenTreeFlags, move_mount, open_tree};

use super::files::open_exactly;

/// What `mount_setattr` takes.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

const READ_ONLY: u64 = 1;

/// Makes every mount read-only except for the writable folders, in a namespace of mounts that this
/// process has for itself. The answer is whether this kernel can.
pub(super) fn seal(writable: &[PathBuf]) -> io::Result<bool> {
    let outermost = outermost(writable);
    if outermost.iter().any(|it| it.parent().is_none()) {
        return Ok(false);
    }
    let mut kept = Vec::new();
    for path in outermost {
        let folder = open_exactly(path)?;
        // A copy has the attributes of now. It has everything that is mounted below: without a part
        // of it, what the part covers would come to light, which the kernel refuses.
        let Ok(copy) = copy_of(&folder) else { return Ok(false) };
        kept.push((folder, copy));
    }
    let root = open_exactly(Path::new("/"))?;
    if set(&root, READ_ONLY).is_err() {
        return Ok(false);
    }
    // From here on a failure ends the job: it would find its own folders read-only.
    for (folder, copy) in kept {
        let flags =
            MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
        move_mount(&copy, c"", &folder, c"", flags)?;
    }
    Ok(true)
}

/// Those of the folders that lie in no other.
fn outermost(writable: &[PathBuf]) -> Vec<&Path> {
    let mut sorted: Vec<&Path> = writable.iter().map(PathBuf::as_path).collect();
    sorted.sort_unstable();
    let mut found: Vec<&Path> = Vec::new();
    for path in sorted {
        if !found.iter().any(|it| path.starts_with(it)) {
            found.push(path);
        }
    }
    found
}

fn copy_of(folder: &OwnedFd) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    let copy = open_tree(folder, c"", flags)?;
    set(&copy, 0)?;
    Ok(copy)
}

/// Sets an attribute on a mount and all below it, and cuts them off from the rest of the machine:
/// what is mounted here is not to appear there.
#[expect(unsafe_code, reason = "rustix does not have this call")]
fn set(mount: &impl AsFd, set: u64) -> io::Result<()> {
    let attributes = Attributes { set, propagation: libc::MS_PRIVATE, ..Attributes::default() };
    // SAFETY: the descriptor is open, the path ends with a zero byte, and the structure is the one
    // that the call takes, with its size; the kernel only reads them.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_fd().as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH | libc::AT_RECURSIVE,
            &raw const attributes,
            size_of::<Attributes>(),
        )
    };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(writable: &[&str], expected: &[&str]) {
        let writable: Vec<PathBuf> = writable.iter().map(PathBuf::from).collect();
        let expected: Vec<&Path> = expected.iter().map(Path::new).collect();
        assert_eq!(outermost(&writable), expected);
    }

    #[test]
    fn a_folder_inside_another_needs_no_mount() {
        check(&[], &[]);
        check(&["/a/b", "/a", "/ab"], &["/a", "/ab"]);
        check(&["/a", "/a"], &["/a"]);
        check(&["/a-b", "/a/c", "/a"], &["/a", "/a-b"]);
        check(&["/", "/a"], &["/"]);
    }
}
