//! What a run is given.

use provost_adapter::{Cancel, model::ModelPool};
use provost_kernel::{Digest, learn::Mission};
use provost_rules_learn::guidance::Seed;

use super::{TicketIndex, progress::Watch};

/// The inputs of a run and its observer.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    pub mission: &'a Mission,
    pub instructions: &'a Instructions,
    /// The scaffold, and the rules that the run begins with.
    pub seed: &'a Seed,
    pub ticket_index: &'a TicketIndex,
    pub pool: &'a ModelPool,
    pub cancel: &'a Cancel,
    pub watch: &'a Watch<'a>,
}

/// A person's own instructions for the two passes of reflection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instructions {
    pub decision: Option<String>,
    pub ops: Option<String>,
}

/// What fences evidence. A writer of tickets cannot know it, because every ticket is in it;
/// caps and epochs are not, so that answers serve a run with others as well.
pub(super) fn nonce(setup: &Setup<'_>) -> String {
    let Setup { mission, seed, ticket_index, .. } = setup;
    let parts = format!("{}:{}:{}", mission.seed, ticket_index.digest(), seed.scaffold.digest());
    Digest::of_bytes(parts.as_bytes()).to_string()[..16].to_owned()
}
