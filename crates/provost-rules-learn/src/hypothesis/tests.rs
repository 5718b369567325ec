use proptest::prelude::*;
use provost_kernel::{learn::HypothesesMode, model::Decode};

use super::*;

fn reflection(cycles: u32, keys: u32) -> Reflection {
    Reflection {
        decision_prompt_path: None,
        ops_prompt_path: None,
        batch_size: 4,
        max_operations: None,
        change_cap_per_epoch: None,
        hypotheses_mode: HypothesesMode::Mixed,
        hypothesis_min_support_cycles: cycles,
        hypothesis_min_unique_ticket_keys: keys,
        max_promotions_per_epoch: 1,
        retry_budget_per_group_per_epoch: 2,
        max_calls_per_epoch: None,
        decode: Decode::greedy(),
        model: None,
        max_reflection_length: 1,
        token_budget: 1,
        polarity: false,
    }
}

/// Keys such as `a` (labelled `fail`) and `+b` (labelled `pass`).
fn keys(words: &str) -> Vec<TicketKey> {
    let key = |word: &str| match word.strip_prefix('+') {
        Some(name) => format!("{name}::pass").parse().unwrap(),
        None => format!("{word}::fail").parse().unwrap(),
    };
    words.split_whitespace().map(key).collect()
}

fn hypothesis(signature: &str, evidence: &str) -> Hypothesis {
    Hypothesis {
        signature: signature.to_owned(),
        text: format!("If {signature}, then fail."),
        falsifier: format!("{signature} is labelled pass"),
        dimension: None,
        evidence: keys(evidence),
    }
}

/// What happened so far, and the pool that it adds up to.
#[derive(Default)]
struct Story {
    events: Vec<Event>,
    pool: Pool,
}

impl Story {
    fn at(cycle: u64, cycle_root: u64) -> At {
        At { epoch: 1, reflection_cycle: cycle, cycle_root }
    }

    fn tell(&mut self, event: Event) {
        self.pool.absorb(&event);
        self.events.push(event);
        assert_eq!(Pool::fold(&self.events), self.pool, "the pool is the sum of its events");
    }

    fn next(&self) -> u64 {
        u64::try_from(self.events.len()).unwrap()
    }

    /// A proposal in a cycle, or in a retry of the cycle `root`; only `human` tickets are a person's.
    fn propose(&mut self, signature: &str, evidence: &str, cycle: u64, root: u64, others: &str) {
        let others = keys(others);
        let proposed = hypothesis(signature, evidence);
        let event = self.pool.proposal(
            self.next(),
            Self::at(cycle, root),
            &proposed,
            Some(Label::Fail),
            |it| !others.contains(it),
        );
        self.tell(event);
    }

    fn turn(&mut self, signature: &str, kind: EventKind, cycle: u64) -> Event {
        let turned = self.pool.turn(self.next(), Self::at(cycle, cycle), signature, kind).unwrap();
        let event = match kind {
            EventKind::Promoted => turned.with_rule(RuleKey::new(1)),
            EventKind::Rejected | EventKind::Retired => turned.with_reason("the gate"),
            EventKind::Proposed | EventKind::Reaffirmed | EventKind::Shadow => turned,
        };
        self.tell(event.clone());
        event
    }

    #[track_caller]
    fn check(&self, reflection: &Reflection, expected: &[&str]) {
        assert_eq!(eligible(&self.pool, reflection), expected);
    }
}

/// A story of proposals: `signature:evidence@cycle` with `/root` for a retry.
fn story(lines: &[&str]) -> Story {
    let mut story = Story::default();
    for line in lines {
        let (what, when) = line.split_once('@').unwrap();
        let (signature, evidence) = what.split_once(':').unwrap();
        let (cycle, root) = when.split_once('/').unwrap_or((when, when));
        story.propose(signature, evidence, cycle.parse().unwrap(), root.parse().unwrap(), "");
    }
    story
}

/// LEARN-2.2: at least two cycles and so many tickets, counted over all cycles.
#[test]
fn support_gathers_until_it_is_enough() {
    let limits = reflection(2, 3);
    story(&[]).check(&limits, &[]);
    story(&["h:a b c d e@0"]).check(&limits, &[]);
    story(&["h:a@0", "h:b@1"]).check(&limits, &[]);
    story(&["h:a b@0", "h:c@1"]).check(&limits, &["h"]);
    // Another wording of the same signature is the same hypothesis; another signature is not.
    story(&["h:a b@0", "i:c@1"]).check(&limits, &[]);
    // A ticket with its other label is another ticket.
    story(&["h:a b@0", "h:+a@1"]).check(&limits, &["h"]);
}

