//! What a run has measured, so that one that was ended can go on, and one that repeats itself
//! measures only what changed. Both are read one case at a time.

use std::{collections::BTreeMap, ops::Range};

use camino::Utf8Path;
use provost_kernel::{
    Digest,
    eval::{CaseResult, CaseStatus},
};
use provost_vault::eval::{Journal, Spill, Wanted};
use serde::{Deserialize, Serialize};

use super::error::EvalError;

/// One case that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MeasuredCase {
    /// Of the case file.
    pub(super) case: Digest,
    pub(super) result: CaseResult,
    /// What each run of it came to.
    pub(super) statuses: Vec<CaseStatus>,
}

/// The first line of a journal.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    schema: String,
    /// Over everything that results depend on besides the cases.
    key: Digest,
}

const SCHEMA: &str = "provost.eval.journal/1";

/// What earlier runs measured, for one that runs again: on the disk, but for where it is.
#[derive(Debug)]
pub struct Known {
    spill: Spill,
    places: BTreeMap<String, (Digest, Range<u64>)>,
}

impl Known {
    /// Nothing is known. What will be lies beside the report.
    pub fn new(report: &Utf8Path) -> Self {
        let folder = report.parent().unwrap_or(Utf8Path::new("."));
        Self { spill: Spill::new(folder), places: BTreeMap::new() }
    }

    /// What is known of a case whose file has this digest.
    pub(super) fn get(&self, id: &str, case: &Digest) -> Option<MeasuredCase> {
        let (known, place) = self.places.get(id)?;
        let bytes = (known == case).then(|| self.spill.read(place).ok()).flatten()?;
        serde_json::from_slice(&bytes).ok()
    }

    pub(super) fn put(&mut self, kept: &MeasuredCase) -> Result<(), EvalError> {
        let place = self.spill.append(&serde_json::to_vec(kept).unwrap_or_default())?;
        self.places.insert(kept.result.id.clone(), (kept.case, place));
        Ok(())
    }
}

/// Reads the journal of a run that was ended, case by case, and says how much of it can be kept.
/// Nothing can if it was another run.
pub(super) fn read(report: &Utf8Path, key: &Digest, mut take: impl FnMut(MeasuredCase)) -> u64 {
    let mut is_ours = false;
    Journal::read(&Journal::of(report), |line| {
        if is_ours {
            if let Ok(kept) = serde_json::from_str::<MeasuredCase>(line) {
                take(kept);
            }
            return Wanted::More;
        }
        let head = serde_json::from_str::<Head>(line).ok();
        is_ours = head == Some(Head { schema: SCHEMA.to_owned(), key: *key });
        if is_ours { Wanted::More } else { Wanted::Enough }
    })
}

/// Opens the journal of a run after what is kept of it.
pub(super) fn begin(report: &Utf8Path, key: &Digest, kept: u64) -> Result<Journal, EvalError> {
    let mut journal = Journal::go_on(&Journal::of(report), kept)?;
    if kept == 0 {
        let head = Head { schema: SCHEMA.to_owned(), key: *key };
        journal.append(&serde_json::to_vec(&head).unwrap_or_default())?;
    }
    Ok(journal)
}

/// Adds one case.
pub(super) fn add(journal: &mut Journal, kept: &MeasuredCase) -> Result<(), EvalError> {
    // Plain texts and numbers always have a JSON form.
    Ok(journal.append(&serde_json::to_vec(kept).unwrap_or_default())?)
}
