//! Errors of configured rules.

use provost_kernel::Message;

/// A glob in a rule that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "guard.glob",
    en = "cannot parse the path `{glob}` in rule {rule} of the guard",
    zh = "无法解析守卫第 {rule} 条规则中的路径 `{glob}`"
)]
pub struct GlobError {
    /// The rule, counted from 1.
    pub rule: usize,
    pub glob: String,
    pub(super) source: globset::Error,
}
