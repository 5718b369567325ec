//! `provost audit restart`: the way out of a broken chain, for people only.

use provost_kernel::{Exit, Message};
use provost_vault::{
    RealDisk, SystemClock,
    audit::{Head, restart, verify},
    prepare_home,
};
use serde::Serialize;

use crate::{
    ask::{Asked, confirm},
    session::{AnyFault, Run, Session},
    view::{Page, View},
    wiring::actor,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost audit restart --reason 'restored from a backup'\n\nWhat is left of the broken chain is copied to `quarantine/`. The first entry of the new chain names\nthe last known entry of the old one. A person must confirm it at a terminal. Exits with 1 if the chain\nis intact or the answer is no."
)]
pub(super) struct Args {
    /// Why, for the first entry of the new chain
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer {
    old_head: Head,
    head: Head,
    kept_as: Vec<String>,
}

/// Why no chain was begun.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "audit.restart")]
enum RestartError {
    #[message(
        en = "the audit chain is intact; nothing was changed",
        zh = "审计链完好；没有更改任何内容",
        exit = Refused
    )]
    Intact,
    #[message(
        en = "a new audit chain was not confirmed; nothing was changed",
        zh = "未确认开始新的审计链；没有更改任何内容",
        exit = Refused
    )]
    Declined,
    #[message(
        en = "a person must confirm a new audit chain at a terminal",
        zh = "新的审计链必须由使用者在终端确认",
        hint(
            en = "run `provost audit restart` in a terminal",
            zh = "请在终端运行 `provost audit restart`"
        )
    )]
    NoTerminal,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let layout = session.layout()?;
        let report = verify(&RealDisk, &layout)?;
        if report.is_intact() {
            return Err(RestartError::Intact.into());
        }
        let lang = session.output.lang;
        for problem in report.problems.iter().take(SHOWN) {
            session.output.complain(&format!("  {}", lang.render(&problem.text())));
        }
        let question = lang.pick(
            format!(
                "Move `{}` to quarantine and accept the states of all tasks as they are now?",
                layout.audit().path()
            ),
            format!("将 `{}` 移入隔离区，并接受所有任务的当前状态？", layout.audit().path()),
        );
        match confirm(&question) {
            Asked::Yes => {}
            Asked::No => return Err(RestartError::Declined.into()),
            Asked::Nobody => return Err(RestartError::NoTerminal.into()),
        }
        prepare_home(&RealDisk, &layout)?;
        let begun = restart(&RealDisk, &layout, &actor(), &self.reason, &SystemClock)?;
        let begun = begun.ok_or(RestartError::Intact)?;
        session.output.show(&Answer {
            old_head: begun.old,
            head: begun.head,
            kept_as: begun.kept_as,
        });
        Ok(Exit::Success)
    }
}

/// How many problems are named before the question.
const SHOWN: usize = 10;

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        let (old, new) = (self.old_head.seq, self.head.seq);
        page.write(
            format!("new audit chain: it begins with entry {new} and names entry {old}"),
            format!("新的审计链：从第 {new} 条开始，记有第 {old} 条"),
        );
        for name in &self.kept_as {
            page.line(&format!("  `quarantine/{name}`"));
        }
    }
}
