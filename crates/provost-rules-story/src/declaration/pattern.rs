//! One entry of a declaration, and what it stands for.

use std::collections::BTreeSet;

use globset::{GlobBuilder, GlobMatcher};

use super::{super::base::BaseTree, MAX_MATCHES};

/// An entry that is narrow enough to say something.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    File(String),
    /// Ends with `/`, and did not exist in the base.
    Folder(String),
    Glob {
        text: String,
        matcher: GlobMatcher,
    },
}

impl Entry {
    /// Understands an entry in its one form; none when it is too wide.
    ///
    /// Only `*` and `?` make a glob: brackets and braces stand in the names of real files.
    pub(super) fn new(text: &str, changed: &BTreeSet<String>, base: &BaseTree) -> Option<Self> {
        if !text.contains(['*', '?']) || changed.contains(text) || base.has_file(text) {
            let folder = text.strip_suffix('/');
            return match folder {
                Some(folder) if base.has_folder(folder) => None,
                Some(_) => Some(Self::Folder(text.to_owned())),
                None => Some(Self::File(text.to_owned())),
            };
        }
        if is_boundless(text) {
            return None;
        }
        let matcher = matcher(text)?;
        let n_matches =
            base.files().filter(|it| matcher.is_match(it)).take(MAX_MATCHES + 1).count();
        (n_matches <= MAX_MATCHES).then(|| Self::Glob { text: text.to_owned(), matcher })
    }

    pub(super) fn covers(&self, path: &str) -> bool {
        match self {
            Self::File(file) => file == path,
            Self::Folder(folder) => path.starts_with(folder.as_str()),
            Self::Glob { matcher, .. } => matcher.is_match(path),
        }
    }

    pub(super) fn is_exactly(&self, path: &str) -> bool {
        match self {
            Self::File(file) => file == path,
            Self::Folder(folder) => folder.strip_suffix('/') == Some(path),
            Self::Glob { .. } => false,
        }
    }

    /// The paths that it stands for: itself, when it stands for nothing that is there.
    pub(super) fn paths(&self, changed: &BTreeSet<String>, base: &BaseTree) -> Vec<String> {
        let own = match self {
            Self::File(text) => return vec![text.clone()],
            Self::Folder(text) | Self::Glob { text, .. } => text,
        };
        let known = changed.iter().map(String::as_str).chain(base.files());
        let found: Vec<String> =
            known.filter(|it| self.covers(it) || self.is_exactly(it)).map(str::to_owned).collect();
        if found.is_empty() { vec![own.clone()] } else { found }
    }
}

/// Whether a pattern leaves open in which folder of the root it looks, or which file there.
///
/// `*.md` names files of the root, and is as narrow as what it finds.
pub(super) fn is_boundless(text: &str) -> bool {
    let (first, rest) = match text.split_once('/') {
        Some((first, _)) => (first, true),
        None => (text, false),
    };
    let says_nothing = first.chars().all(|it| matches!(it, '*' | '?' | '.'));
    let is_open = first.contains(['*', '?']);
    is_open && (rest || says_nothing || first.contains("**"))
}

fn matcher(text: &str) -> Option<GlobMatcher> {
    let mut pattern = String::with_capacity(text.len());
    for found in text.strip_suffix('/').unwrap_or(text).chars() {
        match found {
            '[' | ']' | '{' | '}' => pattern.extend(['[', found, ']']),
            _ => pattern.push(found),
        }
    }
    if text.ends_with('/') {
        pattern.push_str("/**");
    }
    let mut builder = GlobBuilder::new(&pattern);
    Some(builder.literal_separator(true).backslash_escape(false).build().ok()?.compile_matcher())
}
