//! What a command line does, part by part.
//!
//! The parser lists the programs that could run; each is checked against the rules, with its
//! working directory and the files it names. What cannot be parsed is an action of its own.

mod altered;
mod code;
mod cwd_tracker;
mod database;
mod delete;
mod embedded;
mod emptied;
mod files;
mod git;
pub(super) mod interactive;
mod itself;
mod opaque;
mod output;
mod packages;
mod placed;
mod process;
mod prying;
mod remote;
mod sed;
mod sending;
mod staged;
mod stdin;
mod system;
mod target;
mod telling;
mod titles;
mod told;
mod variables;
mod verbs;

use provost_kernel::guard::policy::Effect;
use provost_rules::{secret, sudo::refuse_sudo};
use provost_shell::{
    DeleteKind, Family, Invocation, ProcessKind, Program, RemoteKind, Script, Trait, Word,
};

pub(super) use self::telling::shows_key;
use self::{cwd_tracker::CwdTracker, output::Outputs};
use super::{
    action::{Action, Found, host_of, is_metadata, place_in},
    arguments::{Arguments, known, lead, program},
    builtin::BuiltIn::{
        self, CloudChange, ContainerChange, DeleteOutside, HostMetadata, KubernetesChange,
        NetworkSend, SecretContent, SecretPrinted, ShellDynamic, ShellLimits, Sudo,
    },
    call::patch_action,
    path_zones::PathZones,
};

/// How deep texts inside texts are followed.
const MAX_DEPTH: u8 = 4;
/// How many bytes of texts inside texts are read in all.
const MAX_NESTED: usize = 1 << 18;
/// How many programs one text may start; more is not a command line, and would take too long.
const MAX_PROGRAMS: usize = 512;

/// Rules that ask, and are met by a text wherever it stands: what it says is beyond doubt.
const CERTAIN: [BuiltIn; 6] =
    [DeleteOutside, SecretPrinted, NetworkSend, CloudChange, ContainerChange, KubernetesChange];

/// Whether a rule counts where a text may be a command or not.
fn is_beyond_doubt(it: &Found) -> bool {
    it.rule.effect() == Effect::Deny || CERTAIN.contains(&it.rule)
}

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
        let first = self.actions.len();
        if let Some(hit) = secret::scan(text.as_bytes()).first() {
            let mut action = Action::on(text);
            let before = text.split_inclusive('\n').take(hit.line.saturating_sub(1));
            action.at = Some(before.map(str::len).sum());
            action.meet_with(SecretContent, hit.kind);
            self.actions.push(action);
        }
        self.script(&provost_shell::parse(text), from);
        place_in(text, self.actions.iter_mut().skip(first));
    }

    /// Looks at an argument vector.
    pub(super) fn argv(&mut self, argv: &[String], from: Option<&str>) {
        self.script(&provost_shell::parse_argv(argv), from);
    }

    /// Looks at a text that may be a command, and keeps only what is refused.
    ///
    /// Such a text stands in another language or on some input, so that doubts about it mean
    /// nothing.
    pub(super) fn suspect(&mut self, text: &str) {
        self.guess(text.len(), is_beyond_doubt, |look, from| look.text(text, from));
    }

    /// Looks at a shell text that certainly runs, though not in this shell: what is asked about
    /// counts too.
    fn follow(&mut self, text: &str) {
        self.guess(text.len(), |_| true, |look, from| look.text(text, from));
    }

    fn suspect_argv(&mut self, argv: &[String]) {
        let length = argv.iter().map(String::len).sum();
        self.guess(length, is_beyond_doubt, |look, from| look.argv(argv, from));
    }

    fn guess(
        &mut self,
        length: usize,
        keeps: fn(&Found) -> bool,
        look: impl FnOnce(&mut Self, Option<&str>),
    ) {
        let before = self.actions.len();
        self.nested(length, look);
        let kept: Vec<Action> = self
            .actions
            .drain(before..)
            .map(|mut action| {
                action.found.retain(keeps);
                action
            })
            .filter(|it| !it.found.is_empty())
            .collect();
        self.actions.extend(kept);
    }

    /// Looks at a text inside a text, within the bounds of both.
    fn nested(&mut self, length: usize, look: impl FnOnce(&mut Self, Option<&str>)) {
        self.nested += length + 16;
        if self.depth >= MAX_DEPTH || self.nested > MAX_NESTED {
            let mut action = Action::on("");
            action.meet(ShellLimits);
            self.actions.push(action);
            return;
        }
        self.depth += 1;
        let directory = self.zones.directory.clone();
        look(self, Some(&directory));
        self.depth -= 1;
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
            let first = self.actions.len();
            self.invocation(script, index, &cwd, &outputs);
            for action in self.actions.iter_mut().skip(first) {
                action.at = Some(invocation.at);
            }
            cwd.leave(self.zones, invocation, next, script.invocations.get(index + 2));
        }
        process::fork_bomb(self, script);
        itself::judge(self, script);
        told::judge(self, script);
        interactive::judge(self, script);
        // What one part prepares for another.
        if script.invocations.len() > 1 {
            staged::judge(self, script);
            staged::links(self, script);
            staged::fetched(self, script);
            self.split_words(script);
        }
        emptied::judge(self, script);
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
        self.evaluated(invocation);
        self.portable(invocation);
        self.named_like_options(invocation);
        if invocation.is_uncertain {
            self.uncertain(invocation);
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
        variables::judge(&part, &mut action);
        if invocation.is_prefix {
            sending::starting(&part, &mut action);
        } else {
            judge_program(&part, &mut action);
        }
        if action.hosts.iter().any(|it| is_metadata(it)) {
            action.meet(HostMetadata);
        }
        if invocation.is_prefix && action.found.is_empty() {
            return;
        }
        self.patch(&part);
        action.subject = invocation.shown().into();
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

fn judge_program(part: &Part<'_>, action: &mut Action) {
    let Some(program) = program(part.invocation) else { return };
    let arguments = Arguments::of(part.invocation);
    let known = Program::of(&program);
    verbs::judge(&program, arguments, action);
    if output::is_counted(part.script, part.index) {
        action.found.retain(|it| it.rule != SecretPrinted);
    }
    packages::judge(&program, arguments, action);
    sending::judge(part, &program, action);
    telling::judge(part, &program, action);
    prying::judge(part, &program, action);
    placed::judge(part, &program, action);
    delete::by_desktop(part, &program, action);
    let is_stream = |it: &str| {
        ["/dev/fd/", "/dev/stdin", "/proc/self/fd/"].iter().any(|start| it.starts_with(start))
    };
    if known.is(Trait::IsShell) && arguments.operands().any(|it| is_stream(lead(it))) {
        action.meet(ShellDynamic);
    }
    match known.family {
        Family::Git => {
            let here = git::folder(part, arguments);
            git::judge(part.zones, arguments, here.as_deref(), action);
            git::fed(part, action);
        }
        Family::Database => database::judge(part, &program, action),
        Family::Delete(DeleteKind::Remove) => delete::remove(part, &program, action),
        Family::Delete(DeleteKind::Move) => delete::moved(part, action),
        Family::Delete(DeleteKind::Mirror) => delete::mirrored(part, action),
        Family::Delete(DeleteKind::Pack) => delete::packed(part, &program, action),
        Family::Delete(DeleteKind::Find) => delete::find(part, action),
        Family::Remote(RemoteKind::Cluster | RemoteKind::Helm)
            if remote::is_cluster_here(part, arguments) => {}
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
