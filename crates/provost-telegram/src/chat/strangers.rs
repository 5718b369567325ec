//! Chats that are not on the allow-list: each is told so once in a while, and nothing else.

use std::collections::BTreeMap;

use provost_kernel::Millis;

/// How long a chat is not told again.
const SILENCE: u64 = 10 * 60 * 1000;
/// How many chats are told within that time.
const MOST: usize = 20;

#[derive(Debug)]
pub(crate) struct Strangers {
    told: BTreeMap<i64, Millis>,
    since: Millis,
}

impl Strangers {
    pub(super) fn new(now: Millis) -> Self {
        Self { told: BTreeMap::new(), since: now }
    }

    /// Whether a chat is answered; one that is counts.
    pub(super) fn may_answer(&mut self, chat: i64, now: Millis) -> bool {
        if now.0.saturating_sub(self.since.0) >= SILENCE {
            *self = Self::new(now);
        }
        if self.told.contains_key(&chat) || self.told.len() == MOST {
            return false;
        }
        self.told.insert(chat, now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stranger_is_told_once_in_a_while() {
        let mut strangers = Strangers::new(Millis(0));
        assert!(strangers.may_answer(1, Millis(0)));
        assert!(!strangers.may_answer(1, Millis(SILENCE - 1)));
        assert!(strangers.may_answer(1, Millis(SILENCE)));
        for chat in 2..=20 {
            assert!(strangers.may_answer(chat, Millis(SILENCE)));
        }
        assert!(!strangers.may_answer(21, Millis(SILENCE)));
        assert!(strangers.may_answer(21, Millis(2 * SILENCE)));
    }
}
