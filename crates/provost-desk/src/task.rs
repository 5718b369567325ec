//! What people read of `task`, and what they order.

mod explain;
mod inbox;
mod list;
mod meaning;
mod next;
mod open;
mod order;
mod trail;
mod view;

pub use self::{
    explain::{Explained, Explanation, Fact, NoDecision, deciding},
    inbox::{Inbox, Waiting},
    list::{Listed, Listing},
    meaning::meaning,
    next::{Next, review_of},
    open::{Looked, OpenTask},
    order::{Carried, Receipt, Take},
    trail::{News, Trail},
    view::{AttemptView, View},
};
