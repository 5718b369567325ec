//! The use cases of `story`: a plan is started, files are declared, and an agent's word is held
//! against what provost finds when it looks for itself.
//!
//! A look is taken from outside the agent's repository, and what proves something runs on a clean
//! checkout of exactly what the agent delivered. What happened is in the claims log, synced, before
//! anybody is told.

mod bench;
mod declare;
mod error;
mod find;
mod gather;
mod look;
mod read;
mod record;
mod start;
mod update;
mod verify;

pub use self::{
    declare::{Declaring, declare},
    error::StoryError,
    find::find,
    read::{Overview, StatusOfExecution, StatusOfStory, StoryPage, get, prompt, status},
    record::Answer,
    start::{Dependencies, Starting, start},
    update::update,
    verify::verify,
};
