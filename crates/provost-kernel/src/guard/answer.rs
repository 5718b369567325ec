//! What the guard says, before it is put into a client's words.

/// The answer to one hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookAnswer {
    /// There was no question, or there is nothing to add.
    Nothing,
    /// The guard does not object. The client's own permissions still apply.
    Allow,
    /// It may not be done.
    Deny { reason: String },
    /// A person decides. Where the client cannot ask one, this is a refusal.
    Ask { reason: String },
    /// It may be done, and the agent is told something.
    Note { text: String },
}

impl HookAnswer {
    /// Whether the guard itself lets the thing be done.
    pub fn is_permission(&self) -> bool {
        match self {
            Self::Nothing | Self::Allow | Self::Note { .. } => true,
            Self::Deny { .. } | Self::Ask { .. } => false,
        }
    }
}
