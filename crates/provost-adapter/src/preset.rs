//! Agents that people already have, driven without a person: Claude Code, Codex, Gemini CLI,
//! Cursor, opencode, aider.
//!
//! Each is a row of data in [`table`]. The program gets its prompt as one argument or in a file,
//! never through a shell. A coder's summary is taken from a file that it was asked to write. A judge
//! has no tool that writes: its verdict is its last message, in the report that the program prints.
//! The report is parsed besides for what the call cost and, after a failure, for whether a login or
//! a quota was the reason. A report of events is read while the program runs, which ends before the
//! request that would go beyond the budget.

mod account;
pub mod activity;
pub mod addition;
mod answer;
mod events;
mod facts;
pub mod installed;
mod prompt;
pub mod session;
pub mod state;
pub mod table;

use std::path::Path;

use provost_kernel::{Decimal, SessionId, task::Usd};

use self::{
    account::Account,
    addition::{flags::OwnFlag, named::NamedBy, variables::Provider},
    events::{Events, at_least},
    facts::{Facts, Report, Sign},
    session::{Resumed, Sessions},
    state::AgentState,
};
use crate::{
    adapter::{Adapter, Call},
    call_log::{begin, cancelled, finish},
    call_result::{CallError, CallOutcome, CallResult, Failure},
    error::AdapterError,
    exchange::{Exchange, ExchangeFile, path_text},
    keys::Keys,
    process::{self, Ending},
    reply::{Reply, ReplyProblem},
    request::{AgentRole, Request},
    support::Support,
    tail::LineReader,
};

/// How to drive one agent.
#[derive(Debug)]
pub struct Preset {
    /// The name in `provost.toml` and in a task.
    pub name: &'static str,
    /// The name that people know.
    pub title: &'static str,
    /// The program, looked for in `PATH`.
    pub program: &'static str,
    /// How it tells, for free, whether it is logged in.
    login: Option<LoginCheck>,
    coder: &'static [Part],
    judge: &'static [Part],
    /// What it keeps, in folders that are its own for a call.
    pub state: AgentState,
    /// How it goes on in an earlier session; none where it cannot, or not in another folder.
    pub sessions: Option<Sessions>,
    /// What in the tree makes it run programs whatever its command line says: it is out of the tree
    /// while a coder works.
    pub set_aside: &'static [&'static str],
    /// The file with the repository's instructions, which its flags keep from it.
    instructions: Option<&'static str>,
    /// Variables that the program may have from the person's environment, keys among them; a final
    /// `*` stands for any ending.
    pub variables: &'static [&'static str],
    /// Providers that have variables of their own.
    providers: &'static [Provider],
    /// How its settings name further variables.
    named_by: Option<NamedBy>,
    /// Its own variables, of which no others pass than those that are listed; patterns as above.
    own_names: &'static [&'static str],
    /// Flags that people may add.
    flags: &'static [OwnFlag],
    /// Variables that are always set for it.
    settings: &'static [(&'static str, &'static str)],
    /// Variables that are set for it as a judge.
    judge_settings: &'static [(&'static str, &'static str)],
    /// How the prompt comes to the program.
    prompt: PromptBy,
    /// How a coder's summary comes to provost.
    answer: AnswerBy,
    /// Reads a judge's last message from the report.
    said: fn(&[u8]) -> Option<String>,
    /// How the report is read for what the call cost.
    report: Report,
    /// Exit codes that have a meaning besides failure.
    exits: &'static [(i32, Sign)],
    coder_support: Support,
    judge_support: Support,
    /// The version that was looked at, and when; nothing when none was.
    pub checked: Option<(&'static str, &'static str)>,
}

/// How a program tells, for free, whether it is logged in: by exiting with 0 or 1.
#[derive(Debug)]
struct LoginCheck {
    arguments: &'static [&'static str],
    /// What a person types to log in.
    mend: &'static str,
    /// Variables with a key that the program uses and does not count as a login.
    keys: &'static [&'static str],
    /// A key of its settings that leads to another provider, whose login it does not know.
    provider: Option<&'static str>,
}

