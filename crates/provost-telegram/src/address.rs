//! The address of the Bot API server.

use std::str::FromStr;

use provost_http::{Destination, ureq::http::Uri};
use provost_kernel::{Message, shorten};

/// An address that a token may be sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    base: String,
    host: String,
    destination: Destination,
}

/// Why an address is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "telegram.address")]
pub enum AddressError {
    #[message(
        en = "`{address}` is not an address of a Bot API server",
        zh = "`{address}` 不是 Bot API 服务器的地址",
        hint(
            en = "unset `TELEGRAM_API_URL` to use `https://api.telegram.org`",
            zh = "取消设置 `TELEGRAM_API_URL` 即使用 `https://api.telegram.org`"
        )
    )]
    Invalid { address: String },
    #[message(
        en = "`{address}` would send the token unencrypted",
        zh = "`{address}` 会以明文发送令牌",
        hint(
            en = "use `https://`, or a server on this machine",
            zh = "请使用 `https://`，或本机上的服务器"
        )
    )]
    Unencrypted { address: String },
}

/// The server of Telegram itself.
const OFFICIAL: &str = "https://api.telegram.org";

impl Address {
    pub fn host(&self) -> &str {
        &self.host
    }

    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    pub(crate) fn destination(&self) -> Destination {
        self.destination
    }
}

impl Default for Address {
    fn default() -> Self {
        Self {
            base: OFFICIAL.to_owned(),
            host: OFFICIAL.trim_start_matches("https://").to_owned(),
            destination: Destination { is_encrypted: true, is_here: false },
        }
    }
}

impl FromStr for Address {
    type Err = AddressError;

    /// `https` anywhere, or `http` on this machine; a host, perhaps a port and a path, nothing else.
    fn from_str(text: &str) -> Result<Self, AddressError> {
        // A user or a query may be a secret, and is not repeated.
        let shown = || {
            let plain = text.rsplit('@').next().unwrap_or_default();
            let plain = plain.split(['?', '#']).next().unwrap_or_default();
            shorten(plain).escape_debug().to_string()
        };
        let invalid = || AddressError::Invalid { address: shown() };
        let destination = Destination::of(text).map_err(|_| invalid())?;
        if text.contains('?') {
            return Err(invalid());
        }
        if destination.is_open() {
            return Err(AddressError::Unencrypted { address: shown() });
        }
        let uri: Uri = text.parse().map_err(|_| invalid())?;
        let host = uri.host().ok_or_else(invalid)?;
        let (base, host) = (text.trim_end_matches('/').to_owned(), host.to_ascii_lowercase());
        Ok(Self { base, host, destination })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_sent_encrypted_or_stays_here() {
        let invalid = |address: &str| Err(AddressError::Invalid { address: address.to_owned() });
        let open = |address: &str| Err(AddressError::Unencrypted { address: address.to_owned() });
        for (text, expected) in [
            ("https://api.telegram.org", Ok(("https://api.telegram.org", "api.telegram.org"))),
            ("https://bots.example/tg/", Ok(("https://bots.example/tg", "bots.example"))),
            ("http://127.0.0.1:9001", Ok(("http://127.0.0.1:9001", "127.0.0.1"))),
            ("http://[::1]:9001", Ok(("http://[::1]:9001", "[::1]"))),
            ("http://localhost:1", Ok(("http://localhost:1", "localhost"))),
            ("http://api.telegram.org", open("http://api.telegram.org")),
            ("http://10.0.0.1", open("http://10.0.0.1")),
            ("http://localhost.x.example", open("http://localhost.x.example")),
            ("ftp://x.example", invalid("ftp://x.example")),
            ("x.example", invalid("x.example")),
            ("", invalid("")),
            ("https://me:secret@x.example", invalid("x.example")),
            ("https://x.example?key=secret", invalid("https://x.example")),
            ("https://x.example#secret", invalid("https://x.example")),
        ] {
            let found = text.parse::<Address>();
            let expected = expected.map(|(base, host): (&str, &str)| Address {
                base: base.to_owned(),
                host: host.to_owned(),
                destination: Destination::of(base).unwrap(),
            });
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(OFFICIAL.parse::<Address>(), Ok(Address::default()));
    }
}
