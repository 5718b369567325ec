//! What a run has measured, so that one that was ended can go on, and one that repeats itself
//! measures only what changed.

use std::collections::BTreeMap;

use camino::Utf8Path;
use provost_kernel::{
    Digest,
    eval::{CaseResult, CaseStatus},
};
use provost_vault::eval::Journal;
use serde::{Deserialize, Serialize};

use super::error::EvalError;

/// Results of cases by their ids.
pub type Known = BTreeMap<String, Kept>;

/// One case that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// Of the case file.
    pub case: Digest,
    pub result: CaseResult,
    /// What each run of it came to.
    pub statuses: Vec<CaseStatus>,
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

/// What an ended run measured; nothing if it was another run.
pub(super) fn read(report: &Utf8Path, key: &Digest) -> Known {
    let Some(text) = Journal::read(&Journal::of(report)) else { return Known::new() };
    let mut lines = text.lines();
    let head = lines.next().and_then(|it| serde_json::from_str::<Head>(it).ok());
    if head != Some(Head { schema: SCHEMA.to_owned(), key: *key }) {
        return Known::new();
    }
    // The last line may be half a line.
    let kept = lines.filter_map(|it| serde_json::from_str::<Kept>(it).ok());
    kept.map(|it| (it.result.id.clone(), it)).collect()
}

/// Begins the journal of a run with what is known already.
pub(super) fn begin(report: &Utf8Path, key: &Digest, known: &Known) -> Result<Journal, EvalError> {
    let mut journal = Journal::create(&Journal::of(report))?;
    let head = Head { schema: SCHEMA.to_owned(), key: *key };
    journal.append(&serde_json::to_vec(&head).unwrap_or_default())?;
    for kept in known.values() {
        add(&mut journal, kept)?;
    }
    Ok(journal)
}

/// Adds one case.
pub(super) fn add(journal: &mut Journal, kept: &Kept) -> Result<(), EvalError> {
    // Plain texts and numbers always have a JSON form.
    Ok(journal.append(&serde_json::to_vec(kept).unwrap_or_default())?)
}
