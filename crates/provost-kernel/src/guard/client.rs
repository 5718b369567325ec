//! The clients that ask, each with a dialect of its own.

use crate::task::words::words;

words! {
    /// Who asks, and so in which form the answer must be. opencode asks as `plain`.
    pub enum Client {
        Claude = "claude",
        Codex = "codex",
        Gemini = "gemini",
        Cursor = "cursor",
        /// The original's own form: `continue` and a message.
        Plain = "plain",
    }
}
