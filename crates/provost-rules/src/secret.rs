//! Where a text carries a secret.
//!
//! A table of public token formats, each with a literal that must be there and a pattern for the
//! rest: the pattern is compiled only when its literal occurs, so a text without secrets costs
//! little more than reading it. Texts are bytes; they need not be UTF-8, and what is written in
//! UTF-16 is found as well. What was found is named by kind and place and never repeated.

mod block;
mod doubt;
pub mod needle;
mod redact;
mod table;
mod wide;

use std::ops::Range;

use memchr::{memchr, memchr_iter};

use needle::{Needles, begins_with};
pub use redact::{redact, redact_shapes};
use table::{Case, Check, FORMATS, Format};

/// One secret in a text. It does not hold the secret itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The kind of secret, such as `github-token`.
    pub kind: &'static str,
    /// The line it begins in, counted from 1.
    pub line: usize,
    /// Where it stands in the text, in bytes.
    pub span: Range<usize>,
}

/// A secret whose line has not been counted yet; kinds that come first win.
#[derive(Clone, Debug)]
struct Found {
    rank: usize,
    kind: &'static str,
    span: Range<usize>,
}

/// What is taken for a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    /// What can be one: neither a placeholder nor a published example.
    Plausible,
    /// Everything that a vendor's tokens look like, examples too.
    Shaped,
}

/// Every kind of secret that is looked for.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    std::iter::once(block::KIND).chain(FORMATS.iter().map(|it| it.kind))
}

/// Finds the secrets in a text, in the order in which they stand there, none over another.
pub fn scan(text: &[u8]) -> Vec<Hit> {
    scan_for(text, Taken::Plausible)
}

/// Whether something in a text looks like a secret, be it an example.
pub fn has_shape(text: &[u8]) -> bool {
    !scan_for(text, Taken::Shaped).is_empty()
}

fn scan_for(text: &[u8], taken: Taken) -> Vec<Hit> {
    let narrow = |text: &[u8]| narrow(text, taken);
    let found = narrow(text);
    // Ordinary text has no NUL, and UTF-16 is full of them.
    if memchr(0, text).is_none() {
        return with_lines(text, merge(found), |_| true);
    }
    let wide = wide::Wide::of(text);
    let found = merge(found.into_iter().chain(wide.scan(narrow)).collect());
    with_lines(text, found, |at| wide.is_line_end(at))
}

/// The literals of all formats, by the place of their format in the table.
static NEEDLES: Needles<{ table::LITERALS }> = Needles::new(table::literals());

/// Finds the secrets that are written with one byte for each character.
fn narrow(text: &[u8], taken: Taken) -> Vec<Found> {
    let mut is_present = [false; FORMATS.len()];
    NEEDLES.each_in(text, |needle, at, rest| {
        let fits = match FORMATS[at].case {
            Case::Exact => rest.starts_with(needle.as_bytes()),
            Case::Ignored => begins_with(rest, needle),
        };
        is_present[at] |= fits;
    });
    let mut found = block::scan(text, taken);
    let present = FORMATS.iter().enumerate().filter(|(at, _)| is_present[*at]);
    found.extend(present.flat_map(|(at, format)| matches(format, at + 1, text, taken)));
    found
}

/// The places where the pattern fits and nothing speaks against it.
fn matches<'t>(
    format: &'static Format,
    rank: usize,
    text: &'t [u8],
    taken: Taken,
) -> impl Iterator<Item = Found> + 't {
    let captures = table::pattern(rank - 1).into_iter().flat_map(|it| it.captures_iter(text));
    captures.filter_map(move |it| {
        let secret = it.name("secret")?;
        let subject = it.name("user").map(|it| it.as_bytes());
        let is_doubtful = match (taken, format.check) {
            (Taken::Shaped, Check::Varied) => false,
            (Taken::Plausible | Taken::Shaped, check) => {
                doubt::is_placeholder(secret.as_bytes()) || !check.holds(secret.as_bytes(), subject)
            }
        };
        (!is_doubtful).then(|| Found { rank, kind: format.kind, span: secret.range() })
    })
}

/// Joins what overlaps; the kind that comes first in the table gives its name.
fn merge(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|it| (it.span.start, it.rank));
    let mut merged: Vec<Found> = Vec::new();
    for next in found {
        match merged.last_mut().filter(|it| next.span.start < it.span.end) {
            Some(last) => {
                last.span.end = last.span.end.max(next.span.end);
                if next.rank < last.rank {
                    (last.rank, last.kind) = (next.rank, next.kind);
                }
            }
            None => merged.push(next),
        }
    }
    merged
}

/// Counts the lines up to each secret; `is_line_end` says whether a newline byte at a place is one.
fn with_lines(text: &[u8], found: Vec<Found>, is_line_end: impl Fn(usize) -> bool) -> Vec<Hit> {
    let mut line = 1;
    let mut counted = 0;
    let hits = found.into_iter().map(|Found { kind, span, .. }| {
        let between = text.get(counted..span.start).unwrap_or_default();
        line += memchr_iter(b'\n', between).filter(|at| is_line_end(counted + at)).count();
        counted = span.start;
        Hit { kind, line, span }
    });
    hits.collect()
}
