//! A Bot API server that answers as Telegram does until a script says otherwise.
//!
//! Updates follow the rules of `getUpdates`: they are delivered until a higher offset confirms them,
//! a poll without updates is held, and a second poll ends the first one with 409.

use std::{
    collections::{BTreeMap, VecDeque},
    net::SocketAddr,
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{Sender, limits, updates::Updates};
use crate::http::{Record, Reply, Request, Server, lock};

/// The bot's own id.
pub(super) const BOT_ID: i64 = 666;
const TOKEN: &str = "666:scripted-token-of-the-tests";
const HUGE: usize = 10_000_000;

/// What the server answers to one call.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// What Telegram answers when all is well, or refuses because of its limits.
    Usual,
    /// `{"ok": true, "result": …}`.
    Result(Value),
    /// 429 with `retry_after` in seconds.
    TooManyRequests { retry_after: u64 },
    /// 409: another instance polls.
    Conflict,
    /// 401: the token was revoked.
    Unauthorized,
    /// An error that Telegram itself reports, such as 400 or 403.
    Error { code: u16, description: String },
    /// A status with a page that is not JSON, as a proxy sends it.
    Status(u16),
    /// The call is read, and the connection ends.
    CutBefore,
    /// The call takes effect, and the connection ends in the middle of its answer.
    CutInBody,
    /// Not a byte, until the bot leaves.
    Hang,
    /// The start of an answer, then not a byte more.
    HangInBody,
    /// What Telegram answers, once [`ScriptedApi::release_held`] was called.
    Held,
    /// What Telegram answers, byte by byte.
    Drip,
    /// One byte after another, until the bot leaves.
    DripForever,
    /// 200 with JSON that breaks off.
    Garbage,
    /// 200 with a body of 10 MB.
    Huge,
}

/// One call as it was received.
#[derive(Clone, Debug)]
pub struct ApiRequest {
    pub method: String,
    pub token: String,
    /// The parameters; `null` where they are not JSON.
    pub body: Value,
    pub at: Instant,
}

/// A Bot API server on a free port of loopback.
///
/// ```
/// use std::time::Duration;
///
/// use provost_testkit::{
///     http,
///     telegram::{Answer, ScriptedApi, Sender},
/// };
/// use serde_json::json;
///
/// let api = ScriptedApi::start();
/// let call = |method: &str, body| http::post(&api.method_url(method), &body).unwrap();
///
/// // Updates are delivered until they are confirmed.
/// let id = api.add_message(&Sender::new(7, 7).language("zh-hans"), "/tasks");
/// let updates = call("getUpdates", json!({"timeout": 30})).json();
/// assert_eq!(updates["result"][0]["message"]["text"], "/tasks");
/// call("getUpdates", json!({"offset": id + 1}));
/// assert!(api.unconfirmed().is_empty());
///
/// // The first message hits the rate limit, the second is accepted.
/// api.script("sendMessage", [Answer::TooManyRequests { retry_after: 3 }]);
/// let message = json!({"chat_id": 7, "text": "hello"});
/// assert_eq!(call("sendMessage", message.clone()).status, 429);
/// assert_eq!(call("sendMessage", message).status, 200);
/// let sent = api.wait_for(|it| it.len() == 4, Duration::from_secs(30));
/// assert_eq!(sent[3].body["text"], "hello");
/// ```
#[derive(Debug)]
pub struct ScriptedApi {
    address: SocketAddr,
    state: Arc<State>,
    /// Nothing while its port is closed.
    server: Mutex<Option<Server>>,
}

#[derive(Debug, Default)]
struct State {
    requests: Record<ApiRequest>,
    script: Mutex<Script>,
    queue: Mutex<Queue>,
    queue_changed: Condvar,
}

#[derive(Debug, Default)]
struct Script {
    answers: BTreeMap<String, VecDeque<Answer>>,
    always: BTreeMap<String, Answer>,
    /// Overrides every method.
    everything: Option<Answer>,
    n_messages: i64,
}

