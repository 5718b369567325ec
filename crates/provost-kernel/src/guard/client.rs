//! What is known of a client that runs agents: the schema of the table in `client/table.rs`.
//!
//! An entry is data alone. The guard's rules read payloads, encode answers and edit configurations
//! by it; the engine finds files by it, and the adapter starts the client by it. The hook reads
//! the table on every call, so it is made of constants and nothing in it is computed.

mod table;
#[cfg(test)]
mod tests;

pub use self::table::{Client, Harness, KnownGap};
use super::HookType;
use crate::words::words;

/// One client: everything that distinguishes it from the others.
#[derive(Debug)]
pub struct ClientEntry {
    pub harness: Harness,
    /// The name under which it asks, `provost hook --client NAME`.
    pub client: Client,
    /// The name that people know.
    pub title: &'static str,
    /// The adapter preset that starts it.
    pub preset: &'static str,
    /// The variable in which it tells a hook the folder of its session; none if it does not.
    pub session_folder: Option<&'static str>,
    /// The form in which it is answered.
    pub dialect: Dialect,
    pub events: Events,
    /// How its payloads are told from those of others; none if they cannot be.
    pub marks: Option<Marks>,
    /// What its payloads need before they are read; none if they are in the common form.
    pub translation: Option<&'static Translation>,
    pub install: Install,
    /// The events at which it can be refused something, each with a payload to try it with.
    pub gates: &'static [TrialGate],
    /// What it does not enforce, whatever is configured.
    pub gaps: &'static [VersionedGap],
    pub agent: AgentProgram,
    /// How it is driven without a person; none if it cannot be.
    pub live: Option<Live>,
}

/// The form in which a client is answered, and what it does with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `hookSpecificOutput`, with `ask` among the decisions.
    Claude,
    /// The same, read strictly: an unknown key voids the answer, and no person is asked.
    Codex,
    /// `decision` and `reason`, without a way to ask.
    Gemini,
    /// `permission`, and an answer to everything: silence is a failure.
    Cursor,
    /// `continue` and a message: the original's own form, and that of our plugins.
    Plain,
}

/// What an event means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    Hook(HookType),
    /// The agent wants to stop: the active modes say which type handles it.
    Stop,
    /// The client sets itself up: the trigger says which type it is.
    Setup,
    /// The client says it, and no hook type is about it.
    NoType,
}

/// The events of a client, by its own names.
#[derive(Clone, Copy, Debug)]
pub struct Events {
    /// Those that an installation asks about, in the order in which it writes them.
    pub installed: &'static [(&'static str, Meaning)],
    /// Those that are understood and not asked for.
    pub understood: &'static [(&'static str, Meaning)],
    /// Those that no hook type is about.
    pub untyped: &'static [&'static str],
    /// Those that no hook type is about, and that a payload names in its field `type`.
    pub untyped_by_type: &'static [&'static str],
}

/// The fields by which the payloads of a client are told from those of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    pub fields: &'static [&'static str],
    /// Whether every payload has one of them, so that one without is not from this client.
    pub are_always_sent: bool,
}

/// How payloads are put into the common form.
#[derive(Debug)]
pub struct Translation {
    /// Whether a byte order mark may stand before the text.
    pub allows_byte_order_mark: bool,
    /// The list whose first value is the directory where `cwd` says none.
    pub roots: &'static str,
    /// What is left out.
    pub dropped: &'static [&'static str],
    /// Fields that have another name in the common form.
    pub renamed: &'static [(&'static str, &'static str)],
    /// What certain events need besides.
    pub events: &'static [(&'static [&'static str], &'static [Rewrite])],
}

/// One change of a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    Rename(&'static str, &'static str),
    /// The event is a call of this tool, with these fields as its arguments.
    Call(&'static str, &'static [&'static str]),
    /// The tool's input may be an object that is written as a text.
    ParseInput,
    /// A count becomes whether it is more than none.
    Counted(&'static str, &'static str),
}

/// Where the guard is installed in a client, and how.
#[derive(Debug)]
pub struct Install {
    pub user: UserFile,
    /// The file in a repository. It should be one that git does not track, if there is one.
    pub project: &'static str,
    /// The file in which the client notes the hooks that it trusts, by a digest of each.
    pub trust: Option<UserFile>,
    pub form: InstallForm,
    /// How the client starts the line of a hook.
    pub shell: HookShell,
    /// The settings that keep every hook from running.
    pub switches: &'static [Switch],
}

/// A file of the person, which a variable may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserFile {
    /// The path from the folder that a variable names; the first that is set counts.
    pub moved: &'static [(&'static str, &'static str)],
    /// The path from the person's home.
    pub home: &'static str,
}

/// What an installation writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallForm {
    /// Entries in a JSON configuration, one for each event.
    Entries {
        grammar: Grammar,
        shape: Shape,
        /// Numbers that the whole document must have.
        constants: &'static [(&'static str, u32)],
        /// The fields of an entry, in order.
        fields: &'static [Field],
    },
    /// A file that is wholly ours, which asks about one event. `["@COMMAND@"]` stands for the
    /// command line.
    Plugin { template: &'static str, event: &'static str },
}

