//! The orders that were taken from afar within the last minute, and those that were refused because there
//! were too many. Both outlive the process that takes orders: a restart makes no room.

use std::{io, time::Duration};

use provost_kernel::{Clock, Millis};
use serde::{Deserialize, Serialize};

use crate::{
    Action, Disk, FileError, Layout, Stored,
    lock::{Lock, LockError, STALE_AFTER},
    read_or_quarantine, write_json,
};

/// So many refused orders are remembered: Telegram delivers what was not confirmed for a day.
const REMEMBERED: usize = 1000;
/// How often another process is waited for that takes an order at this very moment.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(10);

/// What is kept of orders from afar.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteOrders {
    #[serde(default)]
    pub schema: String,
    /// When those of the last minute were taken.
    #[serde(default)]
    pub taken: Vec<Millis>,
    /// Since when the file that said so cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown_since: Option<Millis>,
    /// The deliveries whose order was refused, the newest last.
    #[serde(default)]
    refused: Vec<String>,
}

impl RemoteOrders {
    const SCHEMA: &'static str = "provost.remote-orders/1";

    pub fn is_refused(&self, delivery: &str) -> bool {
        self.refused.iter().any(|it| it == delivery)
    }

    pub fn refuse(&mut self, delivery: &str) {
        self.refused.push(delivery.to_owned());
        let over = self.refused.len().saturating_sub(REMEMBERED);
        self.refused.drain(..over);
    }
}

/// Changes what is kept, durably, while no other process does.
pub fn modify_remote_orders<D: Disk, T>(
    disk: &D,
    layout: &Layout,
    clock: &dyn Clock,
    change: impl FnOnce(&mut RemoteOrders) -> T,
) -> Result<T, FileError> {
    let _lock = acquire(disk, layout, clock)?;
    let at = layout.remote_orders();
    let before = match read_or_quarantine(disk, layout, clock, &at)? {
        Stored::Present(orders) => orders,
        Stored::Absent => RemoteOrders::default(),
        Stored::Corrupt(_) => {
            RemoteOrders { unknown_since: Some(clock.millis()), ..RemoteOrders::default() }
        }
    };
    let mut orders = before.clone();
    let answer = change(&mut orders);
    RemoteOrders::SCHEMA.clone_into(&mut orders.schema);
    if orders != before {
        write_json(disk, &at, &orders)?;
    }
    Ok(answer)
}

fn acquire<'a, D: Disk>(
    disk: &'a D,
    layout: &Layout,
    clock: &dyn Clock,
) -> Result<Lock<'a, D>, FileError> {
    let at = layout.remote_orders_lock();
    for _ in 0..TRIES {
        match Lock::acquire(disk, &at, clock, STALE_AFTER) {
            Ok(lock) => return Ok(lock),
            Err(LockError::Held { .. }) => std::thread::sleep(PAUSE),
            Err(LockError::File(error)) => return Err(error),
        }
    }
    Err(FileError::on(Action::Open, &at)(io::ErrorKind::WouldBlock.into()))
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::{sim::SimDisk, write_atomic};

    struct Noon;

    impl Clock for Noon {
        fn millis(&self) -> Millis {
            Millis(43_200_000)
        }
    }

    fn modify<T>(disk: &SimDisk, change: impl FnOnce(&mut RemoteOrders) -> T) -> T {
        let layout = Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"));
        modify_remote_orders(disk, &layout, &Noon, change).unwrap()
    }

    #[test]
    fn what_was_taken_and_refused_is_there_after_a_restart() {
        let disk = SimDisk::default();
        modify(&disk, |it| {
            it.taken.push(Millis(7));
            it.refuse("a");
        });
        let kept = modify(&disk, |it| it.clone());
        assert_eq!(kept.taken, [Millis(7)]);
        assert!(kept.is_refused("a") && !kept.is_refused("b"));
    }

    #[test]
    fn the_newest_refusals_are_kept() {
        let mut orders = RemoteOrders::default();
        (0..=REMEMBERED).for_each(|it| orders.refuse(&it.to_string()));
        assert!(!orders.is_refused("0") && orders.is_refused("1") && orders.is_refused("1000"));
    }

    /// Of a file that cannot be read it is known since when.
    #[test]
    fn a_broken_file_is_said_to_be_unknown() {
        let disk = SimDisk::default();
        let layout = Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"));
        write_atomic(&disk, &layout.remote_orders(), b"{").unwrap();
        for _ in 0..2 {
            assert_eq!(modify(&disk, |it| it.unknown_since), Some(Noon.millis()));
        }
    }
}
