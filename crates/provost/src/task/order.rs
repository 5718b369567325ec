//! What all orders have in common: a task, a request id, and a receipt.

use provost_desk::task::{Next, Phase, Receipt, Take};
use provost_kernel::{Exit, Lang, Message as _, RequestId, task::Order};
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
    phase: Phase,
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
        let status = desk.look(&task)?.status.value;
        let mut next = desk.next(&status)?;
        // The command that was just given is not offered again.
        let done = receipt.action.replacen("task.", "provost ", 1) + " ";
        next.retain(|it| !it.command.starts_with(&done));
        session.output.show(&Answer { receipt, phase: Phase::of(&status), next });
        Ok(Exit::Success)
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        page.line(&line(&self.receipt, self.phase, page.lang));
        page.next(&self.next);
    }
}

/// What became of an order, as a person would say it.
fn line(receipt: &Receipt, phase: Phase, lang: Lang) -> String {
    let (en, zh) = done(receipt.action);
    let mut said = vec![lang.pick(en, zh).to_owned()];
    if receipt.deduplicated {
        said.push(lang.pick("It was recorded before.", "此前已经记录。").to_owned());
    }
    if !receipt.applied {
        let later = lang.pick("It takes effect at the next step.", "将在下一步生效。");
        said.push(later.to_owned());
    }
    let (task, phase) = (&receipt.task_id, lang.render(&phase.text()));
    said.push(lang.pick(format!("`{task}` is {phase}."), format!("`{task}` {phase}。")));
    said.join(lang.pick(" ", ""))
}

/// What was done, by the name of an order.
fn done(action: &str) -> (&'static str, &'static str) {
    match action.trim_start_matches("task.") {
        "answer" => ("Answer recorded.", "答复已记录。"),
        "edit" => ("Instruction recorded.", "指示已记录。"),
        "override" | "set" => ("Change recorded.", "修改已记录。"),
        "rollback" => ("Change taken back.", "修改已撤销。"),
        "approve" => ("Result approved.", "结果已接受。"),
        "reject" => ("Result rejected.", "结果已拒绝。"),
        "accept" => ("Finding accepted.", "发现已接受。"),
        "reset" => ("Attempts are counted from 1 again.", "尝试次数已重新计算。"),
        "pause" => ("Pause recorded.", "暂停已记录。"),
        _ => ("Recorded.", "已记录。"),
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::task::State;

    use super::*;

    #[test]
    fn a_receipt_is_what_a_person_would_say() {
        let receipt = |action, deduplicated, applied| Receipt {
            task_id: "t1".parse().unwrap(),
            action,
            seq: 3,
            deduplicated,
            applied,
            state: State::Paused,
            state_version: 7,
        };
        for (receipt, phase, en, zh) in [
            (
                receipt("task.answer", false, true),
                Phase::Paused,
                "Answer recorded. `t1` is paused.",
                "答复已记录。`t1` 已暂停。",
            ),
            (
                receipt("task.approve", true, true),
                Phase::Approved,
                "Result approved. It was recorded before. `t1` is approved.",
                "结果已接受。此前已经记录。`t1` 已接受。",
            ),
            (
                receipt("task.pause", false, false),
                Phase::Running,
                "Pause recorded. It takes effect at the next step. `t1` is running.",
                "暂停已记录。将在下一步生效。`t1` 运行中。",
            ),
        ] {
            assert_eq!(line(&receipt, phase, Lang::En), en);
            assert_eq!(line(&receipt, phase, Lang::Zh), zh);
        }
    }
}
