//! What is shown: the list, the card and what lies behind it, in both languages.

use provost_desk::remote::WriteMode;
use provost_kernel::task::{Order, VerdictDecision};
use provost_testkit::{
    stage::task,
    telegram::{Sender, limits},
};

use crate::world::{CHAT, USER, World, button, person, text};

#[test]
fn the_list_has_five_a_page_and_turns_both_ways() {
    let world = World::new();
    for number in 1..=7 {
        world.stage.judged(&task(&format!("t{number}")), VerdictDecision::Pass);
    }
    let _bot = world.open();
    let first = world.ask(&person(), "/rdloop");
    assert!(text(&first).contains("Tasks 1–5 of 7"), "{first:#}");
    assert!(text(&first).contains("✅ READY FOR REVIEW"), "{first:#}");
    let next = button(&first, "Next");
    assert!(next.starts_with("rdloop_next:"), "{next}");
    world.press(&person(), 1, &next);
    let second = world.edited();
    assert!(text(&second).contains("Tasks 6–7 of 7"), "{second:#}");
    assert!(!second.to_string().contains("rdloop_next:"), "{second:#}");
    world.press(&person(), 1, &button(&second, "Previous"));
    assert_eq!(text(&world.edited()), text(&first));
    // Each task stands on one page.
    for number in 1..=7 {
        let name = format!("<code>t{number}</code>");
        let shown = text(&first).contains(&name) ^ text(&second).contains(&name);
        assert!(shown, "{name}");
    }
    // The number of a task opens its card.
    world.press(&person(), 1, &button(&second, "6"));
    assert!(text(&world.edited()).contains("attempt 1 of"), "{:#}", world.edited());
}

#[test]
fn a_card_leads_to_everything_in_both_languages() {
    let world = World::new();
    let long = "a".repeat(64);
    world.stage.asked(&task(&long), "mend <b>it</b> & \u{202e}go", "Which <port>?");
    let _bot = world.open();
    for (tag, attempts, questions, answer, state) in [
        ("en", "Attempts", "Questions", "Answer", "🟡 PAUSED"),
        ("zh-hans", "尝试", "问题", "回答", "🟡 已暂停"),
    ] {
        let person = person().language(tag).named("\u{202e}שלום 👩\u{200d}💻 <i>");
        let card = world.ask(&person, &format!("/task {}", &long[..10]));
        let shown = text(&card);
        assert!(shown.contains(state) && shown.contains(&long), "{card:#}");
        assert!(shown.contains("mend &lt;b&gt;it&lt;/b&gt; &amp; go"), "{card:#}");
        assert!(shown.contains("PAUSED_WAITING_USER_INPUT"), "{card:#}");
        world.press(&person, 2, &button(&card, attempts));
        assert!(text(&world.edited()).contains(&long), "{:#}", world.edited());
        world.press(&person, 2, &button(&card, questions));
        let asked = world.edited();
        assert!(text(&asked).contains("Which &lt;port&gt;?"), "{asked:#}");
        assert!(button(&asked, answer).starts_with("order:answer:"));
        for call in world.api.requests() {
            assert_eq!(
                limits::check(&call.body).err().filter(|_| call.method == "editMessageText"),
                None
            );
        }
    }
    for label in ["Criteria", "Events"] {
        let card = world.ask(&person(), &format!("/task {long}"));
        world.press(&person(), 2, &button(&card, label));
        assert!(text(&world.edited()).contains(label), "{:#}", world.edited());
    }
    let inbox = world.ask(&person(), "/inbox");
    assert!(text(&inbox).contains("Which &lt;port&gt;?"), "{inbox:#}");
}

/// What somebody else wrote is told from provost's own words.
#[test]
fn what_an_agent_wrote_is_quoted() {
    let world = World::new();
    let lie = "Done: Approve, t1 /approve t1";
    world.stage.asked(&task("t1"), lie, lie);
    let _bot = world.open();
    let quoted = format!("<code>\u{2068}{lie}\u{2069}</code>");
    let card = world.ask(&person(), "/task t1");
    let (inbox, list) = (world.ask(&person(), "/inbox"), world.ask(&person(), "/tasks"));
    world.press(&person(), 2, &button(&card, "Questions"));
    let questions = world.edited();
    for (shown, times) in [(&card, 2), (&inbox, 1), (&questions, 1)] {
        assert_eq!(text(shown).matches(lie).count(), times, "{shown:#}");
        assert_eq!(text(shown).matches(&quoted).count(), times, "{shown:#}");
    }
    assert!(!text(&list).contains(lie) || text(&list).contains(&quoted), "{list:#}");
}

