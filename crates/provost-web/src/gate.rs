//! What a request passes before it is read: the name it calls us by, where it comes from, its key.

use axum::http::{
    HeaderMap, StatusCode, Uri,
    header::{AUTHORIZATION, HOST, ORIGIN},
};

use crate::refusal::{Own, Refusal};

/// The names by which this server may be called.
pub(crate) struct Hosts(pub(crate) Vec<String>);

impl Hosts {
    /// Refuses another name: one that was made to lead here (DNS rebinding) is not ours.
    pub(crate) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let foreign = || Own::ForeignHost.with(StatusCode::MISDIRECTED_REQUEST);
        let mut given = headers.get_all(HOST).iter();
        let (Some(host), None) = (given.next(), given.next()) else { return Err(foreign()) };
        let host = host.to_str().map_err(|_| foreign())?;
        // An absolute address names the host too.
        let named = uri.authority().map_or(host, |it| it.as_str());
        let is_ours = |name: &str| self.0.iter().any(|it| it.eq_ignore_ascii_case(name));
        if is_ours(host) && is_ours(named) { Ok(()) } else { Err(foreign()) }
    }

    /// Refuses a request that a page of another site makes.
    pub(crate) fn check_origin(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let foreign = || Own::ForeignOrigin.with(StatusCode::FORBIDDEN);
        for origin in headers.get_all(ORIGIN) {
            let origin = origin.to_str().ok().and_then(|it| it.strip_prefix("http://"));
            let is_ours = |name: &str| self.0.iter().any(|it| it.eq_ignore_ascii_case(name));
            if !origin.is_some_and(is_ours) {
                return Err(foreign());
            }
        }
        let is_foreign = |it: &[u8]| matches!(it, b"cross-site" | b"same-site");
        match headers.get("sec-fetch-site") {
            // Another port of this machine is the same site, and another program.
            Some(site) if is_foreign(site.as_bytes()) => Err(foreign()),
            Some(_) | None => Ok(()),
        }
    }
}

/// The key that a request carries.
pub(crate) fn key(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (given.next(), given.next()) else { return None };
    let (scheme, key) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(key.trim())
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn headers(of: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        let mut all = HeaderMap::new();
        for (name, value) in of.iter().map(pair) {
            all.append(name, value);
        }
        all
    }

    fn ours() -> Hosts {
        Hosts(["127.0.0.1:1", "localhost:1"].map(str::to_owned).to_vec())
    }

    /// LOOP-A13.
    #[test]
    fn only_our_own_names_are_answered() {
        let check = |uri: &'static str, of: &[_], is_ours| {
            let uri = Uri::from_static(uri);
            assert_eq!(ours().check(&uri, &headers(of)).is_ok(), is_ours, "{uri} {of:?}");
        };
        check("/", &[("host", "127.0.0.1:1")], true);
        check("/", &[("host", "LOCALHOST:1")], true);
        for host in ["", "127.0.0.1", "127.0.0.1:2", "evil.example:1", "127.0.0.1:1.evil.example"] {
            check("/", &[("host", host)], false);
        }
        check("/", &[], false);
        check("/", &[("host", "127.0.0.1:1"), ("host", "127.0.0.1:1")], false);
        check("http://evil.example/", &[("host", "127.0.0.1:1")], false);
        check("http://127.0.0.1:1/", &[("host", "127.0.0.1:1")], true);
    }

    /// LOOP-A13.
    #[test]
    fn a_page_of_another_site_reaches_nothing() {
        let check = |of: &[_], is_ours| {
            assert_eq!(ours().check_origin(&headers(of)).is_ok(), is_ours, "{of:?}");
        };
        check(&[], true);
        check(&[("origin", "http://127.0.0.1:1")], true);
        check(&[("sec-fetch-site", "same-origin")], true);
        check(&[("sec-fetch-site", "none")], true);
        for origin in ["null", "http://127.0.0.1:2", "https://127.0.0.1:1", "http://evil.example"] {
            check(&[("origin", origin)], false);
        }
        check(&[("sec-fetch-site", "cross-site")], false);
        check(&[("sec-fetch-site", "same-site")], false);
    }

    #[test]
    fn a_key_is_a_bearer_token() {
        let check = |of: &[_], expected| assert_eq!(key(&headers(of)), expected, "{of:?}");
        check(&[("authorization", "Bearer abc")], Some("abc"));
        check(&[("authorization", "bearer abc")], Some("abc"));
        check(&[("authorization", "Basic abc")], None);
        check(&[("authorization", "abc")], None);
        check(&[], None);
        check(&[("authorization", "Bearer a"), ("authorization", "Bearer b")], None);
    }
}
