//! Learning guidance from labelled cases: tickets in, questions to a model, rules under a gate.
//!
//! Everything that is judged on the way is judged in `provost-rules`; here it is gathered, asked
//! and written down, in an order in which a crash costs no more than the calls under way.

mod calls;
mod error;
mod force;
mod identity;
mod ledger;
mod line;
mod look;
mod measure;
mod prepare;
mod reflect;
mod refusal;
mod report;
pub mod reviews;
mod rollout;
mod run;
mod shelf;
mod site;
mod write;

use self::run::Run;
pub use self::{
    error::LearnError,
    force::{Office, RolledBack},
    identity::Part,
    look::{
        EpochStatus, InForce, MissionStatus, QueueRow, RuleList, RuleRow, RunState, RunStatus,
        Worker, WrittenBy,
    },
    prepare::{Bound, Order, Prepared, read_mission},
    refusal::Refusal,
    report::{EpochReport, GateReport, HypothesisCounts, MeasuredOn, Report, RuleReport, Stop},
    run::{Instructions, Progress, Setup, Watch, run},
    shelf::{Entry, IngestReject, Shelf},
    site::Site,
};
