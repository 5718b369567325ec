//! A webhook: JSON by POST, signed.

use std::{fmt::Write as _, sync::Arc};

use hmac::{Hmac, KeyInit as _, Mac as _};
use provost_http::{Destination, NoCertificates};
use provost_kernel::Clock;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;

use crate::{Channel, Delivery, DeliveryError, Payload, account, http::Receiver};

/// An address that takes messages as JSON.
pub struct Webhook {
    receiver: Receiver,
    secret: Option<SecretString>,
    clock: Arc<dyn Clock>,
}

impl Webhook {
    pub fn new(
        address: &str,
        destination: Destination,
        secret: Option<SecretString>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, NoCertificates> {
        let receiver = Receiver::new("webhook", address, destination)?;
        Ok(Self { receiver, secret, clock })
    }
}

impl Channel for Webhook {
    fn target(&self) -> &str {
        self.receiver.target()
    }

    fn account(&self) -> String {
        account(self.target(), self.receiver.address())
    }

    fn deliver(&self, delivery: &Delivery<'_>) -> Result<(), DeliveryError> {
        let payload = Payload::of(delivery);
        let body = payload.to_bytes();
        let mut headers = vec![("X-Provost-Delivery", payload.id.clone())];
        if let Some(secret) = &self.secret {
            let seconds = self.clock.millis().0 / 1000;
            let signed = signature(secret, seconds, &body);
            headers.push(("X-Provost-Signature", format!("t={seconds},v1={signed}")));
        }
        self.receiver.post(&body, &headers)
    }
}

/// HMAC-SHA256 over the time, a dot and the body, in hexadecimal: a recorded message cannot be sent again
/// later.
fn signature(secret: &SecretString, seconds: u64, body: &[u8]) -> String {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes()) else {
        // A key of any length is one.
        return String::new();
    };
    mac.update(seconds.to_string().as_bytes());
    mac.update(b".");
    mac.update(body);
    mac.finalize().into_bytes().iter().fold(String::new(), |mut text, it| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{it:02x}");
        text
    })
}

impl std::fmt::Debug for Webhook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Webhook").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of `printf '1700000000.{}' | openssl dgst -sha256 -hmac key`.
    #[test]
    fn a_signature_is_one_that_others_can_compute() {
        let made = signature(&SecretString::from("key"), 1_700_000_000, b"{}");
        assert_eq!(made, "9d713ed406bb7076d4123f0dc2c39d2df5c654ed4b0cd56b52c8b4c940bd63ae");
    }
}
