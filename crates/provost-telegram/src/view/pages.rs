//! What lies behind a card, and the words about the bot itself.

use provost_desk::{
    board::{ShownTask, TaskAddress},
    detail::Detail,
    task::EventPage,
};
use provost_kernel::{Lang, TaskId, task::State};

use super::{Reader, button, message, said, verb};
use crate::{
    api::{Button, Outgoing},
    callback::{OrderButton, Press, TaskPage, Verb},
    html::{bold, code, escape, excerpt, quoted},
    words::{self, Word},
};

/// How many of the newest events are shown.
pub(crate) const EVENTS: usize = 15;
/// How much of a question is shown: all of it, unless several fill a message.
const QUESTION: usize = 3000;
/// How many attempts and criteria are shown.
const MOST: usize = 20;

fn title(word: &Word, task: &TaskId, lang: Lang) -> String {
    format!("{} {}", bold(&escape(&word.say(lang))), code(task.as_str()))
}

fn back(task: &TaskId, reader: Reader) -> Vec<Button> {
    let (task, lang) = (ShownTask::of(reader.project, task), reader.lang);
    vec![button(&Word::Back, lang, Press::Show { page: TaskPage::Card, task })]
}

/// The attempts, the newest first.
pub(crate) fn attempts(detail: &Detail, reader: Reader) -> Outgoing {
    let (task, lang) = (&detail.row.task_id, reader.lang);
    let mut lines = vec![title(&Word::Attempts, task, lang)];
    if detail.attempts.is_empty() {
        lines.push(escape(&Word::NoAttempts.say(lang)));
    }
    for attempt in detail.attempts.iter().rev().take(MOST) {
        lines.push(String::new());
        let number = Word::AttemptNumber { number: attempt.attempt }.say(lang);
        let (symbol, word) = match attempt.state {
            None if detail.row.state == State::Running => ("🟢", Word::Runs),
            None => ("❓", Word::CutOff),
            // It ended, and the task goes on with another one.
            Some(State::Running) => ("✘", Word::DidNotPass),
            Some(state) => words::state(Some(state)),
        };
        let state = format!("{symbol} {}", escape(&word.say(lang)));
        lines.push(format!("{} {state}", bold(&escape(&number))));
        let row = attempt.row.map(|it| code(&it.to_string()));
        let score = attempt.score.clone().map(|score| escape(&Word::Scored { score }.say(lang)));
        let cost = attempt.usd.as_ref().map(|it| escape(&format!("${it}")));
        let commit =
            attempt.commit.as_ref().map(|it| code(&it.chars().take(7).collect::<String>()));
        let facts: Vec<String> = [row, score, cost, commit].into_iter().flatten().collect();
        lines.extend((!facts.is_empty()).then(|| facts.join(" · ")));
        if let Some(because) = &attempt.rejected_because {
            let word = escape(&Word::Rejected.say(lang));
            let because = quoted(&excerpt(because, 200));
            lines.push(format!("{word}{}{because}", lang.pick(": ", "：")));
        }
        lines.extend(attempt.decided_at.map(|it| escape(&it.to_string())));
    }
    message(&lines, vec![back(task, reader)])
}

/// The criteria of the plan, and what was reproduced of each.
pub(crate) fn criteria(detail: &Detail, reader: Reader) -> Outgoing {
    let (task, lang) = (&detail.row.task_id, reader.lang);
    let mut lines = vec![title(&Word::Criteria, task, lang)];
    let criteria: Vec<_> = detail.proof.iter().flat_map(|it| &it.criteria).collect();
    if criteria.is_empty() {
        lines.push(escape(&Word::NoCriteria.say(lang)));
    }
    for criterion in criteria.iter().take(MOST) {
        let (symbol, word) = words::standing(criterion.standing);
        lines.push(String::new());
        let standing = escape(&word.say(lang));
        let label = escape(&criterion.label);
        lines.push(format!("{symbol} {} {standing} ({label})", code(&criterion.id)));
        lines.push(quoted(&excerpt(&criterion.text, 200)));
    }
    if criteria.len() > MOST {
        lines.push(escape(&Word::More { count: criteria.len() - MOST }.say(lang)));
    }
    message(&lines, vec![back(task, reader)])
}

