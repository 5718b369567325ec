//! What a file imports: the names of its tests, and the assertion that its tests use.

use std::{collections::BTreeSet, ops::ControlFlow};

use tree_sitter::Node;

use super::{Source, named, visit};

const TESTS: [&str; 8] = ["fit", "it", "specify", "test", "xit", "xspecify", "xtest", "ftest"];
const GROUPS: [&str; 7] =
    ["context", "describe", "fdescribe", "suite", "xcontext", "xdescribe", "fcontext"];

/// The names of a file that matter to its tests.
#[derive(Debug)]
pub(super) struct Bindings {
    pub(super) tests: BTreeSet<String>,
    pub(super) groups: BTreeSet<String>,
    /// Objects with a method `test`.
    pub(super) owners: BTreeSet<String>,
    /// Objects with methods that compare.
    pub(super) asserts: BTreeSet<String>,
    /// Functions that compare.
    pub(super) equals: BTreeSet<String>,
    pub(super) assertion: Assertion,
}

/// How a test of the file fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Assertion {
    /// By a method of what the test is given, on two values.
    Parameter(&'static str),
    /// By an expression.
    Expression(String),
    Throw,
}

/// A name that a file takes from a module. The whole module has no name of its own.
#[derive(Debug)]
struct Import {
    module: String,
    name: Option<String>,
    local: String,
}

impl Assertion {
    /// An expression that fails, in a test with this first parameter. It begins with a word, so
    /// that a line before it that has no semicolon ends there.
    pub(super) fn failure(&self, parameter: Option<&str>) -> String {
        match (self, parameter) {
            (Self::Parameter(method), Some(name)) => format!("{name}.{method}(1, 2)"),
            (Self::Expression(text), _) => text.clone(),
            (Self::Parameter(_), None) | (Self::Throw, _) => {
                "void (() => { throw new Error('expected 1 to be 2'); })()".to_owned()
            }
        }
    }
}

impl Bindings {
    pub(super) fn of(source: Source<'_>) -> Self {
        let imports = imports(source);
        let mut bindings = Self {
            tests: TESTS.map(str::to_owned).into(),
            groups: GROUPS.map(str::to_owned).into(),
            owners: BTreeSet::new(),
            asserts: ["assert", "t"].map(str::to_owned).into(),
            equals: BTreeSet::new(),
            assertion: assertion(source, &imports),
        };
        for Import { module, name, local } in imports {
            let is_runner = matches!(module.as_str(), "node:test" | "ava" | "tape" | "tap" | "uvu");
            match name.as_deref() {
                Some("test" | "it") => drop(bindings.tests.insert(local)),
                Some("describe" | "suite") => drop(bindings.groups.insert(local)),
                Some("default") | None if is_runner => {
                    bindings.tests.insert(local.clone());
                    bindings.owners.insert(local);
                }
                Some("default" | "strict") | None if is_assert(&module) => {
                    bindings.asserts.insert(local);
                }
                Some("assert") => drop(bindings.asserts.insert(local)),
                Some(name) if is_equal(name) => drop(bindings.equals.insert(local)),
                Some(_) | None => {}
            }
        }
        bindings
    }
}

/// Whether a function of this name compares two values.
pub(super) fn is_equal(name: &str) -> bool {
    matches!(
        name,
        "assertEquals"
            | "deepEqual"
            | "deepEquals"
            | "deepStrictEqual"
            | "equal"
            | "equals"
            | "is"
            | "same"
            | "strictEqual"
            | "strictEquals"
            | "strictSame"
    )
}

fn is_assert(module: &str) -> bool {
    matches!(module, "assert" | "assert/strict" | "power-assert" | "uvu/assert")
}

fn assertion(source: Source<'_>, imports: &[Import]) -> Assertion {
    let from = |wanted: &str| imports.iter().any(|it| it.module == wanted);
    if from("ava") {
        return Assertion::Parameter("is");
    }
    if from("tape") || from("tap") {
        return Assertion::Parameter("equal");
    }
    if from("qunit") || source.text.contains("QUnit.") {
        return Assertion::Parameter("strictEqual");
    }
    let is_expect = |it: &&Import| it.name.as_deref() == Some("expect") || it.module == "expect";
    if let Some(it) = imports.iter().find(is_expect) {
        return Assertion::Expression(expect(&it.local, it.module == "chai"));
    }
    if let Some(text) = imports.iter().find_map(equality) {
        return Assertion::Expression(text);
    }
    if source.text.contains("expect(") {
        let has = |word: &str| source.text.contains(word);
        let is_chai = has(").to.") && !has(").toBe") && !has(").toEqual");
        return Assertion::Expression(expect("expect", is_chai));
    }
    Assertion::Throw
}

