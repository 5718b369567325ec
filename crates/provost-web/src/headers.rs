//! The headers that keep an answer what it is: those of every answer, and those of the document.

use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// No inline code, nothing from elsewhere, and no text that could become markup: the browser itself
/// refuses it (LOOP-A7).
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'";

/// A browser reads these of a document alone; on each of its files they would only be bytes.
const OF_DOCUMENT: [(HeaderName, &str); 3] = [
    (HeaderName::from_static("content-security-policy"), POLICY),
    (HeaderName::from_static("referrer-policy"), "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Nothing is taken for another kind of file, and no other site embeds it.
const OF_ALL: [(HeaderName, &str); 2] = [
    (HeaderName::from_static("x-content-type-options"), "nosniff"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

pub(crate) fn secure(headers: &mut HeaderMap) {
    set(headers, &OF_ALL);
}

pub(crate) fn secure_document(headers: &mut HeaderMap) {
    set(headers, &OF_DOCUMENT);
}

fn set(headers: &mut HeaderMap, those: &[(HeaderName, &'static str)]) {
    for (name, value) in those {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
