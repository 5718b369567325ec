//! One POST, with limits.

use std::time::Duration;

use provost_http::{
    Destination, NoCertificates,
    ureq::{self, Agent},
};

use crate::{DeliveryError, DeliveryFailure};

/// How long a receiver may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// What is read of its answer.
const ANSWER: u64 = 16 * 1024;

/// A receiver of messages over HTTP.
#[derive(Debug)]
pub(crate) struct Receiver {
    target: String,
    address: String,
    agent: Agent,
}

impl Receiver {
    pub(crate) fn new(
        target: &str,
        address: &str,
        destination: Destination,
    ) -> Result<Self, NoCertificates> {
        let agent = provost_http::agent(destination, |it| it.timeout_global(Some(PATIENCE)))?;
        Ok(Self { target: target.to_owned(), address: address.to_owned(), agent })
    }

    pub(crate) fn target(&self) -> &str {
        &self.target
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Sends a body. Errors name the target, never the address, which can hold a secret.
    pub(crate) fn post(
        &self,
        body: &[u8],
        headers: &[(&str, String)],
    ) -> Result<(), DeliveryError> {
        let mut request = self.agent.post(&self.address).content_type("application/json");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let target = || self.target.clone();
        let response = request.send(body).map_err(|error| failure(target(), &error))?;
        let status = response.status().as_u16();
        let wanted = response.headers().get("retry-after");
        let wanted = wanted.and_then(|it| it.to_str().ok()?.parse().ok()).map(Duration::from_secs);
        // A receiver may count what it sent; what it says is not needed.
        let _ = response.into_body().into_with_config().limit(ANSWER).read_to_vec();
        if (200..=299).contains(&status) {
            return Ok(());
        }
        let failure = DeliveryFailure::Status { target: target(), status };
        Err(DeliveryError { retry_after: wanted, ..failure.into() })
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the library's own enum, which may grow")]
fn failure(target: String, error: &ureq::Error) -> DeliveryFailure {
    match error {
        ureq::Error::Timeout(_) => DeliveryFailure::TimedOut { target },
        ureq::Error::Io(error) => {
            DeliveryFailure::Unreachable { target, why: error.kind().to_string() }
        }
        ureq::Error::HostNotFound => {
            DeliveryFailure::Unreachable { target, why: "unknown host".to_owned() }
        }
        ureq::Error::Tls(why) => DeliveryFailure::Unreachable { target, why: (*why).to_owned() },
        // The text of another error can hold the address.
        _ => DeliveryFailure::Unreachable { target, why: "connection failed".to_owned() },
    }
}
