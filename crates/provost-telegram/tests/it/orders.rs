//! What is ordered: through the gate, once, and on record before it takes effect.

use std::{sync::atomic::Ordering, time::Instant};

use provost_desk::remote::WriteMode;
use provost_kernel::task::{Order, State, VerdictDecision};
use provost_testkit::{
    stage::{end, entry, start, task},
    telegram::Sender,
};
use serde_json::{Value, json};

use crate::world::{CHAT, PATIENCE, USER, World, button, person, text};

fn state(world: &World, id: &str) -> State {
    world.stage.desk.look(&task(id)).unwrap().status.value.state
}

/// LOOP-A8, LOOP-A9: an order that is not admitted changes nothing and is on record.
#[test]
fn an_order_is_refused_and_recorded_unless_everything_admits_it() {
    for (mode, chat, user, code) in [
        (WriteMode::Disabled, CHAT, USER, "writes_disabled"),
        (WriteMode::BelowAgent, CHAT, USER, "below_agent"),
        (WriteMode::Enabled, CHAT, 8, "user_not_allowed"),
        (WriteMode::Enabled, 8, USER, "chat_not_allowed"),
    ] {
        let world = World::new();
        world.stage.judged(&task("t1"), VerdictDecision::Pass);
        let _bot = world.start(mode, 10);
        let sender = Sender::new(chat, user);
        let commands = [
            "/approve t1",
            "/reject t1 no",
            "/pause t1",
            "/resume t1",
            "/override t1 max_attempts 9",
        ];
        for (count, command) in commands.into_iter().enumerate() {
            world.tell(&sender, command);
            let actions = world.actions();
            assert_eq!(actions.len(), count + 1, "{command}");
            let last = &actions[count];
            assert_eq!(last["action"], "order.refused", "{last:#}");
            assert_eq!(last["payload"]["refused"], code, "{last:#}");
            assert_eq!(
                (&last["source"], &last["actor"]),
                (&json!("telegram"), &json!(user.to_string()))
            );
        }
        let data = "yes:approve:0123ab628b49d96dcde97a:1.3";
        world.press(&sender, 1, data);
        assert_eq!(world.actions().len(), 6);
        assert_eq!(world.orders(&task("t1")), []);
    }
}

/// LOOP-A9: what strangers order is on record, in a bounded number of entries whose counts add up.
#[test]
fn a_flood_of_forged_orders_leaves_a_bounded_record() {
    let world = World::new();
    world.stage.judged(&task("t1"), VerdictDecision::Pass);
    let bot = world.open();
    let began = world.stage.desk.clock().millis();
    let mut last = 0;
    for n in 0..250_i64 {
        let stranger = Sender::new(99, 99 + n % 2);
        world.api.add_message(&stranger, "/approve t1");
        last = world.api.add_press(&stranger, n, "yes:approve:0123ab628b49d96dcde97a:1.3");
    }
    world.api.wait_until_confirmed(last, PATIENCE);
    bot.stop().unwrap();
    let hours = (world.stage.desk.clock().millis().0 - began.0) / 3_600_000 + 1;
    let actions = world.actions();
    assert!(u64::try_from(actions.len()).unwrap() <= 21 * hours, "{}", actions.len());
    let mut all = 0;
    for it in &actions {
        assert_eq!((&it["action"], &it["source"]), (&json!("order.refused"), &json!("telegram")));
        assert_eq!(it["payload"]["refused"], "chat_not_allowed");
        all += it["payload"]["count"].as_u64().unwrap_or(1);
    }
    assert_eq!(all, 500);
    let counted = actions.iter().find(|it| it["payload"]["count"].is_u64()).unwrap();
    assert_eq!((&counted["actor"], &counted["subject"]), (&json!("several"), &json!("telegram")));
    let chain = std::fs::read_to_string(world.stage.desk.layout().audit().path()).unwrap();
    assert_eq!(chain.matches("order.refused").count(), actions.len());
    assert_eq!(world.orders(&task("t1")), []);
}

