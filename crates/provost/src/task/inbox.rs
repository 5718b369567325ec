//! `provost inbox`: everything that waits for a person, with the command for each.

use provost_desk::task::{Inbox, Waiting, meaning};
use provost_kernel::{Clock as _, Exit, task::State};
use provost_vault::SystemClock;

use super::{
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
    let state = match it.pause_reason_code {
        None => it.state.to_string(),
        Some(code) => {
            let meaning = lang.render(&meaning(code));
            lang.pick(format!("{code}: {meaning}"), format!("{code}：{meaning}"))
        }
    };
    page.spans(&[
        Tone::Bold.of(it.task_id.as_str()),
        Tone::Plain.of("  "),
        tone(it.state).of(state),
        Tone::Dim.of(lang.pick(format!(", {since}"), format!("，{since}"))),
    ]);
    for question in &it.questions {
        page.item("question", "问题", lang.render(question));
    }
    for next in &it.next {
        page.spans(&[Tone::Plain.of("  "), Tone::Bold.of(next.command.as_str())]);
    }
}

fn tone(state: State) -> Tone {
    match state {
        State::Running => Tone::Run,
        State::Paused => Tone::Warn,
        State::ReadyForReview => Tone::Ok,
        State::Failed => Tone::Bad,
    }
}
