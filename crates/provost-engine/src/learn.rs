//! Learning guidance from labelled cases: tickets in, questions to a model, rules under a gate.
//!
//! Everything that is judged on the way is judged in `provost-rules`; here it is gathered, asked
//! and written down, in an order in which a crash costs no more than the calls under way.

mod accounts;
mod adopt;
mod ask;
mod calls;
mod close;
mod error;
mod force;
mod gate;
mod identity;
mod init;
mod inspect;
mod ledger;
mod line;
mod measure;
mod mission_dir;
mod port;
mod prepare;
mod progress;
mod reflect;
mod refusal;
mod report;
pub mod reviews;
mod rollout;
mod run;
mod season;
mod setup;
mod ticket_index;
mod trace;
mod write;

use self::run::Run;
pub use self::{
    accounts::Life,
    adopt::{AdoptionView, CaseView, LedgerStatus},
    ask::{Asked, AskedFor, Asking},
    error::LearnError,
    force::{GuidanceStore, RolledBack},
    identity::Part,
    init::{InitOrder, Initialised, init},
    inspect::{
        EpochStatus, InForce, MissionStatus, QueueRow, RuleList, RuleRow, RunState, RunStatus,
        Worker, WrittenBy,
    },
    mission_dir::MissionDir,
    port::Missions,
    prepare::{Order, Prepared, read_mission},
    progress::{Progress, Watch},
    refusal::Refusal,
    report::{EpochReport, GateReport, HypothesisCounts, MeasuredOn, Report, RuleReport, Stop},
    run::run,
    setup::{Instructions, Setup},
    ticket_index::{Entry, IngestReject, TicketIndex},
    trace::{Flip, GateTrace, GuidanceDiff, ReflectionTrace, RuleChange, RuleTrace},
};
