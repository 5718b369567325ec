//! The orders that people gave a task, and what became of each.

use std::collections::BTreeSet;

use provost_kernel::{
    Timestamp,
    task::{EventKind, Order, OrderRecord, Status},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Desk, DeskError};

/// An order that was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GivenOrder {
    pub seq: u64,
    pub created_at: Timestamp,
    /// The door and the person, such as `web:ann`.
    pub actor: String,
    pub action: String,
    /// What was said with it.
    pub text: Option<String>,
    pub outcome: GivenOutcome,
}

/// What became of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GivenOutcome {
    Applied,
    Refused,
    Pending,
}

impl Desk {
    pub(super) fn given(&self, status: &Status) -> Result<Vec<GivenOrder>, DeskError> {
        let files = self.files(&status.task_id);
        let refused: BTreeSet<u64> = files
            .events()?
            .records
            .iter()
            .filter(|it| it.value.kind == EventKind::OrderRefused)
            .filter_map(|it| it.rest.get("order")?.as_u64())
            .collect();
        let given = |record: OrderRecord| {
            let outcome = if refused.contains(&record.seq) {
                GivenOutcome::Refused
            } else if record.seq <= status.last_order_seq_applied {
                GivenOutcome::Applied
            } else {
                GivenOutcome::Pending
            };
            let action = serde_json::to_value(&record.order).ok();
            let action = action.and_then(|it| it["action"].as_str().map(str::to_owned));
            GivenOrder {
                seq: record.seq,
                created_at: record.created_at,
                actor: record.actor.to_string(),
                action: action.unwrap_or_else(|| record.order.action().to_owned()),
                text: said(record.order),
                outcome,
            }
        };
        Ok(files.orders()?.into_iter().map(given).collect())
    }
}

/// What a person said with an order.
fn said(order: Order) -> Option<String> {
    match order {
        Order::Edit { instruction: text }
        | Order::Answer { text }
        | Order::Reject { because: text }
        | Order::Accept { because: text, .. } => Some(text),
        Order::Set { changes } => {
            let text = |it: provost_kernel::task::SpecChange| {
                let sign = match it.how {
                    provost_kernel::task::ChangeKind::Set => "=",
                    provost_kernel::task::ChangeKind::Add => "+=",
                    provost_kernel::task::ChangeKind::Remove => "-=",
                };
                format!("{}{sign}{}", it.key, it.value)
            };
            Some(changes.into_iter().map(text).collect::<Vec<_>>().join(", "))
        }
        Order::Override { overrides } => {
            overrides.max_attempts.map(|it| format!("max_attempts={it}"))
        }
        Order::Land { branch, .. } => Some(branch),
        Order::Rerun { attempt } => Some(attempt.get().to_string()),
        Order::Rollback { to_version } => to_version.map(|it| it.to_string()),
        Order::Pause
        | Order::PauseNow
        | Order::Resume
        | Order::Reset
        | Order::Rejudge
        | Order::Approve
        | Order::UndoLand { .. } => None,
    }
}
