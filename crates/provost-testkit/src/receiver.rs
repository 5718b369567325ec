//! What stands for a webhook or an ntfy server: it records what it gets and misbehaves by script.
//!
//! ```
//! use provost_testkit::{
//!     http,
//!     receiver::{Reception, Receiver},
//! };
//! use serde_json::json;
//!
//! let receiver = Receiver::start();
//! receiver.script([Reception::Status(500), Reception::Cut]);
//! let send = || http::post(&receiver.url("/hook"), &json!({"task": "t1"}));
//! assert_eq!(send().unwrap().status, 500);
//! assert!(send().is_err());
//! assert_eq!(send().unwrap().status, 200);
//! assert_eq!(receiver.requests()[2].json()["task"], "t1");
//! ```

use std::{
    collections::VecDeque,
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    time::Duration,
};

use crate::http::{Record, Reply, Request, Server, lock};

/// What the receiver does with one request, after it recorded it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reception {
    /// 200.
    Accept,
    /// This status, such as 500.
    Status(u16),
    /// 429 with `Retry-After` in seconds.
    RetryAfter(u64),
    /// Another address in `Location`, with 307.
    Redirect(String),
    /// Not a byte, until the client leaves.
    Hang,
    /// The start of an answer, then not a byte more.
    HangInBody,
    /// The end of the connection instead of an answer.
    Cut,
    /// The start of an answer, then the end of the connection.
    CutInBody,
    /// 200 with so many bytes.
    Body(usize),
}

/// A server that accepts everything unless its script says otherwise.
#[derive(Debug)]
pub struct Receiver {
    address: SocketAddr,
    state: Arc<State>,
    /// Nothing while its port is closed.
    server: Mutex<Option<Server>>,
}

/// A port of loopback where every connection is refused.
#[derive(Debug)]
pub struct ClosedPort {
    /// A connection from this port reserves it, without listening on it.
    connection: TcpStream,
    _listener: TcpListener,
}

#[derive(Debug)]
struct State {
    requests: Record<Request>,
    script: Mutex<VecDeque<Reception>>,
    usual: Mutex<Reception>,
}

impl Receiver {
    pub fn start() -> Self {
        let state = Arc::new(State {
            requests: Record::default(),
            script: Mutex::default(),
            usual: Mutex::new(Reception::Accept),
        });
        let of_server = Arc::clone(&state);
        let server = Server::start(move |request| of_server.receive(request));
        Self { address: server.address(), state, server: Mutex::new(Some(server)) }
    }

    /// The address of a path, such as `/hook`.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Adds what happens to the next requests, one each.
    pub fn script(&self, receptions: impl IntoIterator<Item = Reception>) {
        lock(&self.state.script).extend(receptions);
    }

    /// Sets what happens to every request that the script does not cover.
    pub fn always(&self, reception: Reception) {
        *lock(&self.state.usual) = reception;
    }

    /// Closes the port and ends every connection: clients are refused.
    pub fn close(&self) {
        drop(lock(&self.server).take());
    }

    /// Listens on the same port again.
    pub fn reopen(&self) {
        let mut server = lock(&self.server);
        if server.is_none() {
            let state = Arc::clone(&self.state);
            *server = Some(Server::start_at(self.address, move |request| state.receive(request)));
        }
    }

    /// Every request up to now, those included that were answered with a fault.
    pub fn requests(&self) -> Vec<Request> {
        self.state.requests.all()
    }

    /// Waits until the requests are as wanted, and returns them.
    ///
    /// # Panics
    /// When they are not after this time; the message lists them.
    #[track_caller]
    pub fn wait_for(
        &self,
        is_enough: impl Fn(&[Request]) -> bool,
        timeout: Duration,
    ) -> Vec<Request> {
        self.state.requests.wait_for(is_enough, timeout)
    }
}

impl ClosedPort {
    #[expect(clippy::expect_used, reason = "a test without its port cannot go on")]
    pub fn reserve() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let address = listener.local_addr().expect("an address");
        let connection = TcpStream::connect(address).expect("a connection on loopback");
        Self { connection, _listener: listener }
    }

    /// The address of a path, such as `/hook`.
    #[expect(clippy::expect_used, reason = "a test without its port cannot go on")]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.connection.local_addr().expect("an address"))
    }
}

impl State {
    fn receive(&self, request: Request) -> Reply {
        // First the script, so that a test that saw the request extends it for the next one.
        let scripted = lock(&self.script).pop_front();
        let reception = scripted.unwrap_or_else(|| lock(&self.usual).clone());
        self.requests.push(request);
        reply(reception)
    }
}

fn reply(reception: Reception) -> Reply {
    let body = b"{\"received\":true}".to_vec();
    let whole = |status, name: &str, value: String| Reply::Whole {
        status,
        headers: vec![(name.to_owned(), value)],
        body: Vec::new(),
    };
    match reception {
        Reception::Accept => Reply::Whole { status: 200, headers: Vec::new(), body },
        Reception::Status(status) => Reply::Whole { status, headers: Vec::new(), body: Vec::new() },
        Reception::RetryAfter(seconds) => whole(429, "Retry-After", seconds.to_string()),
        Reception::Redirect(to) => whole(307, "Location", to),
        Reception::Hang => Reply::Hang,
        Reception::HangInBody => Reply::HangInBody { status: 200, body },
        Reception::Cut => Reply::Cut,
        Reception::CutInBody => Reply::CutInBody { status: 200, body },
        Reception::Body(size) => {
            Reply::Whole { status: 200, headers: Vec::new(), body: vec![b' '; size] }
        }
    }
}
