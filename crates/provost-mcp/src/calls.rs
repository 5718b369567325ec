//! The calls that are under way over HTTP, so that a notification of another request can end one.
//!
//! A request over HTTP has no connection of its own to the next one. A client of the older lifecycle
//! says what it no longer wants in a request of its own, and names the call by its id, which another
//! client may use too; so a call is also known by the session that its client was given.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio_util::sync::CancellationToken;

/// The header by which a client says which session it is in.
pub(crate) const SESSION: &str = "mcp-session-id";

/// The calls under way. Its clones are one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls(Arc<Mutex<Vec<Call>>>);

#[derive(Debug)]
struct Call {
    session: Option<String>,
    id: RequestId,
    token: CancellationToken,
}

/// A call that is under way until this is dropped.
#[derive(Debug)]
pub(crate) struct UnderWay {
    calls: Calls,
    token: CancellationToken,
}

impl Calls {
    pub(crate) fn begin(
        &self,
        session: Option<&str>,
        id: RequestId,
        token: &CancellationToken,
    ) -> UnderWay {
        let session = session.map(str::to_owned);
        // A token of its own, since two of them cannot be told apart.
        let token = token.child_token();
        self.list().push(Call { session, id, token: token.clone() });
        UnderWay { calls: self.clone(), token }
    }

    /// Ends the call of this session with this id; whether there was one. Without a session it has
    /// to be the only one with this id: another client's call is not ended.
    pub(crate) fn cancel(&self, session: Option<&str>, id: &RequestId) -> bool {
        let calls = self.list();
        let mut named = calls.iter().filter(|it| it.id == *id && it.session.as_deref() == session);
        match (named.next(), named.next()) {
            (Some(call), None) => {
                call.token.cancel();
                true
            }
            (Some(_), Some(_)) | (None, _) => false,
        }
    }

    fn list(&self) -> MutexGuard<'_, Vec<Call>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UnderWay {
    /// Cancelled when the call is, from whichever side.
    pub(crate) fn token(&self) -> CancellationToken {
        self.token.clone()
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        // A cancelled token is not looked at again; the other one is this.
        let this = &self.token;
        this.cancel();
        self.calls.list().retain(|it| !it.token.is_cancelled());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: i64) -> RequestId {
        RequestId::Number(number)
    }

    #[test]
    fn a_call_is_ended_by_its_own_session_alone() {
        let (calls, parent) = (Calls::default(), CancellationToken::new());
        let (first, second) =
            (calls.begin(Some("a"), id(5), &parent), calls.begin(Some("b"), id(5), &parent));
        assert!(!calls.cancel(Some("c"), &id(5)) && !calls.cancel(Some("a"), &id(6)));
        assert!(!calls.cancel(None, &id(5)));
        assert!(calls.cancel(Some("b"), &id(5)));
        assert!(!first.token().is_cancelled() && second.token().is_cancelled());
        assert!(!parent.is_cancelled());
    }

    #[test]
    fn without_a_session_only_the_one_call_is_ended() {
        let (calls, parent) = (Calls::default(), CancellationToken::new());
        let first = calls.begin(None, id(5), &parent);
        let second = calls.begin(None, id(5), &parent);
        assert!(!calls.cancel(None, &id(5)));
        drop(second);
        assert!(calls.cancel(None, &id(5)) && first.token().is_cancelled());
        drop(first);
        assert!(calls.list().is_empty());
    }
}