/// LOOP-A9, LOOP-U5: an approval is asked for once more, is on record first, and has one effect.
#[test]
fn a_result_is_approved_once_however_often_the_button_comes() {
    let world = World::new();
    world.stage.judged(&task("t1"), VerdictDecision::Pass);
    let bot = world.open();
    let card = world.ask(&person(), "/task t1");
    world.press(&person(), 5, &button(&card, "Approve"));
    assert_eq!(world.orders(&task("t1")), []);
    let asked = world.edited();
    assert!(text(&asked).contains("Approve: t1, attempt 1?"), "{asked:#}");
    let yes = button(&asked, "Approve");
    let said = world.press(&person(), 5, &yes);
    assert_eq!(said, "Done: Approve, t1 (shop)");
    world.press(&person(), 5, &yes);
    let pressed = world.api.add_press(&person(), 5, &yes);
    world.api.wait_until_confirmed(pressed, PATIENCE);
    bot.stop().unwrap();
    // After a restart, an update that was confirmed before comes again.
    let _bot = world.open();
    let answered = world.api.calls("answerCallbackQuery").len();
    world.api.replay(pressed);
    world.api.wait_for_calls("answerCallbackQuery", answered + 1, PATIENCE);
    assert_eq!(world.orders(&task("t1")), [Order::Approve]);
    let actions = world.actions();
    assert_eq!(actions.len(), 1, "{actions:#?}");
    assert_eq!(actions[0]["action"], "task.approve");
    assert_eq!((&actions[0]["source"], &actions[0]["actor"]), (&json!("telegram"), &json!("7")));
    let chain = std::fs::read_to_string(world.stage.desk.layout().audit().path()).unwrap();
    assert!(chain.contains("task.approve"));
}

/// A confirmation belongs to the message that asked, and to what it asked about.
#[test]
fn a_confirmation_that_was_not_asked_for_is_none() {
    let world = World::new();
    let id = task("t1");
    world.stage.judged(&id, VerdictDecision::Pass);
    let _bot = world.open();
    let card = world.ask(&person(), "/task t1");
    world.press(&person(), 5, &button(&card, "Approve"));
    let yes = button(&world.edited(), "Approve");
    let forged = yes.replace(".3", ".9");
    for (message, data) in [(6, yes.as_str()), (5, forged.as_str())] {
        let said = world.press(&person(), message, data);
        assert!(said.contains("expired"), "{data}: {said}");
    }
    assert_eq!(world.orders(&id), []);
    // A review in between has changed what was asked about.
    let rejection = Order::Reject { because: "no".to_owned() };
    world.stage.order(&id, rejection, None).unwrap();
    let said = world.press(&person(), 5, &yes);
    assert!(!said.contains("Done"), "{said}");
    assert!(!world.orders(&id).contains(&Order::Approve));
}

/// Who gives no orders takes nobody's question away.
#[test]
fn a_confirmation_stands_until_somebody_who_may_answers_it() {
    let world = World::new();
    let id = task("t1");
    world.stage.judged(&id, VerdictDecision::Pass);
    let _bot = world.open();
    let card = world.ask(&person(), "/task t1");
    world.press(&person(), 5, &button(&card, "Approve"));
    let asked = world.edited();
    let edits = world.api.calls("editMessageText").len();
    let other = Sender::new(CHAT, 8);
    for data in [button(&asked, "Cancel"), button(&card, "All tasks")] {
        let said = world.press(&other, 5, &data);
        assert!(said.contains("may not give orders here"), "{said}");
    }
    assert_eq!(world.api.calls("editMessageText").len(), edits);
    let said = world.press(&person(), 5, &button(&asked, "Approve"));
    assert_eq!(said, "Done: Approve, t1 (shop)");
    // The card that stands there now is everybody's again.
    world.press(&other, 5, &button(&card, "Refresh"));
    assert_eq!(world.api.calls("editMessageText").len(), edits + 2);
}

/// What waits for a review is not given up by one press.
#[test]
fn going_on_with_a_result_asks_first() {
    let world = World::new();
    let id = task("t1");
    world.stage.judged(&id, VerdictDecision::Pass);
    let _bot = world.open();
    let asked = world.ask(&person(), "/resume t1");
    assert!(text(&asked).contains("Another attempt of t1?"), "{asked:#}");
    assert_eq!(world.orders(&id), []);
}

#[test]
fn a_button_of_an_earlier_attempt_is_refused() {
    let world = World::new();
    let id = task("t1");
    world.stage.judged(&id, VerdictDecision::Pass);
    let _bot = world.open();
    let card = world.ask(&person(), "/task t1");
    world.press(&person(), 5, &button(&card, "Approve"));
    let yes = button(&world.edited(), "Approve");
    let mut open = world.stage.desk.hold(&id).unwrap();
    start(&mut open, 2);
    end(&mut open, Some(VerdictDecision::Pass), provost_kernel::task::ErrorClass::None);
    drop(open);
    let said = world.press(&person(), 5, &yes);
    assert!(said.contains("superseded by attempt 2"), "{said}");
    assert_eq!(world.orders(&id), []);
    assert_eq!(world.actions().last().unwrap()["payload"]["refused"], "desk.moved.superseded");
}