#[derive(Debug, Default)]
struct Queue {
    updates: Updates,
    /// The number of the newest poll; an older one that still waits is ended.
    newest_poll: u64,
    /// How often waiting polls were released.
    n_releases: u64,
    n_user_messages: i64,
    /// Whether answers that were held go out.
    is_released: bool,
    is_over: bool,
}

impl ScriptedApi {
    pub fn start() -> Self {
        let state = Arc::new(State::default());
        let of_server = Arc::clone(&state);
        let server = Server::start(move |request| of_server.answer(&request));
        Self { address: server.address(), state, server: Mutex::new(Some(server)) }
    }

    /// The address in front of `/bot{token}/{method}`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The only token that is not answered with 401.
    pub fn token(&self) -> &'static str {
        TOKEN
    }

    /// The address of a method.
    pub fn method_url(&self, method: &str) -> String {
        format!("{}/bot{TOKEN}/{method}", self.url())
    }

    /// Adds the answers to the next calls of a method, one each.
    pub fn script(&self, method: &str, answers: impl IntoIterator<Item = Answer>) {
        let mut script = lock(&self.state.script);
        script.answers.entry(method.to_owned()).or_default().extend(answers);
    }

    /// Sets the answer to every call of a method that its script does not cover.
    pub fn always(&self, method: &str, answer: Answer) {
        lock(&self.state.script).always.insert(method.to_owned(), answer);
    }

    /// Answers every call of every method like this, before all scripts: a revoked token is
    /// [`Answer::Unauthorized`], an outage is [`Answer::CutBefore`]. [`Answer::Usual`] ends it.
    pub fn everything(&self, answer: Answer) {
        let is_usual = answer == Answer::Usual;
        lock(&self.state.script).everything = (!is_usual).then_some(answer);
        self.release_polls();
    }

    /// Closes the port and ends every connection, as a lost network does: the bot is refused.
    pub fn close(&self) {
        // A poll that waits would hold up the end of its thread.
        self.change(|it| it.is_over = true);
        drop(lock(&self.server).take());
    }

    /// Listens on the same port again.
    pub fn reopen(&self) {
        let mut server = lock(&self.server);
        if server.is_none() {
            self.change(|it| it.is_over = false);
            let state = Arc::clone(&self.state);
            *server = Some(Server::start_at(self.address, move |request| state.answer(&request)));
        }
    }

    /// Adds an update, such as one with forged data, and returns its id.
    pub fn add_update(&self, update: Value) -> i64 {
        self.change(|it| it.updates.add(update))
    }

    /// Adds a message of a person and returns the id of its update.
    pub fn add_message(&self, sender: &Sender, text: &str) -> i64 {
        self.change(|it| {
            it.n_user_messages += 1;
            let message = sender.message(it.n_user_messages, text);
            it.updates.add(message)
        })
    }

    /// Adds a press of a button below a message and returns the id of its update.
    pub fn add_press(&self, sender: &Sender, message_id: i64, data: &str) -> i64 {
        self.change(|it| it.updates.add(sender.press(message_id, data)))
    }

    /// Delivers an update once more with the next poll, also when it was confirmed.
    pub fn replay(&self, update_id: i64) {
        self.change(|it| it.updates.replay(update_id));
    }

    /// Delivers each update of the next delivery twice.
    pub fn double_next(&self) {
        self.change(|it| it.updates.double_next());
    }

    /// Delivers the next updates with the newest first.
    pub fn reverse_next(&self) {
        self.change(|it| it.updates.reverse_next());
    }

    /// Lets every answer go out that was or will be held.
    pub fn release_held(&self) {
        self.change(|it| it.is_released = true);
    }

    /// Answers polls that wait, without updates.
    pub fn release_polls(&self) {
        self.change(|it| it.n_releases += 1);
    }

    /// The ids of the updates that no offset confirmed yet.
    pub fn unconfirmed(&self) -> Vec<i64> {
        lock(&self.state.queue).updates.unconfirmed()
    }

    /// Waits until the bot confirmed an update.
    ///
    /// # Panics
    /// When it did not within this time.
    #[track_caller]
    pub fn wait_until_confirmed(&self, update_id: i64, timeout: Duration) {
        let end = Instant::now() + timeout;
        let mut queue = lock(&self.state.queue);
        while queue.updates.unconfirmed().contains(&update_id) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "update {update_id} is not confirmed after {timeout:?}");
            let waited = self.state.queue_changed.wait_timeout(queue, left);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Every call up to now, those included that were answered with a fault.
    pub fn requests(&self) -> Vec<ApiRequest> {
        self.state.requests.all()
    }

    /// The calls of one method.
    pub fn calls(&self, method: &str) -> Vec<ApiRequest> {
        self.requests().into_iter().filter(|it| it.method == method).collect()
    }

    /// Waits until the calls are as wanted, and returns them.
    ///
    /// # Panics
    /// When they are not after this time; the message lists them.
    #[track_caller]
    pub fn wait_for(
        &self,
        is_enough: impl Fn(&[ApiRequest]) -> bool,
        timeout: Duration,
    ) -> Vec<ApiRequest> {
        self.state.requests.wait_for(is_enough, timeout)
    }

    /// Waits for so many calls of one method and returns all of them.
    ///
    /// # Panics
    /// When there are fewer after this time; the message lists all calls.
    #[track_caller]
    pub fn wait_for_calls(&self, method: &str, count: usize, timeout: Duration) -> Vec<ApiRequest> {
        let of_method = |it: &&ApiRequest| it.method == method;
        self.wait_for(|all| all.iter().filter(of_method).count() >= count, timeout);
        self.calls(method)
    }

    fn change<T>(&self, change: impl FnOnce(&mut Queue) -> T) -> T {
        let value = change(&mut lock(&self.state.queue));
        self.state.queue_changed.notify_all();
        value
    }
}

