//! What the rules say of a change: which files, and whether they carry secrets.
//!
//! Both are found out in one inspection. A record names one check for it, so that what it found says
//! which of the two it is about.

use provost_kernel::{
    Finding, Message as _,
    task::{Checked, ErrorClass, SealStanding, Standing},
};

use super::{Attempted, Found, SealNote, find, of_check, worst};
use crate::{accept, proven::PATHS};

/// A check of its own, where a branch is verified.
const SECRETS: &str = "secrets";
/// Files that programs obey.
const AGENT_CONFIG: &str = "agent config";
/// How many findings are named.
const NAMED: usize = 3;

/// The findings of an inspection.
const OF_SECRETS: &str = "task.policy.secrets";
const UNSCANNED: &str = "task.policy.unscanned";
const OF_POLICY: &str = "task.policy.";

pub(super) fn paths(attempted: &Attempted<'_>, checks: &[Checked]) -> Found {
    let Some(check) = find(checks, PATHS) else { return unread(attempted) };
    let found = if check.standing == Standing::Failed && !is_about_paths(attempted) {
        (SealStanding::Verified, Some(SealNote::NoneForbidden.text()))
    } else {
        of_check(check)
    };
    worst(found, find(checks, AGENT_CONFIG).into_iter().map(of_check))
}

pub(super) fn secrets(attempted: &Attempted<'_>, checks: &[Checked]) -> Found {
    if let Some(check) = find(checks, SECRETS) {
        return of_check(check);
    }
    let nothing = (SealStanding::NotVerified, None);
    let Some(check) = find(checks, PATHS) else { return nothing };
    // Without a file that a person decides on, nothing was changed, and nothing scanned.
    let is_asked = |it: &Finding| accept::settles(&it.rule) == Some(PATHS);
    if check.standing == Standing::NotVerified && !findings(attempted).any(is_asked) {
        return (SealStanding::NotVerified, Some(check.detail.clone()));
    }
    let of_rule = |rule: &str| -> Vec<String> {
        let found = findings(attempted).filter(|it| it.rule == rule);
        found.map(|it| it.subject.clone()).take(NAMED).collect()
    };
    let subjects = of_rule(OF_SECRETS);
    let is_secret = class(attempted) == Some(ErrorClass::Secrets);
    if !subjects.is_empty() {
        return (SealStanding::Contradicted, Some(SealNote::Secrets { subjects }.text()));
    }
    let subjects = of_rule(UNSCANNED);
    if !subjects.is_empty() {
        return (SealStanding::NotVerified, Some(SealNote::Unscanned { subjects }.text()));
    }
    if is_secret {
        return of_check(check);
    }
    (SealStanding::Verified, Some(SealNote::NoSecrets.text()))
}

/// Where the change itself could not be read, no check was made, and nothing of it was allowed.
fn unread(attempted: &Attempted<'_>) -> Found {
    match class(attempted) {
        Some(ErrorClass::AllowedPaths | ErrorClass::ForbiddenGlobs) => {
            (SealStanding::Contradicted, Some(SealNote::Unreadable.text()))
        }
        _ => (SealStanding::NotVerified, None),
    }
}

/// Whether a refusal is about the files, and not about secrets alone.
fn is_about_paths(attempted: &Attempted<'_>) -> bool {
    let is_other = |it: &Finding| {
        it.rule.starts_with(OF_POLICY) && it.rule != OF_SECRETS && it.rule != UNSCANNED
    };
    class(attempted) != Some(ErrorClass::Secrets) || findings(attempted).any(is_other)
}

fn class(attempted: &Attempted<'_>) -> Option<ErrorClass> {
    attempted.decision.map(|it| it.facts.error_class)
}

fn findings<'a>(attempted: &Attempted<'a>) -> impl Iterator<Item = &'a Finding> {
    attempted.decision.into_iter().flat_map(|it| &it.findings)
}
