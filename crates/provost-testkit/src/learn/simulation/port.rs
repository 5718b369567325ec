//! The judge, the reflection and the person of a simulated mission.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use provost_kernel::learn::{GroupId, Label};
use provost_rules_learn::measure::{
    Book, Entry,
    book::BookError,
    event::{Event, Veto},
    fresh::{FreshLabel, Way},
    procedure::{Port, Procedure, Proposal, RuleSet},
};

use super::{HARMFUL, MIXED, PLANTED, Simulation, Truth, proposal};

/// A simulation that broke a rule of the book.
#[derive(Debug)]
pub struct SimulationError(pub String);

/// Everything beside the gate, and what it was asked.
pub(super) struct Judge {
    world: Simulation,
    /// Verdicts that were asked, so that none is paid for twice.
    known: BTreeMap<(u64, u8, u64), Option<Label>>,
    labelled: BTreeSet<u64>,
    labels: BTreeMap<u64, Label>,
    events: Vec<(Event, u64)>,
    number: u64,
    calls: u64,
}

const MARKS: u64 = 20;
/// On how many of a thousand tasks each mark is.
const MARKED: u32 = 400;
/// On how many of a thousand tasks the judge is wrong, what the marks make it get wrong included.
const WRONG: u32 = 100;
const HALF: u32 = 500;
/// How many tasks and calls the search for a task to ask about may take.
const BACKLOG: u64 = 60;
const SEARCH: u64 = 16;
const PROPOSALS: usize = 3;

impl From<BookError> for SimulationError {
    fn from(error: BookError) -> Self {
        Self(error.to_string())
    }
}

impl Judge {
    pub(super) fn new(world: Simulation) -> Self {
        Self {
            world,
            known: BTreeMap::new(),
            labelled: BTreeSet::new(),
            labels: BTreeMap::new(),
            events: Vec::new(),
            number: 0,
            calls: 0,
        }
    }

    pub(super) fn finish(self) -> (u64, Vec<(Event, u64)>) {
        (self.calls, self.events)
    }

    /// The newest task that nobody labelled.
    pub(super) fn draw(&self, newest: u64) -> u64 {
        let is_free = |it: &u64| !self.labelled.contains(it);
        (1..=newest).rev().find(is_free).unwrap_or(newest)
    }

    /// The newest unlabelled task whose verdict a rule changes.
    pub(super) fn find(
        &mut self,
        rule: &str,
        procedure: &Procedure,
        newest: u64,
    ) -> Result<Option<u64>, SimulationError> {
        let Some((with, without)) = procedure.sides(rule) else { return Ok(None) };
        let oldest = newest.saturating_sub(BACKLOG);
        let free: Vec<u64> =
            (oldest + 1..=newest).rev().filter(|it| !self.labelled.contains(it)).collect();
        let before = self.calls;
        for task in free {
            let group = group("t", task);
            // The judge's own verdict on a task is there already.
            let own = self.calls;
            let base = self.vote(&without, &group, 0)?;
            self.calls = own;
            if self.calls - before >= SEARCH {
                break;
            }
            if self.vote(&with, &group, 0)? != base {
                return Ok(Some(task));
            }
        }
        Ok(None)
    }

    pub(super) fn label(&mut self, number: u64, task: u64, way: Way) -> FreshLabel {
        let label = match self.world.truth {
            Truth::Honest => self.truth(task),
            Truth::Shuffled => label_of(self.is("lot", task, 0, HALF)),
        };
        self.labelled.insert(task);
        self.labels.insert(task, label);
        self.number = number;
        // Labels of a book that begins with some go on after them.
        let number = number + 100;
        FreshLabel {
            number,
            group: group("t", task),
            first: number,
            label,
            is_by_person: true,
            way,
        }
    }

    /// A draw that comes true in so many of a thousand cases.
    fn is(&self, what: &str, task: u64, n: u64, thousandths: u32) -> bool {
        let drawn = mix(mix(mix(self.world.seed ^ hash(what.bytes())) ^ task) ^ n);
        drawn % 1000 < u64::from(thousandths)
    }

    fn has(&self, mark: &str, task: u64) -> bool {
        let special = self.world.special;
        let planted = self.is("planted", task, 0, special.false_pass);
        let mixed = !planted && self.is("mixed", task, 0, special.mixed);
        let is_begun = task > special.harmful_from * self.world.tasks_per_label;
        match mark {
            "planted" => planted,
            "mixed" => mixed,
            "harmful" => {
                is_begun && !planted && !mixed && self.is("harmful", task, 0, special.harmful)
            }
            _ => {
                let number = mark.strip_prefix('m').and_then(|it| it.parse().ok());
                number.is_some_and(|it| self.is("mark", task, it, MARKED))
            }
        }
    }

