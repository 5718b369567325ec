//! A model behind an OpenAI-compatible HTTP interface, as a judge.
//!
//! The temperature that the log names is the one in the body that was sent (LOOP-B3).

use std::time::Instant;

pub use provost_kernel::model::ResponseFormat;
use provost_kernel::model::{ModelReply, ModelRequest, Usage};
use provost_rules::retry::RetryPolicy;

use crate::{
    adapter::{Adapter, Call},
    call_log::{begin, finish},
    call_result::{CallError, CallOutcome, CallResult, Failure, protocol_rc},
    error::AdapterError,
    keys::ApiKey,
    log::Log,
    model::{ChatModel, ChatModelSettings, Timeout},
    reply::Reply,
    request::{AgentRole, Request},
};

/// A judge behind an OpenAI-compatible interface.
#[derive(Debug)]
pub struct ChatAdapter {
    name: String,
    chat: ChatModel,
    model: Option<String>,
    format: ResponseFormat,
}

/// How a judge is reached.
#[derive(Clone, Debug)]
pub struct ChatSettings {
    /// The address up to and without `/chat/completions`.
    pub base: String,
    /// The model, where the request names none.
    pub model: Option<String>,
    pub key: ApiKey,
    pub format: ResponseFormat,
    pub retry: RetryPolicy,
}

impl ChatSettings {
    /// A judge at this address, without a key.
    pub fn new(base: &str) -> Self {
        Self {
            base: base.to_owned(),
            model: None,
            key: ApiKey::NotNeeded,
            format: ResponseFormat::Text,
            retry: RetryPolicy::JUDGE,
        }
    }
}

impl ChatAdapter {
    /// Refuses an address that could send a key where it should not go.
    pub fn new(name: &str, settings: ChatSettings) -> Result<Self, AdapterError> {
        let ChatSettings { base, model, key, format, retry } = settings;
        let settings = ChatModelSettings::new(&base, "");
        let chat = ChatModelSettings { key, retry, connections: 0, ..settings };
        Ok(Self { name: name.to_owned(), chat: ChatModel::new(name, chat)?, model, format })
    }

    fn request(&self, request: &Request) -> Result<ModelRequest, AdapterError> {
        let adapter = || self.name.clone();
        match request.role {
            AgentRole::Judge => {}
            AgentRole::Coder => {
                return Err(AdapterError::Role { adapter: adapter(), role: request.role });
            }
        }
        if request.temperature.is_none() {
            return Err(AdapterError::NoTemperature { adapter: adapter() });
        }
        let model = request.model.as_ref().or(self.model.as_ref());
        let model = model.ok_or_else(|| AdapterError::NoModel { adapter: adapter() })?;
        let mut asked = ModelRequest::instruct(&request.prompt, &request.evidence);
        asked.model = Some(model.clone());
        asked.format = self.format;
        Ok(asked)
    }
}

impl Adapter for ChatAdapter {
    fn name(&self) -> &str {
        &self.name
    }

    fn call(&self, call: Call<'_>) -> Result<CallResult, AdapterError> {
        let Call { request, exchange: _, workplace: _, cancel, seen: _, resumed: _ } = call;
        let asked = self.request(request)?;
        let started = Instant::now();
        let mut log = begin(&self.name, "chat", request);
        let timeout = Timeout::Call(request.deadline());
        let (outcome, usage) = match self.chat.ask_logged(&asked, timeout, cancel, &mut log) {
            Ok(reply) => judged(reply, &mut log),
            Err(error) => (Err(error), Usage::default()),
        };
        finish(&mut log, &outcome, usage);
        Ok(CallResult {
            rc: protocol_rc(&outcome),
            usage,
            session: None,
            session_usage: Usage::default(),
            // As the file that a program would have left, so that a record of it has one shape.
            raw_reply: outcome.as_ref().ok().and_then(|it| serde_json::to_vec_pretty(it).ok()),
            outcome,
            log,
            wall: started.elapsed(),
            sandbox: None,
        })
    }
}

/// What a reply means for a judge: one that was cut off is none.
fn judged(reply: ModelReply, log: &mut Log) -> (CallOutcome, Usage) {
    let ModelReply { text, unfinished, model, usage } = reply;
    log.note("answered_by", model.as_deref().unwrap_or("-"));
    let outcome = match unfinished {
        None => Ok(Reply { usage, model, ..Reply::new(AgentRole::Judge, text) }),
        Some(reason) => Err(CallError::Failed(Failure::Unfinished { reason })),
    };
    (outcome, usage)
}
