//! The table of requirements: complete, and true where it says that something is done.
//!
//! A requirement is done when a test that can fail names its id. So a row that claims to be
//! implemented names its tests, the tests exist, and they name the id back.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Problem,
    test_code::{TestCode, TestFunction},
};
use crate::project::File;

pub(super) const TABLE: &str = "docs/requirements.md";

/// Every requirement: the ids of a family are numbered from 1 to the number beside it.
const FAMILIES: [(&str, u32); 24] = [
    ("LOOP-A", 16),
    ("LOOP-B", 26),
    ("LOOP-U", 10),
    ("STORY-1.", 5),
    ("STORY-2.", 5),
    ("STORY-3.", 6),
    ("STORY-4.", 5),
    ("STORY-5.", 3),
    ("STORY-6.", 3),
    ("EVAL-1.", 3),
    ("EVAL-2.", 2),
    ("EVAL-3.", 2),
    ("EVAL-4.", 1),
    ("EVAL-5.", 3),
    ("EVAL-6.", 2),
    ("LEARN-1.", 4),
    ("LEARN-2.", 3),
    ("LEARN-3.", 6),
    ("LEARN-4.", 2),
    ("LEARN-5.", 2),
    ("HOOK-1.", 5),
    ("HOOK-2.", 6),
    ("PROOF-", 12),
    ("KEEP-", 6),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Implemented,
    Partly,
    Planned,
}

/// One row of the table.
#[derive(Debug)]
struct Row<'a> {
    id: &'a str,
    state: State,
    places: Vec<&'a str>,
    tests: Vec<&'a str>,
}

/// Holds the table against the list of ids and against the tests.
pub(super) fn check(table: &str, files: &[File]) -> Vec<Problem> {
    let known = ids();
    let (rows, mut problems) = parse(table);
    let tests = TestCode::new(files).functions();

    let mut seen = BTreeSet::new();
    for row in &rows {
        if !known.contains(row.id) {
            problems.push(Problem::new(TABLE, format!("`{}` is not a requirement", row.id)));
        } else if !seen.insert(row.id) {
            problems.push(Problem::new(TABLE, format!("`{}` has two rows", row.id)));
        }
        problems.extend(check_row(row, &tests, files));
    }
    let missing = known.iter().filter(|id| !seen.contains(id.as_str()));
    problems.extend(missing.map(|id| Problem::new(TABLE, format!("`{id}` has no row"))));
    for test in &tests {
        let unknown = mentioned(&test.text).into_iter().filter(|id| !known.contains(*id));
        problems.extend(unknown.map(|id| {
            Problem::new(
                test.file,
                format!("test `{}` names `{id}`, which is not a requirement", test.name),
            )
        }));
    }
    problems
}

fn check_row(row: &Row<'_>, tests: &[TestFunction<'_>], files: &[File]) -> Vec<Problem> {
    let id = row.id;
    let problem = |message: String| Problem::new(TABLE, message);
    let mut problems = Vec::new();
    let mut naming: BTreeMap<&str, bool> = BTreeMap::new();
    for test in tests {
        *naming.entry(test.name).or_default() |= mentioned(&test.text).contains(id);
    }
    for name in &row.tests {
        match naming.get(name) {
            None => {
                problems.push(problem(format!("`{id}` names test `{name}`, which does not exist")));
            }
            Some(false) => problems
                .push(problem(format!("`{id}` names test `{name}`, which does not name `{id}`"))),
            Some(true) => {}
        }
    }
    for place in &row.places {
        let is_there = |it: &File| it.path == *place || it.path.starts_with(&format!("{place}/"));
        if !files.iter().any(is_there) {
            problems.push(problem(format!("`{id}` points to `{place}`, which does not exist")));
        }
    }
    match row.state {
        State::Implemented | State::Partly => {
            if row.tests.is_empty() {
                problems.push(problem(format!("`{id}` is said to be done, but names no test")));
            }
            if row.places.is_empty() {
                problems.push(problem(format!("`{id}` is said to be done, but not where")));
            }
        }
        State::Planned => {}
    }
    problems
}

/// Reads the rows, and reports those that cannot be read.
fn parse(table: &str) -> (Vec<Row<'_>>, Vec<Problem>) {
    let mut rows = Vec::new();
    let mut problems = Vec::new();
    for line in table.lines().filter(|it| it.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        if cells.first().is_none_or(|it| *it == "id" || it.trim_matches([':', '-']).is_empty()) {
            continue;
        }
        let row = match cells.as_slice() {
            [id, text, state, places, tests] if !text.is_empty() => State::parse(state)
                .map(|state| Row { id, state, places: quoted(places), tests: quoted(tests) }),
            _ => None,
        };
        match row {
            Some(row) => rows.push(row),
            None => problems.push(Problem::new(
                TABLE,
                format!(
                    "cannot read the row of `{}`: it has an id, a text, a state (implemented, \
                     partly, planned), a place and a test",
                    cells.first().unwrap_or(&"?")
                ),
            )),
        }
    }
    (rows, problems)
}

impl State {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "implemented" => Some(Self::Implemented),
            "partly" => Some(Self::Partly),
            "planned" => Some(Self::Planned),
            _ => None,
        }
    }
}

fn ids() -> BTreeSet<String> {
    FAMILIES
        .into_iter()
        .flat_map(|(family, last)| (1..=last).map(move |number| format!("{family}{number}")))
        .collect()
}

