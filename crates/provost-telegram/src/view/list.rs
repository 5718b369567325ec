//! The list of all tasks, and the inbox.

use provost_desk::board::{
    BoardInbox, BoardRow, ListEnd, ListPart, ShownTask, WaitKind, WaitingRow,
};
use provost_kernel::{Lang, task::State};

use super::{Reader, answered, button, message, said, standing};
use crate::{
    api::{Button, Outgoing},
    callback::{Press, TaskPage},
    html::{self, bold, code, escape, excerpt, quoted},
    words::Word,
};

/// How many tasks a page of the inbox names.
const MOST_WAITING: usize = 10;
/// How much of a reason or a goal stands in a list.
const SHORT: usize = 60;

/// A part of the list.
pub(crate) fn list(part: &ListPart, reader: Reader) -> Outgoing {
    let lang = reader.lang;
    if part.rows.is_empty() {
        return super::sentence(&Word::NoTasks, lang);
    }
    let (from, to) = (part.skipped + 1, part.skipped + part.rows.len());
    let title = Word::Tasks { from, to, total: part.total }.say(lang);
    let mut lines = vec![bold(&escape(&title))];
    for (at, row) in part.rows.iter().enumerate() {
        lines.push(String::new());
        let (head, more) = entry(from + at, row, lang);
        lines.push(head);
        lines.extend(Some(more).filter(|_| !row.goal.is_empty() || row.state == State::Paused));
    }
    let numbers =
        part.rows.iter().enumerate().map(|(at, row)| open(from + at, row, reader)).collect();
    let previous =
        part.previous.map(|it| button(&Word::Previous, lang, Press::List(ListEnd::Before(it))));
    let next = part.next.map(|it| button(&Word::Next, lang, Press::List(ListEnd::After(it))));
    let inbox = button(&Word::Inbox, lang, Press::Inbox { project: reader.project, skipped: 0 });
    let turns = previous.into_iter().chain(next).collect();
    message(&lines, vec![numbers, turns, vec![inbox]])
}

fn entry(number: usize, row: &BoardRow, lang: Lang) -> (String, String) {
    let head = format!(
        "{number}. {} {} · {}",
        code(row.task_id.as_str()),
        standing(row.phase, row.state, lang),
        escape(&lang.render(&row.tries.text())),
    );
    let more = match row.state {
        State::Paused => said(&row.why, &row.task_id, lang, SHORT),
        State::Running | State::ReadyForReview | State::Failed => {
            quoted(&excerpt(&row.goal, SHORT))
        }
    };
    (head, more)
}

fn open(number: usize, row: &BoardRow, reader: Reader) -> Button {
    let task = ShownTask::of(reader.project, &row.task_id);
    let data = Press::Show { page: TaskPage::Card, task }.to_string();
    Button { text: number.to_string(), data }
}

/// What waits for a person, behind so many.
pub(crate) fn inbox(inbox: &BoardInbox, skipped: usize, reader: Reader) -> Outgoing {
    let lang = reader.lang;
    let all = button(&Word::AllTasks, lang, Press::List(ListEnd::Start));
    let count = inbox.waiting.len();
    if count == 0 {
        let nothing = html::escape(&Word::NothingWaits.say(lang));
        return message(&[nothing], vec![vec![all]]);
    }
    // Where less waits than before, the last page.
    let skipped = skipped.min((count - 1) / MOST_WAITING * MOST_WAITING);
    let shown: Vec<(usize, &WaitingRow)> =
        (1..).zip(&inbox.waiting).skip(skipped).take(MOST_WAITING).collect();
    let (from, to) = (skipped + 1, skipped + shown.len());
    let title = if shown.len() == count {
        Word::Waiting { count }
    } else {
        Word::WaitingPart { from, to, count }
    };
    let mut lines = vec![bold(&escape(&title.say(lang)))];
    for (number, waiting) in &shown {
        lines.push(String::new());
        lines.extend(waits(*number, waiting, lang));
    }
    let turn = |word: &Word, skipped: usize| {
        let skipped = u16::try_from(skipped).unwrap_or(u16::MAX);
        button(word, lang, Press::Inbox { project: reader.project, skipped })
    };
    let previous = skipped.checked_sub(MOST_WAITING).map(|it| turn(&Word::Previous, it));
    let next = (to < count).then(|| turn(&Word::Next, to));
    let numbers: Vec<Button> =
        shown.iter().map(|(number, it)| open(*number, &it.row, reader)).collect();
    let mut rows: Vec<Vec<Button>> = numbers.chunks(5).map(<[Button]>::to_vec).collect();
    rows.push(previous.into_iter().chain(next).collect());
    rows.push(vec![all]);
    message(&lines, rows)
}

fn waits(number: usize, waiting: &WaitingRow, lang: Lang) -> Vec<String> {
    let (symbol, kind) = match waiting.kind {
        WaitKind::Question => ("❔", Word::Question),
        WaitKind::Review => ("✅", Word::Review),
        WaitKind::Stop => ("🟡", Word::Stop),
    };
    let head = format!(
        "{number}. {} {symbol} {}",
        code(waiting.row.task_id.as_str()),
        escape(&kind.say(lang)),
    );
    let asked = waiting.questions.first().filter(|_| waiting.kind == WaitKind::Question);
    let text = asked.unwrap_or(&waiting.message);
    let mut lines = vec![head, said(text, &waiting.row.task_id, lang, 200)];
    // What was answered since and waits with the task.
    lines.extend(waiting.answers.iter().map(|it| answered(it, lang, 200)));
    lines
}
