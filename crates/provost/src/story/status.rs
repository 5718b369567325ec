//! `provost story status`: how far every story is.

use provost_desk::story::Notice;
use provost_engine::story::{Overview, StatusOfExecution, status};
use provost_kernel::Exit;

use super::{desk, page::say_findings};
use crate::{
    output::Format,
    session::{AnyFault, Preparation, Run, Session},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost story status\n  provost story status --json\n\nA story counts as done when every criterion was proven; what somebody said is not counted."
)]
pub(super) struct Args {}

impl Run for Args {
    // What another process left unfinished is completed in the index.
    fn preparation(&self) -> Preparation {
        Preparation::Identity
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let overview = status(&desk(session)?)?;
        for notice in &overview.notices {
            tell(session, notice);
        }
        match session.output.format() {
            Format::Json => session.output.document(&overview),
            Format::Text => print(session, &overview),
        }
        Ok(Exit::Success)
    }
}

fn tell(session: &mut Session, notice: &Notice) {
    let lang = session.output.lang;
    match notice {
        Notice::PutAside { kept_as } => session.output.message(&lang.pick(
            format!("the index was corrupt and was made again; it is kept as `{kept_as}`"),
            format!("索引已损坏并已重建;原文件保存为 `{kept_as}`"),
        )),
        Notice::TakenOver { n_executions } => session.output.message(&lang.pick(
            format!("{n_executions} executions of an older database were taken over"),
            format!("已接收旧数据库中的 {n_executions} 个执行"),
        )),
        Notice::LeftOut(finding) => say_findings(session, std::slice::from_ref(finding)),
    }
}

fn print(session: &mut Session, overview: &Overview) {
    let lang = session.output.lang;
    if overview.executions.is_empty() && overview.history.is_empty() {
        session.output.message(lang.pick("no plan was started", "尚未启动任何计划"));
        return;
    }
    for it in &overview.executions {
        execution(session, it);
    }
    if !overview.history.is_empty() {
        session.output.line(lang.pick("history:", "历史:"));
        for it in &overview.history {
            execution(session, it);
        }
    }
    session.output.line(&overview.first_submissions_text);
}

fn execution(session: &mut Session, it: &StatusOfExecution) {
    let (branch, status) = (&it.execution.branch, it.execution.status);
    session.output.line(&format!("{branch}  {status}  {}  {}", it.story_progress, it.ac_progress));
    for story in &it.stories {
        let mark = if story.passes { 'x' } else { ' ' };
        session.output.line(&format!("  [{mark}] {}  {}", story.label, story.title));
    }
}
