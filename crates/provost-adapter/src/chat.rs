//! A model behind an OpenAI-compatible HTTP interface, as a judge.
//!
//! One `POST {base}/chat/completions` per try, to that address and no other: redirects are not
//! followed and no proxy is taken from the environment. The temperature that the log names is the
//! one in the body that was sent (LOOP-B3).

mod address;
mod retry;
mod wire;

use std::{
    sync::OnceLock,
    time::{Duration, Instant},
};

use secrecy::{ExposeSecret as _, SecretString};
use ureq::{Agent, tls::TlsConfig};

pub(crate) use self::wire::dollars;
use self::{
    address::Address,
    retry::{Step, Trouble},
    wire::{Body, Completion},
};
pub use self::{retry::Retries, wire::ResponseFormat};
use crate::{
    adapter::{Adapter, Call},
    called::{CallOutcome, Called, Failure},
    cancel::{Cancel, Target},
    command::{begin, finish},
    error::AdapterError,
    log::Log,
    reply::{Reply, Usage},
    request::{AgentRole, Request},
};

/// The most that a server may answer.
const BODY_CAP: u64 = 4 << 20;

/// How long a server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(20);

/// A model behind an OpenAI-compatible interface.
#[derive(Debug)]
pub struct ChatAdapter {
    name: String,
    address: Address,
    settings: ChatSettings,
    tls: OnceLock<Option<TlsConfig>>,
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

/// What one try came to.
enum Tried {
    /// An outcome that a repetition would not change.
    Final(CallOutcome, Usage),
    Trouble(Trouble),
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
        let bad = |problem| AdapterError::BadAddress { adapter: name.to_owned(), problem };
        let address = Address::parse(&settings.base).map_err(bad)?;
        if matches!(settings.key, ChatKey::FromVariable { .. }) {
            address.refuse_key_in_the_open().map_err(bad)?;
        }
        Ok(Self { name: name.to_owned(), address, settings, tls: OnceLock::new() })
    }

    /// Whether the model is on this machine, so that nothing leaves it.
    pub fn is_here(&self) -> bool {
        self.address.is_here()
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
        let model = request.model.as_ref().or(self.settings.model.as_ref());
        let model = model.ok_or_else(|| AdapterError::NoModel { adapter: adapter() })?;
        Ok(Body::new(model, temperature, self.settings.format, request))
    }

    /// An agent of its own for each call, so that ending one call ends no other.
    fn agent(&self) -> Result<Agent, AdapterError> {
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .user_agent("provost")
            .timeout_connect(Some(CONNECT));
        if self.address.is_encrypted() {
            let tls = self.tls.get_or_init(address::tls).clone();
            config = config.tls_config(
                tls.ok_or_else(|| AdapterError::NoCertificates { adapter: self.name.clone() })?,
            );
        }
        Ok(config.build().new_agent())
    }

    /// Asks until there is an outcome that stands.
    fn ask(
        &self,
        agent: &Agent,
        body: &[u8],
        deadline: Duration,
        cancel: &Cancel,
        log: &mut Log,
    ) -> (CallOutcome, Usage) {
        let started = Instant::now();
        let mut delays = self.settings.retries.delays();
        loop {
            let left = deadline.saturating_sub(started.elapsed());
            if left.is_zero() {
                return (CallOutcome::TimedOut, Usage::default());
            }
            let trouble = match self.post(agent, body, left, log) {
                // A request that was broken off looks like a failure of the network.
                _ if cancel.is_cancelled() => return (CallOutcome::Cancelled, Usage::default()),
                Tried::Final(outcome, usage) => return (outcome, usage),
                Tried::Trouble(trouble) => trouble,
            };
            let left = deadline.saturating_sub(started.elapsed());
            match retry::next(&trouble, delays.next(), left) {
                Step::Wait(wait) => {
                    log.note("wait_ms", wait.as_millis());
                    if !cancel.sleep(wait) {
                        return (CallOutcome::Cancelled, Usage::default());
                    }
                }
                Step::GiveUp => return (trouble.outcome(), Usage::default()),
            }
        }
    }

