//! Scripted agents: deterministic programs for the demo, the self-checks and the tests.
//!
//! They are hosted by the binary as a hidden subcommand and speak the command protocol, so they
//! run through exactly the same path as an agent of the person's: a process under a guardian, in
//! the sandbox, with a request file and a reply file. Some of them lie.

mod coder;
mod judge;
mod late;
mod structure;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::ExitCode,
};

use provost_kernel::{Message, shorten};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    adapter::{Adapter, Call},
    call_result::CallResult,
    command::{CommandAdapter, REPLY_VARIABLE, REQUEST_VARIABLE},
    error::AdapterError,
    exchange::{Exchange, ExchangeFile},
    reply::Reply,
    request::{AgentRole, Request},
};

/// What a prompt holds from the second attempt on: what the last one was told. An agent that
/// fixes what it is told about looks for it.
pub const CONTEXT_MARK: &str = "=== CONTEXT ===";

macro_rules! behaviours {
    ($($(#[$doc:meta])* $variant:ident = $word:literal: $($role:ident)+;)+) => {
        /// What a scripted agent does.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
        )]
        pub enum Behaviour {
            $($(#[$doc])* #[serde(rename = $word)] $variant,)+
        }

        impl Behaviour {
            /// Every behaviour, in the order of its definition.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The word as files and commands write it.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The roles that it can play.
            pub fn roles(self) -> &'static [AgentRole] {
                match self {
                    $(Self::$variant => &[$(AgentRole::$role),+],)+
                }
            }
        }
    };
}

behaviours! {
    /// Does what is asked; as a judge, approves whatever it sees.
    Pass = "pass": Coder Judge;
    /// Gets it wrong until the prompt says why, then gets it right.
    FailThenFix = "fail_then_fix": Coder;
    /// Gets it wrong, whatever it is told; as a judge, refuses whatever it sees.
    Fail = "fail": Coder Judge;
    /// Changes nothing and says so; as a judge, believes the test's exit code.
    Mock = "mock": Coder Judge;
    /// Does not end by itself.
    TimeOut = "time_out": Coder Judge;
    /// Exits with success, and has neither changed nor said anything.
    NoOutput = "no_output": Coder Judge;
    /// Leaves a reply that is cut off in the middle.
    BadReply = "bad_reply": Coder Judge;
    /// Ends with an error.
    Crash = "crash": Coder Judge;
    /// Says that its login is missing.
    NotAuthorised = "not_authorised": Coder Judge;
    /// Reports that its quota is exhausted for an hour.
    Quota = "quota": Coder Judge;
    /// Writes the artifacts of the pipeline check, and judges their form.
    StructureGate = "structure_gate": Coder Judge;

    /// Asks the person two questions.
    NeedInput = "need_input": Judge;
    /// Leaves a verdict that is not JSON.
    BadJson = "bad_json": Judge;
    /// Leaves a verdict in which a key stands twice.
    DuplicateKeys = "duplicate_keys": Judge;
    /// Leaves a verdict with prose after it.
    TrailingText = "trailing_text": Judge;
    /// Gives every dimension the same score.
    FlatScores = "flat_scores": Judge;
    /// Puts a hard gate under its threshold.
    Gated = "gated": Judge;
    /// Says that it has scored by impression.
    WrongMode = "wrong_mode": Judge;
    /// Claims sums that its own scores do not have.
    WrongSums = "wrong_sums": Judge;

    /// Says that it is done, and has changed nothing.
    ClaimsDoneWithoutChange = "claims_done_without_change": Coder;
    /// Makes the test green by changing the test.
    EditsTests = "edits_tests": Coder;
    /// Makes the test green by adding `|| true` to it.
    WeakTest = "weak_test": Coder;
    /// Leaves logs, exit codes and verdicts that look like provost's own.
    ForgesLog = "forges_log": Coder;
    /// Leaves a process behind that gets it right after the agent has gone.
    WritesLate = "writes_late": Coder;
    /// Gets it right, and writes where nothing may be written.
    TouchesForbidden = "touches_forbidden": Coder;
    /// Prints a verdict in its own favour.
    PrintsFakeVerdict = "prints_fake_verdict": Coder;
}

/// A text that names no behaviour.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "adapter.behaviour",
    en = "unknown scripted agent `{0}`",
    zh = "未知的脚本智能体 `{0}`",
    arg(known = Behaviour::ALL.iter().map(|it| it.as_str()).collect::<Vec<_>>()),
    hint(en = "known are {known:names}", zh = "可用：{known:names}")
)]
pub struct BehaviourError(String);

/// How the binary hosts the scripted agents: the program, and the arguments before the name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptHost {
    /// An absolute path.
    pub program: PathBuf,
    pub args: Vec<String>,
}

/// A scripted agent as an adapter: the command protocol, and nothing else.
#[derive(Debug)]
pub struct ScriptAdapter(CommandAdapter);

