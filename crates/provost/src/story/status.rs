//! `provost story status`: shows the progress of every story.

use provost_desk::story::Notice;
use provost_engine::story::{Overview, StatusOfExecution, status};
use provost_kernel::Exit;

use super::{desk, freshness};
use crate::{
    session::{AnyFault, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost story status\n  provost story status --json\n\nA story is done when every criterion is proven; claims are not counted. One that is done is STALE\nwhile another tree lies in the worktree than the one on which it was proven."
)]
pub(super) struct Args {}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let freshness = freshness(session)?;
        let overview = status(&desk(session)?, &freshness)?;
        show_notices(session, &overview.notices);
        session.output.show(&overview);
        Ok(Exit::Success)
    }
}

/// Shows what a person should know about the index.
pub(crate) fn show_notices(session: &mut Session, notices: &[Notice]) {
    let mut page = session.output.page();
    for notice in notices {
        match notice {
            Notice::Quarantined { kept_as } => page.message(
                format!(
                    "the index was corrupt and was rebuilt; the old file is kept as `{kept_as}`"
                ),
                format!("索引已损坏并已重建；原文件保存为 `{kept_as}`"),
            ),
            Notice::Imported { n_executions } => page.message(
                format!("imported {n_executions} executions of an older database"),
                format!("已导入旧数据库中的 {n_executions} 个执行"),
            ),
            Notice::Skipped(finding) => page.finding(finding),
        }
    }
}

impl View for Overview {
    fn page(&self, page: &mut Page<'_>) {
        if self.executions.is_empty() && self.history.is_empty() {
            page.message("no plan has been started", "尚未启动任何计划");
            return;
        }
        for it in &self.executions {
            execution(page, it);
        }
        if !self.history.is_empty() {
            page.write("history:", "历史：");
            for it in &self.history {
                execution(page, it);
            }
        }
        page.text(&self.first_submissions_text.0);
        let counted = self.rejections.iter().map(|(code, count)| format!("{code} {count}"));
        let counted: Vec<String> = counted.collect();
        if !counted.is_empty() {
            let counted = counted.join(", ");
            page.write(format!("rejected for {counted}"), format!("拒绝原因：{counted}"));
        }
    }
}

fn execution(page: &mut Page<'_>, it: &StatusOfExecution) {
    let lang = page.lang;
    let (branch, status) = (&it.execution.branch, it.execution.status);
    page.line(&format!("{branch}  {status}  {}  {}", it.story_progress, it.ac_progress));
    for story in &it.stories {
        let mark = match (story.passes, &story.stale) {
            (true, None) => 'x',
            (true, Some(_)) => '~',
            (false, _) => ' ',
        };
        let waived: Vec<String> = story.waived.iter().map(ToString::to_string).collect();
        let waived = match waived.join(", ") {
            none if none.is_empty() => none,
            some => lang.pick(format!(", waived: {some}"), format!("，已豁免：{some}")),
        };
        let label = lang.render(&story.label.0);
        let word = if story.stale.is_some() { "  STALE" } else { "" };
        page.line(&format!("  [{mark}] {label}{waived}{word}  {}", story.title));
        if let Some(stale) = &story.stale {
            page.line(&format!("      {}", page.lang.render(&stale.text.0)));
        }
    }
}
