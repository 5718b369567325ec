//! The scripted Bot API: its faults reach the client, and its updates follow the offset.

use std::time::Duration;

use provost_testkit::{
    http,
    telegram::{Answer, ScriptedApi, Sender},
};
use serde_json::{Value, json};

/// A cap for what should come at once.
const PATIENCE: Duration = Duration::from_mins(1);

fn call(api: &ScriptedApi, method: &str, body: Value) -> (u16, Value) {
    let response = http::post(&api.method_url(method), &body).unwrap();
    (response.status, response.json())
}

/// The ids of the updates that one poll delivers.
fn poll(api: &ScriptedApi, body: Value) -> Vec<i64> {
    let (status, answer) = call(api, "getUpdates", body);
    assert_eq!(status, 200, "{answer}");
    let updates = answer["result"].as_array().unwrap();
    updates.iter().map(|it| it["update_id"].as_i64().unwrap()).collect()
}

#[track_caller]
fn check(answer: Answer, expected: (u16, Value)) {
    let api = ScriptedApi::start();
    api.script("sendMessage", [answer]);
    let message = json!({"chat_id": 7, "text": "hello"});
    assert_eq!(call(&api, "sendMessage", message.clone()), expected);
    let (status, usual) = call(&api, "sendMessage", message);
    assert_eq!((status, &usual["result"]["text"]), (200, &json!("hello")));
}

#[test]
fn each_answer_reaches_the_client() {
    check(Answer::Result(json!([1])), (200, json!({"ok": true, "result": [1]})));
    let error = |code, description: &str| {
        (code, json!({"ok": false, "error_code": code, "description": description}))
    };
    let mut expected = error(429, "Too Many Requests: retry after 3");
    expected.1["parameters"] = json!({"retry_after": 3});
    check(Answer::TooManyRequests { retry_after: 3 }, expected);
    let conflict = "Conflict: terminated by other getUpdates request; \
                    make sure that only one bot instance is running";
    check(Answer::Conflict, error(409, conflict));
    check(Answer::Unauthorized, error(401, "Unauthorized"));
    let blocked = "Forbidden: bot was blocked by the user";
    check(Answer::Error { code: 403, description: blocked.to_owned() }, error(403, blocked));
    // Bodies that are not JSON.
    check(Answer::Status(502), (502, Value::Null));
    check(Answer::Garbage, (200, Value::Null));
    check(Answer::Huge, (200, Value::Null));
}

#[test]
fn a_connection_is_cut_before_or_within_the_answer() {
    let api = ScriptedApi::start();
    api.script("sendMessage", [Answer::CutBefore, Answer::CutInBody]);
    let message = json!({"chat_id": 7, "text": "hello"});
    for expected in ["no answer", "body cut off"] {
        let error = http::post(&api.method_url("sendMessage"), &message).unwrap_err();
        assert!(error.to_string().ends_with(expected), "{error}");
    }
    // The second one took effect: the next message has the next id.
    assert_eq!(call(&api, "sendMessage", message).1["result"]["message_id"], 2);
    assert_eq!(api.calls("sendMessage").len(), 3);
}

#[test]
fn updates_are_delivered_until_an_offset_confirms_them() {
    let api = ScriptedApi::start();
    let sender = Sender::new(7, 8).language("zh-hans").named("\u{202e}مرحبا😀");
    let first = api.add_message(&sender, "/tasks");
    let second = api.add_press(&sender, 3, "card:t1");
    assert_eq!(poll(&api, json!({})), [first, second]);
    assert_eq!(poll(&api, json!({"offset": first})), [first, second]);
    api.script("getUpdates", [Answer::CutInBody]);
    assert!(http::post(&api.method_url("getUpdates"), &json!({"offset": second})).is_err());
    assert_eq!(api.unconfirmed(), [second]);
    let (_, answer) = call(&api, "getUpdates", json!({"offset": second}));
    let query = &answer["result"][0]["callback_query"];
    assert_eq!(query["data"], "card:t1");
    assert_eq!(query["from"]["first_name"], "\u{202e}مرحبا😀");
    assert_eq!(query["message"]["chat"]["id"], 7);
    assert_eq!(poll(&api, json!({"offset": second + 1})), [0; 0]);
    api.wait_until_confirmed(second, PATIENCE);
}

