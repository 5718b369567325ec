//! What a person can do about a task: as commands to type, and as orders with their fields.

use provost_kernel::{
    Text,
    task::{Status, TaskSpec},
};
use provost_rules_task::offers::{self, Circumstances, Offer, Proposal};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Acceptable, Response};
use crate::{Desk, DeskError};

/// A command, and what it is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Next {
    pub command: String,
    pub why: Text,
}

impl Desk {
    /// What a person can do about a task, what is most likely wanted first.
    pub fn next(&self, status: &Status) -> Result<Vec<Next>, DeskError> {
        Ok(next(&self.proposals(status)?))
    }

    /// Every order that a task takes now, what is most likely wanted first (LOOP-B11).
    pub fn offers(&self, status: &Status) -> Result<Vec<Offer>, DeskError> {
        Ok(offers::offers(self.proposals(status)?))
    }

    pub(crate) fn proposals(&self, status: &Status) -> Result<Vec<Proposal>, DeskError> {
        let spec = self.spec(&status.task_id).ok().map(|it| it.value);
        self.proposals_of(status, spec.as_ref(), &self.response(status)?)
    }

    /// The same, for a caller that has read the spec and what a person did about a pause.
    pub(crate) fn proposals_of(
        &self,
        status: &Status,
        spec: Option<&TaskSpec>,
        response: &Response,
    ) -> Result<Vec<Proposal>, DeskError> {
        let Acceptable { digest, findings, .. } = self.acceptable_of(status)?;
        let findings: Vec<String> = findings.into_keys().collect();
        let newest = self.files(&status.task_id).overrides()?.last().map_or(0, |it| it.version);
        let known = Circumstances {
            is_branchless: spec.is_some_and(is_branchless),
            allowed: spec.map(|it| it.allowed_paths.as_slice()),
            forbidden: spec.map(|it| it.forbidden_globs.as_slice()),
            is_test_red: self.is_test_red(status)?,
            is_answered: response.is_answered(),
            edited: &response.edited,
            n_overrides: newest,
            acceptable: &findings,
            digest,
        };
        Ok(offers::proposals(status, &known))
    }
}

/// The commands that are said without being asked for.
pub(crate) fn next(proposals: &[Proposal]) -> Vec<Next> {
    let told = proposals.iter().filter(|it| it.is_told);
    told.map(|it| Next { command: it.command.clone(), why: it.why.clone() }).collect()
}

/// Whether a task was started on a commit, with no branch checked out.
fn is_branchless(spec: &TaskSpec) -> bool {
    spec.target_branch.is_none() && spec.base_commit().is_some()
}
