//! What an agent has spent so far, by the events that it prints while it works.
//!
//! The sum is a lower bound: a program may say less than it costs, and never more. What no event
//! names is unknown, not 0.

use std::{cmp::max, collections::VecDeque};

use provost_kernel::{model::Usage, task::Budget};

use super::{activity::Activity, facts::Facts};

/// How many messages are known at a time: more than run at once.
const REMEMBERED: usize = 64;

/// What the events of one call added up to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) facts: Facts,
    /// The dearest request so far.
    dearest: Usage,
    /// The messages that were counted last: several events speak of one, and those of a subagent
    /// come in between.
    messages: VecDeque<String>,
    /// What the program said of its session at the end of the call before, and says now: some go on
    /// counting in a session that goes on.
    pub(super) before: Usage,
    pub(super) whole: Usage,
    /// Whether the program has begun to work.
    pub(super) has_begun: bool,
    /// Whether the agent is about to ask its model again.
    pub(super) goes_on: bool,
    /// What the agent was seen to do since somebody was told.
    pub(super) activities: Vec<Activity>,
}

impl Account {
    /// The account of a call in a session that has cost this much.
    pub(super) fn after(before: Usage) -> Self {
        Self { before, ..Self::default() }
    }

    /// Takes what the program says of its whole session, of which this call is a part.
    pub(super) fn session(&mut self, whole: Usage) {
        self.whole = whole;
        self.facts.usage = whole.since(self.before);
    }

    /// Adds the request that led to a message, unless it was added before.
    pub(super) fn message(&mut self, id: &str, usage: Usage) {
        if self.messages.iter().any(|it| it == id) {
            return;
        }
        if self.messages.len() == REMEMBERED {
            self.messages.pop_front();
        }
        self.messages.push_back(id.to_owned());
        self.request(usage);
    }

    /// Adds one request to the model.
    pub(super) fn request(&mut self, usage: Usage) {
        self.facts.usage = self.facts.usage.plus(usage);
        self.dearest = Usage {
            input_tokens: max(self.dearest.input_tokens, usage.input_tokens),
            output_tokens: max(self.dearest.output_tokens, usage.output_tokens),
            usd: max(self.dearest.usd, usage.usd),
        };
    }