/// A part of a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Word(&'static str),
    /// The model after this text, in one word; nothing when no model is named.
    Model(&'static str),
    /// The flags that people added.
    Added,
    /// A word for a call that goes on in an earlier session.
    Resuming(&'static str),
    /// The id of that session after this text, in one word.
    Session(&'static str),
    /// The prompt after this text, in one word.
    Prompt(&'static str),
    PromptFile,
    AnswerFile,
    /// The exchange folder after this text, in one word.
    Exchange(&'static str),
    /// What is left of the budget in dollars after this text, in one word; nothing where that has
    /// no limit.
    Usd(&'static str),
    /// The same in tokens, between these texts.
    Tokens(&'static str, &'static str),
    /// The tree as a JSON text, between these texts, in one word.
    Tree(&'static str, &'static str),
    /// One word inside a sandbox of provost's, another one outside.
    BySandbox {
        inside: &'static str,
        outside: &'static str,
    },
}

/// Whether the program runs in a sandbox of provost's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Inside,
    Outside,
}

/// How a prompt comes to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PromptBy {
    /// As an argument; one that is too long for that lies in a file that the agent is told to read.
    ArgumentOrFile,
    /// As an argument; one that is too long for that is standard input: the agent has no tool that
    /// reads a file wherever it runs.
    ArgumentOrInput,
    /// As standard input, because the program changes its arguments.
    Input,
}

/// How a coder's summary comes into its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerBy {
    /// The program writes its last message there by itself.
    Program,
    /// The prompt asks the agent to write it.
    Request,
    /// It does not: only the change counts.
    Nobody,
}

/// How far a program came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// It may have worked.
    Begun,
    /// It was to go on in an earlier session, and ended before it began.
    NotResumed,
}

/// The folders of one call.
#[derive(Clone, Copy, Debug)]
struct Paths<'a> {
    exchange: &'a Exchange,
    /// Where the program starts.
    cwd: &'a Path,
}

/// One of the presets, ready to be called.
#[derive(Debug)]
pub struct PresetAdapter {
    name: String,
    preset: &'static Preset,
    program: String,
    /// The model where a task names none.
    model: Option<String>,
    /// Flags that people added.
    args: Vec<String>,
    /// Variables that people added.
    variables: Vec<String>,
    keys: Keys,
}

/// What starts a program: its name, and what people added to its command line.
#[derive(Clone, Copy, Debug)]
struct Launch<'a> {
    program: &'a str,
    model: Option<&'a str>,
    args: &'a [String],
    /// The session that it goes on in.
    session: Option<&'a SessionId>,
}

/// How much of the output is looked at.
const LOOKED_AT: usize = 16 << 20;

