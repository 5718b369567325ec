//! What people read and order.
//!
//! A [`Desk`] lists and shows tasks and takes people's orders: each one is checked by a rule,
//! audited before it takes effect, and carried out once, however often it is sent. A look at a task
//! whose coordinator is gone records that in its state. Nothing here can start a process or
//! call a model, so nothing that sits on a desk can.

pub mod audit;
pub mod board;
pub mod detail;
mod error;
pub mod eval;
pub mod guard;
pub mod learn;
pub mod no_llm;
pub mod notify;
mod port;
mod refused;
pub mod remote;
pub mod request;
pub mod story;
pub mod task;

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use provost_kernel::{Clock, TaskId};
use provost_vault::{
    FileError, Layout, RealDisk,
    audit::{StatusMemory, Verifier},
    lock::Timing,
    task::TaskFiles,
};

pub use provost_vault::task::{Extent, TaskStamp};

pub use self::{
    error::{DeskError, HeldError, LookError, MovedError},
    port::{PageError, PortError, Ports},
};

/// The disk that desks work on.
static DISK: RealDisk = RealDisk;

/// One desk: a home and a clock.
#[derive(Clone)]
pub struct Desk {
    layout: Layout,
    clock: Arc<dyn Clock>,
    timing: Timing,
    stories: Option<story::StoryCache>,
    /// What was read of the audit chain. Its clones are one.
    recorded: Arc<StatusMemory>,
    /// What was verified of it.
    verified: Arc<Mutex<Verifier>>,
}

impl Desk {
    /// A desk at a home.
    pub fn new(layout: Layout, clock: Arc<dyn Clock>) -> Self {
        Self {
            layout,
            clock,
            timing: Timing::default(),
            stories: None,
            recorded: Arc::default(),
            verified: Arc::default(),
        }
    }

    /// The same in a program that goes on: what it read of the stories is kept.
    #[must_use]
    pub fn with_stories(mut self, cache: story::StoryCache) -> Self {
        self.stories = Some(cache);
        self
    }

    /// How long a holder of a lock on another machine may be silent.
    #[must_use]
    pub fn with_stale_after(mut self, stale_after: Duration) -> Self {
        self.timing.stale_after = stale_after;
        self
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    pub fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// What was verified of the audit chain; who comes while it is verified waits for that.
    fn verifier(&self) -> MutexGuard<'_, Verifier> {
        self.verified.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The stories of the home, with an index that lacks nothing.
    pub fn stories(&self) -> Result<story::Stories<'_>, story::StoriesError> {
        match &self.stories {
            Some(cache) => story::Stories::resume(&self.layout, &*self.clock, cache),
            None => story::Stories::open(&self.layout, &*self.clock),
        }
    }

    /// How the files of a task look now; none where that cannot be told apart from what comes next.
    /// While it is the same, so is what is read of a task that does not run.
    pub fn task_stamp(
        &self,
        task: &TaskId,
        extent: Extent,
    ) -> Result<Option<TaskStamp>, FileError> {
        self.files(task).stamp(extent, &self.recorded)
    }

    /// The files of a task.
    pub fn files<'a>(&'a self, task: &'a TaskId) -> TaskFiles<'a, RealDisk> {
        TaskFiles::new(&DISK, &self.layout, &*self.clock, task)
    }
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("layout", &self.layout).finish_non_exhaustive()
    }
}
