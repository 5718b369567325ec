//! Private keys between `-----BEGIN …-----` and `-----END …-----`.

use std::ops::Range;

use memchr::memmem;

use super::{Found, Taken};

pub(super) const KIND: &str = "private-key";

const DASHES: &[u8] = b"-----";
/// The longest label between the dashes that is looked at.
const MAX_LABEL: usize = 64;
/// The fewest characters that can be a key; less is a text about keys.
const MIN_BODY: usize = 40;

/// Finds the private keys, each from the first dash to the last.
///
/// A key whose end is missing goes as far as its characters do. Each mark is looked at once, so
/// the work is linear however many marks there are.
pub(super) fn scan(text: &[u8], taken: Taken) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let mut begun: Option<(usize, usize)> = None;
    let mut after = 0;
    for at in memmem::find_iter(text, b"-----") {
        if at < after {
            continue;
        }
        let rest = text.get(at + DASHES.len()..).unwrap_or_default();
        let is_begin = rest.starts_with(b"BEGIN ");
        let is_end = rest.starts_with(b"END ");
        if !is_begin && !is_end {
            continue;
        }
        let label = rest.get(..MAX_LABEL.min(rest.len())).unwrap_or_default();
        let Some(length) = memmem::find(label, DASHES) else { continue };
        let is_private =
            memmem::find(label.get(..length).unwrap_or_default(), b"PRIVATE KEY").is_some();
        after = at + DASHES.len() + length + DASHES.len();
        if let Some((start, body)) = begun.take() {
            let end = if is_end { after } else { end_of_body(text, body).min(at) };
            let last = if is_end { at } else { end };
            found.extend(key(text, start, body..last, end, taken));
        }
        if is_begin && is_private {
            begun = Some((at, after));
        }
    }
    if let Some((start, body)) = begun {
        let end = end_of_body(text, body);
        found.extend(key(text, start, body..end, end, taken));
    }
    found
}

/// The key from `start` to `end`, if its body can be one.
fn key(text: &[u8], start: usize, body: Range<usize>, end: usize, taken: Taken) -> Option<Found> {
    let inside = text.get(body).unwrap_or_default();
    let solid = inside.iter().filter(|it| it.is_ascii_alphanumeric()).count();
    let is_shown = match taken {
        Taken::Plausible => !super::doubt::is_placeholder(inside),
        Taken::Shaped => true,
    };
    (solid >= MIN_BODY && is_shown).then_some(Found { rank: 0, kind: KIND, span: start..end })
}

/// Where characters end that can stand in the body of a key, in a file or in a string.
fn end_of_body(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let is_body = |it: &u8| it.is_ascii_alphanumeric() || b"+/=\\\r\n\t ".contains(it);
    from + rest.iter().position(|it| !is_body(it)).unwrap_or(rest.len())
}
