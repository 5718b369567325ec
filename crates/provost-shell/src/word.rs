//! A word of a command: what is known of it, and where it depends on an expansion.

use std::{fmt, ops::Range};

/// One word after quotes are removed and everything known has been put in its place.
///
/// Neighbouring texts are always one part, so a word is known exactly when it has at most one
/// part and that part is text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    parts: Vec<Part>,
}

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Text(String),
    Hole {
        hole: Hole,
        /// An expansion that is not quoted may become no word at all, or several.
        quoted: bool,
    },
}

/// A piece of a word that is only known when the command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hole {
    /// `$name`, by its name
    Parameter(String),
    /// `$( … )` or backquotes, with the [`Invocation::part`]s that stand in it
    ///
    /// [`Invocation::part`]: super::Invocation::part
    Command(Range<usize>),
    /// `<( … )` or `>( … )`
    Process,
    /// `$(( … ))` and `${#name}`
    Arithmetic,
    /// A pattern of file names, as written
    Pattern(String),
    /// `~` or `~user`, as written
    Tilde(String),
    /// A brace expansion that is not followed, such as `{1..9}`
    Brace,
    /// What a program such as `xargs` or `find` puts there
    Input,
}

impl Word {
    /// The pieces in their order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The whole word, if nothing in it depends on an expansion.
    pub fn text(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// What stands after the last `/`, if that is known.
    pub fn base_name(&self) -> Option<&str> {
        let Some(Part::Text(last)) = self.parts.last() else { return None };
        match last.rsplit_once('/') {
            Some((_, base)) => Some(base),
            None => self.text(),
        }
    }

    /// Which of some programs the word could turn out to name; `names` are in lower case.
    ///
    /// Case is ignored, because some file systems do. Expansions stand for any text, but at least
    /// two letters must be there to see: a word that is one bare expansion could be anything, and
    /// says nothing.
    pub fn could_name<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        if let Some(base) = self.base_name() {
            return names.iter().find(|it| is_same_program(base, it)).copied();
        }
        let mut pattern: Vec<Option<u8>> = Vec::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => match text.rsplit_once('/') {
                    Some((_, base)) => {
                        pattern.clear();
                        pattern.extend(base.bytes().map(Some));
                    }
                    None => pattern.extend(text.bytes().map(Some)),
                },
                Part::Hole { hole: Hole::Pattern(written), .. } => {
                    pattern.extend(pattern_bytes(written));
                }
                Part::Hole { .. } => pattern.push(None),
            }
        }
        let known_end = pattern.rsplit(Option::is_none).next().unwrap_or_default();
        let ends_as = |name: &str| {
            !known_end.is_empty()
                && known_end.iter().flatten().map(u8::to_ascii_lowercase).eq(name.bytes())
        };
        let is_telling = pattern.iter().flatten().count() >= 2;
        let fits = |name: &str| ends_as(name) || (is_telling && matches(&pattern, name.as_bytes()));
        names.iter().find(|it| fits(it)).copied()
    }

    /// A word with this text and nothing else.
    pub fn of_text(text: impl Into<String>) -> Self {
        Self { parts: vec![Part::Text(text.into())] }
    }

    pub(super) fn of_hole(hole: Hole) -> Self {
        Self { parts: vec![Part::Hole { hole, quoted: false }] }
    }

    /// Adds text at the end.
    pub fn push_text(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Text(last)) => last.push_str(text),
            Some(Part::Hole { .. }) | None => self.parts.push(Part::Text(text.to_owned())),
        }
    }

    /// Adds what only the shell knows at the end.
    pub fn push_hole(&mut self, hole: Hole, quoted: bool) {
        self.parts.push(Part::Hole { hole, quoted });
    }

    pub(super) fn append(&mut self, other: &Self) {
        for part in &other.parts {
            match part {
                Part::Text(text) => self.push_text(text),
                Part::Hole { hole, quoted } => self.push_hole(hole.clone(), *quoted),
            }
        }
    }

    /// The holes, from the left.
    pub(super) fn holes(&self) -> impl DoubleEndedIterator<Item = &Hole> {
        self.parts.iter().filter_map(|it| match it {
            Part::Text(_) => None,
            Part::Hole { hole, .. } => Some(hole),
        })
    }

    /// Whether the word may become no word at all, or several.
    pub(super) fn may_split(&self) -> bool {
        self.parts.iter().any(|it| match it {
            Part::Text(_) => false,
            Part::Hole { hole, quoted } => !quoted && hole.splits(),
        })
    }

    /// How much room the word takes, for the budget.
    pub(super) fn cost(&self) -> usize {
        let bytes: usize = self
            .parts
            .iter()
            .map(|it| match it {
                Part::Text(text) => text.len(),
                Part::Hole { .. } => 8,
            })
            .sum();
        bytes + 16
    }
}

