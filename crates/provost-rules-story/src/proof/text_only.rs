//! Commands that look at texts and run nothing of the product.

use provost_shell::parse;

/// Programs that show, compare or search what lies in files.
const READERS: [&str; 29] = [
    "[", "[[", "awk", "basename", "cat", "cmp", "cut", "diff", "dirname", "echo", "egrep", "false",
    "fgrep", "file", "find", "grep", "head", "jq", "ls", "printf", "rg", "sed", "sort", "stat",
    "tail", "test", "true", "uniq", "wc",
];

/// Whether a command only looks at texts: every program of it is known to do no more than that.
pub fn is_text_only(command: &str) -> bool {
    let script = parse(command);
    let mut programs = script.invocations.iter().filter_map(|it| it.words.first());
    let is_reader = |it: &provost_shell::Word| it.text().is_some_and(|it| READERS.contains(&it));
    script.opaque.is_empty() && !script.invocations.is_empty() && programs.all(is_reader)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_runs_the_product_is_more_than_its_text() {
        for command in [
            "grep -q hello greet.sh",
            "test -f README.md && grep -q install README.md",
            "[ -s a.txt ]",
            "cat a.json | jq -e .name",
            "! grep -q TODO src/main.rs",
            "test \"$(wc -l < a.txt)\" -gt 3",
        ] {
            assert!(is_text_only(command), "{command}");
        }
        for command in [
            "sh greet.sh | grep -qx hello",
            "test \"$(sh greet.sh)\" = hello",
            "make check",
            "./greet",
            "python3 -c 'import sums'",
            "node -e 1 && grep x y",
            "find . -exec sh {} ;",
            "$RUN check",
        ] {
            assert!(!is_text_only(command), "{command}");
        }
    }
}