    /// One try.
    fn post(&self, agent: &Agent, body: &[u8], left: Duration, log: &mut Log) -> Tried {
        let mut post = agent
            .post(self.address.completions())
            .content_type("application/json")
            .config()
            .timeout_global(Some(left))
            .build();
        if let ChatKey::FromVariable { secret: Some(secret), .. } = &self.settings.key {
            post = post.header("Authorization", format!("Bearer {}", secret.expose_secret()));
        }
        let response = match post.send(body) {
            Ok(response) => response,
            Err(error) => return broken(error, log),
        };
        let status = response.status().as_u16();
        log.note("http_status", status);
        let headers = response.headers().clone();
        let read = response.into_body().into_with_config().limit(BODY_CAP).read_to_vec();
        let answer = match (read, status) {
            (Ok(answer), _) => answer,
            // What a refusal has to say is not worth a retry of its own.
            (Err(_), 400..) => Vec::new(),
            (Err(error), _) => return broken(error, log),
        };
        match status {
            200..=299 => match Completion::parse(&answer) {
                Ok(completion) => completion.tried(log),
                Err(cause) => {
                    let failed = CallOutcome::Failed(Failure::Body { cause });
                    Tried::Final(failed, Usage::default())
                }
            },
            _ => retry::refused(status, &headers, &answer, log),
        }
    }
}

impl Adapter for ChatAdapter {
    fn name(&self) -> &str {
        &self.name
    }

    fn call(&self, call: Call<'_>) -> Result<Called, AdapterError> {
        let Call { request, exchange: _, workplace: _, cancel } = call;
        self.ask_model(request, cancel)
    }
}

impl ChatAdapter {
    /// Carries out one request, for a caller that has neither a program nor a folder.
    pub fn ask_model(&self, request: &Request, cancel: &Cancel) -> Result<Called, AdapterError> {
        let body = self.body(request)?;
        let agent = self.agent()?;
        let started = Instant::now();
        let mut log = Log::default();
        begin(&mut log, &self.name, "chat", request);
        log.note("address", self.address.completions());
        body.note(&mut log);

        let held = cancel.hold(Target::Http(agent.clone()));
        let (outcome, usage) = if cancel.is_cancelled() {
            (CallOutcome::Cancelled, Usage::default())
        } else if let ChatKey::FromVariable { variable, secret: None } = &self.settings.key {
            log.note("key", format!("the variable {variable} is not set"));
            (CallOutcome::NotAuthorised, Usage::default())
        } else {
            self.ask(&agent, &body.bytes(), request.deadline(), cancel, &mut log)
        };
        drop(held);
        finish(&mut log, &outcome, usage);
        Ok(Called {
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
    fn tried(self, log: &mut Log) -> Tried {
        log.note("answered_by", self.model.as_deref().unwrap_or("-"));
        let usage = self.usage;
        let outcome = match self.text {
            Ok(text) => {
                let mut reply = Reply::new(AgentRole::Judge, text);
                reply.usage = usage;
                reply.model = self.model;
                CallOutcome::Answer(reply)
            }
            Err(reason) => CallOutcome::Failed(Failure::Unfinished { reason }),
        };
        Tried::Final(outcome, usage)
    }
}

/// What a request came to that got no whole answer.
#[expect(clippy::wildcard_enum_match_arm, reason = "the library's own enum, which may grow")]
fn broken(error: ureq::Error, log: &mut Log) -> Tried {
    use ureq::{Error, Timeout};

    log.note("http_error", &error);
    let outcome = match error {
        Error::Timeout(Timeout::Connect | Timeout::Resolve)
        | Error::Io(_)
        | Error::ConnectionFailed => return Tried::Trouble(Trouble::Broken(error.to_string())),
        Error::Timeout(_) => CallOutcome::TimedOut,
        Error::BodyExceedsLimit(_) => CallOutcome::Failed(Failure::BodyTooLarge),
        Error::Protocol(_) | Error::LargeResponseHeader(..) => {
            CallOutcome::Failed(Failure::Body { cause: error.to_string() })
        }
        other => CallOutcome::Failed(Failure::Unreachable { cause: other.to_string() }),
    };
    Tried::Final(outcome, Usage::default())
}
