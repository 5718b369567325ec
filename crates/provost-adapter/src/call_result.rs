//! How a call ended.

use std::time::Duration;

use provost_exec::sandbox::SandboxReport;
use provost_kernel::{
    Message, SessionId, Text, Timestamp,
    model::{FailureClass, Usage},
};
use provost_rules::retry::status_class;

use crate::{
    log::Log,
    reply::{Reply, ReplyProblem},
};

/// What is known of a call when nothing of it is left.
#[derive(Clone, Debug)]
pub struct CallResult {
    pub outcome: CallOutcome,
    /// For `rc.txt`: the exit code of the process itself (LOOP-A12), or, where there was none,
    /// the code that the protocol has for this outcome.
    pub rc: i32,
    /// What it cost, also when it failed.
    pub usage: Usage,
    pub session: Option<SessionId>,
    /// What its program said of the whole session, with the calls before.
    pub session_usage: Usage,
    /// What lay where the reply was expected, as it was; evidence, also when it is not a reply.
    pub raw_reply: Option<Vec<u8>>,
    /// Lines for `run.log`.
    pub log: Log,
    /// How long it took.
    pub wall: Duration,
    /// What the sandbox of the process enforced, if it had one.
    pub sandbox: Option<SandboxReport>,
}

/// The reply, or why there is none.
pub type CallOutcome = Result<Reply, CallError>;

/// Why a call has no reply.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "call")]
pub enum CallError {
    /// The deadline passed.
    #[message(en = "timed out", zh = "超时")]
    TimedOut,
    /// A login or a key is missing or refused.
    #[message(
        en = "the login or API key is missing or rejected",
        zh = "登录信息或 API 密钥缺失或被拒绝"
    )]
    NotAuthorised,
    /// The provider's quota is spent.
    #[message(
        en = "the quota is exhausted{retry}",
        zh = "配额已用尽{retry}",
        arg(retry = retry_after)
    )]
    Quota { retry_after: Option<RetryAfter> },
    /// It reached the limit of what it may cost.
    #[message(en = "stopped at the limit of the budget", zh = "达到预算上限，已停止")]
    Budget,
    #[message(transparent)]
    Failed(Failure),
    /// The program does not exist here.
    #[message(en = "program not found", zh = "未找到该程序")]
    Missing,
    /// The run was cancelled.
    #[message(en = "cancelled", zh = "已取消")]
    Cancelled,
    /// The recording has no reply to this request.
    #[message(en = "the reply is not recorded", zh = "没有录制的回复")]
    NotRecorded,
}

#[derive(Message)]
#[message(code = "call.answer", en = "answered", zh = "已回答")]
struct Answered;

/// When a provider wants to be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "call.retry")]
pub enum RetryAfter {
    /// From the end of the call.
    #[message(
        en = "; retry in {seconds} s",
        zh = "，{seconds} 秒后可重试",
        arg(seconds = field0.as_secs())
    )]
    In(Duration),
    #[message(en = "; retry at {0}", zh = "，{0} 后可重试")]
    At(Timestamp),
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "call.failure")]
pub enum Failure {
    /// The program exited with a code that the protocol gives no other meaning.
    #[message(en = "exited with {rc}", zh = "退出码为 {rc}")]
    Exit { rc: i32 },
    /// A signal ended the program, and provost did not send it.
    #[message(en = "killed by signal {signal}", zh = "被信号 {signal} 终止")]
    Signal { signal: i32 },
    /// The program ended before it began: it cannot go on in the earlier session.
    #[message(en = "cannot resume the earlier session", zh = "无法继续之前的会话")]
    Session,
    /// The file exists and is not a program.
    #[message(en = "not executable: {reason}", zh = "无法执行：{reason}")]
    NotExecutable { reason: String },
    /// The program exited with success, but its reply is invalid.
    #[message(transparent)]
    Reply(ReplyProblem),
    /// The server answered with this status.
    #[message(en = "the server returned status {status}", zh = "服务器返回状态 {status}")]
    Http { status: u16 },
    /// The server redirects, which is not followed.
    #[message(
        en = "the server redirects (status {status}), which provost does not follow",
        zh = "服务器要求重定向（状态 {status}），provost 不会跟随"
    )]
    Redirected { status: u16 },
    /// The connection could not be made, or broke.
    #[message(en = "cannot reach the server: {cause}", zh = "无法连接服务器：{cause}")]
    Unreachable { cause: String },
    /// The response body exceeds the limit.
    #[message(en = "the response of the server is too large", zh = "服务器的响应过大")]
    BodyTooLarge,
    /// The response does not follow the interface.
    #[message(
        en = "the response of the server is not a chat completion: {cause}",
        zh = "服务器的响应不是对话补全：{cause}"
    )]
    Body { cause: String },
    /// The model stopped before the end of its answer.
    #[message(en = "the model did not finish: {reason}", zh = "模型未完成回答：{reason}")]
    Unfinished { reason: String },
}