impl Hole {
    /// Whether the expansion, unquoted, may contain blanks.
    fn splits(&self) -> bool {
        match self {
            // Blanks in these would break every script there is.
            Self::Parameter(name) => !matches!(name.as_str(), "HOME" | "PWD" | "OLDPWD"),
            Self::Command(_) | Self::Pattern(_) | Self::Brace | Self::Input => true,
            Self::Process | Self::Arithmetic | Self::Tilde(_) => false,
        }
    }
}

/// Whether two names start the same program: `.exe` and case do not matter everywhere.
pub(super) fn is_same_program(base: &str, name: &str) -> bool {
    let base = base.trim_end_matches('\r');
    let stem = match base.len().checked_sub(4).and_then(|at| base.split_at_checked(at)) {
        Some((stem, end)) if end.eq_ignore_ascii_case(".exe") => stem,
        _ => base,
    };
    // `=name` is how zsh writes the path of a program.
    stem.strip_prefix('=').unwrap_or(stem).eq_ignore_ascii_case(name)
}

/// A pattern of file names as bytes, `None` for any text.
fn pattern_bytes(written: &str) -> impl Iterator<Item = Option<u8>> + '_ {
    let mut is_in_set = false;
    written.bytes().map(move |it| {
        is_in_set = (is_in_set || matches!(it, b'[' | b'(')) && !matches!(it, b']' | b')');
        let is_open = is_in_set || matches!(it, b'*' | b'?' | b']' | b')' | b'/');
        (!is_open).then_some(it)
    })
}

/// Matches a name against a pattern in which `None` stands for any text.
fn matches(pattern: &[Option<u8>], name: &[u8]) -> bool {
    // `reached[i]` says whether the pattern so far can have matched the first `i` bytes.
    let mut reached = vec![false; name.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    for token in pattern {
        let mut next = vec![false; name.len() + 1];
        let mut any_before = false;
        for (at, slot) in next.iter_mut().enumerate() {
            any_before |= reached.get(at).copied().unwrap_or_default();
            *slot = match token {
                None => any_before,
                Some(byte) => at.checked_sub(1).is_some_and(|before| {
                    reached.get(before).copied().unwrap_or_default()
                        && name.get(before).is_some_and(|it| it.eq_ignore_ascii_case(byte))
                }),
            };
        }
        reached = next;
    }
    reached.last().copied().unwrap_or_default()
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|it| match it {
            Part::Text(text) => f.write_str(text),
            Part::Hole { hole, .. } => hole.fmt(f),
        })
    }
}

impl fmt::Display for Hole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameter(name) => write!(f, "${name}"),
            Self::Command(_) => f.write_str("$(…)"),
            Self::Process => f.write_str("<(…)"),
            Self::Arithmetic => f.write_str("$((…))"),
            Self::Pattern(text) | Self::Tilde(text) => f.write_str(text),
            Self::Brace | Self::Input => f.write_str("…"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `_` stands for an expansion.
    fn word(shape: &str) -> Word {
        let mut word = Word::default();
        for (at, text) in shape.split('_').enumerate() {
            if at > 0 {
                word.push_hole(Hole::Command(0..0), false);
            }
            if !text.is_empty() {
                word.push_text(text);
            }
        }
        word
    }

    #[test]
    fn a_base_name_is_known_when_nothing_after_the_last_slash_is_open() {
        for (shape, expected) in [
            ("ls", Some("ls")),
            ("/usr/bin/ls", Some("ls")),
            ("_/bin/ls", Some("ls")),
            ("_ls", None),
            ("/usr/_", None),
            ("/usr/_s", None),
        ] {
            assert_eq!(word(shape).base_name(), expected, "{shape}");
        }
    }

    #[test]
    fn a_half_known_name_could_be_a_program() {
        for (shape, expected) in [
            ("sudo", true),
            ("/usr/bin/SUDO", true),
            ("sudo.exe", true),
            ("=sudo", true),
            ("su_do", true),
            ("su_", true),
            ("_do", true),
            ("/opt/_/s_do", true),
            ("x_sudo", true),
            ("_/sudo", true),
            ("_", false),
            ("/usr/bin/_", false),
            ("s_", false),
            ("visudo", false),
            ("run-_", false),
            ("su_x", false),
            ("sudoku", false),
        ] {
            assert_eq!(word(shape).could_name(&["sudo"]).is_some(), expected, "{shape}");
        }
    }
}
