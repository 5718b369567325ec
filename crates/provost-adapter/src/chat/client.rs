//! One address that is asked, with a key, until there is an outcome that stands.

use std::{
    sync::OnceLock,
    time::{Duration, Instant},
};

use secrecy::ExposeSecret as _;
use ureq::{Agent, tls::TlsConfig};

use super::{
    ChatKey, Retries,
    address::{self, Address},
    retry::{self, Step, Trouble},
    wire::Completion,
};
use crate::{
    call_result::{CallOutcome, Failure},
    cancel::Cancel,
    error::AdapterError,
    log::Log,
};

/// The most that a server may answer.
const BODY_CAP: u64 = 4 << 20;

/// How long a server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(20);

/// Who asks the models at one address.
#[derive(Debug)]
pub(crate) struct Client {
    name: String,
    address: Address,
    key: ChatKey,
    retries: Retries,
    tls: OnceLock<Option<TlsConfig>>,
}

/// How long is waited for an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// For one try.
    each: Duration,
    /// For all tries, with what is waited between them.
    all: Duration,
}

/// What one try came to.
pub(super) enum Tried {
    Completed(Completion),
    /// An outcome that a repetition would not change.
    Final(CallOutcome),
    Trouble(Trouble),
}

impl Patience {
    /// So long for everything.
    pub(crate) fn within(all: Duration) -> Self {
        Self { each: all, all }
    }

    /// So long for each try.
    pub(crate) fn each(each: Duration, retries: Retries) -> Self {
        let tries = u32::try_from(retries.times).unwrap_or(u32::MAX).saturating_add(1);
        Self { each, all: each.saturating_mul(tries) }
    }
}

impl Client {
    /// Refuses an address that could send a key where it should not go.
    pub(crate) fn new(
        name: &str,
        base: &str,
        key: ChatKey,
        retries: Retries,
    ) -> Result<Self, AdapterError> {
        let bad = |problem| AdapterError::BadAddress { adapter: name.to_owned(), problem };
        let address = Address::parse(base).map_err(bad)?;
        if matches!(key, ChatKey::FromVariable { .. }) {
            address.refuse_key_in_the_open().map_err(bad)?;
        }
        Ok(Self { name: name.to_owned(), address, key, retries, tls: OnceLock::new() })
    }

    pub(crate) fn is_here(&self) -> bool {
        self.address.is_here()
    }

    pub(crate) fn completions(&self) -> &str {
        self.address.completions()
    }

    /// An agent that keeps so many connections open between calls.
    pub(crate) fn agent(&self, connections: usize) -> Result<Agent, AdapterError> {
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .user_agent("provost")
            .max_idle_connections(connections)
            .max_idle_connections_per_host(connections)
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
    pub(crate) fn ask(
        &self,
        agent: &Agent,
        body: &[u8],
        patience: Patience,
        cancel: &Cancel,
        log: &mut Log,
    ) -> Result<Completion, Box<CallOutcome>> {
        if cancel.is_cancelled() {
            return Err(CallOutcome::Cancelled.into());
        }
        if let ChatKey::FromVariable { variable, secret: None } = &self.key {
            log.note("key", format!("the variable {variable} is not set"));
            return Err(CallOutcome::NotAuthorised.into());
        }
        let started = Instant::now();
        let left = || patience.all.saturating_sub(started.elapsed());
        let mut delays = self.retries.delays();
        loop {
            let time = left().min(patience.each);
            if time.is_zero() {
                return Err(CallOutcome::TimedOut.into());
            }
            let trouble = match self.post(agent, body, time, log) {
                // A request that was broken off looks like a failure of the network.
                _ if cancel.is_cancelled() => return Err(CallOutcome::Cancelled.into()),
                Tried::Completed(completion) => return Ok(completion),
                Tried::Final(outcome) => return Err(outcome.into()),
                Tried::Trouble(trouble) => trouble,
            };
            match retry::next(&trouble, delays.next(), left()) {
                Step::Wait(wait) => {
                    log.note("wait_ms", wait.as_millis());
                    if !cancel.sleep(wait) {
                        return Err(CallOutcome::Cancelled.into());
                    }
                }
                Step::GiveUp => return Err(trouble.outcome().into()),
            }
        }
    }

    /// One try.
    fn post(&self, agent: &Agent, body: &[u8], time: Duration, log: &mut Log) -> Tried {
        let mut post = agent
            .post(self.address.completions())
            .content_type("application/json")
            .config()
            .timeout_global(Some(time))
            .build();
        if let ChatKey::FromVariable { secret: Some(secret), .. } = &self.key {
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
                Ok(completion) => Tried::Completed(completion),
                Err(cause) => Tried::Final(CallOutcome::Failed(Failure::Body { cause })),
            },
            _ => retry::refused(status, &headers, &answer, log),
        }
    }
}

/// What a request came to that got no whole answer.
#[expect(clippy::wildcard_enum_match_arm, reason = "the library's own enum, which may grow")]
fn broken(error: ureq::Error, log: &mut Log) -> Tried {
    use ureq::{Error, Timeout};

    log.note("http_error", &error);
    Tried::Final(match error {
        Error::Timeout(Timeout::Connect | Timeout::Resolve)
        | Error::Io(_)
        | Error::ConnectionFailed => return Tried::Trouble(Trouble::Broken(error.to_string())),
        Error::Timeout(_) => CallOutcome::TimedOut,
        Error::BodyExceedsLimit(_) => CallOutcome::Failed(Failure::BodyTooLarge),
        Error::Protocol(_) | Error::LargeResponseHeader(..) => {
            CallOutcome::Failed(Failure::Body { cause: error.to_string() })
        }
        other => CallOutcome::Failed(Failure::Unreachable { cause: other.to_string() }),
    })
}
