//! A call that defines a test or a group.

use tree_sitter::Node;

use super::{Bindings, Source, named};

/// What may follow `test`, `it` or `describe`. Hooks such as `test.before` are not among them.
const MODIFIERS: [&str; 19] = [
    "cb",
    "concurrent",
    "each",
    "fail",
    "failing",
    "fails",
    "failure",
    "for",
    "only",
    "parallel",
    "runIf",
    "sequential",
    "serial",
    "shuffle",
    "skip",
    "skipIf",
    "slow",
    "todo",
    "fixme",
];
/// Modifiers that are called before the title is.
const CALLED: [&str; 4] = ["each", "for", "runIf", "skipIf"];
const FUNCTIONS: [&str; 3] = ["arrow_function", "function_expression", "generator_function"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Group,
    Test,
}

#[derive(Debug)]
pub(super) struct Definition<'t> {
    pub(super) role: Role,
    pub(super) title: String,
    /// The word that says that a failure is expected.
    pub(super) inversion: Option<&'static str>,
    /// One definition, many cases.
    pub(super) is_table: bool,
    pub(super) shape: Shape<'t>,
}

#[derive(Debug)]
pub(super) enum Shape<'t> {
    Function { body: Node<'t>, parameter: Option<String> },
    Reference,
}

impl Definition<'_> {
    pub(super) fn parameter(&self) -> Option<String> {
        match &self.shape {
            Shape::Function { body: _, parameter } => parameter.clone(),
            Shape::Reference => None,
        }
    }
}

/// The definition that a node is, with the parameters of the tests around it.
pub(super) fn read<'t>(
    source: Source<'t>,
    bindings: &Bindings,
    parameters: &[String],
    node: Node<'t>,
) -> Option<Definition<'t>> {
    if node.kind() != "call_expression" {
        return None;
    }
    let words = words(source, node.child_by_field_name("function")?)?;
    let (role, modifiers) = role(bindings, parameters, &words)?;
    if !modifiers.iter().all(|it| MODIFIERS.contains(it)) {
        return None;
    }
    let list = node.child_by_field_name("arguments").filter(|it| it.kind() == "arguments")?;
    let arguments = named(list);
    let function = arguments.iter().rev().find_map(|it| function(*it));
    let first = *arguments.first()?;
    let is_titled = matches!(first.kind(), "string" | "template_string");
    let shape = match function {
        Some(function) => Shape::Function {
            body: function.child_by_field_name("body")?,
            parameter: parameter(source, function),
        },
        None if is_titled && arguments.iter().skip(1).any(|it| is_reference(*it)) => {
            Shape::Reference
        }
        None => return None,
    };
    let is_table = modifiers.iter().any(|it| matches!(*it, "each" | "for"));
    let title = match function {
        Some(it) if it == first => name(source, it),
        Some(_) | None => title(source, first),
    };
    let title = if is_table { pattern(&title) } else { title };
    Some(Definition {
        role,
        title,
        inversion: inversion(source, &modifiers, &arguments),
        is_table,
        shape,
    })
}

/// `test.each([…]).only` as its words.
fn words<'t>(source: Source<'t>, callee: Node<'t>) -> Option<Vec<&'t str>> {
    let mut words = Vec::new();
    let mut node = callee;
    loop {
        match node.kind() {
            "identifier" => {
                words.push(source.of(node));
                words.reverse();
                return Some(words);
            }
            "member_expression" => {
                words.push(source.field(node, "property"));
                node = node.child_by_field_name("object")?;
            }
            "call_expression" => {
                node = node.child_by_field_name("function")?;
                let is_called = CALLED.contains(&source.field(node, "property"));
                if node.kind() != "member_expression" || !is_called {
                    return None;
                }
            }
            _ => return None,
        }
    }
}

fn role<'a>(
    bindings: &Bindings,
    parameters: &[String],
    words: &'a [&'a str],
) -> Option<(Role, Vec<&'a str>)> {
    let is_test = |it: &str| bindings.tests.contains(it);
    let is_group = |it: &str| bindings.groups.contains(it);
    let is_owner = |it: &str| {
        matches!(it, "QUnit" | "Deno")
            || bindings.owners.contains(it)
            || parameters.iter().any(|name| name == it)
    };
    let (role, rest) = match words {
        [owner, "test" | "it", rest @ ..] if is_owner(owner) => (Role::Test, rest),
        [owner, "module" | "describe" | "suite", rest @ ..] if is_owner(owner) => {
            (Role::Group, rest)
        }
        [word, "describe" | "suite", rest @ ..] if is_test(word) => (Role::Group, rest),
        [word, rest @ ..] if is_test(word) => (Role::Test, rest),
        [word, rest @ ..] if is_group(word) => (Role::Group, rest),
        _ => return None,
    };
    Some((role, rest.to_vec()))
}

