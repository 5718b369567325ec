//! What a request is refused with: a status, a code with arguments, and what to do about it.
//!
//! No refusal names a path or a file of this machine: who reads the page need not be who sits at it.

use axum::http::StatusCode;
use provost_desk::{DeskError, LookError, remote::names_a_path};
use provost_kernel::{Exit, Message, TaskId, Text};
use serde_json::{Value, json};

use crate::wire;

/// A request that was refused.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    /// None where even the reason would say too much.
    pub(crate) body: Option<Value>,
    /// The methods that a path knows, behind 405.
    pub(crate) allow: Option<String>,
}

/// The start of the codes of this server's own refusals; they are sent without it.
pub(crate) const OWN: &str = "refusal.";

/// What this server itself refuses.
#[derive(Debug, Message)]
#[message(code = "refusal")]
pub(crate) enum Own {
    #[message(
        en = "the parameter `{name}` is not valid",
        zh = "参数 `{name}` 无效",
        hint(
            en = "`/api/openapi.json` says what it may be",
            zh = "可用的值见 `/api/openapi.json`"
        )
    )]
    BadParameter { name: String },
    #[message(
        en = "the body of the request is not valid: {why}",
        zh = "请求正文无效：{why}",
        hint(
            en = "`/api/openapi.json` says what it may be",
            zh = "可用的值见 `/api/openapi.json`"
        )
    )]
    BadBody { why: String },
    #[message(
        en = "the token is not that of this server",
        zh = "令牌不属于此服务器",
        hint(
            en = "each start of `provost serve` prints a new one",
            zh = "每次启动 `provost serve` 都会显示新的令牌"
        )
    )]
    WrongToken,
    #[message(
        en = "this server takes no orders: it is read-only",
        zh = "此服务器为只读，不接受指令",
        hint(
            en = "use the command line, or start `provost serve` without `--read-only`",
            zh = "请使用命令行，或启动 `provost serve` 时去掉 `--read-only`"
        )
    )]
    ReadOnly,
    #[message(
        en = "only a person may do this, and the request comes from `{program}`, an agent",
        zh = "只有人可以这样做，而请求来自智能体 `{program}`",
        hint(
            en = "open the page in a browser that you have started yourself",
            zh = "请在您自己启动的浏览器中打开页面"
        )
    )]
    FromAgent { program: String },
    #[message(en = "the request comes from another site", zh = "请求来自其他网站")]
    ForeignOrigin,
    #[message(en = "this server is not called by that name", zh = "此服务器不使用该名称")]
    ForeignHost,
    #[message(en = "nothing is here", zh = "此处没有内容")]
    NotFound,
    #[message(en = "this address does not know the method", zh = "此地址不支持该方法")]
    NoMethod,
    #[message(en = "the request took too long", zh = "请求发送超时")]
    TooSlow,
    #[message(en = "the request is longer than {most} bytes", zh = "请求超过 {most} 字节")]
    TooLarge { most: usize },
    #[message(
        en = "the body of the request must be `application/json`",
        zh = "请求正文必须是 `application/json`"
    )]
    NoJson,
    #[message(
        en = "too many orders within a minute: at most {most}",
        zh = "一分钟内的指令过多：最多 {most} 个",
        hint(en = "wait a minute", zh = "请等待一分钟")
    )]
    TooMany { most: usize },
    #[message(
        en = "the server is busy",
        zh = "服务器繁忙",
        hint(en = "try again in a moment", zh = "请稍后再试")
    )]
    Busy,
    #[message(
        en = "request id `{request_id}` was used for another order",
        zh = "请求 id `{request_id}` 已用于另一个指令",
        hint(en = "use a new id for every order", zh = "请为每个新指令使用新的 id")
    )]
    RequestIdReused { request_id: String },
    #[message(
        en = "the result of `{task}` has moved since it was looked at: attempt {attempt} is the newest",
        zh = "`{task}` 的结果在查看之后已有变化：最新的是第 {attempt} 次尝试",
        hint(en = "look at it, then decide", zh = "请先查看，再做决定")
    )]
    Moved { task: TaskId, attempt: u16 },
    #[message(
        en = "a task with the id `{task}` exists",
        zh = "id 为 `{task}` 的任务已存在",
        hint(en = "choose another id", zh = "请换一个 id")
    )]
    IdTaken { task: TaskId },
    #[message(
        en = "the files of provost do not fit together here",
        zh = "provost 的文件不一致",
        hint(en = "`provost audit verify` checks them", zh = "`provost audit verify` 会检查它们")
    )]
    Integrity,
    #[message(
        en = "provost could not do this",
        zh = "provost 无法完成此操作",
        hint(
            en = "do it on the command line: it says what is wrong",
            zh = "请在命令行执行：那里会说明原因"
        )
    )]
    Unable,
}