/// The newest events, the newest first.
pub(crate) fn events(task: &TaskId, page: &EventPage, reader: Reader) -> Outgoing {
    let lang = reader.lang;
    let mut lines = vec![title(&Word::Events, task, lang)];
    if page.events.is_empty() {
        lines.push(escape(&Word::NoEvents.say(lang)));
    }
    for event in page.events.iter().rev().take(EVENTS) {
        let event = &event.value;
        let at = escape(&event.ts.to_string());
        lines.push(format!("{at} {}", code(&event.kind.to_string())));
        let summary = excerpt(&event.summary, 160);
        lines.extend((!summary.is_empty()).then(|| quoted(&summary)));
    }
    message(&lines, vec![back(task, reader)])
}

/// What the agent or the judge wants to know.
pub(crate) fn questions(
    detail: &Detail,
    (answers, address): (&[String], TaskAddress),
    reader: Reader,
) -> Outgoing {
    let (task, lang) = (&detail.row.task_id, reader.lang);
    let mut lines = vec![title(&Word::Questions, task, lang)];
    let questions = detail.status.questions();
    if questions.is_empty() {
        lines.push(escape(&Word::NoQuestions.say(lang)));
    }
    for (at, question) in questions.iter().enumerate() {
        lines.push(format!("{}. {}", at + 1, said(question, task, lang, QUESTION)));
    }
    if !answers.is_empty() {
        lines.extend([String::new(), escape(&Word::Answered.say(lang))]);
        lines.extend(answers.iter().map(|it| quoted(&excerpt(it, 500))));
    }
    let mut row = Vec::new();
    if reader.may_order && !questions.is_empty() {
        let order = OrderButton { verb: Verb::Answer, task: address, seen: detail.seen };
        row.push(button(&verb(Verb::Answer), lang, Press::Order(order)));
    }
    row.extend(back(task, reader));
    message(&lines, vec![row])
}

/// Every command, with what it does.
pub(crate) fn commands() -> [(&'static str, &'static str, Word); 11] {
    [
        ("tasks", "", Word::HelpTasks),
        ("inbox", "", Word::HelpInbox),
        ("task", "ID", Word::HelpTask),
        ("answer", "ID TEXT", Word::HelpAnswer),
        ("pause", "ID", Word::HelpPause),
        ("resume", "ID", Word::HelpResume),
        ("approve", "ID", Word::HelpApprove),
        ("reject", "ID WHY", Word::HelpReject),
        ("override", "ID FIELD VALUE", Word::HelpOverride),
        ("rdloop", "", Word::HelpRdloop),
        ("help", "", Word::HelpHelp),
    ]
}

pub(crate) fn help(reader: Reader) -> Outgoing {
    let lang = reader.lang;
    let dash = lang.pick(" – ", "：");
    let mut lines: Vec<String> = commands()
        .iter()
        .map(|(command, arguments, word)| {
            let usage = format!("/{command} {arguments}");
            format!("{}{dash}{}", escape(usage.trim()), escape(&word.say(lang)))
        })
        .collect();
    if !reader.may_order {
        lines.extend([String::new(), escape(&Word::ReadOnly.say(lang))]);
    }
    message(&lines, Vec::new())
}

pub(crate) fn welcome(chat: i64, reader: Reader) -> Outgoing {
    let lang = reader.lang;
    let mut outgoing = help(reader);
    let welcome = escape(&Word::Welcome { chat }.say(lang));
    outgoing.html = format!("{welcome}\n\n{}", outgoing.html);
    outgoing
}
