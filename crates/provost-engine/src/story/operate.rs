//! What an operator does to a plan: decided from what is known at that moment, and recorded in the
//! claims log like everything else.

use provost_desk::{Desk, story::StoriesError};
use provost_kernel::story::{EventBody, Execution, ExecutionStatus};
use provost_rules_story::operation::{Operation, operate as decide};
use provost_store::Listed;
use provost_vault::story::NewEvent;
use serde::Serialize;

use super::{StoryError, plan_view};

/// What an operation came to.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Operated {
    pub success: bool,
    pub branch: String,
    pub execution_id: String,
    pub previous_status: ExecutionStatus,
    pub new_status: ExecutionStatus,
    /// Whether anything was recorded: it may have been so already.
    pub changed: bool,
    pub is_archived: bool,
    /// Where the work is done.
    #[serde(skip)]
    pub execution: Execution,
}

/// Carries out an operation on the plan of a branch.
pub fn operate(desk: &Desk, of: &str, operation: &Operation) -> Result<Operated, StoryError> {
    loop {
        let mut stories = desk.stories()?;
        let last = stories.last()?;
        let execution = plan_view::execution(&stories, Some(of))?;
        let now = desk.clock().now();
        let change = decide(operation, &execution, now)?;
        if change.is_archived == Some(false) {
            let active = stories.store().records(Listed::Active)?;
            if active.iter().any(|it| it.branch == execution.branch) {
                return Err(StoryError::Taken { branch: execution.branch });
            }
        }
        let operated = Operated {
            success: true,
            branch: execution.branch.to_string(),
            execution_id: execution.id.to_string(),
            previous_status: execution.status,
            new_status: change.status.unwrap_or(execution.status),
            changed: !change.is_nothing(),
            is_archived: change.is_archived.unwrap_or(execution.is_archived),
            execution: execution.clone(),
        };
        if !operated.changed {
            return Ok(operated);
        }
        let event = NewEvent {
            at: now,
            execution_id: execution.id,
            story_id: None,
            body: EventBody::Changed(change),
        };
        match stories.record_after(last, event) {
            Ok(_) => return Ok(operated),
            // Another record came first: the decision may no longer hold.
            Err(StoriesError::Moved { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
