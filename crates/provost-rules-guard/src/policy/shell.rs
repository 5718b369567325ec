//! What a command line does, part by part.
//!
//! The parser lists the programs that could run; each is checked against the rules, with its
//! working directory and the files it names. What cannot be parsed is an action of its own.

mod code;
mod cwd_tracker;
mod database;
mod delete;
mod files;
mod git;
mod opaque;
mod output;
mod process;
mod remote;
mod sed;
mod stdin;
mod system;
mod target;

use provost_rules::{secret, sudo::refuse_sudo};
use provost_shell::{
    DeleteKind, Family, Hole, Invocation, ProcessKind, Program, Script, Trait, Word,
};

use self::{cwd_tracker::CwdTracker, output::Outputs};
use super::{
    action::{Action, Found, host_of, is_metadata, show},
    arguments::{Arguments, known, program},
    builtin::BuiltIn::{HostMetadata, SecretContent, ShellLimits, Sudo},
    call::patch_action,
    path_zones::PathZones,
};

/// How deep texts inside texts are followed.
const MAX_DEPTH: u8 = 4;
/// How many bytes of texts inside texts are read in all.
const MAX_NESTED: usize = 1 << 18;
/// How many programs one text may start; more is not a command line, and would take too long.
const MAX_PROGRAMS: usize = 512;

/// Collects the actions of one command line.
#[derive(Debug)]
pub(super) struct ShellAnalyzer<'a> {
    pub(super) zones: &'a PathZones,
    pub(super) actions: Vec<Action>,
    depth: u8,
    nested: usize,
}

impl<'a> ShellAnalyzer<'a> {
    pub(super) fn new(zones: &'a PathZones) -> Self {
        Self { zones, actions: Vec::new(), depth: 0, nested: 0 }
    }

    /// Looks at a text that a shell would read.
    pub(super) fn text(&mut self, text: &str, from: Option<&str>) {
        if let Some(hit) = secret::scan(text.as_bytes()).first() {
            let mut action = Action::on(&show(text));
            action.meet_with(SecretContent, hit.kind);
            self.actions.push(action);
        }
        self.script(&provost_shell::parse(text), from);
    }

    /// Looks at an argument vector.
    pub(super) fn argv(&mut self, argv: &[String], from: Option<&str>) {
        self.script(&provost_shell::parse_argv(argv), from);
    }

    /// Looks at a text that may be a command, and keeps only what is refused.
    ///
    /// Such a text stands in another language or on some input, so that doubts about it mean
    /// nothing.
    fn suspect(&mut self, text: &str) {
        self.guess(text.len(), |look, from| look.text(text, from));
    }

    fn suspect_argv(&mut self, argv: &[String]) {
        let length = argv.iter().map(String::len).sum();
        self.guess(length, |look, from| look.argv(argv, from));
    }

    fn guess(&mut self, length: usize, look: impl FnOnce(&mut Self, Option<&str>)) {
        self.nested += length + 16;
        if self.depth >= MAX_DEPTH || self.nested > MAX_NESTED {
            let mut action = Action::on("");
            action.meet(ShellLimits);
            self.actions.push(action);
            return;
        }
        self.depth += 1;
        let before = self.actions.len();
        let directory = self.zones.directory.clone();
        look(self, Some(&directory));
        self.depth -= 1;
        let is_refused =
            |it: &Found| it.rule.effect() == provost_kernel::guard::policy::Effect::Deny;
        let kept: Vec<Action> = self
            .actions
            .drain(before..)
            .map(|mut action| {
                action.found.retain(is_refused);
                action
            })
            .filter(|it| !it.found.is_empty())
            .collect();
        self.actions.extend(kept);
    }

    fn script(&mut self, script: &Script, from: Option<&str>) {
        if let Some(finding) = refuse_sudo(script) {
            let mut action = Action::on(&finding.subject);
            action.meet(Sudo);
            self.actions.push(action);
        }
        if script.invocations.len() > MAX_PROGRAMS || script.opaque.len() > MAX_PROGRAMS {
            let mut action = Action::default();
            action.meet(ShellLimits);
            self.actions.push(action);
            return;
        }
        let outputs = Outputs::of(script, self.zones);
        let mut cwd = CwdTracker::new(from);
        for (index, invocation) in script.invocations.iter().enumerate() {
            let next = script.invocations.get(index + 1);
            cwd.enter(invocation);
            self.invocation(script, index, &cwd, &outputs);
            cwd.leave(self.zones, invocation, next, script.invocations.get(index + 2));
        }
        process::fork_bomb(self, script);
        opaque::judge(self, script);
    }

