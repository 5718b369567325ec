//! What can be wrong with a person's rules.

use provost_kernel::{Message, Text};

/// A glob in a rule that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub struct GlobError {
    /// The rule, counted from 1.
    pub rule: usize,
    pub glob: String,
    pub(super) source: globset::Error,
}

impl Message for GlobError {
    fn text(&self) -> Text {
        Text::each(|lang| {
            let Self { rule, glob, .. } = self;
            lang.pick(
                format!("cannot understand the path `{glob}` in rule {rule} of the guard"),
                format!("无法理解守卫第 {rule} 条规则中的路径 `{glob}`"),
            )
        })
    }
}
