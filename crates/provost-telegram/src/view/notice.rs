//! A notification in a chat: what happened, and buttons that lead on.

use provost_desk::{
    board::{ProjectRef, ShownTask, TaskAddress},
    notify::NoticeLine,
    task::Seen,
};
use provost_kernel::{
    Lang, TaskId,
    notify::{Notice, NoticeKind},
    task::PauseCode,
};

use super::{button, in_chat, message, verb};
use crate::{
    api::{Button, Outgoing},
    callback::{OrderButton, Press, TaskPage, Verb},
    html::{bold, code, escape, isolate, units},
    words::Word,
};

/// What the lines of a notification may weigh: the rest is for its title, its project and who is meant.
pub const ROOM: usize = 3600;
/// So many questions of a digest have a button for their answer.
const ANSWERS: usize = 8;

/// What a chat is told of.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    pub notices: &'a [&'a Notice],
    /// Who is meant, in a group.
    pub mention: Option<&'a str>,
    pub title: &'a str,
    pub lines: &'a [NoticeLine],
    pub project: &'a str,
    /// What its buttons lead back to: the bot that sends may read for another project.
    pub from: ProjectRef,
    pub lang: Lang,
}

/// The message; a task leads to its card, and a question to its answer.
pub fn notification(told: &Told<'_>) -> Outgoing {
    let Told { notices, mention, title, lines, project, from, lang } = *told;
    let mut all: Vec<String> = mention.map(escape).into_iter().collect();
    all.push(bold(&isolate(title)));
    let task = notices.first().filter(|_| notices.len() == 1).and_then(|it| it.task_id.as_ref());
    all.extend(lines.iter().map(|it| html(it, task)));
    if notices.len() == 1 {
        all.push(isolate(project));
    }
    let rows = match notices {
        [notice] => vec![buttons(notice, from, lang)],
        several => digest_buttons(several, from, lang),
    };
    message(&all, rows)
}

/// What a line of a notification weighs in a message.
pub fn weight(line: &NoticeLine) -> usize {
    units(&html(line, None)) + 1
}

/// In what somebody else wrote, nothing is a link, a command or a name to be called.
fn html(line: &NoticeLine, task: Option<&TaskId>) -> String {
    if line.is_quoted { code(&line.text) } else { isolate(&in_chat(&line.text, task)) }
}

/// The same in one line, for a server that refuses the whole.
pub fn short_notification(told: &Told<'_>) -> Outgoing {
    message(&[escape(told.title)], Vec::new())
}

fn buttons(notice: &Notice, from: ProjectRef, lang: Lang) -> Vec<Button> {
    let Some(task) = &notice.task_id else { return Vec::new() };
    let open = Press::Show { page: TaskPage::Card, task: ShownTask::of(from, task) };
    let order = |it: Verb| order(notice, TaskAddress::of(from, task, notice.creation.as_ref()), it);
    let orders = verbs(notice).iter().map(|it| button(&verb(*it), lang, order(*it)));
    [button(&Word::Open, lang, open)].into_iter().chain(orders).collect()
}

/// An answer to each task that asks, named by its task, and the inbox. A task that asked more than once
/// waits for an answer to what it asked last.
fn digest_buttons(notices: &[&Notice], from: ProjectRef, lang: Lang) -> Vec<Vec<Button>> {
    let is_last = |at: usize, task: &TaskId| {
        !notices[at + 1..].iter().any(|it| it.task_id.as_ref() == Some(task))
    };
    let asking = notices.iter().enumerate().filter(|(_, it)| it.is_question());
    let asking = asking.filter_map(|(at, it)| Some((*it, it.task_id.as_ref()?, at)));
    let answers = asking.filter(|(_, task, at)| is_last(*at, task)).map(|(notice, task, _)| {
        let word = Word::AnswerTask { task: task.to_string() };
        let task = TaskAddress::of(from, task, notice.creation.as_ref());
        vec![button(&word, lang, order(notice, task, Verb::Answer))]
    });
    let inbox = vec![button(&Word::Inbox, lang, Press::Inbox { project: from, skipped: 0 })];
    answers.take(ANSWERS).chain([inbox]).collect()
}

fn order(notice: &Notice, task: TaskAddress, verb: Verb) -> Press {
    let seen = Seen { attempt: notice.attempt, state_version: notice.state_version };
    Press::Order(OrderButton { verb, task, seen })
}

/// What helps a paused task on: an answer where it was asked for, and money where that ran out.
fn verbs(notice: &Notice) -> &'static [Verb] {
    match (notice.kind, notice.pause_reason_code) {
        (NoticeKind::Paused, _) if notice.is_question() => &[Verb::Answer],
        (NoticeKind::Paused, Some(PauseCode::Budget)) => &[Verb::Override, Verb::Resume],
        (NoticeKind::Paused, _) => &[Verb::Resume],
        (
            NoticeKind::Ready
            | NoticeKind::Failed
            | NoticeKind::Budget
            | NoticeKind::Guard
            | NoticeKind::Test,
            _,
        ) => &[],
    }
}