/// A cycle that brings no new ticket is not one more.
#[test]
fn a_cycle_counts_only_with_a_new_ticket() {
    let limits = reflection(2, 3);
    story(&["h:a b c@0", "h:a b c@1", "h:c@2"]).check(&limits, &[]);
    story(&["h:a b c@0", "h:a d@1"]).check(&limits, &["h"]);
}

/// A retry belongs to the cycle that it repeats: one batch and its retries are one cycle.
#[test]
fn a_retry_is_not_a_cycle() {
    let limits = reflection(2, 3);
    story(&["h:a b@0", "h:c@1/0", "h:d@2/0"]).check(&limits, &[]);
    story(&["h:a b@0", "h:c@1/0", "h:d@3"]).check(&limits, &["h"]);
}

/// The worked example of the specification: two cycles and three tickets, with one retry.
#[test]
fn the_worked_example_is_promoted_once() {
    let limits = reflection(2, 3);
    let mut story = story(&["h:191 204@0", "h:233@1/0"]);
    story.check(&limits, &[]);
    story.propose("h", "250", 2, 2, "");
    story.check(&limits, &["h"]);
    story.turn("h", EventKind::Shadow, 2);
    story.check(&limits, &["h"]);
    let promoted = story.turn("h", EventKind::Promoted, 2);
    assert_eq!((promoted.support_cycles, promoted.unique_ticket_keys), (Some(2), Some(4)));
    assert_eq!(promoted.ticket_keys, keys("191 204 233 250"));
    story.check(&limits, &[]);
    assert_eq!(story.pool.of_rule(RuleKey::new(1)), Some("h"));
    assert_eq!(story.pool.of_rule(RuleKey::new(2)), None);
    // It is proposed again: that is remembered, and no support is added.
    let before = story.pool.records()["h"].cited.clone();
    story.propose("h", "300 301", 3, 3, "");
    assert_eq!(story.events.last().unwrap().event, EventKind::Reaffirmed);
    assert_eq!(story.pool.records()["h"].cited, before);
    assert_eq!(story.pool.records()["h"].last_seen, Story::at(3, 3));
}

#[test]
fn what_was_turned_down_needs_twice_the_support() {
    let limits = reflection(2, 3);
    for kind in [EventKind::Rejected, EventKind::Retired] {
        let mut story = story(&["h:a b@0", "h:c@1"]);
        story.turn("h", kind, 1);
        story.check(&limits, &[]);
        story.propose("h", "d e", 2, 2, "");
        story.check(&limits, &[]);
        story.propose("h", "f", 3, 3, "");
        story.check(&limits, &["h"]);
        // And twice that when it is turned down again.
        story.turn("h", kind, 3);
        story.propose("h", "g i j k l", 4, 4, "");
        story.check(&limits, &[]);
        story.propose("h", "m", 5, 5, "");
        story.check(&limits, &["h"]);
    }
}

/// Labels that no person gave are kept and never counted, neither as tickets nor as cycles.
#[test]
fn only_labels_of_people_count() {
    let limits = reflection(2, 3);
    let mut story = Story::default();
    story.propose("h", "a b", 0, 0, "");
    story.propose("h", "c d e f g", 1, 1, "c d e f g");
    story.check(&limits, &[]);
    story.propose("h", "i x", 2, 2, "i");
    story.check(&limits, &["h"]);
    let mut late = Story::default();
    late.propose("h", "a b", 0, 0, "");
    late.propose("h", "c", 1, 1, "c");
    late.check(&limits, &[]);
    // The same ticket, once a person has labelled it, is new support in that cycle.
    late.propose("h", "c", 2, 2, "");
    late.check(&limits, &["h"]);
    assert_eq!(late.pool.records()["h"].cited[&keys("c")[0]].cycle_root, 2);
}

#[test]
fn polarity_is_counted_only_where_it_is_asked_for() {
    let plain = reflection(2, 3);
    let strict = Reflection { polarity: true, ..reflection(2, 3) };
    // Everything concludes `fail`; `+` tickets are labelled `pass`.
    let mixed = story(&["h:a b@0", "h:+c@1"]);
    mixed.check(&plain, &["h"]);
    mixed.check(&strict, &[]);
    let enough = story(&["h:a b c@0", "h:d e +f@1"]);
    enough.check(&strict, &["h"]);
    let contested = story(&["h:a b c@0", "h:d +e +f@1"]);
    contested.check(&strict, &[]);
    contested.check(&plain, &["h"]);
}

#[test]
fn those_with_most_support_come_first() {
    let limits = reflection(2, 3);
    let pool = story(&["z:a b@0", "b:c d@0", "a:e f@0", "a:g@1", "z:h@1", "b:i j@1", "c:k@1"]);
    pool.check(&limits, &["b", "z", "a"]);
}

