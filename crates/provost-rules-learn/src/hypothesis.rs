//! Hypotheses: rules that were proposed and gather support until they may be promoted.
//!
//! What happened is a list of events without times; the pool is what they add up to, and nothing
//! else. A ticket supports a hypothesis once, in the cycle that cited it first, so a cycle counts
//! exactly if it brought a ticket that no other one had. A retry belongs to the cycle that it
//! repeats (LEARN-2.1, LEARN-2.2).

mod event;

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::learn::{Hypothesis, Label, Reflection, RuleKey, TicketKey};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub use self::event::{At, Event, EventKind};

/// Every hypothesis of a run, by its signature.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pool {
    records: BTreeMap<String, Record>,
}

/// What became of a hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Candidate,
    /// It has its support and is measured.
    Shadow,
    Promoted,
    /// The measurement was against it.
    Rejected,
    /// It was a rule, and stopped working.
    Retired,
}

/// One hypothesis, in the words in which it came first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub text: String,
    pub falsifier: String,
    pub dimension: Option<String>,
    /// The one verdict that it leads to, where it leads to one.
    pub concludes: Option<Label>,
    pub status: Status,
    /// The tickets that were cited for it.
    pub cited: BTreeMap<TicketKey, Citation>,
    pub first_seen: At,
    pub last_seen: At,
    /// The number of the first event, which orders what was first seen in one cycle.
    pub first_seq: u64,
    pub promoted_at: Option<At>,
    pub rejected_at: Option<At>,
    /// The rule that it became.
    pub rule: Option<RuleKey>,
    /// How many tickets supported it when it was turned down: it needs twice as many to return.
    pub refused_with: Option<u32>,
}

/// How a ticket was cited first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Citation {
    pub cycle_root: u64,
    /// Whether a person labelled the ticket. Another's label is shown and never counted.
    pub human: bool,
}

/// How much speaks for a hypothesis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Support {
    pub cycles: BTreeSet<u64>,
    pub keys: BTreeSet<TicketKey>,
    /// Tickets whose label is the opposite of what the hypothesis concludes.
    pub against: u32,
}

/// Counter-evidence may be a fifth of the support, where it is looked at.
const MAX_AGAINST: u64 = 5;

/// The hypotheses that may be promoted, over the whole pool: those with the most tickets first,
/// then those that are older (LEARN-2.2).
pub fn eligible(pool: &Pool, reflection: &Reflection) -> Vec<String> {
    let counted = |(signature, record): (&String, &Record)| {
        let support = record.support(reflection);
        record
            .is_eligible(&support, reflection)
            .then(|| (std::cmp::Reverse(support.keys.len()), record.first_seq, signature.clone()))
    };
    let mut found: Vec<_> = pool.records.iter().filter_map(counted).collect();
    found.sort();
    found.into_iter().map(|(_, _, signature)| signature).collect()
}

/// How many cycles and tickets of people support a hypothesis.
pub fn human_support(record: &Record) -> (usize, usize) {
    let cycles: BTreeSet<u64> = record.human().map(|(_, it)| it.cycle_root).collect();
    (cycles.len(), record.human().count())
}

/// Whether so many cycles and tickets are what a mission asks for.
pub fn is_enough(reflection: &Reflection, cycles: usize, keys: usize) -> bool {
    length(cycles) >= reflection.hypothesis_min_support_cycles
        && length(keys) >= reflection.hypothesis_min_unique_ticket_keys
}

/// Whether a person labelled any of the evidence. A judge's labels alone change nothing.
pub fn has_person(evidence: &[TicketKey], is_human: impl Fn(&TicketKey) -> bool) -> bool {
    evidence.iter().any(is_human)
}

