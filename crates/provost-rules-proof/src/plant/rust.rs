//! Tests of Rust: functions with an attribute `test`, in the modules of a file.
//!
//! What a macro makes is not in the tree, and so is not found.

use std::{ops::ControlFlow, rc::Rc};

use tree_sitter::Node;

use super::{
    Refusal, Site, TestId,
    edit::Edit,
    expectation::{Comparison, Falsified, Reach, choose},
    literal,
    tree::{Source, children, line, visit},
};
use crate::mixed::rust::is_test_only;

const FAILURE: &str = "assert_eq!(1, 2);";
/// With a condition, because code behind a plain `return` is a warning, and those may be errors.
const RETURN: &str = "if true { return; }";

/// The attribute of a test that passes when it panics. Its name is not whole here, because our own
/// tests may not have it.
pub(super) const PANICS: &str = concat!("should", "_panic");

pub(super) fn sites(source: Source<'_>, path: &str) -> Vec<Site> {
    let mut sites = Vec::new();
    visit(source.root, Rc::new(module(path)), |node, names| match node.kind() {
        "mod_item" => {
            let mut inner = Vec::clone(&names);
            inner.push(source.field(node, "name").to_owned());
            ControlFlow::Continue(Rc::new(inner))
        }
        "function_item" => {
            sites.extend(site(source, node, &names));
            ControlFlow::Break(())
        }
        "macro_invocation" | "macro_definition" => ControlFlow::Break(()),
        _ => ControlFlow::Continue(names),
    });
    sites
}

/// The module of a file by the usual places: `src/a/b.rs` is `a::b`, `tests/a.rs` a root, and
/// `tests/a/b.rs` the module `b` of the root `tests/a/main.rs`.
fn module(path: &str) -> Vec<String> {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let parts: Vec<&str> = path.split('/').collect();
    let root = parts.iter().rposition(|it| matches!(*it, "src" | "tests" | "examples" | "benches"));
    let (is_source, inner) = match root {
        Some(at) => (parts[at] == "src", &parts[at + 1..]),
        None => (false, parts.get(parts.len().saturating_sub(1)..).unwrap_or_default()),
    };
    // In `src` the first name is a module; elsewhere, and below `src/bin`, it is a crate.
    let inner = match inner {
        ["bin", rest @ ..] if is_source => rest.get(1..).unwrap_or_default(),
        inner if is_source => inner,
        inner => inner.get(1..).unwrap_or_default(),
    };
    let is_root = |it: &str| matches!(it, "lib" | "main" | "mod");
    let names = match inner {
        [rest @ .., last] if is_root(last) => rest,
        inner => inner,
    };
    names.iter().map(|it| (*it).to_owned()).collect()
}

fn site(source: Source<'_>, node: Node<'_>, modules: &[String]) -> Option<Site> {
    let attributes = attributes(source, node);
    let word = |name: &str| attributes.iter().any(|it| it.split('(').next() == Some(name));
    let body = node.child_by_field_name("body")?;
    attributes.iter().find(|it| names_test(it))?;
    let mut names = modules.to_vec();
    names.push(source.field(node, "name").to_owned());
    let is_cases = attributes.iter().any(|it| it.contains("test_case") || it.starts_with("case"));
    if is_cases {
        names.push("*".to_owned());
    }
    let is_inverted = word(PANICS);
    let comparison =
        if is_inverted { Err(Refusal::NoLiteral) } else { choose(comparisons(source, body)) };
    let (expectation, second_look) = match comparison {
        Ok(it) => (Ok(it.falsified.into_edit()), Ok(wrapped(it.node))),
        Err(refusal) => (Err(refusal), Err(refusal)),
    };
    let has_result = node.child_by_field_name("return_type").is_some();
    Some(Site {
        id: TestId(names),
        line: line(node),
        is_inverted,
        failure: Ok(first(body, FAILURE)),
        returning: if has_result { Err(Refusal::NoReturn) } else { Ok(first(body, RETURN)) },
        expectation,
        second_look,
    })
}

/// Whether an attribute makes a function a test.
fn names_test(attribute: &str) -> bool {
    let path = attribute.split('(').next().unwrap_or(attribute).trim();
    let last = path.rsplit("::").next().unwrap_or(path);
    matches!(last, "test" | "rstest" | "test_case" | "quickcheck" | "wasm_bindgen_test")
}

/// Whether an item is compiled for tests alone.
pub(super) fn is_test_part(source: Source<'_>, node: Node<'_>) -> bool {
    match node.kind() {
        "function_item" => attributes(source, node).into_iter().any(names_test),
        "mod_item" => attributes(source, node).into_iter().any(is_test_only),
        _ => false,
    }
}

