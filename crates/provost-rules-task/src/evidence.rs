//! The evidence of a change, as a judge gets it.

mod arrange;
mod class;
mod hunks;
mod mode;
mod name;
mod order;
mod patch;

pub use self::{
    arrange::{Arrangement, Cut, ListedFile, arrange},
    class::Class,
    hunks::{DiffLine, FileDiff, Hunk, LineKind, hunks},
    mode::mode,
    name::file_name,
    order::{Section, by_risk, by_risk_complete},
};
