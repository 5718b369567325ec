//! Takes secrets out of a text.

use std::borrow::Cow;

use super::{Taken, scan_for, wide};

/// One pass may bring to light what another secret hid; more passes than this are never needed.
const MAX_PASSES: usize = 8;

/// Replaces every secret by `[REDACTED:kind]`; the rest stays as it is.
///
/// The result has no secrets left to find, so redacting it again changes nothing.
pub fn redact(text: &[u8]) -> Cow<'_, [u8]> {
    without(text, Taken::Plausible)
}

/// The same for everything that looks like a secret, be it an example: for what leaves a machine
/// and need not be read word by word.
pub fn redact_shapes(text: &[u8]) -> Cow<'_, [u8]> {
    without(text, Taken::Shaped)
}

fn without(text: &[u8], taken: Taken) -> Cow<'_, [u8]> {
    let mut clean = Cow::Borrowed(text);
    for _ in 0..MAX_PASSES {
        let hits = scan_for(&clean, taken);
        if hits.is_empty() {
            break;
        }
        let mut next = Vec::with_capacity(clean.len());
        let mut from = 0;
        for hit in hits {
            next.extend_from_slice(clean.get(from..hit.span.start).unwrap_or_default());
            let secret = clean.get(hit.span.clone()).unwrap_or_default();
            next.extend(wide::like(secret, format!("[REDACTED:{}]", hit.kind).as_bytes()));
            from = hit.span.end;
        }
        next.extend_from_slice(clean.get(from..).unwrap_or_default());
        clean = Cow::Owned(next);
    }
    clean
}
