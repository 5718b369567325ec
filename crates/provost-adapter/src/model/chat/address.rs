//! The one address that a chat adapter contacts.

use provost_http::{AddressError, Destination};
use provost_kernel::shorten;

use crate::error::AddressProblem;

/// An address that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    completions: String,
    destination: Destination,
}

impl Address {
    /// Takes a base address: `https` or `http`, a host, perhaps a port and a path, nothing else.
    pub(super) fn parse(base: &str) -> Result<Self, AddressProblem> {
        let shown = || shorten(base).escape_debug().to_string();
        let destination = Destination::of(base).map_err(|error| match error {
            AddressError::NotAnAddress => AddressProblem::NotAnAddress(shown()),
            AddressError::Scheme(scheme) => AddressProblem::Scheme(scheme),
            AddressError::Extra => AddressProblem::Extra,
        })?;
        if base.contains('?') {
            return Err(AddressProblem::Extra);
        }
        let completions = format!("{}/chat/completions", base.trim_end_matches('/'));
        Ok(Self { completions, destination })
    }

    /// Refuses to send a key where others can read it.
    pub(super) fn refuse_key_in_the_open(&self) -> Result<(), AddressProblem> {
        if self.destination.is_open() { Err(AddressProblem::KeyInTheOpen) } else { Ok(()) }
    }

    pub(super) fn completions(&self) -> &str {
        &self.completions
    }

    pub(super) fn is_here(&self) -> bool {
        self.destination.is_here
    }

    pub(super) fn destination(&self) -> Destination {
        self.destination
    }
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
