//! Who orders something, and through which door they came.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The author of an order, as the audit names them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Actor {
    pub source: Source,
    /// Who it is, in the source's own terms: a user name, a chat, a process.
    pub id: String,
}

/// The door through which an order came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    Cli,
    Web,
    Telegram,
    /// A coding agent, through a hook or a tool.
    Agent,
    /// provost itself, by a rule and not by an order.
    Provost,
}

/// `cli:ann`: the door, and who came through it.
impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = match self.source {
            Source::Cli => "cli",
            Source::Web => "web",
            Source::Telegram => "telegram",
            Source::Agent => "agent",
            Source::Provost => "provost",
        };
        write!(f, "{source}:{}", self.id)
    }
}