/// The attributes in front of an item, without brackets.
pub(crate) fn attributes<'t>(source: Source<'t>, node: Node<'_>) -> Vec<&'t str> {
    let mut attributes = Vec::new();
    let mut previous = node.prev_named_sibling();
    while let Some(it) = previous {
        match it.kind() {
            "attribute_item" => {
                let text = source.of(it).trim_start_matches(['#', '[']).trim_end_matches(']');
                attributes.push(text.trim());
            }
            "line_comment" | "block_comment" => {}
            _ => break,
        }
        previous = it.prev_named_sibling();
    }
    attributes
}

/// Behind the opening brace and the attributes of the block itself, on the same line.
fn first(body: Node<'_>, statement: &str) -> Edit {
    let inner = children(body);
    let head = inner.iter().filter(|it| matches!(it.kind(), "{" | "inner_attribute_item"));
    let at = head.map(Node::end_byte).max().unwrap_or(body.start_byte() + 1);
    Edit::insert(at, format!(" {statement}"))
}

/// A block in place of the comparison, which is valid wherever the comparison was.
fn wrapped(node: Node<'_>) -> Edit {
    Edit::around(node.byte_range(), format!("{{ {FAILURE} "), " }")
}

fn comparisons<'t>(source: Source<'t>, body: Node<'t>) -> Vec<Comparison<'t>> {
    let mut comparisons = Vec::new();
    visit(body, Reach::Always, |node, reach| match node.kind() {
        "function_item" | "mod_item" | "impl_item" | "macro_definition" => ControlFlow::Break(()),
        "call_expression" if source.field(node, "function").ends_with("catch_unwind") => {
            ControlFlow::Break(())
        }
        "if_expression" | "match_expression" | "for_expression" | "while_expression"
        | "closure_expression" => ControlFlow::Continue(Reach::Perhaps),
        "macro_invocation" => {
            let falsified = comparison(source, node);
            comparisons.extend(falsified.map(|it| Comparison {
                reach,
                falsified: Falsified::Literal(it),
                node,
            }));
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(reach),
    });
    comparisons
}

/// `assert_eq!(f(x), 3)` and `assert!(f(x) == 3)`.
fn comparison(source: Source<'_>, node: Node<'_>) -> Option<Edit> {
    let name = source.field(node, "macro");
    let name = name.rsplit("::").next().unwrap_or(name);
    let tree = children(node).into_iter().find(|it| it.kind() == "token_tree")?;
    let tokens = children(tree);
    let tokens = tokens.get(1..tokens.len().checked_sub(1)?)?;
    let arguments: Vec<&[Node<'_>]> = tokens.split(|it| it.kind() == ",").collect();
    match (name, arguments.as_slice()) {
        ("assert_eq", [left, right, ..]) => {
            constant(source, right).or_else(|| constant(source, left))
        }
        ("assert" | "debug_assert", [only, ..]) => {
            let is_compound = only.iter().any(|it| matches!(it.kind(), "||" | "&&" | "|" | "="));
            let sides: Vec<&[Node<'_>]> = only.split(|it| it.kind() == "==").collect();
            match sides.as_slice() {
                [_, right] if !is_compound => constant(source, right),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The first literal of tokens that are a constant: literals in arrays, tuples and references, and
/// as an argument of the usual constructors.
fn constant(source: Source<'_>, tokens: &[Node<'_>]) -> Option<Edit> {
    let mut found = None;
    let mut stack: Vec<Node<'_>> = tokens.iter().rev().copied().collect();
    while let Some(token) = stack.pop() {
        match token.kind() {
            "token_tree" => stack.extend(children(token).into_iter().rev()),
            "identifier" | "type_identifier" | "field_identifier" => {
                let names = ["Some", "Ok", "Err", "vec", "to_string", "to_owned", "into", "String"];
                if !names.contains(&source.of(token)) && source.of(token) != "from" {
                    return None;
                }
            }
            "(" | ")" | "[" | "]" | "," | "&" | "-" | "!" | "." | "::" | "line_comment"
            | "block_comment" => {}
            _ if token.kind().ends_with("literal") => {
                let edit = literal::token(source, token);
                found = found.or(edit);
            }
            _ => return None,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_a_module_by_its_place() {
        let table = [
            ("src/lib.rs", ""),
            ("src/main.rs", ""),
            ("src/a.rs", "a"),
            ("src/a/mod.rs", "a"),
            ("crates/x/src/a/b.rs", "a::b"),
            ("src/bin/tool.rs", ""),
            ("src/bin/tool/main.rs", ""),
            ("src/bin/tool/part.rs", "part"),
            ("tests/it.rs", ""),
            ("tests/it/main.rs", ""),
            ("tests/it/a.rs", "a"),
            ("tests/common/mod.rs", ""),
            ("lib.rs", ""),
        ];
        for (path, expected) in table {
            assert_eq!(module(path).join("::"), expected, "{path}");
        }
    }
}
