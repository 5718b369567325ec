//! A script that a command names, made to leave a mark and to fail.

/// How a script leaves its mark: by its interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interpreter {
    Shell,
    Python,
    Node,
    Perl,
    Ruby,
}

/// Words of a script that may end before its last line.
const LEAVING: [&str; 6] = ["exit", "exec", "quit", "abort", "kill", "return"];

/// The script with a first command that creates the file `mark` and exits with 97; none where its
/// interpreter is unknown.
///
/// Its first line stays, because that chooses the interpreter; what follows is never reached, and is
/// left out where it would be read before the first command runs.
pub fn script(path: &str, text: &str, mark: &str) -> Option<String> {
    let (head, rest) = split(text);
    let interpreter = interpreter(path, text)?;
    let literal = serde_json::to_string(mark).ok()?;
    let single = mark.replace('\\', "\\\\").replace('\'', "\\'");
    let command = match interpreter {
        Interpreter::Shell => format!(": > {}; exit 97\n{rest}", shlex::try_quote(mark).ok()?),
        Interpreter::Python => format!("import os\nopen({literal}, 'w').close()\nos._exit(97)\n"),
        // Both kinds of module know this form of import.
        Interpreter::Node => format!(
            "import('node:fs').then((fs) => {{ fs.writeFileSync({literal}, ''); process.exit(97); }});\n"
        ),
        Interpreter::Perl => format!("open(my $file, '>', '{single}'); exit 97;\n"),
        Interpreter::Ruby => format!("File.write('{single}', '')\nexit! 97\n"),
    };
    Some(match head {
        Some(head) => format!("{head}\n{command}"),
        None => command,
    })
}

/// The script with a last command that creates the file `mark` and fails as an assertion does; none
/// where it says itself how it ends, or where its interpreter is unknown.
///
/// The product is loaded by then, and can have arranged that nothing fails.
pub fn late_script(path: &str, text: &str, mark: &str) -> Option<String> {
    let interpreter = interpreter(path, text)?;
    let (own, _) = endings(interpreter);
    if own.iter().any(|it| text.contains(it)) {
        return None;
    }
    let literal = serde_json::to_string(mark).ok()?;
    let single = mark.replace('\\', "\\\\").replace('\'', "\\'");
    let command = match interpreter {
        Interpreter::Shell => format!(": > {}; exit 97", shlex::try_quote(mark).ok()?),
        Interpreter::Python => {
            format!("open({literal}, 'w').close()\nraise AssertionError('not as expected')")
        }
        Interpreter::Node => format!(
            ";(process.getBuiltinModule ? process.getBuiltinModule('node:fs') : require('node:fs'))\
             .writeFileSync({literal}, '');\nthrow new Error('not as expected');"
        ),
        Interpreter::Perl => format!("open(my $file, '>', '{single}'); die 'not as expected';"),
        Interpreter::Ruby => format!("File.write('{single}', '')\nraise 'not as expected'"),
    };
    let (before, last) = before_exit(interpreter, text);
    let end = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    Some(format!("{before}{end}{command}\n{last}"))
}

/// Whether a script may end before its last line without a failure.
pub fn leaves_early(text: &str) -> bool {
    LEAVING.iter().any(|it| text.contains(it))
}

/// What a script says where it decides itself how it ends, and how its last line does.
fn endings(interpreter: Interpreter) -> (&'static [&'static str], &'static [&'static str]) {
    match interpreter {
        Interpreter::Shell => (&["trap"], &["exit"]),
        Interpreter::Python => (&["excepthook", "atexit", "_exit"], &["sys.exit(", "exit("]),
        Interpreter::Node => (&["process.on"], &["process.exit("]),
        Interpreter::Perl => (&["__END__", "__DATA__", "END {", "__DIE__"], &["exit"]),
        Interpreter::Ruby => (&["__END__", "END {", "at_exit"], &["exit"]),
    }
}

/// The text before its last line, where that one only ends the script; else the whole of it.
fn before_exit(interpreter: Interpreter, text: &str) -> (&str, &str) {
    let trimmed = text.trim_end();
    let at = trimmed.rfind('\n').map_or(0, |it| it + 1);
    let (before, last) = text.split_at(at);
    let is_exit = endings(interpreter).1.iter().any(|it| last.starts_with(it));
    if is_exit { (before, last) } else { (text, "") }
}

