//! The Bot API server that is not ours: it starts, carries both directions, and ends.

use std::{net::TcpStream, time::Duration};

use provost_testkit::{
    http,
    telegram::{BotMessage, Button, Sender, TestApi},
};
use serde_json::{Value, json};

/// A cap for what should come at once.
const PATIENCE: Duration = Duration::from_mins(1);

fn call(api: &TestApi, method: &str, body: Value) -> Value {
    let url = format!("{}/bot{}/{method}", api.url(), api.token());
    let response = http::post(&url, &body).unwrap();
    assert_eq!(response.status, 200, "{}", response.json());
    response.json()["result"].take()
}

#[test]
fn messages_and_presses_reach_the_bot() {
    let api = TestApi::start();
    let sender = Sender::new(-7, 8).language("zh-hans").named("\u{202e}مرحبا😀");
    api.say(&sender, "你好");
    api.client_says(7, 8, "/tasks 2", "en");
    api.press(&sender, 3, "card:t1");
    api.client_presses(7, 8, 4, "page:2", "en");
    let updates = call(&api, "getUpdates", json!({"timeout": 30}));
    let updates = updates.as_array().unwrap();
    let [text, command, press, other] = &updates[..] else { panic!("{updates:?}") };
    assert_eq!(text["message"]["text"], "你好");
    assert_eq!(text["message"]["chat"]["id"], -7);
    assert_eq!(text["message"]["from"]["first_name"], "\u{202e}مرحبا😀");
    assert_eq!(text["message"]["from"]["language_code"], "zh-hans");
    assert_eq!(command["message"]["entities"][0]["length"], 6);
    assert_eq!(press["callback_query"]["data"], "card:t1");
    assert_eq!(press["callback_query"]["message"]["message_id"], 3);
    assert_eq!(other["callback_query"]["message"]["chat"]["id"], 7);
    let id = |it: &Value| it["update_id"].as_i64().unwrap();
    assert!(updates.windows(2).all(|it| id(&it[0]) < id(&it[1])), "{updates:?}");
}

#[test]
fn messages_of_the_bot_are_read_as_edited() {
    let api = TestApi::start();
    let keyboard = |data: &str| {
        let rows =
            json!([[{"text": "▶", "callback_data": data}, {"text": "?", "url": "http://x"}]]);
        json!({ "inline_keyboard": rows })
    };
    let sent = call(
        &api,
        "sendMessage",
        json!({"chat_id": 7, "text": "1 task", "parse_mode": "HTML", "reply_markup": keyboard("a")}),
    );
    call(&api, "sendMessage", json!({"chat_id": 8, "text": "other"}));
    let message_id = sent["message_id"].as_i64().unwrap();
    let edit = json!({"chat_id": 7, "message_id": message_id, "text": "2 tasks",
                      "reply_markup": keyboard("b")});
    call(&api, "editMessageText", edit);
    let messages = api.wait_for(|it| it.iter().any(|it| it.text == "2 tasks"), PATIENCE);
    let button = |text: &str, data: Option<&str>| Button {
        text: text.to_owned(),
        data: data.map(str::to_owned),
    };
    let expected = BotMessage {
        chat: 7,
        message_id,
        text: "2 tasks".to_owned(),
        parse_mode: Some("HTML".to_owned()),
        buttons: vec![vec![button("▶", Some("b")), button("?", None)]],
    };
    assert_eq!(messages[0], expected);
    assert_eq!((messages[1].chat, messages[1].text.as_str()), (8, "other"));
}

#[test]
fn a_test_waits_for_what_the_bot_does() {
    let api = TestApi::start();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Held until the message below comes.
            let updates = call(&api, "getUpdates", json!({"timeout": 30}));
            call(&api, "answerCallbackQuery", json!({"callback_query_id": "1"}));
            let text = updates[0]["message"]["text"].clone();
            call(&api, "sendMessage", json!({"chat_id": 7, "text": text}));
        });
        api.client_says(7, 8, "hello", "en");
        api.wait_for_calls("answerCallbackQuery", 1, PATIENCE);
        let messages = api.wait_for(|it| !it.is_empty(), PATIENCE);
        assert_eq!(messages[0].text, "hello");
    });
}

#[test]
fn servers_are_apart_and_end_with_their_tests() {
    let [first, second] = [TestApi::start(), TestApi::start()];
    first.client_says(7, 8, "hello", "en");
    call(&second, "sendMessage", json!({"chat_id": 7, "text": "hello"}));
    assert!(first.bot_messages().is_empty());
    let address = first.url().trim_start_matches("http://").to_owned();
    drop(first);
    let error = TcpStream::connect(address).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionRefused);
    assert_eq!(second.bot_messages().len(), 1);
}
