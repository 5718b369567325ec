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
    if !is_possible() {
        return Asked::Nobody;
    }
    // A terminal that went away says nothing, and that is a no.
    let _ = write!(io::stderr(), "? {} [y/N] ", plain(question));
    let _ = io::stderr().flush();
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(_) if is_yes(&line) => Asked::Yes,
        Ok(_) | Err(_) => Asked::No,
    }
}

/// Whether a person sits at a terminal.
pub(crate) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

fn is_yes(line: &str) -> bool {
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
