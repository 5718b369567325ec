//! The page's own words: labels, titles, sentences that belong to no answer of the desk.
//!
//! `web/i18n.js` finds them as `page.…`; nothing in this program names them.

mod audit;
mod evals;
mod guard;
mod keymap;
mod learn;
mod list;
mod new;
mod order;
mod shell;
mod standing;
mod stories;
mod task;
