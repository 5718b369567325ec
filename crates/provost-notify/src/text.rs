//! What a notice says to a person.

use std::iter;

use provost_desk::{
    notify::NoticeLine,
    remote::{is_invisible, redact},
    task::{AttemptCount, addressed},
};
use provost_kernel::{
    Lang, Message, TaskId, Text,
    notify::{Notice, NoticeKind},
};

use crate::Room;

/// A question and a reason are cut after so many characters.
const LONGEST: usize = 1000;
/// Where a message has no room for all of them, they are cut shorter, and not shorter than this.
const SHORTEST: usize = 60;

/// What happened, in a few words.
#[derive(Debug, Message)]
#[message(code = "notice.headline")]
pub enum Headline<'a> {
    #[message(en = "✅ {task} is ready for review", zh = "✅ {task} 待审阅")]
    Ready { task: &'a str },
    #[message(en = "🔴 {task} failed", zh = "🔴 {task} 已失败")]
    Failed { task: &'a str },
    #[message(en = "❓ {task} asks you", zh = "❓ {task} 有问题要问你")]
    Asks { task: &'a str },
    #[message(en = "🟡 {task} needs you", zh = "🟡 {task} 需要你处理")]
    Paused { task: &'a str },
    #[message(en = "💰 {task} has spent 80 % of its budget", zh = "💰 {task} 已用去预算的 80%")]
    Budget { task: &'a str },
    #[message(en = "🛡 the guard failed in {project}", zh = "🛡 {project} 的守卫出现故障")]
    Guard { project: &'a str },
    #[message(en = "🔔 provost can reach you", zh = "🔔 provost 可以通知到你")]
    Test,
    #[message(en = "🔔 {count} changes in {project}", zh = "🔔 {project} 有 {count} 项变化")]
    Digest { count: usize, project: &'a str },
}

/// More about it.
#[derive(Debug, Message)]
#[message(code = "notice.line")]
enum Line<'a> {
    #[message(en = "Reason: {code}", zh = "原因：{code}")]
    Code { code: &'a str },
    #[message(
        en = "Show it in {project}: `provost show {task}`",
        zh = "在 {project} 中查看：`provost show {task}`"
    )]
    Show { task: &'a str, project: &'a str },
    #[message(
        en = "Answer it in {project}: `provost answer {task} TEXT`",
        zh = "在 {project} 中回答：`provost answer {task} TEXT`"
    )]
    Answer { task: &'a str, project: &'a str },
}

/// The title of one notice.
pub fn title(notice: &Notice, project: &str, lang: Lang) -> String {
    let task = notice.task_id.as_ref().map_or("", |it| it.as_str());
    let headline = match notice.kind {
        NoticeKind::Ready => Headline::Ready { task },
        NoticeKind::Failed => Headline::Failed { task },
        NoticeKind::Paused if notice.is_question() => Headline::Asks { task },
        NoticeKind::Paused => Headline::Paused { task },
        NoticeKind::Budget => Headline::Budget { task },
        NoticeKind::Guard => Headline::Guard { project },
        NoticeKind::Test => Headline::Test,
    };
    lang.render(&headline.text())
}

/// What else one notice says, a line each: what happened, why, and what is asked. A long reason leaves
/// room for the question.
pub fn notice_lines(notice: &Notice, lang: Lang, room: Room) -> Vec<NoticeLine> {
    let lengths = iter::successors(Some(LONGEST), |it| Some(it / 2));
    let mut lines = Vec::new();
    for most in lengths.take_while(|it| *it >= SHORTEST) {
        lines = lines_of(notice, most, lang);
        if room.weigh(&lines) <= room.most {
            return lines;
        }
    }
    let mut left = room.most;
    lines.retain(|it| {
        let rest = left.checked_sub((room.weight)(it));
        left = rest.unwrap_or(left);
        rest.is_some()
    });
    lines
}

/// The same with texts of at most so many characters.
fn lines_of(notice: &Notice, most: usize, lang: Lang) -> Vec<NoticeLine> {
    let mut lines: Vec<NoticeLine> = Vec::new();
    // A question is often the message, too.
    let mut add = |line: NoticeLine| {
        if !line.text.is_empty() && !lines.iter().any(|it| it.text == line.text) {
            lines.push(line);
        }
    };
    add(line(&notice.message, notice, most, lang));
    reasons(notice, most, lang).for_each(&mut add);
    if notice.kind == NoticeKind::Paused {
        notice.questions.iter().for_each(|it| add(line(it, notice, most, lang)));
        if let Some(code) = notice.pause_reason_code {
            add(own(Line::Code { code: code.as_str() }.text(), lang));
        }
    }
    if notice.task_id.is_some() {
        let count = notice.count.unwrap_or(notice.attempt);
        add(own(AttemptCount { count, of: notice.max_attempts }.text(), lang));
    }
    lines
}

/// The command that answers a question or says more, for who sits at a terminal.
pub(crate) fn show_line(notice: &Notice, project: &str, lang: Lang) -> Option<NoticeLine> {
    let task = notice.task_id.as_ref()?.as_str();
    let line = if notice.is_question() {
        Line::Answer { task, project }
    } else {
        Line::Show { task, project }
    };
    Some(own(line.text(), lang))
}

/// What spoke against an attempt. A judge, an agent or a path may have a part in it.
pub(crate) fn reasons(
    notice: &Notice,
    most: usize,
    lang: Lang,
) -> impl Iterator<Item = NoticeLine> {
    let reasons = notice.reasons.iter();
    reasons.map(move |it| NoticeLine { is_quoted: true, ..line(it, notice, most, lang) })
}

/// A text of a notice in one line of at most so many characters.
pub(crate) fn line(text: &Text, notice: &Notice, most: usize, lang: Lang) -> NoticeLine {
    let said = said(text, notice.task_id.as_ref(), lang);
    NoticeLine { text: shortened(&said, most), is_quoted: text.code().is_none() }
}

/// A line of provost's own.
pub(crate) fn own(text: Text, lang: Lang) -> NoticeLine {
    NoticeLine { text: lang.render(&text), is_quoted: false }
}

/// A text whose commands name the task. What somebody else wrote stays letter for letter, but for a secret
/// in it: a part of one would not be known for what it is once the text is cut.
fn said(text: &Text, task: Option<&TaskId>, lang: Lang) -> String {
    let line = redact(&lang.render(text));
    match task.filter(|_| text.code().is_some()) {
        Some(task) => addressed(&line, task),
        None => line,
    }
}

/// One line of at most so many characters, without what an agent could turn a phone's text around with,
/// or drive a terminal.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let seen =
        text.chars().filter(|&it| it.is_whitespace() || !(it.is_control() || is_invisible(it)));
    let text: String = seen.collect();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    line.chars().take(most - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Timestamp,
        task::{PauseCode, State},
    };

    use super::*;

    #[derive(Debug, Message)]
    #[message(code = "notify.tests.why", en = "none is left", zh = "次数已用完")]
    struct Why;

    fn notice(kind: NoticeKind) -> Notice {
        let made = Notice::of_project(kind, Timestamp::EPOCH, ("", "", 1), Why.text());
        let task_id = Some("t1".parse().unwrap());
        Notice { task_id, state: Some(State::Failed), max_attempts: 3, ..made }
    }

    #[track_caller]
    fn check(notice: &Notice, lang: Lang, expected: &[&str]) {
        let lines = notice_lines(notice, lang, Room::BYTES);
        let said: Vec<&str> = lines.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(said, expected);
    }

    #[test]
    fn a_failure_and_a_pause_say_why() {
        let reasons = vec![Text::verbatim("the \u{202e}test\u{1b}[31m\n failed")];
        let failed = Notice { count: Some(3), attempt: 4, reasons, ..notice(NoticeKind::Failed) };
        check(&failed, Lang::En, &["none is left", "the test[31m failed", "attempt 3 of 3"]);
        let zh = ["次数已用完", "the test[31m failed", "第 3 次尝试，共 3 次"];
        check(&failed, Lang::Zh, &zh);
        let pause_reason_code = Some(PauseCode::Budget);
        let questions = vec![Why.text(), Text::verbatim("More?")];
        let paused = Notice { pause_reason_code, questions, ..notice(NoticeKind::Paused) };
        let en = ["none is left", "More?", "Reason: PAUSED_BUDGET", "not begun"];
        check(&paused, Lang::En, &en);
        // How much of the budget it is.
        check(&notice(NoticeKind::Budget), Lang::En, &["none is left", "not begun"]);
    }

    #[test]
    fn a_question_ends_with_the_command_that_answers_it() {
        let pause_reason_code = Some(PauseCode::WaitingUserInput);
        let questions = vec![Text::verbatim("Which port?")];
        let asked = Notice { pause_reason_code, questions, ..notice(NoticeKind::Paused) };
        let last = |it: &Notice, lang| show_line(it, "shop", lang).unwrap().text;
        assert_eq!(last(&asked, Lang::En), "Answer it in shop: `provost answer t1 TEXT`");
        assert_eq!(last(&asked, Lang::Zh), "在 shop 中回答：`provost answer t1 TEXT`");
        let failed = notice(NoticeKind::Failed);
        assert_eq!(last(&failed, Lang::En), "Show it in shop: `provost show t1`");
    }

    #[test]
    fn a_reason_of_any_length_is_one_short_line() {
        let reasons = vec![Text::verbatim("é 😀\n".repeat(5000))];
        let failed = Notice { reasons, ..notice(NoticeKind::Failed) };
        let lines = notice_lines(&failed, Lang::En, Room { most: 10_000, ..Room::BYTES });
        assert_eq!(lines[1].text.chars().count(), LONGEST);
        assert!(lines[1].is_quoted && !lines[0].is_quoted);
    }

    /// LOOP-U5: what is asked is told, however long the reasons are.
    #[test]
    fn long_reasons_leave_room_for_each_question() {
        for part in ["a ", "汉", "😀", "<", "👩\u{200d}💻"] {
            let long = |head: &str| Text::verbatim(format!("{head} {}", part.repeat(5000)));
            let paused = Notice {
                message: long("message"),
                reasons: vec![long("first"), long("second"), long("third")],
                questions: vec![long("port"), long("host"), long("name")],
                ..notice(NoticeKind::Paused)
            };
            for most in [2000, 4000, 100_000] {
                let lines = notice_lines(&paused, Lang::En, Room { most, ..Room::BYTES });
                let length: usize = lines.iter().map(|it| it.text.len() + 1).sum();
                assert!(length <= most, "{length} of {most}: {part}");
                for head in ["message", "first", "second", "third", "port", "host", "name"] {
                    let is_told = lines.iter().any(|it| it.text.starts_with(head));
                    assert!(is_told, "{head} in {most}: {part}");
                }
            }
            let few = notice_lines(&paused, Lang::En, Room { most: 100, ..Room::BYTES });
            assert!(few.iter().map(|it| it.text.len() + 1).sum::<usize>() <= 100);
        }
    }

    #[test]
    fn a_secret_is_not_told_whole_or_in_part() {
        let key = format!("AKIA{}", "Q3EGRLZ7TW5NXKVD");
        for before in [0, LONGEST - 15, LONGEST - 30] {
            let reasons = vec![Text::verbatim(format!("{} {key}", "a".repeat(before)))];
            let failed = Notice { reasons, ..notice(NoticeKind::Failed) };
            let lines = notice_lines(&failed, Lang::En, Room::BYTES);
            assert!(!lines[1].text.contains("AKIA"), "{}", lines[1].text);
        }
    }
}
