//! Who holds the other end of a connection, as the kernel knows it: a secret can be copied, a process
//! cannot choose whose child it is.

use std::{io, net::SocketAddr};

/// The other end of a TCP connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Peer {
    /// The processes that have it open.
    Held(Vec<u32>),
    /// It is of this machine, and held by a process whose open files may not be seen: one of these.
    Hidden(Vec<u32>),
    /// It was closed before it could be looked at.
    Gone,
    /// It is on another machine, or the system does not tell.
    Unknown,
}

/// Finds the other end of a connection between two addresses: `theirs` is that of the peer.
#[cfg(target_os = "linux")]
pub fn peer(theirs: SocketAddr, ours: SocketAddr) -> io::Result<Peer> {
    let mut tables = std::fs::read_to_string("/proc/net/tcp")?;
    // A machine without IPv6 has no such table.
    tables.push_str(&std::fs::read_to_string("/proc/net/tcp6").unwrap_or_default());
    match tables.lines().find_map(|line| inode(line, theirs, ours)) {
        Some(0) => Ok(Peer::Gone),
        Some(inode) => holders(inode),
        None if theirs.ip().to_canonical().is_loopback() => Ok(Peer::Gone),
        None => Ok(Peer::Unknown),
    }
}

#[cfg(not(target_os = "linux"))]
pub fn peer(_theirs: SocketAddr, _ours: SocketAddr) -> io::Result<Peer> {
    Ok(Peer::Unknown)
}

/// The processes that have a socket open.
#[cfg(target_os = "linux")]
fn holders(inode: u64) -> io::Result<Peer> {
    let name = format!("socket:[{inode}]");
    let (mut held, mut hidden) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir("/proc")? {
        let Some(pid) = entry?.file_name().to_str().and_then(|it| it.parse().ok()) else {
            continue;
        };
        match has_open(pid, &name) {
            Ok(true) => held.push(pid),
            // A process that ended meanwhile holds nothing.
            Err(error) if error.kind() != io::ErrorKind::NotFound => hidden.push(pid),
            Ok(false) | Err(_) => {}
        }
    }
    Ok(if held.is_empty() { Peer::Hidden(hidden) } else { Peer::Held(held) })
}

#[cfg(target_os = "linux")]
fn has_open(pid: u32, name: &str) -> io::Result<bool> {
    for file in std::fs::read_dir(format!("/proc/{pid}/fd"))? {
        // A file that was closed meanwhile is not open.
        let target = std::fs::read_link(file?.path()).unwrap_or_default();
        if target.as_os_str() == name {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The socket of a line in the kernel's table if it leads from `from` to `to`: 0 where no process has
/// it open any more.
#[cfg(target_os = "linux")]
fn inode(line: &str, from: SocketAddr, to: SocketAddr) -> Option<u64> {
    let mut fields = line.split_ascii_whitespace();
    let ends = [fields.nth(1)?, fields.next()?];
    let is_it = |text: &str, it: SocketAddr| {
        address(text) == Some(SocketAddr::new(it.ip().to_canonical(), it.port()))
    };
    let [local, remote] = ends;
    (is_it(local, from) && is_it(remote, to)).then(|| fields.nth(6)?.parse().ok())?
}

/// An address as the kernel prints it: words of the machine in hexadecimal, then the port.
#[cfg(target_os = "linux")]
fn address(text: &str) -> Option<SocketAddr> {
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

    let (ip, port) = text.split_once(':')?;
    if ip.len() % 8 != 0 {
        return None;
    }
    let words = ip.as_bytes().chunks(8).map(|it| {
        let word = u32::from_str_radix(std::str::from_utf8(it).ok()?, 16).ok()?;
        Some(word.to_ne_bytes())
    });
    let bytes = words.collect::<Option<Vec<_>>>()?.concat();
    let ip: IpAddr = match <[u8; 4]>::try_from(bytes.as_slice()) {
        Ok(short) => Ipv4Addr::from(short).into(),
        Err(_) => Ipv6Addr::from(<[u8; 16]>::try_from(bytes.as_slice()).ok()?).to_canonical(),
    };
    Some(SocketAddr::new(ip, u16::from_str_radix(port, 16).ok()?))
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::net::{Shutdown, TcpListener, TcpStream};

    use super::*;

    #[cfg(target_endian = "little")]
    #[test]
    fn an_address_of_the_kernel_is_read() {
        for (text, expected) in [
            ("0100007F:43B5", Some("127.0.0.1:17333")),
            ("00000000000000000000000001000000:0050", Some("[::1]:80")),
            ("0000000000000000FFFF00000100007F:0050", Some("127.0.0.1:80")),
            ("0100007F", None),
            ("0100007:0050", None),
            ("xyz:0050", None),
            ("local_address", None),
        ] {
            assert_eq!(address(text).map(|it| it.to_string()).as_deref(), expected, "{text}");
        }
    }

    /// A connection to a listener at an address, and what is said about who made it.
    fn connection(at: &str) -> (TcpStream, TcpStream, Peer) {
        let listener = TcpListener::bind(at).unwrap();
        let there = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (here, theirs) = listener.accept().unwrap();
        let found = peer(theirs, here.local_addr().unwrap()).unwrap();
        (here, there, found)
    }

    /// LOOP-A13.
    #[test]
    fn the_process_at_the_other_end_is_found() {
        let (_here, _there, found) = connection("127.0.0.1:0");
        assert_eq!(found, Peer::Held(vec![std::process::id()]));
    }

    /// LOOP-A13: who hangs up before it was looked at is not taken for somebody else.
    #[test]
    fn a_connection_that_was_closed_is_nobodys() {
        let (here, there, _) = connection("127.0.0.1:0");
        let (theirs, ours) = (here.peer_addr().unwrap(), here.local_addr().unwrap());
        there.shutdown(Shutdown::Both).unwrap();
        drop(there);
        assert_eq!(peer(theirs, ours).unwrap(), Peer::Gone);
        let never = SocketAddr::from(([127, 0, 0, 1], 1));
        assert_eq!(peer(never, ours).unwrap(), Peer::Gone);
        let away = SocketAddr::from(([192, 0, 2, 1], 1));
        assert_eq!(peer(away, ours).unwrap(), Peer::Unknown);
    }
}
