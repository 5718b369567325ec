//! Commands that stand in the words of a part: as values of options, on the input of `xargs`, or in
//! a text that is evaluated.

use provost_shell::{Hole, Invocation, Program, Script, Trait, Word};

use super::{
    super::{
        action::Action,
        arguments::{Arguments, lead, program},
        builtin::BuiltIn::ShellDynamic,
    },
    ShellAnalyzer, code, files, is_beyond_doubt, process, stdin, titles,
};

/// Builtins that evaluate what stands in their words.
const EVALUATING: [&str; 12] = [
    "[", "[[", "declare", "export", "let", "local", "printf", "read", "readonly", "test",
    "typeset", "unset",
];

/// Options whose value programs run, as a rule.
const RUN_OPTIONS: [&str; 22] = [
    "--checkpoint-action",
    "--cmd",
    "--command",
    "--compress-program",
    "--eval",
    "--ex",
    "--exec",
    "--on-change",
    "--run",
    "--shell",
    "--to-command",
    "--use-compress-program",
    "-Command",
    "-TT",
    "-c",
    "-command",
    "-e",
    "-eval",
    "-ex",
    "-exec",
    "-s",
    "-x",
];

impl ShellAnalyzer<'_> {
    /// Texts that a program is told to run: `nodemon -x …`, `sqlite3 x '.shell …'`.
    pub(super) fn option_commands(&mut self, script: &Script, index: usize) {
        let Some(invocation) = script.invocations.get(index) else { return };
        let name = program(invocation).unwrap_or_default();
        let known = Program::of(&name);
        if invocation.is_prefix
            || invocation.inline.is_some()
            || files::says_or_reads(&name)
            || known.is(Trait::Prose)
            || name == "provost"
            || process::agent_named(&name).is_some()
        {
            return;
        }
        let arguments = Arguments::of(invocation);
        let told = arguments.values(&RUN_OPTIONS).filter(|it| it.contains(' '));
        let escapes = arguments.words().iter().map(Word::to_string).filter(|it| is_escape(it));
        let mut texts: Vec<String> = told.chain(escapes).collect();
        // `make CC='…'` puts the value into a recipe, `python -m timeit` runs its words.
        let is_timed = name.starts_with("python") && arguments.has("timeit");
        let values = arguments.operands().map(Word::to_string).filter_map(|it| {
            let value = it.split_once('=').map(|(_, it)| it.to_owned());
            if is_timed { Some(it) } else { value.filter(|_| known.is(Trait::RunsWithLines)) }
        });
        texts.extend(values.filter(|it| it.contains(' ')));
        if known.is(Trait::ShellEscapes) {
            let lines = stdin::of(script, index).texts;
            let lines = lines.iter().flat_map(|it| it.lines());
            texts.extend(lines.filter(|it| is_escape(it.trim())).map(str::to_owned));
        }
        if known.is(Trait::RunsWithLines) {
            for text in stdin::of(script, index).texts.iter().chain(&texts) {
                code::bare(self, text);
            }
        }
        for text in texts {
            let bare = text.trim_start_matches(['!', ':', '\\', '.', '+', ' ']);
            let verbs = ["shell ", "system ", "sh "];
            let inner = verbs.iter().find_map(|it| bare.strip_prefix(it)).unwrap_or(bare);
            self.suspect(&inner.replace("$(HOME)", "$HOME"));
            if let Some((_, escaped)) = bare.split_once('!') {
                self.suspect(escaped);
            }
            code::quoted(self, &text);
            self.guess(text.len(), is_beyond_doubt, |look, _| {
                code::foreign(look, None, &text, false);
            });
        }
    }

    /// What `xargs` starts, with the words that stand on its input put in.
    pub(super) fn xargs_args(&mut self, script: &Script, index: usize) {
        let Some(invocation) = script.invocations.get(index) else { return };
        let is_input = |it: &&Word| {
            matches!(it.parts(), [provost_shell::Part::Hole { hole: Hole::Input, .. }])
        };
        let Some(by) = invocation.launched_by.filter(|_| !invocation.is_prefix) else { return };
        if !invocation.words.iter().any(|it| is_input(&it)) {
            return;
        }
        for text in stdin::of_xargs(script, by).iter().take(16) {
            let given: Vec<String> =
                text.split_whitespace().take(64).map(|it| it.replace(['\'', '"'], "")).collect();
            if given.iter().any(|it| it.starts_with(['$', '~'])) {
                let known = invocation.words.iter().filter(|it| !is_input(it)).map(Word::to_string);
                self.suspect(&known.chain(given.iter().cloned()).collect::<Vec<_>>().join(" "));
            }
            let mut argv = Vec::new();
            for word in &invocation.words {
                if is_input(&word) {
                    argv.extend(given.iter().cloned());
                } else {
                    argv.push(word.to_string());
                }
            }
            let length = argv.iter().map(String::len).sum();
            self.guess(length, |_| true, |look, from| look.argv(&argv, from));
        }
    }

    /// `cmake -E rm -rf x`, and a program that is told to compress.
    pub(super) fn portable(&mut self, invocation: &Invocation) {
        let arguments = Arguments::of(invocation);
        if arguments.words().first().map(lead) == Some("-E")
            && program(invocation).as_deref() == Some("cmake")
        {
            let words = arguments.words().iter().skip(1).map(Word::to_string);
            let line = words.collect::<Vec<_>>().join(" ");
            let line = line.replacen("remove_directory", "rm -rf", 1);
            self.suspect(&line.replacen("remove ", "rm ", 1));
        }
        let mut helpers = arguments.values(&["--compress-program", "--use-compress-program"]);
        if helpers.any(|it| it.starts_with("/tmp/")) {
            let mut action = Action::on(&invocation.shown());
            action.meet(ShellDynamic);
            self.actions.push(action);
        }
    }

    /// A file that is called like an option, as a pattern hands it to `tar` or `rsync` later.
    pub(super) fn named_like_options(&mut self, invocation: &Invocation) {
        let made = matches!(
            program(invocation).as_deref(),
            Some("cp" | "ln" | "mkdir" | "mv" | "sponge" | "tee" | "touch")
        );
        let arguments = Arguments::of(invocation);
        let operands = arguments.operands().filter(|_| made);
        let redirected = invocation.redirects.iter().map(|it| &it.target);
        let is_option = |it: &Word| {
            let text = it.to_string();
            let name = text.rsplit_once("/-").map_or(text.clone(), |(_, it)| format!("-{it}"));
            let whole = [text.as_str(), name.as_str()];
            whole.iter().any(|it| {
                let runs = ["action=", "checkpoint", "command=", "exec=", "program=", "rsh="];
                it.starts_with("-e ")
                    || (it.starts_with("--") && runs.iter().any(|run| it.contains(run)))
            })
        };
        if operands.chain(redirected).any(is_option) {
            let mut action = Action::on(&invocation.shown());
            action.meet(ShellDynamic);
            self.actions.push(action);
        }
    }

    /// `IFS=,; $x`: a word of another kind becomes a command with its words.
    pub(super) fn split_words(&mut self, script: &Script) {
        let all = || script.invocations.iter().flat_map(|it| &it.assignments);
        let signs: String =
            all().filter(|it| it.name == "IFS").filter_map(|it| it.value.text()).collect();
        let is_sign = |it: char| signs.contains(it) && !it.is_whitespace();
        let mut names = script.invocations.iter().filter_map(|it| it.words.first());
        if let Some(word) = names.find(|it| lead(it).contains(is_sign)) {
            let mut action = Action::on(&word.to_string());
            action.meet(ShellDynamic);
            self.actions.push(action);
        }
    }

    /// Texts that a shell evaluates although they are quoted: the index of an array in arithmetic, a
    /// prompt, the name of a variable that is read or tested.
    pub(super) fn evaluated(&mut self, invocation: &Invocation) {
        let words = invocation.words.iter().skip(1);
        let values = invocation.assignments.iter().map(|it| &it.value);
        let mut texts = words.map(|it| (it, false)).chain(values.map(|it| (it, true)));
        if !texts.any(|(it, _)| it.text().is_some_and(|it| it.contains("$("))) {
            return;
        }
        let name = program(invocation).unwrap_or_default();
        let evaluates = EVALUATING.contains(&name.as_str());
        let words = invocation.words.iter().skip(1).filter(|_| evaluates);
        let values = invocation.assignments.iter().map(|it| &it.value);
        for text in words.chain(values).filter_map(Word::text) {
            let inner =
                text.split_once("$(").map(|(_, it)| it.rsplit_once(')').map_or(it, |it| it.0));
            if let Some(inner) = inner {
                self.suspect(inner);
            }
        }
    }

    /// Where it was only guessed which word is the program, each word may be.
    pub(super) fn uncertain(&mut self, invocation: &Invocation) {
        let directory = self.zones.directory.as_str();
        let words: Vec<String> =
            invocation.words.iter().map(|it| self.zones.spell(it, Some(directory))).collect();
        let starts = |it: &str| {
            let base = it.rsplit('/').next().unwrap_or_default();
            Program::of(base).is(Trait::Suspect) || base.starts_with("mkfs")
        };
        for at in 1..words.len() {
            let rest = words.get(at..).unwrap_or_default();
            if rest.first().is_some_and(|it| starts(it)) {
                self.suspect_argv(rest);
            }
            // A word with blanks in it may be a whole command, as in `gdb -ex '!ls x'`.
            let is_title = titles::is_title_of_test(words.get(..at).unwrap_or_default());
            if let Some(text) = rest.first().filter(|it| it.contains(' ') && !is_title) {
                self.suspect(text.trim_start_matches(['!', ':']));
            }
        }
    }
}

/// `\! ls`, `.shell ls`, `:!ls`: how consoles start a shell.
fn is_escape(text: &str) -> bool {
    [".shell ", ".system ", "\\!", ":!", "!", "+!", "shell ", "system "]
        .iter()
        .any(|it| text.strip_prefix(it).is_some_and(|it| it.trim().contains(' ')))
}
