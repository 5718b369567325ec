//! The one address that a chat adapter contacts.

use std::{net::IpAddr, sync::Arc};

use provost_kernel::shorten;
use ureq::{
    http::{Uri, uri::Scheme},
    tls::{Certificate, RootCerts, TlsConfig},
};

use crate::error::AddressProblem;

/// An address that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    completions: String,
    is_encrypted: bool,
    is_here: bool,
}

impl Address {
    /// Takes a base address: `https` or `http`, a host, perhaps a port and a path, nothing else.
    pub(super) fn parse(base: &str) -> Result<Self, AddressProblem> {
        let shown = || shorten(base).escape_debug().to_string();
        let uri: Uri = base.parse().map_err(|_| AddressProblem::NotAnAddress(shown()))?;
        let host = uri.host().filter(|it| !it.is_empty());
        let host = host.ok_or_else(|| AddressProblem::NotAnAddress(shown()))?;
        let is_encrypted = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            Some(scheme) if *scheme == Scheme::HTTP => false,
            Some(other) => return Err(AddressProblem::Scheme(other.to_string())),
            None => return Err(AddressProblem::NotAnAddress(shown())),
        };
        // The parser drops a fragment, and a user would be sent as a second secret.
        if base.contains(['#', '?', '@']) {
            return Err(AddressProblem::Extra);
        }
        Ok(Self {
            completions: format!("{}/chat/completions", base.trim_end_matches('/')),
            is_encrypted,
            is_here: is_loopback(host),
        })
    }

    /// Refuses to send a key where others can read it.
    pub(super) fn refuse_key_in_the_open(&self) -> Result<(), AddressProblem> {
        if self.is_encrypted || self.is_here { Ok(()) } else { Err(AddressProblem::KeyInTheOpen) }
    }

    pub(super) fn completions(&self) -> &str {
        &self.completions
    }

    pub(super) fn is_here(&self) -> bool {
        self.is_here
    }

    pub(super) fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|it| it.is_loopback())
}

/// How a server proves itself: by the certificates of this system. None when it has none.
pub(super) fn tls() -> Option<TlsConfig> {
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
    fn check(base: &str, expected: Result<&str, AddressProblem>) {
        let actual = Address::parse(base).map(|it| it.completions);
        assert_eq!(actual, expected.map(str::to_owned), "{base:?}");
    }

    #[test]
    fn an_address_is_a_place_and_nothing_else() {
        check("https://x.example/v1", Ok("https://x.example/v1/chat/completions"));
        check("https://x.example/v1/", Ok("https://x.example/v1/chat/completions"));
        check("http://127.0.0.1:8317/v1", Ok("http://127.0.0.1:8317/v1/chat/completions"));
        check("https://x.example", Ok("https://x.example/chat/completions"));
        check("ftp://x.example", Err(AddressProblem::Scheme("ftp".to_owned())));
        check("file:///etc/passwd", Err(AddressProblem::NotAnAddress("file:///etc/passwd".into())));
        check("x.example/v1", Err(AddressProblem::NotAnAddress("x.example/v1".to_owned())));
        check("", Err(AddressProblem::NotAnAddress(String::new())));
        check("https://", Err(AddressProblem::NotAnAddress("https://".to_owned())));
        check(
            "https://x\n.example",
            Err(AddressProblem::NotAnAddress("https://x\\n.example".into())),
        );
        check("https://me:secret@x.example", Err(AddressProblem::Extra));
        check("https://x.example/v1?key=1", Err(AddressProblem::Extra));
        check("https://x.example/v1#a", Err(AddressProblem::Extra));
    }

    #[test]
    fn a_key_stays_secret_on_its_way() {
        for (base, is_allowed) in [
            ("https://x.example", true),
            ("http://127.0.0.1:1", true),
            ("http://127.9.9.9:1", true),
            ("http://[::1]:1", true),
            ("http://localhost:1", true),
            ("http://x.example", false),
            ("http://localhost.x.example", false),
            ("http://192.168.0.1", false),
            ("http://0.0.0.0", false),
        ] {
            let address = Address::parse(base).unwrap();
            assert_eq!(address.refuse_key_in_the_open().is_ok(), is_allowed, "{base}");
        }
    }
}
