//! Reading a syntax tree: parsing, and the few ways in which the languages look at nodes.
//!
//! Agents write these files, so nothing here recurses: depth is theirs to choose.

use std::ops::ControlFlow;

use tree_sitter::{Node, Parser, Tree};

use super::language::Language;

/// Longer files are not planted: their trees cost more than their tests.
const MAX_BYTES: usize = 4 << 20;

/// A text and the root of its syntax tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'t> {
    pub(crate) text: &'t str,
    pub(crate) root: Node<'t>,
}

pub(crate) fn parse(language: Language, text: &str) -> Option<Tree> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()).ok()?;
    parser.parse(text, None)
}

impl<'t> Source<'t> {
    pub(crate) fn of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The text of a field, or nothing.
    pub(crate) fn field(&self, node: Node<'_>, name: &str) -> &'t str {
        node.child_by_field_name(name).map(|it| self.of(it)).unwrap_or_default()
    }

    /// What stands between the start of the line and a byte.
    pub(super) fn before(&self, at: usize) -> &'t str {
        let head = self.text.get(..at).unwrap_or_default();
        head.rsplit('\n').next().unwrap_or_default()
    }

    /// How the first line ends.
    pub(super) fn newline(&self) -> &'static str {
        let first = self.text.split('\n').next().unwrap_or_default();
        if first.ends_with('\r') { "\r\n" } else { "\n" }
    }
}

/// The line of a node, from 1.
pub(super) fn line(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row).unwrap_or(u32::MAX).saturating_add(1)
}

/// The named children, without comments.
pub(super) fn named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let children = node.named_children(&mut cursor);
    children.filter(|it| !it.kind().ends_with("comment")).collect()
}

/// All children, with punctuation and comments.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// Visits a node and what is below it, in the order of the source. Each visit says what the nodes
/// below are told; `Break` leaves them out.
pub(super) fn visit<'t, C: Clone>(
    root: Node<'t>,
    context: C,
    mut enter: impl FnMut(Node<'t>, C) -> ControlFlow<(), C>,
) {
    let mut stack = vec![(root, context)];
    while let Some((node, context)) = stack.pop() {
        if let ControlFlow::Continue(inner) = enter(node, context) {
            stack.extend(children(node).into_iter().rev().map(|it| (it, inner.clone())));
        }
    }
}

/// The tokens of a text, without comments and white space.
pub(crate) fn tokens(source: Source<'_>) -> Vec<String> {
    let mut tokens = Vec::new();
    visit(source.root, (), |node, ()| {
        if node.kind().ends_with("comment") {
            return ControlFlow::Break(());
        }
        if node.child_count() == 0 {
            tokens.push(source.of(node).trim().to_owned());
        }
        ControlFlow::Continue(())
    });
    tokens.retain(|it| !it.is_empty());
    tokens
}

/// The tokens of a source, without comments, white space and quotes; none if it cannot be read.
pub(crate) fn words(language: Language, text: &str) -> Vec<String> {
    let Some(tree) = parse(language, text) else { return Vec::new() };
    let tokens = tokens(Source { text, root: tree.root_node() });
    let words = tokens.iter().map(|it| it.trim_matches(['"', '\'', '`']));
    words.filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

/// The nearest ancestor for which `is` holds.
pub(super) fn ancestor<'t>(node: Node<'t>, is: impl Fn(Node<'t>) -> bool) -> Option<Node<'t>> {
    let mut next = node.parent();
    while let Some(it) = next {
        if is(it) {
            return Some(it);
        }
        next = it.parent();
    }
    None
}
