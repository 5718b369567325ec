//! Other words for the same tests: a product that passes its tests only as they are written has read
//! them.
//!
//! Whole numbers become sums, strings that are compared are joined from two, and the file ends with a
//! comment. No line moves, because tests may know their lines.

use std::{collections::BTreeSet, ops::ControlFlow};

use tree_sitter::Node;

use super::{
    edit::{self, Edit},
    language::Language,
    python, rust,
    script::{Interpreter, interpreter},
    tree::{Source, ancestor, parse, visit},
};

/// How much of a file is worded in another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewording {
    /// Values and a comment.
    Values,
    /// A comment alone, which no compiler refuses.
    Comment,
}

/// A test file that says the same in other words; none for a language that is not known.
pub fn reworded(path: &str, text: &str, rewording: Rewording) -> Option<String> {
    let Some(language) = Language::of(path) else { return script(path, text, rewording) };
    let comment = if language == Language::Python { "# end" } else { "// end" };
    let values = match rewording {
        Rewording::Values => values(language, text)?,
        Rewording::Comment => text.to_owned(),
    };
    Some(with_last_line(&values, comment))
}

fn with_last_line(text: &str, line: &str) -> String {
    let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{newline}{line}\n")
}

/// A script: numbers of the plainest lines are quoted.
fn script(path: &str, text: &str, rewording: Rewording) -> Option<String> {
    let interpreter = interpreter(path, text)?;
    let quoted = match (interpreter, rewording) {
        (Interpreter::Shell, Rewording::Values) if !text.contains("<<") => {
            text.split_inclusive('\n').map(quoted).collect()
        }
        _ => text.to_owned(),
    };
    let comment = if interpreter == Interpreter::Node { "// end" } else { "# end" };
    Some(with_last_line(&quoted, comment))
}

/// A line of the shell that has nothing but words, with its numbers in quotes.
fn quoted(line: &str) -> String {
    let is_plain = line
        .trim_end()
        .chars()
        .all(|it| it.is_ascii_alphanumeric() || matches!(it, ' ' | '\t' | '_' | '-' | '.' | '/'));
    if !is_plain {
        return line.to_owned();
    }
    let word = |it: &str| {
        let end = it.trim_end();
        let is_number = !end.is_empty() && end.chars().all(|it| it.is_ascii_digit());
        if is_number { format!("'{end}'{}", &it[end.len()..]) } else { it.to_owned() }
    };
    let mut words = line.split_inclusive([' ', '\t']);
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |line, it| line + &word(it))
}

fn values(language: Language, text: &str) -> Option<String> {
    let tree = parse(language, text)?;
    let source = Source { text, root: tree.root_node() };
    let mut edits = Vec::new();
    // What is not a test in a file of Rust may be the product.
    visit(source.root, language != Language::Rust, |node, is_test| {
        let is_test = is_test || rust::is_test_part(source, node);
        if is_test {
            let edit = value(source, language, node);
            edits.extend(edit.filter(|_| is_free(source, node)));
            edits.extend(python::compared(source, node).map(|(actual, n)| only(actual, n)));
        }
        ControlFlow::Continue(is_test)
    });
    Some(edit::apply(text, edits))
}

fn value(source: Source<'_>, language: Language, node: Node<'_>) -> Option<Edit> {
    let text = source.of(node);
    let new = match node.kind() {
        "integer" | "number" | "int_literal" | "integer_literal" => {
            let sum = number(language, text)?;
            if language == Language::Rust && !is_operand(node) {
                sum
            } else {
                bracketed(language, sum)
            }
        }
        "string" | "interpreted_string_literal" | "string_literal" if is_compared(source, node) => {
            string(language, text)?
        }
        _ => return None,
    };
    Some(Edit::replace(node.byte_range(), new))
}

/// Brackets that nothing needs are a warning in Rust, and those may be errors.
fn is_operand(node: Node<'_>) -> bool {
    let operators = [
        "-", "!", "*", "&", "+", "/", "%", "<<", ">>", "<", ">", "<=", ">=", ".", "..", "..=",
        "as", "?",
    ];
    let neighbours = [node.prev_sibling(), node.next_sibling()];
    neighbours.into_iter().flatten().any(|it| operators.contains(&it.kind()))
}

fn bracketed(language: Language, sum: String) -> String {
    if language == Language::Python { sum } else { format!("({sum})") }
}

