//! Orders that wait for a confirmation and say more than a button can carry.
//!
//! They are kept in memory: after a restart their buttons have expired, and nothing was ordered.

use std::collections::VecDeque;

use provost_kernel::task::Order;

/// How many are kept; the oldest is forgotten first.
const MOST: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct Pending(VecDeque<((i64, i32), Order)>);

impl Pending {
    /// Remembers the order of a message in a chat.
    pub(super) fn keep(&mut self, message: (i64, i32), order: Order) {
        self.0.retain(|(known, _)| *known != message);
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back((message, order));
    }

    /// The order of a message. It stays, so that a second press has the same body as the first.
    pub(super) fn find(&self, message: (i64, i32)) -> Option<Order> {
        self.0.iter().find(|(known, _)| *known == message).map(|(_, order)| order.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_kept() {
        let mut pending = Pending::default();
        for message in 0..100 {
            pending.keep((1, message), Order::Reject { because: message.to_string() });
        }
        pending.keep((1, 99), Order::Approve);
        assert_eq!(pending.find((1, 35)), None);
        let kept = Order::Reject { because: "36".to_owned() };
        assert_eq!(
            (pending.find((1, 36)), pending.find((1, 99))),
            (Some(kept), Some(Order::Approve))
        );
        assert_eq!(pending.find((2, 36)), None);
    }
}
