//! One server: the desk, the port, the keys, and the way of a request through the gates.

use std::{fmt, sync::Arc};

use axum::{
    body::{Body, to_bytes},
    http::{HeaderMap, Request, Response, StatusCode, header::CONTENT_TYPE},
};
use hyper::body::{Body as _, Incoming};
use provost_desk::{Desk, DeskError, Ports, TaskStamp, board::Board};
use provost_kernel::{Actor, Lang, Millis, Source, TaskId, shorten};
use serde_json::Value;
use tokio::{
    sync::Semaphore,
    task::spawn_blocking,
    time::{Instant, timeout_at},
};

use crate::{
    Connection, Launch, Listening, Stop,
    answer::{Answer, Ready},
    assets,
    chain::Chain,
    connections::Place,
    gate::{self, Hosts},
    headers,
    i18n::Catalogue,
    openapi,
    pages::{BoardStamp, Pages},
    pulse::Pulse,
    rate::Rate,
    refusal::{Own, Refusal},
    route::{Access, Asked, Effect, Handler, Method, Route},
    serve::TO_SEND,
    session::{Sessions, secret},
    stream, table,
    turns::Turns,
};

/// The longest body of a request.
const BODY: usize = 256 << 10;
/// Orders within a minute, for each person.
const ORDERS: usize = 60;
/// Whom requests without a key are counted for, all together.
const STRANGERS: &str = "";
/// Whom the requests of agents are counted for.
const AGENTS: &str = "\0";
/// Requests that are worked on or wait for a thread.
const AT_ONCE: usize = 256;
/// Event streams at once (ruling 94).
const STREAMS: usize = 256;

/// What a server is told when it starts.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Who sits here: the name in the audit.
    pub person: String,
    /// The name of the project's folder.
    pub project: String,
    pub version: String,
    pub lang: Lang,
    pub is_read_only: bool,
    /// Whether adapters that are partly supported may run.
    pub allow_partial_run: bool,
}

/// A server that knows its desk.
pub struct App {
    pub(crate) desk: Desk,
    pub(crate) board: Board,
    pub(crate) launch: Box<dyn Launch>,
    pub(crate) ports: Ports,
    pub(crate) setup: Setup,
    pub(crate) sessions: Sessions,
    pub(crate) started: Millis,
    pub(crate) openapi: Ready,
    pub(crate) catalogue: Catalogue,
    pub(crate) stop: Stop,
    pub(crate) pulse: Arc<Pulse>,
    /// Pages of the board as they were sent.
    pub(crate) pages: Pages<BoardStamp>,
    /// What was read of tasks.
    pub(crate) of_tasks: Pages<TaskStamp>,
    pub(crate) chain: Chain,
    pub(crate) turns: Turns,
    /// Room for event streams.
    pub(crate) streams: Arc<Semaphore>,
    token: String,
    hosts: Hosts,
    rate: Rate,
    room: Arc<Semaphore>,
}

impl App {
    pub fn new(
        desk: Desk,
        launch: Box<dyn Launch>,
        ports: Ports,
        setup: Setup,
    ) -> Result<Self, DeskError> {
        let token = secret();
        Ok(Self {
            board: Board::fill(desk.clone())?,
            started: desk.clock().millis(),
            sessions: Sessions::new(&token),
            openapi: openapi::document(&setup.version),
            catalogue: Catalogue::new(),
            stop: Stop::default(),
            pulse: Arc::new(Pulse::new()),
            pages: Pages::default(),
            of_tasks: Pages::default(),
            chain: Chain::default(),
            turns: Turns::default(),
            streams: Arc::new(Semaphore::new(STREAMS)),
            hosts: Hosts(Vec::new()),
            rate: Rate::new(ORDERS),
            room: Arc::new(Semaphore::new(AT_ONCE)),
            desk,
            launch,
            ports,
            setup,
            token,
        })
    }

    /// The token that a person trades for a key. It is nowhere else.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The same at its address; the token is forgotten, its digest stays.
    pub(crate) fn at(self, listening: &Listening, stop: &Stop) -> Self {
        let hosts = Hosts(listening.hosts());
        Self { hosts, stop: stop.clone(), token: String::new(), ..self }
    }

