//! Tables of Go tests: lists and maps of structs, whose fields are named or stand in order.

use std::ops::ControlFlow;

use tree_sitter::Node;

use super::{Edit, Source, named, visit};
use crate::plant::literal;

/// Falsifies a field in every row of a table, because each row may be a test of its own; nothing
/// where a row has no literal for it.
pub(super) fn column(source: Source<'_>, table: Node<'_>, field: &str) -> Option<Edit> {
    let rows = named(table.child_by_field_name("body")?);
    let at = position(source, table.child_by_field_name("type")?, field);
    let edits: Option<Vec<Edit>> = rows
        .into_iter()
        .map(|it| literal::falsify(source, cell(source, row(it)?, field, at)?))
        .collect();
    edits?.into_iter().reduce(Edit::and)
}

/// The braces of a row, behind its key where the table is a map.
fn row(member: Node<'_>) -> Option<Node<'_>> {
    let mut node = match member.kind() {
        "keyed_element" => member.child_by_field_name("value")?,
        _ => member,
    };
    loop {
        node = match node.kind() {
            "literal_value" => return Some(node),
            "composite_literal" => node.child_by_field_name("body")?,
            "literal_element" | "unary_expression" => named(node).into_iter().next()?,
            _ => return None,
        };
    }
}

fn cell<'t>(
    source: Source<'t>,
    row: Node<'t>,
    field: &str,
    position: Option<usize>,
) -> Option<Node<'t>> {
    let members = named(row);
    let is_keyed = members.iter().any(|it| it.kind() == "keyed_element");
    if is_keyed {
        let member = members.into_iter().find(|it| source.field(*it, "key") == field)?;
        return member.child_by_field_name("value");
    }
    members.into_iter().nth(position?)
}

/// Which field of the struct this is, where the type says it or names a type of the file.
fn position(source: Source<'_>, table: Node<'_>, field: &str) -> Option<usize> {
    let element = ["element", "value"].iter().find_map(|it| table.child_by_field_name(it))?;
    let element = if element.kind() == "pointer_type" { *named(element).first()? } else { element };
    let structure = match element.kind() {
        "struct_type" => Some(element),
        _ => declared(source, source.of(element)),
    }?;
    let fields = named(*named(structure).first()?).into_iter().flat_map(|it| {
        let mut cursor = it.walk();
        it.children_by_field_name("name", &mut cursor).collect::<Vec<_>>()
    });
    fields.into_iter().position(|it| source.of(it) == field)
}

fn declared<'t>(source: Source<'t>, name: &str) -> Option<Node<'t>> {
    let mut found = None;
    visit(source.root, (), |node, ()| {
        if node.kind() == "type_spec" && source.field(node, "name") == name {
            let kind = node.child_by_field_name("type");
            found = found.or(kind.filter(|it| it.kind() == "struct_type"));
        }
        ControlFlow::Continue(())
    });
    found
}
