//! Follows a program that starts another one to the other one.

mod custom;
mod foreign;

use std::rc::Rc;

use super::{
    Inline, Invocation, Reason,
    expand::{Context, Expander},
    options::{Options, after, join, lead},
    privilege,
    program::launcher::{self, CODE_VARIABLES, Kind, Launcher, STARTUP_FILES},
    stdin::{is_process, is_stdin_path},
    word::{Hole, Word},
};

/// One invocation that is being followed.
#[derive(Debug)]
struct Launch<'a> {
    seen: &'a mut Expander,
    index: usize,
    context: &'a Context,
    raw: &'a str,
    words: &'a [Word],
}

/// Follows what an invocation starts by its nature.
pub(super) fn follow(seen: &mut Expander, index: usize, context: &Context, raw: &str) {
    let Some(invocation) = seen.script.invocations.get(index) else { return };
    let Some(launcher) = invocation.program().and_then(launcher::find) else { return };
    let words = invocation.words.clone();
    if !seen.drafts.charge(words.iter().map(Word::cost).sum()) {
        return;
    }
    let mut launch = Launch { seen, index, context, raw, words: &words };
    match launcher.kind {
        Kind::Command { operands } => launch.command(launcher, operands),
        Kind::CommandBuiltin => launch.command_builtin(launcher),
        Kind::Joined { operands } => launch.joined(launcher, operands),
        Kind::Each => launch.each(launcher),
        Kind::First => launch.first(launcher),
        Kind::Options => launch.options(launcher),
        Kind::Callback => launch.callback(launcher),
        Kind::Input if context.stdin.is_some() => launch.input(),
        Kind::Input => {}
        Kind::Loose { after } => launch.loose(after),
        Kind::Shell => launch.shell(),
        Kind::Source => launch.source(),
        Kind::Ssh => launch.ssh(launcher),
        Kind::Find => launch.find(),
        Kind::Fd => launch.fd(),
        Kind::Xargs => launch.xargs(launcher),
        Kind::Parallel => launch.parallel(launcher),
        Kind::Git => launch.git(),
        Kind::Sed => launch.sed(),
        Kind::Awk => launch.awk(launcher),
        Kind::Interpreter { code, attached } => launch.interpreter(code, attached),
    }
}

/// Follows the assignments whose value some program runs: `GIT_SSH_COMMAND`, `PAGER` and so on.
pub(super) fn code_variables(seen: &mut Expander, index: usize, context: &Context, raw: &str) {
    let Some(invocation) = seen.script.invocations.get(index) else { return };
    let is_code = |name: &str| CODE_VARIABLES.contains(&name);
    let set = invocation.assignments.iter().filter(|it| is_code(&it.name));
    let mut codes: Vec<Word> = set.map(|it| it.value.clone()).collect();
    if matches!(invocation.program(), Some("declare" | "env" | "export" | "typeset")) {
        let words = invocation.arguments().iter().filter_map(|it| {
            let (name, _) = lead(it).split_once('=')?;
            is_code(name).then(|| after(it, name.len() + 1))
        });
        codes.extend(words);
    }
    seen.note_startup_files(index);
    for code in codes {
        // A value that is not known is not a reason for alarm: most of these are kept as they were.
        if let Some(text) = code.text().map(|it| it.trim_start_matches('|').to_owned()) {
            seen.start_code(&Word::of_text(text), None, index, context, raw);
        }
    }
}

impl Expander {
    /// Notes the file that a shell reads before its code, where an invocation names it.
    fn note_startup_files(&mut self, index: usize) {
        let Some(invocation) = self.script.invocations.get(index) else { return };
        let set = invocation.assignments.iter().filter(|it| STARTUP_FILES.contains(&&*it.name));
        let assigns =
            matches!(invocation.program(), Some("declare" | "env" | "export" | "typeset"));
        let words = invocation.arguments().iter().filter(|_| assigns).filter_map(|it| {
            let (name, _) = lead(it).split_once('=')?;
            STARTUP_FILES.contains(&name).then(|| after(it, name.len() + 1))
        });
        let files: Vec<Word> = set.map(|it| it.value.clone()).chain(words).collect();
        let known = files.iter().filter_map(Word::text).filter(|it| !it.is_empty());
        self.files.extend(known.map(|it| (it.to_owned(), index)));
    }
}

