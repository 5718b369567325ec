//! The bank of evidence: which rules may take effect, decided by labels that are younger than they.
//!
//! A proposed rule becomes a shadow with a stake and bets on every label that counts for it. It is
//! in force when its stake times its e-value reaches `1 / alpha`, or because a person adopted it.
//! Everything here is a pure function of labels and votes; the caller asks the judge.

pub mod arrange;
pub mod book;
pub mod e_value;
pub mod effect;
pub mod event;
pub mod fresh;
pub mod harm;
pub mod interval;
pub mod ledger;
pub mod payoff;
pub mod policy;
pub mod procedure;
pub mod screen;
pub mod standing;
pub mod summary;

mod account;
mod bank;

pub use self::{account::Account, book::Book, event::Entry, policy::Policy};