#[test]
fn a_question_is_answered_by_a_reply_and_the_task_goes_on() {
    let world = World::new();
    let id = task("t1");
    world.stage.asked(&id, "mend it", "Which port?");
    let _bot = world.open();
    let card = world.ask(&person(), "/task t1");
    let before = world.api.calls("sendMessage").len();
    world.press(&person(), 5, &button(&card, "Answer"));
    let prompt = world.api.wait_for_calls("sendMessage", before + 1, PATIENCE)[before].body.clone();
    assert_eq!(prompt["reply_markup"]["force_reply"], true, "{prompt:#}");
    // Telegram gives the text of the prompt without its tags.
    let shown = text(&prompt).replace("<code>", "").replace("</code>", "");
    let mut reply = person().message(40, "port <8080> & שלום 😀");
    reply["message"]["reply_to_message"] = json!({
        "message_id": 41, "date": 1, "chat": {"id": CHAT, "type": "supergroup"},
        "from": {"id": 666, "is_bot": true, "first_name": "provost"}, "text": shown,
    });
    let sent = world.api.calls("sendMessage").len();
    let update = world.api.add_update(reply.clone());
    let said = world.api.wait_for_calls("sendMessage", sent + 1, PATIENCE)[sent].body.clone();
    assert_eq!(text(&said), "Answer: t1 goes on (shop)");
    world.api.wait_until_confirmed(update, PATIENCE);
    let answer = Order::Answer { text: "port <8080> & שלום 😀".to_owned() };
    assert_eq!(world.orders(&id), [answer.clone(), Order::Resume]);
    assert_eq!(world.starts.load(Ordering::SeqCst), 1);
    // The same message again, as another update.
    let again = world.api.add_update(reply.clone());
    world.api.wait_until_confirmed(again, PATIENCE);
    assert_eq!(world.orders(&id), [answer, Order::Resume]);
    // A reply to a message of another author is not an answer.
    reply["message"]["reply_to_message"]["from"]["id"] = json!(8);
    reply["message"]["message_id"] = json!(42);
    let other = world.api.add_update(reply);
    world.api.wait_until_confirmed(other, PATIENCE);
    assert_eq!(world.orders(&id).len(), 2);
}

/// Replies to a message of the bot that has this button.
fn reply(world: &World, message: i64, data: &str) -> Value {
    let mut reply = person().message(message, "port 8080");
    reply["message"]["reply_to_message"] = json!({
        "message_id": 9, "date": 1, "chat": {"id": CHAT, "type": "supergroup"},
        "from": {"id": 666, "is_bot": true, "first_name": "provost"}, "text": "t1 asks you",
        "reply_markup": {"inline_keyboard": [[{"text": "Answer", "callback_data": data}]]},
    });
    let sent = world.api.calls("sendMessage").len();
    let update = world.api.add_update(reply);
    let said = world.api.wait_for_calls("sendMessage", sent + 1, PATIENCE)[sent].body.clone();
    world.api.wait_until_confirmed(update, PATIENCE);
    said
}

/// LOOP-A8: one bot may send for several projects, and answers for its own alone.
#[test]
fn an_order_about_another_project_is_refused() {
    let (here, there) = (World::new(), World::new());
    let id = task("t1");
    for world in [&here, &there] {
        world.stage.asked(&id, "mend it", "Which port?");
    }
    let _bots = [here.open(), there.open()];
    let card = there.ask(&person(), "/task t1");
    let said = reply(&here, 40, &button(&card, "Answer"));
    assert!(text(&said).contains("another project"), "{said:#}");
    assert!(text(&said).contains("shop"), "{said:#}");
    for label in ["Answer", "Resume", "Attempts"] {
        let said = here.press(&person(), 9, &button(&card, label));
        assert!(said.contains("another project"), "{label}: {said}");
    }
    let list = there.ask(&person(), "/tasks");
    let said = here.press(&person(), 9, &button(&list, "Inbox"));
    assert!(said.contains("another project"), "{said}");
    assert_eq!((here.orders(&id), there.orders(&id)), (Vec::new(), Vec::new()));
    let refused: Vec<Value> =
        here.actions().iter().map(|it| it["payload"]["refused"].clone()).collect();
    assert_eq!(refused, vec![json!("desk.address.other_project"); 3]);
}

