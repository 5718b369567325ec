//! The model itself: a server on loopback, which also hears the canaries.
//!
//! A canary is a request to `/canary/NAME`: a plant that runs can send it from inside any sandbox
//! that lets a judge reach its model.

use std::{
    collections::BTreeSet,
    io::{self, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use serde_json::Value;

use super::{
    script::Script,
    wire::{self, Answer},
};

/// A model with a script. It is gone when this is dropped.
#[derive(Debug)]
pub(super) struct Model {
    address: SocketAddr,
    heard: Shared,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Whom a model answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Door {
    Open,
    /// Those alone who have this key.
    Key(&'static str),
}

/// What a model heard.
#[derive(Clone, Debug, Default)]
pub(super) struct Heard {
    /// The requests for something to say that came to the judge's own model.
    pub(super) requests: Vec<Value>,
    /// The plants that ran.
    pub(super) canaries: BTreeSet<String>,
}

type Shared = Arc<Mutex<Heard>>;

/// Where a plant leads to, below the address of the model.
pub(super) const IMPOSTOR: &str = "/impostor";
const CANARY: &str = "/canary/";
/// How long a client may be silent within a request.
const SILENCE: Duration = Duration::from_mins(1);
/// More than any client sends.
const LONGEST: u64 = 64 << 20;

impl Model {
    /// Starts a model at a free port of this machine, which only this machine can reach.
    pub(super) fn start(script: Script, impostor: Script, door: Door) -> io::Result<Self> {
        Self::start_with(|_| script, impostor, door)
    }

    /// The same with a script that names the address of the model.
    pub(super) fn start_with(
        script: impl FnOnce(&str) -> Script,
        impostor: Script,
        door: Door,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let heard = Shared::default();
        let is_over = Arc::new(AtomicBool::new(false));
        let thread = {
            let (heard, is_over) = (Arc::clone(&heard), Arc::clone(&is_over));
            let scripts = Arc::new((script(&format!("http://{address}")), impostor));
            std::thread::spawn(move || {
                for stream in listener.incoming() {
                    if is_over.load(Ordering::SeqCst) {
                        break;
                    }
                    let Ok(stream) = stream else { continue };
                    let (heard, scripts) = (Arc::clone(&heard), Arc::clone(&scripts));
                    std::thread::spawn(move || {
                        // A client that goes away in the middle has heard enough.
                        let _ = serve(&stream, &heard, (&scripts.0, &scripts.1), door);
                    });
                }
            })
        };
        Ok(Self { address, heard, is_over, thread: Some(thread) })
    }

    /// The address to which a client adds the paths of its protocol.
    pub(super) fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many requests for something to say came so far.
    pub(super) fn n_requests(&self) -> usize {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).requests.len()
    }

    /// Of how many calls the model was told what came of them, in one request after the first few.
    pub(super) fn n_results_since(&self, n_requests: usize) -> usize {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let later = heard.requests.iter().skip(n_requests);
        later.map(|it| wire::asked(it).results.len()).max().unwrap_or_default()
    }

    /// What the model was told of its calls in the newest request that tells of any.
    pub(super) fn results(&self) -> Vec<String> {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let mut results = heard.requests.iter().rev().map(|it| wire::asked(it).results);
        results.find(|it| !it.is_empty()).unwrap_or_default()
    }

    /// What was heard so far.
    pub(super) fn heard(&self) -> Heard {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // The listener waits for somebody to come.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Answers one request, and ends the connection.
fn serve(
    stream: &TcpStream,
    heard: &Shared,
    (script, impostor): (&Script, &Script),
    door: Door,
) -> io::Result<()> {
    stream.set_read_timeout(Some(SILENCE))?;
    let Received { path, key, body } = read(&mut BufReader::new(stream))?;
    let note = |name: &str| {
        let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.canaries.insert(name.to_owned());
    };
    let request = serde_json::from_slice::<Value>(&body).unwrap_or_default();
    let answer = if let Some(name) = path.strip_prefix(CANARY) {
        note(name);
        Some(Answer::Document(Value::Null))
    } else if let Some(path) = path.strip_prefix(IMPOSTOR) {
        note("impostor");
        wire::answer(path, &request, impostor)
    } else if !door.lets_in(&key) {
        Some(Answer::Refusal)
    } else {
        let answer = wire::answer(&path, &request, script);
        if answer.is_some() {
            heard.lock().unwrap_or_else(PoisonError::into_inner).requests.push(request);
        }
        answer
    };
    write(stream, answer)
}

/// A request.
#[derive(Debug, PartialEq, Eq)]
struct Received {
    /// Without its query.
    path: String,
    /// The key that it came with; empty without one.
    key: String,
    body: Vec<u8>,
}

impl Door {
    fn lets_in(self, key: &str) -> bool {
        match self {
            Self::Open => true,
            Self::Key(own) => own == key,
        }
    }
}

fn read(stream: &mut impl io::BufRead) -> io::Result<Received> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let path = line.split_whitespace().nth(1).unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default().to_owned();
    let (mut length, mut is_chunked, mut key) = (0_u64, false, String::new());
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let Some((name, value)) = line.split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or_default(),
            "transfer-encoding" => is_chunked = value.trim() == "chunked",
            "x-api-key" => value.trim().clone_into(&mut key),
            "authorization" => value.trim().trim_start_matches("Bearer ").clone_into(&mut key),
            _ => {}
        }
    }
    let mut body = Vec::new();
    if is_chunked {
        loop {
            let mut line = String::new();
            stream.read_line(&mut line)?;
            let size = u64::from_str_radix(line.trim(), 16).unwrap_or_default();
            // Each piece ends with a line break of its own.
            stream.take(size.min(LONGEST)).read_to_end(&mut body)?;
            stream.read_line(&mut String::new())?;
            if size == 0 {
                break;
            }
        }
    } else {
        stream.take(length.min(LONGEST)).read_to_end(&mut body)?;
    }
    Ok(Received { path, key, body })
}

fn write(mut stream: &TcpStream, answer: Option<Answer>) -> io::Result<()> {
    let (status, kind, text) = match answer {
        Some(Answer::Document(document)) => ("200 OK", "application/json", document.to_string()),
        Some(Answer::Events(events)) => {
            // Not every protocol gives its events a name.
            let event = |it: &Value| match it["type"].as_str() {
                Some(name) => format!("event: {name}\ndata: {it}\n\n"),
                None => format!("data: {it}\n\n"),
            };
            ("200 OK", "text/event-stream", events.iter().map(event).collect())
        }
        Some(Answer::Refusal) => {
            let error =
                r#"{"type":"error","error":{"type":"authentication_error","message":"no key"}}"#;
            ("401 Unauthorized", "application/json", error.to_owned())
        }
        None => ("404 Not Found", "application/json", "{}".to_owned()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        text.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_in_one_piece_or_in_several() {
        for text in [
            "POST /v1/x?beta=true HTTP/1.1\r\nX-Api-Key: k\r\nContent-Length: 5\r\n\r\nhello",
            "POST /v1/x HTTP/1.1\r\nAuthorization: Bearer k\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
        ] {
            let expected =
                Received { path: "/v1/x".into(), key: "k".into(), body: b"hello".to_vec() };
            assert_eq!(read(&mut text.as_bytes()).unwrap(), expected);
        }
    }

    #[test]
    fn a_door_lets_in_whom_it_knows() {
        assert!(Door::Open.lets_in("") && Door::Key("k").lets_in("k"));
        assert!(!Door::Key("k").lets_in("") && !Door::Key("k").lets_in("K"));
    }

    #[test]
    fn canaries_and_requests_are_heard_apart() {
        let script = |it: &str| Script::Impostor { verdict: it.to_owned() };
        let model = Model::start(script("own"), script("other"), Door::Open).unwrap();
        let send = |path: &str| {
            let mut stream = TcpStream::connect(model.address).unwrap();
            let body = "{\"n\":1}";
            let head = format!("POST {path} HTTP/1.1\r\nContent-Length: {}\r\n\r\n", body.len());
            stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        };
        assert!(send("/v1/messages").contains("own"));
        assert!(send("/impostor/v1/messages").contains("other"));
        assert!(send("/v1/models").starts_with("HTTP/1.1 404"));
        send("/canary/hook");
        let heard = model.heard();
        assert_eq!(heard.requests.len(), 1);
        assert_eq!(heard.canaries, ["hook", "impostor"].map(str::to_owned).into());
    }
}
