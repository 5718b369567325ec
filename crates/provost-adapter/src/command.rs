//! The command protocol: an adapter that is a program in any language.
//!
//! The program starts in the work tree, in a process group of its own, with standard input closed
//! and its output in files. `PROVOST_REQUEST` names the file to read, `PROVOST_REPLY` the file to
//! create, and the exit code says what that file means. What the program prints is never read.

use std::{collections::BTreeMap, time::Duration};

use provost_exec::{ExecError, remote::Remote};
use provost_kernel::model::Usage;

use crate::{
    adapter::{Adapter, Call},
    call_log::{begin, cancelled, finish},
    call_result::{CallError, CallOutcome, CallResult, Failure, RetryAfter},
    error::AdapterError,
    exchange::{Exchange, ExchangeFile, path_text},
    keys::Keys,
    process::{self, Ending},
    reply::{Reply, ReplyProblem},
    request::Request,
};

/// Names the request file.
pub const REQUEST_VARIABLE: &str = "PROVOST_REQUEST";
/// Names the reply file.
pub const REPLY_VARIABLE: &str = "PROVOST_REPLY";
/// Names the file for a coder's claim, where its task has a plan.
pub const CLAIM_VARIABLE: &str = "PROVOST_CLAIM";

/// A program that speaks the protocol.
#[derive(Debug)]
pub struct CommandAdapter {
    name: String,
    argv: Vec<String>,
    keys: Keys,
    remote: Option<Remote>,
}

impl CommandAdapter {
    /// A program with its arguments. There is no shell unless it names one.
    pub fn new(name: &str, argv: Vec<String>) -> Self {
        Self { name: name.to_owned(), argv, keys: Keys::default(), remote: None }
    }

    /// Sets variables that the program needs, such as a key. They are not sent to a far side.
    #[must_use]
    pub fn with_keys(mut self, keys: Keys) -> Self {
        self.keys = keys;
        self
    }

    /// Runs the program through an SSH alias (LOOP-A2).
    ///
    /// Work tree and exchange folder must have the same paths on both sides: another user of this
    /// machine, or a shared file system.
    #[must_use]
    pub fn at(mut self, remote: Remote) -> Self {
        self.remote = Some(remote);
        self
    }

    /// What is started: the program, or `ssh` with one command for the far side.
    fn command(&self, call: &Call<'_>) -> Result<Vec<String>, ExecError> {
        let Some(remote) = &self.remote else { return Ok(self.argv.clone()) };
        let mut words = vec!["env".to_owned()];
        for (name, path) in exchanged(call.exchange) {
            words.push(format!("{name}={path}"));
        }
        if let Some(path) = call.workplace.env.get(CLAIM_VARIABLE) {
            words.push(format!("{CLAIM_VARIABLE}={path}"));
        }
        words.extend(self.argv.iter().cloned());
        let tree = path_text(call.workplace.tree);
        // A NUL cannot be quoted; the job refuses the bare text by name.
        let bare = |words: &[String]| words.join(" ");
        let run = shlex::try_join(words.iter().map(String::as_str)).unwrap_or(bare(&words));
        let enter = shlex::try_quote(&tree).map_or(tree.clone(), Into::into);
        remote.argv(&format!("cd {enter} && exec {run}"), call.workplace.check)
    }
}

impl Adapter for CommandAdapter {
    fn name(&self) -> &str {
        &self.name
    }

    fn files(&self, request: &Request, _: &Exchange) -> Vec<ExchangeFile> {
        vec![ExchangeFile::request(request)]
    }