impl RetryAfter {
    /// As it is stored: `90 s`, or a time.
    pub fn stored(self) -> String {
        match self {
            Self::In(wait) => format!("{} s", wait.as_secs()),
            Self::At(time) => time.to_string(),
        }
    }

    /// Reads what is stored.
    pub fn parse(text: &str) -> Option<Self> {
        match text.strip_suffix(" s") {
            Some(seconds) => seconds.parse().ok().map(|it| Self::In(Duration::from_secs(it))),
            None => text.parse().ok().map(Self::At),
        }
    }
}

impl CallResult {
    /// How the call ended, for people.
    pub fn text(&self) -> Text {
        outcome_text(&self.outcome)
    }
}

pub(crate) fn outcome_text(outcome: &CallOutcome) -> Text {
    outcome.as_ref().map_or_else(Message::text, |_| Answered.text())
}

/// The exit code that the protocol has for an outcome, where there was no process.
pub(crate) fn protocol_rc(outcome: &CallOutcome) -> i32 {
    outcome.as_ref().map_or_else(CallError::rc, |_| 0)
}

impl CallError {
    /// The exit code that the protocol has for it, where there was no process.
    pub fn rc(&self) -> i32 {
        match self {
            Self::TimedOut => 124,
            Self::NotAuthorised => 195,
            Self::Quota { .. } => 75,
            Self::Missing => 127,
            Self::Cancelled => 130,
            Self::NotRecorded | Self::Budget => 1,
            Self::Failed(failure) => match failure {
                Failure::Exit { rc } => *rc,
                Failure::Signal { signal } => 128 + signal,
                Failure::NotExecutable { .. } => 126,
                Failure::Reply(_)
                | Failure::Session
                | Failure::Http { .. }
                | Failure::Redirected { .. }
                | Failure::Unreachable { .. }
                | Failure::BodyTooLarge
                | Failure::Body { .. }
                | Failure::Unfinished { .. } => 1,
            },
        }
    }

    /// How it failed, as far as another try or another endpoint may help.
    pub fn class(&self) -> FailureClass {
        match self {
            Self::TimedOut => FailureClass::TimedOut,
            Self::NotAuthorised => FailureClass::Unauthorized,
            Self::Quota { .. } => FailureClass::QuotaExhausted,
            Self::Cancelled => FailureClass::Cancelled,
            Self::NotRecorded => FailureClass::NotRecorded,
            Self::Failed(Failure::Http { status }) => status_class(*status, None),
            Self::Failed(Failure::Unreachable { .. }) => FailureClass::Transient,
            Self::Missing
            | Self::Budget
            | Self::Failed(
                Failure::Exit { .. }
                | Failure::Signal { .. }
                | Failure::Session
                | Failure::NotExecutable { .. }
                | Failure::Reply(_)
                | Failure::Redirected { .. }
                | Failure::BodyTooLarge
                | Failure::Body { .. }
                | Failure::Unfinished { .. },
            ) => FailureClass::Permanent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_has_the_code_of_the_protocol() {
        let check = |error: CallError, expected: i32| assert_eq!(error.rc(), expected);
        check(CallError::TimedOut, 124);
        check(CallError::NotAuthorised, 195);
        check(CallError::Quota { retry_after: None }, 75);
        check(CallError::Missing, 127);
        check(CallError::Failed(Failure::Exit { rc: 7 }), 7);
        check(CallError::Failed(Failure::Signal { signal: 9 }), 137);
        check(CallError::Failed(Failure::Reply(ReplyProblem::Absent)), 1);
    }

    #[test]
    fn the_time_to_ask_again_is_said() {
        let spent = |retry_after| CallError::Quota { retry_after }.text().to_string();
        assert_eq!(spent(None), "the quota is exhausted");
        assert_eq!(
            spent(Some(RetryAfter::In(Duration::from_secs(90)))),
            "the quota is exhausted; retry in 90 s"
        );
        assert_eq!(
            spent(Some(RetryAfter::At(Timestamp::EPOCH))),
            "the quota is exhausted; retry at 1970-01-01T00:00:00Z"
        );
    }
}
