//! One task on a card.

use provost_desk::{
    board::{ShownTask, TaskAddress},
    detail::Detail,
    task::{Action, Seen},
};
use provost_kernel::{
    Lang, TaskId,
    task::{Seal, SealStanding},
};

use super::{Reader, answered, button, message, said, standing, verb};
use crate::{
    api::{Button, Outgoing},
    callback::{OrderButton, Press, TaskPage, Verb},
    html::{bold, code, escape, excerpt, quoted},
    words::{self, Word},
};

/// How much of a goal stands on a card.
const GOAL: usize = 400;

/// The card of a task, with what it leads to and what can be ordered.
pub(crate) fn card(
    detail: &Detail,
    (answers, address): (&[String], TaskAddress),
    reader: Reader,
) -> Outgoing {
    let (row, status, lang) = (&detail.row, &detail.status, reader.lang);
    let mut lines = vec![
        format!("{} {}", code(row.task_id.as_str()), standing(row.phase, row.state, lang)),
        escape(&lang.render(&row.tries.text())),
        String::new(),
        said(&detail.ruling.title, &row.task_id, lang, GOAL),
    ];
    let ruled = lang.render(&detail.ruling.title);
    let more = detail.ruling.detail.as_ref().filter(|it| lang.render(it) != ruled);
    lines.extend(more.map(|it| said(it, &row.task_id, lang, GOAL)));
    lines.extend(answers.iter().map(|it| answered(it, lang, GOAL)));
    lines.push(String::new());
    lines.push(field(&Word::Goal, &quoted(&excerpt(&row.goal, GOAL)), lang));
    if let Some(score) = &row.score {
        lines.push(field(&Word::Score, &escape(score), lang));
    }
    if let Some(decision) = status.last_decision {
        lines.push(field(&Word::Decision, &code(&decision.to_string()), lang));
    }
    if let Some(pause) = status.pause_reason_code {
        lines.push(field(&Word::PauseCode, &code(&pause.to_string()), lang));
    }
    lines.push(field(&Word::Proven, "", lang));
    lines
        .extend(row.seals.iter().filter(|it| is_shown(it)).map(|it| proof(it, &row.task_id, lang)));
    lines.push(field(&Word::Updated, &escape(&row.updated_at.to_string()), lang));
    let orders = if reader.may_order { orders(detail, address, lang) } else { Vec::new() };
    let mut rows: Vec<Vec<Button>> = orders.chunks(3).map(<[Button]>::to_vec).collect();
    rows.extend(links(detail, reader));
    message(&lines, rows)
}

fn field(name: &Word, html: &str, lang: Lang) -> String {
    let colon = lang.pick(": ", "：");
    format!("{}{colon}{html}", bold(&escape(&name.say(lang)))).trim_end().to_owned()
}

fn is_shown(seal: &Seal) -> bool {
    seal.standing != SealStanding::NotAsked
}

fn proof(seal: &Seal, task: &TaskId, lang: Lang) -> String {
    let (symbol, word) = words::standing(seal.standing);
    let mut line = format!("{symbol} {}", escape(&words::fact(seal.fact).say(lang)));
    line.push_str(lang.pick(": ", "："));
    line.push_str(&escape(&word.say(lang)));
    if let Some(detail) = &seal.detail {
        line.push_str(lang.pick(", ", "，"));
        line.push_str(&said(detail, task, lang, 120));
    }
    line
}

/// The orders that the task takes now, as far as a chat can give them.
fn orders(detail: &Detail, task: TaskAddress, lang: Lang) -> Vec<Button> {
    let mut verbs: Vec<Verb> = Vec::new();
    for offer in &detail.orders {
        let found = match offer.action {
            Action::Approve => Verb::Approve,
            Action::Reject => Verb::Reject,
            Action::Answer => Verb::Answer,
            Action::Pause => Verb::Pause,
            Action::Resume => Verb::Resume,
            Action::Override | Action::Set => Verb::Override,
            Action::PauseNow
            | Action::Reset
            | Action::Rerun
            | Action::Rejudge
            | Action::Edit
            | Action::Rollback
            | Action::Accept
            | Action::Run
            | Action::Land
            | Action::UndoLand => continue,
        };
        if !verbs.contains(&found) {
            verbs.push(found);
        }
    }
    let Seen { attempt, state_version } = detail.seen;
    let seen = Seen { attempt, state_version };
    let order = |it: Verb| Press::Order(OrderButton { verb: it, task, seen });
    verbs.into_iter().map(|it| button(&verb(it), lang, order(it))).collect()
}

fn links(detail: &Detail, reader: Reader) -> Vec<Vec<Button>> {
    let lang = reader.lang;
    let task = ShownTask::of(reader.project, &detail.row.task_id);
    let show = |word: Word, page| button(&word, lang, Press::Show { page, task });
    let mut pages = vec![
        show(Word::Attempts, TaskPage::Attempts),
        show(Word::Criteria, TaskPage::Criteria),
        show(Word::Events, TaskPage::Events),
    ];
    if detail.row.questions > 0 {
        pages.push(show(Word::Questions, TaskPage::Questions));
    }
    let all = Press::List(provost_desk::board::ListEnd::Start);
    vec![pages, vec![show(Word::Refresh, TaskPage::Card), button(&Word::AllTasks, lang, all)]]
}
