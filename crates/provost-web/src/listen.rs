//! The address of the server.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener},
    str::FromStr,
};

use provost_kernel::shorten;

use crate::ServeError;

/// The port that people remember; that of the original.
const PORT: u16 = 17333;

/// An address to listen on: `127.0.0.1:17333`, `[::1]:17333`, `localhost:17333` or `17333`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(SocketAddr);

/// A server that has its address, and does not answer yet.
#[derive(Debug)]
pub struct Listening {
    pub(crate) listener: TcpListener,
    pub(crate) address: SocketAddr,
    /// Whether the usual port was taken, so that another one is used.
    pub is_elsewhere: bool,
}

impl Address {
    /// Refuses an address that other machines can reach.
    pub fn loopback(self) -> Result<Self, ServeError> {
        let Self(address) = self;
        if address.ip().is_loopback() { Ok(self) } else { Err(ServeError::NotLoopback { address }) }
    }
}

impl FromStr for Address {
    type Err = ServeError;

    fn from_str(text: &str) -> Result<Self, ServeError> {
        let local = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let port = |text: &str| text.parse::<u16>().ok().map(|it| SocketAddr::new(local, it));
        let named = || port(text.strip_prefix("localhost:")?);
        let unnamed = || port(text.strip_prefix(':').unwrap_or(text));
        let address = text.parse::<SocketAddr>().ok().or_else(named).or_else(unnamed);
        address.map(Self).ok_or_else(|| ServeError::NoAddress { text: shorten(text) })
    }
}

impl Listening {
    /// Takes an address.
    pub fn at(address: Address) -> Result<Self, ServeError> {
        let Address(address) = address;
        bind(address).map_err(|source| ServeError::Bind { address, source })
    }

    /// Takes the usual port of this machine or, where that is taken, a free one.
    pub fn usual() -> Result<Self, ServeError> {
        let local = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
        if let Ok(listening) = bind(local(PORT)) {
            return Ok(listening);
        }
        let listening = Self::at(Address(local(0)))?;
        Ok(Self { is_elsewhere: true, ..listening })
    }

    /// Where the page is.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// The names by which clients may call this server.
    pub(crate) fn hosts(&self) -> Vec<String> {
        let port = self.address.port();
        let ip = self.address.ip();
        let mut names = vec![self.address.to_string()];
        // Which of its addresses a machine was called by cannot be told beforehand; a name is never
        // one of them.
        if ip.is_loopback() || ip.is_unspecified() {
            names.extend(["localhost", "127.0.0.1", "[::1]"].map(|it| format!("{it}:{port}")));
        }
        names
    }
}

fn bind(address: SocketAddr) -> io::Result<Listening> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    Ok(Listening { listener, address, is_elsewhere: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        let actual = text.parse::<Address>().and_then(Address::loopback);
        let actual = actual.map(|it| it.0.to_string()).map_err(|it| it.to_string());
        assert_eq!(actual, expected.map(str::to_owned).map_err(str::to_owned), "{text:?}");
    }

    /// LOOP-A13.
    #[test]
    fn another_machine_reaches_nothing_unless_asked_for() {
        check("127.0.0.1:17333", Ok("127.0.0.1:17333"));
        check("localhost:1", Ok("127.0.0.1:1"));
        check("[::1]:1", Ok("[::1]:1"));
        check(":0", Ok("127.0.0.1:0"));
        check("8080", Ok("127.0.0.1:8080"));
        let open = "`0.0.0.0:80` can be reached from other machines, without encryption";
        check("0.0.0.0:80", Err(open));
        let bad = "invalid address \"example.com:80\": expected an address with a port";
        check("example.com:80", Err(bad));
    }
}
