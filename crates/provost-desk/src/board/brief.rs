//! Short names of tasks and of places in the list, for front ends that carry a few bytes only, such as
//! the button of a chat.

use std::{cmp::Reverse, fmt, ops::Bound, str::FromStr, sync::Arc};

use provost_kernel::{Digest, Millis, TaskId, Timestamp};

use super::{Board, BoardRow, Entry, Kept, cursor::Key};

/// How many digits name a task.
const DIGITS: usize = 16;

/// The first 16 hexadecimal digits of the SHA-256 of a task id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TaskRef([u8; DIGITS]);

/// The place of a task in the list, also after the task has moved: its rank, its time and its reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListPlace {
    rank: u8,
    seconds: u64,
    task: TaskRef,
}

/// Where a part of the list begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListEnd {
    Start,
    After(ListPlace),
    Before(ListPlace),
}

/// A few rows of the list.
#[derive(Clone, Debug)]
pub struct ListPart {
    pub rows: Vec<BoardRow>,
    /// How many tasks stand before the first one.
    pub skipped: usize,
    pub total: usize,
    pub previous: Option<ListPlace>,
    pub next: Option<ListPlace>,
}

/// A text that is not such a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a short name")]
pub struct BriefError;

impl TaskRef {
    pub fn of(task: &TaskId) -> Self {
        let digits = Digest::of_bytes(task.as_str().as_bytes()).to_string();
        let mut kept = [b'0'; DIGITS];
        for (place, digit) in kept.iter_mut().zip(digits.bytes()) {
            *place = digit;
        }
        Self(kept)
    }
}

impl Board {
    /// The task of a reference; none where no task has it, or more than one.
    pub fn resolve(&self, reference: TaskRef) -> Option<TaskId> {
        self.read().resolve(reference)
    }

    /// At most so many rows from a place on, or before it; none where the task of the place is gone.
    pub fn part(&self, from: ListEnd, limit: usize) -> Option<ListPart> {
        let kept = self.read();
        let skipped = match from {
            ListEnd::Start => 0,
            ListEnd::After(place) => {
                let key = kept.key(place)?;
                kept.order.range::<Key, _>((Bound::Unbounded, Bound::Included(&key))).count()
            }
            ListEnd::Before(place) => {
                let key = kept.key(place)?;
                let before = kept.order.range::<Key, _>((Bound::Unbounded, Bound::Excluded(&key)));
                before.count().saturating_sub(limit)
            }
        };
        let total = kept.order.len();
        let entries = kept.order.iter().skip(skipped).take(limit);
        let entries: Vec<&Arc<Entry>> =
            entries.filter_map(|it| kept.tasks.get(it.task())).collect();
        let (first, last) = (entries.first(), entries.last());
        let has_more = skipped + entries.len() < total;
        Some(ListPart {
            previous: first.filter(|_| skipped > 0).map(|it| it.key.place()),
            next: last.filter(|_| has_more).map(|it| it.key.place()),
            rows: entries.iter().map(|it| it.made.row.clone()).collect(),
            skipped,
            total,
        })
    }
}

impl Kept {
    fn resolve(&self, reference: TaskRef) -> Option<TaskId> {
        let mut found = self.tasks.keys().filter(|it| TaskRef::of(it) == reference);
        let task = found.next()?;
        found.next().is_none().then(|| task.clone())
    }

    fn key(&self, place: ListPlace) -> Option<Key> {
        let updated_at = Timestamp::from(Millis(place.seconds.checked_mul(1000)?));
        let task_id = self.resolve(place.task)?;
        Some(Key { rank: place.rank, updated_at: Reverse(updated_at), task_id })
    }
}

impl Key {
    fn place(&self) -> ListPlace {
        let seconds = u64::try_from(self.updated_at.0.seconds()).unwrap_or_default();
        ListPlace { rank: self.rank, seconds, task: TaskRef::of(&self.task_id) }
    }
}

impl fmt::Display for TaskRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|it| write!(f, "{}", char::from(*it)))
    }
}

impl fmt::Debug for TaskRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TaskRef({self})")
    }
}

impl FromStr for TaskRef {
    type Err = BriefError;

    fn from_str(text: &str) -> Result<Self, BriefError> {
        let digits: [u8; DIGITS] = text.as_bytes().try_into().map_err(|_| BriefError)?;
        let is_hex = digits.iter().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
        if is_hex { Ok(Self(digits)) } else { Err(BriefError) }
    }
}

/// At most 35 bytes: `2.6917e1c0.0123456789abcdef`.
impl fmt::Display for ListPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:x}.{}", self.rank, self.seconds, self.task)
    }
}

impl FromStr for ListPlace {
    type Err = BriefError;

    fn from_str(text: &str) -> Result<Self, BriefError> {
        let mut parts = text.split('.');
        let mut part = || parts.next().ok_or(BriefError);
        let (rank, seconds, task) = (part()?, part()?, part()?);
        // No more than a time has, so that what is made of it is one.
        if parts.next().is_some() || seconds.is_empty() || seconds.len() > 9 {
            return Err(BriefError);
        }
        let rank = rank.parse().ok().filter(|it| *it <= 3).ok_or(BriefError)?;
        let seconds = u64::from_str_radix(seconds, 16).map_err(|_| BriefError)?;
        Ok(Self { rank, seconds, task: task.parse()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_comes_back_as_it_was_and_nothing_else_does() {
        let task: TaskId = "t1".parse().unwrap();
        let reference = TaskRef::of(&task);
        assert_eq!(reference.to_string(), "628b49d96dcde97a");
        assert_eq!(reference.to_string().parse(), Ok(reference));
        let place = ListPlace { rank: 2, seconds: 1_800_000_000, task: reference };
        assert_eq!(place.to_string(), "2.6b49d200.628b49d96dcde97a");
        assert_eq!(place.to_string().parse(), Ok(place));
        for text in [
            "",
            ".",
            "..",
            "4.6b49d200.ea3db06ec9ae9ba1",
            "-1.6b49d200.ea3db06ec9ae9ba1",
            "2..ea3db06ec9ae9ba1",
            "2.ffffffffff.ea3db06ec9ae9ba1",
            "2.6b49d200.EA3DB06EC9AE9BA1",
            "2.6b49d200.ea3db06ec9ae9ba",
            "2.6b49d200.ea3db06ec9ae9ba1.",
            "2.6b49d200.é3db06ec9ae9ba1",
        ] {
            assert_eq!(text.parse::<ListPlace>(), Err(BriefError), "{text}");
        }
    }
}
