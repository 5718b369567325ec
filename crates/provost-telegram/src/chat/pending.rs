//! Orders that wait for a confirmation: what was asked, about which task and which result.
//!
//! They are kept in memory: after a restart their buttons have expired, and nothing was ordered.

use std::collections::VecDeque;

use provost_kernel::task::Order;

use crate::callback::OrderButton;

/// How many are kept; the oldest is forgotten first.
const MOST: usize = 64;

/// What a person was asked.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) button: OrderButton,
    pub(super) order: Order,
    /// Whether it still stands in the chat, neither confirmed nor cancelled.
    pub(super) is_open: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Pending(VecDeque<((i64, i32), Asked)>);

impl Pending {
    /// Remembers what a message in a chat asks.
    pub(super) fn keep(&mut self, message: (i64, i32), asked: Asked) {
        self.0.retain(|(known, _)| *known != message);
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back((message, asked));
    }

    /// Whether a message waits for a confirmation.
    pub(super) fn is_open(&self, message: (i64, i32)) -> bool {
        self.0.iter().any(|(known, it)| *known == message && it.is_open)
    }

    /// Something else stands there now.
    pub(super) fn close(&mut self, message: (i64, i32)) {
        let found = self.0.iter_mut().filter(|(known, _)| *known == message);
        found.for_each(|(_, it)| it.is_open = false);
    }

    /// What a message asked. It stays, so that a second press has the same body as the first.
    pub(super) fn find(&self, message: (i64, i32), button: OrderButton) -> Option<Asked> {
        let found = self.0.iter().find(|(known, _)| *known == message).map(|(_, it)| it.clone());
        found.filter(|it| it.button == button)
    }
}

#[cfg(test)]
mod tests {
    use provost_desk::{board::TaskAddress, task::Seen};

    use super::*;
    use crate::callback::Verb;

    fn asked(task: &str, because: i32) -> Asked {
        let seen = Seen { attempt: 1, state_version: 3 };
        let project = "0123ab".parse().unwrap();
        let task = TaskAddress::of(project, &task.parse().unwrap(), None);
        let button = OrderButton { verb: Verb::Reject, task, seen };
        Asked { button, order: Order::Reject { because: because.to_string() }, is_open: true }
    }

    #[test]
    fn the_newest_are_kept() {
        let mut pending = Pending::default();
        for message in 0..100 {
            pending.keep((1, message), asked("t1", message));
        }
        let button = asked("t1", 0).button;
        assert_eq!(pending.find((1, 35), button), None);
        assert_eq!(pending.find((1, 36), button), Some(asked("t1", 36)));
        assert_eq!(pending.find((2, 36), button), None);
        assert_eq!(pending.find((1, 36), asked("t2", 0).button), None);
        assert!(pending.is_open((1, 36)) && !pending.is_open((1, 35)));
        pending.close((1, 36));
        assert!(!pending.is_open((1, 36)) && pending.find((1, 36), button).is_some());
    }
}
