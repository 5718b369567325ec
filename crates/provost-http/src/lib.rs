//! The HTTP client that everything here uses: it trusts the certificates of the system, goes through no
//! proxy, and follows no redirect, so that a request reaches the host that was configured or none.

use std::{net::IpAddr, sync::Arc, time::Duration};

use ureq::{
    Agent,
    config::ConfigBuilder,
    http::{Uri, uri::Scheme},
    tls::{Certificate, RootCerts, TlsConfig},
    typestate::AgentScope,
};

pub use ureq;

/// How long a server may take to accept a connection.
pub const CONNECT: Duration = Duration::from_secs(20);

/// Where a request goes, as far as its safety is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destination {
    pub is_encrypted: bool,
    /// Whether it is this machine.
    pub is_here: bool,
}

/// Why a text is not the address of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressError {
    /// It is not `http://` or `https://` and a host.
    NotAnAddress,
    Scheme(String),
    /// It names a user or a fragment.
    Extra,
}

/// The system has no certificates to verify a server with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoCertificates;

impl Destination {
    /// Reads an address: `https` or `http`, a host, perhaps a port, a path and a query.
    pub fn of(address: &str) -> Result<Self, AddressError> {
        let uri: Uri = address.parse().map_err(|_| AddressError::NotAnAddress)?;
        let host = uri.host().filter(|it| !it.is_empty()).ok_or(AddressError::NotAnAddress)?;
        let is_encrypted = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            Some(scheme) if *scheme == Scheme::HTTP => false,
            Some(other) => return Err(AddressError::Scheme(other.to_string())),
            None => return Err(AddressError::NotAnAddress),
        };
        // The parser drops a fragment, and a user would be sent as a second secret.
        if address.contains(['#', '@']) {
            return Err(AddressError::Extra);
        }
        Ok(Self { is_encrypted, is_here: is_loopback(host) })
    }

    /// Whether others can read what is sent there.
    pub fn is_open(self) -> bool {
        !self.is_encrypted && !self.is_here
    }
}

/// A client for one destination. A status is an answer, not an error.
pub fn agent(
    destination: Destination,
    configure: impl FnOnce(ConfigBuilder<AgentScope>) -> ConfigBuilder<AgentScope>,
) -> Result<Agent, NoCertificates> {
    let mut config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .user_agent("provost")
        .timeout_connect(Some(CONNECT));
    if destination.is_encrypted {
        config = config.tls_config(tls().ok_or(NoCertificates)?);
    }
    Ok(configure(config).build().new_agent())
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|it| it.is_loopback())
}

/// How a server proves itself: by the certificates of this system. None when it has none.
fn tls() -> Option<TlsConfig> {
    let found = rustls_native_certs::load_native_certs().certs;
    let certificates: Vec<Certificate<'static>> =
        found.iter().map(|it| Certificate::from_der(it).to_owned()).collect();
    if certificates.is_empty() {
        return None;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = TlsConfig::builder()
        .root_certs(RootCerts::new_with_certs(&certificates))
        .unversioned_rustls_crypto_provider(provider);
    Some(config.build())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(address: &str, expected: Result<(bool, bool), AddressError>) {
        let actual = Destination::of(address).map(|it| (it.is_encrypted, it.is_here));
        assert_eq!(actual, expected, "{address}");
    }

    #[test]
    fn an_address_says_how_safe_it_is() {
        check("https://example.org/hook?x=1", Ok((true, false)));
        check("http://127.0.0.1:8080/", Ok((false, true)));
        check("http://localhost/x", Ok((false, true)));
        check("http://[::1]:1/x", Ok((false, true)));
        check("http://example.org", Ok((false, false)));
        check("ftp://example.org", Err(AddressError::Scheme("ftp".to_owned())));
        check("example.org/hook", Err(AddressError::NotAnAddress));
        check("https://ann:secret@example.org/", Err(AddressError::Extra));
        check("https://example.org/#x", Err(AddressError::Extra));
        check("", Err(AddressError::NotAnAddress));
        assert!(Destination::of("http://example.org").unwrap().is_open());
        assert!(!Destination::of("http://127.0.0.1").unwrap().is_open());
    }
}
