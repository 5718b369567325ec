//! The ledger of a mission as it lies on the disk: which labels were read, in which order, and what
//! happened to rules.
//!
//! A label is numbered once, for ever, when it is read first. Its pool and its group are recorded
//! with it, so that no file can move it to where it would be looked at again.

use std::collections::BTreeMap;

use provost_kernel::{
    Message,
    learn::{GroupId, RunName, Split, TicketKey},
};
use serde::{Deserialize, Serialize};

use super::{
    book::{Book, BookError},
    event::Entry,
    fresh::FreshLabel,
    policy::Policy,
};

/// One line of `accounts.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case", deny_unknown_fields)]
pub enum Line {
    /// A label was read for the first time.
    Label { run: RunName, ticket: TicketKey, label: Numbered },
    /// Something happened to a rule, in a run or by a person's order.
    Event {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<RunName>,
        entry: Entry,
    },
}

/// Which labels were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Register {
    labels: BTreeMap<TicketKey, Numbered>,
    /// The number of the first label of each group.
    first: BTreeMap<GroupId, u64>,
}

/// A label that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Numbered {
    pub number: u64,
    pub group: GroupId,
    pub pool: Split,
    /// Whether it counts for rules that are younger.
    #[serde(default)]
    pub counts: bool,
}

/// Everything that a ledger says.
#[derive(Clone, Debug, PartialEq)]
pub struct Ledger {
    pub book: Book,
    pub register: Register,
    lines: u64,
}

/// Why a ledger is not what its own lines give.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.ledger", exit = Integrity)]
pub enum LedgerError {
    #[message(
        en = "line {line} of the ledger is of another version or damaged",
        zh = "账本第 {line} 行已损坏或属于其他版本"
    )]
    Unreadable { line: u64 },
    #[message(
        en = "line {line} of the ledger numbers a label that is not the next one",
        zh = "账本第 {line} 行的标签编号不连续"
    )]
    Number { line: u64 },
    #[message(
        en = "line {line} of the ledger bets on a label that was not read",
        zh = "账本第 {line} 行押注的标签未曾读取"
    )]
    UnknownLabel { line: u64 },
    #[message(en = "line {line} of the ledger: {source}", zh = "账本第 {line} 行：{source}")]
    Entry {
        line: u64,
        #[source]
        source: BookError,
    },
}

/// A ticket that a file moves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.moved", exit = Conflict)]
pub enum Moved {
    #[message(
        en = "ticket `{ticket}` was read in the pool `{was}`, and the file says `{is}`",
        zh = "工单 `{ticket}` 最初属于池 `{was}`，而文件现在写的是 `{is}`",
        hint(
            en = "a ticket stays in its pool for the life of the mission: restore `split` and `[pools]`, or give the mission another name",
            zh = "工单在任务目标的整个存续期内不换池：请恢复 `split` 与 `[pools]`，或为任务目标另取名称"
        )
    )]
    Pool { ticket: TicketKey, was: &'static str, is: &'static str },
    #[message(
        en = "ticket `{ticket}` was read in the group `{was}`, and the file says `{is}`",
        zh = "工单 `{ticket}` 最初属于组 `{was}`，而文件现在写的是 `{is}`",
        hint(
            en = "restore the group, or give the mission another name",
            zh = "请恢复原来的组，或为任务目标另取名称"
        )
    )]
    Group { ticket: TicketKey, was: GroupId, is: GroupId },
}

impl Register {
    /// The number of a label, if it was read.
    pub fn number(&self, ticket: &TicketKey) -> Option<u64> {
        self.labels.get(ticket).map(|it| it.number)
    }

    /// How many labels were read.
    pub fn len(&self) -> u64 {
        u64::try_from(self.labels.len()).unwrap_or(u64::MAX)
    }

    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// How many of the labels count for rules that are younger.
    pub fn counted(&self) -> u64 {
        u64::try_from(self.labels.values().filter(|it| it.counts).count()).unwrap_or(u64::MAX)
    }

    /// The number of the first label of a group; that of the next label for a group that is new.
    pub fn first(&self, group: &GroupId) -> u64 {
        self.first.get(group).copied().unwrap_or_else(|| self.len().saturating_add(1))
    }

    /// Refuses a ticket that was read in another pool or group.
    pub fn check(&self, ticket: &TicketKey, group: &GroupId, pool: Split) -> Result<(), Moved> {
        let Some(known) = self.labels.get(ticket) else { return Ok(()) };
        let ticket = ticket.clone();
        if known.pool != pool {
            return Err(Moved::Pool { ticket, was: known.pool.as_str(), is: pool.as_str() });
        }
        if known.group != *group {
            return Err(Moved::Group { ticket, was: known.group.clone(), is: group.clone() });
        }
        Ok(())
    }

    /// The labels that were read, by number.
    pub fn labels(&self) -> impl Iterator<Item = (u64, &TicketKey)> {
        self.labels.iter().map(|(ticket, it)| (it.number, ticket))
    }

    /// Reads a label, and numbers it; false for one that is not the next.
    pub fn read(&mut self, ticket: &TicketKey, label: &Numbered) -> bool {
        if label.number != self.len().saturating_add(1) || self.labels.contains_key(ticket) {
            return false;
        }
        self.first.entry(label.group.clone()).or_insert(label.number);
        self.labels.insert(ticket.clone(), label.clone());
        true
    }

