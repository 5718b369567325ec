//! One address that is asked, with a key, until a reply comes or no retry is left.

use std::time::{Duration, Instant};

use provost_kernel::model::{FailureClass, ModelReply};
use provost_rules::retry::RetryPolicy;
use secrecy::{ExposeSecret as _, SecretString};
use ureq::Agent;

use super::{address::Address, refusal, wire};
use crate::{
    call_result::{CallError, Failure},
    cancel::{Cancel, Target},
    error::AdapterError,
    keys::ApiKey,
    log::Log,
};

/// The most that a server may answer.
const BODY_CAP: u64 = 4 << 20;

/// An HTTP client for the models at one address.
#[derive(Debug)]
pub(super) struct Client {
    address: Address,
    key: ApiKey,
    retry: RetryPolicy,
    /// One for all calls, so that a connection serves one call after another.
    agent: Agent,
}

/// How long is waited for a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeout {
    /// For all tries together, with the delays between them.
    Call(Duration),
    /// For each try.
    Try(Duration),
}

/// A try without a reply.
#[derive(Debug)]
pub(super) struct FailedTry {
    pub(super) class: FailureClass,
    /// The time after which the server wants to be asked again.
    pub(super) wanted: Option<Duration>,
    pub(super) error: CallError,
}

impl Timeout {
    /// The limits of a try and of all tries.
    fn limits(self, retries: u32) -> (Duration, Duration) {
        match self {
            Self::Call(all) => (all, all),
            Self::Try(each) => (each, each.saturating_mul(retries.saturating_add(1))),
        }
    }
}

impl FailedTry {
    /// A failure that the same request meets again.
    fn permanent(error: CallError) -> Self {
        Self { class: FailureClass::Permanent, wanted: None, error }
    }
}

impl Client {
    /// Refuses an address that could send a key where it should not go.
    pub(super) fn new(
        name: &str,
        base: &str,
        key: ApiKey,
        retry: RetryPolicy,
        connections: usize,
    ) -> Result<Self, AdapterError> {
        let bad = |problem| AdapterError::BadAddress { adapter: name.to_owned(), problem };
        let address = Address::parse(base).map_err(bad)?;
        if matches!(key, ApiKey::FromVariable { .. }) {
            address.refuse_key_in_the_open().map_err(bad)?;
        }
        let agent = provost_http::agent(address.destination(), |config| {
            config.max_idle_connections(connections).max_idle_connections_per_host(connections)
        });
        let none = |_| AdapterError::NoCertificates { adapter: name.to_owned() };
        Ok(Self { address, key, retry, agent: agent.map_err(none)? })
    }

    pub(super) fn is_here(&self) -> bool {
        self.address.is_here()
    }

    pub(super) fn completions(&self) -> &str {
        self.address.completions()
    }

    /// Asks until there is a reply, or a failure that no further try may change.
    pub(super) fn ask(
        &self,
        body: &[u8],
        timeout: Timeout,
        cancel: &Cancel,
        log: &mut Log,
    ) -> Result<ModelReply, CallError> {
        if cancel.is_cancelled() {
            return Err(CallError::Cancelled);
        }
        if let ApiKey::FromVariable { variable, secret: None } = &self.key {
            log.note("key", format!("the variable {variable} is not set"));
            return Err(CallError::NotAuthorised);
        }
        let _held = cancel.hold(Target::Http(self.agent.clone()));
        let started = Instant::now();
        let (each, all) = timeout.limits(self.retry.retries);
        let left = || all.saturating_sub(started.elapsed());
        for retried in 0.. {
            let time = left().min(each);
            if time.is_zero() {
                break;
            }
            let failed = match self.post(body, time, log) {
                // A request that was broken off looks like a failure of the network.
                _ if cancel.is_cancelled() => return Err(CallError::Cancelled),
                Ok(reply) => return Ok(reply),
                Err(failed) => failed,
            };
            let FailedTry { class, wanted, error } = failed;
            let Some(delay) = self.retry.delay(class, retried, wanted, left()) else {
                return Err(error);
            };
            log.note("wait_ms", delay.as_millis());
            if !cancel.sleep(delay) {
                return Err(CallError::Cancelled);
            }
        }
        Err(CallError::TimedOut)
    }

    /// One try.
    fn post(&self, body: &[u8], time: Duration, log: &mut Log) -> Result<ModelReply, FailedTry> {
        let mut post = self
            .agent
            .post(self.address.completions())
            .content_type("application/json")
            .config()
            .timeout_global(Some(time))
            .build();
        let key = match &self.key {
            ApiKey::FromVariable { secret, .. } => secret.as_ref().map(SecretString::expose_secret),
            ApiKey::NotNeeded => None,
        };
        if let Some(key) = key {
            post = post.header("Authorization", format!("Bearer {key}"));
        }
        let response = match post.send(body) {
            Ok(response) => response,
            Err(error) => return Err(broken(error, log)),
        };
        let status = response.status().as_u16();
        log.note("http_status", status);
        let headers = response.headers().clone();
        let read = response.into_body().into_with_config().limit(BODY_CAP).read_to_vec();
        let answer = match (read, status) {
            (Ok(answer), _) => answer,
            // What a refusal has to say is not worth a retry of its own.
            (Err(_), 400..) => Vec::new(),
            (Err(error), _) => return Err(broken(error, log)),
        };
        if !(200..=299).contains(&status) {
            return Err(refusal::refused(status, &headers, &answer, key, log));
        }
        let bad = |cause| FailedTry::permanent(CallError::Failed(Failure::Body { cause }));
        wire::reply(&answer).map_err(bad)
    }
}

/// What a request came to that got no whole answer.
#[expect(clippy::wildcard_enum_match_arm, reason = "the library's own enum, which may grow")]
fn broken(error: ureq::Error, log: &mut Log) -> FailedTry {
    use ureq::{Error, Timeout};

    log.note("http_error", &error);
    let unreachable =
        |it: &Error| CallError::Failed(Failure::Unreachable { cause: it.to_string() });
    match error {
        Error::Timeout(Timeout::Connect | Timeout::Resolve)
        | Error::Io(_)
        | Error::ConnectionFailed => {
            FailedTry { class: FailureClass::Transient, wanted: None, error: unreachable(&error) }
        }
        Error::Timeout(_) => {
            FailedTry { class: FailureClass::TimedOut, wanted: None, error: CallError::TimedOut }
        }
        Error::BodyExceedsLimit(_) => {
            FailedTry::permanent(CallError::Failed(Failure::BodyTooLarge))
        }
        Error::Protocol(_) | Error::LargeResponseHeader(..) => {
            FailedTry::permanent(CallError::Failed(Failure::Body { cause: error.to_string() }))
        }
        other => FailedTry::permanent(unreachable(&other)),
    }
}