impl Pool {
    /// The pool that the events add up to.
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        Self::fold_without(events, &BTreeSet::new())
    }

    /// The pool without the support of some tickets, such as those whose label was wrong.
    pub fn fold_without<'a>(
        events: impl IntoIterator<Item = &'a Event>,
        excluded: &BTreeSet<TicketKey>,
    ) -> Self {
        let mut pool = Self::default();
        for event in events {
            pool.absorb_without(event, excluded);
        }
        pool
    }

    /// Takes one more event in.
    pub fn absorb(&mut self, event: &Event) {
        self.absorb_without(event, &BTreeSet::new());
    }

    /// The hypotheses in the order of their signatures.
    pub fn records(&self) -> &BTreeMap<String, Record> {
        &self.records
    }

    /// What happens when a valid hypothesis is proposed: `reaffirmed` if it is a rule already,
    /// which adds nothing, else `proposed`.
    pub fn proposal(
        &self,
        seq: u64,
        at: At,
        hypothesis: &Hypothesis,
        concludes: Option<Label>,
        is_human: impl Fn(&TicketKey) -> bool,
    ) -> Event {
        let Hypothesis { signature, text, falsifier, dimension, evidence } = hypothesis;
        let record = self.records.get(signature);
        if record.is_some_and(|it| it.status == Status::Promoted) {
            return Event::reaffirmed(seq, at, signature, evidence);
        }
        Event {
            text: Some(text.clone()),
            falsifier: Some(falsifier.clone()),
            dimension: dimension.clone(),
            concludes,
            ticket_keys: evidence.clone(),
            other_labels: evidence.iter().filter(|it| !is_human(it)).cloned().collect(),
            ..Event::new(seq, EventKind::Proposed, at, signature)
        }
    }

    /// A change of status with the support that it rests on; nothing for what is not in the pool.
    pub fn turn(&self, seq: u64, at: At, signature: &str, kind: EventKind) -> Option<Event> {
        let record = self.records.get(signature)?;
        let keys: Vec<TicketKey> = record.human().map(|(key, _)| key.clone()).collect();
        let cycles: BTreeSet<u64> = record.human().map(|(_, it)| it.cycle_root).collect();
        Some(Event {
            support_cycles: Some(length(cycles.len())),
            unique_ticket_keys: Some(length(keys.len())),
            ticket_keys: keys,
            ..Event::new(seq, kind, at, signature)
        })
    }

    /// The hypothesis that became this rule.
    pub fn of_rule(&self, rule: RuleKey) -> Option<&str> {
        let is_it = |it: &Record| it.rule == Some(rule) && it.status == Status::Promoted;
        self.records.iter().find(|(_, it)| is_it(it)).map(|(signature, _)| signature.as_str())
    }

    /// As the file of a run has it: one object, signature by signature.
    pub fn file(&self) -> Value {
        let records = self.records.iter();
        Value::Object(records.map(|(key, it)| (key.clone(), it.value(key))).collect::<Map<_, _>>())
    }

    fn absorb_without(&mut self, event: &Event, excluded: &BTreeSet<TicketKey>) {
        match event.event {
            EventKind::Proposed => self.propose(event, excluded),
            EventKind::Reaffirmed => {
                if let Some(record) = self.records.get_mut(&event.signature) {
                    record.last_seen = event.at();
                }
            }
            EventKind::Shadow => self.become_status(event, Status::Shadow),
            EventKind::Promoted => self.become_status(event, Status::Promoted),
            EventKind::Rejected => self.become_status(event, Status::Rejected),
            EventKind::Retired => self.become_status(event, Status::Retired),
        }
    }

    fn propose(&mut self, event: &Event, excluded: &BTreeSet<TicketKey>) {
        if event.signature.is_empty() {
            return;
        }
        let record =
            self.records.entry(event.signature.clone()).or_insert_with(|| Record::first(event));
        record.last_seen = event.at();
        for key in event.ticket_keys.iter().filter(|it| !excluded.contains(it)) {
            let human = !event.other_labels.contains(key);
            let citation = Citation { cycle_root: event.cycle_root, human };
            let known = record.cited.entry(key.clone()).or_insert(citation);
            // A person's label takes the place of another's, and is new support.
            if human && !known.human {
                *known = citation;
            }
        }
    }

    fn become_status(&mut self, event: &Event, status: Status) {
        let Some(record) = self.records.get_mut(&event.signature) else { return };
        record.status = status;
        match status {
            Status::Promoted => {
                record.promoted_at = Some(event.at());
                record.rule = event.rule;
            }
            Status::Rejected | Status::Retired => {
                record.rejected_at = Some(event.at());
                record.refused_with = Some(length(record.human().count()));
            }
            Status::Candidate | Status::Shadow => {}
        }
    }
}

impl Record {
    fn first(event: &Event) -> Self {
        Self {
            text: event.text.clone().unwrap_or_default(),
            falsifier: event.falsifier.clone().unwrap_or_default(),
            dimension: event.dimension.clone(),
            concludes: event.concludes,
            status: Status::Candidate,
            cited: BTreeMap::new(),
            first_seen: event.at(),
            last_seen: event.at(),
            first_seq: event.seq,
            promoted_at: None,
            rejected_at: None,
            rule: None,
            refused_with: None,
        }
    }

    /// What counts: people's labels only, and, where polarity is asked for, only those that the
    /// hypothesis concludes.
    pub fn support(&self, reflection: &Reflection) -> Support {
        let mut support = Support::default();
        for (key, citation) in self.human() {
            let is_against = self.concludes.is_some_and(|it| it != key.label());
            if is_against && reflection.polarity {
                support.against += 1;
            } else {
                support.cycles.insert(citation.cycle_root);
                support.keys.insert(key.clone());
            }
        }
        support
    }

    fn is_eligible(&self, support: &Support, reflection: &Reflection) -> bool {
        let (cycles, keys) = (length(support.cycles.len()), length(support.keys.len()));
        let has_support = cycles >= reflection.hypothesis_min_support_cycles
            && keys >= reflection.hypothesis_min_unique_ticket_keys
            && u64::from(support.against) * MAX_AGAINST <= u64::from(keys);
        match self.status {
            Status::Candidate | Status::Shadow => has_support,
            Status::Promoted => false,
            Status::Rejected | Status::Retired => {
                let twice = self.refused_with.unwrap_or(0).saturating_mul(2);
                has_support && length(self.human().count()) >= twice
            }
        }
    }

    fn human(&self) -> impl Iterator<Item = (&TicketKey, &Citation)> {
        self.cited.iter().filter(|(_, it)| it.human)
    }

    fn value(&self, signature: &str) -> Value {
        let cycles: BTreeSet<u64> = self.human().map(|(_, it)| it.cycle_root).collect();
        let keys: Vec<&TicketKey> = self.human().map(|(key, _)| key).collect();
        let others: Vec<&TicketKey> =
            self.cited.iter().filter(|(_, it)| !it.human).map(|(key, _)| key).collect();
        json!({
            "signature": signature,
            "text": self.text,
            "falsifier": self.falsifier,
            "dimension": self.dimension,
            "concludes": self.concludes,
            "status": self.status,
            "support_cycles": cycles.len(),
            "support_cycle_ids": cycles,
            "support_ticket_keys": keys,
            "other_ticket_keys": others,
            "first_seen": self.first_seen,
            "last_seen": self.last_seen,
            "promoted_at": self.promoted_at,
            "rejected_at": self.rejected_at,
            "rule": self.rule,
        })
    }
}

/// A count that fits: there are fewer tickets than 2^32.
fn length(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