#[test]
fn the_inbox_has_pages_and_what_was_answered() {
    let world = World::new();
    for number in 1..=12 {
        let id = task(&format!("t{number:02}"));
        world.stage.asked(&id, "mend it", &format!("Which port for {number:02}?"));
    }
    let answer = Order::Answer { text: "port 8080".to_owned() };
    world.stage.order(&task("t03"), answer, None).unwrap();
    let _bot = world.open();
    let first = world.ask(&person(), "/inbox");
    assert!(text(&first).contains("Waiting for you: 1–10 of 12"), "{first:#}");
    let answered = "Answered, and no attempt was told yet: <code>\u{2068}port 8080\u{2069}</code>";
    world.press(&person(), 1, &button(&first, "Next"));
    let second = world.edited();
    assert!(text(&second).contains("Waiting for you: 11–12 of 12"), "{second:#}");
    assert!(!second.to_string().contains("\"Next\""), "{second:#}");
    let shown = [text(&first), text(&second)].concat();
    for number in 1..=12 {
        assert_eq!(shown.matches(&format!("Which port for {number:02}?")).count(), 1, "{number}");
    }
    assert_eq!(shown.matches(answered).count(), 1, "{shown}");
    world.press(&person(), 1, &button(&second, "Previous"));
    assert_eq!(text(&world.edited()), text(&first));
}

/// An attempt that ended runs no more, whatever became of the task.
#[test]
fn an_attempt_that_ended_is_not_shown_as_running() {
    let world = World::new();
    world.stage.judged(&task("t1"), VerdictDecision::Fail);
    let _bot = world.open();
    let card = world.ask(&person(), "/task t1");
    world.press(&person(), 2, &button(&card, "Attempts"));
    let shown = world.edited();
    assert!(text(&shown).contains("✘ did not pass"), "{shown:#}");
    assert!(!text(&shown).contains("RUNNING"), "{shown:#}");
}

#[test]
fn a_text_of_any_length_is_sent() {
    let world = World::new();
    for (number, part) in ["<", "😀", "&", "שלום"].iter().enumerate() {
        let id = task(&format!("long{number}"));
        world.stage.asked(&id, &part.repeat(9000), &part.repeat(9000));
    }
    let _bot = world.open();
    for number in 0..4 {
        let card = world.ask(&person(), &format!("/task long{number}"));
        assert_eq!(limits::check(&card), Ok(()), "{card:#}");
        world.press(&person(), 2, &button(&card, "Questions"));
        assert_eq!(limits::check(&world.edited()), Ok(()));
    }
    for command in ["/tasks", "/inbox", "/help", "/start", "/nonsense"] {
        let answer = world.ask(&person(), command);
        assert_eq!(limits::check(&answer), Ok(()), "{answer:#}");
    }
}

#[test]
fn a_stranger_learns_its_chat_and_nothing_else() {
    let world = World::new();
    world.stage.judged(&task("secret-task"), VerdictDecision::Pass);
    let _bot = world.open();
    let stranger = Sender::new(99, 99);
    let told = world.ask(&stranger, "/tasks");
    assert!(text(&told).contains("99") && !text(&told).contains("secret"), "{told:#}");
    for said in ["/tasks", "/start", "hello", "/task secret-task"] {
        world.tell(&stranger, said);
    }
    assert_eq!(world.api.calls("sendMessage").len(), 1);
    let notice = world.press(&stranger, 1, "rdloop_next:");
    assert!(notice.contains("99"), "{notice}");
    assert_eq!(world.api.calls("editMessageText").len(), 0);
    // A person who is on the list reads in no other chat.
    world.tell(&Sender::new(-5, USER), "/tasks@another_bot");
    let elsewhere = world.ask(&Sender::new(-5, USER), "/tasks");
    assert!(!text(&elsewhere).contains("secret"), "{elsewhere:#}");
    // Another person reads in a chat that is on the list, without orders.
    let card = world.ask(&Sender::new(CHAT, 8), "/task secret-task");
    assert!(text(&card).contains("secret-task"));
    assert!(!card.to_string().contains("order:"), "{card:#}");
}

#[test]
fn a_read_only_bot_offers_no_orders() {
    let world = World::new();
    world.stage.judged(&task("t1"), VerdictDecision::Pass);
    let _bot = world.start(WriteMode::Disabled, 10);
    let card = world.ask(&person(), "/task t1");
    assert!(!card.to_string().contains("order:"), "{card:#}");
    let help = world.ask(&person(), "/help");
    assert!(text(&help).contains("Orders are switched off."), "{help:#}");
}
