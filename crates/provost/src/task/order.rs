//! What all orders have in common: a task, a request id, and a receipt.

use std::collections::BTreeSet;

use provost_desk::{
    Desk,
    task::{Next, Phase, Receipt, Sought, Take},
};
use provost_kernel::{Exit, Lang, Message as _, RequestId, TaskId, shorten, task::Order};
use serde::Serialize;
use serde_json::{Map, Value};

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

/// The same for a command that can be about one task only, where just one fits it.
#[derive(Debug, clap::Args)]
pub(super) struct AddressedOrOnly {
    /// The id of the task, or the start of it; the only task that fits, if not given
    #[arg(value_name = "ID")]
    id: Option<String>,
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
    /// Whether it does not wait for the end of a step.
    #[serde(skip)]
    is_at_once: bool,
    /// The fields of the spec that are others now, with their values; none for one as it was made.
    #[serde(skip)]
    changes: Vec<(String, Option<Value>)>,
    #[serde(skip)]
    next: Vec<Next>,
}

impl Addressed {
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Gives the order and prints its receipt.
    pub(super) fn give(&self, session: &mut Session, order: Order) -> Result<Exit, AnyFault> {
        let desk = desk(session)?;
        let task = desk.meant(Some(&self.id))?;
        let receipt = take(&desk, &task, order, self.request_id.as_deref())?;
        show(session, &desk, receipt)
    }
}

impl AddressedOrOnly {
    /// Gives the order and prints its receipt.
    pub(super) fn give(
        &self,
        session: &mut Session,
        order: Order,
        sought: Sought,
    ) -> Result<Exit, AnyFault> {
        let desk = desk(session)?;
        let task = meant(&desk, self.id.as_deref(), sought)?;
        let receipt = take(&desk, &task, order, self.request_id.as_deref())?;
        show(session, &desk, receipt)
    }
}

/// The task that is named, or the only one that fits.
pub(super) fn meant(desk: &Desk, id: Option<&str>, sought: Sought) -> Result<TaskId, AnyFault> {
    Ok(match id {
        Some(id) => desk.meant(Some(id))?,
        None => desk.only(sought)?,
    })
}

/// An order that is recorded.
#[derive(Debug)]
pub(super) struct Given {
    receipt: Receipt,
    /// The start of the command that gave it.
    command: String,
    is_at_once: bool,
    /// What was edited before, and how many attempts there could be.
    before: (Map<String, Value>, u16),
}

/// Gives an order; it is durable then.
pub(super) fn take(
    desk: &Desk,
    task: &TaskId,
    order: Order,
    request_id: Option<&str>,
) -> Result<Given, AnyFault> {
    let request_id = request_id.map(str::parse::<RequestId>).transpose()?;
    let command = if let Order::Accept { finding, .. } = &order {
        format!("provost accept {task} {finding} ")
    } else {
        order.action().replacen("task.", "provost ", 1) + " "
    };
    let is_at_once = order == Order::PauseNow;
    let status = desk.look(task)?.status.value;
    let before = (status.edited, status.effective_max_attempts);
    let receipt = desk.order(Take { task, order, request_id, actor: actor(), seen: None })?;
    Ok(Given { receipt, command, is_at_once, before })
}

/// Prints the receipt of a review, and what can be typed next.
pub(super) fn reviewed(
    session: &mut Session,
    desk: &Desk,
    receipt: Receipt,
) -> Result<Exit, AnyFault> {
    let status = desk.look(&receipt.task_id)?.status.value;
    let before = (status.edited, status.effective_max_attempts);
    let command = "provost review ".to_owned();
    show(session, desk, Given { receipt, command, is_at_once: false, before })
}

