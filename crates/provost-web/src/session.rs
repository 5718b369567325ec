//! Who may ask: a token that is traded for keys. Only digests of either are kept.

use std::sync::{Mutex, MutexGuard, PoisonError};

use provost_kernel::{Digest, Millis, Timestamp};
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

/// For so long a key holds.
const HOURS: u64 = 12;
/// So many keys hold at a time; the oldest gives way.
const MOST: usize = 64;

/// The token of this server, and the keys that it was traded for.
pub(crate) struct Sessions {
    token: Digest,
    keys: Mutex<Vec<Key>>,
}

struct Key {
    digest: Digest,
    expires: Millis,
}

/// A new secret: two random numbers of 128 bits.
pub(crate) fn secret() -> String {
    let half = || Uuid::new_v4().simple().to_string();
    half() + &half()
}

impl Sessions {
    pub(crate) fn new(token: &str) -> Self {
        Self { token: Digest::of_bytes(token.as_bytes()), keys: Mutex::default() }
    }

    /// A key for the token, and until when it holds; none for another token.
    pub(crate) fn trade(&self, token: &str, now: Millis) -> Option<(String, Timestamp)> {
        if !is_same(self.token, Digest::of_bytes(token.as_bytes())) {
            return None;
        }
        let (key, expires) = (secret(), Millis(now.0 + HOURS * 3_600_000));
        let mut keys = self.keys();
        keys.retain(|it| it.expires > now);
        if keys.len() >= MOST {
            keys.remove(0);
        }
        keys.push(Key { digest: Digest::of_bytes(key.as_bytes()), expires });
        Some((key, expires.into()))
    }

    /// Whether a key holds now.
    pub(crate) fn holds(&self, key: &str, now: Millis) -> bool {
        let digest = Digest::of_bytes(key.as_bytes());
        // Every key is compared, so that the time does not tell which one it was.
        let same =
            self.keys().iter().filter(|it| is_same(it.digest, digest)).map(|it| it.expires).max();
        same.is_some_and(|expires| expires > now)
    }

    /// Ends a key.
    pub(crate) fn end(&self, key: &str) {
        let digest = Digest::of_bytes(key.as_bytes());
        self.keys().retain(|it| !is_same(it.digest, digest));
    }

    fn keys(&self) -> MutexGuard<'_, Vec<Key>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_same(one: Digest, other: Digest) -> bool {
    one.to_string().as_bytes().ct_eq(other.to_string().as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LOOP-A13: a key holds for 12 hours, or until it is ended; a token is no key.
    #[test]
    fn only_the_token_makes_a_key_and_a_key_ends() {
        let sessions = Sessions::new("token");
        assert!(sessions.trade("tokem", Millis(0)).is_none());
        assert!(sessions.trade("", Millis(0)).is_none());
        let (key, until) = sessions.trade("token", Millis(0)).unwrap();
        assert_eq!(until.to_string(), "1970-01-01T12:00:00Z");
        let last = Millis(12 * 3_600_000 - 1);
        assert!(sessions.holds(&key, Millis(0)) && sessions.holds(&key, last));
        assert!(!sessions.holds(&key, Millis(last.0 + 1)));
        assert!(!sessions.holds("token", Millis(0)));
        let (other, _) = sessions.trade("token", Millis(1)).unwrap();
        sessions.end(&key);
        assert!(!sessions.holds(&key, Millis(1)) && sessions.holds(&other, Millis(1)));
    }

    #[test]
    fn so_many_keys_hold_at_a_time() {
        let sessions = Sessions::new("token");
        let (first, _) = sessions.trade("token", Millis(0)).unwrap();
        for _ in 0..MOST {
            sessions.trade("token", Millis(0)).unwrap();
        }
        assert!(!sessions.holds(&first, Millis(0)));
    }
}
