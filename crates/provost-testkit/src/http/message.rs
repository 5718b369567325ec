//! Requests as they were received, and replies, broken ones included.

use std::{
    io::{BufRead, Read},
    time::Instant,
};

use serde_json::Value;

/// One request as it was received.
#[derive(Clone, Debug)]
pub struct Request {
    /// The verb, such as `POST`.
    pub verb: String,
    /// The path with its query.
    pub path: String,
    /// Names in lower case, in the order of the request.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// When its last byte was read.
    pub at: Instant,
}

/// What happens on the connection once a request was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A whole answer.
    Whole { status: u16, headers: Vec<(String, String)>, body: Vec<u8> },
    /// The connection ends without a byte.
    Cut,
    /// Half of the body is sent, then the connection ends.
    CutInBody { status: u16, body: Vec<u8> },
    /// Not a byte, until the client leaves or the server is dropped.
    Hang,
    /// Half of the body is sent, then not a byte more.
    HangInBody { status: u16, body: Vec<u8> },
    /// A whole answer, each byte in a packet of its own.
    Drip { status: u16, body: Vec<u8> },
    /// The start of an answer, then one byte after another, until the client leaves.
    DripForever,
}

impl Request {
    /// Reads one request; nothing at the end of the connection or where it is not HTTP.
    pub(super) fn read(reader: &mut impl BufRead) -> Option<Self> {
        let first = line(reader)?;
        let mut words = first.split(' ');
        let (verb, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let headers = headers(reader)?;
        let body = body(reader, &headers)?;
        Some(Self { verb, path, headers, body, at: Instant::now() })
    }

    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }

    /// The body as text, with a mark where it is not UTF-8.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON; `null` where it is something else.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

impl Reply {
    /// A whole answer in JSON.
    pub fn json(status: u16, body: &Value) -> Self {
        let headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
        Self::Whole { status, headers, body: body.to_string().into_bytes() }
    }

    /// The bytes that are sent.
    pub(super) fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Whole { status, headers, body } => {
                let mut bytes = head(*status, headers, body.len());
                bytes.extend(body);
                bytes
            }
            Self::Cut | Self::Hang => Vec::new(),
            Self::Drip { status, body } => {
                let mut bytes = head(*status, &[], body.len());
                bytes.extend(body);
                bytes
            }
            Self::DripForever => head(200, &[], 1 << 20),
            Self::CutInBody { status, body } | Self::HangInBody { status, body } => {
                let mut bytes = head(*status, &[], body.len().max(2));
                bytes.extend(&body[..body.len() / 2]);
                bytes
            }
        }
    }
}

fn head(status: u16, headers: &[(String, String)], length: usize) -> Vec<u8> {
    let mut lines = vec![format!("HTTP/1.1 {status} Scripted")];
    lines.extend(headers.iter().map(|(name, value)| format!("{name}: {value}")));
    lines.push(format!("Content-Length: {length}\r\n\r\n"));
    lines.join("\r\n").into_bytes()
}

/// A line without its end; nothing at the end of the connection.
fn line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    let count = reader.read_line(&mut line).ok()?;
    (count > 0).then(|| line.trim_end().to_owned())
}

/// The headers up to the empty line, with names in lower case.
pub(super) fn headers(reader: &mut impl BufRead) -> Option<Vec<(String, String)>> {
    let mut headers = Vec::new();
    loop {
        let line = line(reader)?;
        if line.is_empty() {
            return Some(headers);
        }
        let (name, value) = line.split_once(':')?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
}

/// The body, by its length or in chunks.
pub(super) fn body(reader: &mut impl BufRead, headers: &[(String, String)]) -> Option<Vec<u8>> {
    let header =
        |name: &str| headers.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str());
    if header("transfer-encoding").is_some_and(|it| it.eq_ignore_ascii_case("chunked")) {
        let mut body = Vec::new();
        loop {
            let size = usize::from_str_radix(&line(reader)?, 16).ok()?;
            body.extend(exactly(reader, size)?);
            line(reader)?;
            if size == 0 {
                return Some(body);
            }
        }
    }
    exactly(reader, header("content-length").map_or(Some(0), |it| it.parse().ok())?)
}

fn exactly(reader: &mut impl Read, size: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; size];
    reader.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(&str, &str)>) {
        let request = Request::read(&mut text.as_bytes());
        let actual = request.as_ref().map(|it| (it.path.clone(), it.text()));
        assert_eq!(actual, expected.map(|(path, body)| (path.to_owned(), body.to_owned())));
    }

    #[test]
    fn a_body_comes_whole_or_in_chunks() {
        check("GET /a HTTP/1.1\r\nHost: b\r\n\r\n", Some(("/a", "")));
        check("POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcd", Some(("/a", "abc")));
        let head = "POST /a?b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        check(
            &format!("{head}3\r\nabc\r\nb\r\n01234567890\r\n0\r\n\r\n"),
            Some(("/a?b", "abc01234567890")),
        );
    }

    #[test]
    fn a_request_that_breaks_off_is_none() {
        check("", None);
        check("hello", None);
        check("POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nab", None);
        check("POST /a HTTP/1.1\r\nContent-Length: x\r\n\r\nab", None);
    }

    #[test]
    fn headers_are_found_by_their_names_in_lower_case() {
        let text = "POST /a HTTP/1.1\r\nX-Signature: sha256=1\r\n\r\n";
        let request = Request::read(&mut text.as_bytes()).unwrap();
        assert_eq!(request.header("x-signature"), Some("sha256=1"));
        assert_eq!(request.header("x-other"), None);
    }
}
