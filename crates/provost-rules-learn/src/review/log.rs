//! The log of tickets, read: the newest label of each attempt counts.

use std::collections::BTreeMap;

use provost_kernel::learn::GroupId;

use super::ReviewTicket;
use crate::agreement::Opinion;

/// The lines of a log, and which of them count.
#[derive(Clone, Debug, Default)]
pub struct Log {
    lines: Vec<Line>,
    /// The newest order of each attempt, and the line that holds its label.
    newest: BTreeMap<GroupId, (u64, usize)>,
}

/// A ticket of a review, or a line that somebody else put there.
#[derive(Clone, Debug)]
enum Line {
    Ticket(Box<ReviewTicket>, Vec<u8>),
    Other(Vec<u8>),
}

impl Log {
    /// Takes the next line of the log.
    ///
    /// A line that is not a ticket of a review stays: the reader of the tickets refuses it by name,
    /// or takes it as one that a person wrote.
    pub fn take(&mut self, line: Vec<u8>) {
        let at = self.lines.len();
        let Ok(ticket) = serde_json::from_slice::<ReviewTicket>(&line) else {
            self.lines.push(Line::Other(line));
            return;
        };
        let order = ticket.meta.order;
        let known = self.newest.entry(ticket.group_id.clone()).or_insert((order, at));
        // The same order again is the same label, written twice by a crash.
        if known.0 <= order {
            *known = (order, at);
        }
        self.lines.push(Line::Ticket(Box::new(ticket), line));
    }

    /// Whether the label that an order gave, or a later one, is in the log.
    pub fn has(&self, group: &GroupId, order: u64) -> bool {
        self.newest.get(group).is_some_and(|(newest, _)| *newest >= order)
    }

    /// The lines that count, in the order of the log.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.counting().map(|it| match it {
            Line::Ticket(_, line) | Line::Other(line) => line.as_slice(),
        })
    }

    /// The tickets of reviews that count, in the order of the log.
    pub fn tickets(&self) -> impl Iterator<Item = &ReviewTicket> {
        self.counting().filter_map(|it| match it {
            Line::Ticket(ticket, _) => Some(&**ticket),
            Line::Other(_) => None,
        })
    }

    fn counting(&self) -> impl Iterator<Item = &Line> {
        let counts = |at: usize, line: &Line| match line {
            Line::Ticket(ticket, _) => {
                self.newest.get(&ticket.group_id).is_some_and(|(_, newest)| *newest == at)
            }
            Line::Other(_) => true,
        };
        self.lines.iter().enumerate().filter(move |(at, it)| counts(*at, it)).map(|(_, it)| it)
    }
}

/// What judge and people said of each attempt. One on which the judge did not answer is none of
/// them: it would count as an error of the judge, and what it would have said is unknown.
pub fn opinions(log: &Log) -> Vec<Opinion> {
    let opinion = |it: &ReviewTicket| Opinion {
        label: it.label,
        source: it.label_source.clone(),
        judge: it.judge(),
        blind: Some(it.blind),
    };
    log.tickets().filter(|it| it.judge().is_some()).map(opinion).collect()
}
