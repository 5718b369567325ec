//! A simulated judge and its tasks, to see what the gate does in many missions.
//!
//! The gate itself is the real one. Each task has marks by lot, and a judge that is right on nine of
//! ten; a planted mark stands for what only its rule mends. Every draw is a digest of the seed.

mod held_out;
mod port;

use provost_kernel::learn::Label;
use provost_rules_learn::measure::{
    Book, Policy,
    e_value::Claim,
    event::Event,
    fresh::{FreshLabel, Way},
    procedure::{Mode, Procedure, Proposal},
    standing::Standing,
};

use self::port::Judge;
pub use self::{held_out::Keeping, port::SimulationError};

/// What a mission is like.
#[derive(Clone, Copy, Debug)]
pub struct Simulation {
    pub seed: u64,
    pub labels: u64,
    /// What people say.
    pub truth: Truth,
    /// The share of tasks with each special mark.
    pub special: Special,
    /// How often a call says the opposite, in thousandths.
    pub noise: u32,
    pub asks: bool,
    pub tasks_per_label: u64,
    /// Whether reflection proposes rules.
    pub reflects: bool,
    pub start: Start,
    /// How often each label is given: the same case, once more.
    pub repeats: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    Honest,
    /// Labels by lot.
    Shuffled,
}

/// Marks beside the ordinary ones, each on so many of a thousand tasks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Special {
    /// The judge passes what should fail.
    pub false_pass: u32,
    /// A mark that makes a pass rule mend two thirds and spoil one.
    pub mixed: u32,
    /// The judge is right, and the rule about the mark is wrong.
    pub harmful: u32,
    /// The label from which on the harmful mark exists.
    pub harmful_from: u64,
}

/// What there is before the first label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    Nothing,
    /// The rule about the planted mark is in force, unmeasured, and its removal is tested.
    RemovalOfPlanted,
    RemovalOfUseless,
    /// A person adopted the harmful rule.
    AdoptedHarmful,
    /// A rule that is proven already and turns harmful.
    MeasuredHarmful,
}

/// What became of a mission.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The rules that were in force at any time, each with the number of labels then.
    pub promoted: Vec<(String, u64)>,
    pub offered: Vec<(String, u64)>,
    pub returned: Vec<(String, u64)>,
    pub calls: u64,
    pub book: Book,
}

pub const PLANTED: &str = "planted:fail";
pub const MIXED: &str = "mixed:pass";
pub const HARMFUL: &str = "harmful:fail";

impl Simulation {
    /// A good judge, honest labels, half of them asked for.
    pub fn new(seed: u64, labels: u64) -> Self {
        Self {
            seed,
            labels,
            truth: Truth::Honest,
            special: Special::default(),
            noise: 0,
            asks: true,
            tasks_per_label: 4,
            reflects: true,
            start: Start::Nothing,
            repeats: 1,
        }
    }

    /// Carries the mission out.
    pub fn run(self) -> Result<Outcome, SimulationError> {
        let mut judge = Judge::new(self);
        let mut procedure = Procedure::new(self.begin()?, Mode::Enforce);
        for number in 1..=self.labels {
            let label = self.next_label(number, &procedure, &mut judge)?;
            for _ in 0..self.repeats {
                procedure.label(&label, &mut judge)?;
            }
        }
        let (calls, events) = judge.finish();
        let mut outcome = Outcome {
            promoted: Vec::new(),
            offered: Vec::new(),
            returned: Vec::new(),
            calls,
            book: procedure.book,
        };
        for (event, number) in events {
            match event {
                Event::Promoted { rule } => outcome.promoted.push((rule, number)),
                Event::Offered { rule } => outcome.offered.push((rule, number)),
                Event::Returned { rule, .. } => outcome.returned.push((rule, number)),
                Event::SeasonBegan { .. }
                | Event::Opened { .. }
                | Event::Aliased { .. }
                | Event::Bet { .. }
                | Event::Declined { .. }
                | Event::Adopted { .. }
                | Event::Vetoed { .. }
                | Event::Retired { .. }
                | Event::RolledBack { .. }
                | Event::Withdrawn { .. } => {}
            }
        }
        Ok(outcome)
    }

    /// The book before the first label.
    fn begin(self) -> Result<Book, SimulationError> {
        let mut book = Book::new(Policy::STANDARD);
        let text = |rule: &str| rule.to_owned();
        let adopt = |rule: &str| Event::Adopted {
            rule: text(rule),
            text: text(rule),
            by: "kim".to_owned(),
            because: None,
        };
        let removal = |target: &str| Event::Opened {
            rule: format!("delete:{target}"),
            text: text(target),
            claim: Claim::NotWorse,
            replaces: Vec::new(),
            birth: 0,
        };
        match self.start {
            Start::Nothing => {}
            Start::RemovalOfPlanted => {
                book.record(adopt(PLANTED))?;
                book.record(removal(PLANTED))?;
            }
            Start::RemovalOfUseless => {
                book.record(removal("useless:fail"))?;
            }
            Start::AdoptedHarmful => {
                book.record(adopt(HARMFUL))?;
            }
            Start::MeasuredHarmful => {
                book.record(Event::Opened {
                    rule: text(HARMFUL),
                    text: text(HARMFUL),
                    claim: Claim::Better,
                    replaces: Vec::new(),
                    birth: 0,
                })?;
                for number in 1..=8 {
                    let label = FreshLabel {
                        number,
                        group: port::group("before", number),
                        first: number,
                        label: Label::Fail,
                        is_by_person: true,
                        way: Way::DRAWN,
                    };
                    book.record(Event::Bet {
                        rule: text(HARMFUL),
                        label,
                        with: vec![Some(Label::Fail)],
                        without: vec![Some(Label::Pass)],
                    })?;
                }
                book.record(Event::Promoted { rule: text(HARMFUL) })?;
            }
        }
        Ok(book)
    }

    /// The task that is labelled next: drawn, or, for every second label, one whose verdict a rule
    /// changes.
    fn next_label(
        self,
        number: u64,
        procedure: &Procedure,
        judge: &mut Judge,
    ) -> Result<FreshLabel, SimulationError> {
        let newest = number * self.tasks_per_label;
        let asked = match procedure.asks_for() {
            Some(rule) if self.asks && number.is_multiple_of(2) => {
                judge.find(rule, procedure, newest)?.map(|task| (task, rule.to_owned()))
            }
            _ => None,
        };
        let (task, way) = match asked {
            Some((task, rule)) => (task, Way::Asked { rule }),
            None => (judge.draw(newest), Way::DRAWN),
        };
        Ok(judge.label(number, task, way))
    }
}

impl Outcome {
    pub fn is_in_force(&self, rule: &str) -> bool {
        self.book.account(rule).is_some_and(|it| it.standing().is_in_force())
    }

    /// Whether it is in force, or a person is asked about it.
    pub fn is_offered(&self, rule: &str) -> bool {
        let standing = self.book.account(rule).map(provost_rules_learn::measure::Account::standing);
        self.is_in_force(rule) || standing == Some(Standing::Offered)
    }
}

/// A text with its signature.
fn proposal(rule: String) -> Proposal {
    Proposal { text: rule.clone(), rule, claim: Claim::Better, replaces: Vec::new() }
}
