//! Tests of Python: functions and methods whose names begin with `test`, for pytest and unittest.

mod table;

use std::{collections::BTreeSet, ops::ControlFlow, rc::Rc};

use tree_sitter::Node;

use super::{
    Refusal, Site, TestId,
    edit::Edit,
    expectation::{Comparison, Falsified, Reach, choose, expected},
    literal,
    tree::{Source, ancestor, children, line, named, visit},
};

/// Methods of unittest that compare two values.
const EQUAL: [&str; 9] = [
    "assertCountEqual",
    "assertDictEqual",
    "assertEqual",
    "assertEquals",
    "assertListEqual",
    "assertMultiLineEqual",
    "assertSequenceEqual",
    "assertSetEqual",
    "assertTupleEqual",
];

/// Makes a value another of its kind, or a tuple around it: that equals no value but one that equals
/// everything.
pub(super) const OTHER: &str = "(lambda it: not it if isinstance(it, bool) else it - 10 if isinstance(it, int) else \"z\" + it if isinstance(it, str) else (it, 0))";

/// What a block of definitions tells the tests in it.
#[derive(Clone, Debug, Default)]
struct Scope {
    names: Vec<String>,
    is_unittest: bool,
    is_inverted: bool,
}

pub(super) fn sites(source: Source<'_>) -> Vec<Site> {
    let unittests = unittests(source);
    let mut sites = Vec::new();
    visit(source.root, Rc::new(Scope::default()), |node, scope| match node.kind() {
        "class_definition" => {
            let name = source.field(node, "name");
            let mut inner = Scope::clone(&scope);
            inner.names.push(name.to_owned());
            inner.is_unittest = unittests.contains(name);
            inner.is_inverted |= is_inverted(source, node);
            ControlFlow::Continue(Rc::new(inner))
        }
        "function_definition" => {
            sites.extend(site(source, node, &scope));
            ControlFlow::Break(())
        }
        "lambda" => ControlFlow::Break(()),
        _ => ControlFlow::Continue(scope),
    });
    sites
}

/// The classes that inherit from a `TestCase`, also through other classes of the file.
fn unittests(source: Source<'_>) -> BTreeSet<String> {
    let mut classes = Vec::new();
    visit(source.root, (), |node, ()| {
        if node.kind() == "class_definition" {
            let bases = node.child_by_field_name("superclasses").map(named).unwrap_or_default();
            let bases: Vec<&str> = bases.into_iter().map(|it| source.of(it)).collect();
            classes.push((source.field(node, "name"), bases));
        }
        ControlFlow::Continue(())
    });
    let mut known = BTreeSet::new();
    loop {
        let more: Vec<&str> = classes
            .iter()
            .filter(|(name, bases)| {
                let is_one = bases.iter().any(|it| it.ends_with("TestCase") || known.contains(*it));
                is_one && !known.contains(*name)
            })
            .map(|(name, _)| *name)
            .collect();
        if more.is_empty() {
            return known;
        }
        known.extend(more.into_iter().map(str::to_owned));
    }
}

fn site(source: Source<'_>, node: Node<'_>, scope: &Scope) -> Option<Site> {
    let name = source.field(node, "name");
    let decorators = decorators(source, node);
    let is_fixture = decorators.iter().any(|it| it.contains("fixture"));
    if !name.starts_with("test") || is_fixture {
        return None;
    }
    let body = node.child_by_field_name("body")?;
    let is_expanded = decorators.iter().any(|it| it.contains("parameterized.expand"));
    let mut names = scope.names.clone();
    names.push(if is_expanded { format!("{name}_*") } else { name.to_owned() });
    let failure = failure(source, node, body, scope);
    let is_inverted = scope.is_inverted || is_inverted(source, node);
    let comparison =
        if is_inverted { Err(Refusal::NoLiteral) } else { choose(comparisons(source, body)) };
    let (expectation, second_look) = match comparison {
        Ok(it) => (Ok(it.falsified.into_edit()), Ok(before(source, it.node, &failure))),
        Err(refusal) => (Err(refusal), Err(refusal)),
    };
    Some(Site {
        id: TestId(names),
        line: line(node),
        is_inverted,
        failure: Ok(first(source, body, &failure)),
        returning: Ok(first(source, body, "return")),
        expectation,
        second_look,
    })
}

fn decorators<'t>(source: Source<'t>, node: Node<'_>) -> Vec<&'t str> {
    let outer = node.parent().filter(|it| it.kind() == "decorated_definition");
    let decorators = outer.map(children).unwrap_or_default().into_iter();
    decorators.filter(|it| it.kind() == "decorator").map(|it| source.of(it)).collect()
}

