//! Edits of a text by byte offsets of its original.

use std::ops::Range;

/// One change: each range of the original becomes a text. An empty range inserts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Edit(Vec<(Range<usize>, String)>);

impl Edit {
    pub(super) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::replace(at..at, text)
    }

    pub(super) fn replace(range: Range<usize>, text: impl Into<String>) -> Self {
        Self(vec![(range, text.into())])
    }

    /// Something before and something behind a range, which stays.
    pub(super) fn around(range: Range<usize>, before: String, behind: &str) -> Self {
        Self(vec![(range.start..range.start, before), (range.end..range.end, behind.to_owned())])
    }

    pub(super) fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }
}

/// The text with all edits. Of two that overlap the later one is left out.
pub(super) fn apply(text: &str, edits: Vec<Edit>) -> String {
    let mut pieces: Vec<(Range<usize>, String)> = edits.into_iter().flat_map(|it| it.0).collect();
    pieces.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(text.len() + 64 * pieces.len());
    let mut end = 0;
    for (range, new) in pieces {
        let Some(kept) = text.get(end..range.start) else { continue };
        out.push_str(kept);
        out.push_str(&new);
        end = range.end;
    }
    out.push_str(text.get(end..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_apply_in_the_order_of_the_text() {
        let edits = vec![
            Edit::replace(4..5, "6"),
            Edit::insert(0, "("),
            Edit::around(2..5, "[".to_owned(), "]"),
        ];
        assert_eq!(apply("a = 1;", edits), "(a [= 6];");
        assert_eq!(apply("abc", vec![]), "abc");
        let overlapping = vec![Edit::replace(0..2, "x"), Edit::replace(1..3, "y")];
        assert_eq!(apply("abc", overlapping), "xc");
    }
}