fn expect(name: &str, is_chai: bool) -> String {
    if is_chai { format!("{name}(1).to.equal(2)") } else { format!("{name}(1).toBe(2)") }
}

/// The comparison of two values by what is imported.
fn equality(Import { module, name, local }: &Import) -> Option<String> {
    match (module.as_str(), name.as_deref()) {
        ("uvu/assert", Some("default") | None) => Some(format!("{local}.is(1, 2)")),
        (module, Some("default" | "strict") | None) if is_assert(module) => {
            Some(format!("{local}.strictEqual(1, 2)"))
        }
        ("chai", Some("assert")) => Some(format!("{local}.strictEqual(1, 2)")),
        (_, Some("assertEquals")) => Some(format!("{local}(1, 2)")),
        (module, Some(name)) if is_assert(module) && is_equal(name) => {
            Some(format!("{local}(1, 2)"))
        }
        (module, Some("ok")) if is_assert(module) => Some(format!("{local}(false)")),
        _ => None,
    }
}

fn imports(source: Source<'_>) -> Vec<Import> {
    let mut imports: Vec<Import> = Vec::new();
    visit(source.root, (), |node, ()| {
        match node.kind() {
            "import_statement" => imported(source, node, &mut imports),
            "variable_declarator" => required(source, node, &mut imports),
            _ => return ControlFlow::Continue(()),
        }
        ControlFlow::Continue(())
    });
    imports
}

/// The name of a module, without the prefix that only `node:test` needs.
fn module(source: Source<'_>, string: Node<'_>) -> String {
    let name = source.of(string).trim_matches(['"', '\'', '`']);
    let short = name.strip_prefix("node:").filter(|it| it.starts_with("assert"));
    short.unwrap_or(name).to_owned()
}

/// `import a, { b as c } from 'd'` and `import a = require('d')`.
fn imported(source: Source<'_>, statement: Node<'_>, imports: &mut Vec<Import>) {
    let mut path = statement.child_by_field_name("source");
    let mut names: Vec<(Option<&str>, &str)> = Vec::new();
    visit(statement, (), |node, ()| {
        match node.kind() {
            "import_clause" => {
                let default = named(node).into_iter().find(|it| it.kind() == "identifier");
                names.extend(default.map(|it| (Some("default"), source.of(it))));
            }
            "namespace_import" | "import_require_clause" => {
                let local = named(node).into_iter().find(|it| it.kind() == "identifier");
                names.extend(local.map(|it| (None, source.of(it))));
                path = path.or_else(|| node.child_by_field_name("source"));
            }
            "import_specifier" => {
                let name = source.field(node, "name");
                let alias = source.field(node, "alias");
                names.push((Some(name), if alias.is_empty() { name } else { alias }));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    });
    let Some(path) = path else { return };
    let module = module(source, path);
    imports.extend(names.into_iter().map(|(name, local)| Import {
        module: module.clone(),
        name: name.map(str::to_owned),
        local: local.to_owned(),
    }));
}

/// `const a = require('d')`, `const { b: c } = require('d')`, `const b = require('d').b`, and
/// `const b = d.b` of an earlier one.
fn required(source: Source<'_>, declarator: Node<'_>, imports: &mut Vec<Import>) {
    let (Some(target), Some(value)) =
        (declarator.child_by_field_name("name"), declarator.child_by_field_name("value"))
    else {
        return;
    };
    let is_member = value.kind() == "member_expression";
    let property = is_member.then(|| source.field(value, "property"));
    let object = if is_member { value.child_by_field_name("object") } else { Some(value) };
    let Some(module) = object.and_then(|it| required_module(source, it, imports)) else { return };
    let mut push = |name: Option<&str>, local: &str| {
        imports.push(Import {
            module: module.clone(),
            name: name.map(str::to_owned),
            local: local.to_owned(),
        });
    };
    match target.kind() {
        "identifier" => push(property, source.of(target)),
        "object_pattern" => {
            for part in named(target) {
                match part.kind() {
                    "shorthand_property_identifier_pattern" => {
                        push(Some(source.of(part)), source.of(part));
                    }
                    "pair_pattern" => {
                        push(Some(source.field(part, "key")), source.field(part, "value"));
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

fn required_module(source: Source<'_>, node: Node<'_>, imports: &[Import]) -> Option<String> {
    let node = match node.kind() {
        "await_expression" | "parenthesized_expression" => *named(node).first()?,
        _ => node,
    };
    if node.kind() == "identifier" {
        let earlier = imports.iter().find(|it| it.local == source.of(node));
        return earlier.filter(|it| it.name.is_none()).map(|it| it.module.clone());
    }
    if !matches!(source.field(node, "function"), "require" | "import") {
        return None;
    }
    let arguments = named(node.child_by_field_name("arguments")?);
    arguments.first().filter(|it| it.kind() == "string").map(|it| module(source, *it))
}
