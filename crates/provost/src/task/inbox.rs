//! `provost inbox`: everything that waits for a person, with the command for each.

use provost_desk::task::{Inbox, Waiting, addressed, meaning};
use provost_kernel::{Clock as _, Exit, Message as _, task::State};
use provost_vault::SystemClock;

use super::{
    ls::mark,
    page::ago,
    show::{complain_of, complain_of_altered},
};
use crate::{
    paint::Tone,
    session::{AnyFault, Run, Session},
    view::{Page, View},
    wiring::desk,
};

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost inbox")]
pub(crate) struct Args {}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let inbox = desk(session)?.inbox()?;
        complain_of(session, &inbox.unreadable);
        for (task, path) in &inbox.altered {
            complain_of_altered(session, task, path);
        }
        session.output.show(&inbox);
        Ok(Exit::Success)
    }
}

impl View for Inbox {
    fn page(&self, page: &mut Page<'_>) {
        // What cannot be read may wait as well.
        let is_known = self.unreadable.is_empty() && self.altered.is_empty();
        if self.waiting.is_empty() && is_known {
            page.write("nothing waits for you", "没有等待处理的事项");
        }
        for it in &self.waiting {
            waiting(page, it);
        }
    }
}

fn waiting(page: &mut Page<'_>, it: &Waiting) {
    let lang = page.lang;
    let since = ago(SystemClock.now(), it.updated_at, lang);
    let phase = lang.render(&it.phase.text());
    let detail = match (it.pause_reason_code, &it.proof) {
        (Some(_), _) if !it.answers.is_empty() => {
            lang.pick("answered; `resume` goes on", "已答复；用 `resume` 继续").to_owned()
        }
        (Some(code), _) => lang.render(&meaning(code)),
        (None, Some(proof)) if it.state == State::ReadyForReview => lang.render(proof),
        (None, _) => String::new(),
    };
    let detail = if detail.is_empty() { detail } else { format!(" · {detail}") };
    page.spans(&[
        Tone::Bold.of(it.task_id.as_str()),
        Tone::Plain.of("  "),
        mark(it.phase).1.of(phase),
        Tone::Plain.of(detail),
        Tone::Dim.of(format!(" · {since}")),
    ]);
    if it.answers.is_empty() {
        for question in &it.questions {
            page.item("question", "问题", addressed(&lang.render(question), &it.task_id));
        }
    }
    for answer in &it.answers {
        page.item("answered", "已答复", answer);
    }
    for next in &it.next {
        page.spans(&[Tone::Plain.of("  "), Tone::Bold.of(next.command.as_str())]);
    }
}
