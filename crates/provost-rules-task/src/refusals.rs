//! Orders from afar that the gate refused: a few an hour are recorded one by one, and what is over that is
//! counted, so that strangers who write for weeks do not fill a disk (LOOP-A9).

use std::{collections::BTreeMap, mem};

use provost_kernel::Millis;

use crate::remote_write::RemoteRefusal;

/// So many of each kind are recorded one by one in an hour.
const SINGLE: u32 = 20;
/// In milliseconds.
const HOUR: u64 = 60 * 60 * 1000;

/// The refusals of the hour, by their kind.
#[derive(Debug, Default)]
pub struct Refusals(BTreeMap<&'static str, Hour>);

/// What was refused within an hour that begins with the first refusal.
#[derive(Debug)]
struct Hour {
    since: Millis,
    recorded: u32,
    counted: u64,
    who: Option<Who>,
}

/// Who gave the orders that were counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    One(i64),
    Several,
}

/// How a refusal is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// In an entry of its own.
    Recorded,
    /// In the entry of its hour.
    Counted,
}

/// The refusals of one kind and one hour that have no entry of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedRefusals {
    pub code: &'static str,
    pub count: u64,
    pub since: Millis,
    pub who: Who,
}

impl Refusals {
    /// Takes a refusal, after [`over`](Self::over) was asked for what came before.
    pub fn take(&mut self, refusal: RemoteRefusal, user: i64, now: Millis) -> Kept {
        let new = || Hour { since: now, recorded: 0, counted: 0, who: None };
        let hour = self.0.entry(refusal.code()).or_insert_with(new);
        if hour.recorded < SINGLE {
            hour.recorded += 1;
            return Kept::Recorded;
        }
        hour.counted = hour.counted.saturating_add(1);
        hour.who = match hour.who {
            None => Some(Who::One(user)),
            Some(Who::One(it)) if it == user => Some(Who::One(user)),
            Some(Who::One(_) | Who::Several) => Some(Who::Several),
        };
        Kept::Counted
    }

    /// What was counted in hours that are over. A clock that goes back ends an hour.
    pub fn over(&mut self, now: Millis) -> Vec<CountedRefusals> {
        let is_over = |it: &Hour| now.0.checked_sub(it.since.0).is_none_or(|it| it >= HOUR);
        let (over, left) = mem::take(&mut self.0).into_iter().partition(|(_, it)| is_over(it));
        self.0 = left;
        counted(over)
    }

    /// What was counted up to now, at the end.
    pub fn all(&mut self) -> Vec<CountedRefusals> {
        counted(mem::take(&mut self.0))
    }
}

fn counted(hours: BTreeMap<&'static str, Hour>) -> Vec<CountedRefusals> {
    let counted = hours.into_iter().filter_map(|(code, it)| {
        let Hour { since, counted: count, who, .. } = it;
        Some(CountedRefusals { code, count, since, who: who? })
    });
    counted.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRANGER: RemoteRefusal = RemoteRefusal::Chat { chat: 99 };

    /// Each row is so many refusals at a minute, by a user; expected are how many have an entry of their
    /// own, and the counted ones as `(count, minute, who)`.
    #[track_caller]
    fn check(rows: &[(u64, i64, u64)], recorded: u64, expected: &[(u64, u64, Who)]) {
        let mut refusals = Refusals::default();
        let (mut own, mut entries) = (0, Vec::new());
        for &(minute, user, times) in rows {
            let now = Millis(minute * 60_000);
            entries.extend(refusals.over(now));
            for _ in 0..times {
                own += u64::from(refusals.take(STRANGER, user, now) == Kept::Recorded);
            }
        }
        entries.extend(refusals.all());
        let told: Vec<_> =
            entries.iter().map(|it| (it.count, it.since.0 / 60_000, it.who)).collect();
        assert_eq!((own, told.as_slice()), (recorded, expected), "{rows:?}");
        let all: u64 = rows.iter().map(|it| it.2).sum();
        assert_eq!(own + entries.iter().map(|it| it.count).sum::<u64>(), all, "none is lost");
    }

    /// LOOP-A9.
    #[test]
    fn a_flood_of_refusals_is_a_few_entries_an_hour() {
        use Who::{One, Several};
        check(&[], 0, &[]);
        check(&[(0, 9, 20)], 20, &[]);
        check(&[(0, 9, 21)], 20, &[(1, 0, One(9))]);
        check(&[(0, 9, 500)], 20, &[(480, 0, One(9))]);
        check(&[(0, 9, 300), (30, 8, 200)], 20, &[(480, 0, Several)]);
        check(&[(0, 9, 21), (59, 9, 1)], 20, &[(2, 0, One(9))]);
        check(&[(0, 9, 21), (60, 9, 21)], 40, &[(1, 0, One(9)), (1, 60, One(9))]);
        check(&[(0, 9, 14), (60, 9, 14)], 28, &[]);
        // A clock that goes back ends the hour, so that nothing waits for it.
        check(&[(100, 9, 22), (5, 9, 22)], 40, &[(2, 100, One(9)), (2, 5, One(9))]);
    }

    #[test]
    fn kinds_are_counted_apart() {
        let mut refusals = Refusals::default();
        for _ in 0..21 {
            refusals.take(STRANGER, 9, Millis(0));
        }
        assert_eq!(refusals.take(RemoteRefusal::Disabled, 7, Millis(0)), Kept::Recorded);
        let codes: Vec<_> = refusals.all().iter().map(|it| (it.code, it.count)).collect();
        assert_eq!(codes, [("chat_not_allowed", 1)]);
    }
}
