//! The real `provost serve` over a world, and a client that sends exactly what is written here.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, ExitStatus, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{loop_live::until, loop_world::Loop};

/// A server that is up.
pub(crate) struct Served<'a> {
    it: &'a Loop,
    child: Child,
    pub(crate) address: String,
    pub(crate) token: String,
    pub(crate) key: String,
    /// What was seen when each request was sent first.
    sent: RefCell<BTreeMap<String, Value>>,
}

/// What it answered.
#[derive(Clone, Debug)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

/// An open event stream.
pub(crate) struct Events(BufReader<TcpStream>);

/// One event.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) id: String,
    pub(crate) event: String,
    pub(crate) data: Value,
}

impl<'a> Served<'a> {
    pub(crate) fn start(it: &'a Loop, arguments: &[&str]) -> Self {
        let mut served = Self::silent(it, "127.0.0.1:0", &[&["--unguarded"], arguments].concat());
        served.key = served.session();
        served
    }

    /// One that lets nothing run whose guard was not tested, until it is restarted.
    pub(crate) fn guarded(it: &'a Loop) -> Self {
        let mut served = Self::silent(it, "127.0.0.1:0", &[]);
        served.key = served.session();
        served
    }

    /// A server that nobody has a key of.
    fn silent(it: &'a Loop, listen: &str, arguments: &[&str]) -> Self {
        let mut command = it.world.program(env!("CARGO_BIN_EXE_provost"));
        command.args(["serve", "--listen", listen]).args(arguments);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (address, token) = line.trim().split_once("/#token=").unwrap();
        let address = address.strip_prefix("http://").unwrap().to_owned();
        let (token, key, sent) = (token.to_owned(), String::new(), RefCell::default());
        Self { it, child, address, token, key, sent }
    }

    /// Ends it as a person would, and starts it again at the same address, without the guard.
    pub(crate) fn restart(&mut self) {
        self.terminate();
        let listen = self.address.clone();
        let again = Self::silent(self.it, &listen, &["--unguarded"]);
        let sent = self.sent.take();
        *self = again;
        self.sent = RefCell::new(sent);
        self.key = self.session();
    }

    /// Asks it to end, and waits.
    pub(crate) fn terminate(&mut self) -> ExitStatus {
        let pid = self.child.id().to_string();
        assert!(self.it.world.program("kill").args(["-TERM", &pid]).status().unwrap().success());
        self.child.wait().unwrap()
    }

    pub(crate) fn session(&self) -> String {
        let body = json!({ "token": self.token });
        let got = self.ask("POST", "/api/session", &[], Some(&body.to_string()));
        assert_eq!(got.status, 200, "{got:?}");
        got.json()["key"].as_str().unwrap().to_owned()
    }

    pub(crate) fn get(&self, path: &str) -> Got {
        self.ask("GET", path, &[&self.bearer()], None)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Got {
        self.ask("POST", path, &[&self.bearer()], Some(&body.to_string()))
    }

    /// An order, with the newest result as what was seen; one that is sent again says the same.
    pub(crate) fn order(&self, id: &str, request: &str, action: &str, payload: Value) -> Got {
        let newest = self.it.seen(id);
        let mut sent = self.sent.borrow_mut();
        let seen = sent.entry(request.to_owned()).or_insert(newest);
        let body =
            json!({"request_id": request, "action": action, "payload": payload, "seen": seen});
        self.post(&format!("/api/tasks/{id}/orders"), &body)
    }

    pub(crate) fn bearer(&self) -> String {
        format!("Authorization: Bearer {}", self.key)
    }

    /// One request with these headers; a body is JSON unless a header says otherwise.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        body: Option<&str>,
    ) -> Got {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        let is_set = |name: &str| headers.iter().any(|it| it.to_lowercase().starts_with(name));
        if !is_set("host:") {
            head.push_str("Host: ");
            head.push_str(&self.address);
            head.push_str("\r\n");
        }
        if let Some(body) = body {
            if !is_set("content-type:") {
                head += "Content-Type: application/json\r\n";
            }
            head.push_str("Content-Length: ");
            head.push_str(&body.len().to_string());
            head.push_str("\r\n");
        }
        for header in headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        self.send(format!("{head}\r\n{}", body.unwrap_or_default()).as_bytes())
    }

    /// Sends bytes and reads until the server closes the connection.
    pub(crate) fn send(&self, bytes: &[u8]) -> Got {
        let mut socket = TcpStream::connect(&self.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        // A server that has heard enough may close before everything is sent.
        let _ = socket.write_all(bytes);
        let mut answer = Vec::new();
        let _ = socket.read_to_end(&mut answer);
        Got::read(&answer)
    }

    /// Opens a stream.
    pub(crate) fn stream(&self, topics: &str, last: Option<&str>) -> Events {
        let mut socket = TcpStream::connect(&self.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        let last = last.map(|it| format!("Last-Event-ID: {it}\r\n")).unwrap_or_default();
        let head = format!(
            "GET /api/stream?topics={topics} HTTP/1.1\r\nHost: {}\r\n{}\r\n{last}\r\n",
            self.address,
            self.bearer()
        );
        socket.write_all(head.as_bytes()).unwrap();
        let mut events = Events(BufReader::new(socket));
        let first = events.line().unwrap();
        assert!(first.contains("200"), "{first}");
        while !events.line().unwrap().is_empty() {}
        events
    }
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Got {
    fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|it| it.split(' ').nth(1)?.parse().ok()).unwrap_or(0);
        let header = |it: &str| it.split_once(": ").map(|(k, v)| (k.to_lowercase(), v.to_owned()));
        Self { status, headers: lines.filter_map(header).collect(), body: body.to_owned() }
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Events {
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.0.read_line(&mut line).unwrap_or(0);
        (read > 0).then(|| line.trim_end().to_owned())
    }

    /// The next event; none when the server has ended the stream.
    pub(crate) fn next(&mut self) -> Option<Frame> {
        let (mut id, mut event, mut data) = (String::new(), String::new(), Value::Null);
        loop {
            let line = self.line()?;
            match line.split_once(": ") {
                Some(("id", it)) => it.clone_into(&mut id),
                Some(("event", it)) => it.clone_into(&mut event),
                Some(("data", it)) => data = serde_json::from_str(it).unwrap(),
                // Sizes of chunks, and comments.
                _ if event.is_empty() => {}
                _ if line.is_empty() => return Some(Frame { id, event, data }),
                _ => {}
            }
        }
    }

    /// The next event of a kind.
    pub(crate) fn find(&mut self, event: &str) -> Frame {
        loop {
            let frame = self.next().unwrap();
            if frame.event == event {
                return frame;
            }
        }
    }
}

/// Waits until a task is in a state.
pub(crate) fn until_state(it: &Loop, id: &str, state: &str) {
    until(|| it.exists(&format!("{id}/status.json")) && it.status(id)["state"] == state);
}
