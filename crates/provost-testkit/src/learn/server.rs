//! A script behind an OpenAI-compatible interface on loopback, with a fixed delay.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use provost_kernel::{Digest, model::ModelRequest};
use serde_json::{Value, json};

use super::{ParsedPrompt, Said, Script};

/// What a server does with one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Answers as the script says.
    Script,
    /// Answers with this text.
    Say(String),
    /// Answers with this status.
    Refuse(u16),
    /// Answers with these bytes as the body.
    Bytes(Vec<u8>),
    /// Sends half an answer and ends the connection.
    BreakOff,
}

/// What is done with each request, by its number and how often the same one came before.
type Acts = dyn Fn(u64, u64) -> Act + Send + Sync;

/// A model server that ends when it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    script: Box<Script>,
    /// Nothing for a server that always answers.
    acts: Option<Box<Acts>>,
    delay: Duration,
    n_requests: AtomicU64,
    seen: Mutex<BTreeMap<Digest, u64>>,
    streams: Mutex<Vec<TcpStream>>,
    is_over: AtomicBool,
}

impl Server {
    /// A server that answers after a delay.
    pub fn start(
        delay: Duration,
        script: impl Fn(&ParsedPrompt) -> Said + Send + Sync + 'static,
    ) -> Self {
        Self::open(delay, Box::new(script), None)
    }

    /// A server that does not always answer.
    pub fn misbehaving(
        delay: Duration,
        script: impl Fn(&ParsedPrompt) -> Said + Send + Sync + 'static,
        acts: impl Fn(u64, u64) -> Act + Send + Sync + 'static,
    ) -> Self {
        Self::open(delay, Box::new(script), Some(Box::new(acts)))
    }

    #[expect(clippy::expect_used, reason = "a test without its server cannot go on")]
    fn open(delay: Duration, script: Box<Script>, acts: Option<Box<Acts>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            script,
            acts,
            delay,
            n_requests: AtomicU64::new(0),
            seen: Mutex::default(),
            streams: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::spawn(move || of_thread.listen(&listener));
        Self { address, shared, thread: Some(thread) }
    }

    /// The address up to and without `/chat/completions`.
    pub fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// How many requests came, those included that were refused.
    pub fn n_requests(&self) -> u64 {
        self.shared.n_requests.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        if let Ok(streams) = self.shared.streams.lock() {
            for stream in streams.iter() {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("n_requests", &self.n_requests).finish_non_exhaustive()
    }
}

impl Shared {
    fn listen(&self, listener: &TcpListener) {
        std::thread::scope(|scope| {
            for stream in listener.incoming().flatten() {
                if self.is_over.load(Ordering::SeqCst) {
                    return;
                }
                let _ = stream.set_nodelay(true);
                if let (Ok(mut streams), Ok(copy)) = (self.streams.lock(), stream.try_clone()) {
                    streams.push(copy);
                }
                scope.spawn(move || self.serve(&stream));
            }
        });
    }

    /// Serves one connection until it ends.
    fn serve(&self, stream: &TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some(body) = receive(&mut reader) {
            let number = self.n_requests.fetch_add(1, Ordering::SeqCst);
            if !self.delay.is_zero() {
                std::thread::sleep(self.delay);
            }
            if !send(stream, self.act(number, &body)) {
                break;
            }
        }
        let _ = stream.shutdown(Shutdown::Both);
    }

    /// How often the same request came before.
    fn count(&self, body: &Value) -> u64 {
        let digest = Digest::of_json(body).unwrap_or(Digest::ZERO);
        let Ok(mut seen) = self.seen.lock() else { return 0 };
        let count = seen.entry(digest).or_default();
        *count += 1;
        *count - 1
    }

    fn act(&self, number: u64, body: &Value) -> Act {
        let act = self.acts.as_ref().map_or(Act::Script, |it| it(number, self.count(body)));
        match act {
            Act::Script => match (self.script)(&ParsedPrompt::read(&question(body))) {
                Said::Text(text) => Act::Say(text),
                Said::Down => Act::Refuse(503),
            },
            act @ (Act::Say(_) | Act::Refuse(_) | Act::Bytes(_) | Act::BreakOff) => act,
        }
    }
}

/// The question that a request carries.
fn question(body: &Value) -> ModelRequest {
    let decode = json!({
        "temperature": body["temperature"], "top_p": 1.0, "max_new_tokens": 1,
    });
    let question = json!({"messages": body["messages"], "decode": decode});
    serde_json::from_value(question).unwrap_or_else(|error| panic!("{error}: {body}"))
}

fn receive(reader: &mut BufReader<&TcpStream>) -> Option<Value> {
    let mut length = 0;
    let mut line = String::new();
    loop {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let Some((name, value)) = line.split_once(':') else {
            if line.trim().is_empty() {
                break;
            }
            continue;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

/// Does it; says whether the connection stays open.
fn send(mut stream: &TcpStream, act: Act) -> bool {
    let mut whole = |status: u16, body: &[u8]| {
        let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all(&[head.as_bytes(), body].concat()).is_ok()
    };
    match act {
        Act::Say(text) => {
            let choice = json!({"message": {"content": text}, "finish_reason": "stop"});
            let usage = json!({"prompt_tokens": 100, "completion_tokens": 10});
            whole(200, json!({"choices": [choice], "usage": usage}).to_string().as_bytes())
        }
        Act::Refuse(status) => whole(status, b"{}"),
        Act::Bytes(body) => whole(200, &body),
        Act::Script => whole(500, b"{}"),
        Act::BreakOff => {
            let _ = stream.write_all(b"HTTP/1.1 200 X\r\nContent-Length: 900\r\n\r\n{\"cho");
            false
        }
    }
}
