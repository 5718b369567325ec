//! The use cases of `story`: plans are started, files are declared, and an agent's claims are
//! reproduced.
//!
//! Snapshots are taken from outside the agent's repository, and proofs run on a clean checkout of
//! exactly what the agent delivered. Every event is in the claims log, synced, before it is reported.

pub(crate) mod attempt;
mod declare;
mod error;
mod find;
mod freshness;
mod gather;
mod home;
mod import;
mod measure;
mod operate;
mod plan_view;
mod port;
mod proof_runner;
mod read;
mod rebase;
mod record;
mod resource;
mod start;
mod status_report;
mod trail;
mod update;
mod upkeep;
mod verify;
mod waive;
mod worktree_snapshot;

pub use provost_desk::story::{Waiver, Waiving};
pub use provost_rules_story::{operation, tool};

pub use self::{
    declare::{Declaring, declare},
    error::StoryError,
    find::find,
    freshness::Freshness,
    import::{TakeInError, reindex, take_in},
    operate::{Operated, operate},
    plan_view::{
        PlanView, StoryView, execution_of, next_prompt, plan_view, story_prompt, story_view,
    },
    read::{Overview, StatusOfExecution, StatusOfStory, StoryPage, get, prompt, status},
    rebase::{RebaseError, Rebasing, rebase},
    record::{Answer, codes, next},
    resource::{
        KeptOutput, OutputName, Readable, ReadableStory, newest_outputs, output, output_tail,
        plan_file, readable,
    },
    start::{Dependencies, Starting, start},
    status_report::{StatusFilter, StatusPage, StatusReport, StatusRow, status_report},
    update::{note, unreadable, update},
    upkeep::sweep,
    verify::verify,
    waive::{WaiveError, waive},
};
