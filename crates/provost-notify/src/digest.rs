//! Several notices in one message: what is asked first, and as much as there is room for.

use provost_desk::notify::NoticeLine;
use provost_kernel::{
    Lang, Message, TaskId,
    notify::{Notice, NoticeKind},
};

use crate::{
    Room,
    text::{Headline, line, own, reasons, shortened, title},
};

/// So many notices are named one by one.
const NAMED: usize = 20;
/// A question and a reason are cut after so many characters.
const QUESTION: usize = 300;
const REASON: usize = 160;

/// What a digest says besides.
#[derive(Debug, Message)]
#[message(code = "notice.digest")]
enum Line<'a> {
    #[message(
        en = "❓ {task} asks you; answer with `provost answer {task} TEXT`",
        zh = "❓ {task} 有问题要问你，用 `provost answer {task} TEXT` 回答"
    )]
    Asks { task: &'a str },
    #[message(en = "and {count} more: `provost inbox`", zh = "另有 {count} 项：`provost inbox`")]
    More { count: usize },
}

/// The title and the lines of several notices together, within the room that there is.
pub fn digest(
    notices: &[&Notice],
    project: &str,
    lang: Lang,
    room: Room,
) -> (String, Vec<NoticeLine>) {
    let headline = Headline::Digest { count: notices.len(), project };
    // A task of which there is later news waits for something else.
    let is_open = |at: usize, it: &Notice| {
        it.is_question() && !notices[at + 1..].iter().any(|later| later.task_id == it.task_id)
    };
    let mut sorted: Vec<(bool, &Notice)> =
        notices.iter().enumerate().map(|(at, it)| (is_open(at, it), *it)).collect();
    // In the order of time within each: what waits for an answer is not pushed out by what does not.
    sorted.sort_by_key(|(is_open, it)| (!is_open, it.kind != NoticeKind::Paused));
    let more = |count| own(Line::More { count }.text(), lang);
    let kept_free = room.weigh(&[more(sorted.len())]);
    let (mut lines, mut named, mut used) = (Vec::new(), 0, 0);
    for &(is_open, notice) in sorted.iter().take(NAMED) {
        let entry = match &notice.task_id {
            Some(task) if is_open => question(notice, task, lang),
            Some(_) | None => entry(notice, project, lang),
        };
        let is_last = named + 1 == sorted.len();
        used += room.weigh(&entry);
        if used + if is_last { 0 } else { kept_free } > room.most {
            break;
        }
        lines.extend(entry);
        named += 1;
    }
    let left = sorted.len() - named;
    lines.extend((left > 0).then(|| more(left)));
    (lang.render(&headline.text()), lines)
}

/// What a task asks, and how it is answered.
fn question(notice: &Notice, task: &TaskId, lang: Lang) -> Vec<NoticeLine> {
    let asks = own(Line::Asks { task: task.as_str() }.text(), lang);
    let questions: Vec<String> =
        notice.questions.iter().map(|it| line(it, notice, QUESTION, lang).text).collect();
    let text = shortened(&questions.join(" / "), QUESTION);
    vec![asks, NoticeLine { text, is_quoted: true }]
}

/// What happened, and why.
fn entry(notice: &Notice, project: &str, lang: Lang) -> Vec<NoticeLine> {
    let mut lines = vec![NoticeLine { text: title(notice, project, lang), is_quoted: false }];
    let message = || line(&notice.message, notice, REASON, lang);
    let more = match notice.kind {
        // What would help it on names the command for that.
        NoticeKind::Paused => notice.questions.first().map(|it| line(it, notice, QUESTION, lang)),
        NoticeKind::Failed => reasons(notice, REASON, lang).next(),
        NoticeKind::Budget => None,
        NoticeKind::Ready | NoticeKind::Guard | NoticeKind::Test => return lines,
    };
    lines.push(more.unwrap_or_else(message));
    lines
}

#[cfg(test)]
mod tests {
    use provost_kernel::{Text, Timestamp, task::PauseCode};

    use super::*;

    fn notice(kind: NoticeKind, task: &str, number: u64) -> Notice {
        let made =
            Notice::of_project(kind, Timestamp::EPOCH, ("", task, number), Text::verbatim("why"));
        Notice { task_id: Some(task.parse().unwrap()), ..made }
    }

    fn asks(task: &str, question: &str, number: u64) -> Notice {
        let pause_reason_code = Some(PauseCode::WaitingUserInput);
        let questions = vec![Text::verbatim(question.to_owned())];
        let made = notice(NoticeKind::Paused, task, number);
        Notice { pause_reason_code, questions, ..made }
    }

    fn said(notices: &[Notice], lang: Lang, room: Room) -> Vec<String> {
        let all: Vec<&Notice> = notices.iter().collect();
        digest(&all, "shop", lang, room).1.into_iter().map(|it| it.text).collect()
    }

    #[test]
    fn a_question_comes_first_with_the_way_to_answer() {
        let mut failed = notice(NoticeKind::Failed, "t1", 1);
        failed.reasons = vec![Text::verbatim("the test failed")];
        let all = [failed, notice(NoticeKind::Ready, "t2", 2), asks("t3", "Which\n port?", 3)];
        assert_eq!(
            said(&all, Lang::En, Room::BYTES),
            [
                "❓ t3 asks you; answer with `provost answer t3 TEXT`",
                "Which port?",
                "🔴 t1 failed",
                "the test failed",
                "✅ t2 is ready for review",
            ]
        );
        // Its answer came in the meantime.
        let later = [asks("t3", "Which port?", 3), notice(NoticeKind::Ready, "t3", 4)];
        let lines = said(&later, Lang::En, Room::BYTES);
        assert!(!lines.iter().any(|it| it.contains("provost answer")), "{lines:?}");
        let zh = said(&all, Lang::Zh, Room::BYTES);
        assert_eq!(zh[0], "❓ t3 有问题要问你，用 `provost answer t3 TEXT` 回答");
        let quoted: Vec<bool> = digest(&all.iter().collect::<Vec<_>>(), "s", Lang::En, Room::BYTES)
            .1
            .iter()
            .map(|it| it.is_quoted)
            .collect();
        assert_eq!(quoted, [false, true, false, true, false]);
    }

    /// LOOP-A16: what does not fit is counted, and the line that says so always fits.
    #[test]
    fn what_does_not_fit_is_counted() {
        let question = "é汉😀".repeat(300);
        for n in [2, 20, 21, 500] {
            let all: Vec<Notice> =
                (0..n).map(|it| asks(&format!("t{it}"), &question, it)).collect();
            for most in [100, 1000, 4000, 100_000] {
                let room = Room { most, ..Room::BYTES };
                let lines = said(&all, Lang::Zh, room);
                let length: usize = lines.iter().map(|it| it.len() + 1).sum();
                assert!(length <= most, "{length} of {most}");
                let last = lines.last().unwrap();
                let named = lines.iter().filter(|it| it.starts_with('❓')).count();
                let left = usize::try_from(n).unwrap() - named;
                let says = last == &format!("另有 {left} 项：`provost inbox`");
                assert_eq!(says, left > 0, "{n} in {most}: {last}");
                assert!(named <= NAMED);
            }
        }
        let two = [asks("t1", &question, 1), asks("t2", &question, 2)];
        let lines = said(&two, Lang::En, Room::BYTES);
        assert_eq!(lines.len(), 4);
        assert!(lines[1].ends_with('…') && lines[1].chars().count() == QUESTION);
    }
}
