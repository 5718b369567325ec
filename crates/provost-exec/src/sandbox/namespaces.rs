//! What a job has for itself: a network, System V and POSIX objects, a view of the mounts.

use std::{fs::OpenOptions, io, io::Write as _};

use rustix::{
    process::{getegid, geteuid},
    thread::UnshareFlags,
};

/// Moves this process, which must have one thread, into namespaces of its own, and returns those
/// of the wanted ones that it got.
///
/// A user namespace comes with them: it is what allows an ordinary user to do this, and it takes
/// from a job of root the powers over the rest of the machine. Root does without where the network
/// stays: a job that fetches packages may have to unpack files of other owners.
pub(super) fn enter(wanted: UnshareFlags) -> UnshareFlags {
    if geteuid().is_root() && !wanted.contains(UnshareFlags::NEWNET) {
        let own = enter_as_root(wanted);
        if !own.is_empty() {
            return own;
        }
    }
    // A kernel may lack one of the others; the network is what was asked for.
    let network = wanted & UnshareFlags::NEWNET;
    for own in [wanted, network] {
        if !own.is_empty() && enter_as_user(own).is_ok() {
            return own;
        }
    }
    enter_as_root(wanted)
}

/// Where user namespaces are switched off, root still gets the others.
fn enter_as_root(wanted: UnshareFlags) -> UnshareFlags {
    wanted.iter().filter(|it| unshare(*it).is_ok()).collect()
}

fn enter_as_user(own: UnshareFlags) -> io::Result<()> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    unshare(UnshareFlags::NEWUSER | own)?;
    // Unmapped, the job would run as the overflow user, and be cut off all the same.
    let _ = write("/proc/self/setgroups", "deny");
    let _ = write("/proc/self/uid_map", &format!("{user} {user} 1"));
    let _ = write("/proc/self/gid_map", &format!("{group} {group} 1"));
    Ok(())
}

#[expect(unsafe_code, reason = "unsharing the table of open files would be unsafe; this does not")]
fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: only `FILES` can take descriptors away from other threads. It is not among the
    // flags, and this process has one thread.
    unsafe { rustix::thread::unshare_unsafe(flags) }?;
    Ok(())
}

/// Writes to a file of `/proc` that takes its whole content in one call.
fn write(path: &str, text: &str) -> io::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "a setting of the kernel, not a file of ours")]
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(text.as_bytes())
}