impl Drop for ScriptedApi {
    fn drop(&mut self) {
        self.close();
    }
}

impl State {
    fn answer(&self, request: &Request) -> Reply {
        let path = request.path.split('?').next().unwrap_or_default();
        let Some((token, method)) = path.strip_prefix("/bot").and_then(|it| it.split_once('/'))
        else {
            return error(404, "Not Found", json!({}));
        };
        let body = if request.body.is_empty() { json!({}) } else { request.json() };
        // First the script, so that a test that saw the call extends it for the next one.
        let answer = self.next(method);
        self.requests.push(ApiRequest {
            method: method.to_owned(),
            token: token.to_owned(),
            body: body.clone(),
            at: request.at,
        });
        if token != TOKEN {
            return reply(Answer::Unauthorized, Vec::new);
        }
        match answer {
            Answer::Usual => self.usual(method, &body),
            Answer::Held => {
                self.wait_for_release();
                self.usual(method, &body)
            }
            other @ (Answer::Result(_)
            | Answer::TooManyRequests { .. }
            | Answer::Conflict
            | Answer::Unauthorized
            | Answer::Error { .. }
            | Answer::Status(_)
            | Answer::CutBefore
            | Answer::CutInBody
            | Answer::Hang
            | Answer::HangInBody
            | Answer::Drip
            | Answer::DripForever
            | Answer::Garbage
            | Answer::Huge) => reply(other, || match self.usual(method, &body) {
                Reply::Whole { body, .. } => body,
                Reply::Cut
                | Reply::CutInBody { .. }
                | Reply::Hang
                | Reply::HangInBody { .. }
                | Reply::Drip { .. }
                | Reply::DripForever => Vec::new(),
            }),
        }
    }

    fn next(&self, method: &str) -> Answer {
        let mut script = lock(&self.script);
        if let Some(answer) = &script.everything {
            return answer.clone();
        }
        let scripted = script.answers.get_mut(method).and_then(VecDeque::pop_front);
        scripted.or_else(|| script.always.get(method).cloned()).unwrap_or(Answer::Usual)
    }