/// What stands between backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The requirement ids in a text.
fn mentioned(text: &str) -> BTreeSet<&str> {
    let families = ["LOOP-", "STORY-", "EVAL-", "LEARN-", "HOOK-", "PROOF-", "KEEP-"];
    families
        .into_iter()
        .flat_map(|family| text.match_indices(family))
        .filter(|(at, _)| !text[..*at].ends_with(|before: char| before.is_ascii_alphanumeric()))
        .filter_map(|(at, family)| {
            let number = &text[at + family.len()..];
            let is_part = |it: char| it.is_ascii_digit() || it.is_ascii_uppercase() || it == '.';
            let length = number.find(|it| !is_part(it)).unwrap_or(number.len());
            let id = text[at..at + family.len() + length].trim_end_matches('.');
            id.ends_with(|it: char| it.is_ascii_digit()).then_some(id)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{
        super::{assert_problems, file},
        *,
    };

    const DONE: &str = "/// LOOP-A3: `sudo` is refused.\n#[test]\nfn sudo_is_refused() {\n}\n";

    /// The whole table, every row planned, with `row` in the place of its own.
    fn table_with(row: &str) -> String {
        let id = row.split('|').nth(1).unwrap_or_default().trim();
        let planned = ids().into_iter().filter(|it| it != id);
        let rows: Vec<String> =
            planned.map(|it| format!("| {it} | text | planned | | |")).collect();
        let rows = rows.join("\n");
        format!(
            "# Requirements\n\n| id | requirement | state | where | test |\n|---|---|---|---|---|\n{rows}\n{row}\n"
        )
    }

    #[track_caller]
    fn check_row(row: &str, tests: &str, expected: &[&str]) {
        let files = [file("crates/a/tests/it/x.rs", tests), file("crates/a/src/sudo.rs", "")];
        assert_problems(&check(&table_with(row), &files), expected);
    }

    #[test]
    fn a_claim_needs_a_test_that_names_the_id() {
        let row =
            "| LOOP-A3 | no sudo | implemented | `crates/a/src/sudo.rs` | `sudo_is_refused` |";
        check_row(row, DONE, &[]);
        check_row(
            row,
            "",
            &["docs/requirements.md: `LOOP-A3` names test `sudo_is_refused`, which does not exist"],
        );
        check_row(
            row,
            &DONE.replace("LOOP-A3", "LOOP-A2"),
            &[
                "docs/requirements.md: `LOOP-A3` names test `sudo_is_refused`, which does not name `LOOP-A3`",
            ],
        );
        check_row(
            &row.replace("sudo.rs", "gone.rs"),
            DONE,
            &[
                "docs/requirements.md: `LOOP-A3` points to `crates/a/src/gone.rs`, which does not exist",
            ],
        );
        check_row(
            "| LOOP-A3 | no sudo | partly | | |",
            DONE,
            &[
                "docs/requirements.md: `LOOP-A3` is said to be done, but names no test",
                "docs/requirements.md: `LOOP-A3` is said to be done, but not where",
            ],
        );
    }

    #[test]
    fn the_id_in_the_body_counts_and_in_code_it_does_not() {
        let row = "| LOOP-A3 | no sudo | implemented | `crates/a` | `sudo_is_refused` |";
        let body = "#[test]\nfn sudo_is_refused() {\n    // LOOP-A3.\n}\n";
        check_row(row, body, &[]);
        let outside = "/// LOOP-A3.\nfn helper() {}\n\n#[test]\nfn sudo_is_refused() {\n}\n";
        check_row(
            row,
            outside,
            &[
                "docs/requirements.md: `LOOP-A3` names test `sudo_is_refused`, which does not name `LOOP-A3`",
            ],
        );
    }

    #[test]
    fn the_table_is_complete_and_has_nothing_else() {
        let row = "| LOOP-A3 | no sudo | planned | | |";
        check_row(row, "", &[]);
        check_row(&format!("{row}\n{row}"), "", &["docs/requirements.md: `LOOP-A3` has two rows"]);
        let without = table_with("| LOOP-A3 |").replace("| LOOP-A3 |\n", "");
        assert_problems(&check(&without, &[]), &["docs/requirements.md: `LOOP-A3` has no row"]);
        let unreadable = "docs/requirements.md: cannot read the row of `LOOP-A3`: it has an id, \
                          a text, a state (implemented, partly, planned), a place and a test";
        let no_row = "docs/requirements.md: `LOOP-A3` has no row";
        check_row("| LOOP-A3 | no sudo | done | | |", "", &[unreadable, no_row]);
        check_row("| LOOP-A3 | no sudo | planned | |", "", &[unreadable, no_row]);
    }

    #[test]
    fn an_id_that_does_not_exist_is_found_everywhere() {
        let wrong = concat!("LOOP-", "A17");
        check_row(
            "| LOOP-A3 | no sudo | planned | | |",
            &DONE.replace("LOOP-A3", wrong),
            &[&format!(
                "crates/a/tests/it/x.rs: test `sudo_is_refused` names `{wrong}`, which is not a requirement"
            )],
        );
        check_row(
            &format!("| {wrong} | no sudo | planned | | |"),
            "",
            &[&format!("docs/requirements.md: `{wrong}` is not a requirement")],
        );
    }

    #[test]
    fn ids_are_read_out_of_prose() {
        let text = "LOOP-A3, HOOK-2.1. (STORY-6.3); XLOOP-A1 LOOP-A LEARN-like EVAL-1.1.";
        let found: Vec<&str> = mentioned(text).into_iter().collect();
        assert_eq!(found, ["EVAL-1.1", "HOOK-2.1", "LOOP-A3", "STORY-6.3"]);
    }

    #[test]
    fn there_are_138_requirements() {
        assert_eq!(ids().len(), 138);
    }
}