/// A task that was removed and made again was not the one that asked.
#[test]
fn an_order_about_a_task_that_was_made_again_is_refused() {
    let world = World::new();
    let id = task("t1");
    world.stage.asked(&id, "mend it", "Which port?");
    let _bot = world.open();
    let before = world.ask(&person(), "/task t1");
    world.stage.desk.take_away(&id, &entry(&id).actor).unwrap();
    world.stage.desk.delete_removed(&id).unwrap();
    world.stage.asked(&id, "mend it", "Which port?");
    let said = reply(&world, 40, &button(&before, "Answer"));
    assert!(text(&said).contains("made again"), "{said:#}");
    let said = world.press(&person(), 5, &button(&before, "Resume"));
    assert!(said.contains("made again"), "{said}");
    assert_eq!(world.orders(&id), []);
    let last = world.actions().pop().unwrap();
    assert_eq!(last["payload"]["refused"], "desk.address.made_again", "{last:#}");
    let now = world.ask(&person(), "/task t1");
    let said = reply(&world, 41, &button(&now, "Answer"));
    assert_eq!(text(&said), "Answer: t1 goes on (shop)");
}

/// LOOP-A8: a digest can end with what an agent wrote; its words do not say what a reply to it orders.
#[test]
fn a_reply_follows_the_buttons_of_a_message_and_not_its_words() {
    let world = World::new();
    let ids = [task("t1"), task("t2")];
    for id in &ids {
        world.stage.asked(id, "mend it", "Which port?");
    }
    let _bot = world.open();
    let [first, second] =
        ["/task t1", "/task t2"].map(|it| button(&world.ask(&person(), it), "Answer"));
    let forged = second.strip_prefix("order:").unwrap();
    for (message, asked, answered) in
        [(40, vec![&first, &second], 0), (41, vec![&first], 1), (42, vec![], 1)]
    {
        let mut buttons: Vec<Value> =
            asked.into_iter().map(|it| json!([{"text": "Answer", "callback_data": it}])).collect();
        buttons.push(json!([{"text": "Inbox", "callback_data": "rdloop_inbox"}]));
        let mut reply = person().message(message, "port 8080");
        reply["message"]["reply_to_message"] = json!({
            "message_id": 9, "date": 1, "chat": {"id": CHAT, "type": "supergroup"},
            "from": {"id": 666, "is_bot": true, "first_name": "provost"},
            "text": format!("2 changes in shop\n{forged}"),
            "reply_markup": {"inline_keyboard": buttons},
        });
        let update = world.api.add_update(reply);
        world.api.wait_until_confirmed(update, PATIENCE);
        let answers =
            world.orders(&ids[0]).iter().filter(|it| matches!(it, Order::Answer { .. })).count();
        assert_eq!((answers, world.orders(&ids[1]).len()), (answered, 0), "{message}");
    }
}

#[test]
fn every_command_orders_what_it_says() {
    let world = World::new();
    let id = task("t1");
    world.stage.judged(&id, VerdictDecision::NeedUserInput);
    let _bot = world.open();
    let person = person();
    let asked = world.ask(&person, "/override t1 max_attempts 9");
    assert!(text(&asked).contains("max_attempts = 9"), "{asked:#}");
    // The server numbers the messages of the bot from 1.
    let message = i64::try_from(world.api.calls("sendMessage").len()).unwrap();
    let said = world.press(&person, message, &button(&asked, "Override"));
    assert_eq!(said, "Done: Override, t1 (shop)");
    for usage in ["/answer t1", "/reject t1", "/pause", "/override t1 max_attempts", "/task"] {
        let said = world.ask(&person, usage);
        assert!(text(&said).starts_with("Usage: /"), "{said:#}");
    }
    let said = world.ask(&person, "/pause t9");
    assert!(text(&said).contains("cannot find task"), "{said:#}");
    let said = world.ask(&person, "/answer t1 port 8080");
    assert_eq!(text(&said), "Answer: t1 goes on (shop)");
    let orders = world.orders(&id);
    assert!(
        matches!(&orders[0], Order::Override { overrides } if overrides.max_attempts == Some(9))
    );
    assert_eq!(orders[1], Order::Answer { text: "port 8080".to_owned() });
}

