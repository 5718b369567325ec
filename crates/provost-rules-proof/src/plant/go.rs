//! Tests of Go: functions `TestX(t *testing.T)`, fuzz targets, methods of suites, and subtests.

mod comparison;
mod table;

use std::{ops::ControlFlow, rc::Rc};

use tree_sitter::Node;

use super::{
    Site, TestId,
    edit::Edit,
    expectation::choose,
    tree::{Source, ancestor, line, named, visit},
};

const MESSAGE: &str = "\"unexpected result\"";

/// What a test tells the subtests in it.
#[derive(Clone, Debug, Default)]
struct Scope {
    names: Vec<String>,
    /// The names of the values that fail a test.
    owners: Vec<String>,
}

pub(super) fn sites(source: Source<'_>) -> Vec<Site> {
    let mut sites = Vec::new();
    visit(source.root, Rc::new(Scope::default()), |node, scope| {
        let found = match node.kind() {
            "function_declaration" => function(source, node),
            "method_declaration" => method(source, node),
            "call_expression" => subtest(source, node, &scope),
            _ => None,
        };
        let Some(test) = found else { return ControlFlow::Continue(scope) };
        let mut inner = Scope::clone(&scope);
        inner.names.extend(test.names.clone());
        inner.owners.push(test.owner.clone());
        sites.push(site(source, node, &inner, test));
        ControlFlow::Continue(Rc::new(inner))
    });
    sites
}

/// A test before its plants are made.
#[derive(Debug)]
struct Test<'t> {
    names: Vec<String>,
    body: Node<'t>,
    /// The value whose `Fatal` fails the test.
    owner: String,
    /// Gives it a name where it has none.
    naming: Option<Edit>,
}

fn site<'t>(source: Source<'t>, node: Node<'t>, scope: &Scope, test: Test<'t>) -> Site {
    let failure = format!("{}.Fatal({MESSAGE}); ", test.owner);
    let comparison = choose(comparison::all(source, &scope.owners, test.body));
    let (expectation, second_look) = match comparison {
        Ok(it) => {
            (Ok(it.falsified.into_edit()), Ok(Edit::insert(holder(it.node).start_byte(), &failure)))
        }
        Err(refusal) => (Err(refusal), Err(refusal)),
    };
    let first = test.body.start_byte() + 1;
    let failing = format!(" {}", failure.trim_end());
    let failing = match test.naming {
        Some(naming) => naming.and(Edit::insert(first, failing)),
        None => Edit::insert(first, failing),
    };
    Site {
        id: TestId(scope.names.clone()),
        line: line(node),
        is_inverted: false,
        failure: Ok(failing),
        returning: Ok(Edit::insert(first, " return;")),
        expectation,
        second_look,
    }
}

/// The statement of a block that holds a node.
fn holder(node: Node<'_>) -> Node<'_> {
    let is_in_block = |it: Node<'_>| {
        let kinds = ["block", "statement_list", "expression_case", "default_case"];
        it.parent().is_some_and(|it| kinds.contains(&it.kind()))
    };
    if is_in_block(node) { node } else { ancestor(node, is_in_block).unwrap_or(node) }
}

/// `func TestX(t *testing.T)`; `TestMain` has another parameter.
fn function<'t>(source: Source<'t>, node: Node<'t>) -> Option<Test<'t>> {
    let name = source.field(node, "name");
    is_test(name).then_some(())?;
    let (owner, naming) = parameter(source, node, &["*testing.T", "*testing.F"])?;
    let body = node.child_by_field_name("body")?;
    Some(Test { names: vec![name.to_owned()], body, owner, naming })
}

/// `func (s *Suite) TestX()` of testify and `func (s *Suite) TestX(c *check.C)` of gocheck.
fn method<'t>(source: Source<'t>, node: Node<'t>) -> Option<Test<'t>> {
    let name = source.field(node, "name");
    is_test(name).then_some(())?;
    let body = node.child_by_field_name("body")?;
    let parameters = named(node.child_by_field_name("parameters")?);
    let receiver = *named(node.child_by_field_name("receiver")?).first()?;
    let names = vec![name.to_owned()];
    if let Some((owner, naming)) = parameter(source, node, &["*check.C", "*C"]) {
        return Some(Test { names, body, owner, naming });
    }
    let is_suite = source.text.contains("testify/suite\"");
    let this = source.field(receiver, "name");
    (is_suite && parameters.is_empty() && !matches!(this, "" | "_")).then(|| Test {
        // A suite reports below the test that runs it, which may stand in another file.
        names: vec!["*".to_owned(), name.to_owned()],
        body,
        owner: format!("{this}.T()"),
        naming: None,
    })
}

/// `t.Run("name", func(t *testing.T) { … })`.
fn subtest<'t>(source: Source<'t>, node: Node<'t>, scope: &Scope) -> Option<Test<'t>> {
    let callee = node.child_by_field_name("function")?;
    let owner = source.field(callee, "operand");
    let is_run =
        source.field(callee, "field") == "Run" && scope.owners.iter().any(|it| it == owner);
    let arguments = named(node.child_by_field_name("arguments")?);
    let [title, function] = arguments.as_slice() else { return None };
    if !is_run || function.kind() != "func_literal" {
        return None;
    }
    let (owner, naming) = parameter(source, *function, &["*testing.T"])?;
    let title = match title.kind() {
        "interpreted_string_literal" | "raw_string_literal" => {
            source.of(*title).trim_matches(['"', '`']).replace(' ', "_")
        }
        _ => "*".to_owned(),
    };
    let names = title.split('/').map(str::to_owned).collect();
    Some(Test { names, body: function.child_by_field_name("body")?, owner, naming })
}

fn is_test(name: &str) -> bool {
    let rest = name.strip_prefix("Test").or_else(|| name.strip_prefix("Fuzz"));
    rest.is_some_and(|it| !it.starts_with(char::is_lowercase))
}

/// The name of the only parameter, if it has one of these types, and what gives it the name.
fn parameter(
    source: Source<'_>,
    function: Node<'_>,
    types: &[&str],
) -> Option<(String, Option<Edit>)> {
    let parameters = named(function.child_by_field_name("parameters")?);
    let [only] = parameters.as_slice() else { return None };
    let kind = only.child_by_field_name("type")?;
    types.contains(&source.of(kind)).then_some(())?;
    let named = match only.child_by_field_name("name") {
        Some(name) if source.of(name) == "_" => {
            ("t".to_owned(), Some(Edit::replace(name.byte_range(), "t")))
        }
        Some(name) => (source.of(name).to_owned(), None),
        None => ("t".to_owned(), Some(Edit::insert(kind.start_byte(), "t "))),
    };
    Some(named)
}
