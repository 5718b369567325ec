//! The most that a run can ask and spend, known before its first call.

use provost_kernel::learn::{Budget, Price, Spent};

use crate::budget;

/// Fewer bytes than this never make a token, so that this many tokens are never exceeded.
const BYTES_PER_TOKEN: u64 = 2;

/// Tickets that are asked about under one state of the guidance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    pub tickets: u64,
    /// What they are on disk: no prompt has more of them.
    pub bytes: u64,
}

/// What a run may do at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub epochs: u32,
    /// Answers to one ticket.
    pub candidates: u32,
    pub learn: Asked,
    /// Nothing where there is no gate.
    pub gate: Asked,
    pub audit: Asked,
    /// How many decisions of the gate a ticket takes part in.
    pub max_looks: u32,
    /// How many calls of the gate each label makes room for.
    pub calls_per_label: u64,
    /// Calls of reflection in one epoch.
    pub reflections: u64,
    /// What a question has besides its ticket, in bytes.
    pub frame: u64,
    /// The longest answer to a ticket, in tokens.
    pub answer: u64,
    /// The longest prompt and answer of a reflection, in tokens.
    pub reflection: (u64, u64),
}

/// The calls of a whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bound {
    pub epochs: u32,
    pub tickets: u64,
    pub rollouts: u64,
    pub reflections: u64,
    pub gate: u64,
    pub audit: u64,
    /// All of them, or as many as the budget allows.
    pub calls: u64,
    pub spent: Spent,
}

impl Plan {
    /// The most that it comes to.
    pub fn bound(self, budget: &Budget, price: Price) -> Bound {
        let times = |rounds: u64, asked: Asked| {
            let questions = rounds.saturating_mul(self.candidates.into());
            let bytes = asked.bytes.saturating_add(asked.tickets.saturating_mul(self.frame));
            (
                questions.saturating_mul(asked.tickets),
                questions.saturating_mul(bytes).div_ceil(BYTES_PER_TOKEN),
            )
        };
        let (rollouts, learned) = times(self.epochs.into(), self.learn);
        // Each decision asks about the rules as they are and as they would be.
        let (gate, measured) = times(2 * u64::from(self.max_looks), self.gate);
        // A label makes room for single answers, which are asked about labels that were read.
        let room = self.calls_per_label.saturating_mul(self.learn.tickets);
        let bytes = self.learn.bytes.saturating_add(self.learn.tickets.saturating_mul(self.frame));
        let gate = gate.saturating_add(room);
        let measured = measured
            .saturating_add(self.calls_per_label.saturating_mul(bytes).div_ceil(BYTES_PER_TOKEN));
        let (audit, audited) = times(2, self.audit);
        let reflections = self.reflections.saturating_mul(self.epochs.into());
        let judged = rollouts.saturating_add(gate).saturating_add(audit);
        let (read, written) = self.reflection;
        let spent = Spent {
            prompt_tokens: learned
                .saturating_add(measured)
                .saturating_add(audited)
                .saturating_add(reflections.saturating_mul(read)),
            completion_tokens: judged
                .saturating_mul(self.answer)
                .saturating_add(reflections.saturating_mul(written)),
            micro_usd: 0,
        };
        let micro_usd = budget::cost(spent.prompt_tokens, spent.completion_tokens, price);
        let under = |cap: Option<u64>, worst: u64| cap.map_or(worst, |it| it.min(worst));
        Bound {
            epochs: self.epochs,
            tickets: self.learn.tickets,
            rollouts,
            reflections,
            gate,
            audit,
            calls: under(budget.max_model_calls, judged.saturating_add(reflections)),
            spent: Spent { micro_usd: under(budget.max_micro_usd, micro_usd), ..spent },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: Plan = Plan {
        epochs: 3,
        candidates: 2,
        learn: Asked { tickets: 10, bytes: 1_000 },
        gate: Asked { tickets: 4, bytes: 400 },
        audit: Asked { tickets: 5, bytes: 500 },
        max_looks: 6,
        calls_per_label: 0,
        reflections: 8,
        frame: 100,
        answer: 50,
        reflection: (1_000, 200),
    };

    #[test]
    fn a_run_asks_no_more_than_its_bound() {
        let price = Price {
            prompt_micro_usd_per_million: 1_000_000,
            completion_micro_usd_per_million: 2_000_000,
        };
        let bound = PLAN.bound(&Budget::default(), price);
        assert_eq!((bound.rollouts, bound.reflections), (60, 24));
        assert_eq!((bound.gate, bound.audit, bound.calls), (96, 20, 200));
        // 60, 96 and 20 questions of 200 bytes, and 24 prompts of 1,000 tokens.
        assert_eq!(bound.spent.prompt_tokens, 176 * 100 + 24_000);
        assert_eq!(bound.spent.completion_tokens, 176 * 50 + 24 * 200);
        assert_eq!(bound.spent.micro_usd, 41_600 + 2 * 13_600);
    }

    #[test]
    fn each_label_makes_room_for_calls_of_the_gate() {
        let plan = Plan { gate: Asked::default(), calls_per_label: 30, ..PLAN };
        let bound = plan.bound(&Budget::default(), Price::default());
        assert_eq!((bound.gate, bound.calls), (300, 60 + 300 + 20 + 24));
        // 30 questions of 200 bytes to each of ten labels.
        assert_eq!(bound.spent.prompt_tokens, (60 + 300 + 20) * 100 + 24_000);
    }

    #[test]
    fn a_budget_is_the_bound_where_it_is_less() {
        let budget = Budget { max_model_calls: Some(7), max_tokens: None, max_micro_usd: Some(5) };
        let price = Price { prompt_micro_usd_per_million: 1_000_000, ..Price::default() };
        let bound = PLAN.bound(&budget, price);
        assert_eq!((bound.calls, bound.spent.micro_usd), (7, 5));
        let free = PLAN.bound(&Budget::default(), Price::default());
        assert_eq!((free.calls, free.spent.micro_usd), (200, 0));
        let huge = Plan { learn: Asked { tickets: u64::MAX, bytes: u64::MAX }, ..PLAN };
        assert_eq!(huge.bound(&Budget::default(), price).calls, u64::MAX);
    }
}
