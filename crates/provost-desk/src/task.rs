//! What people read of `task`, and what they order.

mod accept;
mod commands;
mod commit;
mod diff;
mod explain;
mod goal;
mod inbox;
mod list;
mod log;
mod meant;
mod next;
mod only;
mod open;
mod order;
mod place;
mod reference;
mod removal;
mod response;
mod row;
mod step_output;
mod trail;
mod view;

pub use provost_kernel::task::Seen;
pub use provost_rules_task::{
    attempts::AttemptCount,
    decision::meaning,
    moved::Decision,
    offers::{Action, FieldKind, Offer, OfferField, Tone},
    phase::{Phase, review_of},
    proven::Proof,
};

pub use self::{
    accept::Acceptable,
    commands::{addressed, map_commands},
    diff::Diff,
    explain::{Explained, Explanation, Fact, NoDecision, deciding},
    goal::{ForGoal, Repeated},
    inbox::{Inbox, Waiting},
    list::{Listed, Listing},
    log::{EventPage, LogPart, LogRole},
    next::Next,
    only::{OnlyError, Sought},
    open::{Looked, OpenTask},
    order::{Carried, Receipt, Take},
    place::{Coordinator, PlaceError, PlacedOrder, Placement},
    reference::{DimensionView, PenaltyView, RubricView, decision_rows, rubric_of},
    response::Response,
    row::{Overview, Row, Spent},
    step_output::{Printed, StepOutput, StreamName, StreamText},
    trail::{News, Trail},
    view::{AttemptView, BaseView, ChangeSize, ChangedPath, View},
};
