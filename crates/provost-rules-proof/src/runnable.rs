//! Whether a test command can be run at all.

use provost_kernel::Message;

use provost_shell::parse;

use crate::{class, plant::language::Language};

/// What a shell exits with when it cannot execute a program, and when it cannot find it.
const NOT_EXECUTABLE: i32 = 126;
const NOT_FOUND: i32 = 127;

/// Modules of Python that run tests and are installed, not written.
const RUNNERS: [&str; 6] = ["coverage", "nose2", "nox", "pytest", "tox", "xdist"];

/// Why a command says nothing about the base: it was not run there.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "proof.unrunnable")]
pub enum Unrunnable {
    #[message(
        en = "`{command}` exited with {rc} on the base: {last_line}",
        zh = "`{command}` 在基准版本上的退出码为 {rc}：{last_line}"
    )]
    Printed { command: String, rc: i32, last_line: String },
    #[message(
        en = "`{command}` exited with {rc} on the base and printed nothing",
        zh = "`{command}` 在基准版本上的退出码为 {rc}，没有任何输出"
    )]
    Silent { command: String, rc: i32 },
}

/// What keeps a command from running on the base, whose files `text` reads. A program of the
/// repository that the base does not have is to be written yet, and keeps from nothing.
pub fn unrunnable(
    command: &str,
    rc: i32,
    n_tests: usize,
    last_line: &str,
    text: &dyn Fn(&str) -> Option<String>,
) -> Option<Unrunnable> {
    let is_missing = match rc {
        NOT_FOUND => {
            let is_of_repository = |it: &str| it.contains('/') && !it.starts_with('/');
            class::missing_scripts(command, text).is_empty()
                && !not_found(last_line).is_some_and(is_of_repository)
        }
        NOT_EXECUTABLE => true,
        _ => missing_runner(last_line).is_some_and(|it| !is_module(it, text)),
    };
    if n_tests > 0 || !is_missing {
        return None;
    }
    let (command, last_line) = (command.to_owned(), last_line.to_owned());
    Some(if last_line.is_empty() {
        Unrunnable::Silent { command, rc }
    } else {
        Unrunnable::Printed { command, rc, last_line }
    })
}

/// Whether a command names a script or a file of tests that the base, whose files `text` reads, does not
/// have: it comes with the work.
pub fn is_to_be_written(command: &str, text: &dyn Fn(&str) -> Option<String>) -> bool {
    let is_file = |path: &str| text(path).is_some();
    let names_missing = parse(command).invocations.iter().any(|it| {
        let words: Vec<&str> = it.words.iter().filter_map(|it| it.text()).collect();
        let modules =
            words.iter().position(|it| *it == "unittest").map_or(words.len(), |at| at + 1);
        words.iter().skip(1).enumerate().any(|(at, word)| {
            let path = word.split("::").next().unwrap_or(word).trim_start_matches("./");
            if word.starts_with(['-', '/']) || path.contains(['*', '?', '{', '=']) {
                false
            } else if Language::of(path).is_some() {
                !is_file(path)
            } else {
                at + 1 >= modules && *word != "discover" && !has_module(word, &is_file)
            }
        })
    });
    names_missing || !class::missing_scripts(command, text).is_empty()
}

/// Whether a dotted name leads to a module of Python, or to something in one.
fn has_module(name: &str, is_file: &impl Fn(&str) -> bool) -> bool {
    let whole = name.replace('.', "/");
    let ends = whole.match_indices('/').map(|(at, _)| at).chain([whole.len()]);
    let mut modules = ends.map(|end| format!("{}.py", &whole[..end]));
    modules.any(|it| is_file(&it)) || is_file(&format!("{whole}/__init__.py"))
}

/// The test runner that Python did not find, as it says so:
/// `/usr/bin/python3: No module named pytest`. Any other module may be one that is to be written.
fn missing_runner(last_line: &str) -> Option<&str> {
    let (program, module) = last_line.split_once(": No module named ")?;
    let name = program.rsplit('/').next().unwrap_or(program);
    let is_python = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.') == "python";
    let is_runner = RUNNERS.contains(&module);
    (is_python && is_runner).then_some(module)
}

