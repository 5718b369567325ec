//! The evidence of a change, as a judge gets it.

mod arrange;
mod class;
mod name;
mod order;
mod patch;

pub use self::{
    arrange::{Arrangement, Cut, ListedFile, arrange},
    class::Class,
    name::file_name,
    order::{Section, by_risk},
};