/// What a client understands besides strict JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    Strict,
    /// Comments and final commas.
    Comments,
}

/// Where the handlers of an event stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// In groups, each with a matcher: `{"Event": [{"hooks": [handler]}]}`.
    Groups,
    /// In the list of the event: `{"event": [handler]}`.
    Flat,
}

/// One field of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub key: &'static str,
    pub value: FieldValue,
    pub at: FieldAt,
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldValue {
    Text(&'static str),
    Number(u32),
    True,
    /// The program alone.
    Program,
    /// Its arguments, as a list.
    Arguments,
    /// Both, as a line for a shell.
    Line,
}

/// Which entries have a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldAt {
    All,
    Types(&'static [HookType]),
    Event(&'static str),
    Except(&'static str),
}

/// How a client starts the line of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookShell {
    /// `/bin/sh -c`.
    Posix,
    /// `bash -c`.
    Bash,
    /// The person's own shell with `-lc`: what its start files print stands before the answer.
    Login,
}

/// A setting that keeps every hook from running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The keys that lead to it, with dots between them.
    pub key: &'static str,
    pub off: SwitchedOff,
}

/// The value by which hooks are switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchedOff {
    Is(bool),
    /// A list that has this name.
    Lists(&'static str),
}

/// What is asked at an event that can be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// May the tool run?
    Tool,
    /// The client is about to ask a person: may it?
    Permission,
}

/// An event at which a client can be refused something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrialGate {
    pub event: &'static str,
    pub gate: Gate,
    /// What the client sends, as JSON. `@event`, `@command` and `@folder` stand for values.
    pub payload: &'static str,
}

/// A gap, and the version that closed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionedGap {
    pub gap: KnownGap,
    pub closed_in: Option<[u32; 3]>,
}

/// The client as a program that an agent may start, and as the owner of files and variables.
#[derive(Debug)]
pub struct AgentProgram {
    pub name: &'static str,
    /// The packages that bring it, besides one of its own name.
    pub packages: &'static [&'static str],
    /// Switches by which an agent gives up its protection, or takes its hooks from elsewhere.
    pub unguarded: &'static [&'static str],
    /// Switches that mean this with this program alone.
    pub unguarded_here: &'static [&'static str],
    /// Values that say the same: lower-case, after an option, after `=`, or in an object.
    pub unguarded_values: &'static [&'static str],
    /// Files of its configuration, by folder and name, which no agent may write.
    pub configuration: &'static [(&'static str, &'static str)],
    /// Names of configuration files, wherever they lie.
    pub configuration_names: &'static [&'static str],
    /// Folders without which the configuration is gone.
    pub folders: &'static [&'static str],
    /// Files that hold secrets, by folder and name.
    pub secrets: &'static [(&'static str, &'static str)],
    /// Folders below the person's home that it keeps for its agent: plans and memories.
    pub memories: &'static [&'static str],
    /// Variables that it sets for the commands of its agent.
    pub variables: &'static [&'static str],
    /// Those of its variables that hold the root of the project.
    pub roots: &'static [&'static str],
}

/// How a client is started without a person, and pointed at a model on this machine.
///
/// Nothing of its hooks stands here: whether they are obeyed is what is to be found out. What the
/// client would ask a person about an ordinary command is answered beforehand, because the guard
/// alone is to refuse.
#[derive(Debug, PartialEq, Eq)]
pub struct Live {
    /// The npm package that it comes in.
    pub package: &'static str,
    /// Its arguments; `{base}` stands for the address of the model.
    pub arguments: &'static [&'static str],
    /// What it needs in its environment; `{base}` as above.
    pub variables: &'static [(&'static str, &'static str)],
    /// What must lie in its home before anything else does.
    pub files: &'static [(&'static str, &'static str)],
}

words! {
    /// How far an installation reaches.
    pub enum Scope {
        /// One repository, as this person works in it.
        Project = "project",
        /// Everything that this person does with the client.
        User = "user",
    }
}

impl Events {
    /// What an event means; none if the client has no event of this name.
    pub fn meaning(&self, name: &str) -> Option<Meaning> {
        let typed = self.installed.iter().chain(self.understood).find(|it| it.0 == name);
        let is_untyped = || self.untyped.contains(&name) || self.untyped_by_type.contains(&name);
        typed.map(|it| it.1).or_else(|| is_untyped().then_some(Meaning::NoType))
    }
}

impl Harness {
    /// The name under which it asks.
    pub fn client(self) -> Client {
        self.entry().client
    }

    /// The name that people know.
    pub fn title(self) -> &'static str {
        self.entry().title
    }

    /// The program that an adapter preset of this name starts; none if it is another one.
    pub fn of_preset(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.entry().preset == name)
    }

    /// Every entry of the table, in its order.
    pub fn entries() -> impl Iterator<Item = &'static ClientEntry> + Clone {
        Self::ALL.iter().map(|it| it.entry())
    }

    /// Their words for a sentence: `a, b or c`.
    pub fn words_or() -> String {
        match Self::WORDS {
            [start @ .., last] => format!("{} or {last}", start.join(", ")),
            [] => String::new(),
        }
    }
}
