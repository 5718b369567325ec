//! A server on loopback that keeps its connections open and answers many questions at once.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread::JoinHandle,
};

use serde_json::{Value, json};

/// What the server does with one request.
pub(crate) enum Act {
    /// Answers with this text.
    Say(String),
    /// Refuses with a status and a header.
    Refuse(u16, &'static str),
    /// Answers with these bytes as the body.
    Body(Vec<u8>),
    /// Sends the start of an answer and ends the connection.
    Die,
    /// Says nothing until the client leaves.
    Hang,
}

/// One request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) head: String,
    pub(crate) body: Value,
}

pub(crate) struct Oracle {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What is done with a request, by its number and its body.
type Script = dyn Fn(usize, &Value) -> Act + Send + Sync;

struct Shared {
    act: Box<Script>,
    heard: Mutex<Vec<Heard>>,
    streams: Mutex<Vec<TcpStream>>,
    connections: AtomicUsize,
    is_over: Mutex<bool>,
}

impl Oracle {
    /// A server that does what `act` says, by the number of the request and its body.
    pub(crate) fn start(act: impl Fn(usize, &Value) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            act: Box::new(act),
            heard: Mutex::default(),
            streams: Mutex::default(),
            connections: AtomicUsize::new(0),
            is_over: Mutex::new(false),
        });
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            std::thread::scope(|scope| {
                for stream in listener.incoming() {
                    let stream = stream.unwrap();
                    if *of_thread.is_over.lock().unwrap() {
                        return;
                    }
                    of_thread.connections.fetch_add(1, Ordering::SeqCst);
                    of_thread.streams.lock().unwrap().push(stream.try_clone().unwrap());
                    let shared = &*of_thread;
                    scope.spawn(move || shared.serve(&stream));
                }
            });
        });
        Self { address, shared, thread: Some(thread) }
    }

    /// A server that answers every question with its own last words.
    pub(crate) fn echo() -> Self {
        Self::start(|_, body| Act::Say(last_words(body)))
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.shared.heard.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }
}

/// The last message of a request.
pub(crate) fn last_words(body: &Value) -> String {
    body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned()
}

impl Shared {
    fn serve(&self, stream: &TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some(heard) = receive(&mut reader) {
            let number = {
                let mut all = self.heard.lock().unwrap();
                all.push(heard.clone());
                all.len() - 1
            };
            if !send(stream, (self.act)(number, &heard.body)) {
                break;
            }
        }
        let _ = stream.shutdown(Shutdown::Both);
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        *self.shared.is_over.lock().unwrap() = true;
        for stream in self.shared.streams.lock().unwrap().iter() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        drop(TcpStream::connect(self.address));
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking());
    }
}

fn receive(reader: &mut BufReader<&TcpStream>) -> Option<Heard> {
    let mut head = String::new();
    loop {
        let before = head.len();
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
        if head.len() - before <= 2 {
            break;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().unwrap())
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Heard { head, body: serde_json::from_slice(&body).unwrap() })
}

/// Does it; says whether the connection stays open.
fn send(mut stream: &TcpStream, act: Act) -> bool {
    let mut whole = |status: u16, more: &str, body: &[u8]| {
        let length = body.len();
        let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n{more}\r\n");
        stream.write_all(&[head.as_bytes(), body].concat()).is_ok()
    };
    match act {
        Act::Say(text) => {
            let choice = json!({"message": {"content": text}, "finish_reason": "stop"});
            let usage = json!({"prompt_tokens": 1000, "completion_tokens": 10});
            let body = json!({"choices": [choice], "usage": usage}).to_string();
            whole(200, "", body.as_bytes())
        }
        Act::Refuse(status, header) => whole(status, header, b"{}"),
        Act::Body(body) => whole(200, "", &body),
        Act::Die => {
            let _ = stream.write_all(b"HTTP/1.1 200 X\r\nContent-Length: 900\r\n\r\n{\"cho");
            false
        }
        Act::Hang => {
            let _ = stream.read(&mut [0; 1]);
            false
        }
    }
}
