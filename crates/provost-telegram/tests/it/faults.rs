//! A network that fails, and updates that come twice or in another order.

use std::time::{Duration, Instant};

use provost_kernel::{Exit, Lang, Message as _, task::VerdictDecision};
use provost_telegram::{Api, ApiError, BotError, Markup, NetworkFault, Note, Outgoing, Timeouts};
use provost_testkit::{stage::task, telegram::Answer};

use crate::world::{PATIENCE, World, methods, person, text};

/// An answer that comes late, or byte by byte, is waited for, and nothing is sent a second time.
#[test]
fn a_slow_server_gets_each_message_once() {
    let world = World::new();
    world.api.script("sendMessage", [Answer::Held, Answer::Drip]);
    let _bot = world.open();
    let first = world.api.add_message(&person(), "/help");
    let second = world.api.add_message(&person(), "/start");
    world.api.wait_for_calls("sendMessage", 1, PATIENCE);
    // Both wait: neither is confirmed before it was handled.
    assert_eq!(world.api.unconfirmed(), [first, second]);
    world.api.release_held();
    world.api.wait_until_confirmed(second, PATIENCE);
    world.api.script("getUpdates", [Answer::Drip]);
    world.api.release_polls();
    world.ask(&person(), "/nonsense");
    let calls = world.api.calls("sendMessage");
    assert_eq!(calls.len(), 3, "{calls:#?}");
}

/// A server that sends a byte now and then is given up after the time of the whole call.
#[test]
fn a_server_that_never_ends_is_given_up() {
    let world = World::new();
    world.api.always("sendMessage", Answer::DripForever);
    let timeouts = Timeouts { connect: PATIENCE, call: Duration::from_secs(1) };
    let (url, token) = (world.api.url(), world.api.token());
    let api = Api::new(url.parse().unwrap(), token.parse().unwrap(), timeouts).unwrap();
    let message = Outgoing { html: "hello".to_owned(), markup: Markup::Nothing };
    let error = api.send_message(7, &message).unwrap_err();
    assert_eq!(error, ApiError::Unreachable { fault: NetworkFault::TimedOut });
}

/// Telegram serves the newest reader: the bot of the project that was first says so and ends.
#[test]
fn two_projects_with_one_token_have_one_bot() {
    let (first, second) = (World::new(), World::new());
    let (url, token) = (first.api.url(), first.api.token());
    let before = first.open();
    first.ask(&person(), "/help");
    let mode = provost_desk::remote::WriteMode::Enabled;
    let _bot = second.start_at(&url, token, mode, 10);
    let error = before.ended().unwrap_err();
    assert_eq!(error.exit(), Exit::Conflict);
    for (lang, expected) in [(Lang::En, "a bot of its own"), (Lang::Zh, "自己的机器人")] {
        let hint = lang.render(&error.hints()[0]);
        assert!(hint.contains(expected) && hint.contains("/newbot"), "{hint}");
    }
    first.ask(&person(), "/help");
}

#[test]
fn an_answer_is_delivered_although_calls_fail() {
    let world = World::new();
    world.stage.judged(&task("t1"), VerdictDecision::Pass);
    let _bot = world.open();
    world.api.script(
        "sendMessage",
        [
            Answer::Status(502),
            Answer::TooManyRequests { retry_after: 1 },
            Answer::CutBefore,
            Answer::Garbage,
        ],
    );
    let id = world.api.add_message(&person(), "/tasks");
    let calls = world.api.wait_for_calls("sendMessage", 5, PATIENCE);
    assert!(calls.iter().all(|it| it.body == calls[0].body));
    assert!(calls[2].at - calls[1].at >= Duration::from_secs(1));
    world.api.wait_until_confirmed(id, PATIENCE);
}

#[test]
fn polling_goes_on_after_the_network_was_lost() {
    let world = World::new();
    world.stage.judged(&task("t1"), VerdictDecision::Pass);
    world.api.script("getMe", [Answer::CutBefore, Answer::Status(500)]);
    let _bot = world.open();
    world.api.script(
        "getUpdates",
        [
            Answer::Status(503),
            Answer::TooManyRequests { retry_after: 1 },
            Answer::CutInBody,
            Answer::Garbage,
            Answer::Huge,
        ],
    );
    world.api.release_polls();
    let answer = world.ask(&person(), "/tasks");
    assert!(text(&answer).contains("t1"), "{answer:#}");
    let notes = world.notes.lock().unwrap();
    assert!(notes.contains(&Note::Back), "{notes:?}");
    assert!(notes.contains(&Note::Waiting { seconds: 1 }), "{notes:?}");
}

#[test]
fn a_chat_that_blocked_the_bot_holds_nothing_up() {
    let world = World::new();
    let _bot = world.open();
    let description = "Forbidden: bot was blocked by the user".to_owned();
    world.api.script("sendMessage", [Answer::Error { code: 403, description }]);
    world.tell(&person(), "/help");
    world.ask(&person(), "/help");
    let notes = world.notes.lock().unwrap();
    assert!(notes.iter().any(|it| matches!(it, Note::Undelivered { .. })), "{notes:?}");
}

#[test]
fn a_second_reader_and_a_revoked_token_end_the_bot() {
    for (answer, expected, exit) in [
        (Answer::Conflict, ApiError::Conflict, Exit::Conflict),
        (Answer::Unauthorized, ApiError::Unauthorized, Exit::Unable),
    ] {
        let world = World::new();
        let bot = world.open();
        world.ask(&person(), "/help");
        world.api.everything(answer);
        let error = bot.ended().unwrap_err();
        assert_eq!(error.exit(), exit);
        let BotError::Api(error) = error else { panic!("{error:?}") };
        assert_eq!(error, expected);
    }
}

#[test]
fn updates_that_come_twice_or_reversed_are_handled_once_and_in_order() {
    let world = World::new();
    world.api.reverse_next();
    world.api.double_next();
    let ids: Vec<i64> = ["/start", "/inbox", "/help"]
        .iter()
        .map(|it| world.api.add_message(&person(), it))
        .collect();
    let bot = world.open();
    for id in &ids {
        world.api.wait_until_confirmed(*id, PATIENCE);
    }
    world.api.replay(ids[0]);
    world.ask(&person(), "/nonsense");
    bot.stop().unwrap();
    let calls = world.api.calls("sendMessage");
    let texts: Vec<&str> = calls.iter().map(|it| text(&it.body)).collect();
    assert_eq!(texts.len(), 4, "{texts:#?}");
    assert!(texts[0].contains("This chat has the id"), "{texts:#?}");
    assert!(texts[1].contains("Nothing waits"), "{texts:#?}");
    assert!(texts[2].starts_with("/tasks"), "{texts:#?}");
}

#[test]
fn an_update_is_confirmed_after_it_was_handled() {
    let world = World::new();
    let _bot = world.open();
    let id = world.api.add_message(&person(), "/help");
    let calls = world.api.wait_for(
        |all| all.iter().any(|it| it.method == "getUpdates" && it.body["offset"] == id + 1),
        PATIENCE,
    );
    let sent = methods(&calls).iter().position(|it| *it == "sendMessage").unwrap();
    let confirmed = calls.iter().position(|it| it.body["offset"] == id + 1).unwrap();
    assert!(sent < confirmed, "{:?}", methods(&calls));
}

#[test]
fn a_bot_in_a_long_poll_ends_when_it_is_asked_to() {
    let world = World::new();
    let bot = world.open();
    world.tell(&person(), "/help");
    // It waits in a poll of 30 s now, or is about to.
    let asked = Instant::now();
    bot.stop().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(25));
    assert!(world.api.unconfirmed().is_empty());
}