    fn invocation(&mut self, script: &Script, index: usize, cwd: &CwdTracker, outputs: &Outputs) {
        let Some(invocation) = script.invocations.get(index) else { return };
        let given = match invocation.readings.as_slice() {
            [] => std::slice::from_ref(&invocation.words),
            several => several,
        };
        for words in given.iter().flat_map(|it| outputs.readings(it)) {
            let invocation = &Invocation { words, ..invocation.clone() };
            self.reading(Part { zones: self.zones, script, index, invocation, cwd });
        }
        code::judge(self, script, index);
        sed::judge(self, invocation);
        self.option_commands(script, index);
        self.xargs_args(script, index);
        git::follow_aliases(self, invocation);
        if invocation.is_uncertain {
            self.uncertain(invocation);
        }
    }

    /// Texts that a program is told to run: `nodemon -x …`, `sqlite3 x '.shell …'`.
    fn option_commands(&mut self, script: &Script, index: usize) {
        let Some(invocation) = script.invocations.get(index) else { return };
        let name = program(invocation).unwrap_or_default();
        let known = Program::of(&name);
        if invocation.is_prefix
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
            self.suspect(inner);
            code::quoted(self, &text);
        }
    }

    /// What `xargs` starts, with the words that stand on its input put in.
    fn xargs_args(&mut self, script: &Script, index: usize) {
        let Some(invocation) = script.invocations.get(index) else { return };
        let is_input = |it: &&Word| {
            matches!(it.parts(), [provost_shell::Part::Hole { hole: Hole::Input, .. }])
        };
        let Some(by) = invocation.launched_by.filter(|_| !invocation.is_prefix) else { return };
        let is_git = program(invocation).as_deref() == Some("git");
        if !is_git || !invocation.words.iter().any(|it| is_input(&it)) {
            return;
        }
        for text in stdin::of(script, by).texts.iter().take(16) {
            let given: Vec<String> =
                text.split_whitespace().take(64).map(|it| it.replace(['\'', '"'], "")).collect();
            let mut argv = Vec::new();
            for word in &invocation.words {
                if is_input(&word) {
                    argv.extend(given.iter().cloned());
                } else {
                    argv.push(word.to_string());
                }
            }
            self.suspect_argv(&argv);
        }
    }

    /// Judges one reading of an invocation.
    fn reading(&mut self, part: Part<'_>) {
        let invocation = part.invocation;
        let mut action = Action {
            words: named(invocation),
            hosts: invocation.words.iter().filter_map(|it| host_of(&it.to_string())).collect(),
            ..Action::default()
        };
        files::judge(&part, &mut action);
        process::rights(&part, &mut action);
        process::variables(&part, &mut action);
        if !invocation.is_prefix {
            judge_program(&part, &mut action);
        }
        if action.hosts.iter().any(|it| is_metadata(it)) {
            action.meet(HostMetadata);
        }
        if invocation.is_prefix && action.found.is_empty() {
            return;
        }
        self.patch(&part);
        action.subject = show(&invocation.shown());
        for found in &mut action.found {
            if found.subject.is_empty() {
                found.subject.clone_from(&action.subject);
            }
        }
        self.actions.push(action);
    }

    /// A patch on the input of a program that applies it.
    fn patch(&mut self, part: &Part<'_>) {
        let arguments = Arguments::of(part.invocation);
        let known = known(part.invocation);
        let is_git = known.family == Family::Git;
        let applies = known.is(Trait::AppliesPatch)
            || (is_git && matches!(git::subcommand(arguments).0, Some("apply" | "am")));
        if applies {
            let mut texts = stdin::of(part.script, part.index).texts;
            texts.extend(arguments.words().iter().map(ToString::to_string));
            for text in texts.iter().filter(|it| it.contains('\n')) {
                self.actions.push(patch_action(self.zones, text));
            }
        }
    }

    /// Where it was only guessed which word is the program, each word may be.
    fn uncertain(&mut self, invocation: &Invocation) {
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
            let is_title = is_title_of_test(words.get(..at).unwrap_or_default());
            if let Some(text) = rest.first().filter(|it| it.contains(' ') && !is_title) {
                self.suspect(text.trim_start_matches(['!', ':']));
            }
        }
    }
}

