//! Why a payload was not taken.

use provost_kernel::{
    Exit, Lang, Message, Text,
    guard::{Client, HookType},
};
use provost_rules::json::{StrictError, shorten};

use crate::fields::Shape;

/// Why a payload is not the input of a hook.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub enum InputError {
    /// There is nothing, or nothing but white space.
    Empty,
    Json(StrictError),
    /// An array, a text, a number, a truth value or `null`.
    NotAnObject,
    MissingField {
        hook: HookType,
        field: &'static str,
    },
    WrongShape {
        field: String,
        shape: Shape,
    },
    /// A key that reaches into the machinery of a reader; the place is a JSON pointer.
    PrototypeKey {
        at: String,
    },
    /// A key of an answer in a question.
    AnswerKey {
        hook: HookType,
        key: &'static str,
    },
    /// The payload says that it is of another type than the command line does.
    OtherType {
        event: String,
        hook: HookType,
    },
    /// Neither the command line nor the payload says which client asks.
    UnknownClient,
    /// Neither the command line nor the payload says what is asked.
    NoEvent {
        client: Client,
    },
}

impl InputError {
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

impl Message for InputError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Empty => lang.pick("the payload is empty", "输入为空").to_owned(),
            Self::Json(error) => error.text().render(lang),
            Self::NotAnObject => {
                lang.pick("the payload is not a JSON object", "输入不是 JSON 对象").to_owned()
            }
            Self::MissingField { hook, field } => lang.pick(
                format!("a `{hook}` hook needs the field `{field}`"),
                format!("`{hook}` 钩子缺少字段 `{field}`"),
            ),
            Self::WrongShape { field, shape } => {
                let wanted = shape_name(*shape, lang);
                lang.pick(
                    format!("the field `{field}` is not {wanted}"),
                    format!("字段 `{field}` 不是{wanted}"),
                )
            }
            Self::PrototypeKey { at } => lang.pick(
                format!("the key `{}` may not stand in a payload", shorten(at)),
                format!("输入中不允许出现键 `{}`", shorten(at)),
            ),
            Self::AnswerKey { hook, key } => lang.pick(
                format!("a `{hook}` payload may not bring its own answer in `{key}`"),
                format!("`{hook}` 的输入不能自带答复 `{key}`"),
            ),
            Self::OtherType { event, hook } => lang.pick(
                format!("the event `{}` is not one of a `{hook}` hook", shorten(event)),
                format!("事件 `{}` 不属于 `{hook}` 钩子", shorten(event)),
            ),
            Self::UnknownClient => lang
                .pick("nothing says which client sent the payload", "无法确定输入来自哪个客户端")
                .to_owned(),
            Self::NoEvent { client } => lang.pick(
                format!("the payload of `{client}` names no event that is known"),
                format!("`{client}` 的输入没有已知的事件名"),
            ),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            let hint = match self {
                Self::UnknownClient => lang.pick(
                    "name it: `provost hook --client claude`",
                    "请指明:`provost hook --client claude`",
                ),
                Self::NoEvent { .. } | Self::OtherType { .. } => lang.pick(
                    "install the hook again: `provost guard install --client NAME`",
                    "请重新安装钩子:`provost guard install --client NAME`",
                ),
                Self::Empty
                | Self::Json(_)
                | Self::NotAnObject
                | Self::MissingField { .. }
                | Self::WrongShape { .. }
                | Self::PrototypeKey { .. }
                | Self::AnswerKey { .. } => return Vec::new(),
            };
            vec![hint.to_owned()]
        })
    }

    /// What is not JSON cannot be judged; the rest was judged and refused.
    fn exit(&self) -> Exit {
        match self {
            Self::Empty | Self::Json(_) | Self::UnknownClient | Self::NoEvent { .. } => {
                Exit::Unable
            }
            Self::NotAnObject
            | Self::MissingField { .. }
            | Self::WrongShape { .. }
            | Self::PrototypeKey { .. }
            | Self::AnswerKey { .. }
            | Self::OtherType { .. } => Exit::Refused,
        }
    }
}

fn shape_name(shape: Shape, lang: Lang) -> &'static str {
    match shape {
        Shape::Text => lang.pick("a text", "文本"),
        Shape::Truth => lang.pick("true or false", "布尔值"),
        Shape::Message => lang.pick("an object with a text `content`", "含文本 `content` 的对象"),
        Shape::Parts => lang.pick("a list of parts with a text `type`", "含文本 `type` 的列表"),
    }
}
