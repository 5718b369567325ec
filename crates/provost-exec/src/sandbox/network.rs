//! Leaving the network: a namespace with nothing in it but a loopback.

use std::{fs::OpenOptions, io, io::Write as _};

use rustix::{
    net::{
        AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink::SocketAddrNetlink,
        recv, sendto, socket_with,
    },
    process::{getegid, geteuid},
    thread::UnshareFlags,
};

use super::NetworkCover;

/// Moves this process, which must have one thread, into a network of its own.
///
/// A user namespace comes with it: it is what allows an ordinary user to do this, and it takes
/// from a job of root the powers over the rest of the machine. Where user namespaces are switched
/// off, root still gets the network. Otherwise Landlock refuses TCP, if it can.
pub(super) fn leave() -> NetworkCover {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    if unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNET).is_ok() {
        // Unmapped, the job would run as `nobody`, but it would be cut off all the same.
        let _ = write("/proc/self/setgroups", "deny");
        let _ = write("/proc/self/uid_map", &format!("{user} {user} 1"));
        let _ = write("/proc/self/gid_map", &format!("{group} {group} 1"));
    } else if unshare(UnshareFlags::NEWNET).is_err() {
        return NetworkCover::Tcp;
    }
    match switch_loopback_on() {
        Ok(()) => NetworkCover::Namespace,
        Err(_) => NetworkCover::NamespaceWithoutLoopback,
    }
}

#[expect(unsafe_code, reason = "unsharing the table of open files would be unsafe; this does not")]
fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: only `FILES` can take descriptors away from other threads. It is not among the
    // flags, and there is no other thread.
    unsafe { rustix::thread::unshare_unsafe(flags) }?;
    Ok(())
}

/// Writes to a file of `/proc` that takes its whole content in one call.
fn write(path: &str, text: &str) -> io::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "a setting of the kernel, not a file of ours")]
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(text.as_bytes())
}

/// Sets the flag "up" on interface 1, which in a new network is always the loopback.
fn switch_loopback_on() -> io::Result<()> {
    const NEW_LINK: u16 = 16;
    const REQUEST_AND_ACKNOWLEDGE: u16 = 1 | 4;
    const UP: u32 = 1;
    const LOOPBACK: i32 = 1;

    // A header (length, type, flags, sequence, port) and an interface (family and padding, type,
    // index, flags, mask of flags to change), all in the byte order of the machine.
    let mut message = Vec::with_capacity(32);
    message.extend(32_u32.to_ne_bytes());
    message.extend(NEW_LINK.to_ne_bytes());
    message.extend(REQUEST_AND_ACKNOWLEDGE.to_ne_bytes());
    message.extend([0; 8]);
    message.extend([0; 4]);
    message.extend(LOOPBACK.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());

    let socket = socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        // The default protocol of this family is the one that speaks of interfaces.
        None,
    )?;
    sendto(&socket, &message, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    // The answer is a header and the error number, negative or 0.
    let mut answer = [0; 64];
    let (len, _) = recv(&socket, &mut answer, RecvFlags::empty())?;
    let error = answer.get(..len).and_then(|it| it.get(16..20)).and_then(|it| it.try_into().ok());
    match error.map(i32::from_ne_bytes) {
        Some(0) => Ok(()),
        Some(number) => Err(io::Error::from_raw_os_error(-number)),
        None => Err(io::Error::from(io::ErrorKind::InvalidData)),
    }
}
