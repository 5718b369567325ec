//! The events of a task, as they come.

use provost_kernel::{
    TaskId,
    task::{EventLine, State},
};
use provost_vault::Disk as _;

use crate::{DISK, Desk, DeskError};

/// A reader of a task's events, who remembers how far they were read.
#[derive(Debug)]
pub struct Trail<'a> {
    desk: &'a Desk,
    task: &'a TaskId,
    /// How long the log was when it was read.
    len: Option<u64>,
    n_events: usize,
    n_unreadable: usize,
}

/// What was added to the events since the last look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct News {
    pub events: Vec<EventLine>,
    /// The numbers, from 1, of lines that cannot be read.
    pub unreadable: Vec<usize>,
}

impl Desk {
    /// The events of a task, from the first.
    pub fn trail<'a>(&'a self, task: &'a TaskId) -> Trail<'a> {
        Trail { desk: self, task, len: None, n_events: 0, n_unreadable: 0 }
    }
}

impl Trail<'_> {
    /// What was added since the last call.
    pub fn news(&mut self) -> Result<News, DeskError> {
        let at = self.desk.layout().events(self.task);
        let len = DISK.stat(&at).ok().map(|it| it.len);
        if len.is_some() && len == self.len {
            return Ok(News::default());
        }
        self.len = len;
        let found = self.desk.files(self.task).events()?;
        let news = News {
            events: found.records.iter().skip(self.n_events).cloned().collect(),
            unreadable: found.unreadable.iter().skip(self.n_unreadable).copied().collect(),
        };
        self.n_events = found.records.len();
        self.n_unreadable = found.unreadable.len();
        Ok(news)
    }

    /// Whether nothing more comes by itself: the task does not run, and no process holds it.
    pub fn stands_still(&self) -> Result<bool, DeskError> {
        if self.desk.look(self.task)?.status.value.state == State::Running {
            return Ok(false);
        }
        // A process that holds a task that does not run is still writing what belongs to its
        // status.
        match self.desk.hold(self.task) {
            Ok(_) => Ok(true),
            Err(DeskError::Held(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
