//! Errors of configured rules.

use provost_kernel::Message;

/// A rule that cannot be understood. Rules are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "guard.rule_error")]
pub enum RuleError {
    #[message(
        en = "cannot parse the path `{glob}` in rule {rule} of the guard",
        zh = "无法解析守卫第 {rule} 条规则中的路径 `{glob}`"
    )]
    Glob { rule: usize, glob: String, source: globset::Error },
    #[message(
        en = "rule {rule} of the guard names `{name}`, which is not a built-in rule",
        zh = "守卫第 {rule} 条规则引用的 `{name}` 不是内置规则",
        hint(
            en = "the name of a rule is in its refusal: `provost guard explain COMMAND`",
            zh = "规则名称见拒绝信息：`provost guard explain COMMAND`"
        )
    )]
    Unknown { rule: usize, name: String },
}