    fn call(&self, call: Call<'_>) -> Result<CallResult, AdapterError> {
        let (request, exchange) = (call.request, call.exchange);
        let fail = |source| AdapterError::Exec { adapter: self.name.clone(), source };
        exchange.refuse_answered()?;
        let mut log = begin(&self.name, "command", request);
        if let Some(temperature) = request.temperature {
            log.note("temperature", u8::from(temperature));
        }
        if let Some(remote) = &self.remote {
            log.note("remote", remote.alias());
        }

        let argv = self.command(&call).map_err(fail)?;
        let mut variables: BTreeMap<String, String> = exchanged(exchange).into_iter().collect();
        if self.remote.is_none() {
            variables.extend(self.keys.environment());
        }
        let Some(ran) = process::run(argv, None, variables, call, None).map_err(fail)? else {
            return Ok(cancelled(log));
        };
        log.note_outcome(&ran.outcome);

        let raw = exchange.read(Exchange::REPLY);
        let reply = match &raw {
            Ok(bytes) => Reply::parse(bytes, request.role),
            Err(problem) => Err(problem.clone()),
        };
        let usage = reply.as_ref().map_or_else(|_| Usage::default(), |it| it.usage);
        let session = reply.as_ref().ok().and_then(|it| it.session.clone());
        let outcome = match ran.ending() {
            Ending::Otherwise(outcome) => outcome,
            Ending::Exited(rc) => meaning(rc, reply),
        };
        finish(&mut log, &outcome, usage);
        Ok(CallResult {
            outcome,
            rc: ran.outcome.rc,
            usage,
            session,
            session_usage: Usage::default(),
            raw_reply: raw.ok(),
            log,
            wall: ran.outcome.wall,
            sandbox: ran.outcome.sandbox,
        })
    }
}

/// What an exit code means, together with what lies where the reply should be.
fn meaning(rc: i32, reply: Result<Reply, ReplyProblem>) -> CallOutcome {
    match rc {
        0 => match reply {
            Ok(reply) => Ok(reply),
            Err(problem) => Err(CallError::Failed(Failure::Reply(problem))),
        },
        75 => {
            let seconds = reply.ok().and_then(|it| it.retry_after_seconds);
            let retry_after = seconds.map(|it| RetryAfter::In(Duration::from_secs(it)));
            Err(CallError::Quota { retry_after })
        }
        124 => Err(CallError::TimedOut),
        127 => Err(CallError::Missing),
        195 => Err(CallError::NotAuthorised),
        rc => Err(CallError::Failed(Failure::Exit { rc })),
    }
}

/// The variables of the protocol.
fn exchanged(exchange: &Exchange) -> [(String, String); 2] {
    [(REQUEST_VARIABLE, Exchange::REQUEST), (REPLY_VARIABLE, Exchange::REPLY)]
        .map(|(variable, name)| (variable.to_owned(), path_text(&exchange.file(name))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::AgentRole;

    #[test]
    fn an_exit_code_means_what_the_protocol_says() {
        let reply = || Reply::new(AgentRole::Coder, "done".to_owned());
        let check = |rc: i32, expected: CallOutcome| {
            assert_eq!(meaning(rc, Ok(reply())), expected, "{rc}");
        };
        check(0, Ok(reply()));
        check(1, Err(CallError::Failed(Failure::Exit { rc: 1 })));
        check(75, Err(CallError::Quota { retry_after: None }));
        check(124, Err(CallError::TimedOut));
        check(126, Err(CallError::Failed(Failure::Exit { rc: 126 })));
        check(127, Err(CallError::Missing));
        check(195, Err(CallError::NotAuthorised));
        check(255, Err(CallError::Failed(Failure::Exit { rc: 255 })));

        let absent = || Err(ReplyProblem::Absent);
        assert_eq!(
            meaning(0, absent()),
            Err(CallError::Failed(Failure::Reply(ReplyProblem::Absent)))
        );
        assert_eq!(meaning(75, absent()), Err(CallError::Quota { retry_after: None }));
        let later = Reply { retry_after_seconds: Some(60), ..reply() };
        let retry_after = Some(RetryAfter::In(Duration::from_mins(1)));
        assert_eq!(meaning(75, Ok(later)), Err(CallError::Quota { retry_after }));
    }
}