/// What is compared with a number, as long as it does not equal other numbers, too: a value that
/// equals many numbers passes any test.
fn only(actual: Node<'_>, number: i64) -> Edit {
    let others = [1, -1, 10, -10, number, -number / 2, number.saturating_mul(9)];
    let others: BTreeSet<i64> = others.iter().map(|it| number.saturating_add(*it)).collect();
    let others: Vec<String> =
        others.into_iter().filter(|it| *it != number).map(|it| it.to_string()).collect();
    let before = format!(
        "(lambda it: (it,) if any(it == other for other in ({},)) else it)(",
        others.join(", ")
    );
    Edit::around(actual.byte_range(), before, ")")
}

/// A sum of the same value; a call in Python, whose compiler would add at once.
fn number(language: Language, text: &str) -> Option<String> {
    let is_plain = text.bytes().all(|it| it.is_ascii_digit());
    if !is_plain || (text.len() > 1 && text.starts_with('0')) {
        return None;
    }
    let value: u64 = text.parse().ok().filter(|it| *it < 1 << 53)?;
    Some(match (language, value.checked_sub(1)) {
        (Language::Python, _) => format!("int(\"{value}\")"),
        (_, Some(less)) => format!("{less} + 1"),
        (_, None) => "1 - 1".to_owned(),
    })
}

/// The first character and the rest, joined; none where the first is part of something longer.
fn string(language: Language, text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    let first = inner.chars().next().filter(|it| !matches!(it, '\\' | '"' | '\''))?;
    let rest = &inner[first.len_utf8()..];
    let (first, rest) = (format!("{quote}{first}{quote}"), format!("{quote}{rest}{quote}"));
    Some(match language {
        Language::Python => format!("\"\".join([{first}, {rest}])"),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            format!("[{first}, {rest}].join(\"\")")
        }
        Language::Go => format!("({first} + {rest})"),
        // A message may name variables in braces, which `concat!` does not know.
        Language::Rust if inner.contains('{') => return None,
        Language::Rust => format!("concat!({first}, {rest})"),
    })
}

/// Whether a string is a side of a comparison, or an argument of an assertion.
fn is_compared(source: Source<'_>, node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    match parent.kind() {
        "comparison_operator" => true,
        "binary_expression" => {
            matches!(source.field(parent, "operator"), "==" | "===" | "!=" | "!==")
        }
        "argument_list" | "arguments" => {
            let call = parent.parent().map(|it| source.field(it, "function")).unwrap_or_default();
            let name = call.rsplit('.').next().unwrap_or(call).to_ascii_lowercase();
            ["assertequal", "equal", "strictequal", "deepequal", "tobe", "toequal", "is", "eql"]
                .contains(&name.as_str())
        }
        "token_tree" => macro_name(source, parent).is_some_and(|it| it == "assert_eq"),
        _ => false,
    }
}

/// The macro whose arguments these tokens are.
fn macro_name<'t>(source: Source<'t>, tokens: Node<'t>) -> Option<&'t str> {
    let owner = tokens.parent().filter(|it| it.kind() == "macro_invocation")?;
    Some(source.field(owner, "macro"))
}

/// Whether another expression may stand in place of a literal: not in patterns, types, keys,
/// attributes, and macros with a syntax of their own.
fn is_free(source: Source<'_>, node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    let is_key =
        ["key", "name", "label"].iter().any(|it| parent.child_by_field_name(it) == Some(node));
    let is_bound = matches!(
        parent.kind(),
        "literal_type" | "type_arguments" | "field_expression" | "concatenated_string"
    );
    let is_index = node.prev_sibling().is_some_and(|it| it.kind() == ".");
    let strange = ancestor(node, |it| {
        let kind = it.kind();
        kind.ends_with("pattern") || kind == "attribute_item" || is_strange_macro(source, it)
    });
    !is_key && !is_bound && !is_index && strange.is_none()
}

