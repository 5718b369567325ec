//! `provost show`: where a task stands, what is verified, and what to do next.

mod page;
mod result;

use provost_desk::{
    LookError,
    task::{AttemptView, BaseView, Next, View as TaskView},
};
use provost_kernel::{
    Exit, Message as _, RecordFile, TaskId,
    task::{Acceptance, Checked, Status, TaskType, TestProof},
};
use provost_vault::lock::Holder;
use serde::Serialize;

pub(super) use self::page::brief;
use crate::{
    session::{AnyFault, Run, Session},
    wiring::desk,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost show t1\n\nExits with 0 in every state, and with 6 if the state cannot be read\nor does not match the audit chain."
)]
pub(crate) struct Args {
    /// The id of the task, or the start of it; the task that changed last, if not given
    #[arg(value_name = "ID")]
    id: Option<String>,
}

/// The answer, as a script reads it.
#[derive(Serialize)]
struct Answer<'a> {
    status: &'a RecordFile<Status>,
    attempts: &'a [AttemptView],
    checks: &'a [Checked],
    /// What the newest green test proves; null without one.
    test_proof: Option<&'a TestProof>,
    /// What people accepted of the newest attempt.
    accepted: &'a [Acceptance],
    /// How the test comes out on the base; null before it ran there.
    base_test: Option<&'a BaseView>,
    /// The task type; null without one, and then nothing is scored.
    rubric: Option<&'static str>,
    holder: Option<&'a Holder>,
    next: &'a [Next],
    unreadable: &'a [String],
    /// The file of the state, if it does not match the audit chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    altered: Option<&'a str>,
    /// The error of the last command in the background, as long as nothing has happened since.
    #[serde(skip_serializing_if = "Option::is_none")]
    background_failure: Option<&'a str>,
    #[serde(skip)]
    view: &'a TaskView,
}

/// What the check of the verdict's rubric is called.
pub(super) const RUBRIC: &str = "rubric";

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let desk = desk(session)?;
        let task = desk.meant(self.id.as_deref())?;
        let view = desk.view(&task)?;
        let failure = desk.background_failure(&view.looked)?;
        complain_of(session, &view.unreadable);
        session.output.show(&Answer {
            status: &view.looked.status,
            attempts: &view.attempts,
            checks: &view.checks(),
            test_proof: view.proof.as_ref(),
            accepted: &view.accepted(),
            base_test: view.base.as_ref(),
            rubric: rubric(&view),
            holder: view.looked.holder.as_deref(),
            next: &view.next,
            unreadable: &view.unreadable,
            altered: view.looked.altered.as_deref(),
            background_failure: failure.as_deref(),
            view: &view,
        });
        if let Some(failure) = failure {
            let lang = session.output.lang;
            session.output.complain(&lang.pick(
                format!("the last command in the background failed: {failure}"),
                format!("上一个后台命令失败：{failure}"),
            ));
        }
        match &view.looked.altered {
            Some(path) => {
                complain_of_altered(session, &task, path);
                Ok(Exit::Integrity)
            }
            None => Ok(Exit::Success),
        }
    }
}

/// Complains about files of a task that cannot be read: the answer lacks what they hold.
pub(crate) fn complain_of(session: &mut Session, unreadable: &[String]) {
    let lang = session.output.lang;
    for path in unreadable {
        session
            .output
            .complain(&lang.pick(format!("cannot read `{path}`"), format!("无法读取 `{path}`")));
    }
}

/// Complains about a state that does not match the audit chain, and says what to do.
pub(crate) fn complain_of_altered(session: &mut Session, task: &TaskId, path: &str) {
    let lang = session.output.lang;
    let altered = LookError::StatusAltered { task: task.clone(), path: path.to_owned() };
    session.output.complain(&lang.render(&altered.text()));
    for hint in altered.hints() {
        let hint = lang.render(&hint);
        session.output.complain(&lang.pick(format!("hint: {hint}"), format!("提示：{hint}")));
    }
}

fn rubric(view: &TaskView) -> Option<&'static str> {
    view.spec.as_ref().and_then(|it| it.value.task_type).map(TaskType::as_str)
}

/// What a check is called in Chinese; one that is not known keeps its name.
pub(crate) fn label(name: &str) -> &str {
    match name {
        "tests" => "测试",
        "lint" => "代码检查",
        "types" => "类型",
        "build" => "构建",
        "paths" => "路径",
        "verdict" => "裁决",
        "budget" => "预算",
        "criteria" => "验收标准",
        "agent config" => "智能体配置",
        RUBRIC => "评分标准",
        other => other,
    }
}
