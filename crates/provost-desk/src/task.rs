//! What people read of `task`, and what they order.

mod accept;
mod checks;
mod count;
mod diff;
mod explain;
mod goal;
mod inbox;
mod list;
mod meant;
mod next;
mod only;
mod open;
mod order;
mod removal;
mod response;
mod row;
mod step_output;
mod trail;
mod view;

pub use provost_rules_task::decision::meaning;

pub use self::{
    accept::Acceptable,
    checks::Proof,
    count::AttemptCount,
    diff::Diff,
    explain::{Explained, Explanation, Fact, NoDecision, deciding},
    goal::{ForGoal, Repeated},
    inbox::{Inbox, Waiting},
    list::{Listed, Listing},
    next::{Next, review_of},
    only::{OnlyError, Sought},
    open::{Looked, OpenTask},
    order::{Carried, Receipt, Take},
    response::Response,
    row::{Overview, Phase, Row, Spent},
    step_output::{Printed, StepOutput, StreamName, StreamText},
    trail::{News, Trail},
    view::{AttemptView, BaseView, ChangeSize, ChangedPath, View},
};
