//! What was found out, and need not be found out again; and what no longer counts.

use std::collections::BTreeMap;

use provost_kernel::story::{BaseRun, CriterionId, GateRun, KeptEvidence, StoryOutcome, TreeId};
use rusqlite::params;

use super::{Fold, filled, gate_key};
use crate::{
    StoreError,
    error::Context,
    row::{self, text},
};

impl Fold<'_> {
    /// Writes what ran and need not run again.
    pub(super) fn put_runs(&self, outcome: &StoryOutcome) -> rusqlite::Result<()> {
        self.put_gates(&outcome.gates)?;
        self.put_bases(&outcome.bases)
    }

    pub(super) fn put_bases(&self, bases: &[BaseRun]) -> rusqlite::Result<()> {
        let mut insert = self.transaction.prepare_cached(
            "INSERT OR REPLACE INTO base_runs (key, record, seq) VALUES (?1, ?2, ?3)",
        )?;
        for run in bases {
            insert.execute(params![run.key.to_string(), text(run)?, self.seq])?;
        }
        Ok(())
    }

    fn put_gates(&self, gates: &[GateRun]) -> rusqlite::Result<()> {
        let mut insert = self.transaction.prepare_cached(
            "INSERT OR REPLACE INTO gate_runs (tree, gate, commandDigest, record, seq)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for run in gates {
            let (gate, command) = gate_key(run);
            insert.execute(params![run.result.tree.0, gate, command, text(run)?, self.seq])?;
        }
        Ok(())
    }

    /// Leaves every result without the tree on which it was found out: it holds nowhere until it is found
    /// out again.
    pub(super) fn forget_trees(&self, context: &Context) -> Result<(), StoreError> {
        let fail = |it| context.fail(it);
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let found: Vec<(String, Option<String>)> = self
            .transaction
            .prepare_cached("SELECT storyId, evidence FROM user_stories WHERE executionId = ?1")
            .and_then(|mut it| {
                it.query_map([self.execution_id.as_str()], read).and_then(Iterator::collect)
            })
            .map_err(fail)?;
        for (story, evidence) in found {
            let Some(evidence) = evidence.filter(|it| !it.is_empty()) else { continue };
            let mut evidence: BTreeMap<CriterionId, KeptEvidence> = row::parse(&evidence, context)?;
            for it in evidence.values_mut().filter_map(|it| it.result.as_mut()) {
                it.tree = TreeId::forgotten();
            }
            let update = "UPDATE user_stories SET evidence = ?3
                 WHERE executionId = ?1 AND storyId = ?2";
            let values =
                params![self.execution_id.as_str(), story, filled(&evidence).map_err(fail)?];
            self.transaction.execute(update, values).map_err(fail)?;
        }
        Ok(())
    }
}
