//! `provost story declare`: which files a story will touch.

use provost_engine::{
    story::{Declaring, declare},
    task::rehearsal::Unwatched,
};
use provost_kernel::{Exit, story::StoryName};

use super::wiring;
use crate::{
    output::Format,
    session::{AnyFault, Preparation, Run, Session},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost story declare US-001 src/login.rs tests/login.rs\n  provost story declare US-001 'src/login/' --reason 'a module of its own'\n\nFiles are paths from the root of the repository; a folder that is new ends with `/`. A declaration\nthat comes after the work is late, and does not replace an earlier one. Exits with 1 when an entry\nis no path of the repository."
)]
pub(super) struct Args {
    /// The story: `US-001`, or `BRANCH:US-001`
    #[arg(value_name = "ID")]
    story: StoryName,
    /// The files
    #[arg(value_name = "FILES", required = true)]
    files: Vec<String>,
    /// Why it differs from the one before
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Identity
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let (wiring, ..) = wiring(session, &self.story)?;
        let engine = wiring.engine(&Unwatched);
        let declared = declare(&engine, &self.story, &self.files, self.reason.clone())?;
        match session.output.format() {
            Format::Json => session.output.document(&declared),
            Format::Text => print(session, &declared),
        }
        Ok(Exit::Success)
    }
}

fn print(session: &mut Session, declared: &Declaring) {
    let lang = session.output.lang;
    let (story, files) = (&declared.story_id, declared.expected_files.join(", "));
    session
        .output
        .line(&lang.pick(format!("{story} declares {files}"), format!("{story} 声明 {files}")));
    if declared.is_late {
        let text = if declared.holds {
            lang.pick("late: the work had begun", "迟到:工作已经开始")
        } else {
            lang.pick(
                "late: the work had begun, and the declaration before it still holds",
                "迟到:工作已经开始,仍以之前的声明为准",
            )
        };
        session.output.line(text);
    }
}
