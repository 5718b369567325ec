//! Options, as far as they say where operands begin.

use super::{
    program::launcher::Launcher,
    word::{Part, Word},
};

/// What stands before the operands.
#[derive(Debug, Default)]
pub(super) struct Options {
    /// Where the operands begin.
    pub(super) operands: usize,
    /// The values of options that carry shell code.
    pub(super) code: Vec<Word>,
    /// The values of the other options, by their name as written.
    pub(super) values: Vec<(String, Word)>,
    /// The letters and names of options without a value.
    pub(super) flags: Vec<String>,
    /// Whether the operands could begin elsewhere.
    pub(super) is_uncertain: bool,
}

impl Options {
    /// Reads the options after the program's name, up to the first operand.
    pub(super) fn read(launcher: &Launcher, words: &[Word]) -> Self {
        let mut options = Self::default();
        let mut at = 1;
        while let Some(word) = words.get(at) {
            let lead = lead(word);
            if lead == "--" && word.text().is_some() {
                at += 1;
                break;
            }
            let takes_next = if let Some(name) = lead.strip_prefix("--") {
                options.long(launcher, name, word)
            } else if lead.starts_with('-') {
                options.short(launcher, word)
            } else {
                // An expansion that is not quoted may be an option, or nothing at all.
                options.is_uncertain |= word.may_split() && lead.is_empty();
                break;
            };
            at += 1;
            if let Some(name) = takes_next {
                if let Some(value) = words.get(at) {
                    options.take(launcher, name, value.clone());
                }
                at += 1;
            }
        }
        options.operands = at.min(words.len());
        options
    }

    /// Reads the options among all words, operands or not.
    pub(super) fn read_all(launcher: &Launcher, words: &[Word]) -> Self {
        let mut options = Self::default();
        let mut from = words;
        while from.len() > 1 {
            let found = Self::read(launcher, from);
            options.code.extend(found.code);
            options.values.extend(found.values);
            options.flags.extend(found.flags);
            options.is_uncertain |= found.is_uncertain;
            // The operand takes the place of the program's name.
            from = from.get(found.operands..).unwrap_or_default();
        }
        options.operands = words.len();
        options
    }

    /// Reads `--name` or `--name=value`; answers with the name if its value is the next word.
    fn long(&mut self, launcher: &Launcher, lead: &str, word: &Word) -> Option<String> {
        let (name, has_value) = lead.split_once('=').map_or((lead, false), |(it, _)| (it, true));
        // A long option may be cut short.
        let fits = |it: &&str| it.strip_suffix('=').unwrap_or(it) == name;
        let begins = |it: &&str| !name.is_empty() && it.starts_with(name);
        let known = launcher.long().find(fits).or_else(|| launcher.long().find(begins));
        let full = format!("--{}", known.unwrap_or(name).trim_end_matches('='));
        if has_value {
            self.take(launcher, full, after(word, name.len() + 3));
            return None;
        }
        if known.is_some_and(|it| it.ends_with('=')) {
            return Some(full);
        }
        // An option that is not known may take a value or not.
        self.is_uncertain |= known.is_none();
        self.flags.push(name.to_owned());
        None
    }

    /// Reads letters; answers with the option whose value is the next word.
    fn short(&mut self, launcher: &Launcher, word: &Word) -> Option<String> {
        let letters = lead(word).get(1..).unwrap_or_default();
        for (at, letter) in letters.char_indices() {
            if !launcher.short.contains(letter) {
                self.flags.push(letter.to_string());
                continue;
            }
            let value = after(word, 1 + at + letter.len_utf8());
            let name = format!("-{letter}");
            if value.parts().is_empty() {
                return Some(name);
            }
            // A value that is an expansion alone may be nothing; then the next word is the value.
            self.is_uncertain |= lead(&value).is_empty();
            self.take(launcher, name, value);
            return None;
        }
        None
    }

    fn take(&mut self, launcher: &Launcher, name: String, value: Word) {
        if launcher.is_code(&name) {
            self.code.push(value);
        } else {
            self.values.push((name, value));
        }
    }

    pub(super) fn has_flag(&self, flag: &str) -> bool {
        self.flags.iter().any(|it| it == flag)
    }
}

/// The known text that a word begins with.
pub(super) fn lead(word: &Word) -> &str {
    match word.parts() {
        [Part::Text(text), ..] => text,
        _ => "",
    }
}

/// The word without its first bytes.
pub(super) fn after(word: &Word, bytes: usize) -> Word {
    let mut rest = Word::default();
    for (at, part) in word.parts().iter().enumerate() {
        match part {
            Part::Text(text) => {
                let text = if at == 0 { text.get(bytes..).unwrap_or_default() } else { text };
                if !text.is_empty() {
                    rest.push_text(text);
                }
            }
            Part::Hole { hole, quoted } => rest.push_hole(hole.clone(), *quoted),
        }
    }
    rest
}

/// Joins words with blanks, as `eval` and `ssh` do.
pub(super) fn join(words: &[Word]) -> Word {
    let mut whole = Word::default();
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            whole.push_text(" ");
        }
        whole.append(word);
    }
    whole
}
