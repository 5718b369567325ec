//! Where the result of a task was put: which branch, by which commit, and whether it was taken back.
//!
//! A branch moves between two writes of the state: first the state says which commit the branch is
//! about to get, then the branch moves, then the state says that it has. A process that finds the
//! first without the last knows by the commit what became of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Status;
use crate::{Actor, Timestamp, words::words};

words! {
    /// How a result comes onto a branch (`[land] method`).
    #[derive(Default)]
    pub enum LandMethod {
        /// One commit on the branch.
        #[default]
        Squash = "squash",
        /// A merge of the branch with the attempt.
        Merge = "merge",
        /// The commit of the attempt, put onto the branch with the time at which it was made.
        Rebase = "rebase",
    }
}

/// A result that was put onto a branch, or is about to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Landing {
    /// The attempt whose result it is.
    pub attempt: u16,
    pub branch: String,
    pub method: LandMethod,
    /// How the branch came to have it.
    pub put: BranchMove,
    /// How it was taken back, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone: Option<BranchMove>,
}

/// One step of a branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BranchMove {
    /// The new tip.
    pub commit: String,
    /// The tip before; none where the branch is new.
    #[serde(default)]
    pub before: Option<String>,
    pub actor: Actor,
    pub ordered_at: Timestamp,
    /// When it was known that the branch has moved; none until then.
    #[serde(default)]
    pub at: Option<Timestamp>,
}

/// Where a result lies, in a few words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LandedOn {
    pub branch: String,
    pub commit: String,
}

impl Landing {
    /// Whether the branch has the result now.
    pub fn is_there(&self) -> bool {
        self.put.at.is_some() && !self.is_taken_back()
    }

    /// Whether it was put there and taken back.
    pub fn is_taken_back(&self) -> bool {
        self.undone.as_ref().is_some_and(|it| it.at.is_some())
    }

    /// The move that was ordered and of which it is not known yet whether it happened.
    pub fn pending(&self) -> Option<&BranchMove> {
        let newest = self.undone.as_ref().unwrap_or(&self.put);
        Some(newest).filter(|it| it.at.is_none())
    }
}

impl LandedOn {
    /// Where the newest result of a task lies; none where it has not landed.
    pub fn of(status: &Status) -> Option<Self> {
        let landing = status.landed.as_ref()?;
        let is_newest = landing.attempt == status.current_attempt;
        (is_newest && landing.is_there())
            .then(|| Self { branch: landing.branch.clone(), commit: landing.put.commit.clone() })
    }

    /// The commit as people write it.
    pub fn short(&self) -> &str {
        short(&self.commit)
    }
}

/// The first digits of a commit.
pub fn short(commit: &str) -> &str {
    commit.get(..7).unwrap_or(commit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    #[test]
    fn a_landing_is_there_between_its_two_moves() {
        let step = |at: Option<Timestamp>| BranchMove {
            commit: "c0ffee00".to_owned(),
            before: None,
            actor: Actor { source: Source::Cli, id: "ann".to_owned() },
            ordered_at: Timestamp::EPOCH,
            at,
        };
        let done = Some(Timestamp::EPOCH);
        // How far the first move is, how far the second; is it there, is a move pending.
        for (put, undone, is_there, is_pending) in [
            (None, None, false, true),
            (done, None, true, false),
            (done, Some(None), true, true),
            (done, Some(done), false, false),
        ] {
            let landing = Landing {
                attempt: 1,
                branch: "main".to_owned(),
                method: LandMethod::Squash,
                put: step(put),
                undone: undone.map(step),
            };
            assert_eq!(landing.is_there(), is_there, "{landing:?}");
            assert_eq!(landing.pending().is_some(), is_pending, "{landing:?}");
        }
    }
}