impl Preset {
    /// The preset with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        table::ALL.iter().find(|it| it.name == name)
    }

    /// What a person types to log in, where the program can tell whether that is needed.
    pub fn mend_login(&self) -> Option<&'static str> {
        self.login.as_ref().map(|it| it.mend)
    }

    /// How far it is known to work in this role.
    pub fn support(&self, role: AgentRole) -> Support {
        match role {
            AgentRole::Coder => self.coder_support,
            AgentRole::Judge => self.judge_support,
        }
    }

    fn argv(
        &self,
        launch: Launch<'_>,
        request: &Request,
        paths: Paths<'_>,
        place: Place,
    ) -> Vec<String> {
        let Launch { program, model, args, session } = launch;
        let model = request.model.as_deref().or(model);
        let parts = match request.role {
            AgentRole::Coder => self.coder,
            AgentRole::Judge => self.judge,
        };
        let exchange = paths.exchange;
        let file = |name| path_text(&exchange.file(name));
        let one = |part: &Part| match part {
            Part::Word(word) => Some((*word).to_owned()),
            Part::Added => None,
            Part::Resuming(word) => session.map(|_| (*word).to_owned()),
            Part::Session(before) => session.map(|it| format!("{before}{it}")),
            Part::Model(before) => model.map(|it| format!("{before}{it}")),
            Part::Prompt(before) => {
                let prompt = prompt::argument(self, request, paths);
                Some(format!("{before}{prompt}"))
            }
            Part::PromptFile => Some(file(Exchange::PROMPT)),
            Part::AnswerFile => Some(file(Exchange::ANSWER)),
            Part::Exchange(before) => Some(format!("{before}{}", path_text(exchange.path()))),
            Part::Usd(before) => {
                let amount = |it: Usd| format!("{before}{}", Decimal::from(it));
                request.budget.usd.map(amount)
            }
            Part::Tokens(before, after) => {
                request.budget.tokens.map(|it| format!("{before}{it}{after}"))
            }
            Part::Tree(before, after) => {
                let tree = serde_json::Value::from(path_text(paths.cwd));
                Some(format!("{before}{tree}{after}"))
            }
            Part::BySandbox { inside, outside } => Some(match place {
                Place::Inside => (*inside).to_owned(),
                Place::Outside => (*outside).to_owned(),
            }),
        };
        let words = parts.iter().flat_map(|part| {
            if *part == Part::Added { args.to_vec() } else { one(part).into_iter().collect() }
        });
        std::iter::once(program.to_owned()).chain(words).collect()
    }

    /// The variables that are set for it in this role.
    fn settings_of(&self, role: AgentRole) -> impl Iterator<Item = (String, String)> {
        let more = match role {
            AgentRole::Coder => &[],
            AgentRole::Judge => self.judge_settings,
        };
        self.settings.iter().chain(more).map(|(name, it)| ((*name).to_owned(), (*it).to_owned()))
    }

    /// What the end of the program means, together with what it left and what it printed.
    fn meaning(
        &self,
        role: AgentRole,
        rc: i32,
        answer: Result<Vec<u8>, ReplyProblem>,
        facts: &Facts,
        start: Start,
    ) -> CallOutcome {
        let sign = self.exits.iter().find(|(code, _)| *code == rc).map(|(_, sign)| *sign);
        match (rc, sign.or(facts.sign)) {
            (0, _) => {}
            (127, _) => return Err(CallError::Missing),
            (_, Some(Sign::NotAuthorised)) => return Err(CallError::NotAuthorised),
            (_, Some(Sign::Quota)) => return Err(CallError::Quota { retry_after: None }),
            (_, Some(Sign::Budget)) => return Err(CallError::Budget),
            (_, None) if start == Start::NotResumed => {
                return Err(CallError::Failed(Failure::Session));
            }
            (rc, None) => return Err(CallError::Failed(Failure::Exit { rc })),
        }
        let text = match (answer, role) {
            (Ok(bytes), _) => String::from_utf8(bytes).map_err(|_| ReplyProblem::NotText),
            // What a coder has to say is in its change.
            (Err(ReplyProblem::Absent), AgentRole::Coder) => Ok(String::new()),
            (Err(problem), _) => Err(problem),
        };
        match text {
            Ok(text) => {
                let mut reply = Reply::new(role, text);
                reply.usage = facts.usage;
                reply.session.clone_from(&facts.session);
                Ok(reply)
            }
            Err(problem) => Err(CallError::Failed(Failure::Reply(problem))),
        }
    }
}

impl PresetAdapter {
    /// A preset under this name.
    pub fn new(name: &str, preset: &'static Preset) -> Self {
        Self {
            name: name.to_owned(),
            preset,
            program: preset.program.to_owned(),
            model: None,
            args: Vec::new(),
            variables: Vec::new(),
            keys: Keys::default(),
        }
    }

    /// Uses another program than the one in `PATH`.
    #[must_use]
    pub fn with_program(mut self, program: &str) -> Self {
        program.clone_into(&mut self.program);
        self
    }

    /// Uses this model where a task names none.
    #[must_use]
    pub fn with_model(mut self, model: Option<&str>) -> Self {
        self.model = model.map(str::to_owned);
        self
    }

    /// Adds flags and names of variables, which the caller has checked.
    #[must_use]
    pub fn with_additions(mut self, args: &[String], variables: &[String]) -> Self {
        self.args = args.to_vec();
        self.variables = variables.to_vec();
        self
    }

    /// Sets variables of the person's environment; only those that the preset names, or that were
    /// added before, are used.
    #[must_use]
    pub fn with_keys(mut self, mut keys: Keys) -> Self {
        keys.retain(|it| self.preset.may_pass(it) || self.variables.iter().any(|own| own == it));
        self.keys = keys;
        self
    }
}

