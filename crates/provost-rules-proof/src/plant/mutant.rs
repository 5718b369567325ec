//! Mutants: product code with one operator changed, on lines that a change touched.

use std::{collections::BTreeMap, ops::ControlFlow, ops::RangeInclusive};

use tree_sitter::Node;

use super::{
    edit::{self, Edit},
    language::Language,
    literal::{self, Sign},
    tree::{Source, line, named, parse, visit},
};

/// How many mutants one file gets.
const PER_FILE: usize = 4;

/// What a mutant changes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operator {
    /// One operator becomes another.
    Replace { from: String, to: &'static str },
    /// A number becomes its neighbour.
    Number,
    /// A boolean becomes the other one.
    Boolean,
    /// A condition is negated.
    Negate,
    /// Nothing is returned.
    Nothing,
    /// What is returned is put into a list.
    List,
}

/// A file with one change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    pub line: u32,
    pub operator: Operator,
    pub text: String,
}

/// Mutants on these lines: at most four per file, at least two different ones per line. A line that
/// offers only one is left out, because one alone misleads: 2*2 is 2+2.
pub fn mutants(path: &str, text: &str, lines: &[RangeInclusive<u32>]) -> Vec<Mutant> {
    mutants_of(path, text, lines, candidates)
}

/// Mutants on these lines that return another value. Whatever calls a function notices most of them, so
/// that operators say more, where there are any.
pub fn value_mutants(path: &str, text: &str, lines: &[RangeInclusive<u32>]) -> Vec<Mutant> {
    mutants_of(path, text, lines, returns)
}

fn mutants_of(
    path: &str,
    text: &str,
    lines: &[RangeInclusive<u32>],
    candidates: fn(Source<'_>, Language, Node<'_>) -> Vec<(Operator, Edit)>,
) -> Vec<Mutant> {
    let Some(language) = Language::of(path) else { return Vec::new() };
    let Some(tree) = parse(language, text) else { return Vec::new() };
    let source = Source { text, root: tree.root_node() };
    let mut found: BTreeMap<u32, BTreeMap<Operator, Edit>> = BTreeMap::new();
    visit(source.root, (), |node, ()| {
        let at = line(node);
        if lines.iter().any(|it| it.contains(&at)) {
            let of_line = found.entry(at).or_default();
            for (operator, edit) in candidates(source, language, node) {
                of_line.entry(operator).or_insert(edit);
            }
        }
        ControlFlow::Continue(())
    });
    let full: Vec<(u32, BTreeMap<Operator, Edit>)> =
        found.into_iter().filter(|(_, it)| it.len() >= 2).collect();
    // One line gets all four; of more, the first and the last get two each.
    let chosen = match full.as_slice() {
        [] => Vec::new(),
        [only] => vec![(only, PER_FILE)],
        [first, .., last] => vec![(first, PER_FILE / 2), (last, PER_FILE / 2)],
    };
    chosen
        .into_iter()
        .flat_map(|((line, operators), count)| {
            operators.iter().take(count).map(|(operator, edit)| Mutant {
                line: *line,
                operator: operator.clone(),
                text: edit::apply(text, vec![edit.clone()]),
            })
        })
        .collect()
}

