//! The receiver of webhooks does what its script says, and a client notices.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use provost_testkit::{
    http,
    receiver::{ClosedPort, Receiver, Reception},
};
use serde_json::json;

/// A cap for what should come at once.
const PATIENCE: Duration = Duration::from_mins(1);

#[track_caller]
fn check(reception: Reception, expected: Result<(u16, usize), &str>) {
    let receiver = Receiver::start();
    receiver.script([reception]);
    let url = receiver.url("/hook");
    let actual = http::post(&url, &json!({"task": "t1"})).map(|it| (it.status, it.body.len()));
    let expected = expected.map_err(|it| format!("POST {url}: {it}"));
    assert_eq!(actual.map_err(|it| it.to_string()), expected);
    assert_eq!(receiver.requests()[0].json()["task"], "t1");
    assert_eq!(http::post(&url, &json!({})).unwrap().status, 200, "the script is over");
}

#[test]
fn each_reception_reaches_the_client() {
    check(Reception::Accept, Ok((200, 17)));
    check(Reception::Status(500), Ok((500, 0)));
    check(Reception::RetryAfter(7), Ok((429, 0)));
    check(Reception::Redirect("http://127.0.0.1:1/".to_owned()), Ok((307, 0)));
    check(Reception::Body(10_000_000), Ok((200, 10_000_000)));
    check(Reception::Cut, Err("no answer"));
    check(Reception::CutInBody, Err("body cut off"));
}

#[test]
fn requests_are_recorded_as_they_were_sent() {
    let receiver = Receiver::start();
    let mut stream = TcpStream::connect(receiver.url("").trim_start_matches("http://")).unwrap();
    // Two requests on one connection, the second in chunks.
    stream
        .write_all(
            b"POST /a?b=1 HTTP/1.1\r\nX-Signature: sha256=00\r\nContent-Length: 4\r\n\r\n\xe4\xbb\xbb.\
              PUT /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        )
        .unwrap();
    let requests = receiver.wait_for(|it| it.len() == 2, PATIENCE);
    let [first, second] = &requests[..] else { panic!("{requests:?}") };
    assert_eq!((first.verb.as_str(), first.path.as_str()), ("POST", "/a?b=1"));
    assert_eq!(first.header("x-signature"), Some("sha256=00"));
    assert_eq!(first.text(), "任.");
    assert_eq!((second.verb.as_str(), second.text().as_str()), ("PUT", "ok"));
    assert!(first.at <= second.at);
}

#[test]
fn a_receiver_that_hangs_hangs_until_it_is_dropped() {
    for (reception, start) in [(Reception::Hang, ""), (Reception::HangInBody, "{\"receiv")] {
        let receiver = Receiver::start();
        receiver.always(reception);
        let address = receiver.url("");
        let mut stream = TcpStream::connect(address.trim_start_matches("http://")).unwrap();
        stream.write_all(b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n").unwrap();
        receiver.wait_for(|it| it.len() == 1, PATIENCE);
        let mut answer = String::new();
        while !answer.ends_with(start) {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            answer.push(char::from(byte[0]));
        }
        drop(receiver);
        assert_eq!(stream.read_to_string(&mut answer).unwrap(), 0, "{answer}");
    }
}

#[test]
fn a_closed_receiver_refuses_until_it_is_opened_again() {
    let receiver = Receiver::start();
    let url = receiver.url("/hook");
    assert_eq!(http::get(&url).unwrap().status, 200);
    receiver.close();
    let error = http::get(&url).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionRefused);
    receiver.reopen();
    receiver.reopen();
    assert_eq!(http::get(&url).unwrap().status, 200);
    assert_eq!(receiver.requests().len(), 2);
}

#[test]
fn a_closed_port_refuses() {
    let port = ClosedPort::reserve();
    for _ in 0..3 {
        let error = http::get(&port.url("/hook")).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionRefused);
    }
}

#[test]
fn waiting_ends_with_what_came_instead() {
    let receiver = Receiver::start();
    http::get(&receiver.url("/other")).unwrap();
    let waiting = || receiver.wait_for(|it| it.len() == 2, Duration::from_millis(1));
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(waiting)).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(text.contains("after 1ms, but 1 entries"), "{text}");
    assert!(text.contains("/other"), "{text}");
}