impl Launch<'_> {
    fn this(&mut self) -> Option<&mut Invocation> {
        self.seen.script.invocations.get_mut(self.index)
    }

    fn mark_prefix(&mut self) {
        if let Some(it) = self.this() {
            it.is_prefix = true;
        }
    }

    fn mark_uncertain(&mut self, is_uncertain: bool) {
        if let Some(it) = self.this() {
            it.is_uncertain |= is_uncertain;
        }
    }

    /// Starts a program from words.
    fn start(&mut self, words: &[Word]) {
        let (index, context, raw) = (self.index, self.context, self.raw);
        self.seen.start_words(words.to_vec(), index, context, raw);
    }

    /// Starts shell code.
    fn code(&mut self, code: &Word) {
        self.code_with(code, None);
    }

    fn code_with(&mut self, code: &Word, arguments: Option<Rc<[Word]>>) {
        let (index, context, raw) = (self.index, self.context, self.raw);
        self.seen.start_code(code, arguments, index, context, raw);
    }

    /// Starts the shell code on standard input.
    fn input(&mut self) {
        let (index, context, raw) = (self.index, self.context, self.raw);
        self.seen.start_input(index, context, raw);
    }

    /// Writes down code in another language.
    fn foreign(&mut self, code: Word) {
        let program = self.words.first().and_then(Word::base_name).unwrap_or_default();
        let program = program.strip_suffix(".exe").unwrap_or(program);
        let language = program.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
        let language = language.to_owned();
        self.seen.drafts.push_opaque(Reason::Foreign, &code.to_string());
        if let Some(it) = self.this() {
            it.inline = Some(Inline { language, code });
        }
    }

    fn command(&mut self, launcher: &Launcher, operands: usize) {
        let options = Options::read(launcher, self.words);
        let begin = options.operands + operands;
        let skipped = self.words.get(options.operands..begin).unwrap_or_default();
        let rest = self.words.get(begin..).unwrap_or_default();
        let assigned = rest.iter().take_while(|it| is_assignment(it)).count();
        let rest = rest.get(assigned..).unwrap_or_default();
        self.mark_uncertain(options.is_uncertain || skipped.iter().any(Word::may_split));
        for code in &options.code {
            // `env -S` puts the rest of the words behind what it splits, and begins again.
            let splits = launcher.is_code("-S");
            let mut whole: Vec<Word> =
                self.words.iter().take(usize::from(splits)).cloned().collect();
            whole.push(code.clone());
            whole.extend_from_slice(if splits { rest } else { &[] });
            self.code(&join(&whole));
        }
        match rest {
            [flag, code, ..] if launcher.is_code(flag.text().unwrap_or_default()) => {
                self.code(code);
            }
            [] => {}
            _ if options.code.is_empty() => self.start(rest),
            _ => {}
        }
        if !rest.is_empty() || !options.code.is_empty() {
            self.mark_prefix();
        }
    }

    /// `command -v x` only says what `x` is.
    fn command_builtin(&mut self, launcher: &Launcher) {
        let options = Options::read(launcher, self.words);
        if !options.has_flag("v") && !options.has_flag("V") {
            self.command(launcher, 0);
        }
    }

    fn joined(&mut self, launcher: &Launcher, operands: usize) {
        let mut options = Options::read(launcher, self.words);
        if launcher.short.is_empty() {
            // `eval` has no options: what looks like one is code.
            options.operands =
                1 + usize::from(self.words.get(1).and_then(Word::text) == Some("--"));
        }
        let mut rest = self.words.get(options.operands + operands..).unwrap_or_default();
        if rest.first().is_some_and(|it| launcher.is_code(it.text().unwrap_or_default())) {
            rest = rest.get(1..).unwrap_or_default();
        }
        self.mark_uncertain(options.is_uncertain && operands > 0);
        for code in &options.code {
            self.code(code);
        }
        if !rest.is_empty() {
            self.mark_prefix();
            self.code(&join(rest));
        }
    }

    fn each(&mut self, launcher: &Launcher) {
        let options = Options::read(launcher, self.words);
        for code in &options.code {
            self.code(code);
        }
        let operands = self.words.get(options.operands..).unwrap_or_default();
        for code in operands.iter().filter(|it| !lead(it).starts_with('-')) {
            self.code(code);
        }
    }

    fn first(&mut self, launcher: &Launcher) {
        let options = Options::read(launcher, self.words);
        if let [code, _, ..] = self.words.get(options.operands..).unwrap_or_default() {
            self.code(code);
        }
    }

    fn options(&mut self, launcher: &Launcher) {
        let options = Options::read_all(launcher, self.words);
        for code in &options.code {
            let known = lead(code).to_ascii_lowercase();
            let is_setting = known
                .split_once('=')
                .is_some_and(|(name, _)| name.bytes().all(|it| it.is_ascii_alphanumeric()));
            if let Some(length) = ["exec=", "proxycommand=", "localcommand="]
                .iter()
                .find(|it| known.starts_with(**it))
                .map(|it| it.len())
            {
                self.code(&after(code, length));
            } else if !is_setting {
                self.code(code);
            }
        }
        if !options.code.is_empty() && privilege::is_privileged(self.words) {
            self.mark_prefix();
        }
        // `runuser -u name command` has no shell in between.
        let first = Options::read(launcher, self.words);
        if first.values.iter().any(|(name, _)| matches!(name.as_str(), "-u" | "--user")) {
            self.start(self.words.get(first.operands..).unwrap_or_default());
        }
    }

    /// `mapfile -C code` puts a number and a line behind the code.
    fn callback(&mut self, launcher: &Launcher) {
        for code in &Options::read(launcher, self.words).code {
            self.code(&join(&[code.clone(), Word::of_hole(Hole::Input)]));
        }
    }

    fn loose(&mut self, markers: &str) {
        let is_code = |it: &Word| matches!(lead(it), "-e" | "--eval" | "-p" | "--print");
        let is_bun = self.words.first().and_then(Word::base_name) == Some("bun");
        if is_bun && self.words.get(1).is_some_and(is_code) {
            self.interpreter("ep", "");
            return;
        }
        let is_marker =
            |it: &Word| it.text().is_some_and(|it| markers.split(' ').any(|marker| marker == it));
        let begin = match markers {
            "" => 1,
            _ => match self.words.iter().skip(1).position(is_marker) {
                Some(at) => at + 2,
                None => return,
            },
        };
        let rest = self.words.get(begin..).unwrap_or_default();
        let program = self.words.first().and_then(Word::base_name);
        let dashes = rest.iter().position(|it| it.text() == Some("--"));
        if let Some(at) = dashes {
            let rest = rest.get(at + 1..).unwrap_or_default();
            // What `capsh` starts is a shell, and these are its words.
            let shell = (program == Some("capsh")).then(|| Word::of_text("bash"));
            let started: Vec<Word> = shell.into_iter().chain(rest.iter().cloned()).collect();
            self.start(&started);
            return;
        }
        self.mark_uncertain(true);
        let starts = |it: &Word| {
            it.base_name()
                .is_some_and(|it| privilege::is_privileged_name(it) || launcher::find(it).is_some())
        };
        if let Some(at) = rest.iter().position(starts) {
            self.start(rest.get(at..).unwrap_or_default());
            return;
        }
        if matches!(program, Some("machinectl" | "screen" | "tmux" | "vagrant")) {
            for code in rest.iter().filter(|it| lead(it).contains(' ')) {
                self.code(code);
            }
        }
    }

    fn shell(&mut self) {
        let mut has_code = false;
        let mut reads_input = false;
        let mut at = 1;
        while let Some(word) = self.words.get(at) {
            let option = lead(word);
            let is_option = option.len() > 1 && option.starts_with(['-', '+']);
            if !is_option && option != "-" {
                self.mark_uncertain(word.may_split());
                break;
            }
            at += 1;
            match option {
                "-" | "--" => break,
                "--command" => has_code = true,
                "--rcfile" | "--init-file" | "--init-command" => at += 1,
                _ if option.starts_with("--command=") => {
                    self.mark_prefix();
                    self.code(&after(word, "--command=".len()));
                    return;
                }
                _ if option.starts_with("--") => {}
                _ => {
                    has_code |= option.starts_with('-') && option.contains('c');
                    reads_input |= option.starts_with('-') && option.contains('s');
                    at += usize::from(option.ends_with(['o', 'O']));
                }
            }
        }
        let operands = self.words.get(at..).unwrap_or_default();
        if self.words.iter().any(is_process) {
            self.seen.drafts.push_opaque(Reason::Input, self.raw);
        }
        match operands {
            [code, arguments @ ..] if has_code => {
                let name = self.words.iter().take(1);
                let arguments: Rc<[Word]> = match arguments {
                    [] => name.cloned().collect(),
                    _ => arguments.into(),
                };
                self.mark_prefix();
                self.code_with(code, Some(arguments));
            }
            [file, arguments @ ..] if !reads_input => {
                // An expansion that comes to nothing leaves the shell with its input, and one that
                // ends in `-c` makes code of the next word.
                if file.may_split() {
                    if self.context.stdin.is_some() {
                        self.input();
                    }
                    if let Some(code) = arguments.first().filter(|it| lead(it).contains(' ')) {
                        self.code(code);
                    }
                }
                self.file(file);
            }
            _ => {
                let is_told = self.words.iter().filter_map(Word::text);
                let only_asks = is_told.clone().any(|it| matches!(it, "--version" | "--help"));
                if !only_asks && !self.words.iter().any(is_process) {
                    self.input();
                }
            }
        }
    }

    fn source(&mut self) {
        let Some(file) = self.words.get(1) else { return };
        if is_process(file) {
            self.seen.drafts.push_opaque(Reason::Input, self.raw);
        }
        self.file(file);
    }

    /// A shell reads its code from a file.
    fn file(&mut self, file: &Word) {
        match file.text() {
            Some(path) if is_stdin_path(path) => self.input(),
            Some(path) => self.seen.files.push((path.to_owned(), self.index)),
            None => {}
        }
    }
}

/// Whether a word is `name=value`, as `env` sees it: whatever stands before the sign.
fn is_assignment(word: &Word) -> bool {
    lead(word).contains('=')
}