#[test]
fn a_rejection_is_confirmed_with_its_reason_and_expires_with_the_bot() {
    let world = World::new();
    world.stage.judged(&task("t1"), VerdictDecision::Pass);
    let bot = world.open();
    let asked = world.ask(&person(), "/reject t1 no <tests>");
    assert!(text(&asked).contains("no &lt;tests&gt;"), "{asked:#}");
    let yes = button(&asked, "Reject");
    bot.stop().unwrap();
    let _bot = world.open();
    let said = world.press(&person(), 1, &yes);
    assert!(said.contains("expired"), "{said}");
    assert_eq!(world.orders(&task("t1")), []);
    let asked = world.ask(&person(), "/reject t1 no <tests>");
    let message = i64::try_from(world.api.calls("sendMessage").len()).unwrap();
    world.press(&person(), message, &button(&asked, "Reject"));
    assert_eq!(world.orders(&task("t1")), [Order::Reject { because: "no <tests>".to_owned() }]);
    assert_eq!(state(&world, "t1"), State::ReadyForReview);
}

/// LOOP-A16: the eleventh order within a minute is refused and recorded, also after a restart, and is not
/// carried out when it is delivered again.
#[test]
#[expect(clippy::disallowed_methods, reason = "a minute passes in the file that counts it")]
fn ten_orders_in_any_minute_are_taken() {
    let world = World::new();
    for number in 0..12 {
        world.stage.judged(&task(&format!("t{number}")), VerdictDecision::NeedUserInput);
    }
    let began = Instant::now();
    let bot = world.start(WriteMode::Enabled, 10);
    for number in 0..10 {
        let said = world.ask(&person(), &format!("/answer t{number} yes"));
        assert!(text(&said).contains("goes on"), "{said:#}");
    }
    let sent = world.api.calls("sendMessage").len();
    let eleventh = world.api.add_message(&person(), "/answer t10 yes");
    let said = world.api.wait_for_calls("sendMessage", sent + 1, PATIENCE)[sent].body.clone();
    world.api.wait_until_confirmed(eleventh, PATIENCE);
    bot.stop().unwrap();
    let _bot = world.start(WriteMode::Enabled, 10);
    let again = world.ask(&person(), "/answer t11 yes");
    assert!(began.elapsed().as_secs() < 60, "ten orders and a restart take more than a minute");
    for said in [&said, &again] {
        assert!(text(said).contains("too many orders within a minute: at most 10"), "{said:#}");
    }
    // The minute is over, and the update comes once more.
    let at = world.stage.desk.layout().remote_orders().path();
    let mut kept: Value = serde_json::from_slice(&std::fs::read(&at).unwrap()).unwrap();
    assert_eq!(kept["taken"].as_array().unwrap().len(), 10);
    kept["taken"] = json!([]);
    std::fs::write(&at, kept.to_string()).unwrap();
    let sent = world.api.calls("sendMessage").len();
    world.api.replay(eleventh);
    let said = world.api.wait_for_calls("sendMessage", sent + 1, PATIENCE)[sent].body.clone();
    assert!(text(&said).contains("not carried out later"), "{said:#}");
    let said = world.ask(&person(), "/answer t10 yes");
    assert!(text(&said).contains("goes on"), "{said:#}");
    let refused: Vec<Value> = world
        .actions()
        .into_iter()
        .filter(|it| it["action"] == "order.refused")
        .map(|it| it["payload"]["refused"].clone())
        .collect();
    assert_eq!(refused, ["too_many", "too_many", "refused_before"]);
}

#[test]
fn forged_data_changes_nothing_and_is_answered() {
    let world = World::new();
    world.stage.judged(&task("t1"), VerdictDecision::Pass);
    let _bot = world.open();
    for data in [
        "",
        "rdloop_next:../../etc/passwd",
        "rdloop_next:3.1.0123456789abcdef",
        "show:card:0123ab0123456789abcdef",
        "order:approve:0123ab0123456789abcdef:1.1",
        "yes:reject:0123ab628b49d96dcde97a:1.3",
        "yes:pause:0123ab628b49d96dcde97a:1.3",
        "yes:approve:0123ab628b49d96dcde97a:9.9",
        "order:land:0123ab628b49d96dcde97a:1.3",
        "😀",
    ] {
        world.press(&person(), 3, data);
        assert_eq!(world.orders(&task("t1")), [], "{data}");
    }
    let answer = world.ask(&person(), "/tasks");
    assert!(text(&answer).contains("t1"), "{answer:#}");
}
