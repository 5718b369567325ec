//! Tables of pytest: `@pytest.mark.parametrize("a, b", [(1, 2), (3, 4)])`.

use tree_sitter::Node;

use super::{Edit, Source, children, named};
use crate::plant::literal;

/// Falsifies a parameter in every row, because each row is a test of its own; nothing where a row has
/// no literal for it.
pub(super) fn column(source: Source<'_>, test: Node<'_>, parameter: &str) -> Option<Edit> {
    let outer = test.parent().filter(|it| it.kind() == "decorated_definition")?;
    let decorators = children(outer).into_iter().filter(|it| it.kind() == "decorator");
    decorators.filter_map(|it| table(source, it)).find_map(|(names, rows)| {
        let at = names.iter().position(|it| it == parameter)?;
        let edits: Option<Vec<Edit>> = rows
            .into_iter()
            .map(|it| literal::falsify(source, cell(source, it, at, names.len())?))
            .collect();
        edits?.into_iter().reduce(Edit::and)
    })
}

/// The names and the rows of a table.
fn table<'t>(source: Source<'t>, decorator: Node<'t>) -> Option<(Vec<String>, Vec<Node<'t>>)> {
    let call = named(decorator).into_iter().find(|it| it.kind() == "call")?;
    let arguments = named(call.child_by_field_name("arguments")?);
    let is_table = source.field(call, "function").ends_with("parametrize");
    let [names, rows, ..] = arguments.as_slice() else { return None };
    if !is_table || !matches!(rows.kind(), "list" | "tuple") {
        return None;
    }
    let words = |it: Node<'_>| source.of(it).trim_matches(['"', '\'']).to_owned();
    let names = match names.kind() {
        "string" => words(*names).split(',').map(|it| it.trim().to_owned()).collect(),
        "list" | "tuple" => named(*names).into_iter().map(words).collect(),
        _ => return None,
    };
    Some((names, named(*rows)))
}

/// The value of a row: a tuple, `pytest.param(…)`, or itself where it is the only one.
fn cell<'t>(source: Source<'t>, row: Node<'t>, at: usize, n_names: usize) -> Option<Node<'t>> {
    match row.kind() {
        "call" if source.field(row, "function").ends_with("param") => {
            named(row.child_by_field_name("arguments")?).into_iter().nth(at)
        }
        _ if n_names == 1 => Some(row),
        "tuple" | "list" => named(row).into_iter().nth(at),
        _ => None,
    }
}
