//! A chat of the Telegram bot as a channel.

use std::{sync::Arc, time::Duration};

use provost_desk::board::ProjectRef;
use provost_notify::{Channel, Delivery, DeliveryError, Room, account, told};
use provost_telegram::{Api, ApiError, ROOM, Told, notification, short_notification, weight};

/// One chat.
pub(super) struct Chat {
    api: Arc<Api>,
    id: i64,
    target: String,
    /// Who is mentioned, if it is a group.
    mention: Option<String>,
    from: ProjectRef,
}

impl Chat {
    pub(super) fn new(api: Arc<Api>, id: i64, mention: Option<&str>, from: ProjectRef) -> Self {
        // The ids of groups are negative.
        let mention = mention.filter(|_| id < 0).map(str::to_owned);
        Self { api, id, target: format!("telegram:{id}"), mention, from }
    }
}

impl Channel for Chat {
    fn target(&self) -> &str {
        &self.target
    }

    fn account(&self) -> String {
        account(&self.target, &self.api.identity())
    }

    fn deliver(&self, delivery: &Delivery<'_>) -> Result<(), DeliveryError> {
        let (title, lines) = told(delivery, Room { most: ROOM, weight });
        let told = Told {
            notices: delivery.notices,
            mention: self.mention.as_deref(),
            title: &title,
            lines: &lines,
            project: delivery.project,
            from: self.from,
            lang: delivery.lang,
        };
        let sent = self.api.send_message(self.id, &notification(&told));
        // One that is refused for what it says must not hold up the ones behind it.
        let sent = match sent {
            Err(ApiError::Refused { .. }) => {
                self.api.send_message(self.id, &short_notification(&told))
            }
            sent => sent,
        };
        sent.map(drop).map_err(|error| {
            let retry_after = match &error {
                ApiError::RetryAfter { seconds } => Some(Duration::from_secs(*seconds)),
                ApiError::Conflict
                | ApiError::Unauthorized
                | ApiError::Refused { .. }
                | ApiError::Unreachable { .. }
                | ApiError::NoCertificates
                | ApiError::Stopped => None,
            };
            DeliveryError { retry_after, ..DeliveryError::from(error) }
        })
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Lang, Text, Timestamp,
        notify::{Notice, NoticeKind},
        task::PauseCode,
    };
    use provost_telegram::{Markup, Outgoing};

    use super::*;

    fn asks(number: u64, question: &str) -> Notice {
        let (kind, why) = (NoticeKind::Paused, Text::verbatim("why"));
        let plain = Notice::of_project(kind, Timestamp::EPOCH, ("", "", number), why);
        Notice {
            task_id: Some(format!("t{number}").parse().unwrap()),
            pause_reason_code: Some(PauseCode::WaitingUserInput),
            questions: vec![Text::verbatim(question.to_owned())],
            ..plain
        }
    }

    fn made(notices: &[&Notice], lang: Lang) -> Outgoing {
        let delivery = Delivery { notices, lang, project: "shop", page: None };
        let (title, lines) = told(&delivery, Room { most: ROOM, weight });
        let (mention, project) = (Some("@ann"), "shop");
        let title = title.as_str();
        let from = "0123ab".parse().unwrap();
        notification(&Told { notices, mention, title, lines: &lines, project, from, lang })
    }

    fn labels(message: &Outgoing) -> Vec<&str> {
        let Markup::Buttons(rows) = &message.markup else { return Vec::new() };
        rows.iter().flatten().map(|it| it.text.as_str()).collect()
    }

    /// LOOP-A16: a digest in a chat has the questions, the commands of the chat, and a button each.
    #[test]
    fn a_digest_asks_and_says_how_to_answer() {
        let all = [asks(1, "Which <port>? /approve t1"), asks(2, "Why?")];
        let message = made(&[&all[0], &all[1]], Lang::En);
        for expected in [
            "answer with `/answer t1 TEXT`",
            "<code>Which &lt;port&gt;? /approve t1</code>",
            "<code>Why?</code>",
        ] {
            assert!(message.html.contains(expected), "{}", message.html);
        }
        assert_eq!(labels(&message), ["Answer t1", "Answer t2", "Inbox"]);
        let zh = made(&[&all[0], &all[1]], Lang::Zh);
        assert!(zh.html.contains("用 `/answer t1 TEXT` 回答"), "{}", zh.html);
        assert_eq!(labels(&zh), ["回答 t1", "回答 t2", "收件箱"]);
        // A task that asked twice waits for an answer to what it asked last.
        let message = made(&[&all[0], &asks(1, "And why?")], Lang::En);
        assert_eq!(labels(&message), ["Answer t1", "Inbox"]);
    }

    /// LOOP-U5: however long the reasons are, what is asked and whose project it is stand in the message.
    #[test]
    fn a_long_notice_keeps_its_question() {
        for part in ["a ", "汉", "😀", "\"", "<", "👩\u{200d}💻"] {
            let long = |head: &str| Text::verbatim(format!("{head} {}", part.repeat(3000)));
            let reasons = vec![long("first"), long("second"), long("third")];
            let asked = Notice { reasons, questions: vec![long("Which port?")], ..asks(1, "") };
            let message = made(&[&asked], Lang::En);
            assert!(message.html.encode_utf16().count() <= 4096, "{part}");
            assert!(message.html.contains("<code>Which port? "), "{}", message.html);
            assert!(message.html.ends_with("\u{2068}shop\u{2069}"), "{}", message.html);
        }
    }

    #[test]
    fn a_digest_fits_into_a_message_and_says_what_it_leaves_out() {
        for part in ["a", "汉", "😀", "\"", "<", "👩\u{200d}💻"] {
            let all: Vec<Notice> = (0..30).map(|it| asks(it, &part.repeat(2000))).collect();
            let all: Vec<&Notice> = all.iter().collect();
            let message = made(&all, Lang::En);
            assert!(message.html.encode_utf16().count() <= 4096, "{part}");
            let named = message.html.matches("asks you").count();
            let last = message.html.lines().last().unwrap();
            assert!(last.contains(&format!("and {} more: `/inbox`", 30 - named)), "{last}");
            assert!((1..30).contains(&named));
            assert_eq!(labels(&message).len(), 9);
        }
    }
}
