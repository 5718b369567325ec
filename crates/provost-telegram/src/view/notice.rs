//! A notification in a chat: what happened, and buttons that lead on.

use provost_desk::{board::TaskRef, task::Seen};
use provost_kernel::{
    Lang, Text,
    notify::{Notice, NoticeKind},
    task::PauseCode,
};

use super::{button, in_chat, message, verb};
use crate::{
    api::{Button, Outgoing},
    callback::{OrderButton, Press, TaskPage, Verb},
    html::{bold, code, escape, isolate},
    words::Word,
};

/// What a chat is told of.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    pub notices: &'a [&'a Notice],
    /// Who is meant, in a group.
    pub mention: Option<&'a str>,
    pub title: &'a str,
    pub lines: &'a [String],
    pub project: &'a str,
    pub lang: Lang,
}

/// The message; a task leads to its card, and a question to its answer.
pub fn notification(told: &Told<'_>) -> Outgoing {
    let Told { notices, mention, title, lines, project, lang } = *told;
    let mut all: Vec<String> = mention.map(escape).into_iter().collect();
    all.push(bold(&isolate(title)));
    let is_theirs = |line: &str| {
        let texts = notices.iter().flat_map(|it| it.questions.iter().chain([&it.message]));
        texts.filter(|it| it.code().is_none()).any(|it| is_cut_of(line, it, lang))
    };
    // In what an agent wrote, nothing is a link, a command or a name to be called.
    let task = notices.first().filter(|_| notices.len() == 1).and_then(|it| it.task_id.as_ref());
    let ours = |line: &str| isolate(&in_chat(line, task));
    all.extend(lines.iter().map(|it| if is_theirs(it) { code(it) } else { ours(it) }));
    if notices.len() == 1 {
        all.push(isolate(project));
    }
    let rows = match notices {
        [notice] => buttons(notice, lang),
        _ => vec![button(&Word::Inbox, lang, Press::Inbox)],
    };
    message(&all, vec![rows])
}

/// The same in one line, for a server that refuses the whole.
pub fn short_notification(told: &Told<'_>) -> Outgoing {
    message(&[escape(told.title)], Vec::new())
}

fn is_cut_of(line: &str, text: &Text, lang: Lang) -> bool {
    let whole = lang.render(text).split_whitespace().collect::<Vec<_>>().join(" ");
    whole == line || line.strip_suffix('…').is_some_and(|it| whole.starts_with(it))
}

fn buttons(notice: &Notice, lang: Lang) -> Vec<Button> {
    let Some(task) = &notice.task_id else { return Vec::new() };
    let task = TaskRef::of(task);
    let open = Press::Show { page: TaskPage::Card, task };
    let seen = Seen { attempt: notice.attempt, state_version: notice.state_version };
    let order = |it: &Verb| {
        let data = Press::Order(OrderButton { verb: *it, task, seen });
        button(&verb(*it), lang, data)
    };
    let orders = verbs(notice).iter().map(order);
    [button(&Word::Open, lang, open)].into_iter().chain(orders).collect()
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
