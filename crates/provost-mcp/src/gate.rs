//! What stands before the SDK over HTTP: the token, malformed messages, and the end of a call that
//! another request asks for.

use std::sync::Arc;

use axum::{
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{
        HeaderMap, HeaderValue, Method, StatusCode,
        header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE},
    },
    middleware::Next,
    response::Response,
};
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    calls::{Calls, SESSION},
    message::{self, LONGEST, Refusal},
};

/// The secret that every request over HTTP carries.
#[derive(Clone)]
pub struct Token(Arc<str>);

/// What a request has to pass.
#[derive(Clone)]
pub(crate) struct Gate {
    pub(crate) token: Token,
    pub(crate) calls: Calls,
}

impl Token {
    /// How many characters a token has at least.
    pub const SHORTEST: usize = 16;

    /// A token of visible ASCII characters; none if it is too short to be a secret.
    pub fn new(text: &str) -> Option<Self> {
        let is_token = text.len() >= Self::SHORTEST && text.bytes().all(|it| it.is_ascii_graphic());
        is_token.then(|| Self(text.into()))
    }

    /// Whether a header carries it. How long that takes does not tell where they differ.
    fn is_in(&self, headers: &HeaderMap) -> bool {
        let Some(value) = headers.get(AUTHORIZATION) else { return false };
        let bytes = value.as_bytes();
        let Some((scheme, given)) = bytes.split_at_checked("Bearer ".len()) else { return false };
        let (own, given) = (self.0.as_bytes(), given.trim_ascii());
        let differing = own.iter().zip(given).fold(0, |all, (one, other)| all | (one ^ other));
        scheme.eq_ignore_ascii_case(b"Bearer ") && own.len() == given.len() && differing == 0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(..)")
    }
}

/// Lets a request through, or answers it.
pub(crate) async fn pass(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    if !gate.token.is_in(request.headers()) {
        let mut response = answer(StatusCode::UNAUTHORIZED, &unauthorized());
        let scheme = HeaderValue::from_static("Bearer realm=\"provost\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
        return response;
    }
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, LONGEST).await else {
        return answer(StatusCode::PAYLOAD_TOO_LARGE, &Refusal::too_long().reply());
    };
    let message = match message::read(&bytes) {
        Ok(message) => message,
        Err(refusal) => return answer(StatusCode::BAD_REQUEST, &refusal.reply()),
    };
    gate.end_call(&parts.headers, &message);
    let is_first = is_handshake(&message);
    let mut response = next.run(Request::from_parts(parts, Body::from(bytes))).await;
    // The client says it with every later request. Nothing is kept here about it, so it outlives a
    // server that is started again.
    if let (true, true, Ok(session)) = (
        is_first,
        response.status().is_success(),
        HeaderValue::from_str(&Uuid::new_v4().to_string()),
    ) {
        response.headers_mut().insert(SESSION, session);
    }
    response
}

impl Gate {
    /// Cancels the call that a notification names.
    fn end_call(&self, headers: &HeaderMap, message: &ClientJsonRpcMessage) {
        let ClientJsonRpcMessage::Notification(it) = message else { return };
        let ClientNotification::CancelledNotification(cancelled) = &it.notification else { return };
        if let Some(id) = &cancelled.params.request_id {
            self.calls.cancel(session(headers), id);
        }
    }
}

/// The session that a client says it is in.
pub(crate) fn session(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION)?.to_str().ok()
}

fn is_handshake(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(it) = message else { return false };
    matches!(it.request, ClientRequest::InitializeRequest(_))
}

fn unauthorized() -> Value {
    let text = "the request has no valid token: send `Authorization: Bearer TOKEN`";
    let error = json!({"code": ErrorCode::INVALID_REQUEST.0, "message": text});
    json!({"jsonrpc": "2.0", "id": null, "error": error})
}

fn answer(status: StatusCode, value: &Value) -> Response {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    #[track_caller]
    fn check(value: &str, is_let_through: bool) {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        assert_eq!(Token::new(TOKEN).unwrap().is_in(&headers), is_let_through, "{value}");
    }

    #[test]
    fn only_the_whole_token_is_the_token() {
        check("Bearer 0123456789abcdef", true);
        check("bearer 0123456789abcdef", true);
        for value in [
            "",
            "Bearer",
            "Bearer ",
            "0123456789abcdef",
            "Basic 0123456789abcdef",
            "Bearer 0123456789abcde",
            "Bearer 0123456789abcdefg",
            "Bearer 0123456789ABCDEF",
            "Bearer 0123456789abcdee",
        ] {
            check(value, false);
        }
        assert!(!Token::new(TOKEN).unwrap().is_in(&HeaderMap::new()));
    }

    #[test]
    fn a_short_or_unprintable_text_is_no_token() {
        for text in ["", "short", "0123456789abcde", "0123456789 abcdef", "0123456789abcde\n"] {
            assert!(Token::new(text).is_none(), "{text:?}");
        }
    }
}
