//! Comparisons with literals in a test of JavaScript.

use std::ops::ControlFlow;

use tree_sitter::Node;

use super::{Bindings, Source, binding::is_equal, definition, named, visit};
use crate::plant::{
    edit::Edit,
    expectation::{Comparison, Falsified, Reach, expected},
    literal,
};

/// All of a test, without those of tests in it and those whose failure would be caught.
pub(super) fn all<'t>(
    source: Source<'t>,
    bindings: &Bindings,
    parameters: &[String],
    body: Node<'t>,
) -> Vec<Comparison<'t>> {
    let mut comparisons = Vec::new();
    visit(body, Reach::Always, |node, reach| match node.kind() {
        "function_declaration" | "class_declaration" | "catch_clause" => ControlFlow::Break(()),
        "try_statement" if node.child_by_field_name("handler").is_some() => ControlFlow::Break(()),
        "if_statement"
        | "for_statement"
        | "for_in_statement"
        | "while_statement"
        | "do_statement"
        | "switch_statement"
        | "ternary_expression"
        | "arrow_function"
        | "function_expression"
        | "generator_function" => ControlFlow::Continue(Reach::Perhaps),
        "call_expression" => {
            if definition::read(source, bindings, parameters, node).is_some() {
                return ControlFlow::Break(());
            }
            let (method, words) = chain(source, node);
            let is_throw = |it: &str| it.to_ascii_lowercase().contains("throw") || it == "rejects";
            if is_throw(method) || words.iter().any(|it| is_throw(it)) {
                return ControlFlow::Break(());
            }
            match comparison(source, bindings, parameters, node, method, &words) {
                Some(falsified) => {
                    comparisons.push(Comparison { reach, falsified, node });
                    ControlFlow::Break(())
                }
                None => ControlFlow::Continue(reach),
            }
        }
        _ => ControlFlow::Continue(reach),
    });
    comparisons
}

/// The method that a call calls, and the words in front of it, the nearest first; a word that is
/// called counts as itself.
fn chain<'t>(source: Source<'t>, call: Node<'t>) -> (&'t str, Vec<&'t str>) {
    let mut words = Vec::new();
    let mut next = call.child_by_field_name("function");
    while let Some(node) = next {
        next = match node.kind() {
            "member_expression" => {
                words.push(source.field(node, "property"));
                node.child_by_field_name("object")
            }
            "call_expression" => node.child_by_field_name("function"),
            "identifier" => {
                words.push(source.of(node));
                None
            }
            _ => None,
        };
    }
    let mut words = words.into_iter();
    (words.next().unwrap_or_default(), words.collect())
}

fn comparison(
    source: Source<'_>,
    bindings: &Bindings,
    parameters: &[String],
    call: Node<'_>,
    method: &str,
    words: &[&str],
) -> Option<Falsified> {
    let arguments = named(call.child_by_field_name("arguments")?);
    if words.iter().any(|it| matches!(*it, "not" | "never")) {
        return None;
    }
    let is_expected =
        words.last().is_some_and(|it| it.starts_with("expect")) || words.contains(&"should");
    let is_matcher = matches!(
        method,
        "toBe" | "toEqual" | "toStrictEqual" | "equal" | "equals" | "eql" | "eqls" | "eq"
    );
    let is_assert = match words {
        [] => bindings.equals.contains(method),
        ["assert"] => is_equal(method),
        [object] => {
            let is_known =
                bindings.asserts.contains(*object) || parameters.iter().any(|it| it == object);
            is_known && is_equal(method)
        }
        ["assert", owner] => parameters.iter().any(|it| it == owner) && is_equal(method),
        _ => false,
    };
    match arguments.as_slice() {
        [expected, ..] if is_expected && is_matcher => {
            let literal = literal::falsify(source, *expected).map(Falsified::Literal);
            literal.or_else(|| wrapped(*expected))
        }
        [left, right, ..] if is_assert => {
            let literal =
                literal::falsify(source, *right).or_else(|| literal::falsify(source, *left));
            literal
                .map(Falsified::Literal)
                .or_else(|| wrapped(expected(*left, *right, "call_expression")))
        }
        _ => None,
    }
}

/// Another value of the same kind when the test runs, or a list around it: that equals no value but
/// one that equals everything.
fn wrapped(expected: Node<'_>) -> Option<Falsified> {
    let is_spread = expected.kind() == "spread_element";
    let range = expected.byte_range();
    (!is_spread).then(|| Falsified::Wrapped(Edit::around(range, "[".to_owned(), OTHER)))
}

/// What follows a value in a list. It passes the checks of TypeScript for any type.
pub(in crate::plant) const OTHER: &str = "].map((it) => Number.isSafeInteger(it) ? Number(it) - 10 : typeof it === \"string\" ? \"z\" + String(it) : typeof it === \"boolean\" ? !it : [it])[0]";