/// Prints a receipt, and what can be typed next.
pub(super) fn show(session: &mut Session, desk: &Desk, given: Given) -> Result<Exit, AnyFault> {
    let Given { receipt, command, is_at_once, before } = given;
    let status = desk.look(&receipt.task_id)?.status.value;
    let mut next = desk.next(&status)?;
    // The command that was just given is not offered again.
    next.retain(|it| !it.command.starts_with(&command));
    let mut changes = changes(&before.0, &status.edited);
    let now = status.effective_max_attempts;
    changes.extend((now != before.1).then(|| ("max_attempts".to_owned(), Some(now.into()))));
    let phase = Phase::of(&status);
    session.output.show(&Answer { receipt, phase, is_at_once, changes, next });
    Ok(Exit::Success)
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        page.line(&line(&self.receipt, self.phase, self.is_at_once, page.lang));
        for (field, value) in &self.changes {
            let made = page.lang.pick("as it was made", "恢复为创建时的值");
            let value = value.as_ref().map_or_else(|| made.to_owned(), ToString::to_string);
            page.line(&format!("  {field}: {}", shorten(&value)));
        }
        page.next(&self.next);
    }
}

/// What differs between two sets of edits.
fn changes(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) -> Vec<(String, Option<Value>)> {
    let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let is_changed = |it: &&String| before.get(*it) != after.get(*it);
    let changed = keys.into_iter().filter(is_changed);
    changed.map(|it| (it.clone(), after.get(it).cloned())).collect()
}

/// What became of an order, as a person would say it.
fn line(receipt: &Receipt, phase: Phase, is_at_once: bool, lang: Lang) -> String {
    let (en, zh) = match (receipt.action, phase) {
        // That is a label: the task stays as it is and does not land.
        ("task.approve", Phase::Failed) => {
            ("Approval recorded for learning.", "批准已记录，供学习使用。")
        }
        (action, _) => done(action),
    };
    // The sentence about the task says it where the result was reviewed.
    let is_said = matches!(
        (receipt.action, phase),
        ("task.approve", Phase::Approved) | ("task.reject", Phase::Rejected)
    );
    let mut said = if is_said { Vec::new() } else { vec![lang.pick(en, zh).to_owned()] };
    if receipt.deduplicated {
        said.push(lang.pick("It was recorded before.", "此前已经记录。").to_owned());
    }
    if !receipt.applied {
        let later = if is_at_once {
            lang.pick("The running step is being ended.", "正在结束当前步骤。")
        } else {
            lang.pick("It takes effect at the next step.", "将在下一步生效。")
        };
        said.push(later.to_owned());
    }
    let (task, word) = (&receipt.task_id, lang.render(&phase.text()));
    let is = if phase == Phase::Failed { "has" } else { "is" };
    said.push(lang.pick(format!("`{task}` {is} {word}."), format!("`{task}` {word}。")));
    said.join(lang.pick(" ", ""))
}

/// What was done, by the name of an order.
fn done(action: &str) -> (&'static str, &'static str) {
    match action.trim_start_matches("task.") {
        "answer" => ("Answer recorded.", "答复已记录。"),
        "edit" => ("Instruction recorded.", "指示已记录。"),
        "override" | "set" => ("Change recorded.", "修改已记录。"),
        "rollback" => ("Change taken back.", "修改已撤销。"),
        "approve" => ("Result approved.", "结果已批准。"),
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
                "It was recorded before. `t1` is approved.",
                "此前已经记录。`t1` 已批准。",
            ),
            (
                receipt("task.reject", false, true),
                Phase::Rejected,
                "`t1` is rejected.",
                "`t1` 已拒绝。",
            ),
            (
                receipt("task.approve", false, true),
                Phase::Failed,
                "Approval recorded for learning. `t1` has failed.",
                "批准已记录，供学习使用。`t1` 失败。",
            ),
            (
                receipt("task.accept", false, true),
                Phase::Failed,
                "Finding accepted. `t1` has failed.",
                "发现已接受。`t1` 失败。",
            ),
            (
                receipt("task.pause", false, false),
                Phase::Running,
                "Pause recorded. It takes effect at the next step. `t1` is running.",
                "暂停已记录。将在下一步生效。`t1` 运行中。",
            ),
        ] {
            assert_eq!(line(&receipt, phase, false, Lang::En), en);
            assert_eq!(line(&receipt, phase, false, Lang::Zh), zh);
        }
        let now = line(&receipt("task.pause", false, false), Phase::Running, true, Lang::En);
        assert_eq!(now, "Pause recorded. The running step is being ended. `t1` is running.");
    }
}
