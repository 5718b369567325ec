//! A model behind an OpenAI-compatible HTTP interface, as a judge.
//!
//! One `POST {base}/chat/completions` per try, to that address and no other: redirects are not
//! followed and no proxy is taken from the environment. The temperature that the log names is the
//! one in the body that was sent (LOOP-B3).

mod address;
mod client;
mod retry;
mod wire;

use std::time::Instant;

use secrecy::SecretString;

use self::wire::Body;
pub(crate) use self::{
    client::{Client, Patience},
    wire::{Completion, dollars},
};
pub use self::{
    retry::Retries,
    wire::{ResponseFormat, Sampling},
};
use crate::{
    adapter::{Adapter, Call},
    call_log::{begin, finish},
    call_result::{CallOutcome, CallResult, Failure},
    cancel::{Cancel, Target},
    error::AdapterError,
    log::Log,
    reply::{Reply, Usage},
    request::{AgentRole, Request},
};

/// A model behind an OpenAI-compatible interface.
#[derive(Debug)]
pub struct ChatAdapter {
    name: String,
    client: Client,
    model: Option<String>,
    format: ResponseFormat,
}

/// How a model is reached.
#[derive(Clone, Debug)]
pub struct ChatSettings {
    /// The address up to and without `/chat/completions`.
    pub base: String,
    /// The model, where the request names none.
    pub model: Option<String>,
    pub key: ChatKey,
    pub format: ResponseFormat,
    pub retries: Retries,
}

/// The key of a provider. It is never printed.
#[derive(Clone, Debug)]
pub enum ChatKey {
    NotNeeded,
    /// It comes from this environment variable, which the caller has read.
    FromVariable {
        variable: String,
        secret: Option<SecretString>,
    },
}

impl ChatSettings {
    /// A model at this address, without a key.
    pub fn new(base: &str) -> Self {
        Self {
            base: base.to_owned(),
            model: None,
            key: ChatKey::NotNeeded,
            format: ResponseFormat::Text,
            retries: Retries::default(),
        }
    }
}

impl ChatAdapter {
    /// Refuses an address that could send a key where it should not go.
    pub fn new(name: &str, settings: ChatSettings) -> Result<Self, AdapterError> {
        let ChatSettings { base, model, key, format, retries } = settings;
        let client = Client::new(name, &base, key, retries)?;
        Ok(Self { name: name.to_owned(), client, model, format })
    }

    /// Whether the model is on this machine, so that nothing leaves it.
    pub fn is_here(&self) -> bool {
        self.client.is_here()
    }

    fn body(&self, request: &Request) -> Result<Body, AdapterError> {
        let adapter = || self.name.clone();
        match request.role {
            AgentRole::Judge => {}
            AgentRole::Coder => {
                return Err(AdapterError::Role { adapter: adapter(), role: request.role });
            }
        }
        let temperature = request
            .temperature
            .ok_or_else(|| AdapterError::NoTemperature { adapter: adapter() })?;
        let model = request.model.as_ref().or(self.model.as_ref());
        let model = model.ok_or_else(|| AdapterError::NoModel { adapter: adapter() })?;
        Ok(Body::new(model, temperature, self.format, request))
    }
}

impl Adapter for ChatAdapter {
    fn name(&self) -> &str {
        &self.name
    }

    fn call(&self, call: Call<'_>) -> Result<CallResult, AdapterError> {
        let Call { request, exchange: _, workplace: _, cancel } = call;
        self.ask_model(request, Sampling::default(), cancel)
    }
}

impl ChatAdapter {
    /// Carries out one request, for a caller that has neither a program nor a folder.
    pub fn ask_model(
        &self,
        request: &Request,
        sampling: Sampling,
        cancel: &Cancel,
    ) -> Result<CallResult, AdapterError> {
        let body = self.body(request)?.sampled(sampling);
        // An agent of its own for each call, so that ending one call ends no other.
        let agent = self.client.agent(1)?;
        let started = Instant::now();
        let mut log = begin(&self.name, "chat", request);
        log.note("address", self.client.completions());
        body.note(&mut log);

        let held = cancel.hold(Target::Http(agent.clone()));
        let patience = Patience::within(request.deadline());
        let asked = self.client.ask(&agent, &body.bytes(), patience, cancel, &mut log);
        let (outcome, usage) = match asked {
            Ok(completion) => completion.outcome(&mut log),
            Err(outcome) => (*outcome, Usage::default()),
        };
        drop(held);
        finish(&mut log, &outcome, usage);
        Ok(CallResult {
            rc: outcome.rc(),
            usage,
            session: None,
            raw_reply: raw(&outcome),
            outcome,
            log,
            wall: started.elapsed(),
            sandbox: None,
        })
    }
}

/// The reply as the file that a program would have left, so that a record of it has one shape.
fn raw(outcome: &CallOutcome) -> Option<Vec<u8>> {
    match outcome {
        CallOutcome::Answer(reply) => serde_json::to_vec_pretty(reply).ok(),
        CallOutcome::TimedOut
        | CallOutcome::NotAuthorised
        | CallOutcome::Quota { .. }
        | CallOutcome::Failed(_)
        | CallOutcome::Missing
        | CallOutcome::Cancelled => None,
    }
}

impl Completion {
    /// What it means for a judge: an answer that was cut off is none.
    fn outcome(self, log: &mut Log) -> (CallOutcome, Usage) {
        log.note("answered_by", self.model.as_deref().unwrap_or("-"));
        let usage = self.usage;
        let outcome = match self.unfinished {
            None => {
                let mut reply = Reply::new(AgentRole::Judge, self.text);
                reply.usage = usage;
                reply.model = self.model;
                CallOutcome::Answer(reply)
            }
            Some(reason) => CallOutcome::Failed(Failure::Unfinished { reason }),
        };
        (outcome, usage)
    }
}
