//! The use cases of `story`: a plan is started, files are declared, and an agent's word is held
//! against what provost finds when it looks for itself.
//!
//! A look is taken from outside the agent's repository, and what proves something runs on a clean
//! checkout of exactly what the agent delivered. What happened is in the claims log, synced, before
//! anybody is told.

pub(crate) mod attempt;
mod bench;
mod board;
mod declare;
mod error;
mod find;
mod gather;
mod home;
mod import;
mod look;
mod operate;
mod page;
mod read;
mod record;
mod resource;
mod start;
mod trail;
mod update;
mod upkeep;
mod verify;
mod waive;

pub use provost_rules_story::{operation, tool};

pub use self::{
    board::{Board, BoardFilter, BoardRow, board},
    declare::{Declaring, declare},
    error::StoryError,
    find::find,
    import::{TakeInError, reindex, take_in},
    operate::{Operated, operate},
    page::{PlanPage, StoryView, next_prompt, plan_page, story_page, story_prompt},
    read::{Overview, StatusOfExecution, StatusOfStory, StoryPage, get, prompt, status},
    record::{Answer, codes, next},
    resource::{
        KeptOutput, OutputName, Readable, ReadableStory, newest_outputs, output, plan_file,
        readable,
    },
    start::{Dependencies, Starting, start},
    update::{unreadable, update},
    upkeep::sweep,
    verify::verify,
    waive::{WaiveError, Waiving, waive},
};
