//! The list of tasks, from the index.

use provost_kernel::task::{IndexEntry, State};
use provost_vault::task::index;

use crate::{DISK, Desk, DeskError, LookError};

/// What a list should hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct Listing {
    /// Only tasks in this state.
    pub state: Option<State>,
    /// At most so many.
    pub limit: Option<usize>,
}

/// A list of tasks, the newest first.
#[derive(Clone, Debug)]
pub struct Listed {
    pub tasks: Vec<IndexEntry>,
    /// How many there are besides, because of the limit.
    pub left_out: usize,
    /// Entries of the index that cannot be read, as paths.
    pub unreadable: Vec<String>,
}

impl Desk {
    /// Lists tasks, the one that changed last first.
    ///
    /// Only tasks that are said to be running are looked at: theirs is the one state that can be
    /// wrong without anybody having written it.
    pub fn list(&self, listing: Listing) -> Result<Listed, DeskError> {
        let (entries, unreadable) = index(&DISK, &self.layout)?;
        let mut tasks = Vec::with_capacity(entries.len());
        for entry in entries {
            let entry = match entry.state {
                State::Running => self.seen(entry)?,
                State::Paused | State::ReadyForReview | State::Failed => entry,
            };
            if listing.state.is_none_or(|it| it == entry.state) {
                tasks.push(entry);
            }
        }
        tasks.sort_by(|one, two| {
            two.updated_at.cmp(&one.updated_at).then_with(|| one.task_id.cmp(&two.task_id))
        });
        let limit = listing.limit.unwrap_or(usize::MAX);
        let left_out = tasks.len().saturating_sub(limit);
        tasks.truncate(limit);
        let unreadable = unreadable.iter().map(|it| it.path().to_string()).collect();
        Ok(Listed { tasks, left_out, unreadable })
    }

    /// The entry of a task that is said to be running, after a look.
    fn seen(&self, entry: IndexEntry) -> Result<IndexEntry, DeskError> {
        match self.look(&entry.task_id) {
            Ok(looked) => Ok(IndexEntry::of(&looked.status.value)),
            // One broken task does not hide the others; `show` says what is the matter with it.
            Err(DeskError::Look(LookError::Unknown { .. } | LookError::Unreadable { .. })) => {
                Ok(entry)
            }
            Err(DeskError::Look(LookError::Corrupt { task, .. })) => {
                let now = self.files(&task).index_entry()?.present();
                Ok(now.map_or(entry, |it| it.value))
            }
            Err(error) => Err(error),
        }
    }
}