impl Own {
    pub(crate) fn with(self, status: StatusCode) -> Refusal {
        let text = self.text();
        let mut refusal = Refusal::of(status, &text, &self.hints());
        if let Some(Value::String(code)) = refusal.body.as_mut().and_then(|it| it.get_mut("code")) {
            *code = code.strip_prefix(OWN).unwrap_or(code).to_owned();
        }
        refusal
    }
}

impl Refusal {
    pub(crate) fn of(status: StatusCode, text: &Text, hints: &[Text]) -> Self {
        let (said, code, args) = text.to_parts();
        let code = code.unwrap_or(said);
        let mut body = json!({"code": code, "args": args, "hint": hints});
        wire::rewrite(&mut body);
        Self { status, body: Some(body), allow: None }
    }

    /// The code, as clients see it.
    pub(crate) fn code(&self) -> &str {
        let code = self.body.as_ref().and_then(|it| it.get("code")?.as_str());
        code.unwrap_or(self.status.as_str())
    }

    /// Without a word about why.
    pub(crate) fn silent(status: StatusCode) -> Self {
        Self { status, body: None, allow: None }
    }

    pub(crate) fn parameter(name: &str) -> Self {
        Own::BadParameter { name: name.to_owned() }.with(StatusCode::BAD_REQUEST)
    }

    pub(crate) fn not_found() -> Self {
        Own::NotFound.with(StatusCode::NOT_FOUND)
    }

    /// What a rule says, with the status that its meaning to scripts has.
    pub(crate) fn message(message: &(impl Message + ?Sized)) -> Self {
        let status = match message.exit() {
            Exit::Conflict => StatusCode::CONFLICT,
            Exit::Integrity => return Own::Integrity.with(StatusCode::SERVICE_UNAVAILABLE),
            Exit::Quota => StatusCode::SERVICE_UNAVAILABLE,
            Exit::Success | Exit::Refused | Exit::Unable | Exit::Paused => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
        };
        let text = message.text();
        if names_a_path(&text) {
            return Own::Unable.with(StatusCode::UNPROCESSABLE_ENTITY);
        }
        Self::of(status, &text, &message.hints())
    }
}

impl From<DeskError> for Refusal {
    fn from(error: DeskError) -> Self {
        match &error {
            DeskError::Look(LookError::Unknown { .. }) => {
                Self::of(StatusCode::NOT_FOUND, &error.text(), &error.hints())
            }
            DeskError::Look(LookError::NoChange { .. } | LookError::NoOutput { .. }) => {
                Self::not_found()
            }
            DeskError::Look(_) | DeskError::File(_) | DeskError::Audit(_) => {
                Own::Integrity.with(StatusCode::SERVICE_UNAVAILABLE)
            }
            DeskError::Lock(_) | DeskError::Held(_) => {
                Own::Busy.with(StatusCode::SERVICE_UNAVAILABLE)
            }
            DeskError::Request(conflict) => {
                let request_id = conflict.request_id.to_string();
                Own::RequestIdReused { request_id }.with(StatusCode::CONFLICT)
            }
            DeskError::Moved(moved) => {
                let (task, attempt) = moved.newest();
                Own::Moved { task: task.clone(), attempt }.with(StatusCode::PRECONDITION_FAILED)
            }
            // Not in this state.
            DeskError::Order(_) => Self::of(StatusCode::CONFLICT, &error.text(), &error.hints()),
            DeskError::Override(_)
            | DeskError::Edit(_)
            | DeskError::Only(_)
            | DeskError::Blind(_) => {
                Self::of(StatusCode::UNPROCESSABLE_ENTITY, &error.text(), &error.hints())
            }
        }
    }
}
