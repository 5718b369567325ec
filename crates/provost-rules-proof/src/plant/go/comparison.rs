//! Comparisons with literals in a test of Go.
//!
//! `if got != 3 { t.Errorf(…) }`, the same with `want := 3` or a field `want` of a table, and
//! `assert.Equal(t, 3, got)` of testify.

use std::ops::ControlFlow;

use tree_sitter::Node;

use super::{Source, ancestor, named, subtest, table, visit};
use crate::plant::{
    edit::Edit,
    expectation::{Comparison, Falsified, Reach},
    go::Scope,
    literal,
};

/// All of a test, without those of its subtests.
pub(super) fn all<'t>(
    source: Source<'t>,
    owners: &[String],
    body: Node<'t>,
) -> Vec<Comparison<'t>> {
    let scope = Scope { names: Vec::new(), owners: owners.to_vec() };
    let mut comparisons = Vec::new();
    visit(body, Reach::Always, |node, reach| {
        let falsified = match node.kind() {
            "if_statement" => branch(source, owners, body, node),
            "call_expression" if subtest(source, node, &scope).is_some() => {
                return ControlFlow::Break(());
            }
            "call_expression" => testify(source, owners, node),
            _ => None,
        };
        comparisons.extend(falsified.map(|it| Comparison {
            reach,
            falsified: Falsified::Literal(it),
            node,
        }));
        let is_branching = matches!(
            node.kind(),
            "if_statement"
                | "for_statement"
                | "func_literal"
                | "expression_switch_statement"
                | "type_switch_statement"
                | "select_statement"
        );
        ControlFlow::Continue(if is_branching { Reach::Perhaps } else { reach })
    });
    comparisons
}

/// `if … != … { t.Fatal(…) }`. Behind `else` it could not be made to fail alone.
fn branch(source: Source<'_>, owners: &[String], body: Node<'_>, node: Node<'_>) -> Option<Edit> {
    if node.parent().is_some_and(|it| it.kind() == "if_statement") {
        return None;
    }
    let consequence = source.field(node, "consequence");
    let is_failing = owners.iter().any(|owner| {
        ["Error", "Fatal", "Fail"].iter().any(|it| consequence.contains(&format!("{owner}.{it}")))
    });
    if !is_failing {
        return None;
    }
    let mut stack = vec![node.child_by_field_name("condition")?];
    while let Some(condition) = stack.pop() {
        match (condition.kind(), source.field(condition, "operator")) {
            ("parenthesized_expression", _) => stack.extend(named(condition).first()),
            ("binary_expression", "||") => {
                stack.extend(condition.child_by_field_name("right"));
                stack.extend(condition.child_by_field_name("left"));
            }
            ("binary_expression", "!=") => {
                let sides = ["right", "left"].map(|it| condition.child_by_field_name(it));
                let found = sides.into_iter().flatten().find_map(|side| {
                    literal::falsify(source, side).or_else(|| declared(source, body, side))
                });
                if found.is_some() {
                    return found;
                }
            }
            _ => {}
        }
    }
    None
}

/// The literal behind a name that says that it is expected, if it is used for nothing else.
fn declared(source: Source<'_>, body: Node<'_>, side: Node<'_>) -> Option<Edit> {
    let (name, is_field) = match side.kind() {
        "identifier" => (source.of(side), false),
        "selector_expression" => (source.field(side, "field"), true),
        _ => return None,
    };
    if !name.starts_with("want") && !name.starts_with("exp") {
        return None;
    }
    let mut found = None;
    let mut uses = 0;
    // The table of a subtest stands outside of it.
    let declarations = ["function_declaration", "method_declaration"];
    let whole = ancestor(body, |it| is_field && declarations.contains(&it.kind()));
    visit(whole.unwrap_or(body), (), |node, ()| {
        match node.kind() {
            "short_var_declaration" if !is_field && source.field(node, "left") == name => {
                let right = node.child_by_field_name("right").map(named).unwrap_or_default();
                if let [only] = right.as_slice() {
                    found = found.take().or_else(|| literal::falsify(source, *only));
                }
            }
            "composite_literal" if is_field => {
                found = found.take().or_else(|| table::column(source, node, name));
            }
            "argument_list" => {
                // A message may name it; as the argument of another call it would be an input.
                let callee = node.parent().map(|it| source.field(it, "function"));
                let field = callee.and_then(|it| it.rsplit('.').next()).unwrap_or_default();
                let is_message = ["Error", "Fatal", "Log"].iter().any(|it| field.starts_with(it));
                let arguments = named(node);
                let same = source.of(side);
                uses +=
                    usize::from(!is_message && arguments.iter().any(|it| source.of(*it) == same));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    });
    found.filter(|_| uses == 0)
}

fn testify(source: Source<'_>, owners: &[String], node: Node<'_>) -> Option<Edit> {
    let callee = node.child_by_field_name("function")?;
    let is_equal = matches!(source.field(callee, "operand"), "assert" | "require")
        && matches!(source.field(callee, "field"), "Equal" | "EqualValues" | "Exactly");
    let arguments = named(node.child_by_field_name("arguments")?);
    match arguments.as_slice() {
        [owner, expected, actual, ..]
            if is_equal && owners.iter().any(|it| it == source.of(*owner)) =>
        {
            literal::falsify(source, *expected).or_else(|| literal::falsify(source, *actual))
        }
        _ => None,
    }
}
