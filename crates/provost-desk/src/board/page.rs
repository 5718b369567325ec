//! One page of the board.

use std::{collections::BTreeMap, ops::Bound, sync::Arc};

use provost_kernel::{
    Message, TaskId, Timestamp,
    task::{State, TaskGroup},
};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::{Board, BoardRow, Cursor, CursorError, Entry, Kept, SpentView, cursor::Key};
use crate::task::{Phase, Spent};

/// What a page should hold.
#[derive(Clone, Debug, Default)]
pub struct Query {
    pub group: Option<TaskGroup>,
    pub state: Option<State>,
    /// Part of an id, a goal or a reason, in either case.
    pub text: Option<String>,
    /// From 1 to 100; 50 where nothing is said.
    pub limit: Option<usize>,
    pub cursor: Option<Cursor>,
}

/// Why a page cannot be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "desk.page")]
pub enum PageError {
    #[message(transparent)]
    Cursor(CursorError),
    #[message(
        en = "a page holds from 1 to {most} tasks, not {limit}",
        zh = "每页为 1 到 {most} 个任务，而非 {limit}",
        arg(most = MOST)
    )]
    Limit { limit: usize },
}

/// A page of the board.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Page {
    #[serde(serialize_with = "rows")]
    #[schemars(with = "Vec<BoardRow>")]
    pub tasks: Vec<Arc<Shown>>,
    pub next_cursor: Option<String>,
    /// How many tasks fit the filter, whatever their group.
    pub counts: Counts,
    /// When the task came to wait that waits longest for a person.
    pub oldest_wait: Option<Timestamp>,
    /// What the attempts cost that ended since midnight, UTC.
    pub today: SpentView,
    pub attempts_today: usize,
    /// Files because of which a task may be missing here, as paths.
    pub unreadable: Vec<String>,
    /// Tasks whose state does not match the audit chain, with its file.
    pub altered: BTreeMap<TaskId, String>,
}

/// A row that is shared with the board.
#[derive(Debug)]
pub struct Shown(Arc<Entry>);

/// How many tasks there are in each group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    pub all: usize,
    pub waits: usize,
    /// What runs, and what waits for its turn.
    pub runs: usize,
    /// How many of them wait for their turn.
    pub queued: usize,
    pub proven: usize,
    pub unproven: usize,
    pub closed: usize,
}

/// How many tasks a page has, and at most.
const USUAL: usize = 50;
const MOST: usize = 100;
const DAY: i64 = 86_400;

impl Board {
    /// A page of the board. Tasks that did not change meanwhile are neither left out nor repeated by the
    /// pages of one list.
    pub fn page(&self, query: &Query) -> Result<Page, PageError> {
        let limit = query.limit.unwrap_or(USUAL);
        if !(1..=MOST).contains(&limit) {
            return Err(PageError::Limit { limit });
        }
        let kept = self.read();
        let filter = Filter::of(query);
        let empty = std::collections::BTreeSet::new();
        let order = match query.group {
            Some(group) => kept.groups.get(&group).unwrap_or(&empty),
            None => &kept.order,
        };
        let from = query.cursor.as_ref().map(Cursor::key);
        let from = from.as_ref().map_or(Bound::Unbounded, Bound::Excluded);
        let mut found = order
            .range::<Key, _>((from, Bound::Unbounded))
            .filter_map(|it| kept.tasks.get(it.task()))
            .filter(|it| filter.takes(it));
        let entries: Vec<&Arc<Entry>> = found.by_ref().take(limit).collect();
        let is_more = found.next().is_some();
        let last = entries.last().filter(|_| is_more);
        let next_cursor = last.map(|it| it.key.cursor().encode());
        let tasks = entries.into_iter().map(|it| Arc::new(Shown(Arc::clone(it)))).collect();
        let (today, attempts_today) = self.today(&kept);
        Ok(Page {
            tasks,
            next_cursor,
            counts: kept.counts(&filter),
            oldest_wait: kept.oldest_wait(),
            today,
            attempts_today,
            unreadable: kept.unreadable.values().cloned().collect(),
            altered: kept.altered.clone(),
        })
    }

    /// How many tasks there are in each group.
    pub fn counts(&self) -> Counts {
        self.read().counts(&Filter::default())
    }

    fn today(&self, kept: &Kept) -> (SpentView, usize) {
        let midnight = self.desk.clock().now().seconds().div_euclid(DAY) * DAY;
        let (mut spent, mut attempts) = (Spent::default(), 0);
        for entry in kept.tasks.values() {
            // An attempt of today has changed its task today.
            if entry.made.row.updated_at.seconds() < midnight {
                continue;
            }
            for (ended, cost) in &entry.made.costs {
                if ended.is_none_or(|it| it >= midnight) {
                    attempts += 1;
                    spent = spent.plus(*cost);
                }
            }
        }
        (SpentView::of(spent), attempts)
    }
}

impl Kept {
    fn counts(&self, filter: &Filter) -> Counts {
        let count = |group: TaskGroup| {
            let Some(keys) = self.groups.get(&group) else { return 0 };
            if filter.is_open() {
                return keys.len();
            }
            let entries = keys.iter().filter_map(|it| self.tasks.get(it.task()));
            entries.filter(|it| filter.takes(it)).count()
        };
        let running = self.groups.get(&TaskGroup::Runs).into_iter().flatten();
        let running = running.filter_map(|it| self.tasks.get(it.task()));
        let is_queued = |it: &&Arc<Entry>| it.made.row.phase == Phase::Queued && filter.takes(it);
        let counts = Counts {
            all: 0,
            queued: running.filter(is_queued).count(),
            waits: count(TaskGroup::Waits),
            runs: count(TaskGroup::Runs),
            proven: count(TaskGroup::Proven),
            unproven: count(TaskGroup::Unproven),
            closed: count(TaskGroup::Closed),
        };
        let Counts { waits, runs, proven, unproven, closed, .. } = counts;
        Counts { all: waits + runs + proven + unproven + closed, ..counts }
    }

    fn oldest_wait(&self) -> Option<Timestamp> {
        let waiting = self.groups.get(&TaskGroup::Waits)?;
        let entries = waiting.iter().filter_map(|it| self.tasks.get(it.task()));
        entries.map(|it| it.made.row.updated_at).min()
    }
}

/// Which tasks are wanted, whatever their group.
#[derive(Default)]
struct Filter {
    state: Option<State>,
    /// In lower case.
    text: Option<String>,
}

impl Filter {
    fn of(query: &Query) -> Self {
        let text = query.text.as_deref().map(str::trim).filter(|it| !it.is_empty());
        Self { state: query.state, text: text.map(str::to_lowercase) }
    }

    fn is_open(&self) -> bool {
        self.state.is_none() && self.text.is_none()
    }

    fn takes(&self, entry: &Entry) -> bool {
        let is_state = self.state.is_none_or(|it| it == entry.made.row.state);
        is_state && self.text.as_ref().is_none_or(|it| entry.made.found_by.contains(it.as_str()))
    }
}

impl Shown {
    pub fn row(&self) -> &BoardRow {
        &self.0.made.row
    }
}

fn rows<S: Serializer>(shown: &[Arc<Shown>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(shown.iter().map(|it| it.row()))
}
