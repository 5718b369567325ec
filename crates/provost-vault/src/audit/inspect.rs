//! A look at the whole chain by somebody who has the time: an edit in the middle, which no appender
//! sees, is noted among the stored heads. From then on the chain takes no entry.

use provost_kernel::Clock;

use super::{AuditError, Head, Problem, StoredHead, Trouble, store, verifier};
use crate::{
    Disk, Layout,
    follow::{Care, Followed, Piece},
};

/// Reads the chain from its start and notes what is wrong with it. The answer is the first problem
/// that no crash explains.
pub fn mark_if_broken<D: Disk>(
    disk: &D,
    layout: &Layout,
    clock: &dyn Clock,
) -> Result<Option<Problem>, AuditError> {
    let mut links = verifier::Links::default();
    Followed::default().read(disk, &layout.audit(), Care::Whole, |piece| match piece {
        Piece::Anew => links = verifier::Links::default(),
        Piece::Lines(lines) => verifier::each(lines, |line| links.learn(line)),
    })?;
    // What a newer provost wrote is not judged here.
    let is_damage = |it: &&Problem| matches!(it.trouble, Trouble::Altered | Trouble::OutOfOrder);
    let Some(problem) = links.problems.iter().find(is_damage).cloned() else { return Ok(None) };
    let broken = Some(problem.text().to_string());
    store(disk, layout, &StoredHead::line(Head::NONE, "inspection", None, broken, clock)?)?;
    Ok(Some(problem))
}