impl Adapter for PresetAdapter {
    fn name(&self) -> &str {
        &self.name
    }

    fn files(&self, request: &Request, exchange: &Exchange) -> Vec<ExchangeFile> {
        let prompt = prompt::text(self.preset, request, exchange);
        let prompt = ExchangeFile { name: Exchange::PROMPT, bytes: prompt.into_bytes() };
        vec![ExchangeFile::request(request), prompt]
    }

    fn call(&self, call: Call<'_>) -> Result<CallResult, AdapterError> {
        let (request, exchange, preset) = (call.request, call.exchange, self.preset);
        exchange.refuse_answered()?;
        if preset.support(request.role).level == crate::support::Level::Unsupported {
            return Err(AdapterError::Role { adapter: self.name.clone(), role: request.role });
        }
        let mut log = begin(&self.name, "preset", request);
        log.note("preset", preset.name);
        log.note("support", preset.support(request.role).level.as_str());
        if request.temperature.is_some() {
            log.note("temperature", "not set: the program has no such setting");
        }

        let has_sandbox = call.workplace.sandbox.is_some();
        let place = if has_sandbox { Place::Inside } else { Place::Outside };
        let paths = Paths { exchange, cwd: call.workplace.tree };
        let resumed = call.resumed.filter(|it| {
            let sessions = preset.sessions.as_ref();
            // A judge begins anew each time.
            request.role == AgentRole::Coder && sessions.is_some_and(|of| of.accepts(it.session))
        });
        if let Some(Resumed { session, .. }) = resumed {
            log.note("session", session.as_str());
        }
        let launch = Launch {
            program: &self.program,
            model: self.model.as_deref(),
            args: &self.args,
            session: resumed.map(|it| it.session),
        };
        let argv = preset.argv(launch, request, paths, place);
        let input = prompt::input(preset, request, exchange);
        let set = preset.settings_of(request.role);
        let variables = set.chain(self.keys.environment()).collect();
        let fail = |source| AdapterError::Exec { adapter: self.name.clone(), source };
        let mut events = Events {
            report: preset.report,
            budget: &request.budget,
            account: Account::after(resumed.map(|it| it.spent).unwrap_or_default()),
            tree: call.workplace.tree,
            seen: call.seen,
            n_seen: 0,
        };
        let reader: Option<&mut dyn LineReader> = match preset.report {
            Report::Events(_) => Some(&mut events),
            Report::Document(_) | Report::Silent => None,
        };
        let ran = process::run(argv, input, variables, call, reader).map_err(fail)?;
        let Some(ran) = ran else {
            return Ok(cancelled(log));
        };
        log.note_outcome(&ran.outcome);

        let report = ran.stdout(LOOKED_AT);
        let account = events.account;
        let start = match resumed {
            Some(_) if !account.has_begun => Start::NotResumed,
            Some(_) | None => Start::Begun,
        };
        let mut facts = match preset.report {
            Report::Events(_) => account.facts,
            Report::Document(_) | Report::Silent => preset.report.facts(&report),
        };
        let answer = match request.role {
            AgentRole::Coder => exchange.read(Exchange::ANSWER),
            AgentRole::Judge => {
                (preset.said)(&report).map(String::into_bytes).ok_or(ReplyProblem::Absent)
            }
        };
        let raw_reply = answer.as_ref().ok().cloned();
        let outcome = match ran.ending() {
            Ending::Otherwise(outcome) => outcome,
            Ending::Exited(rc) => preset.meaning(request.role, rc, answer, &facts, start),
        };
        if outcome == Err(CallError::Budget) {
            facts.usage = at_least(facts.usage, &request.budget);
        }
        finish(&mut log, &outcome, facts.usage);
        Ok(CallResult {
            outcome,
            rc: ran.outcome.rc,
            usage: facts.usage,
            session: facts.session,
            session_usage: account.whole,
            raw_reply,
            log,
            wall: ran.outcome.wall,
            sandbox: ran.outcome.sandbox,
        })
    }
}

#[cfg(test)]
mod tests;
