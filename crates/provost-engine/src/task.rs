//! The use cases of `task`: run it in attempts, and check that it is sound.

mod attempt;
pub mod calibration;
mod progress;
pub mod rehearsal;
mod run;
mod salvage;
pub mod selfcheck;

pub use self::{
    progress::{Progress, Step, Update},
    run::{Report, Start, run},
    salvage::salvage,
};
