//! Two states of the same tracking file, made one: counters by the larger, records by the newer
//! (HOOK-2.2).
//!
//! provost itself applies each change under a lock and needs no merge. This is for a state that
//! another tool wrote, and for one that was put aside while the lock could not be had. Nothing of
//! either side can be counted twice, and so a count that both sides raised apart is lost: that is
//! the original's rule, and the reason why provost does not rely on it.

use std::collections::BTreeMap;

use provost_kernel::guard::{Agent, Moment, TokenUsage, ToolUse, Tracking};

/// Merges what is stored with what is pending.
#[must_use]
pub fn merge(stored: &Tracking, pending: &Tracking) -> Tracking {
    let mut agents: Vec<Agent> = Vec::with_capacity(stored.agents.len() + pending.agents.len());
    let mut places = BTreeMap::new();
    for agent in stored.agents.iter().chain(&pending.agents) {
        let place = *places.entry(agent.agent_id.as_str()).or_insert(agents.len());
        match agents.get_mut(place) {
            Some(before) => *before = merge_agents(before, agent),
            None => agents.push(agent.clone()),
        }
    }
    Tracking {
        agents,
        total_spawned: stored.total_spawned.max(pending.total_spawned),
        total_completed: stored.total_completed.max(pending.total_completed),
        total_failed: stored.total_failed.max(pending.total_failed),
        last_updated: later(stored.last_updated.as_ref(), pending.last_updated.as_ref()),
        applied: union(&stored.applied, &pending.applied),
    }
}

/// The newer record of an agent, with the larger of each of its counters.
///
/// The later one counts as newer when both are of the same time. A time that is none is never
/// newer, so a broken record does not replace a whole one.
fn merge_agents(before: &Agent, after: &Agent) -> Agent {
    let is_newer = match (after.dated(), before.dated()) {
        (Some(after), Some(before)) => after >= before,
        (None, _) | (_, None) => false,
    };
    let newer = if is_newer { after } else { before };
    let mut tool_usage = union(&before.tool_usage, &after.tool_usage);
    tool_usage.sort_by_key(|it: &ToolUse| it.timestamp.millis());
    Agent {
        tool_calls: before.tool_calls.max(after.tool_calls),
        cost_usd: before.cost_usd.max(after.cost_usd),
        token_usage: merge_usage(before.token_usage, after.token_usage),
        tool_usage: newest(tool_usage, Agent::LISTED_TOOL_USES),
        file_ownership: newest(
            union(&before.file_ownership, &after.file_ownership),
            Agent::LISTED_FILES,
        ),
        ..newer.clone()
    }
}

fn merge_usage(before: Option<TokenUsage>, after: Option<TokenUsage>) -> Option<TokenUsage> {
    let (Some(a), Some(b)) = (before, after) else { return before.or(after) };
    Some(TokenUsage {
        input_tokens: a.input_tokens.max(b.input_tokens),
        output_tokens: a.output_tokens.max(b.output_tokens),
        cache_read_tokens: a.cache_read_tokens.max(b.cache_read_tokens),
        cost_usd: a.cost_usd.max(b.cost_usd),
    })
}

/// The stored time if it is strictly later, else the pending one.
fn later(stored: Option<&Moment>, pending: Option<&Moment>) -> Option<Moment> {
    let is_stored_later = match (stored.and_then(Moment::millis), pending.and_then(Moment::millis))
    {
        (Some(stored), Some(pending)) => stored > pending,
        (_, None) => pending.is_none(),
        (None, Some(_)) => false,
    };
    if is_stored_later { stored.cloned() } else { pending.cloned() }
}

/// Everything of both, in order, each once.
fn union<T: Clone + PartialEq>(first: &[T], second: &[T]) -> Vec<T> {
    let mut both: Vec<T> = Vec::with_capacity(first.len() + second.len());
    for item in first.iter().chain(second) {
        if !both.contains(item) {
            both.push(item.clone());
        }
    }
    both
}

