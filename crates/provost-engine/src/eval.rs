//! The use cases of `eval`: cases are read, an engine is asked, its answers are judged, and a report
//! is written.
//!
//! Cases are independent: they run side by side, one that goes wrong never ends the others, and the
//! report is the same whatever the order was. Of a case only what the report needs is kept, and that
//! on the disk: memory does not grow with the number of cases.

mod answer;
mod cases;
mod chat;
mod command;
mod error;
mod fault;
mod generator;
mod journal;
mod judge;
mod lines;
mod others;
mod outputs;
mod parts;
mod recording;
mod results;
mod run;
mod template;
mod work_queue;

pub use self::{
    cases::{Listed, Listing, Shard, ShardError, Sources, find_files, find_root, list},
    chat::{ChatOrder, ChatPlan, Reach},
    command::{CommandMode, CommandPlan},
    error::EvalError,
    generator::{Generator, GeneratorError},
    journal::Known,
    judge::{JudgeOrder, JudgePlan},
    others::Others,
    outputs::{read_report, write_report},
    results::Results,
    run::{Engine, Plan, Ran, forget, run},
    work_queue::Watcher,
};
