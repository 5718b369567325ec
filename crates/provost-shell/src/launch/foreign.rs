//! Programs that run code in a language of their own.

use super::Launch;
use crate::{
    Reason,
    options::{Options, after, lead},
    program::launcher::Launcher,
    stdin::{Stdin, is_process, is_stdin_path},
    word::Word,
};

/// What stands in an awk program that does more than print.
const TELLING: [&str; 9] = ["system", "| ", "|\"", "|&", "getline", ">\"", "> \"", "<\"", "@load"];

impl Launch<'_> {
    /// `python -c`, `perl -ne`, `node --eval`. `code` are the letters that take code, `attached`
    /// those that take the rest of their word.
    pub(super) fn interpreter(&mut self, code: &str, attached: &str) {
        let program = self.words.first().and_then(Word::base_name).unwrap_or_default();
        let is_editor = matches!(program, "vim" | "vi" | "nvim" | "ex");
        let goes_on = is_editor
            || matches!(
                program,
                "Rscript" | "erl" | "lua" | "octave" | "osascript" | "perl" | "ruby" | "sbcl"
            );
        let mut at = 1;
        while let Some(word) = self.words.get(at) {
            at += 1;
            let option = lead(word);
            let next = self.words.get(at).cloned();
            let is_named = matches!(
                option.to_ascii_lowercase().as_str(),
                "--eval" | "--print" | "--run" | "-command" | "-encodedcommand" | "eval" | "-eval"
            );
            if is_editor && matches!(option, "-es" | "-e" | "-s" | "-E" | "-Es") {
                continue;
            }
            if is_named {
                // `deno eval --allow-read 'x'`: options stand before the code.
                let is_option = |it: &Word| option == "eval" && lead(it).starts_with("--");
                while self.words.get(at).is_some_and(is_option) {
                    at += 1;
                }
                let next = self.words.get(at).cloned();
                self.foreign(next.unwrap_or_default());
                if goes_on {
                    self.more_code(at + 1, code);
                }
                return;
            }
            if let Some(value) =
                ["--eval=", "--print=", "--run="].iter().find(|it| option.starts_with(**it))
            {
                self.foreign(after(word, value.len()));
                return;
            }
            if let Some(command) = option.strip_prefix("+!") {
                self.code(&Word::of_text(command));
                return;
            }
            if !option.starts_with('-') || option == "-" || option.starts_with("--") {
                if option == "--" || !option.starts_with("--") {
                    self.script_file(word);
                    return;
                }
                continue;
            }
            for (offset, letter) in option.char_indices().skip(1) {
                if code.contains(letter) {
                    let rest = after(word, offset + letter.len_utf8());
                    let is_next = rest.parts().is_empty();
                    let found = if is_next { next } else { Some(rest) };
                    self.foreign(found.unwrap_or_default());
                    if goes_on {
                        self.more_code(at + usize::from(is_next), code);
                    }
                    return;
                }
                if attached.contains(letter) {
                    // `-m pytest` takes the next word, `-mpytest` the rest of this one.
                    at += usize::from(offset + 1 == option.len() && "mWXrICM".contains(letter));
                    if letter == 'm' && code == "c" {
                        return;
                    }
                    break;
                }
            }
        }
        self.script_input();
    }

    /// The code of further options: `perl -e a -e b`, `vim -c a -c b`.
    fn more_code(&mut self, from: usize, code: &str) {
        let words = self.words.get(from..).unwrap_or_default();
        let next = words.iter().skip(1);
        let is_code = |it: &Word| {
            let option = lead(it);
            let is_letter = option.len() == 2
                && option.strip_prefix('-').is_some_and(|it| it.contains(|it| code.contains(it)));
            is_letter || matches!(option, "--eval" | "-eval")
        };
        let more: Vec<Word> = words
            .iter()
            .zip(next)
            .filter(|(option, _)| is_code(option))
            .map(|(_, value)| value.clone())
            .collect();
        let Some(inline) = self.this().and_then(|it| it.inline.as_mut()) else { return };
        for value in &more {
            inline.code.push_text("\n");
            inline.code.append(value);
        }
    }

    fn script_file(&mut self, word: &Word) {
        match word.text() {
            Some(path) if is_stdin_path(path) => self.script_input(),
            Some(path) => self.seen.files.push((path.to_owned(), self.index)),
            None if is_process(word) => self.seen.drafts.push_opaque(Reason::Input, self.raw),
            None => {}
        }
    }

    /// The interpreter reads its code from standard input.
    fn script_input(&mut self) {
        let context = self.context;
        if let Some(code) = self.seen.stdin_text(context) {
            self.foreign(code);
        } else if let Some(Stdin::Pipe { feed }) = context.stdin {
            let text = format!("{} | {}", self.seen.pipeline_text(feed), self.raw);
            self.seen.drafts.push_opaque(Reason::Input, &text);
        }
    }

    /// GNU sed runs what stands after the command `e`.
    pub(super) fn sed(&mut self) {
        let runs = |it: &Word| {
            lead(it).split([';', '\n', '{']).any(|command| {
                let bare = command
                    .trim_start_matches(|it: char| it.is_ascii_digit() || " ,$!".contains(it));
                bare == "e" || bare.starts_with("e ")
            })
        };
        if let Some(script) = self.words.iter().skip(1).find(|it| runs(it)) {
            self.foreign(script.clone());
        }
    }

    /// awk runs programs with `system`, and through pipes.
    pub(super) fn awk(&mut self, launcher: &Launcher) {
        let options = Options::read(launcher, self.words);
        let mut program = self.words.get(options.operands).cloned().unwrap_or_default();
        for (name, value) in &options.values {
            if matches!(name.as_str(), "-e" | "--source") {
                program.push_text("\n");
                program.append(value);
            }
        }
        let text = program.to_string().replace("||", "");
        if TELLING.iter().any(|it| text.contains(it)) {
            self.foreign(program);
        }
    }
}
