//! A server on loopback that answers as it is told, and remembers what it was asked.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread::JoinHandle,
};

/// What the server does with one request.
pub(crate) enum Answer {
    /// A status, more headers and a body.
    Whole(u16, &'static [(&'static str, &'static str)], String),
    /// The start of a body, and then nothing until the client leaves. The headers say how long
    /// the body is.
    Stalled,
    /// The same, where only the end of the connection would say it.
    StalledWithoutLength,
    /// A body of so many bytes.
    Huge(usize),
    /// Bytes that are no HTTP.
    Raw(&'static str),
    /// The end of the connection.
    Closed,
}

/// One request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) head: String,
    pub(crate) body: String,
}

pub(crate) struct Server {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// A server that gives these answers, one to a connection, and no others.
    pub(crate) fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&seen);
        let thread = std::thread::spawn(move || {
            let mut answers = answers.into_iter();
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                let Some(request) = receive(&stream) else { return };
                let is_http = request.head != NOT_TEXT;
                shared.lock().unwrap().push(request);
                if is_http {
                    let unexpected = || Answer::Whole(500, &[], "unexpected".to_owned());
                    send(&stream, answers.next().unwrap_or_else(unexpected));
                }
            }
        });
        Self { address, seen, thread: Some(thread) }
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A connection without a request is the end.
        drop(TcpStream::connect(self.address));
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking());
    }
}

/// What stands for a request that is no text, such as the start of an encrypted connection.
pub(crate) const NOT_TEXT: &str = "not text";

/// Reads one request; none when there was none.
fn receive(stream: &TcpStream) -> Option<Seen> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    loop {
        let before = head.len();
        match reader.read_line(&mut head) {
            Ok(0) if head.is_empty() => return None,
            Ok(_) => {}
            Err(_) => return Some(Seen { head: NOT_TEXT.to_owned(), body: String::new() }),
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
    reader.read_exact(&mut body).unwrap();
    Some(Seen { head, body: String::from_utf8(body).unwrap() })
}

fn send(mut stream: &TcpStream, answer: Answer) {
    // A client may leave in the middle; that is its right.
    let _ = match answer {
        Answer::Whole(status, headers, body) => {
            let more = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
            let more = more.collect::<Vec<_>>().concat();
            let length = body.len();
            write!(
                stream,
                "HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {length}\r\n{more}\r\n{body}"
            )
        }
        Answer::StalledWithoutLength => {
            let start = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"cho";
            let sent = stream.write_all(start.as_bytes());
            let _ = stream.read(&mut [0; 1]);
            sent
        }
        Answer::Stalled => {
            let start =
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n{\"cho";
            let sent = stream.write_all(start.as_bytes());
            // The client's end of the connection comes when it gives up.
            let _ = stream.read(&mut [0; 1]);
            sent
        }
        Answer::Huge(size) => {
            let head =
                format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {size}\r\n\r\n");
            let block = vec![b' '; 1 << 16];
            let mut sent = stream.write_all(head.as_bytes());
            for _ in 0..=size / block.len() {
                sent = sent.and_then(|()| stream.write_all(&block));
            }
            sent
        }
        Answer::Raw(text) => stream.write_all(text.as_bytes()),
        Answer::Closed => Ok(()),
    };
}
