//! A conversation in both languages with a Bot API server that is not ours. What is shown of it in
//! `docs/notify.md` is what was said here.

use std::fmt::Write as _;

use provost_desk::remote::WriteMode;
use provost_kernel::task::{Order, VerdictDecision};
use provost_testkit::{
    stage::task,
    telegram::{BotMessage, TestApi},
};

use crate::world::{CHAT, PATIENCE, USER, World};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/notify.md");

/// What a person writes and presses, and what stands in the chat afterwards.
struct Conversation<'a> {
    api: &'a TestApi,
    language: &'a str,
    transcript: String,
}

impl Conversation<'_> {
    /// Writes something, and waits for the answer.
    fn say(&mut self, text: &str) -> BotMessage {
        let before = self.api.bot_messages().len();
        self.api.client_says(CHAT, USER, text, self.language);
        let messages = self.api.wait_for(|it| it.len() > before, PATIENCE);
        let answer = messages[before].clone();
        self.note(&format!("> {text}"), &answer);
        answer
    }

    /// Presses a button, and waits until the message is another one.
    fn press(&mut self, message: &BotMessage, label: &str) -> BotMessage {
        let all = message.buttons.iter().flatten();
        let button = all.clone().find(|it| it.text == label).unwrap();
        let data = button.data.as_deref().unwrap();
        self.api.client_presses(CHAT, USER, message.message_id, data, self.language);
        let same = |it: &&BotMessage| it.message_id == message.message_id;
        let is_edited =
            |it: &[BotMessage]| it.iter().rfind(same).is_some_and(|it| it.text != message.text);
        let messages = self.api.wait_for(is_edited, PATIENCE);
        let answer = messages.iter().rfind(same).unwrap().clone();
        self.note(&format!("> [{label}]"), &answer);
        answer
    }

    fn note(&mut self, said: &str, answer: &BotMessage) {
        let _ = writeln!(self.transcript, "{said}\n\n{}", plain(&answer.text));
        for row in &answer.buttons {
            let row: Vec<String> = row.iter().map(|it| format!("[{}]", it.text)).collect();
            let _ = writeln!(self.transcript, "{}", row.join(" "));
        }
        self.transcript.push('\n');
    }
}

/// A message as a client shows it, with the same time in every run.
fn plain(html: &str) -> String {
    let mut text = html.to_owned();
    for tag in ["b", "code"] {
        text = text.replace(&format!("<{tag}>"), "").replace(&format!("</{tag}>"), "");
    }
    for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")] {
        text = text.replace(entity, character);
    }
    let text = text.replace(['\u{2068}', '\u{2069}'], "");
    let lines = text.lines().map(|line| match line.find("20").map(|at| line.split_at(at)) {
        Some((before, time)) if time.len() == 20 && time.ends_with('Z') => {
            format!("{before}2026-01-31T12:00:00Z")
        }
        Some(_) | None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_conversation_in_the_documentation_is_what_is_said() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    for (language, questions) in [("en", "Questions"), ("zh-hans", "问题")] {
        let world = World::new();
        world.stage.asked(&task("login-form"), "validate the login form", "Which port?");
        world.stage.judged(&task("rate-limit"), VerdictDecision::Pass);
        let api = TestApi::start();
        let _bot = world.start_at(api.url(), api.token(), WriteMode::Enabled, 10);
        let mut talk = Conversation { api: &api, language, transcript: String::new() };
        let list = talk.say("/tasks");
        let card = talk.press(&list, "1");
        talk.press(&card, questions);
        talk.say("/answer login-form port 8080");
        assert_eq!(
            world.orders(&task("login-form")),
            [Order::Answer { text: "port 8080".to_owned() }, Order::Resume]
        );
        let transcript = talk.transcript.trim().to_owned();
        assert!(page.contains(&transcript), "docs/notify.md lacks this:\n{transcript}");
    }
}
