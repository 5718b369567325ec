//! Every answer of a server, and that none of them shows the token.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    thread::JoinHandle,
    time::Instant,
};

use provost_kernel::{Lang, Message as _};

use super::*;

const TOKEN: &str = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
const KEY: &str = "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";

/// A server that gives each connection the next answer, and returns the requests.
fn server(answers: Vec<String>) -> (Address, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    let serving = std::thread::spawn(move || {
        answers
            .into_iter()
            .map(|answer| {
                let (mut stream, _) = listener.accept().unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let (mut request, mut length) = (String::new(), 0);
                loop {
                    let mut line = String::new();
                    if reader.read_line(&mut line).unwrap() == 0 || line == "\r\n" {
                        break;
                    }
                    let lower = line.to_ascii_lowercase();
                    if let Some(value) = lower.strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    }
                    request.push_str(&line);
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                // A client that had enough may be gone.
                let _ = stream.write_all(answer.as_bytes());
                format!("{request}\n{}", String::from_utf8(body).unwrap())
            })
            .collect()
    });
    (address, serving)
}

fn answer(status: u16, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

fn api(address: Address) -> Api {
    let second = Duration::from_secs(1);
    Api::new(address, TOKEN.parse().unwrap(), Timeouts { connect: second, call: second * 5 })
        .unwrap()
}

/// No form of an error shows the token or the address.
#[track_caller]
fn check_silent(error: &ApiError) {
    let mut shown = vec![format!("{error}"), format!("{error:?}"), format!("{error:#?}")];
    for lang in [Lang::En, Lang::Zh] {
        shown.push(lang.render(&error.text()));
        shown.extend(error.hints().iter().map(|it| lang.render(it)));
    }
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        shown.push(format!("{error} {error:?}"));
        source = error.source();
    }
    for text in shown {
        assert!(!text.contains(KEY) && !text.contains("/bot"), "{text}");
    }
}

#[track_caller]
fn check(status: u16, body: &str, expected: &ApiError) {
    let (address, serving) = server(vec![answer(status, body)]);
    let error = api(address).get_me().unwrap_err();
    assert_eq!(error, *expected, "{status} {body}");
    check_silent(&error);
    serving.join().unwrap();
}

