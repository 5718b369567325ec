//! House rules for sources that clippy does not know.

use super::{Problem, test_code::TestCode};
use crate::project::File;

/// The most lines that a file has without its tests.
const MAX_LINES: usize = 500;

/// What may not stand in a source, and what to do instead. The texts are written in two parts,
/// so that this file does not find itself.
const BANNED: [(&str, &str); 4] = [
    (concat!("#[", "ignore"), "a test that does not run proves nothing: make it run or remove it"),
    (concat!("should", "_panic"), "test the error that the code returns"),
    (concat!("todo", "!("), "finish it, or leave it out and say so in the documentation"),
    (concat!("unimplemented", "!("), "finish it, or leave it out and say so in the documentation"),
];

/// The first folders of paths that belong to one machine, and who may own one in an example.
const PRIVATE: [&str; 2] = ["work", "root"];
const EXAMPLE_OWNERS: [&str; 6] = ["alice", "bob", "me", "u", "user", "you"];

/// Checks every file of the project.
pub(super) fn check(files: &[File]) -> Vec<Problem> {
    let code = TestCode::new(files);
    files.iter().flat_map(|it| [check_shape(&code, it), check_lines(it)].concat()).collect()
}

fn check_shape(code: &TestCode<'_>, file: &File) -> Vec<Problem> {
    let mut problems = Vec::new();
    if !file.is_rust() {
        return problems;
    }
    if file.path.ends_with("/mod.rs") {
        problems.push(Problem::new(&file.path, "name it after its folder, beside its folder"));
    }
    let lines = code.start(file);
    if lines > MAX_LINES {
        let message = format!("has {lines} lines without its tests; {MAX_LINES} is the limit");
        problems.push(Problem::new(&file.path, message));
    }
    problems
}

fn check_lines(file: &File) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (number, line) in (1..).zip(file.text.lines()) {
        let at = || format!("{}:{number}", file.path);
        let is_code = file.is_rust() && !line.trim_start().starts_with("//");
        let banned = BANNED.iter().filter(|(text, _)| is_code && line.contains(text));
        problems
            .extend(banned.map(|(text, instead)| {
                Problem::new(at(), format!("contains `{text}`: {instead}"))
            }));
        if let Some(path) = machine_path(line) {
            let message = format!("contains `{path}`, a path of one machine");
            problems.push(Problem::new(at(), message));
        }
    }
    problems
}

/// The first path in a line that can only exist on somebody's own machine.
fn machine_path(line: &str) -> Option<String> {
    // A folder in the middle of a path says nothing; only one at its start does.
    let starts_path = |at: usize| {
        !line[..at].ends_with(|it: char| it.is_alphanumeric() || "._-~/}>)*".contains(it))
    };
    line.match_indices('/').filter(|&(at, _)| starts_path(at)).find_map(|(at, _)| {
        let mut names = line[at + 1..].split('/');
        let first = names.next()?;
        if PRIVATE.contains(&first) {
            return names.next().map(|_| format!("/{first}/"));
        }
        let owner = names.next().filter(|_| first == "home")?;
        let end = owner.find(|it: char| !(it.is_alphanumeric() || it == '_' || it == '-'));
        let owner = &owner[..end.unwrap_or(owner.len())];
        let is_private = !owner.is_empty() && !EXAMPLE_OWNERS.contains(&owner);
        is_private.then(|| format!("/home/{owner}"))
    })
}

#[cfg(test)]
mod tests {
    use super::{
        super::{assert_problems, file},
        *,
    };

    #[track_caller]
    fn check_line(path: &str, line: &str, expected: Option<&str>) {
        let problems = check(&[file(path, line)]);
        let messages: Vec<&str> =
            problems.iter().map(|it| it.message.split(": ").next().unwrap()).collect();
        assert_eq!(messages, expected.as_slice(), "{line}");
    }

    #[test]
    fn a_test_always_runs_and_always_asserts() {
        for (text, _) in BANNED {
            let expected = format!("contains `{text}`");
            check_line("crates/a/src/x.rs", &format!("    {text}"), Some(&expected));
            check_line("crates/a/src/x.rs", &format!("    // {text}"), None);
            check_line("docs/x.md", text, None);
        }
        check_line("crates/a/src/x.rs", "fn ignore(todo: bool) {}", None);
    }

    #[test]
    fn a_path_of_one_machine_is_found_in_any_file() {
        for private in PRIVATE {
            let expected = format!("contains `/{private}/`, a path of one machine");
            for line in ["see /@/x", "\"/@/\"", "`/@/x`", "cd /@/a && ls", "(/@/x)"] {
                check_line("README.md", &line.replace('@', private), Some(&expected));
            }
            for line in ["$STATE/provost/@/x", "a/@/b", "~/@/x", "/usr/@/x", "/@", "{home}/@/x"] {
                check_line("README.md", &line.replace('@', private), None);
            }
        }
        let somebody = concat!("/home", "/somebody");
        let expected = format!("contains `{somebody}`, a path of one machine");
        check_line("crates/a/src/x.rs", &format!("// {somebody}/.ssh"), Some(&expected));
        check_line("crates/a/src/x.rs", "cat /home/alice/.ssh/id", None);
        check_line("crates/a/src/x.rs", "/home/<user>/x and /home/", None);
    }

    #[test]
    fn a_file_has_one_idea() {
        let long = "fn a() {}\n".repeat(MAX_LINES);
        let tests = "#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n";
        let check_text = |path: &str, text: &str, expected: &[&str]| {
            assert_problems(&check(&[file(path, text)]), expected);
        };
        check_text("crates/a/src/x.rs", &format!("{long}{tests}"), &[]);
        check_text(
            "crates/a/src/x.rs",
            &format!("{long}\n{tests}"),
            &["crates/a/src/x.rs: has 501 lines without its tests; 500 is the limit"],
        );
        check_text("crates/a/tests/it/x.rs", &format!("{long}{long}"), &[]);
        check_text("docs/x.md", &format!("{long}{long}"), &[]);
        check_text(
            "crates/a/src/x/mod.rs",
            "",
            &["crates/a/src/x/mod.rs: name it after its folder, beside its folder"],
        );
    }
}
