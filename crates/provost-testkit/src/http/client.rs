//! A client for loopback, with one connection per request.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use serde_json::Value;

use super::message;

/// How long an answer may take. It is a cap for a server that hangs, never a measure.
const PATIENCE: Duration = Duration::from_mins(1);

/// A whole answer.
#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    pub body: Vec<u8>,
}

impl Response {
    /// The body as JSON; `null` where it is something else.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// Asks for an address such as `http://127.0.0.1:8080/path`.
pub fn get(url: &str) -> std::io::Result<Response> {
    call("GET", url, &[])
}

/// Posts JSON to an address.
pub fn post(url: &str, body: &Value) -> std::io::Result<Response> {
    call("POST", url, body.to_string().as_bytes())
}

fn call(verb: &str, url: &str, body: &[u8]) -> std::io::Result<Response> {
    let wrong = |what: &str| std::io::Error::other(format!("{verb} {url}: {what}"));
    let rest = url.strip_prefix("http://").ok_or_else(|| wrong("not an http address"))?;
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let path = if path.is_empty() { "/" } else { path };
    let mut stream = TcpStream::connect(host)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let length = body.len();
    let head = format!(
        "{verb} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(&[head.as_bytes(), body].concat())?;
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let status = first.split(' ').nth(1).and_then(|it| it.parse().ok());
    let status = status.ok_or_else(|| wrong("no answer"))?;
    let headers = message::headers(&mut reader).ok_or_else(|| wrong("headers cut off"))?;
    let body = if headers.iter().any(|(it, _)| it == "content-length" || it == "transfer-encoding")
    {
        message::body(&mut reader, &headers).ok_or_else(|| wrong("body cut off"))?
    } else {
        let mut body = Vec::new();
        reader.read_to_end(&mut body)?;
        body
    };
    Ok(Response { status, body })
}