/// Whether a failure is what is expected, in any case. With a condition it is a test like others
/// where the condition does not hold.
fn is_inverted(source: Source<'_>, node: Node<'_>) -> bool {
    decorators(source, node).into_iter().any(|it| {
        let plain: String = it.chars().filter(|it| !it.is_whitespace()).collect();
        let xfail = plain.split_once("mark.xfail(").is_some_and(|(_, arguments)| {
            let named = ["strict=", "reason=", "raises="];
            arguments.contains("strict=True") && named.iter().any(|it| arguments.starts_with(it))
        });
        xfail || plain.ends_with("expectedFailure")
    })
}

/// The statement that fails: the method of unittest where the test has it.
fn failure(source: Source<'_>, node: Node<'_>, body: Node<'_>, scope: &Scope) -> String {
    let parameters = node.child_by_field_name("parameters").map(named).unwrap_or_default();
    let this = parameters.first().filter(|it| it.kind() == "identifier").map(|it| source.of(*it));
    let this = this.filter(|_| !scope.names.is_empty());
    match this {
        Some(this)
            if scope.is_unittest || source.of(body).contains(&format!("{this}.assertEqual(")) =>
        {
            format!("{this}.assertEqual(1, 2)")
        }
        Some(_) | None => "assert 1 == 2".to_owned(),
    }
}

/// A statement in front of the first one of a body; its documentation stays the first.
fn first(source: Source<'_>, body: Node<'_>, statement: &str) -> Edit {
    let statements = named(body);
    match statements.as_slice() {
        [] => Edit::insert(body.start_byte(), statement),
        [only] if is_documentation(*only) => {
            let indent = source.before(only.start_byte());
            let text = if indent.trim().is_empty() {
                format!("{}{indent}{statement}", source.newline())
            } else {
                format!("; {statement}")
            };
            Edit::insert(only.end_byte(), text)
        }
        [head, next, ..] if is_documentation(*head) => line_before(source, *next, statement),
        [head, ..] => line_before(source, *head, statement),
    }
}

fn is_documentation(node: Node<'_>) -> bool {
    let is_string = named(node).first().is_some_and(|it| it.kind().ends_with("string"));
    node.kind() == "expression_statement" && is_string
}

/// A statement on a line of its own, or on the same line where the next one shares its line.
fn line_before(source: Source<'_>, next: Node<'_>, statement: &str) -> Edit {
    let indent = source.before(next.start_byte());
    let text = if indent.trim().is_empty() {
        format!("{statement}{}{indent}", source.newline())
    } else {
        format!("{statement}; ")
    };
    Edit::insert(next.start_byte(), text)
}

/// A statement in front of the one that holds a node.
fn before(source: Source<'_>, node: Node<'_>, statement: &str) -> Edit {
    let is_in_block = |it: &Node<'_>| it.parent().is_some_and(|it| it.kind() == "block");
    let holder =
        if is_in_block(&node) { Some(node) } else { ancestor(node, |it| is_in_block(&it)) };
    line_before(source, holder.unwrap_or(node), statement)
}

/// The comparisons of a test with literals, without those whose failure would be caught.
fn comparisons<'t>(source: Source<'t>, body: Node<'t>) -> Vec<Comparison<'t>> {
    let mut comparisons = Vec::new();
    visit(body, Reach::Always, |node, reach| {
        let falsified = match node.kind() {
            "function_definition" | "class_definition" | "lambda" => return ControlFlow::Break(()),
            "try_statement" if children(node).iter().any(|it| it.kind().starts_with("except")) => {
                return ControlFlow::Break(());
            }
            "with_clause" if is_catching(source.of(node)) => return ControlFlow::Break(()),
            "with_statement" if named(node).iter().any(|it| is_catching(source.of(*it))) => {
                return ControlFlow::Break(());
            }
            "if_statement" | "for_statement" | "while_statement" | "match_statement" => {
                return ControlFlow::Continue(Reach::Perhaps);
            }
            "assert_statement" => named(node).first().and_then(|it| equation(source, node, *it)),
            "call" => call(source, node),
            _ => return ControlFlow::Continue(reach),
        };
        comparisons.extend(falsified.map(|falsified| Comparison { reach, falsified, node }));
        ControlFlow::Continue(reach)
    });
    comparisons
}

fn is_catching(text: &str) -> bool {
    let head = text.split(':').next().unwrap_or_default();
    ["raises", "Raises", "suppress"].iter().any(|it| head.contains(it))
}

