//! What a person is shown of a red test, out of all that it printed.

/// How many lines are shown.
const SHOWN: usize = 10;
/// How many of them may come from before the end.
const NAMED: usize = 3;

/// How runners begin the line of a test that failed.
const MARKS: [&str; 6] = ["not ok ", "FAILED ", "FAIL ", "--- FAIL", "✖ ", "✕ "];

/// The end of what a test printed. Some runners end with figures alone: then the first lines that
/// say what failed come before it.
pub(super) fn shown(log: &str) -> Vec<&str> {
    let lines: Vec<&str> = log.lines().filter(|it| !it.trim().is_empty()).collect();
    let (before, end) = lines.split_at(lines.len().saturating_sub(SHOWN));
    if end.iter().any(|it| says_failed(it)) {
        return end.to_vec();
    }
    let mut shown: Vec<&str> = before.iter().copied().filter(|it| says_failed(it)).collect();
    shown.truncate(NAMED);
    shown.extend(&end[shown.len().min(end.len())..]);
    shown
}

fn says_failed(line: &str) -> bool {
    let line = line.trim_start();
    MARKS.iter().any(|it| line.starts_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(number: usize) -> String {
        (1..=number).map(|it| ["# ", &it.to_string(), "\n\n"].concat()).collect()
    }

    #[test]
    fn the_end_is_shown_without_blank_lines() {
        assert_eq!(shown(""), [""; 0]);
        assert_eq!(shown("a\n\n  \nb"), ["a", "b"]);
        let log = figures(12);
        let lines = shown(&log);
        assert_eq!((lines.len(), lines[0], lines[9]), (SHOWN, "# 3", "# 12"));
    }

    /// The test runner of Node ends with figures.
    #[test]
    fn what_failed_is_named_where_the_end_does_not_name_it() {
        let log = format!("ok 1 - a\n  not ok 2 - b\nnot ok 3 - c\n{}", figures(12));
        let lines = shown(&log);
        assert_eq!(lines[..3], ["  not ok 2 - b", "not ok 3 - c", "# 5"]);
        assert_eq!((lines.len(), lines[9]), (SHOWN, "# 12"));
        let many = format!("{}{}", "FAILED t\n".repeat(20), figures(10));
        assert_eq!(shown(&many)[2..4], ["FAILED t", "# 4"]);
        let named = format!("FAILED early\n{}FAILED late\n", figures(12));
        let lines = shown(&named);
        assert_eq!((lines.len(), lines[9]), (SHOWN, "FAILED late"));
        assert!(!lines.contains(&"FAILED early"));
    }
}
