//! `provost story declare`: which files a story will touch.

use provost_engine::{
    story::{Declaring, declare},
    task::rehearsal::Unwatched,
};
use provost_kernel::{Exit, story::StoryName};

use super::wiring;
use crate::{
    session::{AnyFault, Run, Session},
    view::{Page, View},
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
    /// Why it differs from the previous declaration
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let (wiring, ..) = wiring(session, &self.story)?;
        let engine = wiring.engine(&Unwatched);
        let declared = declare(&engine, &self.story, &self.files, self.reason.clone())?;
        session.output.show(&declared);
        Ok(Exit::Success)
    }
}

impl View for Declaring {
    fn page(&self, page: &mut Page<'_>) {
        let (story, files) = (&self.story_id, self.expected_files.join(", "));
        page.write(format!("{story} declares {files}"), format!("{story} 声明 {files}"));
        if self.is_late {
            page.line(if self.holds {
                page.lang.pick("late: the work had begun", "迟到：工作已经开始")
            } else {
                page.lang.pick(
                    "late: the work had begun, and the earlier declaration still holds",
                    "迟到：工作已经开始，仍以之前的声明为准",
                )
            });
        }
    }
}
