//! How often somebody may order something.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use provost_kernel::Millis;

const MINUTE: u64 = 60_000;

/// At most so many a minute for each person.
pub(crate) struct Rate {
    most: usize,
    taken: Mutex<BTreeMap<String, VecDeque<Millis>>>,
}

impl Rate {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, taken: Mutex::default() }
    }

    /// Whether one more may come now; it counts if so.
    pub(crate) fn take(&self, person: &str, now: Millis) -> bool {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let times = taken.entry(person.to_owned()).or_default();
        while times.front().is_some_and(|it| it.0 + MINUTE <= now.0) {
            times.pop_front();
        }
        if times.len() >= self.most {
            return false;
        }
        times.push_back(now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_later_there_is_room_again() {
        let rate = Rate::new(2);
        assert!(rate.take("ann", Millis(0)) && rate.take("ann", Millis(10)));
        assert!(!rate.take("ann", Millis(59_999)));
        assert!(rate.take("bob", Millis(59_999)));
        assert!(rate.take("ann", Millis(60_000)) && !rate.take("ann", Millis(60_009)));
    }
}
