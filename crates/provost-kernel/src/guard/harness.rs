//! The programs that run agents and can be told to ask the guard.

use super::Client;
use crate::task::words::words;

words! {
    /// A program in whose configuration the guard can be installed.
    pub enum Harness {
        Claude = "claude",
        Codex = "codex",
        Gemini = "gemini",
        Cursor = "cursor",
        Opencode = "opencode",
    }
}

words! {
    /// How far an installation reaches.
    pub enum Scope {
        /// One repository, as this person works in it.
        Project = "project",
        /// Everything that this person does with the client.
        User = "user",
    }
}

impl Harness {
    /// The dialect in which it asks. opencode asks through a plugin of ours, in the plain one.
    pub fn client(self) -> Client {
        match self {
            Self::Claude => Client::Claude,
            Self::Codex => Client::Codex,
            Self::Gemini => Client::Gemini,
            Self::Cursor => Client::Cursor,
            Self::Opencode => Client::Plain,
        }
    }

    /// The name that people know.
    pub fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Cursor => "Cursor",
            Self::Opencode => "opencode",
        }
    }

    /// The program that an adapter preset of this name starts; nothing if it is another one.
    pub fn of_preset(name: &str) -> Option<Self> {
        match name {
            "claude-code" => Some(Self::Claude),
            other => other.parse().ok().filter(|it| *it != Self::Claude),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_names_its_program() {
        for (preset, expected) in [
            ("claude-code", Some(Harness::Claude)),
            ("codex", Some(Harness::Codex)),
            ("gemini", Some(Harness::Gemini)),
            ("cursor", Some(Harness::Cursor)),
            ("opencode", Some(Harness::Opencode)),
            ("claude", None),
            ("aider", None),
            ("", None),
        ] {
            assert_eq!(Harness::of_preset(preset), expected, "{preset:?}");
        }
    }
}