    /// Whether the agent is about to make a request that may be one too many: one that costs as much
    /// as the dearest so far would go beyond what is left.
    pub(super) fn is_spent(&self, budget: &Budget) -> bool {
        let spent = self.facts.usage;
        let tokens = match (budget.tokens, spent.tokens()) {
            (Some(most), Some(spent)) => {
                let next = self.dearest.tokens().unwrap_or_default();
                spent >= most || spent.saturating_add(next) > most
            }
            (None, _) | (_, None) => false,
        };
        let usd = match (budget.usd, spent.usd) {
            (Some(most), Some(spent)) => {
                let next = self.dearest.usd.unwrap_or_default();
                spent >= most || spent.plus(next) > most
            }
            (None, _) | (_, None) => false,
        };
        self.goes_on && (tokens || usd)
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::task::Usd;
    use serde_json::{Value, json};

    use super::*;
    use crate::preset::facts::{claude, codex, opencode};

    /// After how many of the events the agent would be stopped.
    #[track_caller]
    fn check(
        take: fn(&mut Account, &Value),
        events: &[Value],
        budget: Value,
        expected: Option<usize>,
    ) -> Account {
        let budget: Budget = serde_json::from_value(budget).unwrap();
        let mut account = Account::default();
        let mut stopped = None;
        for (number, event) in events.iter().enumerate() {
            take(&mut account, event);
            if stopped.is_none() && account.is_spent(&budget) {
                stopped = Some(number + 1);
            }
        }
        assert_eq!(stopped, expected, "{budget:?}");
        account
    }

    fn step(cost: f64, reason: &str) -> Value {
        let tokens = json!({ "input": 90, "output": 10 });
        json!({ "type": "step_finish", "part": { "reason": reason, "tokens": tokens, "cost": cost } })
    }

    fn message(id: &str, kind: &str) -> Value {
        let usage = json!({ "input_tokens": 90, "output_tokens": 10 });
        json!({
            "type": "assistant",
            "message": { "id": id, "content": [{ "type": kind }], "usage": usage },
        })
    }

    /// Ruling of the budget: what is left, less the dearest request so far, is the cap.
    #[test]
    fn an_agent_is_stopped_before_the_request_that_is_one_too_many() {
        let steps: Vec<Value> = (0..20).map(|_| step(0.25, "tool-calls")).collect();
        check(opencode, &steps, json!({}), None);
        check(opencode, &steps, json!({ "usd": 1 }), Some(4));
        check(opencode, &steps, json!({ "usd": 1.1 }), Some(4));
        check(opencode, &steps, json!({ "usd": 0.1 }), Some(1));
        check(opencode, &steps, json!({ "tokens": 1000 }), Some(10));
        check(opencode, &steps, json!({ "usd": 3, "tokens": 1000 }), Some(10));
        let dear = [step(0.75, "tool-calls"), step(0.01, "tool-calls")];
        check(opencode, &dear, json!({ "usd": 1 }), Some(1));
        // The last step asks for nothing more.
        let last = [step(0.25, "tool-calls"), step(0.75, "stop")];
        let account = check(opencode, &last, json!({ "usd": 1 }), None);
        assert_eq!(account.facts.usage.usd, Some(Usd::micros(1_000_000)));
    }

    /// One message in several events is one request, and a message without a tool is the last.
    #[test]
    fn a_message_is_counted_once() {
        let events = [
            message("a", "text"),
            message("a", "tool_use"),
            message("a", "tool_use"),
            message("b", "tool_use"),
            message("c", "text"),
        ];
        let account = check(claude, &events, json!({ "tokens": 300 }), None);
        assert_eq!(account.facts.usage.tokens(), Some(300));
        check(claude, &events, json!({ "tokens": 150 }), Some(2));
        check(claude, &events, json!({ "tokens": 250 }), Some(4));
        // It names no dollars before its end: they are unknown, and its own cap holds them.
        let account = check(claude, &events, json!({ "usd": 0.000_001 }), None);
        assert_eq!(account.facts.usage.usd, None);
        let end = json!({ "type": "result", "total_cost_usd": 2.04, "usage": {} });
        let events: Vec<Value> = events.into_iter().chain([end]).collect();
        let account = check(claude, &events, json!({ "usd": 2 }), None);
        assert_eq!(account.facts.usage.usd, Some(Usd::micros(2_040_000)));
        assert_eq!(account.facts.usage.tokens(), Some(300));
    }

    /// What the clients said of a session that went on (2.1.325, 0.166.0): each dollar and each token is
    /// counted once, whatever the transcript claims of the calls before.
    #[test]
    fn a_session_that_goes_on_is_counted_once() {
        let models = |tokens: u64, usd: f64| json!({ "m": { "inputTokens": tokens, "outputTokens": 10, "costUSD": usd } });
        let result = |tokens: u64, usd: f64, added: Value| {
            json!({
                "type": "result", "total_cost_usd": usd, "usage": { "input_tokens": 0 },
                "modelUsage": models(tokens, usd), "model_usage_since_last_result": added,
            })
        };
        let before = Usage {
            input_tokens: Some(1000),
            output_tokens: Some(0),
            usd: Some(Usd::micros(4200)),
        };
        let check = |events: &[Value], before: Usage, tokens: u64, usd: u64| {
            let mut account = Account::after(before);
            for event in events {
                claude(&mut account, event);
            }
            let usage = account.facts.usage;
            assert_eq!((usage.input_tokens, usage.usd), (Some(tokens), Some(Usd::micros(usd))));
            account.whole
        };
        let added = models(1000, 0.0042);
        let whole = check(&[result(2000, 0.0084, Value::Null)], before, 1000, 4200);
        assert_eq!((whole.input_tokens, whole.usd), (Some(2000), Some(Usd::micros(8400))));
        check(&[result(2000, 0.0084, added.clone())], before, 1000, 4200);
        // The transcript was made to say less, or more; several answers of one call are added up.
        check(&[result(1100, 0.0043, added.clone())], before, 1000, 4200);
        check(&[result(9000, 0.9, added.clone())], before, 1000, 4200);
        check(&[result(900, 0.004, Value::Null)], before, 900, 4000);
        let two = [result(2000, 0.0084, added.clone()), result(3000, 0.0126, added.clone())];
        check(&two, before, 2000, 8400);
        check(&two, Usage::default(), 2000, 8400);
        check(&[result(1000, 0.0042, added)], Usage::default(), 1000, 4200);

        let turn = json!({ "type": "turn.completed", "usage": { "input_tokens": 2000 } });
        let mut account = Account::after(before);
        codex(&mut account, &turn);
        assert_eq!(account.facts.usage.tokens(), Some(1000));
        assert_eq!(account.whole.tokens(), Some(2000));
    }

    #[test]
    fn an_event_of_another_shape_adds_nothing() {
        let limits = json!({ "usd": 0, "tokens": 0 });
        for event in [
            json!(null),
            json!({ "type": "step_finish", "part": { "cost": -1, "tokens": { "input": "9" } } }),
            json!({ "type": "assistant", "message": { "id": 1, "usage": { "input_tokens": 9 } } }),
            json!({ "type": "turn.completed", "usage": [] }),
        ] {
            for take in [claude, codex, opencode] {
                let account = check(take, std::slice::from_ref(&event), limits.clone(), None);
                assert!(account.facts.usage.is_unknown(), "{event}");
            }
        }
    }
}
