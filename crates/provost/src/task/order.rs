//! What all orders have in common: a task, a request id, and a receipt.

use provost_desk::task::{Receipt, Take};
use provost_kernel::{Exit, RequestId, TaskId, task::Order};

use super::page::say_next;
use crate::{
    output::Format,
    session::{AnyFault, Session},
    wiring::{actor, desk},
};

/// To which task an order goes, and under which request id.
#[derive(Debug, clap::Args)]
pub(super) struct Addressed {
    /// The id of the task
    #[arg(value_name = "ID")]
    id: String,
    /// Idempotency key: a repeated request has no second effect
    #[arg(long, value_name = "R")]
    request_id: Option<String>,
}

impl Addressed {
    /// Gives the order and prints its receipt.
    pub(super) fn give(&self, session: &mut Session, order: Order) -> Result<Exit, AnyFault> {
        let task: TaskId = self.id.parse()?;
        let request_id = self.request_id.as_deref().map(str::parse::<RequestId>).transpose()?;
        let desk = desk(session)?;
        let take = Take { task: &task, order, request_id, actor: actor() };
        let receipt = desk.order(take)?;
        match session.output.format() {
            Format::Json => session.output.document(&receipt),
            Format::Text => {
                print(session, &receipt);
                let mut next = desk.next(&desk.look(&task)?.status.value)?;
                // Nobody needs to be told to do what they have just done.
                let done = receipt.action.replacen("task.", "provost ", 1) + " ";
                next.retain(|it| !it.command.starts_with(&done));
                say_next(session, &next);
            }
        }
        Ok(Exit::Success)
    }
}

fn print(session: &mut Session, receipt: &Receipt) {
    let lang = session.output.lang;
    let Receipt { task_id, action, seq, state, .. } = receipt;
    let taken = if receipt.deduplicated {
        lang.pick(
            format!("`{task_id}`: {action} was already taken as order {seq}"),
            format!("`{task_id}`:{action} 先前已作为第 {seq} 号指令接收"),
        )
    } else {
        lang.pick(
            format!("`{task_id}`: {action} is recorded as order {seq}"),
            format!("`{task_id}`:{action} 已记录为第 {seq} 号指令"),
        )
    };
    let effect = if receipt.applied {
        lang.pick("it took effect", "已生效")
    } else {
        lang.pick("it waits for the coordinator", "等待协调进程执行")
    };
    session.output.line(&lang.pick(
        format!("{taken}; {effect}; the task is {state}"),
        format!("{taken};{effect};任务状态为 {state}"),
    ));
}
