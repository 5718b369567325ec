//! Whether a command line gains another user's rights.
//!
//! `sudo` and its kin are found in any form: under another path, behind quotes, prefixes and
//! aliases, inside code that another program reads, or in a part of the text that could not be
//! understood. A text that only speaks of `sudo` gains nothing.

use super::{Invocation, Opaque, Script, Word, word::is_same_program};

/// The programs that run something with the rights of another user.
///
/// `chroot`, `nsenter` and the like are not here: they need those rights, they do not give them.
const PRIVILEGED: [&str; 18] = [
    "sudo", "sudo-rs", "sudoedit", "gsudo", "kdesudo", "gksudo", "doas", "dzdo", "pfexec",
    "pkexec", "run0", "runas", "runuser", "su", "su-rs", "ksu", "kdesu", "gksu",
];

/// Those of them that mean nothing else in a text that is not understood.
const TELLING: [&str; 9] =
    ["sudo", "sudoedit", "gsudo", "kdesudo", "gksudo", "doas", "dzdo", "pkexec", "pfexec"];

/// How a command line gains another user's rights, with the program that gives them.
#[derive(Clone, Copy, Debug)]
pub enum Privilege<'a> {
    /// A program that is run, or may be.
    Runs(&'static str, &'a Invocation),
    /// A name in a part that is not understood.
    Mentions(&'static str, &'a Opaque),
}

/// The first way in which a command line gains another user's rights.
pub fn privilege(script: &Script) -> Option<Privilege<'_>> {
    let mut invocations = script.invocations.iter();
    let runs = invocations.find_map(|it| Some(Privilege::Runs(gains_rights(it)?, it)));
    runs.or_else(|| {
        let mut opaque = script.opaque.iter();
        opaque.find_map(|it| Some(Privilege::Mentions(mentions(&it.text)?, it)))
    })
}

/// Whether the first word names one of the programs.
pub(super) fn is_privileged(words: &[Word]) -> bool {
    words.first().and_then(Word::base_name).is_some_and(is_privileged_name)
}

pub(super) fn is_privileged_name(name: &str) -> bool {
    PRIVILEGED.iter().any(|it| is_same_program(name, it))
}

fn gains_rights(invocation: &Invocation) -> Option<&'static str> {
    let name = invocation.words.first()?;
    let by_name = name.could_name(&PRIVILEGED);
    // Where it is only a guess which word is started, each of them may be.
    by_name.or_else(|| {
        let mut words = invocation.arguments().iter().filter(|_| invocation.is_uncertain);
        words.find_map(|word| word.could_name(&PRIVILEGED))
    })
}

/// The telling name that stands in a text as a word, quotes and backslashes ignored.
fn mentions(text: &str) -> Option<&'static str> {
    let bare: String = text.replace("\\\n", "").replace(['\'', '"', '\\'], "").to_ascii_lowercase();
    let spaced = text.to_ascii_lowercase();
    TELLING.into_iter().find(|name| has_word(&bare, name) || has_word(&spaced, name))
}

fn has_word(text: &str, name: &str) -> bool {
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|it| it.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|it| it.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}