fn candidates(source: Source<'_>, language: Language, node: Node<'_>) -> Vec<(Operator, Edit)> {
    match node.kind() {
        "binary_operator"
        | "binary_expression"
        | "boolean_operator"
        | "comparison_operator"
        | "augmented_assignment"
        | "augmented_assignment_expression"
        | "compound_assignment_expr" => {
            let field = if node.kind() == "comparison_operator" { "operators" } else { "operator" };
            let Some(operator) = node.child_by_field_name(field) else { return Vec::new() };
            let from = source.of(operator);
            let replace = |to: &&'static str| {
                let change = Operator::Replace { from: from.to_owned(), to };
                (change, Edit::replace(operator.byte_range(), *to))
            };
            others(from).iter().map(replace).collect()
        }
        "integer" | "float" | "number" | "int_literal" | "float_literal" | "integer_literal" => {
            let new = literal::number(source.of(node), Sign::Positive);
            let edit = new.map(|it| Edit::replace(node.byte_range(), it));
            edit.map(|it| (Operator::Number, it)).into_iter().collect()
        }
        "true" | "false" | "boolean_literal" => {
            let edit = literal::token(source, node);
            edit.map(|it| (Operator::Boolean, it)).into_iter().collect()
        }
        "if_statement" | "if_expression" | "while_statement" | "elif_clause" => {
            negated(language, node).map(|it| (Operator::Negate, it)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Other values of a function, in languages that do not hold them against a type.
fn returns(source: Source<'_>, language: Language, node: Node<'_>) -> Vec<(Operator, Edit)> {
    if node.kind() != "return_statement" {
        return Vec::new();
    }
    let nothing = match language {
        Language::Python => "None",
        Language::JavaScript => "undefined",
        Language::TypeScript | Language::Tsx | Language::Rust | Language::Go => return Vec::new(),
    };
    let [value] = named(node)[..] else { return Vec::new() };
    let list = format!("[{}]", source.of(value));
    let replace = |text: String| Edit::replace(value.byte_range(), text);
    vec![(Operator::Nothing, replace(nothing.to_owned())), (Operator::List, replace(list))]
}

/// The operators that one becomes.
fn others(operator: &str) -> &'static [&'static str] {
    match operator {
        "+" => &["-", "*"],
        "-" => &["+", "*"],
        "*" => &["+", "-"],
        "/" | "//" | "%" => &["*", "+"],
        "<" => &["<=", ">"],
        "<=" => &["<", ">"],
        ">" => &[">=", "<"],
        ">=" => &[">", "<"],
        "==" => &["!="],
        "!=" => &["=="],
        "===" => &["!=="],
        "!==" => &["==="],
        "and" => &["or"],
        "or" => &["and"],
        "&&" => &["||"],
        "||" => &["&&"],
        "+=" => &["-=", "="],
        "-=" | "*=" => &["+=", "="],
        _ => &[],
    }
}

fn negated(language: Language, node: Node<'_>) -> Option<Edit> {
    let condition = node.child_by_field_name("condition")?;
    let not = match language {
        Language::Python => "not (",
        Language::JavaScript
        | Language::TypeScript
        | Language::Tsx
        | Language::Rust
        | Language::Go => "!(",
    };
    match condition.kind() {
        "let_condition" | "let_chain" => None,
        // In JavaScript the parentheses belong to the statement.
        "parenthesized_expression" if not == "!(" => {
            let inner = *named(condition).first()?;
            Some(Edit::around(inner.byte_range(), not.to_owned(), ")"))
        }
        _ => Some(Edit::around(condition.byte_range(), not.to_owned(), ")")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, lines: &[RangeInclusive<u32>], expected: &[(u32, &str)]) {
        let found = mutants(path, text, lines);
        let found: Vec<(u32, &str)> = found
            .iter()
            .map(|it| {
                let at = usize::try_from(it.line).unwrap() - 1;
                (it.line, it.text.lines().nth(at).unwrap())
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_returned_value_becomes_another() {
        let found = |path: &str, text: &str| -> Vec<String> {
            let found = value_mutants(path, text, &[1..=3]);
            let line = |it: Mutant| it.text.lines().nth(1).unwrap_or_default().to_owned();
            found.into_iter().map(line).collect()
        };
        let expected = ["    return None", "    return [g(a)]"];
        assert_eq!(found("a.py", "def f(a):\n    return g(a)\n"), expected);
        assert_eq!(found("a.ts", "function f(a) {\n  return g(a);\n}\n"), [""; 0]);
    }

    #[test]
    fn a_line_gets_two_different_operators() {
        let sum = "def sum(a, b):\n    return a + b\n";
        check("a.py", sum, &[2..=2], &[(2, "    return a * b"), (2, "    return a - b")]);
        check("a.py", sum, &[1..=1], &[]);
        check("a.txt", sum, &[2..=2], &[]);
        // One operator alone misleads.
        check("a.py", "x = a == b\n", &[1..=1], &[]);
        check(
            "a.js",
            "if (a < 3) {\n  b();\n}\n",
            &[1..=3],
            &[
                (1, "if (a <= 3) {"),
                (1, "if (a > 3) {"),
                (1, "if (a < 4) {"),
                (1, "if (!(a < 3)) {"),
            ],
        );
        check(
            "a.rs",
            "fn f(a: u8) -> u8 {\n    let b = a + 1;\n    let c = b;\n    c * 2\n}\n",
            &[1..=5],
            &[
                (2, "    let b = a * 1;"),
                (2, "    let b = a - 1;"),
                (4, "    c + 2"),
                (4, "    c - 2"),
            ],
        );
        check(
            "a.go",
            "package a\nfunc f(a int) bool {\n\treturn a >= 1 && true\n}\n",
            &[3..=3],
            &[
                (3, "\treturn a >= 1 || true"),
                (3, "\treturn a < 1 && true"),
                (3, "\treturn a > 1 && true"),
                (3, "\treturn a >= 2 && true"),
            ],
        );
    }
}
