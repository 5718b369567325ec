//! Files that are generated and committed: written here, and compared in the test command.

use crate::{
    build::{self, Alongside},
    failure::Failure,
    process::Process,
    project,
};

/// Whether the generated files are written or only compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Write,
    Check,
}

/// A file that is what `provost` prints.
struct Generated {
    path: &'static str,
    arguments: &'static [&'static str],
}

const GENERATED: [Generated; 2] = [
    Generated { path: "schemas/config.schema.json", arguments: &["config", "schema"] },
    Generated { path: "schemas/task.schema.json", arguments: &["config", "schema", "task"] },
];

/// Generates every file, and writes or compares it.
pub(crate) fn run(alongside: Alongside, mode: Mode) -> Result<(), Failure> {
    let provost = build::provost(alongside)?;
    let mut stale = Vec::new();
    for Generated { path, arguments } in GENERATED {
        let fresh = Process::new(&provost, arguments).text()?;
        let committed = project::read_if_present(path)?;
        let Some(difference) = difference(committed.as_deref(), &fresh) else {
            continue;
        };
        match mode {
            Mode::Write => {
                project::write(path, &fresh)?;
                println!("wrote `{path}`");
            }
            Mode::Check => stale.push(format!("`{path}` {difference}")),
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(Failure::Refused(format!(
        "{}\nhint: run `cargo xtask codegen` and commit the result",
        stale.join("\n")
    )))
}

/// How a committed file differs from what would be generated now.
fn difference(committed: Option<&str>, fresh: &str) -> Option<String> {
    let Some(committed) = committed else {
        return Some("is missing".to_owned());
    };
    if committed == fresh {
        return None;
    }
    let is_same = |(a, b): (&str, &str)| a == b;
    let line = committed.lines().zip(fresh.lines()).take_while(|&it| is_same(it)).count() + 1;
    Some(format!("is out of date from line {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(committed: Option<&str>, fresh: &str, expected: Option<&str>) {
        assert_eq!(difference(committed, fresh).as_deref(), expected);
    }

    #[test]
    fn any_difference_is_named_by_its_first_line() {
        check(Some("a\nb\n"), "a\nb\n", None);
        check(None, "a\n", Some("is missing"));
        check(Some(""), "a\n", Some("is out of date from line 1"));
        check(Some("a\nb\n"), "a\nc\n", Some("is out of date from line 2"));
        check(Some("a\n"), "a\nb\n", Some("is out of date from line 2"));
        check(Some("a"), "a\n", Some("is out of date from line 2"));
    }
}