#[test]
fn a_refusal_says_what_to_do() {
    let refused =
        |code, description: &str| ApiError::Refused { code, description: description.to_owned() };
    check(
        429,
        r#"{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 7","parameters":{"retry_after":7}}"#,
        &ApiError::RetryAfter { seconds: 7 },
    );
    check(429, "", &ApiError::RetryAfter { seconds: 1 });
    check(
        429,
        r#"{"parameters":{"retry_after":999999999}}"#,
        &ApiError::RetryAfter { seconds: 3600 },
    );
    check(409, r#"{"ok":false,"error_code":409,"description":"Conflict"}"#, &ApiError::Conflict);
    check(401, r#"{"ok":false,"description":"Unauthorized"}"#, &ApiError::Unauthorized);
    check(404, r#"{"ok":false,"description":"Not Found"}"#, &ApiError::Unauthorized);
    check(
        403,
        r#"{"ok":false,"description":"Forbidden: bot was blocked by the user"}"#,
        &refused(403, "Forbidden: bot was blocked by the user"),
    );
    check(400, "<html>", &refused(400, ""));
    check(302, "", &refused(302, ""));
    for status in [500, 502, 503] {
        check(status, "x", &ApiError::unreachable(NetworkFault::Server { status }));
    }
    let body = format!(r#"{{"ok":false,"description":"no /bot{TOKEN}/getMe\u001b[31m"}}"#);
    let (address, serving) = server(vec![answer(400, &body)]);
    let error = api(address).get_me().unwrap_err();
    assert_eq!(error, refused(400, "no /bot[token]/getMe[31m"));
    serving.join().unwrap();
}

#[test]
fn an_answer_that_is_none_is_a_failure_of_the_network() {
    let odd = ApiError::unreachable(NetworkFault::Answer);
    for body in ["", "x", "{}", r#"{"ok":true}"#, r#"{"ok":true,"result":3}"#, "[]"] {
        check(200, body, &odd);
    }
    check(200, r#"{"ok":false,"error_code":401,"description":"x"}"#, &ApiError::Unauthorized);
    let long = format!(r#"{{"ok":true,"result":"{}"}}"#, "x".repeat(9 << 20));
    check(200, &long, &ApiError::unreachable(NetworkFault::TooLarge { most: BODY_CAP }));
    // A connection that is cut: before the answer, and in the middle of it.
    for cut in ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"] {
        let (address, serving) = server(vec![cut.to_owned()]);
        let error = api(address).get_me().unwrap_err();
        check_silent(&error);
        assert!(matches!(error, ApiError::Unreachable { .. }), "{error:?}");
        assert!(error.is_transient());
        serving.join().unwrap();
    }
}

#[test]
fn what_cannot_be_reached_shows_no_token() {
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let closed: Address = format!("http://{unused}").parse().unwrap();
    let error = api(closed).get_me().unwrap_err();
    assert_eq!(error, ApiError::unreachable(NetworkFault::Connection));
    check_silent(&error);
    // The library's own errors that quote an address.
    let uri = format!("http://x/bot{TOKEN}/getMe");
    for error in [
        ureq::Error::BadUri(uri.clone()),
        ureq::Error::RequireHttpsOnly(uri.clone()),
        ureq::Error::ConnectProxyFailed(uri.clone()),
        ureq::Error::Io(std::io::Error::other(uri.clone())),
        ureq::Error::Other(uri.into()),
    ] {
        assert!(error.to_string().contains(KEY) || matches!(error, ureq::Error::Other(_)));
        check_silent(&ApiError::unreachable(kind(&error, BODY_CAP)));
    }
    let debug = format!("{:?}", api(Address::default()));
    assert_eq!(debug, r#"Api { host: "api.telegram.org", .. }"#);
}

#[test]
fn calls_are_what_the_bot_api_reads() {
    let ok = |result: &str| answer(200, &format!(r#"{{"ok":true,"result":{result}}}"#));
    let (address, serving) = server(vec![
        ok(r#"{"id":42,"is_bot":true,"first_name":"P","username":"provost_bot"}"#),
        ok(r#"[{"update_id":5,"nonsense":1},{"no":"id"}]"#),
        ok(r#"{"message_id":17,"date":1,"chat":{"id":-5,"type":"group"}}"#),
        ok(r#"{"message_id":18}"#),
        answer(400, r#"{"ok":false,"description":"Bad Request: message is not modified: same"}"#),
        ok("true"),
        ok("true"),
    ]);
    let api = api(address);
    let me = api.get_me().unwrap();
    assert_eq!(me, BotIdentity { id: 42, username: "provost_bot".to_owned() });
    let updates = api.get_updates(Some(5), Duration::from_secs(2)).unwrap();
    assert_eq!(updates, [Update { id: 5, content: crate::Content::Other }]);
    let button = Button { text: "Next".to_owned(), data: "rdloop_next:".to_owned() };
    let list =
        Outgoing { html: "<b>a</b>".to_owned(), markup: Markup::Buttons(vec![vec![button]]) };
    assert_eq!(api.send_message(-5, &list), Ok(17));
    let placeholder = "x".repeat(100);
    let ask = Outgoing { html: "?".to_owned(), markup: Markup::Reply { placeholder } };
    assert_eq!(api.send_message(-5, &ask), Ok(18));
    assert_eq!(api.edit_message(-5, 17, &list), Ok(()));
    assert_eq!(api.answer_callback("q", Some(&"é".repeat(300))), Ok(()));
    assert_eq!(api.set_commands(&[("tasks", "List".to_owned())], Some("zh")), Ok(()));
    let bodies: Vec<Value> = serving
        .join()
        .unwrap()
        .iter()
        .map(|it| serde_json::from_str(it.rsplit('\n').next().unwrap()).unwrap())
        .collect();
    let keyboard = serde_json::json!([[{"text": "Next", "callback_data": "rdloop_next:"}]]);
    assert_eq!(
        bodies[1],
        serde_json::json!({
            "offset": 5, "limit": 100, "timeout": 2, "allowed_updates": ["message", "callback_query"]
        })
    );
    assert_eq!(bodies[2]["chat_id"], -5);
    assert_eq!(bodies[2]["parse_mode"], "HTML");
    assert_eq!(bodies[2]["reply_markup"]["inline_keyboard"], keyboard);
    assert_eq!(bodies[3]["reply_markup"]["force_reply"], true);
    assert_eq!(bodies[3]["reply_markup"]["input_field_placeholder"].as_str().unwrap().len(), 64);
    assert_eq!((&bodies[4]["message_id"], &bodies[4]["text"]), (&17.into(), &"<b>a</b>".into()));
    assert_eq!(bodies[5]["text"].as_str().unwrap().chars().count(), 200);
    assert_eq!(bodies[6]["language_code"], "zh");
}

#[test]
fn a_long_poll_ends_when_it_is_stopped() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    let api = api(address);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let polling = scope.spawn(|| api.get_updates(None, Duration::from_mins(5)));
        // It is under way once its request is here.
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut [0; 4]).unwrap();
        api.stop_polling();
        assert_eq!(polling.join().unwrap(), Err(ApiError::Stopped));
    });
    assert_eq!(api.get_updates(None, Duration::ZERO), Err(ApiError::Stopped));
    assert!(begun.elapsed() < Duration::from_mins(4));
}
