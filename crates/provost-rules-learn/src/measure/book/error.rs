//! Why a ledger is not what its own inputs give.

use provost_kernel::Message;

/// What is wrong with an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.accounts", exit = Integrity)]
pub enum BookError {
    #[message(
        en = "entry {seq} is missing, repeated or of another version",
        zh = "第 {seq} 条记录缺失、重复或属于其他版本"
    )]
    OutOfOrder { seq: u64 },
    #[message(
        en = "the numbers of entry {seq} do not follow from the entries before it",
        zh = "第 {seq} 条记录中的数值与此前的记录不符"
    )]
    Numbers { seq: u64 },
    #[message(
        en = "entry {seq} is not allowed: {source}",
        zh = "第 {seq} 条记录不被允许：{source}"
    )]
    Refused {
        seq: u64,
        #[source]
        source: Reason,
    },
}

/// Why an event cannot happen to a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.account")]
pub enum Reason {
    #[message(en = "the rule has no account", zh = "该规则没有账户")]
    NoAccount,
    #[message(en = "the rule is in another state", zh = "该规则处于其他状态")]
    Standing,
    #[message(
        en = "the rule has an account, or there is no room for another",
        zh = "该规则已有账户，或已无空位"
    )]
    NoRoom,
    #[message(en = "its evidence does not reach the bound", zh = "其证据未达到界限")]
    Unproven,
    #[message(en = "the label does not count for this rule", zh = "该标签不计入此规则")]
    LabelDoesNotCount,
    #[message(en = "its figures do not say so", zh = "其数值并不支持这一点")]
    NotFutile,
    #[message(
        en = "as many rules as allowed are adopted without measurement",
        zh = "未经测量而采纳的规则已达上限"
    )]
    TooManyAdopted,
    #[message(en = "fresh labels show that the rule does harm", zh = "新标签表明该规则有害")]
    Harmful,
}
