//! What people were told, and who tells them.

use super::Layout;
use crate::Location;

/// A process that sends notifications. Of those that run, the first in this order does (ruling 93).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SenderRank {
    Bot,
    Server,
    /// One that runs a task, and ends with it.
    Coordinator,
}

impl Layout {
    /// What people are told, and what was sent of it.
    pub fn outbox(&self) -> Location {
        self.out().join("_notify").join("outbox.jsonl")
    }

    /// How far the events of each task were read for the outbox.
    pub fn outbox_cursor(&self) -> Location {
        self.out().join("_notify").join("cursor.json")
    }

    /// The orders of the last minute that were taken from afar.
    pub fn remote_orders(&self) -> Location {
        self.out().join("_notify").join("remote_orders.json")
    }

    /// Held while an order from afar is taken.
    pub fn remote_orders_lock(&self) -> Location {
        self.out().join("_notify").join("remote_orders.lock")
    }

    /// Held by the one process that reads events and sends.
    pub fn sender_lock(&self) -> Location {
        self.out().join("_notify").join("sender.lock")
    }

    /// Held by a process of this rank as long as it runs; a coordinator holds none.
    pub fn sender_presence(&self, rank: SenderRank) -> Option<Location> {
        let name = match rank {
            SenderRank::Bot => "bot.lock",
            SenderRank::Server => "server.lock",
            SenderRank::Coordinator => return None,
        };
        Some(self.out().join("_notify").join(name))
    }
}