#[test]
fn updates_come_twice_and_out_of_order_on_demand() {
    let api = ScriptedApi::start();
    let sender = Sender::new(7, 7);
    let [first, second] = ["a", "b"].map(|it| api.add_message(&sender, it));
    api.double_next();
    assert_eq!(poll(&api, json!({})), [first, first, second, second]);
    api.reverse_next();
    assert_eq!(poll(&api, json!({})), [second, first]);
    api.replay(first);
    assert_eq!(poll(&api, json!({"offset": second + 1, "timeout": 50})), [first]);
}

#[test]
fn a_poll_is_held_until_there_is_an_update() {
    let api = ScriptedApi::start();
    std::thread::scope(|scope| {
        let polling = scope.spawn(|| poll(&api, json!({"timeout": 50})));
        api.wait_for_calls("getUpdates", 1, PATIENCE);
        let id = api.add_message(&Sender::new(7, 7), "hello");
        assert_eq!(polling.join().unwrap(), [id]);
    });
    let offset = api.unconfirmed()[0] + 1;
    std::thread::scope(|scope| {
        let polling = scope.spawn(|| poll(&api, json!({"timeout": 50, "offset": offset})));
        // The offset is confirmed by the poll that waits, so a release after it reaches the poll.
        api.wait_until_confirmed(offset - 1, PATIENCE);
        api.release_polls();
        assert_eq!(polling.join().unwrap(), [0; 0]);
    });
}

#[test]
fn a_second_poll_ends_the_first_one() {
    let api = ScriptedApi::start();
    let id = api.add_message(&Sender::new(7, 7), "hello");
    let body = json!({"timeout": 50, "offset": id + 1});
    std::thread::scope(|scope| {
        let first = scope.spawn(|| call(&api, "getUpdates", body.clone()).0);
        api.wait_until_confirmed(id, PATIENCE);
        assert_eq!(poll(&api, json!({"timeout": 0})), [0; 0]);
        assert_eq!(first.join().unwrap(), 409);
    });
}

#[test]
fn a_poll_that_is_held_ends_with_the_server() {
    let api = ScriptedApi::start();
    let url = api.method_url("getUpdates");
    let polling = std::thread::spawn(move || http::post(&url, &json!({"timeout": 50})).is_ok());
    api.wait_for_calls("getUpdates", 1, PATIENCE);
    drop(api);
    // Whether the last answer still reaches the client is open; that it ends is not.
    let _ = polling.join().unwrap();
}

#[test]
fn a_network_that_was_lost_comes_back_with_its_updates() {
    let api = ScriptedApi::start();
    let id = api.add_message(&Sender::new(7, 7), "hello");
    let url = api.method_url("getUpdates");
    let waiting = json!({"timeout": 50, "offset": id + 1});
    std::thread::scope(|scope| {
        let polling = scope.spawn(|| http::post(&url, &waiting).is_ok());
        api.wait_until_confirmed(id, PATIENCE);
        api.close();
        let _ = polling.join().unwrap();
    });
    let error = http::post(&url, &waiting).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionRefused);
    let later = api.add_message(&Sender::new(7, 7), "still there?");
    api.reopen();
    assert_eq!(poll(&api, waiting.clone()), [later]);
}

#[test]
fn a_token_is_wrong_or_revoked() {
    let api = ScriptedApi::start();
    let wrong = http::get(&format!("{}/bot1:x/getMe", api.url())).unwrap();
    assert_eq!(wrong.status, 401);
    assert_eq!(api.requests()[0].token, "1:x");
    assert_eq!(call(&api, "getMe", json!({})).1["result"]["is_bot"], true);
    api.everything(Answer::Unauthorized);
    assert_eq!(call(&api, "getMe", json!({})).0, 401);
    api.everything(Answer::Usual);
    assert_eq!(call(&api, "getMe", json!({})).0, 200);
    assert_eq!(http::get(&api.url()).unwrap().status, 404);
}

#[test]
fn what_is_over_a_limit_is_refused() {
    let api = ScriptedApi::start();
    for method in ["sendMessage", "editMessageText"] {
        let body = |text: String| json!({"chat_id": 7, "message_id": 1, "text": text});
        assert_eq!(call(&api, method, body("任".repeat(4096))).0, 200);
        let (status, answer) = call(&api, method, body("任".repeat(4097)));
        assert_eq!(
            (status, &answer["description"]),
            (400, &json!("Bad Request: message is too long"))
        );
    }
    api.always("sendMessage", Answer::Error { code: 400, description: "no".to_owned() });
    for _ in 0..2 {
        assert_eq!(call(&api, "sendMessage", json!({"chat_id": 7, "text": "a"})).0, 400);
    }
}
