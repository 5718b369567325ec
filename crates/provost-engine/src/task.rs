//! The use cases of `task`: run it in attempts, and check that it is sound.

mod again;
mod attempt;
mod bench;
pub mod calibration;
mod changes;
mod costs;
mod create;
mod detect;
mod edit;
mod fill;
mod finish;
mod inspection;
mod land;
mod orders;
mod preflight;
mod progress;
mod publish;
pub mod regress;
pub mod rehearsal;
mod removal;
mod run;
mod salvage;
pub mod selfcheck;
mod settle;
mod setup;
mod story;
mod trial;
mod verify;

pub use self::{
    changes::{TakenChanges, take_changes},
    create::{NewTask, check_new, check_spec, enqueue},
    detect::detect,
    edit::check_changes,
    land::{Consent, LandOutcome, LandReport, LandRequest, destination, land, undo},
    progress::{Progress, ProofCommand, ProofTree, Step, Update},
    removal::remove,
    run::{Report, Start, run},
    salvage::salvage,
    setup::{
        ProjectSetupError, RemovalPlan, SetupPlan, carry_out_removal, carry_out_setup,
        plan_removal, plan_setup,
    },
    trial::{TestCounts, Trial, TrialPhase, TrialRun, TrialStep, TrialTest, TrialUpdate, try_out},
    verify::{
        VerifyCheck, VerifyFinding, VerifyReport, VerifyRequest, VerifyTarget, VerifyUpdate,
        resolve, verify,
    },
};