/// `f(x) == 3`, also as a part of a conjunction.
fn equation(source: Source<'_>, holder: Node<'_>, node: Node<'_>) -> Option<Falsified> {
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "parenthesized_expression" => stack.extend(named(node).first()),
            "boolean_operator" if source.field(node, "operator") == "and" => {
                stack.extend(node.child_by_field_name("right"));
                stack.extend(node.child_by_field_name("left"));
            }
            "comparison_operator" => {
                let operands = named(node);
                let operator = source.field(node, "operators");
                if let [left, right] = operands.as_slice() {
                    let is_boolean = |it: &Node<'_>| matches!(it.kind(), "true" | "false");
                    let found = match operator {
                        "==" => Some(either(source, holder, *left, *right)),
                        "is" if is_boolean(right) => {
                            literal::falsify(source, *right).map(Falsified::Literal)
                        }
                        _ => None,
                    };
                    if found.is_some() {
                        return found;
                    }
                }
            }
            _ => {}
        }
    }
    None
}

/// `self.assertEqual(f(x), 3)`.
fn call(source: Source<'_>, node: Node<'_>) -> Option<Falsified> {
    let function = node.child_by_field_name("function").filter(|it| it.kind() == "attribute")?;
    let arguments = named(node.child_by_field_name("arguments")?);
    let name = source.field(function, "attribute");
    match arguments.as_slice() {
        [left, right, ..] if EQUAL.contains(&name) => Some(either(source, node, *left, *right)),
        [_, right, ..] if name == "assertIs" && matches!(right.kind(), "true" | "false") => {
            literal::falsify(source, *right).map(Falsified::Literal)
        }
        _ => None,
    }
}

/// Another literal, or another value of the same kind when the test runs. A parameter that nothing
/// else uses is changed itself, because a product may look at it.
fn either(source: Source<'_>, holder: Node<'_>, left: Node<'_>, right: Node<'_>) -> Falsified {
    let literal = literal::falsify(source, right).or_else(|| literal::falsify(source, left));
    literal.map_or_else(
        || at_run_time(source, holder, expected(left, right, "call")),
        Falsified::Literal,
    )
}

fn at_run_time(source: Source<'_>, holder: Node<'_>, expected: Node<'_>) -> Falsified {
    let name = source.of(expected);
    let Some(test) = test_of_parameter(source, expected) else {
        let range = expected.byte_range();
        return Falsified::Wrapped(Edit::around(range, format!("{OTHER}("), ")"));
    };
    table::column(source, test, name).map_or_else(
        || Falsified::Wrapped(before(source, holder, &format!("{name} = {OTHER}({name})"))),
        Falsified::Literal,
    )
}

/// What an assertion compares with a whole number, and the number. What allows for differences by
/// itself is left out.
pub(super) fn compared<'t>(source: Source<'_>, node: Node<'t>) -> Option<(Node<'t>, i64)> {
    let sides = match node.kind() {
        "comparison_operator" if source.field(node, "operators") == "==" => {
            node.parent().filter(|it| it.kind() == "assert_statement")?;
            named(node)
        }
        "call" => {
            let function = node.child_by_field_name("function")?;
            let is_equal = EQUAL.contains(&source.field(function, "attribute"));
            named(node.child_by_field_name("arguments").filter(|_| is_equal)?)
        }
        _ => return None,
    };
    let [left, right, ..] = *sides.as_slice() else { return None };
    let (actual, number) = if left.kind() == "integer" { (right, left) } else { (left, right) };
    let is_tolerant =
        ["approx", "close", "almost", "ANY"].iter().any(|it| source.of(actual).contains(it));
    let number = source.of(number).parse().ok().filter(|it: &i64| *it < 1 << 40)?;
    (actual.kind() == "call" && !is_tolerant).then_some((actual, number))
}

/// The test of which a name is a parameter, if it stands nowhere else in its body.
fn test_of_parameter<'t>(source: Source<'_>, name: Node<'t>) -> Option<Node<'t>> {
    let text = source.of(name);
    let test = ancestor(name, |it| it.kind() == "function_definition")?;
    let parameters = named(test.child_by_field_name("parameters")?);
    let mut uses = 0;
    visit(test, (), |node, ()| {
        uses += usize::from(node.kind() == "identifier" && source.of(node) == text);
        ControlFlow::Continue(())
    });
    let is_own = uses == 2 && parameters.iter().any(|it| source.of(*it) == text);
    (name.kind() == "identifier" && is_own).then_some(test)
}
