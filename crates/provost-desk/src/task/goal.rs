//! The task of a goal that a person typed.

use std::collections::BTreeSet;

use provost_kernel::{TaskId, task::TaskSpec};
use provost_rules_task::goal;
use provost_vault::{Stored, is_present};

use crate::{Desk, DeskError};

/// Which task a goal belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForGoal {
    /// One with the same words in the same repository is not finished.
    GoesOn(TaskId),
    /// One with the same words in the same repository is finished, and no other is wanted.
    Finished(TaskId),
    /// None that is to go on: this id is free. One with the same words may be finished already.
    New { task: TaskId, finished: Option<TaskId> },
}

/// What becomes of a goal whose task is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeated {
    /// A new task: a person says the same sentence again.
    Anew,
    /// Nothing: a list of goals that is run again goes on with what is left of it.
    Done,
}

impl Desk {
    /// Finds the unfinished task of a goal in a repository, if it is as the person wishes now; else
    /// an id for a new one, which is none of those that are taken already.
    pub fn for_goal(
        &self,
        text: &str,
        repository: &str,
        is_as_wished: &dyn Fn(&TaskSpec) -> bool,
        taken: &BTreeSet<TaskId>,
        repeated: Repeated,
    ) -> Result<Option<ForGoal>, DeskError> {
        let mut finished = None;
        for task in goal::ids(text) {
            if taken.contains(&task) {
                continue;
            }
            if !is_present(&self.layout.task_spec(&task)) {
                // What is left of a task without its spec keeps its id.
                if matches!(self.files(&task).status()?, Stored::Absent) {
                    return Ok(Some(match (finished, repeated) {
                        (Some(finished), Repeated::Done) => ForGoal::Finished(finished),
                        (finished, _) => ForGoal::New { task, finished },
                    }));
                }
                continue;
            }
            let Some(spec) = self.files(&task).spec()?.present() else { continue };
            let is_same = spec.value.goal == text && spec.value.repo_path == repository;
            if is_same && is_as_wished(&spec.value) {
                if !self.look(&task)?.status.value.state.is_terminal() {
                    return Ok(Some(ForGoal::GoesOn(task)));
                }
                finished = Some(task);
            }
        }
        Ok(None)
    }
}
