//! `provost guard snooze`: what would be asked about passes for a while.

use provost_kernel::Exit;
use serde::Serialize;

use super::order::{self, DONE, as_person, shown_minutes};
use crate::{
    session::{AnyFault, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost guard snooze 30 --because \"I am watching\"\n  provost guard snooze --off --because \"done\"\n\nFor at most 120 minutes. What the guard refuses stays refused. It is for people: it needs a terminal\nand a yes, and is refused where an agent runs (1)."
)]
pub(super) struct Args {
    /// For how many minutes
    #[arg(value_name = "MINUTES", required_unless_present = "off", conflicts_with = "off")]
    minutes: Option<u64>,
    /// Ask again
    #[arg(long)]
    off: bool,
    /// Why
    #[arg(long, value_name = "TEXT")]
    because: String,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let layout = order::home(session)?;
        let lang = session.output.lang;
        let because = Some(self.because.as_str());
        let minutes = self.minutes.unwrap_or_default();
        let question = match self.minutes {
            Some(_) => {
                let shown = shown_minutes(lang, minutes);
                lang.pick(
                    format!("let pass for {shown} what the guard would ask about?"),
                    format!("在 {shown}内放行守卫本应询问的内容？"),
                )
            }
            None => lang.pick("ask again?", "恢复询问？").to_owned(),
        };
        as_person(session, &layout, because, &question, |orders, order| {
            match self.minutes {
                Some(minutes) => orders.snooze(minutes, order).map(drop)?,
                None => orders.end_snooze(order)?,
            }
            Ok(())
        })?;
        session.output.show(&Snoozed { minutes });
        Ok(DONE)
    }
}

#[derive(Debug, Serialize)]
struct Snoozed {
    /// Zero where the guard asks again.
    minutes: u64,
}

impl View for Snoozed {
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        page.line(&if self.minutes == 0 {
            lang.pick("the guard asks again", "守卫恢复询问").to_owned()
        } else {
            let shown = shown_minutes(lang, self.minutes);
            lang.pick(
                format!("the guard asks about nothing for {shown}; refusals stay"),
                format!("守卫在 {shown}内不再询问；拒绝仍然有效"),
            )
        });
    }
}
