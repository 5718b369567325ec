//! The headers of every answer.

use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// No inline code, nothing from elsewhere, and no text that could become markup: the browser itself
/// refuses it (LOOP-A7).
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'";

const SECURE: [(HeaderName, &str); 5] = [
    (HeaderName::from_static("content-security-policy"), POLICY),
    (HeaderName::from_static("x-content-type-options"), "nosniff"),
    (HeaderName::from_static("referrer-policy"), "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

pub(crate) fn secure(headers: &mut HeaderMap) {
    for (name, value) in SECURE {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
