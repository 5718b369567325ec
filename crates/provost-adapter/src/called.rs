//! How a call ended.

use std::time::Duration;

use provost_exec::sandbox::SandboxReport;
use provost_kernel::{Lang, SessionId, Text, Timestamp};

use crate::{
    log::Log,
    reply::{Reply, ReplyProblem, Usage},
};

/// What is known of a call when nothing of it is left.
#[derive(Clone, Debug)]
pub struct Called {
    pub outcome: CallOutcome,
    /// For `rc.txt`: the exit code of the process itself (LOOP-A12), or, where there was none,
    /// the code that the protocol has for this outcome.
    pub rc: i32,
    /// What it cost, also when it failed.
    pub usage: Usage,
    pub session: Option<SessionId>,
    /// What lay where the reply was expected, as it was; evidence, also when it is no reply.
    pub raw_reply: Option<Vec<u8>>,
    /// Lines for `run.log`.
    pub log: Log,
    /// How long it took.
    pub wall: Duration,
    /// What the sandbox of the process enforced, if it had one.
    pub sandbox: Option<SandboxReport>,
}

/// The ways a call can end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    Answer(Reply),
    /// The deadline passed.
    TimedOut,
    /// A login or a key is missing or refused.
    NotAuthorised,
    /// The provider's quota is spent.
    Quota {
        retry_after: Option<RetryAfter>,
    },
    Failed(Failure),
    /// The program does not exist here.
    Missing,
    /// Somebody asked for the end.
    Cancelled,
}

/// When a provider wants to be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// From the end of the call.
    In(Duration),
    At(Timestamp),
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The program exited with a code that the protocol gives no other meaning.
    Exit { rc: i32 },
    /// A signal ended the program, and provost did not send it.
    Signal { signal: i32 },
    /// The file exists and is not a program.
    NotExecutable { reason: String },
    /// The program exited with success, but what it left is no reply.
    Reply(ReplyProblem),
    /// The server answered with this status.
    Http { status: u16 },
    /// The server wanted to send us elsewhere.
    Redirected { status: u16 },
    /// No server was reached, or it broke off.
    Unreachable { cause: String },
    /// The server's answer is longer than anything a model says.
    BodyTooLarge,
    /// The server's answer is not what the interface says.
    Body { cause: String },
    /// The model did not finish what it was saying.
    Unfinished { reason: String },
}

impl CallOutcome {
    /// The exit code that the protocol has for this outcome, where there was no process.
    pub fn rc(&self) -> i32 {
        match self {
            Self::Answer(_) => 0,
            Self::TimedOut => 124,
            Self::NotAuthorised => 195,
            Self::Quota { .. } => 75,
            Self::Missing => 127,
            Self::Cancelled => 130,
            Self::Failed(failure) => match failure {
                Failure::Exit { rc } => *rc,
                Failure::Signal { signal } => 128 + signal,
                Failure::NotExecutable { .. } => 126,
                Failure::Reply(_)
                | Failure::Http { .. }
                | Failure::Redirected { .. }
                | Failure::Unreachable { .. }
                | Failure::BodyTooLarge
                | Failure::Body { .. }
                | Failure::Unfinished { .. } => 1,
            },
        }
    }

    /// How it ended, for a person.
    pub fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Answer(_) => lang.pick("it answered", "已回答").to_owned(),
            Self::TimedOut => lang.pick("it did not end in time", "超时").to_owned(),
            Self::NotAuthorised => lang.pick("it is not authorised", "未授权").to_owned(),
            Self::Quota { retry_after: None } => {
                lang.pick("its quota is spent", "配额已用尽").to_owned()
            }
            Self::Quota { retry_after: Some(when) } => {
                let when = when.text().render(lang);
                lang.pick(
                    format!("its quota is spent; it may be asked again {when}"),
                    format!("配额已用尽,可在 {when} 重试"),
                )
            }
            Self::Failed(failure) => failure.text().render(lang),
            Self::Missing => {
                lang.pick("the program does not exist here", "此处没有该程序").to_owned()
            }
            Self::Cancelled => lang.pick("it was cancelled", "已取消").to_owned(),
        })
    }
}

impl RetryAfter {
    fn text(self) -> Text {
        Text::each(|lang| match self {
            Self::In(wait) => {
                let seconds = wait.as_secs();
                lang.pick(format!("in {seconds} s"), format!("{seconds} 秒后"))
            }
            Self::At(time) => lang.pick(format!("at {time}"), time.to_string()),
        })
    }
}

impl Failure {
    /// What failed, for a person.
    pub fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Exit { rc } => {
                lang.pick(format!("it exited with {rc}"), format!("退出码为 {rc}"))
            }
            Self::Signal { signal } => {
                lang.pick(format!("signal {signal} ended it"), format!("被信号 {signal} 终止"))
            }
            Self::NotExecutable { reason } => {
                lang.pick(format!("it cannot be executed: {reason}"), format!("无法执行:{reason}"))
            }
            Self::Reply(problem) => problem.text().render(lang),
            Self::Http { status } => lang.pick(
                format!("the server answered with status {status}"),
                format!("服务器返回状态 {status}"),
            ),
            Self::Redirected { status } => lang.pick(
                format!("the server redirects (status {status}), and provost does not follow"),
                format!("服务器要求重定向(状态 {status}),provost 不会跟随"),
            ),
            Self::Unreachable { cause } => lang.pick(
                format!("the server cannot be reached: {cause}"),
                format!("无法连接服务器:{cause}"),
            ),
            Self::BodyTooLarge => {
                lang.pick("the server's answer is too large", "服务器的回答过大").to_owned()
            }
            Self::Body { cause } => lang.pick(
                format!("the server's answer is not a chat completion: {cause}"),
                format!("服务器的回答不是对话补全:{cause}"),
            ),
            Self::Unfinished { reason } => lang.pick(
                format!("the model did not finish: {reason}"),
                format!("模型未说完:{reason}"),
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_outcome_has_the_code_of_the_protocol() {
        let check = |outcome: CallOutcome, expected: i32| assert_eq!(outcome.rc(), expected);
        check(CallOutcome::TimedOut, 124);
        check(CallOutcome::NotAuthorised, 195);
        check(CallOutcome::Quota { retry_after: None }, 75);
        check(CallOutcome::Missing, 127);
        check(CallOutcome::Failed(Failure::Exit { rc: 7 }), 7);
        check(CallOutcome::Failed(Failure::Signal { signal: 9 }), 137);
        check(CallOutcome::Failed(Failure::Reply(ReplyProblem::Absent)), 1);
    }

    #[test]
    fn the_time_to_ask_again_is_said() {
        let spent = |retry_after| CallOutcome::Quota { retry_after }.text().render(Lang::En);
        assert_eq!(spent(None), "its quota is spent");
        assert_eq!(
            spent(Some(RetryAfter::In(Duration::from_secs(90)))),
            "its quota is spent; it may be asked again in 90 s"
        );
        assert_eq!(
            spent(Some(RetryAfter::At(Timestamp::EPOCH))),
            "its quota is spent; it may be asked again at 1970-01-01T00:00:00Z"
        );
    }
}