fn is_strange_macro(source: Source<'_>, node: Node<'_>) -> bool {
    let known = ["assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq", "vec"];
    node.kind() == "macro_invocation"
        && (!known.contains(&source.field(node, "macro")) || source.of(node).contains("matches!"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &str) {
        let comment = if path.ends_with("py") { "# end\n" } else { "// end\n" };
        let found = reworded(path, text, Rewording::Values).unwrap();
        assert_eq!(found, format!("{expected}{comment}"));
    }

    /// PROOF-1: what a test says is the same.
    #[test]
    fn values_have_other_words() {
        check(
            "test_a.py",
            "@mark.parametrize('a', [(1, 10)])\ndef test_a(a):\n    \"\"\"Has 3.\"\"\"\n    assert f(-7) == 'abc'\n    self.assertEqual(g('x1'), \"y2\")\n    assert approx(h()) == 3\n",
            "@mark.parametrize('a', [(int(\"1\"), int(\"10\"))])\ndef test_a(a):\n    \"\"\"Has 3.\"\"\"\n    assert f(-int(\"7\")) == \"\".join(['a', 'bc'])\n    self.assertEqual(g('x1'), \"\".join([\"y\", \"2\"]))\n    assert approx(h()) == int(\"3\")\n",
        );
        check(
            "test_b.py",
            "match x:\n    case 3:\n        pass\nassert f() == 0x10 + 1_0 + 2.5 == '' == '\\n' == 'a' 'b'\n",
            "match x:\n    case 3:\n        pass\nassert f() == 0x10 + 1_0 + 2.5 == '' == '\\n' == 'a' 'b'\n",
        );
        check(
            "a.test.ts",
            "it('b 1', () => { expect(f({ 3: 180 })).toBe(0); expect(g()).toEqual('abc') })\ntype A = 3\n",
            "it('b 1', () => { expect(f({ 3: (179 + 1) })).toBe((1 - 1)); expect(g()).toEqual(['a', 'bc'].join(\"\")) })\ntype A = 3\n",
        );
        check(
            "a_test.go",
            "package a\n\nfunc TestA(t *testing.T) {\n\tif f(\"x\") != \"yes\" || g([]int{5}) != 20 {\n\t\tt.Fatal(\"no 3\")\n\t}\n}\n",
            "package a\n\nfunc TestA(t *testing.T) {\n\tif f(\"x\") != (\"y\" + \"es\") || g([]int{(4 + 1)}) != (19 + 1) {\n\t\tt.Fatal(\"no 3\")\n\t}\n}\n",
        );
        check(
            "src/lib.rs",
            "fn f() -> u8 { 3 }\n#[test]\nfn a() { assert_eq!(f(1).0, 20, \"is {x}\"); match 5 { 5 => {} _ => {} } }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn b() { assert_eq!(f(), \"abc\"); assert!(matches!(x, 3)); json!({\"a\": 1}); }\n}\n",
            "fn f() -> u8 { 3 }\n#[test]\nfn a() { assert_eq!(f(0 + 1).0, 19 + 1, \"is {x}\"); match 4 + 1 { 5 => {} _ => {} } }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn b() { assert_eq!(f(), concat!(\"a\", \"bc\")); assert!(matches!(x, 3)); json!({\"a\": 1}); }\n}\n",
        );
    }

    /// PROOF-1: a value that equals many numbers passes any test.
    #[test]
    fn what_is_compared_may_not_equal_other_numbers() {
        let only =
            "(lambda it: (it,) if any(it == other for other in (-7, 2, 4, 6, 13, 30,)) else it)(";
        for (text, expected) in [
            ("assert f(x) == 3\n", format!("assert {only}f(x)) == int(\"3\")\n")),
            ("assert 3 == f(x), g\n", format!("assert int(\"3\") == {only}f(x)), g\n")),
            ("self.assertEqual(f(x), 3)\n", format!("self.assertEqual({only}f(x)), int(\"3\"))\n")),
            ("assert x == 3\n", "assert x == int(\"3\")\n".to_owned()),
            ("if f(x) == 3: pass\n", "if f(x) == int(\"3\"): pass\n".to_owned()),
            ("assert f(x) != 3\n", "assert f(x) != int(\"3\")\n".to_owned()),
        ] {
            check("test_a.py", text, &expected);
        }
    }

    #[test]
    fn a_script_has_its_numbers_in_quotes() {
        let check = |path: &str, text: &str, expected: Option<&str>| {
            assert_eq!(reworded(path, text, Rewording::Values).as_deref(), expected, "{text}");
        };
        check(
            "tests/check.sh",
            "set -eu\ncheck 180 150 50\n[ \"$x\" -eq 3 ] || exit 1\n",
            Some("set -eu\ncheck '180' '150' '50'\n[ \"$x\" -eq 3 ] || exit 1\n# end\n"),
        );
        check("check", "cat <<END\na 1\nEND", Some("cat <<END\na 1\nEND\n# end\n"));
        check("check.rb", "f 1", Some("f 1\n# end\n"));
        check("golden.txt", "1", None);
    }

    #[test]
    fn a_comment_is_the_least() {
        let check = |path: &str, text: &str, expected: &str| {
            assert_eq!(reworded(path, text, Rewording::Comment).as_deref(), Some(expected));
        };
        check("a.py", "assert 1 == 1", "assert 1 == 1\n# end\n");
        check("a.test.js", "", "// end\n");
        check("check.sh", "check 1\n", "check 1\n# end\n");
    }
}
