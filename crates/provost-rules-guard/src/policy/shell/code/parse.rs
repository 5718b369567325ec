//! Reads code with the grammar of its language, within a budget that does not depend on a clock.

use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

use super::{super::stdin, expr::Expr};

/// The longest code that is read by its grammar, in bytes.
pub(super) const MAX_CODE: usize = 1 << 18;
/// How many hundreds of steps a parse may take: a code of 64 KiB without errors takes about 1000.
const MAX_PARSE: u32 = 4096;
/// How many nodes of the tree are translated.
const MAX_NODES: usize = 200_000;
/// How deep the tree is followed.
const MAX_DEEP: usize = 120;

/// A language that is read by its grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Language {
    Python,
    JavaScript,
    Ruby,
    Perl,
}

impl Language {
    /// The language of an interpreter, or of a file by its ending.
    pub(in super::super) fn of(name: &str) -> Option<Self> {
        let name = name.rsplit('/').next().unwrap_or(name);
        let (stem, end) = name.rsplit_once('.').unwrap_or((name, ""));
        match end {
            "py" | "pyw" => return Some(Self::Python),
            "cjs" | "cts" | "js" | "mjs" | "mts" | "ts" => return Some(Self::JavaScript),
            "rb" => return Some(Self::Ruby),
            "pl" | "pm" => return Some(Self::Perl),
            _ => {}
        }
        let is_version = end.is_empty() || end.bytes().all(|it| it.is_ascii_digit());
        let bare = stem.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
        match bare {
            "ipython" | "pypy" | "python" if is_version => Some(Self::Python),
            "bun" | "deno" | "node" | "nodejs" | "ts-node" | "tsx" => Some(Self::JavaScript),
            "jruby" | "ruby" if is_version => Some(Self::Ruby),
            "perl" if is_version => Some(Self::Perl),
            _ => None,
        }
    }

    fn grammars(self) -> Vec<tree_sitter::Language> {
        match self {
            Self::Python => vec![tree_sitter_python::LANGUAGE.into()],
            Self::JavaScript => vec![
                tree_sitter_javascript::LANGUAGE.into(),
                tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            ],
            Self::Ruby => vec![tree_sitter_ruby::LANGUAGE.into()],
            Self::Perl => vec![ts_parser_perl::LANGUAGE.into()],
        }
    }
}

/// A code that was read.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) code: Expr,
    /// Every text and every pattern that stands in it.
    pub(super) literals: Vec<String>,
}

/// The tree of a code; none if it is not of the language, or too much.
pub(super) fn read(language: Language, code: &str) -> Option<Read> {
    if code.len() > MAX_CODE {
        return None;
    }
    let tree = language.grammars().into_iter().find_map(|it| parse(&it, code))?;
    let mut reader =
        Reader { language, source: code, literals: Vec::new(), nodes: 0, deep: 0, is_over: false };
    let code = reader.expr(tree.root_node());
    (!reader.is_over).then_some(Read { code, literals: reader.literals })
}

fn parse(grammar: &tree_sitter::Language, code: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(grammar).ok()?;
    let mut steps = 0_u32;
    let mut count = |_: &ParseState| {
        steps += 1;
        if steps > MAX_PARSE { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let bytes = code.as_bytes();
    let options = ParseOptions::new().progress_callback(&mut count);
    let mut input = |at: usize, _| bytes.get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut input, None, Some(options))?;
    (!tree.root_node().has_error()).then_some(tree)
}

/// Translates a tree.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    language: Language,
    source: &'a str,
    pub(super) literals: Vec<String>,
    nodes: usize,
    deep: usize,
    is_over: bool,
}

impl<'a> Reader<'a> {
    /// One node, within the budget.
    pub(super) fn expr(&mut self, node: Node<'_>) -> Expr {
        self.nodes += 1;
        if self.nodes > MAX_NODES || self.deep >= MAX_DEEP {
            self.is_over = true;
            return Expr::none();
        }
        self.deep += 1;
        let read = match self.language {
            Language::Python => self.python(node),
            Language::JavaScript => self.javascript(node),
            Language::Ruby => self.ruby(node),
            Language::Perl => self.perl(node),
        };
        self.deep -= 1;
        read
    }

