//! A network of its own: a namespace with nothing in it but a loopback.

use std::io;

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink::SocketAddrNetlink, recv,
    sendto, socket_with,
};

use super::NetworkCover;

/// What a job without a network got. Without a namespace, Landlock refuses TCP, if it can.
pub(super) fn cover(has_own: bool) -> NetworkCover {
    match has_own.then(switch_loopback_on) {
        Some(Ok(())) => NetworkCover::Namespace,
        Some(Err(_)) => NetworkCover::NamespaceWithoutLoopback,
        None => NetworkCover::Tcp,
    }
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
