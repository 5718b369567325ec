//! What all orders have in common: a task, a request id, and a receipt.

use provost_desk::task::{Next, Receipt, Take};
use provost_kernel::{Exit, Lang, RequestId, task::Order};
use serde::Serialize;

use crate::{
    session::{AnyFault, Session},
    view::{Page, View},
    wiring::{actor, desk},
};

/// To which task an order goes, and under which request id.
#[derive(Debug, clap::Args)]
pub(super) struct Addressed {
    /// The id of the task, or the start of it
    #[arg(value_name = "ID")]
    id: String,
    /// Idempotency key: a repeated request has no second effect
    #[arg(long, value_name = "R")]
    request_id: Option<String>,
}

/// The receipt, and what can be typed next.
#[derive(Serialize)]
#[serde(transparent)]
struct Answer {
    receipt: Receipt,
    #[serde(skip)]
    next: Vec<Next>,
}

impl Addressed {
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Gives the order and prints its receipt.
    pub(super) fn give(&self, session: &mut Session, order: Order) -> Result<Exit, AnyFault> {
        let request_id = self.request_id.as_deref().map(str::parse::<RequestId>).transpose()?;
        let desk = desk(session)?;
        let task = desk.meant(Some(&self.id))?;
        let take = Take { task: &task, order, request_id, actor: actor() };
        let receipt = desk.order(take)?;
        let mut next = desk.next(&desk.look(&task)?.status.value)?;
        // The command that was just given is not offered again.
        let done = receipt.action.replacen("task.", "provost ", 1) + " ";
        next.retain(|it| !it.command.starts_with(&done));
        session.output.show(&Answer { receipt, next });
        Ok(Exit::Success)
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        page.line(&line(&self.receipt, page.lang));
        page.next(&self.next);
    }
}

fn line(receipt: &Receipt, lang: Lang) -> String {
    let Receipt { task_id, action, seq, state, .. } = receipt;
    let taken = if receipt.deduplicated {
        lang.pick(
            format!("`{task_id}`: {action} was already taken as order {seq}"),
            format!("`{task_id}`：{action} 先前已作为第 {seq} 号指令接收"),
        )
    } else {
        lang.pick(
            format!("`{task_id}`: {action} is recorded as order {seq}"),
            format!("`{task_id}`：{action} 已记录为第 {seq} 号指令"),
        )
    };
    let effect = if receipt.applied {
        lang.pick("it took effect", "已生效")
    } else {
        lang.pick("it waits for the coordinator", "等待协调进程执行")
    };
    lang.pick(
        format!("{taken}; {effect}; the task is {state}"),
        format!("{taken}；{effect}；任务状态为 {state}"),
    )
}