    /// The node of a field; nothing where it is missing.
    pub(super) fn field(&mut self, node: Node<'_>, name: &str) -> Expr {
        node.child_by_field_name(name).map_or_else(Expr::none, |it| self.expr(it))
    }

    pub(super) fn boxed(&mut self, node: Node<'_>, name: &str) -> Box<Expr> {
        Box::new(self.field(node, name))
    }

    /// The named children, without comments.
    pub(super) fn all(&mut self, node: Node<'_>) -> Vec<Expr> {
        named(node).into_iter().map(|it| self.expr(it)).collect()
    }

    /// The named children of a field.
    pub(super) fn all_of(&mut self, node: Node<'_>, name: &str) -> Vec<Expr> {
        node.child_by_field_name(name).map_or_else(Vec::new, |it| self.all(it))
    }

    pub(super) fn other(&mut self, node: Node<'_>) -> Expr {
        Expr::Other(self.all(node))
    }

    /// A node whose only child is meant.
    pub(super) fn only(&mut self, node: Node<'_>) -> Expr {
        let mut all = self.all(node);
        if all.len() == 1 { all.remove(0) } else { Expr::Block(all) }
    }

    pub(super) fn source(&self, node: Node<'_>) -> &'a str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    pub(super) fn field_source(&self, node: Node<'_>, name: &str) -> &'a str {
        node.child_by_field_name(name).map_or("", |it| self.source(it))
    }

    pub(super) fn source_between(&self, from: usize, to: usize) -> &'a str {
        self.source.get(from..to).unwrap_or_default()
    }

    /// Notes a text that stands in the code.
    pub(super) fn literal(&mut self, text: String) -> Expr {
        self.literals.push(text.clone());
        Expr::Text(text)
    }

    /// `-1`
    pub(super) fn negative(&mut self, node: Node<'_>) -> Expr {
        let all = self.all(node);
        match all.as_slice() {
            [Expr::Number(number)] if self.source(node).starts_with('-') => {
                Expr::Number(number.saturating_neg())
            }
            _ => Expr::Other(all),
        }
    }

    pub(super) fn number(&self, node: Node<'_>) -> Expr {
        let text = self.source(node).replace('_', "").to_ascii_lowercase();
        let radix = |start: &str, radix: u32| {
            text.strip_prefix(start).and_then(|it| i64::from_str_radix(it, radix).ok())
        };
        let number = text.parse().ok().or_else(|| radix("0o", 8)).or_else(|| radix("0x", 16));
        number.or_else(|| radix("0b", 2)).map_or_else(Expr::none, Expr::Number)
    }
}

/// The named children of a node, without comments.
pub(super) fn named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|it| !it.is_extra()).collect()
}

/// A text with its escapes read, those in braces too.
pub(super) fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    // `\u{72}` and `\x{72}`
    while let Some((before, after)) = rest.split_once('{').filter(|_| rest.contains('\\')) {
        let is_escape = before.ends_with("\\u") || before.ends_with("\\x");
        let inner = after.split_once('}').filter(|_| is_escape);
        let one = inner.and_then(|it| u32::from_str_radix(it.0, 16).ok()).and_then(char::from_u32);
        if let (Some(one), Some((_, behind))) = (one, inner) {
            plain.push_str(before.get(..before.len() - 2).unwrap_or_default());
            plain.push(one);
            rest = behind;
        } else {
            plain.push_str(before);
            plain.push('{');
            rest = after;
        }
    }
    plain.push_str(rest);
    stdin::unescape(&plain)
}

/// Whether a part of the code holds a text or a pattern that a name could be compared with.
pub(super) fn holds_text(node: Node<'_>) -> bool {
    let mut open = vec![node];
    while let Some(it) = open.pop() {
        if matches!(
            it.kind(),
            "string" | "regex" | "match_regexp" | "string_literal" | "interpolated_string_literal"
        ) {
            return true;
        }
        open.extend(named(it));
    }
    false
}

/// Whether a body ends the turn of the loop or the function that it stands in.
pub(super) fn leaves(node: Node<'_>) -> bool {
    const LEAVING: [&str; 9] = [
        "break",
        "break_statement",
        "continue_statement",
        "loopex_expression",
        "next",
        "raise_statement",
        "return",
        "return_statement",
        "return_expression",
    ];
    LEAVING.contains(&node.kind()) || named(node).last().is_some_and(|it| leaves(*it))
}