    fn usual(&self, method: &str, body: &Value) -> Reply {
        match method {
            "getUpdates" => self.poll(body),
            "getMe" => ok(&me()),
            "sendMessage" | "editMessageText" => match limits::check(body) {
                Ok(()) => ok(&self.message(method, body)),
                Err(description) => error(400, &description, json!({})),
            },
            _ => ok(&json!(true)),
        }
    }

    /// The message that a call made or changed.
    fn message(&self, method: &str, body: &Value) -> Value {
        let mut script = lock(&self.script);
        let message_id = if method == "sendMessage" {
            script.n_messages += 1;
            json!(script.n_messages)
        } else {
            body["message_id"].clone()
        };
        json!({
            "message_id": message_id,
            "from": me(),
            "chat": {"id": body["chat_id"], "type": "private"},
            "date": 1_700_000_000,
            "text": body["text"],
        })
    }

    fn wait_for_release(&self) {
        let mut queue = lock(&self.queue);
        while !queue.is_released && !queue.is_over {
            queue = self.queue_changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Holds a poll until there is an update, its time is over, or another poll came.
    fn poll(&self, body: &Value) -> Reply {
        let seconds = body["timeout"].as_u64().unwrap_or(0);
        let end = Instant::now() + Duration::from_secs(seconds);
        let mut queue = lock(&self.queue);
        queue.newest_poll += 1;
        let (own, n_releases) = (queue.newest_poll, queue.n_releases);
        if let Some(offset) = body["offset"].as_i64() {
            queue.updates.confirm(offset);
        }
        self.queue_changed.notify_all();
        loop {
            if queue.newest_poll != own {
                return reply(Answer::Conflict, Vec::new);
            }
            let left = end.saturating_duration_since(Instant::now());
            let is_released = queue.is_over || queue.n_releases != n_releases;
            if queue.updates.has_some() || is_released || left.is_zero() {
                return ok(&json!(queue.updates.deliver(body["limit"].as_u64())));
            }
            let waited = self.queue_changed.wait_timeout(queue, left);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

fn me() -> Value {
    json!({
        "id": BOT_ID, "is_bot": true, "first_name": "provost", "username": "provost_test_bot",
    })
}

fn ok(result: &Value) -> Reply {
    Reply::json(200, &json!({"ok": true, "result": result}))
}

fn error(code: u16, description: &str, parameters: Value) -> Reply {
    let mut body = json!({"ok": false, "error_code": code, "description": description});
    if parameters != json!({}) {
        body["parameters"] = parameters;
    }
    Reply::json(code, &body)
}

/// The reply to a call; its usual body is made only where a part of it is sent.
fn reply(answer: Answer, usual: impl FnOnce() -> Vec<u8>) -> Reply {
    let whole =
        |status, body: &[u8]| Reply::Whole { status, headers: Vec::new(), body: body.to_vec() };
    match answer {
        Answer::Usual | Answer::Held => whole(200, &usual()),
        Answer::Result(result) => ok(&result),
        Answer::TooManyRequests { retry_after } => {
            let description = format!("Too Many Requests: retry after {retry_after}");
            error(429, &description, json!({"retry_after": retry_after}))
        }
        Answer::Conflict => {
            let description = "Conflict: terminated by other getUpdates request; make sure that \
                               only one bot instance is running";
            error(409, description, json!({}))
        }
        Answer::Unauthorized => error(401, "Unauthorized", json!({})),
        Answer::Error { code, description } => error(code, &description, json!({})),
        Answer::Status(status) => whole(status, b"<html><h1>an error page</h1></html>"),
        Answer::CutBefore => Reply::Cut,
        Answer::CutInBody => Reply::CutInBody { status: 200, body: usual() },
        Answer::Hang => Reply::Hang,
        Answer::HangInBody => Reply::HangInBody { status: 200, body: usual() },
        Answer::Drip => Reply::Drip { status: 200, body: usual() },
        Answer::DripForever => Reply::DripForever,
        Answer::Garbage => whole(200, b"{\"ok\": true, \"result\": [{\"upd"),
        Answer::Huge => whole(200, &vec![b' '; HUGE]),
    }
}
