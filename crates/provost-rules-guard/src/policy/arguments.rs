//! The words of a program, as options and operands.

use provost_shell::{Invocation, Part, Program, Word};

/// A program with its words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arguments<'a> {
    words: &'a [Word],
}

impl<'a> Arguments<'a> {
    pub(super) fn of(invocation: &'a Invocation) -> Self {
        Self { words: invocation.arguments() }
    }

    pub(super) fn new(words: &'a [Word]) -> Self {
        Self { words }
    }

    pub(super) fn words(self) -> &'a [Word] {
        self.words
    }

    /// The options before `--`, each as far as it is known.
    fn options(self) -> impl Iterator<Item = &'a str> {
        let before = self.words.iter().take_while(|it| it.text() != Some("--"));
        before.map(lead).filter(|it| it.starts_with('-') && it.len() > 1)
    }

    /// Whether one of these letters stands in a group of short options.
    pub(super) fn has_letter(self, letters: &str) -> bool {
        let groups = self.options().filter(|it| !it.starts_with("--"));
        groups.flat_map(str::chars).any(|it| letters.contains(it))
    }

    /// Whether a long option is there, cut short or with a value.
    pub(super) fn has_long(self, name: &str) -> bool {
        self.options().any(|it| {
            let given = it.split('=').next().unwrap_or_default();
            given == name || (given.len() > 3 && name.starts_with(given))
        })
    }

    /// Whether a word is there, whole.
    pub(super) fn has(self, text: &str) -> bool {
        self.words.iter().any(|it| it.text() == Some(text))
    }

    /// The words that are not options.
    pub(super) fn operands(self) -> impl Iterator<Item = &'a Word> + Clone {
        let mut is_over = false;
        self.words.iter().filter(move |it| {
            if is_over {
                return true;
            }
            is_over = it.text() == Some("--");
            let is_option = lead(it).starts_with('-') && lead(it).len() > 1;
            !is_over && !is_option
        })
    }

    /// The first operand, if it is known.
    pub(super) fn first(self) -> Option<&'a str> {
        self.operands().next().and_then(Word::text)
    }

    /// What stands after this operand.
    pub(super) fn after(self, operand: &str) -> Self {
        let at = self.words.iter().position(|it| it.text() == Some(operand));
        Self { words: at.and_then(|it| self.words.get(it + 1..)).unwrap_or_default() }
    }

    /// The values of an option, written `-o value`, `--option value` or `--option=value`.
    pub(super) fn values(self, names: &'a [&'a str]) -> impl Iterator<Item = String> + 'a {
        let next = self.words.iter().skip(1).map(Some).chain([None]);
        self.words.iter().zip(next).filter_map(move |(word, next)| {
            let text = lead(word);
            if names.contains(&text) {
                return next.map(ToString::to_string);
            }
            let (name, _) = text.split_once('=').filter(|(it, _)| names.contains(it))?;
            word.to_string().get(name.len() + 1..).map(str::to_owned)
        })
    }
}

/// The known text that a word begins with.
pub(super) fn lead(word: &Word) -> &str {
    match word.parts() {
        [Part::Text(text), ..] => text,
        _ => "",
    }
}

/// What is known of the program of an invocation.
pub(super) fn known(invocation: &Invocation) -> &'static Program {
    Program::of(&program(invocation).unwrap_or_default())
}

/// The name of a program without folder, `.exe` and case.
pub(super) fn program(invocation: &Invocation) -> Option<String> {
    let name = invocation.program()?.to_ascii_lowercase();
    let name = name.trim_end_matches('\r');
    Some(name.strip_suffix(".exe").unwrap_or(name).to_owned())
}