    /// Answers a request, whatever it is.
    pub(crate) async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        ends: Connection,
        place: &Place,
    ) -> Response<Body> {
        let mut response = match self.pass(request, ends, place).await {
            Ok(response) => response,
            Err(refusal) => refusal.response(),
        };
        headers::secure(response.headers_mut());
        response
    }

    async fn pass(
        self: Arc<Self>,
        request: Request<Incoming>,
        ends: Connection,
        place: &Place,
    ) -> Result<Response<Body>, Refusal> {
        let until = Instant::now() + TO_SEND;
        let (parts, body) = request.into_parts();
        self.hosts.check(&parts.uri, &parts.headers)?;
        self.hosts.check_origin(&parts.headers)?;
        let (path, method) = (parts.uri.path(), parts.method.as_str());
        if !path.starts_with("/api/") && path != "/api" {
            return assets::answer(&self.catalogue, method, path, &parts.headers);
        }
        let key = gate::key(&parts.headers);
        let is_known = key.is_some_and(|it| self.sessions.holds(it, self.desk.clock().millis()));
        let is_open = table::rows(path).any(|it| it.access == Access::Open);
        if !is_known && !is_open {
            return Err(Refusal::silent(StatusCode::UNAUTHORIZED));
        }
        let route = table::find(method, path)?;
        let is_open = route.access == Access::Open && route.method != Method::Get;
        let is_counted = route.effect == Effect::Writes || is_open;
        let agent = if is_counted { self.agent_at(ends).await? } else { None };
        if is_counted {
            // Neither an agent nor who has no key can use up what people need for their orders.
            let whose = match agent {
                Some(_) => AGENTS,
                None if is_known => self.setup.person.as_str(),
                None => STRANGERS,
            };
            self.limit(whose)?;
        }
        let bytes = timeout_at(until, read(body, &parts.headers))
            .await
            .map_err(|_| Own::TooSlow.with(StatusCode::REQUEST_TIMEOUT))??;
        let _work = place.work();
        if route.body.is_some() && !is_json(&parts.headers) {
            return Err(Own::NoJson.with(StatusCode::UNSUPPORTED_MEDIA_TYPE));
        }
        if route.effect == Effect::Writes && self.setup.is_read_only {
            self.record_refused(route, path, &bytes, "read_only").await;
            return Err(Own::ReadOnly.with(StatusCode::FORBIDDEN));
        }
        if let Some(program) = agent {
            self.record_refused(route, path, &bytes, "from_agent").await;
            return Err(Own::FromAgent { program }.with(StatusCode::FORBIDDEN));
        }
        let values = table::values(route, path, parts.uri.query())?;
        match route.handler {
            Handler::Stream => {
                let topics = values.get("topics").map(String::as_str).unwrap_or_default();
                let events = stream::open(Arc::clone(&self), topics, &parts.headers)?;
                place.stream();
                Ok(events)
            }
            Handler::Blocking(handler) => {
                let content = content(route, &bytes)?;
                let busy = || Own::Busy.with(StatusCode::SERVICE_UNAVAILABLE);
                let room = Arc::clone(&self.room).try_acquire_owned().map_err(|_| busy())?;
                let key = key.map(str::to_owned);
                let app = Arc::clone(&self);
                let answered = spawn_blocking(move || {
                    let _room = room;
                    let key = key.as_deref();
                    handler(&Asked { app: &self, values: &values, body: content, is_known, key })
                });
                // A handler that panicked says nothing about it.
                let failed = |_| Own::Unable.with(StatusCode::INTERNAL_SERVER_ERROR);
                let answer: Answer = match answered.await.map_err(failed)? {
                    Ok(answer) => answer,
                    Err(refusal) => {
                        if route.effect == Effect::Writes {
                            app.record_refused(route, path, &bytes, refusal.code()).await;
                        }
                        return Err(refusal);
                    }
                };
                Ok(answer.response(route.method == Method::Get, &parts.headers))
            }
        }
    }

    /// Looks at a task again that was just changed, so that who changed it sees it.
    pub(crate) fn refresh(&self, task: &TaskId) {
        // What cannot be looked at now is found by the sweep.
        if let Ok(Some(change)) = self.board.refresh(task) {
            self.pulse.tell(change);
        }
    }

    /// The agent that sends a request, perhaps with a person's key or token.
    async fn agent_at(self: &Arc<Self>, ends: Connection) -> Result<Option<String>, Refusal> {
        let app = Arc::clone(self);
        let looked = spawn_blocking(move || app.launch.agent(ends)).await;
        looked.map_err(|_| Own::Unable.with(StatusCode::INTERNAL_SERVER_ERROR))
    }

    /// Records a write that is refused, and by which code. What cannot be recorded is refused as well.
    async fn record_refused(
        self: &Arc<Self>,
        route: &'static Route,
        path: &str,
        bytes: &[u8],
        why: &str,
    ) {
        let values = table::values(route, path, None).unwrap_or_default();
        let subject =
            values.get("id").map_or_else(|| route.path.to_owned(), |it| format!("task:{it}"));
        let body: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let text = |key: &str| body.get(key).and_then(Value::as_str);
        let request_id = text("request_id").and_then(|it| it.parse().ok());
        let what = shorten(text("action").unwrap_or(route.method.as_str()));
        let (app, why) = (Arc::clone(self), why.to_owned());
        let recorded = spawn_blocking(move || {
            let actor = app.actor();
            app.desk.record_refused(actor, subject, request_id, (&what, &why))
        });
        let _ = recorded.await;
    }

    /// Who orders here, as the audit names them.
    pub(crate) fn actor(&self) -> Actor {
        Actor { source: Source::Web, id: self.setup.person.clone() }
    }

    /// Counts a request that can change something.
    fn limit(&self, whose: &str) -> Result<(), Refusal> {
        if self.rate.take(whose, self.desk.clock().millis()) {
            return Ok(());
        }
        Err(Own::TooMany { most: ORDERS }.with(StatusCode::TOO_MANY_REQUESTS))
    }
}

/// The body of a request, if it is not too long.
async fn read(body: Incoming, headers: &HeaderMap) -> Result<Vec<u8>, Refusal> {
    let too_large = || Own::TooLarge { most: BODY }.with(StatusCode::PAYLOAD_TOO_LARGE);
    let declared = headers.get("content-length").and_then(|it| it.to_str().ok()?.parse().ok());
    if declared.is_some_and(|it: u64| it > BODY as u64) {
        return Err(too_large());
    }
    if body.is_end_stream() {
        return Ok(Vec::new());
    }
    let bytes = to_bytes(Body::new(body), BODY).await.map_err(|_| too_large())?;
    Ok(bytes.into())
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

/// What a body says; nothing where the route takes none.
fn content(route: &Route, bytes: &[u8]) -> Result<Value, Refusal> {
    if route.body.is_none() {
        return Ok(Value::Null);
    }
    serde_json::from_slice(bytes).map_err(|error| {
        let why = error.to_string();
        Own::BadBody { why }.with(StatusCode::BAD_REQUEST)
    })
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("setup", &self.setup).finish_non_exhaustive()
    }
}
