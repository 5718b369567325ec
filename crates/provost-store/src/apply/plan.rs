//! What the plan says of a story: its criteria, and the tests that may change.

use provost_kernel::story::{ProofNeed, Story};
use rusqlite::params;

use super::Fold;

impl Fold<'_> {
    pub(super) fn put_leave(&self, story: &Story) -> rusqlite::Result<()> {
        let (execution, id) = (self.execution_id.as_str(), story.id.as_str());
        self.transaction
            .prepare_cached("DELETE FROM test_leave WHERE executionId = ?1 AND storyId = ?2")?
            .execute([execution, id])?;
        let mut insert = self.transaction.prepare_cached(
            "INSERT INTO test_leave (executionId, storyId, ordinal, path) VALUES (?1, ?2, ?3, ?4)",
        )?;
        for (ordinal, path) in (1_u32..).zip(&story.tests_may_change) {
            insert.execute(params![execution, id, ordinal, path])?;
        }
        Ok(())
    }

    pub(super) fn put_criteria(&self, story: &Story) -> rusqlite::Result<()> {
        let (execution, id) = (self.execution_id.as_str(), story.id.as_str());
        self.transaction
            .prepare_cached(
                "DELETE FROM acceptance_criteria WHERE executionId = ?1 AND storyId = ?2",
            )?
            .execute([execution, id])?;
        let mut insert = self.transaction.prepare_cached(
            "INSERT OR REPLACE INTO acceptance_criteria
                 (executionId, storyId, ordinal, text, digest, verify, need)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        for it in &story.criteria {
            let (digest, need) = (it.digest.to_string(), it.need.map(ProofNeed::as_str));
            insert.execute(params![
                execution,
                id,
                it.id.get(),
                it.text,
                digest,
                it.verify,
                need
            ])?;
        }
        Ok(())
    }
}
