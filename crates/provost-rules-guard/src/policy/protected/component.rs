//! One name of a path, compared with names that are known.
//!
//! Most names are known as a whole, and a hook compares each with hundreds: what is not known of one
//! is looked for once.

use super::super::path_zones::{ANY, ONE, UNKNOWN, fits};

/// A name of a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Component<'a> {
    pub(super) text: &'a str,
    /// Where a part of it is not known.
    pattern: Option<Pattern>,
}

/// A name of which the shell fills in a part.
#[derive(Clone, Copy, Debug)]
struct Pattern {
    n_known: usize,
    /// Whether something is put in that the line computes.
    is_computed: bool,
}

impl<'a> Component<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let is_pattern = !text.is_ascii() && text.contains([ANY, ONE, UNKNOWN]);
        Self { text, pattern: is_pattern.then(|| Pattern::of(text)) }
    }

    /// The names of a path.
    pub(super) fn all(path: &'a str) -> Vec<Self> {
        path.split('/').filter(|it| !it.is_empty()).map(Self::of).collect()
    }

    pub(super) fn is_pattern(&self) -> bool {
        self.pattern.is_some()
    }

    /// Whether it is a name, or could become it.
    pub(super) fn is(&self, name: &str) -> bool {
        let Some(pattern) = self.pattern else { return self.text.eq_ignore_ascii_case(name) };
        let enough = if name.starts_with('.') { 2 } else { 3 };
        // A computed part says nothing about the name that it is part of.
        !pattern.is_computed && pattern.n_known >= enough && fits(self.text, name)
    }

    /// Whether it is one of these names, or could become one.
    pub(super) fn is_any(&self, names: &[&str]) -> bool {
        names.iter().any(|it| self.is(it))
    }

    /// Whether it is a folder on the way to something, or could become it: little of it has to be known.
    pub(super) fn is_on_way(&self, name: &str) -> bool {
        match self.pattern {
            None if self.text.is_ascii() => self.text.eq_ignore_ascii_case(name),
            None => fits(self.text, name),
            Some(it) => it.n_known > 1 && fits(self.text, name),
        }
    }

    /// Whether a part of it is computed, and the rest looks like a name: `.env$X`, `${X}.env`.
    pub(super) fn looks_like(&self, name: &str) -> bool {
        self.pattern.is_some_and(|it| it.is_computed && it.n_known >= 4 && fits(self.text, name))
    }

    pub(super) fn ends(&self, end: &str) -> bool {
        let start = self.text.len().checked_sub(end.len()).filter(|it| *it > 0);
        start.is_some_and(|it| self.text.as_bytes()[it..].eq_ignore_ascii_case(end.as_bytes()))
    }

    pub(super) fn begins(&self, start: &str) -> bool {
        let first = self.text.as_bytes().get(..start.len());
        first.is_some_and(|it| it.eq_ignore_ascii_case(start.as_bytes()))
    }

    pub(super) fn lowered(&self) -> String {
        self.text.to_ascii_lowercase()
    }

    /// How much of it is known.
    fn n_known(&self) -> usize {
        self.pattern.map_or_else(|| self.text.chars().count(), |it| it.n_known)
    }

    /// Whether it fits a name of which its neighbour has to say the rest.
    fn may_be(&self, name: &str) -> bool {
        let is_length = self.text.chars().all(|it| it == ONE);
        let is_computed = self.pattern.is_some_and(|it| it.is_computed);
        // The shell puts no hidden name in the place of a pattern that does not begin with a point.
        let hides = name.starts_with('.') && !self.text.starts_with('.');
        (self.n_known() > 0 || is_length) && !is_computed && !hides && fits(self.text, name)
    }
}

impl Pattern {
    fn of(text: &str) -> Self {
        Self {
            n_known: text.chars().filter(|it| !matches!(*it, ANY | ONE | UNKNOWN)).count(),
            is_computed: text.contains(UNKNOWN),
        }
    }
}

/// Whether two names that follow each other are a folder and a file in it.
pub(super) fn has_pair(names: &[Component<'_>], pairs: &[(&str, &str)]) -> bool {
    let mut neighbours = names.iter().zip(names.iter().skip(1));
    neighbours.any(|(folder, file)| {
        pairs.iter().any(|(in_folder, named)| {
            (folder.is(in_folder) && file.is(named)) || are(folder, file, in_folder, named)
        })
    })
}

/// Whether two components could become a folder and its file, though each of them says too little
/// by itself: `/e??/sh?dow`.
fn are(folder: &Component<'_>, file: &Component<'_>, in_folder: &str, named: &str) -> bool {
    (folder.is_pattern() || file.is_pattern())
        && folder.n_known() + file.n_known() >= 3
        && folder.may_be(in_folder)
        && file.may_be(named)
}
