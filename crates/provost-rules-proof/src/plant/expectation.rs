//! Which of a test's comparisons is falsified.

use tree_sitter::Node;

use super::{Refusal, edit::Edit};

/// How surely a statement of a test is reached, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// Each time that the test runs.
    Always,
    /// In a branch, a loop or a closure.
    Perhaps,
}

/// A comparison with a literal.
#[derive(Debug)]
pub(super) struct Comparison<'t> {
    pub(super) reach: Reach,
    /// Makes the literal another.
    pub(super) falsified: Edit,
    /// What compares.
    pub(super) node: Node<'t>,
}

/// The comparison that is falsified: the first that is reached each time, else the first.
pub(super) fn choose(comparisons: Vec<Comparison<'_>>) -> Result<Comparison<'_>, Refusal> {
    comparisons.into_iter().min_by_key(|it| it.reach).ok_or(Refusal::NoLiteral)
}
