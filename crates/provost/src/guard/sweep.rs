//! `provost guard sweep`: cleans up after agents and hooks.

use provost_engine::guard::sweep::{Swept, sweep};
use provost_kernel::{Exit, Lang};
use provost_vault::{RealDisk, SystemClock, audit::set_aside_gone};
use serde::Serialize;

use crate::{
    gc::{Removed, retention},
    report,
    session::{AnyFault, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost guard sweep\n\nDeletes replays older than seven days and stale temporary files, marks agents without a sign of life\nfor five minutes as failed, applies pending writes of hooks, and deletes the marker of a swarm after\nan hour. Hooks do most of this at the start and the end of a session."
)]
pub(super) struct Args {}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    removed: Vec<Removed>,
    lost_agents: &'a [String],
    applied: usize,
    markers: Vec<String>,
    failures: Vec<String>,
    /// Projects that are gone, whose last audit entry is no longer expected.
    gone: &'a [String],
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let retention = retention(&session.configuration()?.config.retention);
        let layout = session.layout()?;
        let swept = sweep(&RealDisk, &layout, &SystemClock, &retention);
        // The heads of the chains of projects that are gone.
        let gone = set_aside_gone(&RealDisk, &layout, &SystemClock)?;
        for error in &swept.failed {
            report::complain(&mut session.output, error.as_ref());
        }
        session.output.show(&Answer { gone: &gone, ..Answer::of(&swept, session.output.lang) });
        Ok(if swept.failed.is_empty() { Exit::Success } else { Exit::Unable })
    }
}

impl<'a> Answer<'a> {
    fn of(swept: &'a Swept, lang: Lang) -> Self {
        Self {
            removed: swept.removed.iter().map(Removed::of).collect(),
            lost_agents: &swept.lost_agents,
            applied: swept.n_applied,
            markers: swept.marker.iter().map(|it| it.path().into()).collect(),
            gone: &[],
            failures: swept.failed.iter().map(|it| lang.render(&it.text())).collect(),
        }
    }
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        self.removed.iter().for_each(|it| it.line(page));
        for agent in self.lost_agents {
            page.line(&format!("{}  {agent}", lang.pick("lost agent", "失联智能体")));
        }
        for project in self.gone {
            page.line(&format!("{}  {project}", lang.pick("gone project", "已消失的项目")));
        }
        for marker in &self.markers {
            page.line(&format!("{}  {marker}", lang.pick("marker    ", "标记  ")));
        }
    }

    fn notes(&self, page: &mut Page<'_>) {
        let (files, agents) = (self.removed.len(), self.lost_agents.len());
        let (applied, markers) = (self.applied, self.markers.len());
        page.message(
            format!(
                "deleted files: {files}, lost agents: {agents}, applied operations: {applied}, markers: {markers}"
            ),
            format!("已删除文件 {files} 个，失联智能体 {agents} 个，补记操作 {applied} 项，标记 {markers} 个"),
        );
    }
}
