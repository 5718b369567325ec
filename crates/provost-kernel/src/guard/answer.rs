//! The guard's answer, before it is rendered and encoded in a client's dialect.

use crate::Text;

/// The answer to one hook. Below the surfaces its texts are lines that are not rendered yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookAnswer<T = Vec<Text>> {
    /// There was no question, or there is nothing to add.
    Nothing,
    /// The guard does not object. The client's own permissions still apply.
    Allow,
    /// It may not be done.
    Deny { reason: T },
    /// A person decides. Where the client cannot ask one, this is a refusal.
    Ask { reason: T },
    /// It may be done, and the agent is given a note.
    Note { text: T },
}

impl<T> HookAnswer<T> {
    /// Whether the guard itself permits the action.
    pub fn is_permission(&self) -> bool {
        match self {
            Self::Nothing | Self::Allow | Self::Note { .. } => true,
            Self::Deny { .. } | Self::Ask { .. } => false,
        }
    }

    /// The same answer with its text converted.
    pub fn map<U>(&self, convert: impl FnOnce(&T) -> U) -> HookAnswer<U> {
        match self {
            Self::Nothing => HookAnswer::Nothing,
            Self::Allow => HookAnswer::Allow,
            Self::Deny { reason } => HookAnswer::Deny { reason: convert(reason) },
            Self::Ask { reason } => HookAnswer::Ask { reason: convert(reason) },
            Self::Note { text } => HookAnswer::Note { text: convert(text) },
        }
    }
}