/// The line that names the interpreter, and the rest.
fn split(text: &str) -> (Option<&str>, &str) {
    match text.split_once('\n') {
        Some((head, rest)) if head.starts_with("#!") => (Some(head), rest),
        None if text.starts_with("#!") => (Some(text), ""),
        Some(_) | None => (None, text),
    }
}

/// What runs a script; none where it is not known.
pub(super) fn interpreter(path: &str, text: &str) -> Option<Interpreter> {
    match split(text).0 {
        Some(head) => by_line(head),
        None => by_path(path),
    }
}

fn by_line(head: &str) -> Option<Interpreter> {
    let mut words = head.trim_start_matches("#!").split_whitespace();
    let first = words.next()?;
    let program = match first.rsplit('/').next()? {
        "env" => words.find(|it| !it.starts_with('-') && !it.contains('='))?,
        name => name,
    };
    by_name(program.rsplit('/').next()?)
}

fn by_name(program: &str) -> Option<Interpreter> {
    let name = program.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
    match name {
        "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash" | "mksh" => Some(Interpreter::Shell),
        "python" | "pypy" => Some(Interpreter::Python),
        "node" | "nodejs" => Some(Interpreter::Node),
        "perl" => Some(Interpreter::Perl),
        "ruby" => Some(Interpreter::Ruby),
        _ => None,
    }
}

/// A script without a first line that says it: by its ending, else it is one of the shell.
fn by_path(path: &str) -> Option<Interpreter> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        None | Some("sh" | "bash" | "zsh" | "ksh") => Some(Interpreter::Shell),
        Some("py") => Some(Interpreter::Python),
        Some("js" | "cjs" | "mjs") => Some(Interpreter::Node),
        Some("pl") => Some(Interpreter::Perl),
        Some("rb") => Some(Interpreter::Ruby),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_command_leaves_a_mark() {
        let table = [
            ("t.sh", "#!/bin/sh\nset -e\n", Some("#!/bin/sh\n: > /m; exit 97\nset -e\n")),
            ("check", "make\n", Some(": > /m; exit 97\nmake\n")),
            ("check", "#!/usr/bin/env bash", Some("#!/usr/bin/env bash\n: > /m; exit 97\n")),
            (
                "t",
                "#!/usr/bin/env -S python3.11 -u\nfrom __future__ import x\n",
                Some(
                    "#!/usr/bin/env -S python3.11 -u\nimport os\nopen(\"/m\", 'w').close()\nos._exit(97)\n",
                ),
            ),
            ("t.rb", "puts 1\n", Some("File.write('/m', '')\nexit! 97\n")),
            ("t.pl", "", Some("open(my $file, '>', '/m'); exit 97;\n")),
            ("t.lua", "print(1)\n", None),
            ("t", "#!/usr/bin/awk -f\n", None),
        ];
        for (path, text, expected) in table {
            assert_eq!(script(path, text, "/m").as_deref(), expected, "{path}");
        }
    }

    /// PROOF-1: what a product does while it is loaded comes before a late failure.
    #[test]
    fn the_last_command_leaves_a_mark() {
        let python = "open(\"/m\", 'w').close()\nraise AssertionError('not as expected')\n";
        let table = [
            ("t.sh", "#!/bin/sh\nmake", Some("#!/bin/sh\nmake\n: > /m; exit 97\n".to_owned())),
            ("t.sh", "a || f=1\nexit $f\n", Some("a || f=1\n: > /m; exit 97\nexit $f\n".into())),
            ("t.sh", "trap 'rm x' EXIT\nmake\n", None),
            ("t.py", "import a\n", Some(format!("import a\n{python}"))),
            ("t.py", "import a\nsys.exit(f)\n", Some(format!("import a\n{python}sys.exit(f)\n"))),
            ("t.py", "if a:\n    sys.exit(f)\n", Some(format!("if a:\n    sys.exit(f)\n{python}"))),
            ("t.js", "process.on('exit', f)\n", None),
            ("t.lua", "print(1)\n", None),
        ];
        for (path, text, expected) in table {
            assert_eq!(late_script(path, text, "/m"), expected, "{path}");
        }
        assert!(late_script("t.js", "f()", "/m").unwrap().starts_with("f()\n;(process."));
    }

    #[test]
    fn the_path_of_a_mark_is_quoted() {
        let quoted = script("t.sh", "", "/a b/it's").unwrap();
        assert_eq!(quoted, ": > \"/a b/it's\"; exit 97\n");
    }
}
