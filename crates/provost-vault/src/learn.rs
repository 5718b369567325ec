//! The files of `learn`: a folder for each mission, and one in it for each run.
//!
//! A run is made again from its answers, so its logs are held against what is there already and
//! then go on ([`Verified`]). Only one process writes a run; anybody may look at it ([`RunView`]).
//! A run may also lie where a person wants it, with the same files.

mod accounts;
mod adoption;
mod current;
mod error;
mod file;
mod mission;
mod run;
mod verified;
mod view;

pub use self::{
    accounts::{AccountLog, AccountLogError, read_accounts},
    adoption::{Adoption, adoption, subject, summary},
    current::{CurrentFileError, read_current, write_current},
    error::ArtifactError,
    file::{ArtifactFile, DocumentFile, MissionLog},
    mission::MissionFolder,
    run::RunFolder,
    verified::Verified,
    view::RunView,
};
