//! Why a payload was rejected.

use provost_form::Problem;
use provost_kernel::{
    Message,
    guard::{Client, HookType},
    shorten,
};

use crate::fields::Shape;

/// Why a payload is not the input of a hook.
///
/// What is not JSON cannot be judged and exits with `Unable`; the rest was judged and refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "guard.input", exit = Refused)]
pub enum InputError {
    /// There is nothing, or nothing but white space.
    #[message(en = "the payload is empty", zh = "输入为空", exit = Unable)]
    Empty,
    #[message(en = "invalid payload: {0}", zh = "输入无效：{0}", exit = Unable)]
    Json(Box<Problem>),
    /// An array, a string, a number, a boolean or `null`.
    #[message(en = "the payload is not a JSON object", zh = "输入不是 JSON 对象")]
    NotAnObject,
    #[message(
        en = "a `{hook}` hook needs the field `{field}`",
        zh = "`{hook}` 钩子缺少字段 `{field}`"
    )]
    MissingField { hook: HookType, field: &'static str },
    #[message(en = "the field `{field}` is not {shape}", zh = "字段 `{field}` 不是{shape}")]
    WrongShape { field: String, shape: Shape },
    /// A key that reaches into the machinery of a reader; the place is a JSON pointer.
    #[message(
        en = "the key `{at}` is not allowed in a payload",
        zh = "输入中不允许出现键 `{at}`",
        arg(at = shorten(at))
    )]
    PrototypeKey { at: String },
    /// A key of an answer in a question.
    #[message(
        en = "a `{hook}` payload may not contain its own answer in `{key}`",
        zh = "`{hook}` 的输入不能自带答复 `{key}`"
    )]
    AnswerKey { hook: HookType, key: &'static str },
    /// The payload names another type than the command line.
    #[message(
        en = "the event `{event}` does not belong to a `{hook}` hook",
        zh = "事件 `{event}` 不属于 `{hook}` 钩子",
        arg(event = shorten(event)),
        hint(
            en = "install the hook again: `provost guard install --client NAME`",
            zh = "请重新安装钩子：`provost guard install --client NAME`"
        )
    )]
    OtherType { event: String, hook: HookType },
    /// Neither the command line nor the payload names the client.
    #[message(
        en = "unknown client: neither the command line nor the payload names it",
        zh = "无法确定客户端：命令行和输入都没有说明",
        hint(
            en = "name it: `provost hook --client claude`",
            zh = "请指明：`provost hook --client claude`"
        ),
        exit = Unable
    )]
    UnknownClient,
    /// Neither the command line nor the payload names the type.
    #[message(
        en = "the payload of `{client}` names no known event",
        zh = "`{client}` 的输入没有已知的事件名",
        hint(
            en = "install the hook again: `provost guard install --client NAME`",
            zh = "请重新安装钩子：`provost guard install --client NAME`"
        ),
        exit = Unable
    )]
    NoEvent { client: Client },
}

impl InputError {
    pub(crate) fn json(problem: impl Into<Problem>) -> Self {
        Self::Json(Box::new(problem.into()))
    }

    /// The stable name of the error, for records and scripts.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Json(_) => "json",
            Self::NotAnObject => "not_an_object",
            Self::MissingField { .. } => "missing_field",
            Self::WrongShape { .. } => "wrong_shape",
            Self::PrototypeKey { .. } => "prototype_key",
            Self::AnswerKey { .. } => "answer_key",
            Self::OtherType { .. } => "other_type",
            Self::UnknownClient => "unknown_client",
            Self::NoEvent { .. } => "no_event",
        }
    }
}
