//! What a person was asked to write: in a private chat the next message is the answer, whether or not it is
//! sent as a reply.
//!
//! It is kept in memory: after a restart a reply to the prompt itself is still understood.

use std::{collections::BTreeMap, time::Duration};

use provost_kernel::Millis;

use crate::callback::OrderButton;

/// For so long the next message is an answer.
const OPEN: Duration = Duration::from_mins(10);

/// The last prompt of each person in each chat.
#[derive(Debug, Default)]
pub(crate) struct Prompts(BTreeMap<(i64, i64), (OrderButton, Millis)>);

impl Prompts {
    pub(super) fn keep(&mut self, from: (i64, i64), button: OrderButton, now: Millis) {
        self.0.insert(from, (button, now));
    }

    /// What a person was asked last, once: whatever they say next, the prompt is over.
    pub(super) fn take(&mut self, from: (i64, i64), now: Millis) -> Option<OrderButton> {
        let (button, since) = self.0.remove(&from)?;
        let age = now.0.checked_sub(since.0)?;
        (u128::from(age) <= OPEN.as_millis()).then_some(button)
    }
}

#[cfg(test)]
mod tests {
    use provost_desk::task::Seen;

    use super::*;
    use crate::callback::Verb;

    #[test]
    fn a_prompt_is_answered_once_and_soon() {
        let task = "0123456789abcdef012345".parse().unwrap();
        let seen = Seen { attempt: 1, state_version: 3 };
        let button = OrderButton { verb: Verb::Answer, task, seen };
        let mut prompts = Prompts::default();
        prompts.keep((1, 2), button, Millis(0));
        assert_eq!(prompts.take((1, 3), Millis(1)), None);
        assert_eq!(prompts.take((1, 2), Millis(600_000)), Some(button));
        assert_eq!(prompts.take((1, 2), Millis(600_000)), None);
        prompts.keep((1, 2), button, Millis(0));
        assert_eq!(prompts.take((1, 2), Millis(600_001)), None);
    }
}
