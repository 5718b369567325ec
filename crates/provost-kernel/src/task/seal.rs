//! How far a result is proven, fact by fact, and where a task stands on a board.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Text, Timestamp, words::words};

words! {
    /// What is found out about every result, in this order.
    pub enum SealFact {
        /// The files that were changed may be changed.
        Paths = "paths",
        /// Nothing that was delivered carries a secret.
        Secrets = "secrets",
        /// What the test and the other checks say.
        Tests = "tests",
        /// What the agent claims of a plan.
        Claims = "claims",
        /// What a judge says.
        Judge = "judge",
        /// What a person says.
        Review = "review",
    }
}

words! {
    /// How far a fact is found out. Only `verified` is a proof.
    pub enum SealStanding {
        /// provost ran it, and it holds.
        Verified = "verified",
        /// provost ran it, and it does not hold.
        Contradicted = "contradicted",
        NotVerified = "not_verified",
        /// It is being run.
        Running = "running",
        /// The task does not ask for it.
        NotAsked = "not_asked",
        /// It held for another tree, or for what the task asked for before it was edited.
        Stale = "stale",
        /// A person does without it.
        Waived = "waived",
    }
}

/// One fact of a result, and how far it is found out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Seal {
    pub fact: SealFact,
    pub standing: SealStanding,
    /// How it came out, in a few words.
    pub detail: Option<Text>,
}

words! {
    /// What a task that runs is busy with.
    pub enum RunStep {
        Prepare = "prepare",
        /// The test runs on the base.
        Base = "base",
        Coder = "coder",
        Policy = "policy",
        Test = "test",
        /// What the green test proves is found out.
        Proof = "proof",
        Claims = "claims",
        Judge = "judge",
        Landing = "landing",
    }
}

/// The step that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Running {
    pub step: RunStep,
    pub since: Timestamp,
    /// How long it may take; none where it has no limit of its own.
    pub limit_seconds: Option<u32>,
}

words! {
    /// Where a task stands on a board.
    pub enum TaskGroup {
        /// It waits for a person.
        Waits = "waits",
        Runs = "runs",
        /// A person took its result, and everything that was asked for is verified.
        Proven = "proven",
        /// A person took its result, and something is left that was not shown.
        Unproven = "unproven",
        Closed = "closed",
    }
}
