//! Strong validators from content (LOOP-U8): the same bytes have the same one, also after a restart.

use axum::{
    body::Body,
    http::{
        HeaderMap, HeaderValue, Response, StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH},
    },
};
use sha2::{Digest as _, Sha256};

use crate::answer::Ready;

/// The validator of a body.
pub(crate) fn of(bytes: &[u8]) -> HeaderValue {
    let mut text = String::with_capacity(66);
    text.push('"');
    for byte in Sha256::digest(bytes) {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text.push('"');
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

const DIGITS: [u8; 16] = *b"0123456789abcdef";

/// The body, or 304 without one for a client that has it.
pub(crate) fn conditional(
    request: &HeaderMap,
    ready: Ready,
    kind: HeaderValue,
    cache: HeaderValue,
) -> Response<Body> {
    let is_known = matches(request, &ready.etag);
    let body = if is_known { Body::empty() } else { Body::from(ready.bytes) };
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(ETAG, ready.etag);
    headers.insert(CACHE_CONTROL, cache);
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        headers.insert(CONTENT_TYPE, kind);
    }
    response
}

/// Whether the client says that it has this content. The comparison is the weak one (RFC 9110,
/// 13.1.2), so a `W/` before a validator does not matter.
fn matches(request: &HeaderMap, etag: &HeaderValue) -> bool {
    let mut given = request.get_all(IF_NONE_MATCH).iter().filter_map(|it| it.to_str().ok());
    given.any(|list| {
        list.split(',').map(str::trim).any(|it| {
            it == "*" || it.strip_prefix("W/").unwrap_or(it).as_bytes() == etag.as_bytes()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(given: &[&'static str], is_known: bool) {
        let ready = Ready::new(b"abc".to_vec());
        let mut headers = HeaderMap::new();
        for it in given {
            headers.append(IF_NONE_MATCH, HeaderValue::from_static(it));
        }
        let kind = HeaderValue::from_static("text/plain");
        let response = conditional(&headers, ready, kind.clone(), kind);
        assert_eq!(response.status() == StatusCode::NOT_MODIFIED, is_known, "{given:?}");
        assert_eq!(response.headers().contains_key(CONTENT_TYPE), !is_known);
        assert!(response.headers().contains_key(ETAG));
    }

    /// LOOP-U8.
    #[test]
    fn a_client_that_has_it_gets_no_body() {
        let abc = "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"";
        assert_eq!(of(b"abc"), abc);
        check(&[], false);
        check(&[abc], true);
        check(&["*"], true);
        check(
            &["\"x\", W/\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\""],
            true,
        );
        check(&["\"x\"", abc], true);
        check(&["\"x\",\"y\""], false);
        check(&["ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"], false);
        check(&[""], false);
    }
}
