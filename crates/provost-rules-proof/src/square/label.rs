//! How strong the proof of a test is.

use provost_kernel::task::{ProofEffect, ProofFinding, ProofLabel};

use super::Square;
use crate::record::TestName;

/// The label of a green result with these findings.
pub fn label(square: &Square, findings: &[ProofFinding]) -> ProofLabel {
    let worst = findings.iter().map(|it| it.code.effect()).max();
    match worst {
        Some(ProofEffect::Hollow) => return ProofLabel::Hollow,
        Some(ProofEffect::NotProven) => return ProofLabel::Contradicted,
        Some(ProofEffect::Notice) | None => {}
    }
    // With the tests of the base alone: only the product can have made them green.
    let by_old_tests = square.old_tests.as_ref().unwrap_or(&square.result);
    let was_red = !square.is_new() && failed(square);
    if was_red && by_old_tests.is_green() {
        return ProofLabel::Proven;
    }
    if is_red_without_work(square) { ProofLabel::Shown } else { ProofLabel::Holds }
}

/// Whether the delivered tests, or a command that needs none, fail on the product of the base.
fn is_red_without_work(square: &Square) -> bool {
    match &square.old_product {
        Some(old) => !old.is_green(),
        // Nothing that belongs to the tests came with the work: the command itself is what is new.
        None => square.is_new() && !square.base.is_green(),
    }
}

/// Whether the base was red because a test failed, or could not be loaded without the work.
fn failed(square: &Square) -> bool {
    // A test that may change has no say: another one may stand in its place.
    let is_left = |it: &TestName| {
        !square.left.is_empty() && (square.left.contains(&it.place) || !it.place.contains('.'))
    };
    let is_red = !square.base.is_green() && square.flaky.is_empty() && square.left.is_empty();
    is_red || square.base.failures(&square.flaky).any(|it| !is_left(it))
}
