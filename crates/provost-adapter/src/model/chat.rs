//! A model behind an OpenAI-compatible HTTP interface.
//!
//! One `POST {base}/chat/completions` per try, to that address and no other: redirects are not
//! followed and no proxy is taken from the environment. Connections stay open between calls.

mod address;
mod client;
mod refusal;
mod wire;

use std::time::Duration;

use provost_kernel::{
    Message as _, Text,
    model::{ModelReply, ModelRequest},
};
use provost_rules::retry::RetryPolicy;

pub use self::client::Timeout;
pub(crate) use self::wire::dollars;
use self::{client::Client, wire::Body};
use super::{Model, ModelFailure, failure::Detail};
use crate::{call_result::CallError, cancel::Cancel, error::AdapterError, keys::ApiKey, log::Log};

/// A model behind an OpenAI-compatible interface. Cancelling one call ends all: the model cannot be
/// used after that.
#[derive(Debug)]
pub struct ChatModel {
    client: Client,
    model: String,
    timeout: Timeout,
}

/// How a model is reached.
#[derive(Clone, Debug)]
pub struct ChatModelSettings {
    /// The address up to and without `/chat/completions`.
    pub base: String,
    /// The model, where the request names none.
    pub model: String,
    pub key: ApiKey,
    /// How many connections stay open between calls. With none, each call has its own: a server may
    /// close an idle one at any moment, and the next call on it would fail.
    pub connections: usize,
    pub timeout: Timeout,
    pub retry: RetryPolicy,
}

impl ChatModelSettings {
    /// A model at this address, without a key, as learning asks it.
    pub fn new(base: &str, model: &str) -> Self {
        Self {
            base: base.to_owned(),
            model: model.to_owned(),
            key: ApiKey::NotNeeded,
            connections: 1,
            timeout: Timeout::Try(Duration::from_mins(1)),
            retry: RetryPolicy::LEARNING,
        }
    }
}

impl ChatModel {
    /// Refuses an address that could send a key where it should not go.
    pub fn new(name: &str, settings: ChatModelSettings) -> Result<Self, AdapterError> {
        let ChatModelSettings { base, model, key, connections, timeout, retry } = settings;
        let client = Client::new(name, &base, key, retry, connections)?;
        Ok(Self { client, model, timeout })
    }

    /// Whether the model is on this machine, so that nothing leaves it.
    pub fn is_here(&self) -> bool {
        self.client.is_here()
    }

    /// Asks within a deadline of the call's own, and notes what was sent and answered.
    pub(crate) fn ask_logged(
        &self,
        request: &ModelRequest,
        timeout: Timeout,
        cancel: &Cancel,
        log: &mut Log,
    ) -> Result<ModelReply, CallError> {
        log.note("address", self.client.completions());
        let body = Body::new(&self.model, request);
        body.note(log);
        self.client.ask(&body.bytes(), timeout, cancel, log)
    }
}

impl Model for ChatModel {
    /// A reply that was cut off at the longest length is a reply: the caller looks at it.
    fn ask(&self, request: &ModelRequest, cancel: &Cancel) -> Result<ModelReply, ModelFailure> {
        let mut log = Log::default();
        self.ask_logged(request, self.timeout, cancel, &mut log)
            .map_err(|error| ModelFailure { detail: detail(&self.model, &error, &log), error })
    }
}

/// Why there is no reply, with what the server or the log notes about it.
fn detail(model: &str, error: &CallError, log: &Log) -> Text {
    let noted = |key: &str| log.lines().iter().rev().find_map(|it| it.strip_prefix(key));
    let (model, why) = (model.to_owned(), error.text());
    let notes = [noted("error_code="), log.quoted(), noted("key=")];
    let notes: Vec<&str> = notes.into_iter().flatten().collect();
    if notes.is_empty() {
        return Detail::Named { model, why }.text();
    }
    Detail::Noted { model, why, noted: notes.join(": ") }.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_sent_in_the_open() {
        let mut settings = ChatModelSettings::new("http://x.example/v1", "m");
        assert!(ChatModel::new("m", settings.clone()).is_ok());
        settings.key = ApiKey::FromVariable { variable: "K".to_owned(), secret: None };
        assert!(matches!(ChatModel::new("m", settings), Err(AdapterError::BadAddress { .. })));
    }
}