fn newest<T>(mut items: Vec<T>, n_kept: usize) -> Vec<T> {
    items.drain(..items.len().saturating_sub(n_kept));
    items
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// An agent that was started, and perhaps ended, at a second of one minute.
    fn agent(id: &str, started: u32, ended: Option<u32>, summary: &str) -> Agent {
        let at = |second: u32| format!("2026-11-15T00:00:{second:02}.500Z");
        serde_json::from_value(json!({
            "agent_id": id,
            "agent_type": "executor",
            "started_at": at(started),
            "status": if ended.is_some() { "completed" } else { "running" },
            "completed_at": ended.map(at),
            "output_summary": summary,
        }))
        .unwrap()
    }

    fn tracking(agents: Vec<Agent>, totals: [u64; 3]) -> Tracking {
        let [total_spawned, total_completed, total_failed] = totals;
        Tracking { agents, total_spawned, total_completed, total_failed, ..Tracking::default() }
    }

    fn summaries(state: &Tracking) -> Vec<String> {
        let summary = |it: &Agent| it.output_summary.clone().unwrap_or_default();
        state.agents.iter().map(|it| format!("{} {}", it.agent_id, summary(it))).collect()
    }

    /// HOOK-2.2: counters by the larger.
    #[test]
    fn a_counter_is_the_larger_of_two() {
        let merged = merge(&tracking(vec![], [5, 1, 0]), &tracking(vec![], [3, 2, 0]));
        assert_eq!(merged, tracking(vec![], [5, 2, 0]));
    }

    /// HOOK-2.2: the newer timestamp wins, the pending one at a tie, and the order is kept.
    #[test]
    fn the_newer_record_of_an_agent_wins() {
        let stored = tracking(
            vec![
                agent("a", 1, None, "old"),
                agent("b", 2, Some(30), "ended"),
                agent("c", 3, None, "tie"),
            ],
            [3, 1, 0],
        );
        let pending = tracking(
            vec![
                agent("d", 9, None, "new"),
                agent("c", 3, None, "tie again"),
                agent("b", 2, None, "still running"),
                agent("a", 1, Some(20), "ended"),
            ],
            [4, 1, 0],
        );
        let merged = merge(&stored, &pending);
        assert_eq!(summaries(&merged), ["a ended", "b ended", "c tie again", "d new"]);
        assert_eq!(merged.total_spawned, 4);
    }

    #[test]
    fn a_broken_time_never_wins() {
        let mut broken = agent("a", 1, None, "broken");
        broken.started_at = "soon".to_owned().into();
        let whole = agent("a", 1, None, "whole");
        for (stored, pending, expected) in
            [(&whole, &broken, "a whole"), (&broken, &whole, "a broken")]
        {
            let merged = merge(
                &tracking(vec![stored.clone()], [1, 0, 0]),
                &tracking(vec![pending.clone()], [1, 0, 0]),
            );
            assert_eq!(summaries(&merged), [expected]);
        }
    }

    #[test]
    fn an_id_that_stands_twice_on_one_side_becomes_one_record() {
        let twice = vec![agent("a", 1, Some(9), "ended"), agent("a", 5, None, "again")];
        let merged = merge(&tracking(twice.clone(), [2, 1, 0]), &Tracking::default());
        assert_eq!(summaries(&merged), ["a ended"]);
        let merged = merge(&Tracking::default(), &tracking(twice, [2, 1, 0]));
        assert_eq!(summaries(&merged), ["a ended"]);
    }

    /// HOOK-2.2: tool calls, tokens and cost of one agent by the larger, lists by their union.
    #[test]
    fn what_an_agent_used_is_never_less_than_either_side_says() {
        let uses = |names: &[(&str, u32)]| {
            let list = names.iter().map(|(name, second)| ToolUse {
                tool_name: (*name).to_owned(),
                timestamp: format!("2026-11-15T00:00:{second:02}Z").into(),
                duration_ms: None,
                success: None,
            });
            list.collect::<Vec<_>>()
        };
        let usage = |input, output| json!({"input_tokens": input, "output_tokens": output, "cost_usd": 0.5});
        let mut stored = agent("a", 1, None, "x");
        stored.tool_calls = 7;
        stored.cost_usd = serde_json::from_value(json!(0.25)).unwrap();
        stored.token_usage = serde_json::from_value(usage(10, 1)).unwrap();
        stored.tool_usage = uses(&[("Bash", 1), ("Edit", 3)]);
        stored.file_ownership = vec!["a.rs".to_owned(), "b.rs".to_owned()];
        let mut pending = agent("a", 1, Some(2), "y");
        pending.tool_calls = 3;
        pending.cost_usd = serde_json::from_value(json!(0.75)).unwrap();
        pending.token_usage = serde_json::from_value(usage(2, 20)).unwrap();
        pending.tool_usage = uses(&[("Bash", 1), ("Read", 2)]);
        pending.file_ownership = vec!["b.rs".to_owned(), "c.rs".to_owned()];

        let merged = merge(
            &tracking(vec![stored.clone()], [1, 0, 0]),
            &tracking(vec![pending.clone()], [1, 1, 0]),
        );
        let merged = &merged.agents[0];
        assert_eq!(merged.output_summary.as_deref(), Some("y"));
        assert_eq!((merged.tool_calls, merged.cost_usd.to_string()), (7, "0.75".to_owned()));
        let used = merged.token_usage.unwrap();
        assert_eq!((used.input_tokens, used.output_tokens), (10, 20));
        assert_eq!(merged.tool_usage, uses(&[("Bash", 1), ("Read", 2), ("Edit", 3)]));
        assert_eq!(merged.file_ownership, ["a.rs", "b.rs", "c.rs"]);

        pending.token_usage = None;
        pending.file_ownership = (0..150).map(|it| format!("{it}.rs")).collect();
        let merged = merge_agents(&stored, &pending);
        assert_eq!(merged.token_usage, stored.token_usage);
        assert_eq!(merged.file_ownership.len(), 100);
        assert_eq!(merged.file_ownership.last().map(String::as_str), Some("149.rs"));
    }

    #[test]
    fn the_state_is_as_new_as_its_newer_side() {
        #[track_caller]
        fn check(stored: Option<&str>, pending: Option<&str>, expected: Option<&str>) {
            let at = |text: Option<&str>| Tracking {
                last_updated: text.map(|it| it.to_owned().into()),
                ..Tracking::default()
            };
            let merged = merge(&at(stored), &at(pending)).last_updated;
            assert_eq!(merged.as_ref().map(Moment::as_str), expected);
        }
        let (early, late) = ("2026-11-15T00:00:00.100Z", "2026-11-15T00:00:00.200Z");
        check(Some(late), Some(early), Some(late));
        check(Some(early), Some(late), Some(late));
        check(Some(early), None, Some(early));
        check(None, Some(early), Some(early));
        check(Some("x"), Some(early), Some(early));
        check(Some(early), Some("x"), Some("x"));
        check(None, None, None);
    }

    prop_compose! {
        fn any_state()(
            agents in prop::collection::vec(("[a-e]", 0_u32..9, prop::option::of(9_u32..60)), 0..6),
            totals in [0_u64..5, 0..5, 0..5],
        ) -> Tracking {
            let agents = agents.into_iter().map(|(id, start, end)| agent(&id, start, end, "x"));
            tracking(agents.collect(), totals)
        }
    }

    proptest! {
        /// HOOK-2.2: no agent is lost or doubled, no counter falls, and merging again
        /// changes nothing.
        #[test]
        fn a_merge_loses_nobody(a in any_state(), b in any_state()) {
            let merged = merge(&a, &b);
            let ids = |it: &Tracking| {
                it.agents.iter().map(|it| it.agent_id.clone()).collect::<std::collections::BTreeSet<_>>()
            };
            prop_assert_eq!(ids(&merged), &ids(&a) | &ids(&b));
            prop_assert_eq!(ids(&merged).len(), merged.agents.len());
            prop_assert!(merged.total_spawned >= a.total_spawned.max(b.total_spawned));
            prop_assert_eq!(merged.total_completed, merge(&b, &a).total_completed);
            prop_assert_eq!(&merge(&merged, &b), &merged);
            prop_assert_eq!(&merge(&merged, &merged), &merged);
        }
    }
}
