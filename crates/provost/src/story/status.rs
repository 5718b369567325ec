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
        tell_all(session, &overview.notices);
        match session.output.format() {
            Format::Json => session.output.document(&overview),
            Format::Text => print(session, &overview),
        }
        Ok(Exit::Success)
    }
}

/// Says what a person should know about the index.
pub(crate) fn tell_all(session: &mut Session, notices: &[Notice]) {
    for notice in notices {
        tell(session, notice);
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
    let counted = overview.rejections.iter().map(|(code, count)| format!("{code} {count}"));
    let counted: Vec<String> = counted.collect();
    if !counted.is_empty() {
        let counted = counted.join(", ");
        session
            .output
            .line(&lang.pick(format!("rejected for {counted}"), format!("拒绝原因:{counted}")));
    }
}

fn execution(session: &mut Session, it: &StatusOfExecution) {
    let lang = session.output.lang;
    let (branch, status) = (&it.execution.branch, it.execution.status);
    session.output.line(&format!("{branch}  {status}  {}  {}", it.story_progress, it.ac_progress));
    for story in &it.stories {
        let mark = if story.passes { 'x' } else { ' ' };
        let waived: Vec<String> = story.waived.iter().map(ToString::to_string).collect();
        let waived = match waived.join(", ") {
            none if none.is_empty() => none,
            some => lang.pick(format!(", waived: {some}"), format!(",已豁免:{some}")),
        };
        session.output.line(&format!("  [{mark}] {}{waived}  {}", story.label, story.title));
    }
}
