//! Which of a test's comparisons is falsified.

use std::ops::ControlFlow;

use tree_sitter::Node;

use super::{Refusal, edit::Edit, tree::visit};

/// How surely a statement of a test is reached, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// Each time that the test runs.
    Always,
    /// In a branch, a loop or a closure.
    Perhaps,
}

/// A comparison of a test.
#[derive(Debug)]
pub(super) struct Comparison<'t> {
    pub(super) reach: Reach,
    /// Makes what is expected another.
    pub(super) falsified: Falsified,
    /// What compares.
    pub(super) node: Node<'t>,
}

/// How the expected value becomes another, best first.
#[derive(Debug)]
pub(super) enum Falsified {
    /// A literal of the same type.
    Literal(Edit),
    /// Another value than one that is known only when the test runs.
    Wrapped(Edit),
}

impl Falsified {
    fn is_wrapped(&self) -> bool {
        matches!(self, Self::Wrapped(_))
    }

    pub(super) fn into_edit(self) -> Edit {
        match self {
            Self::Literal(edit) | Self::Wrapped(edit) => edit,
        }
    }
}

/// The comparison that is falsified: the first that is reached each time, else the first; one with a
/// literal if there is one.
pub(super) fn choose(comparisons: Vec<Comparison<'_>>) -> Result<Comparison<'_>, Refusal> {
    let order = |it: &Comparison<'_>| (it.reach, it.falsified.is_wrapped());
    comparisons.into_iter().min_by_key(order).ok_or(Refusal::NoLiteral)
}

/// The side of a comparison that holds what is expected: the one that calls nothing, else the right.
pub(super) fn expected<'t>(left: Node<'t>, right: Node<'t>, call: &str) -> Node<'t> {
    let calls = |it: Node<'_>| {
        let mut found = false;
        visit(it, (), |node, ()| {
            found |= node.kind() == call;
            ControlFlow::Continue(())
        });
        found
    };
    if calls(right) && !calls(left) { left } else { right }
}
