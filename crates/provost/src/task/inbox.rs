//! `provost inbox`: everything that waits for a person, with the command for each.

use provost_desk::task::{Waiting, meaning};
use provost_kernel::{Clock as _, Exit, Lang};
use provost_vault::SystemClock;

use super::{
    page::{age, item},
    show::complain_of,
};
use crate::{
    output::Format,
    session::{AnyFault, Preparation, Run, Session},
    wiring::desk,
};

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost inbox")]
pub(crate) struct Args {}

impl Run for Args {
    // Whoever finds that a coordinator is gone writes it down.
    fn preparation(&self) -> Preparation {
        Preparation::Identity
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let inbox = desk(session)?.inbox()?;
        complain_of(session, &inbox.unreadable);
        match session.output.format() {
            Format::Json => session.output.document(&inbox),
            // What cannot be read may wait as well.
            Format::Text if inbox.waiting.is_empty() && inbox.unreadable.is_empty() => {
                let lang = session.output.lang;
                session.output.line(lang.pick("nothing waits for you", "没有等待处理的事项"));
            }
            Format::Text => {
                for it in &inbox.waiting {
                    print(session, it);
                }
            }
        }
        Ok(Exit::Success)
    }
}

fn print(session: &mut Session, it: &Waiting) {
    let lang = session.output.lang;
    let age = age(SystemClock.now(), it.updated_at);
    let state = match it.pause_reason_code {
        None => it.state.to_string(),
        Some(code) => {
            let meaning = meaning(code);
            lang.pick(
                format!("{code}: {}", meaning.render(Lang::En)),
                format!("{code}:{}", meaning.render(Lang::Zh)),
            )
        }
    };
    session.output.line(&lang.pick(
        format!("{}  {state}, {age} ago", it.task_id),
        format!("{}  {state},{age} 前", it.task_id),
    ));
    for question in &it.questions {
        item(session, "question", "问题", &lang.render(question));
    }
    for next in &it.next {
        session.output.line(&format!("  {}", next.command));
    }
}
