//! `provost story get`: everything about one story.

use provost_engine::story::{StoryPage, get};
use provost_kernel::{
    Exit,
    story::{StoryName, WaiverRecord},
};

use super::{desk, page::criterion};
use crate::{
    output::Format,
    session::{AnyFault, Preparation, Run, Session},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost story get US-001\n  provost story get ralph/login:US-001 --json\n\nExits with 2 when there is no such story, or more than one."
)]
pub(super) struct Args {
    /// The story: `US-001`, or `BRANCH:US-001`
    #[arg(value_name = "ID")]
    story: StoryName,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Identity
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let page = get(&desk(session)?, &self.story)?;
        match session.output.format() {
            Format::Json => session.output.document(&page),
            Format::Text => print(session, &page),
        }
        Ok(Exit::Success)
    }
}

fn print(session: &mut Session, page: &StoryPage) {
    let lang = session.output.lang;
    let StoryPage { execution, story, label, declarations, attempts, waivers } = page;
    session.output.line(&format!("{label}  {}", story.title));
    session.output.line(&format!("{}  {}", execution.branch, execution.status));
    for it in &story.acceptance_criteria {
        let id = it.id.to_string();
        let status = story.ac_status.get(&it.id);
        let waiver = waivers.iter().find(|waiver| waiver.criterion == it.id);
        match (status, waiver) {
            (Some(status), _) if status.passes => session.output.line(&criterion(&id, status)),
            (_, Some(WaiverRecord { actor, reason, .. })) => {
                let reason = reason.replace(['\n', '\r'], " ");
                session.output.line(&format!("  [-] {id} WAIVED  {actor}: {reason}"));
            }
            (Some(status), None) => session.output.line(&criterion(&id, status)),
            (None, None) => session.output.line(&format!("  [ ] {id} NOT_RUN")),
        }
        session.output.line(&format!("      {}", it.text));
        let result = story.evidence.get(&it.id).and_then(|it| it.result.as_ref());
        if let Some(note) = result.and_then(|it| it.note.as_ref()) {
            session.output.line(&format!("      {note}"));
        }
    }
    for it in declarations {
        let (files, late) = (it.files.join(", "), lang.pick(" (late)", "(迟到)"));
        let late = if it.is_late { late } else { "" };
        session
            .output
            .line(&lang.pick(format!("declared{late}: {files}"), format!("已声明{late}:{files}")));
    }
    for it in attempts {
        let codes = it.codes.join(" ");
        let passes =
            if it.passes { lang.pick("done", "完成") } else { lang.pick("open", "未完成") };
        session.output.line(&format!("{}  {}  {passes}  {codes}", it.created_at, it.result));
    }
}
