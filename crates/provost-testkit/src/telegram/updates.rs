//! The queue of updates, by the rules of `getUpdates`: what is not confirmed by a higher offset is
//! delivered again.

use serde_json::{Value, json};

/// The most that one answer holds, and the default.
const LIMIT: usize = 100;

/// What is done to one delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Disorder {
    /// Each update twice.
    Twice,
    /// The newest first.
    Reversed,
}

#[derive(Debug)]
pub(super) struct Updates {
    /// Every update with its id, delivered or not.
    all: Vec<(i64, Value)>,
    next: i64,
    /// The lowest id that is not confirmed.
    confirmed_below: i64,
    /// Confirmed updates that the next delivery holds nevertheless.
    replayed: Vec<Value>,
    disorder: Option<Disorder>,
}

impl Default for Updates {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            next: 1000,
            confirmed_below: 0,
            replayed: Vec::new(),
            disorder: None,
        }
    }
}

impl Updates {
    /// Adds an update under the next id, which it returns.
    pub(super) fn add(&mut self, mut update: Value) -> i64 {
        let id = self.next;
        self.next += 1;
        update["update_id"] = json!(id);
        self.all.push((id, update));
        id
    }

    pub(super) fn replay(&mut self, id: i64) {
        self.replayed.extend(self.all.iter().filter(|it| it.0 == id).map(|it| it.1.clone()));
    }

    pub(super) fn double_next(&mut self) {
        self.disorder = Some(Disorder::Twice);
    }

    pub(super) fn reverse_next(&mut self) {
        self.disorder = Some(Disorder::Reversed);
    }

    /// Confirms what is below an offset; a negative one counts from the end of the queue.
    pub(super) fn confirm(&mut self, offset: i64) {
        let below = if offset < 0 { self.next + offset } else { offset };
        self.confirmed_below = self.confirmed_below.max(below);
    }

    pub(super) fn has_some(&self) -> bool {
        !self.replayed.is_empty() || self.all.iter().any(|it| it.0 >= self.confirmed_below)
    }

    /// The ids that are not confirmed yet.
    pub(super) fn unconfirmed(&self) -> Vec<i64> {
        self.all.iter().map(|it| it.0).filter(|it| *it >= self.confirmed_below).collect()
    }

    /// The next delivery; its updates remain until an offset confirms them.
    pub(super) fn deliver(&mut self, limit: Option<u64>) -> Vec<Value> {
        let limit = limit.and_then(|it| usize::try_from(it).ok()).unwrap_or(LIMIT).clamp(1, LIMIT);
        let open = self.all.iter().filter(|it| it.0 >= self.confirmed_below);
        let mut updates = std::mem::take(&mut self.replayed);
        updates.extend(open.take(limit).map(|it| it.1.clone()));
        if updates.is_empty() {
            return updates;
        }
        match self.disorder.take() {
            None => {}
            Some(Disorder::Twice) => {
                updates = updates.into_iter().flat_map(|it| [it.clone(), it]).collect();
            }
            Some(Disorder::Reversed) => updates.reverse(),
        }
        updates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Updates {
        let mut updates = Updates::default();
        for _ in 0..3 {
            updates.add(json!({}));
        }
        updates
    }

    #[track_caller]
    fn check(updates: &mut Updates, expected: &[i64]) {
        let delivered = updates.deliver(None);
        let ids: Vec<i64> = delivered.iter().filter_map(|it| it["update_id"].as_i64()).collect();
        assert_eq!(ids, expected);
    }

    #[test]
    fn what_is_not_confirmed_is_delivered_again() {
        let mut updates = three();
        check(&mut updates, &[1000, 1001, 1002]);
        check(&mut updates, &[1000, 1001, 1002]);
        updates.confirm(1002);
        check(&mut updates, &[1002]);
        updates.confirm(1000);
        check(&mut updates, &[1002]);
        updates.confirm(1003);
        assert!(!updates.has_some());
        check(&mut updates, &[]);
    }

    #[test]
    fn a_negative_offset_counts_from_the_end() {
        let mut updates = three();
        updates.confirm(-1);
        check(&mut updates, &[1002]);
    }

    #[test]
    fn a_limit_holds_for_one_delivery() {
        let mut updates = three();
        assert_eq!(updates.deliver(Some(2)).len(), 2);
        assert_eq!(updates.deliver(Some(0)).len(), 1);
        assert_eq!(updates.unconfirmed(), [1000, 1001, 1002]);
    }

    #[test]
    fn disorder_is_for_one_delivery() {
        let mut updates = three();
        updates.double_next();
        check(&mut updates, &[1000, 1000, 1001, 1001, 1002, 1002]);
        updates.reverse_next();
        check(&mut updates, &[1002, 1001, 1000]);
        updates.confirm(1003);
        updates.reverse_next();
        check(&mut updates, &[]);
        updates.add(json!({}));
        updates.replay(1001);
        check(&mut updates, &[1003, 1001]);
        check(&mut updates, &[1003]);
    }
}