/// What a scripted agent leaves behind as its reply.
enum Left {
    Nothing,
    Reply(Reply),
    /// Not what the protocol says.
    Bytes(Vec<u8>),
    /// No success, with this exit code.
    Refusal(u8, Option<Reply>),
}

/// The name under which the process runs that an agent leaves behind.
const LATE_WRITER: &str = "late_writer";

impl std::str::FromStr for Behaviour {
    type Err = BehaviourError;

    fn from_str(text: &str) -> Result<Self, BehaviourError> {
        let found = Self::ALL.iter().find(|it| it.as_str() == text);
        found.copied().ok_or_else(|| BehaviourError(shorten(text)))
    }
}

impl ScriptAdapter {
    /// A scripted agent under this name.
    pub fn new(name: &str, behaviour: Behaviour, host: &ScriptHost) -> Self {
        let program = crate::exchange::path_text(&host.program);
        let argv = std::iter::once(program)
            .chain(host.args.iter().cloned())
            .chain([behaviour.as_str().to_owned()]);
        Self(CommandAdapter::new(name, argv.collect()))
    }
}

impl Adapter for ScriptAdapter {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn files(&self, request: &Request, exchange: &Exchange) -> Vec<ExchangeFile> {
        self.0.files(request, exchange)
    }

    fn call(&self, call: Call<'_>) -> Result<CallResult, AdapterError> {
        self.0.call(call)
    }
}

/// Runs a scripted agent: this process is one, its folder is the work tree, and its environment
/// is that of the protocol.
pub fn main(name: &str, variables: impl IntoIterator<Item = (String, String)>) -> ExitCode {
    let variables: BTreeMap<String, String> = variables.into_iter().collect();
    let paths = (variables.get(REQUEST_VARIABLE), variables.get(REPLY_VARIABLE));
    let (Some(request), Some(reply)) = paths else {
        say("PROVOST_REQUEST and PROVOST_REPLY are not set");
        return ExitCode::FAILURE;
    };
    let reply = PathBuf::from(reply);
    let read = std::fs::read(request).ok();
    let Some(request) = read.and_then(|it| serde_json::from_slice::<Request>(&it).ok()) else {
        say("the request cannot be read");
        return ExitCode::FAILURE;
    };
    if name == LATE_WRITER {
        return late::write(&request, &reply);
    }
    let Ok(behaviour) = name.parse::<Behaviour>() else {
        say("unknown scripted agent");
        return ExitCode::FAILURE;
    };
    play(behaviour, &request, &reply).unwrap_or_else(|error| {
        say(&error.to_string());
        ExitCode::FAILURE
    })
}

/// Plays one part to its end.
fn play(behaviour: Behaviour, request: &Request, reply: &Path) -> std::io::Result<ExitCode> {
    if !behaviour.roles().contains(&request.role) {
        say("this scripted agent does not play this role");
        return Ok(ExitCode::FAILURE);
    }
    let left = match request.role {
        AgentRole::Coder => coder::work(behaviour, request, reply)?,
        AgentRole::Judge => judge::judge(behaviour, request),
    };
    let (bytes, code) = match left {
        Left::Nothing => (None, 0),
        Left::Reply(left) => (Some(serde_json::to_vec(&left)?), 0),
        Left::Bytes(bytes) => (Some(bytes), 0),
        Left::Refusal(code, left) => (left.map(|it| serde_json::to_vec(&it)).transpose()?, code),
    };
    if let Some(bytes) = bytes {
        put(reply, &bytes)?;
    }
    Ok(ExitCode::from(code))
}

/// The end of an agent that failed.
fn crashed() -> Left {
    Left::Refusal(1, None)
}

/// The end of an agent without a login.
fn refused() -> Left {
    Left::Refusal(195, None)
}

/// The end of an agent whose quota is spent.
fn spent(role: AgentRole) -> Left {
    let mut reply = Reply::new(role, String::new());
    reply.retry_after_seconds = Some(3600);
    Left::Refusal(75, Some(reply))
}

/// The start of a reply.
fn half(role: AgentRole) -> Left {
    Left::Bytes(
        format!("{{\"schema\":\"provost.adapter/1\",\"role\":\"{}\",\"te", role.as_str()).into(),
    )
}

fn for_ever() -> ! {
    loop {
        std::thread::park();
    }
}

/// Prints a line for people.
fn say(line: &str) {
    use std::io::Write as _;
    // An agent whose output is gone cannot report.
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Writes a file as an agent does: plainly.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the agent's process, which writes in its work tree and exchange folder"
)]
fn put(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_behaviour_or_nothing() {
        for &behaviour in Behaviour::ALL {
            assert_eq!(behaviour.as_str().parse(), Ok(behaviour));
            assert!(!behaviour.roles().is_empty());
        }
        let error = "mocc".parse::<Behaviour>().unwrap_err();
        assert_eq!(error.to_string(), "unknown scripted agent `mocc`");
        assert!("late_writer".parse::<Behaviour>().is_err());
    }
}
