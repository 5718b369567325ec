//! A model that is a program: one process for each question, the question as JSON on its standard
//! input, the answer as JSON on its standard output.
//!
//! The answer is `{"text": …}`, and may say in `spent` what it cost. A program that does not end
//! with success has not answered, whatever it printed.

use std::{collections::BTreeMap, fmt, path::PathBuf, sync::Arc, time::Duration};

use provost_exec::{Ended, ExecError, Guardian, Job, Outcome, Streams, sandbox::Sandbox};
use provost_kernel::{
    Finding, Message as _,
    learn::{Answer, Spent},
    model::{Decode, Message, ModelReply, ModelRequest, Usage},
    task::Usd,
};
use serde::Serialize;

use super::{Model, ModelFailure, failure::Detail};
use crate::{
    call_result::{CallError, Failure},
    cancel::Cancel,
};

/// The command rules of the caller.
pub type CommandCheck = Arc<dyn Fn(&[String]) -> Result<(), Finding> + Send + Sync>;

/// A program that answers questions.
#[derive(Debug)]
pub struct CommandModel {
    settings: CommandModelSettings,
}

/// A program, and how it is kept.
#[derive(Clone)]
pub struct CommandModelSettings {
    /// The program and its arguments. There is no shell unless it names one.
    pub argv: Vec<String>,
    /// Where it starts: an absolute path.
    pub cwd: PathBuf,
    pub env: BTreeMap<String, String>,
    pub guardian: Guardian,
    pub sandbox: Option<Sandbox>,
    pub check: CommandCheck,
    pub timeout: Duration,
}

/// The most that a program may answer.
const ANSWER_CAP: u64 = 4 << 20;
/// How long a program has to end after it was asked to.
const GRACE: Duration = Duration::from_secs(2);
const SCHEMA: &str = "provost.learn.question/1";

/// What the program reads.
#[derive(Serialize)]
struct Asked<'a> {
    schema: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    messages: &'a [Message],
    decode: &'a Decode,
}

impl CommandModel {
    pub fn new(settings: CommandModelSettings) -> Self {
        Self { settings }
    }

    /// Runs the program to its end; what it printed, and how it ended.
    fn run(
        &self,
        request: &ModelRequest,
        cancel: &Cancel,
    ) -> Result<(Outcome, Vec<u8>), ExecError> {
        let CommandModelSettings { argv, cwd, env, guardian, sandbox, check, timeout } =
            &self.settings;
        let ModelRequest { model, messages, decode, format: _ } = request;
        let asked = Asked { schema: SCHEMA, model: model.as_deref(), messages, decode };
        // Plain texts and finite numbers always have a JSON form.
        let input = serde_json::to_string(&asked).unwrap_or_default();
        let mut job = Job::new(argv.iter().cloned(), cwd, *timeout).given(input);
        job.env.clone_from(env);
        job.sandbox.clone_from(sandbox);
        job.grace = GRACE;
        job.output_cap = ANSWER_CAP;
        let (streams, printed) = Streams::in_memory()?;
        let running = job.start(guardian, streams, &**check)?;
        // What it printed is read here, once, and kept nowhere: nothing needs to be taken out.
        let outcome = cancel.during(running.canceller(), || running.wait(&|it| it.into()))?;
        Ok((outcome, printed.read(ANSWER_CAP)?))
    }
}

impl Model for CommandModel {
    fn ask(&self, request: &ModelRequest, cancel: &Cancel) -> Result<ModelReply, ModelFailure> {
        let program = self.settings.argv.first().map_or("", String::as_str);
        let broken = |why| ModelFailure::broken(program, why);
        if cancel.is_cancelled() {
            return Err(ModelFailure::named(program, CallError::Cancelled));
        }
        let (outcome, printed) = self.run(request, cancel).map_err(|error| broken(error.text()))?;
        if let Some(error) = failure(&outcome) {
            return Err(ModelFailure::named(program, error));
        }
        if outcome.stdout_dropped > 0 {
            return Err(broken(Detail::TooLarge { mebibytes: ANSWER_CAP >> 20 }.text()));
        }
        let Answer { text, spent } = serde_json::from_slice(&printed)
            .map_err(|error| broken(Detail::Invalid { cause: error.to_string() }.text()))?;
        let usage = if spent == Spent::default() { Usage::default() } else { usage(spent) };
        Ok(ModelReply { text, usage, ..ModelReply::default() })
    }
}

/// What was counted, as a model reports it.
pub(super) fn usage(spent: Spent) -> Usage {
    Usage {
        input_tokens: Some(spent.prompt_tokens),
        output_tokens: Some(spent.completion_tokens),
        usd: Some(Usd::micros(spent.micro_usd)),
    }
}

/// How a program failed that did not end with success.
fn failure(outcome: &Outcome) -> Option<CallError> {
    let failed = |failure| Some(CallError::Failed(failure));
    match &outcome.ended {
        Ended::Exited if outcome.rc == 0 => None,
        Ended::Exited => failed(Failure::Exit { rc: outcome.rc }),
        Ended::Signalled { signal } => failed(Failure::Signal { signal: *signal }),
        Ended::LimitReached { reached } => {
            failed(Failure::NotExecutable { reason: reached.text().to_string() })
        }
        Ended::DeadlineReached => Some(CallError::TimedOut),
        Ended::Cancelled => Some(CallError::Cancelled),
        Ended::NotRun { reason } => failed(Failure::NotExecutable { reason: reason.clone() }),
    }
}

impl fmt::Debug for CommandModelSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The environment may hold keys.
        f.debug_struct("CommandModelSettings")
            .field("argv", &self.argv)
            .field("cwd", &self.cwd)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