const TITLE_OPTIONS: [&str; 6] = ["--fgrep", "--grep", "--match", "--testNamePattern", "-g", "-t"];

/// What may stand before the name of a runner, and starts nothing else.
const TEST_STARTERS: [&str; 9] =
    ["--no-install", "--yes", "-y", "bunx", "dlx", "exec", "npx", "pnpm", "yarn"];

/// Whether the word that follows these is a title that a runner of tests looks for.
fn is_title_of_test(before: &[String]) -> bool {
    let mut words = before.iter().map(String::as_str);
    let runner = words.find(|it| !TEST_STARTERS.contains(it)).unwrap_or_default();
    // `jest@29`: a version may follow the name.
    let name = runner.split('@').next().unwrap_or_default();
    Program::of(name).is(Trait::RunsTests)
        && words.next_back().is_some_and(|it| TITLE_OPTIONS.contains(&it))
}

/// One invocation, with what stands around it.
#[derive(Clone, Copy, Debug)]
struct Part<'a> {
    zones: &'a PathZones,
    script: &'a Script,
    index: usize,
    invocation: &'a Invocation,
    cwd: &'a CwdTracker,
}

/// Options whose value programs run, as a rule.
const RUN_OPTIONS: [&str; 17] = [
    "--cmd",
    "--command",
    "--eval",
    "--ex",
    "--exec",
    "--on-change",
    "--run",
    "--shell",
    "-Command",
    "-c",
    "-command",
    "-e",
    "-eval",
    "-ex",
    "-exec",
    "-s",
    "-x",
];

/// `\! ls`, `.shell ls`, `:!ls`: how consoles start a shell.
fn is_escape(text: &str) -> bool {
    [".shell ", ".system ", "\\!", ":!", "!", "+!", "shell ", "system "]
        .iter()
        .any(|it| text.strip_prefix(it).is_some_and(|it| it.trim().contains(' ')))
}

fn judge_program(part: &Part<'_>, action: &mut Action) {
    let Some(program) = program(part.invocation) else { return };
    let arguments = Arguments::of(part.invocation);
    let known = Program::of(&program);
    match known.family {
        Family::Git => {
            git::judge(part.zones, arguments, action);
            git::fed(part, action);
        }
        Family::Database => database::judge(part, &program, action),
        Family::Delete(DeleteKind::Remove) => delete::remove(part, &program, action),
        Family::Delete(DeleteKind::Move) => delete::moved(part, action),
        Family::Delete(DeleteKind::Mirror) => delete::mirrored(part, action),
        Family::Delete(DeleteKind::Pack) => delete::packed(part, &program, action),
        Family::Delete(DeleteKind::Find) => delete::find(part, action),
        Family::Remote(kind) => remote::judge(known, kind, arguments, action),
        Family::Process(ProcessKind::Kill) => process::kill(part, arguments, action),
        Family::Process(ProcessKind::KillByName) => process::by_name(&program, arguments, action),
        Family::Process(ProcessKind::Service) => process::service(arguments, action),
        Family::System(_) => system::judge(part, known, &program, action),
        Family::Other if program == "provost" => process::provost(arguments, action),
        Family::Other => match process::agent_named(&program) {
            Some(client) => process::agent(client, arguments, action),
            None => system::judge(part, known, &program, action),
        },
    }
}

/// The words of an invocation, those that are not known left open.
fn named(invocation: &Invocation) -> Vec<Option<String>> {
    let mut words: Vec<Option<String>> =
        invocation.words.iter().map(|it| it.text().map(str::to_owned)).collect();
    if let Some(first) = words.first_mut() {
        *first = invocation.words.first().and_then(Word::base_name).map(str::to_owned);
    }
    words
}
