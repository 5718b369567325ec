//! `provost story get`: everything about one story.

use provost_engine::story::{StoryPage, get};
use provost_kernel::{
    Exit,
    story::{EvidenceResult, StoryName, WaiverRecord},
};

use super::{answer::criterion, desk, freshness};
use crate::{
    session::{AnyFault, Run, Session},
    view::{Page, View},
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
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let freshness = freshness(session)?;
        let page = get(&desk(session)?, &freshness, &self.story)?;
        session.output.show(&page);
        Ok(Exit::Success)
    }
}

impl View for StoryPage {
    fn page(&self, page: &mut Page<'_>) {
        let Self { execution, story, label, declarations, attempts, waivers, stale } = self;
        page.line(&format!("{}  {}", page.lang.render(&label.0), story.title));
        page.line(&format!("{}  {}", execution.branch, execution.status));
        if let Some(stale) = stale {
            page.line(&format!("STALE  {}", page.lang.render(&stale.text.0)));
            for it in &stale.next {
                page.line(&format!("      {}", page.lang.render(&it.0)));
            }
        }
        for it in &story.acceptance_criteria {
            let id = it.id.to_string();
            let status = story.ac_status.get(&it.id);
            let waiver = waivers.iter().find(|waiver| waiver.criterion == it.id);
            match (status, waiver) {
                (Some(status), _) if status.passes => page.line(&criterion(&id, status)),
                (_, Some(WaiverRecord { actor, reason, .. })) => {
                    let reason = reason.replace(['\n', '\r'], " ");
                    page.line(&format!("  [-] {id} WAIVED  {actor}: {reason}"));
                }
                (Some(status), None) => page.line(&criterion(&id, status)),
                (None, None) => page.line(&format!("  [ ] {id} NOT_RUN")),
            }
            page.line(&format!("      {}", it.text));
            let result = story.evidence.get(&it.id).and_then(|it| it.result.as_ref());
            if let Some(note) = result.and_then(EvidenceResult::note) {
                page.line(&format!("      {}", page.lang.render(&note)));
            }
        }
        for it in declarations {
            let late = if it.is_late { page.lang.pick(" (late)", "（迟到）") } else { "" };
            page.row(&format!("declared{late}"), &format!("已声明{late}"), it.files.join(", "));
        }
        for it in attempts {
            let codes = it.codes.join(" ");
            let passes = if it.passes {
                page.lang.pick("done", "完成")
            } else {
                page.lang.pick("open", "未完成")
            };
            page.line(&format!("{}  {}  {passes}  {codes}", it.created_at, it.result));
        }
    }
}