    fn truth(&self, task: u64) -> Label {
        if self.has("planted", task) {
            Label::Fail
        } else if self.has("mixed", task) {
            label_of(!self.is("spoilt", task, 0, 333))
        } else if self.has("harmful", task) {
            Label::Pass
        } else {
            label_of(self.is("truth", task, 0, HALF))
        }
    }

    /// On how many of a thousand other tasks the judge is wrong.
    fn other_errors(&self) -> u32 {
        let special = self.world.special;
        let marked = special.false_pass + special.mixed;
        WRONG.saturating_sub(special.false_pass + special.mixed * 2 / 3) * 1000 / (1000 - marked)
    }

    /// What the judge says without rules and without noise.
    fn base(&self, task: u64) -> Label {
        let truth = self.truth(task);
        if self.has("planted", task) {
            Label::Pass
        } else if self.has("mixed", task) {
            Label::Fail
        } else if !self.has("harmful", task) && self.is("wrong", task, 0, self.other_errors()) {
            truth.opposite()
        } else {
            truth
        }
    }

    fn answer(&self, rules: &RuleSet, task: u64, vote: u8, digest: u64) -> Label {
        let mut verdict = self.base(task);
        for rule in &rules.added {
            let Some((mark, conclusion)) = rule.split_once(':') else { continue };
            if self.has(mark, task) {
                verdict = label_of(conclusion == "pass");
            }
        }
        let is_flipped = self.is("noise", task, digest ^ u64::from(vote), self.world.noise);
        if is_flipped { verdict.opposite() } else { verdict }
    }
}

impl Port for Judge {
    type Error = SimulationError;

    fn vote(
        &mut self,
        rules: &RuleSet,
        ticket: &GroupId,
        vote: u8,
    ) -> Result<Option<Label>, SimulationError> {
        let task = task_of(ticket)?;
        let texts = rules.added.iter().chain(&rules.removed);
        let digest = hash(texts.flat_map(|it| it.bytes().chain([0])));
        if let Some(known) = self.known.get(&(task, vote, digest)) {
            return Ok(*known);
        }
        self.calls += 1;
        let answer = Some(self.answer(rules, task, vote, digest));
        self.known.insert((task, vote, digest), answer);
        Ok(answer)
    }

    fn veto(
        &mut self,
        _: &str,
        _: &RuleSet,
        _: &RuleSet,
        _: &Book,
    ) -> Result<Option<Veto>, SimulationError> {
        Ok(None)
    }

    /// Ranks marks by the errors shown, for each kind of error.
    fn reflect(
        &mut self,
        errors: &[GroupId],
        known: &BTreeSet<String>,
    ) -> Result<Vec<Proposal>, SimulationError> {
        if !self.world.reflects {
            return Ok(Vec::new());
        }
        let mut marks: Vec<String> = (0..MARKS).map(|it| format!("m{it}")).collect();
        marks.extend(
            [PLANTED, MIXED, HARMFUL]
                .iter()
                .filter_map(|it| it.split(':').next())
                .map(str::to_owned),
        );
        let mut ranked = Vec::new();
        for mark in marks {
            for label in [Label::Fail, Label::Pass] {
                let mut n_errors = 0_u32;
                for error in errors {
                    let task = task_of(error)?;
                    n_errors +=
                        u32::from(self.labels.get(&task) == Some(&label) && self.has(&mark, task));
                }
                let rule = format!("{mark}:{label}");
                if n_errors > 0 && !known.contains(&rule) {
                    ranked.push((n_errors, rule));
                }
            }
        }
        let lot = |rule: &str| hash(rule.bytes().chain(self.number.to_le_bytes()));
        ranked.sort_by_key(|(n_errors, rule): &(u32, String)| (Reverse(*n_errors), lot(rule)));
        Ok(ranked.into_iter().take(PROPOSALS).map(|(_, rule)| proposal(rule)).collect())
    }

    fn noise(&self) -> f64 {
        let flip = f64::from(self.world.noise) / 1000.0;
        2.0 * flip * (1.0 - flip)
    }

    fn keep(&mut self, entry: &Entry) -> Result<(), SimulationError> {
        self.events.push((entry.event.clone(), self.number));
        Ok(())
    }
}

#[expect(clippy::expect_used, reason = "a number makes a valid group")]
pub(super) fn group(prefix: &str, number: u64) -> GroupId {
    format!("{prefix}-{number}").parse().expect("a group")
}

fn task_of(group: &GroupId) -> Result<u64, SimulationError> {
    let number = group.as_str().rsplit('-').next().and_then(|it| it.parse().ok());
    number.ok_or_else(|| SimulationError(format!("unknown group {group}")))
}

fn label_of(is_pass: bool) -> Label {
    if is_pass { Label::Pass } else { Label::Fail }
}

fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(7, |hash, it| mix(hash ^ u64::from(it)))
}

/// One step of splitmix64.
fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
