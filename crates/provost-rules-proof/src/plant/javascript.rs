//! Tests of JavaScript and TypeScript: calls of `test`, `it` and their relatives, in groups.

mod binding;
pub(super) mod comparison;
mod definition;

use std::{ops::ControlFlow, rc::Rc};

use tree_sitter::Node;

use self::{
    binding::{Assertion, Bindings},
    definition::{Definition, Role, Shape},
};
use super::{
    Refusal, Site, TestId,
    edit::Edit,
    expectation::choose,
    tree::{Source, line, named, visit},
};

/// What a group or a test tells the tests in it.
#[derive(Clone, Debug, Default)]
struct Scope {
    names: Vec<String>,
    /// The first parameters of the tests around: `t.test(…)` defines a test as well.
    parameters: Vec<String>,
}

pub(super) fn sites(source: Source<'_>) -> Vec<Site> {
    let bindings = Bindings::of(source);
    let mut sites = Vec::new();
    visit(source.root, Rc::new(Scope::default()), |node, scope| {
        let Some(definition) = definition::read(source, &bindings, &scope.parameters, node) else {
            return ControlFlow::Continue(scope);
        };
        let mut inner = Scope::clone(&scope);
        inner.names.push(definition.title.clone());
        match definition.role {
            Role::Group => {}
            Role::Test => {
                let names = inner.names.clone();
                sites.push(site(source, &bindings, &scope.parameters, node, &definition, names));
                inner.parameters.extend(definition.parameter());
            }
        }
        ControlFlow::Continue(Rc::new(inner))
    });
    sites
}

fn site(
    source: Source<'_>,
    bindings: &Bindings,
    parameters: &[String],
    node: Node<'_>,
    definition: &Definition<'_>,
    names: Vec<String>,
) -> Site {
    let is_inverted = definition.inversion.is_some();
    let (id, line) = (TestId(names), line(node));
    let Shape::Function { body, parameter } = &definition.shape else {
        let refused = || Err(Refusal::Reference);
        return Site {
            id,
            line,
            is_inverted,
            failure: refused(),
            returning: refused(),
            expectation: refused(),
            second_look: refused(),
        };
    };
    let failure = bindings.assertion.failure(parameter.as_deref());
    let mut known = parameters.to_vec();
    known.extend(parameter.clone());
    let comparison = if is_inverted {
        Err(Refusal::NoLiteral)
    } else {
        choose(comparison::all(source, bindings, &known, *body))
    };
    let (expectation, second_look) = match comparison {
        Ok(it) => (Ok(it.falsified.into_edit()), Ok(before(it.node, &failure))),
        Err(refusal) => (Err(refusal), Err(refusal)),
    };
    let failure = if body.kind() == "statement_block" {
        Edit::insert(body.start_byte() + 1, format!(" {failure};"))
    } else {
        sequence(*body, &failure)
    };
    Site {
        id,
        line,
        is_inverted,
        failure: Ok(failure),
        returning: returning(bindings, definition, *body, parameter.as_deref()),
        expectation,
        second_look,
    }
}

/// The test ends at once and successfully: one of jest that takes a callback must call it, and one of
/// ava must have asserted something.
fn returning(
    bindings: &Bindings,
    definition: &Definition<'_>,
    body: Node<'_>,
    parameter: Option<&str>,
) -> Result<Edit, Refusal> {
    let is_callback = definition.inversion == Some("failing") && !definition.is_table;
    let call = match (&bindings.assertion, parameter) {
        (Assertion::Parameter("is"), Some(name)) => Some(format!("{name}.pass()")),
        (Assertion::Parameter("is"), None) => return Err(Refusal::NoReturn),
        (Assertion::Expression(_) | Assertion::Throw, Some(name)) if is_callback => {
            Some(format!("{name}()"))
        }
        (Assertion::Parameter(_) | Assertion::Expression(_) | Assertion::Throw, _) => None,
    };
    let first = body.start_byte() + 1;
    Ok(match (body.kind(), call) {
        ("statement_block", None) => Edit::insert(first, " return;"),
        ("statement_block", Some(call)) => Edit::insert(first, format!(" return {call};")),
        (_, None) => Edit::replace(body.byte_range(), "{}"),
        (_, Some(call)) => Edit::replace(body.byte_range(), call),
    })
}

/// A failure in front of the statement that holds a node.
fn before(node: Node<'_>, failure: &str) -> Edit {
    let mut node = node;
    while let Some(parent) = node.parent() {
        match parent.kind() {
            "statement_block" | "program" | "switch_case" | "switch_default" => break,
            "arrow_function" => return sequence(node, failure),
            "if_statement" | "else_clause" | "for_statement" | "for_in_statement"
            | "while_statement" | "do_statement" | "labeled_statement" => {
                return Edit::around(node.byte_range(), format!("{{ {failure}; "), " }");
            }
            _ => node = parent,
        }
    }
    Edit::insert(node.start_byte(), format!("{failure}; "))
}

/// A failure in front of an expression.
fn sequence(node: Node<'_>, failure: &str) -> Edit {
    // An object is in parentheses already, and an expression between them may be a sequence.
    let inner = named(node);
    match (node.kind(), inner.first()) {
        ("parenthesized_expression", Some(first)) => {
            Edit::insert(first.start_byte(), format!("{failure}, "))
        }
        _ => Edit::around(node.byte_range(), format!("({failure}, "), ")"),
    }
}
