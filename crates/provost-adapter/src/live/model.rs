//! The model itself: a server on loopback that answers every client in its own protocol.

use std::{
    convert::Infallible,
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    sync::{Arc, Mutex, PoisonError},
    thread::JoinHandle,
};

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Path, State},
    http::{StatusCode, header::CONTENT_TYPE},
    response::{
        IntoResponse as _, Response,
        sse::{Event, Sse},
    },
    routing::post,
};
use futures_util::stream;
use serde_json::Value;
use tokio::{sync::oneshot, task::JoinSet};

use super::{
    anthropic,
    conversation::{Answer, Exchanged},
    gemini, responses,
};

/// More than any client sends before its first answer.
const REQUEST_LIMIT: usize = 64 << 20;

/// A model that plays its fixed conversation with every client. It is gone when this is dropped.
#[derive(Debug)]
pub struct ScriptedModel {
    address: SocketAddr,
    heard: Shared,
    /// Dropping it ends the server.
    stop: Option<oneshot::Sender<Infallible>>,
    thread: Option<JoinHandle<()>>,
}

/// What a model heard from a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// How many requests for something to say came.
    pub n_requests: usize,
    /// What came of each call, as far as the client told.
    pub results: Vec<String>,
}

type Shared = Arc<Mutex<Heard>>;

impl ScriptedModel {
    /// Starts a model at a free port of this machine, which only this machine can reach.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener)?
        };
        let heard = Shared::default();
        let router = router(Arc::clone(&heard));
        let (stop, stopped) = oneshot::channel::<Infallible>();
        let thread = std::thread::Builder::new().name("scripted model".to_owned());
        let thread = thread.spawn(move || {
            runtime.block_on(async {
                let mut serving = JoinSet::new();
                serving.spawn(async { axum::serve(listener, router).await });
                // Only the end of the sender is ever told. What is still open then is dropped.
                let _ = stopped.await;
            });
        })?;
        Ok(Self { address, heard, stop: Some(stop), thread: Some(thread) })
    }

    /// The address to which a client adds the paths of its protocol.
    pub fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What was heard so far.
    pub fn heard(&self) -> Heard {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A server that panicked is gone as well.
            let _ = thread.join();
        }
    }
}

fn router(heard: Shared) -> Router {
    Router::new()
        .route(
            "/v1/messages",
            post(async |heard, body| answer(heard, body, told(anthropic::messages))),
        )
        .route(
            "/v1/messages/count_tokens",
            post(async |heard, body| answer(heard, body, told(anthropic::count_tokens))),
        )
        .route(
            "/v1/responses",
            post(async |heard, body| answer(heard, body, told(responses::responses))),
        )
        .route(
            "/v1beta/models/{called}",
            post(async |Path(called): Path<String>, heard, body| {
                answer(heard, body, |request| gemini::call(&called, request))
            }),
        )
        .layer(DefaultBodyLimit::max(REQUEST_LIMIT))
        .with_state(heard)
}

/// A protocol whose address says everything.
fn told(reply: fn(&Value) -> Exchanged) -> impl FnOnce(&Value) -> Option<Exchanged> {
    move |request| Some(reply(request))
}

fn answer(
    State(heard): State<Shared>,
    body: Bytes,
    reply: impl FnOnce(&Value) -> Option<Exchanged>,
) -> Response {
    let Ok(request) = serde_json::from_slice::<Value>(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let Some(Exchanged { answer, results }) = reply(&request) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    {
        let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.n_requests += 1;
        // A request of the client's own, such as one for a title, tells less.
        if results.len() > heard.results.len() {
            heard.results = results;
        }
    }
    match answer {
        Answer::Document(document) => {
            ([(CONTENT_TYPE, "application/json")], document.to_string()).into_response()
        }
        Answer::Events(events) => {
            let events = events.into_iter().map(|(name, data)| {
                let event = Event::default().data(data.to_string());
                Ok::<_, Infallible>(name.into_iter().fold(event, Event::event))
            });
            Sse::new(stream::iter(events)).into_response()
        }
    }
}
