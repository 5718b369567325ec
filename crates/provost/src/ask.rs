//! Questions to the person at the terminal.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use crate::output::plain;

/// What the person said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    Yes,
    No,
    /// The program has no terminal to ask at.
    Nobody,
}

/// Asks a question that has a yes; anything else is a no.
pub(crate) fn confirm(question: &str) -> Asked {
    match line(&format!("{question} [y/N]")) {
        Some(line) if is_yes(&line) => Asked::Yes,
        Some(_) => Asked::No,
        None => Asked::Nobody,
    }
}

/// Asks for a line; none where there is no terminal to ask at.
pub(crate) fn line(question: &str) -> Option<String> {
    if !is_possible() {
        return None;
    }
    // A terminal that went away says nothing.
    let _ = write!(io::stderr(), "? {} ", plain(question));
    let _ = io::stderr().flush();
    let mut line = String::new();
    let _ = io::stdin().lock().read_line(&mut line);
    Some(line.trim().to_owned())
}

/// Whether a person sits at a terminal.
pub(crate) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

pub(crate) fn is_yes(line: &str) -> bool {
    matches!(line.trim().to_lowercase().as_str(), "y" | "yes" | "是")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_is_a_yes() {
        for line in ["y\n", "Yes", "是\n", " Y "] {
            assert!(is_yes(line), "{line:?}");
        }
        for line in ["", "\n", "n", "yess", "不是"] {
            assert!(!is_yes(line), "{line:?}");
        }
    }
}