/// A function, or the only one that a call such as `fakeAsync(() => {…})` wraps.
fn function(node: Node<'_>) -> Option<Node<'_>> {
    let mut node = node;
    loop {
        if FUNCTIONS.contains(&node.kind()) {
            return Some(node);
        }
        if node.kind() != "call_expression" {
            return None;
        }
        let arguments = node.child_by_field_name("arguments")?;
        let is_candidate =
            |it: &Node<'_>| FUNCTIONS.contains(&it.kind()) || it.kind() == "call_expression";
        let candidates: Vec<Node<'_>> = named(arguments).into_iter().filter(is_candidate).collect();
        let [only] = candidates.as_slice() else { return None };
        node = *only;
    }
}

fn is_reference(node: Node<'_>) -> bool {
    matches!(node.kind(), "identifier" | "member_expression" | "call_expression")
}

/// The name of the first parameter, where it is a plain one.
fn parameter(source: Source<'_>, function: Node<'_>) -> Option<String> {
    let single = function.child_by_field_name("parameter");
    let first =
        single.or_else(|| named(function.child_by_field_name("parameters")?).into_iter().next())?;
    let name = first.child_by_field_name("pattern").unwrap_or(first);
    (name.kind() == "identifier").then(|| source.of(name).to_owned())
}

fn inversion(
    source: Source<'_>,
    modifiers: &[&str],
    arguments: &[Node<'_>],
) -> Option<&'static str> {
    let word =
        ["failing", "fails", "fail", "failure"].into_iter().find(|it| modifiers.contains(it));
    let is_option = |it: &Node<'_>| {
        let text: String = source.of(*it).split_whitespace().collect();
        it.kind() == "object"
            && ["fails:true", "expectFailure:true"].iter().any(|word| text.contains(word))
    };
    word.or_else(|| arguments.iter().any(is_option).then_some("fails"))
}

/// A test without a title has the name of its function.
fn name(source: Source<'_>, function: Node<'_>) -> String {
    match source.field(function, "name") {
        "" => "<anonymous>".to_owned(),
        name => name.to_owned(),
    }
}

/// A title, with `*` for what is only known when the test runs.
fn title(source: Source<'_>, node: Node<'_>) -> String {
    let mut title = String::new();
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "string" | "template_string" => {
                let mut cursor = node.walk();
                for part in node.named_children(&mut cursor) {
                    match part.kind() {
                        "string_fragment" => title.push_str(source.of(part)),
                        "escape_sequence" => title.push_str(&unescaped(source.of(part))),
                        _ => title.push('*'),
                    }
                }
            }
            "binary_expression" if source.field(node, "operator") == "+" => {
                stack.extend(node.child_by_field_name("right"));
                stack.extend(node.child_by_field_name("left"));
            }
            "parenthesized_expression" => stack.extend(named(node).first()),
            _ => title.push('*'),
        }
    }
    title
}

fn unescaped(sequence: &str) -> String {
    let inner = sequence.strip_prefix('\\').unwrap_or(sequence);
    let code = |digits: &str| {
        u32::from_str_radix(digits.trim_matches(['{', '}']), 16).ok().and_then(char::from_u32)
    };
    let found = match inner.split_at_checked(1) {
        Some(("x" | "u", digits)) => code(digits),
        Some(("n", _)) => Some('\n'),
        Some(("t", _)) => Some('\t'),
        Some(("r", _)) => Some('\r'),
        Some(("b", _)) => Some('\u{8}'),
        Some(("f", _)) => Some('\u{c}'),
        Some(("v", _)) => Some('\u{b}'),
        Some(("0", "")) => Some('\0'),
        Some(("\n" | "\r", _)) => return String::new(),
        Some(_) | None => return inner.to_owned(),
    };
    // Half of a surrogate pair is not a character.
    found.map_or_else(|| "*".to_owned(), String::from)
}

/// The title of a table: `%s` and `$name` stand for the values of a case.
fn pattern(title: &str) -> String {
    let mut pattern = String::new();
    let mut rest = title.chars().peekable();
    while let Some(character) = rest.next() {
        match (character, rest.peek().copied()) {
            ('%', Some('%')) => {
                rest.next();
                pattern.push('%');
            }
            ('%', Some(kind)) if kind.is_ascii_alphabetic() || matches!(kind, '#' | '$') => {
                rest.next();
                pattern.push('*');
            }
            ('$', Some(kind)) if kind.is_alphabetic() || matches!(kind, '#' | '_') => {
                let is_path = |it: &char| it.is_alphanumeric() || matches!(it, '#' | '_' | '.');
                while rest.next_if(|it| is_path(it)).is_some() {}
                pattern.push('*');
            }
            (character, _) => pattern.push(character),
        }
    }
    pattern
}
