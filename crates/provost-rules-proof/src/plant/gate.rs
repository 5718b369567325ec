//! Errors for gates: a build or a typecheck that stays green with one of them looks at nothing.

use super::language::Language;

/// Which kind of error a gate must notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GateKind {
    /// For a typecheck.
    Type,
    /// For a build.
    Syntax,
}

/// A source file with one error of this kind behind its last line; none for a language without one.
///
/// An error of type in plain JavaScript is noticed only where comments are checked for types.
pub fn gate_error(path: &str, text: &str, kind: GateKind) -> Option<String> {
    let language = Language::of(path)?;
    // Declarations of libraries are left out by most configurations.
    if [".d.ts", ".d.mts", ".d.cts"].iter().any(|it| path.ends_with(it)) {
        return None;
    }
    let name = name(text);
    let line = match (language, kind) {
        (Language::Python, GateKind::Type) => format!("{name}: int = \"text\""),
        (Language::Python, GateKind::Syntax) => "def (:".to_owned(),
        (Language::JavaScript, GateKind::Type) => {
            format!("/** @type {{number}} */\nconst {name} = \"text\";")
        }
        (Language::TypeScript | Language::Tsx, GateKind::Type) => {
            format!("const {name}: number = \"text\";")
        }
        (Language::JavaScript | Language::TypeScript | Language::Tsx, GateKind::Syntax) => {
            "const = ;".to_owned()
        }
        (Language::Rust, GateKind::Type) => "const _: u8 = \"text\";".to_owned(),
        (Language::Rust, GateKind::Syntax) => "fn (".to_owned(),
        (Language::Go, GateKind::Type) => "var _ int = \"text\"".to_owned(),
        (Language::Go, GateKind::Syntax) => "func (".to_owned(),
    };
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    Some(format!("{text}{end}{line}\n"))
}

/// A name that the file does not have.
fn name(text: &str) -> String {
    let mut name = "default_limit".to_owned();
    while text.contains(&name) {
        name.push_str("_value");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use GateKind::{Syntax, Type};

    #[test]
    fn the_error_stands_behind_the_last_line() {
        let table = [
            ("a.py", "x = 1", Type, Some("x = 1\ndefault_limit: int = \"text\"\n")),
            ("a.py", "x = 1\n", Syntax, Some("x = 1\ndef (:\n")),
            (
                "a.ts",
                "const default_limit = 1\n",
                Type,
                Some("const default_limit = 1\nconst default_limit_value: number = \"text\";\n"),
            ),
            ("a.tsx", "", Syntax, Some("const = ;\n")),
            ("a.js", "", Type, Some("/** @type {number} */\nconst default_limit = \"text\";\n")),
            ("a.rs", "// end", Type, Some("// end\nconst _: u8 = \"text\";\n")),
            ("a.rs", "", Syntax, Some("fn (\n")),
            ("a.go", "", Type, Some("var _ int = \"text\"\n")),
            ("a.go", "", Syntax, Some("func (\n")),
            ("a.d.ts", "", Type, None),
            ("a.rb", "", Syntax, None),
        ];
        for (path, text, kind, expected) in table {
            assert_eq!(gate_error(path, text, kind).as_deref(), expected, "{path} {kind:?}");
        }
    }
}