/// Tickets whose label was wrong are taken out, and support is counted anew.
#[test]
fn support_can_be_recounted_without_some_tickets() {
    let limits = reflection(2, 3);
    let story = story(&["h:a b@0", "h:c@1"]);
    for (without, expected) in [("", &["h"][..]), ("x", &["h"]), ("c", &[]), ("a", &[])] {
        let excluded = keys(without).into_iter().collect();
        let pool = Pool::fold_without(&story.events, &excluded);
        assert_eq!(eligible(&pool, &limits), expected, "{without}");
    }
}

#[test]
fn what_is_not_in_the_pool_changes_nothing() {
    let mut pool = Pool::default();
    let at = Story::at(0, 0);
    assert_eq!(pool.turn(0, at, "h", EventKind::Promoted), None);
    pool.absorb(&Event::new(0, EventKind::Promoted, at, "h"));
    pool.absorb(&Event::reaffirmed(1, at, "h", &keys("a")));
    // A text without a signature is not a hypothesis.
    pool.absorb(&Event { ticket_keys: keys("a"), ..Event::new(2, EventKind::Proposed, at, "") });
    assert_eq!(pool, Pool::default());
}

/// The first words stay, and the file has every field of the original.
#[test]
fn the_file_shows_each_hypothesis() {
    let mut story = story(&["h:b a@0"]);
    let other = Hypothesis { text: "other words".to_owned(), ..hypothesis("h", "c d") };
    let event = story.pool.proposal(1, Story::at(4, 4), &other, None, |it| *it != keys("d")[0]);
    story.tell(event);
    story.turn("h", EventKind::Promoted, 4);
    let at = |cycle: u64| json!({"epoch": 1, "reflection_cycle": cycle, "cycle_root": cycle});
    let expected = json!({"h": {
        "signature": "h",
        "text": "If h, then fail.",
        "falsifier": "h is labelled pass",
        "dimension": null,
        "concludes": "fail",
        "status": "promoted",
        "support_cycles": 2,
        "support_cycle_ids": [0, 4],
        "support_ticket_keys": ["a::fail", "b::fail", "c::fail"],
        "other_ticket_keys": ["d::fail"],
        "first_seen": at(0),
        "last_seen": at(4),
        "promoted_at": at(4),
        "rejected_at": null,
        "rule": "G1",
    }});
    assert_eq!(story.pool.file(), expected);
}

#[test]
fn an_event_is_one_line_without_a_time() {
    let mut story = story(&["h:a@3/2"]);
    story.turn("h", EventKind::Rejected, 3);
    let lines: Vec<_> = story.events.iter().map(|it| serde_json::to_value(it).unwrap()).collect();
    assert_eq!(
        lines[0],
        json!({
            "v": 1, "seq": 0, "event": "proposed", "signature": "h", "epoch": 1,
            "reflection_cycle": 3, "cycle_root": 2, "text": "If h, then fail.",
            "falsifier": "h is labelled pass", "concludes": "fail", "ticket_keys": ["a::fail"],
        })
    );
    assert_eq!(
        lines[1],
        json!({
            "v": 1, "seq": 1, "event": "rejected", "signature": "h", "epoch": 1,
            "reflection_cycle": 3, "cycle_root": 3, "ticket_keys": ["a::fail"],
            "support_cycles": 1, "unique_ticket_keys": 1, "reason": "the gate",
        })
    );
    for (line, event) in lines.into_iter().zip(story.events) {
        assert_eq!(serde_json::from_value::<Event>(line).unwrap(), event);
    }
}

proptest! {
    /// LEARN-2.2: nothing is eligible below its thresholds, whatever is proposed and retried.
    #[test]
    fn thresholds_hold_whatever_is_proposed(
        proposals in prop::collection::vec(("[hi]", "[a-f]( [a-f]){0,2}", 0_u64..6, 0_u64..6, any::<bool>()), 0..20),
    ) {
        let limits = reflection(2, 4);
        let mut story = Story::default();
        let mut cited: BTreeMap<String, BTreeMap<TicketKey, u64>> = BTreeMap::new();
        for (signature, evidence, cycle, root, is_human) in proposals {
            let root = root.min(cycle);
            story.propose(&signature, &evidence, cycle, root, if is_human { "" } else { &evidence });
            if is_human {
                let seen = cited.entry(signature).or_default();
                for key in keys(&evidence) {
                    seen.entry(key).or_insert(root);
                }
            }
        }
        let expected: BTreeSet<String> = cited.into_iter().filter(|(_, seen)| {
            seen.len() >= 4 && seen.values().collect::<BTreeSet<_>>().len() >= 2
        }).map(|(signature, _)| signature).collect();
        let found: BTreeSet<String> = eligible(&story.pool, &limits).into_iter().collect();
        prop_assert_eq!(found, expected);
    }
}
