//! The table of routes, a file for each capability. The router and the `OpenAPI` document come from it.

mod about;
mod audit;
mod creation;
mod detail;
mod evals;
mod guard;
mod learn;
mod live;
mod log;
mod once;
mod order;
mod original;
mod person;
mod reference;
mod start;
mod stories;
mod task;

use crate::route::Route;

/// Every file of rows; a new one is one more line.
const ALL: &[&[Route]] = &[
    about::ROUTES,
    task::ROUTES,
    detail::ROUTES,
    creation::ROUTES,
    order::ROUTES,
    log::ROUTES,
    reference::ROUTES,
    original::ROUTES,
    live::ROUTES,
    stories::ROUTES,
    evals::ROUTES,
    learn::ROUTES,
    guard::ROUTES,
    audit::ROUTES,
];

/// Every row.
pub(crate) fn all() -> impl Iterator<Item = &'static Route> + Clone {
    ALL.iter().copied().flatten()
}
