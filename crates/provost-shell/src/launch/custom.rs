//! Programs that start others in a way of their own: `ssh`, `find`, `xargs`, `git`.

use super::Launch;
use crate::{
    options::{Options, after, join, lead},
    program::launcher::Launcher,
    word::{Hole, Part, Word},
};

impl Launch<'_> {
    pub(super) fn ssh(&mut self, launcher: &Launcher) {
        let options = Options::read(launcher, self.words);
        for (name, value) in &options.values {
            let setting = lead(value).to_ascii_lowercase();
            let code = ["proxycommand", "localcommand"].iter().find(|it| setting.starts_with(**it));
            if let Some(code) = code.filter(|_| name == "-o") {
                self.code(&after(value, code.len() + 1));
            }
        }
        // Options may stand after the host too, which takes the place of the program's name.
        let from_host = self.words.get(options.operands..).unwrap_or_default();
        let after_host = Options::read(launcher, from_host).operands;
        let (host, rest) = (from_host.first(), from_host.get(after_host..).unwrap_or_default());
        self.mark_uncertain(options.is_uncertain || host.is_some_and(Word::may_split));
        if rest.is_empty() {
            if self.context.stdin.is_some() && host.is_some() {
                self.input();
            }
            return;
        }
        self.mark_prefix();
        // The other side knows nothing of our arguments.
        self.code_with(&join(rest), Some(self.words.iter().take(1).cloned().collect()));
    }

    pub(super) fn find(&mut self) {
        let mut at = 1;
        while let Some(word) = self.words.get(at) {
            at += 1;
            if !matches!(word.text(), Some("-exec" | "-execdir" | "-ok" | "-okdir")) {
                continue;
            }
            let rest = self.words.get(at..).unwrap_or_default();
            let is_end = |it: &Word| matches!(it.text(), Some(";" | "+"));
            let length = rest.iter().position(is_end).unwrap_or(rest.len());
            let command = rest.get(..length).unwrap_or_default();
            let filled: Vec<Word> = command.iter().map(|it| fill(it, "{}")).collect();
            self.start(&filled);
            at += length;
        }
    }

    pub(super) fn fd(&mut self) {
        let is_exec =
            |it: &Word| matches!(it.text(), Some("-x" | "-X" | "--exec" | "--exec-batch"));
        if let Some(at) = self.words.iter().position(is_exec) {
            let rest = self.words.get(at + 1..).unwrap_or_default();
            let filled: Vec<Word> = rest.iter().map(|it| fill(it, "{}")).collect();
            self.start(&filled);
        }
    }

    pub(super) fn xargs(&mut self, launcher: &Launcher) {
        let options = Options::read(launcher, self.words);
        self.mark_uncertain(options.is_uncertain);
        let rest = self.words.get(options.operands..).unwrap_or_default();
        if rest.is_empty() {
            return;
        }
        self.mark_prefix();
        let named = options.values.iter().find(|(name, _)| name == "-I" || name == "--replace");
        let is_default = options.has_flag("i") || options.has_flag("replace");
        let token = match named {
            Some((_, value)) => value.text().map(str::to_owned),
            None => is_default.then(|| "{}".to_owned()),
        };
        let mut filled: Vec<Word> = match &token {
            Some(token) => rest.iter().map(|it| fill(it, token)).collect(),
            None => rest.to_vec(),
        };
        if token.is_none() {
            filled.push(Word::of_hole(Hole::Input));
        }
        self.start(&filled);
    }

    pub(super) fn parallel(&mut self, launcher: &Launcher) {
        let options = Options::read(launcher, self.words);
        self.mark_uncertain(options.is_uncertain);
        let rest = self.words.get(options.operands..).unwrap_or_default();
        let is_separator = |it: &Word| lead(it).starts_with(":::");
        let length = rest.iter().position(is_separator).unwrap_or(rest.len());
        let (command, arguments) = rest.split_at(length);
        if command.is_empty() {
            if arguments.is_empty() {
                self.input();
            }
            for code in arguments.iter().filter(|it| !is_separator(it)) {
                self.code(code);
            }
            return;
        }
        self.mark_prefix();
        let mut filled: Vec<Word> = command.iter().map(|it| fill(it, "{}")).collect();
        let has_token = filled != command;
        if !has_token {
            filled.push(Word::of_hole(Hole::Input));
        }
        // A shell reads it in the end, but what is put in is quoted: each word stays a word.
        if command.iter().any(|it| lead(it).contains(' ')) {
            self.code(&join(&filled));
        } else {
            self.start(&filled);
        }
    }

    pub(super) fn git(&mut self) {
        let mut at = 1;
        while let Some(word) = self.words.get(at) {
            at += 1;
            match word.text() {
                Some("-c") => {
                    if let Some(setting) = self.words.get(at) {
                        self.git_setting(setting);
                    }
                    at += 1;
                }
                Some(
                    "-C" | "--attr-source" | "--config-env" | "--git-dir" | "--namespace"
                    | "--shallow-file" | "--super-prefix" | "--work-tree",
                ) => {
                    at += 1;
                }
                Some(option) if option.starts_with('-') => {}
                Some(_) | None => {
                    at -= 1;
                    break;
                }
            }
        }
        let Some((subcommand, rest)) = self.words.get(at..).and_then(<[Word]>::split_first) else {
            return;
        };
        match subcommand.text() {
            Some("bisect") if rest.first().and_then(Word::text) == Some("run") => {
                self.start(rest.get(1..).unwrap_or_default());
            }
            Some("submodule") => {
                let foreach = rest.iter().position(|it| it.text() == Some("foreach"));
                let code = rest.iter().skip(foreach.map_or(rest.len(), |it| it + 1));
                // Its own options stand before the command.
                let code: Vec<Word> =
                    code.skip_while(|it| lead(it).starts_with('-')).cloned().collect();
                if !code.is_empty() {
                    self.code(&join(&code));
                }
            }
            Some("config") => {
                let alias = rest.iter().position(|it| lead(it).starts_with("alias."));
                if let Some(value) = alias.and_then(|it| rest.get(it + 1)) {
                    self.git_alias(value);
                }
            }
            Some(_) => {
                self.git_code_options(rest);
                self.git_transports(rest);
            }
            None => {}
        }
    }

    /// `ext::` is an address that is a command; `% ` is a blank inside a word of it.
    fn git_transports(&mut self, rest: &[Word]) {
        for address in rest.iter().filter_map(Word::text) {
            if let Some(command) = address.strip_prefix("ext::") {
                self.code(&Word::of_text(command.replace("% ", "\\ ").replace("%%", "%")));
            }
        }
    }

    /// The options of git's subcommands that carry shell code.
    fn git_code_options(&mut self, rest: &[Word]) {
        const NAMES: [&str; 13] = [
            "--commit-filter",
            "--env-filter",
            "--exec",
            "--extcmd",
            "--index-filter",
            "--msg-filter",
            "--open-files-in-pager",
            "--parent-filter",
            "--receive-pack",
            "--tag-name-filter",
            "--tree-filter",
            "--upload-pack",
            "-x",
        ];
        for (at, word) in rest.iter().enumerate() {
            let known = lead(word);
            if NAMES.contains(&known) && word.text().is_some() {
                if let Some(code) = rest.get(at + 1) {
                    self.code(code);
                }
            } else if let Some((name, _)) =
                known.split_once('=').filter(|(it, _)| NAMES.contains(it))
            {
                self.code(&after(word, name.len() + 1));
            }
        }
    }

    /// `-c key=value`: some keys name a program to run.
    fn git_setting(&mut self, setting: &Word) {
        let Some((key, _)) = lead(setting).split_once('=') else { return };
        let value = after(setting, key.len() + 1);
        let key = key.to_ascii_lowercase();
        let ends = [
            "sshcommand",
            "pager",
            "editor",
            "askpass",
            "fsmonitor",
            "textconv",
            "command",
            "cmd",
            "helper",
            "program",
            "clean",
            "smudge",
            "process",
            "driver",
            "uploadpack",
            "receivepack",
            "external",
            "gitproxy",
            "difffilter",
            "packobjectshook",
        ];
        if key.starts_with("alias.") {
            self.git_alias(&value);
        } else if ends.iter().any(|it| key.ends_with(it)) && !lead(&value).is_empty() {
            self.code(&after(&value, usize::from(lead(&value).starts_with('!'))));
        }
    }

    /// An alias that begins with `!` is shell code.
    fn git_alias(&mut self, value: &Word) {
        if lead(value).starts_with('!') {
            self.code(&after(value, 1));
        }
    }
}

/// Puts an unknown text where `token` stands.
fn fill(word: &Word, token: &str) -> Word {
    if token.is_empty() {
        return word.clone();
    }
    let mut filled = Word::default();
    for part in word.parts() {
        match part {
            Part::Text(text) => {
                for (at, run) in text.split(token).enumerate() {
                    if at > 0 {
                        filled.push_hole(Hole::Input, true);
                    }
                    if !run.is_empty() {
                        filled.push_text(run);
                    }
                }
            }
            Part::Hole { hole, quoted } => filled.push_hole(hole.clone(), *quoted),
        }
    }
    filled
}