    /// Whether a label is one that was read, as it was read.
    fn knows(&self, label: &FreshLabel) -> bool {
        self.labels.iter().any(|(ticket, it)| {
            it.number == label.number
                && it.group == label.group
                && ticket.label() == label.label
                && self.first.get(&it.group) == Some(&label.first)
        })
    }
}

impl Ledger {
    pub fn new(policy: Policy) -> Self {
        Self { book: Book::new(policy), register: Register::default(), lines: 0 }
    }

    /// Recomputes a ledger from its lines.
    pub fn read(policy: Policy, lines: &[String]) -> Result<Self, LedgerError> {
        let mut ledger = Self::new(policy);
        for text in lines {
            let line = ledger.lines.saturating_add(1);
            let read = serde_json::from_str(text).map_err(|_| LedgerError::Unreadable { line })?;
            ledger.absorb(&read)?;
        }
        Ok(ledger)
    }

    /// Takes one more line in.
    fn absorb(&mut self, line: &Line) -> Result<(), LedgerError> {
        let at = self.lines.saturating_add(1);
        match line {
            Line::Label { ticket, label, run: _ } => {
                if !self.register.read(ticket, label) {
                    return Err(LedgerError::Number { line: at });
                }
            }
            Line::Event { entry, run: _ } => {
                if entry.event.label().is_some_and(|it| !self.register.knows(it)) {
                    return Err(LedgerError::UnknownLabel { line: at });
                }
                let fail = |source| LedgerError::Entry { line: at, source };
                self.book.absorb(entry).map_err(fail)?;
            }
        }
        self.lines = at;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::learn::Label;
    use serde_json::Value;

    use super::*;
    use crate::measure::{e_value::Claim, event::Event, fresh::Way};

    fn label(number: u64) -> Line {
        Line::Label {
            run: "r1".parse().unwrap(),
            ticket: format!("g{number}::fail").parse().unwrap(),
            label: Numbered {
                number,
                group: format!("g{number}").parse().unwrap(),
                pool: Split::Learn,
                counts: number == 1,
            },
        }
    }

    fn bet(number: u64, first: u64) -> Event {
        let label = FreshLabel {
            number,
            group: format!("g{number}").parse().unwrap(),
            first,
            label: Label::Fail,
            is_by_person: true,
            way: Way::DRAWN,
        };
        let votes = |it| vec![Some(it)];
        Event::Bet {
            rule: "r".to_owned(),
            label,
            with: votes(Label::Fail),
            without: votes(Label::Pass),
        }
    }

    /// A ledger in which one rule wins one label.
    fn lines() -> Vec<String> {
        let mut book = Book::new(Policy::STANDARD);
        let mut event = |event| Line::Event { run: None, entry: book.record(event).unwrap() };
        let (rule, text) = ("r".to_owned(), "t".to_owned());
        let (claim, replaces) = (Claim::Better, Vec::new());
        let opened = event(Event::Opened { rule, text, claim, replaces, birth: 1 });
        let lines = [label(1), opened, label(2), event(bet(2, 2))];
        lines.iter().map(|it| serde_json::to_string(it).unwrap()).collect()
    }

    #[test]
    fn a_ledger_is_recomputed_from_its_lines() {
        let ledger = Ledger::read(Policy::STANDARD, &lines()).unwrap();
        assert_eq!((ledger.register.len(), ledger.register.counted()), (2, 1));
        assert_eq!(ledger.book.account("r").unwrap().wins(), 1);
        assert_eq!(ledger.register.number(&"g2::fail".parse().unwrap()), Some(2));
    }

    #[test]
    fn a_ledger_that_does_not_follow_from_itself_is_refused() {
        let read = |change: &dyn Fn(&mut Vec<String>)| {
            let mut lines = lines();
            change(&mut lines);
            Ledger::read(Policy::STANDARD, &lines).unwrap_err()
        };
        let edit = |at: usize, path: &'static str, value: Value| {
            move |lines: &mut Vec<String>| {
                let mut line: Value = serde_json::from_str(&lines[at]).unwrap();
                *line.pointer_mut(path).unwrap() = value.clone();
                lines[at] = line.to_string();
            }
        };
        assert_eq!(read(&|it| it[0].clear()), LedgerError::Unreadable { line: 1 });
        assert_eq!(read(&|it| drop(it.remove(0))), LedgerError::Number { line: 2 });
        assert_eq!(read(&|it| it.push(it[0].clone())), LedgerError::Number { line: 5 });
        assert_eq!(read(&|it| drop(it.remove(2))), LedgerError::UnknownLabel { line: 3 });
        let other = edit(3, "/entry/event/label/label", "pass".into());
        assert_eq!(read(&other), LedgerError::UnknownLabel { line: 4 });
        let richer = edit(3, "/entry/after/e_value", 9.0.into());
        assert!(matches!(read(&richer), LedgerError::Entry { line: 4, .. }));
    }

    #[test]
    fn a_ticket_stays_where_it_was_read() {
        let ledger = Ledger::read(Policy::STANDARD, &lines()).unwrap();
        let check = |group: &str, pool| {
            ledger.register.check(&"g1::fail".parse().unwrap(), &group.parse().unwrap(), pool)
        };
        assert_eq!(check("g1", Split::Learn), Ok(()));
        let moved = check("g1", Split::Audit).unwrap_err();
        assert!(moved.to_string().contains("`g1::fail`"), "{moved}");
        assert!(matches!(check("g7", Split::Learn), Err(Moved::Group { .. })));
        let new = "g9".parse().unwrap();
        assert_eq!(ledger.register.first(&new), 3);
    }
}
