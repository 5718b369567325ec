//! What a handler answers with, and the response that this becomes.

use axum::{
    body::Body,
    http::{
        HeaderMap, HeaderValue, Response, StatusCode,
        header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE},
    },
};
use serde::Serialize;
use serde_json::Value;

use crate::{
    etag,
    refusal::{Own, Refusal},
    wire,
};

/// What a handler found.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) content: Content,
}

pub(crate) enum Content {
    Json(Value),
    /// What was rendered before, with its validator.
    Ready(Ready),
    /// Plain text, as the original's logs.
    Text(String),
    Empty,
}

/// A body that does not change, with its validator.
#[derive(Clone)]
pub(crate) struct Ready {
    pub(crate) bytes: axum::body::Bytes,
    pub(crate) etag: HeaderValue,
}

impl Ready {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        let etag = etag::of(&bytes);
        Self { bytes: bytes.into(), etag }
    }

    /// A value as it travels.
    pub(crate) fn json(mut value: Value) -> Self {
        wire::rewrite(&mut value);
        Self::new(value.to_string().into_bytes())
    }
}

impl Answer {
    pub(crate) fn json(value: &impl Serialize) -> Result<Self, Refusal> {
        Self::with(StatusCode::OK, value)
    }

    pub(crate) fn with(status: StatusCode, value: &impl Serialize) -> Result<Self, Refusal> {
        let value = serde_json::to_value(value)
            .map_err(|_| Own::Unable.with(StatusCode::INTERNAL_SERVER_ERROR))?;
        Ok(Self { status, content: Content::Json(value) })
    }

    pub(crate) fn ready(ready: Ready) -> Self {
        Self { status: StatusCode::OK, content: Content::Ready(ready) }
    }

    pub(crate) fn text(text: String) -> Self {
        Self { status: StatusCode::OK, content: Content::Text(text) }
    }

    pub(crate) fn empty() -> Self {
        Self { status: StatusCode::NO_CONTENT, content: Content::Empty }
    }

    /// The response; the validator of the request decides whether it has a body.
    pub(crate) fn response(self, is_get: bool, request: &HeaderMap) -> Response<Body> {
        let (kind, ready) = match self.content {
            Content::Empty => return bare(self.status),
            Content::Json(value) => ("application/json", Ready::json(value)),
            Content::Ready(ready) => ("application/json", ready),
            Content::Text(text) => ("text/plain; charset=utf-8", Ready::new(text.into_bytes())),
        };
        if is_get && self.status == StatusCode::OK {
            return etag::conditional(request, ready, HeaderValue::from_static(kind), NO_STORE);
        }
        let mut response = Response::new(Body::from(ready.bytes));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(CACHE_CONTROL, NO_STORE);
        response
    }
}

/// The page keeps validators of its own.
pub(crate) const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

fn bare(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response.headers_mut().insert(CACHE_CONTROL, NO_STORE);
    response
}

impl Refusal {
    pub(crate) fn response(self) -> Response<Body> {
        let mut response = bare(self.status);
        if let Some(body) = self.body {
            *response.body_mut() = Body::from(body.to_string());
            let json = HeaderValue::from_static("application/json");
            response.headers_mut().insert(CONTENT_TYPE, json);
        }
        if self.status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer realm=\"provost\"");
            response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
        }
        if self.status == StatusCode::TOO_MANY_REQUESTS {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("60"));
        }
        if let Some(allow) = self.allow.and_then(|it| HeaderValue::from_str(&it).ok()) {
            response.headers_mut().insert(ALLOW, allow);
        }
        response
    }
}