/// Whether the base has a module of this name.
fn is_module(name: &str, text: &dyn Fn(&str) -> Option<String>) -> bool {
    [format!("{name}.py"), format!("{name}/__main__.py")].iter().any(|it| text(it).is_some())
}

/// The program that a shell did not find, as it says so: `sh: 1: pytest: not found`.
fn not_found(last_line: &str) -> Option<&str> {
    const SAID: [&str; 3] = ["not found", "command not found", "No such file"];
    let parts: Vec<&str> = last_line.split(": ").collect();
    let at = parts.iter().position(|it| SAID.iter().any(|said| it.starts_with(said)))?;
    parts.get(at.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, rc: i32, n_tests: usize, expected: bool) {
        let text = |path: &str| match path {
            "check.sh" => Some("pytest\n".to_owned()),
            "Makefile" => Some("test:\n\t./new.sh\nold:\n\tpytest\n".to_owned()),
            _ => None,
        };
        let found = unrunnable(command, rc, n_tests, "", &text);
        assert_eq!(found.is_some(), expected, "{command} {rc}");
    }

    #[test]
    fn a_missing_program_is_not_a_red_test() {
        for command in ["pytest -q", "python3 -m pytest", "sh check.sh", "/opt/x/run", "make old"] {
            check(command, 127, 0, true);
            check(command, 126, 0, true);
            check(command, 1, 0, false);
            check(command, 0, 0, false);
        }
        // Tests ran: the code is one of them.
        check("pytest -q", 127, 3, false);
    }

    #[test]
    fn a_runner_that_is_not_installed_is_not_a_red_test() {
        for (last_line, expected) in [
            ("/usr/bin/python3: No module named pytest", true),
            ("python3.12: No module named coverage", true),
            ("/usr/bin/python3: No module named shop", false),
            ("ModuleNotFoundError: No module named 'pytest'", false),
            ("1 failed", false),
        ] {
            let found = unrunnable("python3 -m pytest", 1, 0, last_line, &|_| None);
            assert_eq!(found.is_some(), expected, "{last_line}");
        }
        let own = |path: &str| (path == "nox.py").then(String::new);
        let last_line = "python3: No module named nox";
        assert_eq!(unrunnable("python3 -m nox", 1, 0, last_line, &own), None);
    }

    /// A plan may name a test before it is written.
    #[test]
    fn what_the_base_lacks_is_to_be_written() {
        let files = ["check.sh", "tests/__init__.py", "tests/test_old.py", "old.test.js"];
        let text = |path: &str| files.contains(&path).then(String::new);
        for (command, expected) in [
            ("sh check.sh", false),
            ("sh new.sh", true),
            ("python3 -m unittest", false),
            ("python3 -m unittest -v tests.test_old.Cart", false),
            ("python3 -m unittest tests", false),
            ("python3 -m unittest discover -s tests", false),
            ("python3 -m unittest tests.test_new", true),
            ("python3 -m unittest test_discount", true),
            ("pytest tests/test_old.py::test_a", false),
            ("pytest -q tests/test_new.py::test_a", true),
            ("node --test old.test.js", false),
            ("node --test ./new.test.js", true),
            ("go test ./...", false),
            ("make check", false),
        ] {
            assert_eq!(is_to_be_written(command, &text), expected, "{command}");
        }
    }

    /// The same behind a script of the base: what it calls tells.
    #[test]
    fn a_program_of_the_repository_is_to_be_written() {
        for (last_line, expected) in [
            ("check.sh: 1: ./greet.sh: not found", false),
            ("check.sh: line 1: bin/greet: No such file or directory", false),
            ("scripts/check.sh: 1: pytest: not found", true),
            ("bash: line 1: pytest: command not found", true),
            ("sh: 1: /opt/tool: not found", true),
            ("", true),
        ] {
            let text = |path: &str| (path == "check.sh").then(String::new);
            let found = unrunnable("sh check.sh", NOT_FOUND, 0, last_line, &text);
            assert_eq!(found.is_some(), expected, "{last_line}");
        }
    }

    /// The task may be to write the script.
    #[test]
    fn a_script_that_is_to_be_written_is_a_red_test() {
        for command in ["./new.sh", "bash new.sh --fast", "scripts/new", "make test", "cd x && ./y"]
        {
            check(command, 127, 0, false);
        }
    }
}
