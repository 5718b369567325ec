//! Errors of a call that could not be made at all.
//!
//! A failure of the agent or the model is not an error: it is a
//! [`CallOutcome`](crate::CallOutcome).

use std::{
    io,
    path::{Path, PathBuf},
};

use provost_exec::{ExecError, remote::RemoteError};
use provost_kernel::{DigestError, Message, Text};

use crate::{difference::Difference, request::AgentRole};

/// A call that could not be made.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "adapter")]
pub enum AdapterError {
    /// The program was refused, or could not be supervised.
    #[message(
        en = "cannot run the adapter `{adapter}`",
        zh = "无法运行适配器 `{adapter}`",
        inherit = source
    )]
    Exec { adapter: String, source: ExecError },
    /// The adapter's SSH alias cannot be used.
    #[message(
        en = "cannot run the adapter `{adapter}`",
        zh = "无法运行适配器 `{adapter}`",
        inherit = source
    )]
    Remote { adapter: String, source: RemoteError },
    /// The exchange folder cannot be used.
    #[message(
        en = "cannot {action} the exchange folder `{path}`",
        zh = "无法{action}交换目录 `{path}`"
    )]
    Exchange { action: ExchangeAction, path: PathBuf, source: io::Error },
    /// A reply lay in the exchange folder before the request was sent.
    #[message(
        en = "`{path}` exists before the request was sent",
        zh = "发出请求之前 `{path}` 已存在",
        exit = Integrity
    )]
    Answered { path: PathBuf },
    /// The adapter does not support this role.
    #[message(
        en = "the adapter `{adapter}` cannot be a {role}",
        zh = "适配器 `{adapter}` 不能担任{role}"
    )]
    Role { adapter: String, role: AgentRole },
    /// The request lacks what every judge's request has.
    #[message(
        en = "cannot ask `{adapter}` to judge without temperature 0",
        zh = "不能在没有温度 0 的情况下请 `{adapter}` 评判"
    )]
    NoTemperature { adapter: String },
    /// Neither the task nor the configuration names a model.
    #[message(
        en = "no model is configured for the adapter `{adapter}`",
        zh = "适配器 `{adapter}` 未指定模型",
        hint(
            en = "set `judge_model` in the task, or `model` in the adapter's configuration",
            zh = "在任务中设置 `judge_model`，或在适配器配置中设置 `model`"
        )
    )]
    NoModel { adapter: String },
    /// The base URL of a chat adapter cannot be used.
    #[message(
        en = "invalid base URL of `{adapter}`: {problem}",
        zh = "`{adapter}` 的地址无效：{problem}"
    )]
    BadAddress { adapter: String, problem: AddressProblem },
    /// The system has no root certificates.
    #[message(
        en = "cannot verify the server of `{adapter}`: this system has no certificates",
        zh = "无法验证 `{adapter}` 的服务器：系统中没有证书"
    )]
    NoCertificates { adapter: String },
    /// The request has no digest.
    #[message(en = "cannot compute the digest of the request", zh = "无法计算请求的摘要")]
    Digest { source: DigestError },
    /// A line of a recording cannot be used.
    #[message(
        en = "invalid recording on line {line}: {cause}",
        zh = "录制的第 {line} 行无效：{cause}"
    )]
    BadRecording { line: usize, cause: String },
    /// No recorded request equals this one.
    #[message(
        en = "`{adapter}` has no recorded answer: {difference}",
        zh = "`{adapter}` 没有录制的答案：{difference}",
        arg(difference = nearest_text(nearest.as_deref())),
        hint(
            en = "record it again with the adapter that answered before",
            zh = "请用原来的适配器重新录制"
        )
    )]
    NotRecorded { adapter: String, nearest: Option<Box<Difference>> },
    /// The answer arrived, and could not be recorded.
    #[message(en = "cannot record the answer of `{adapter}`", zh = "无法录制 `{adapter}` 的答案")]
    NotKept { adapter: String, source: io::Error },
}

/// What is done to an exchange folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "adapter.exchange")]
pub enum ExchangeAction {
    #[message(en = "open", zh = "打开")]
    Open,
    #[message(en = "read", zh = "读取")]
    Read,
}

/// What is wrong with a base URL.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "adapter.address")]
pub enum AddressProblem {
    #[message(en = "`{0}` is not a URL", zh = "`{0}` 不是 URL")]
    NotAnAddress(String),
    /// Neither `https` nor `http`.
    #[message(
        en = "`{0}` is neither `https` nor `http`",
        zh = "`{0}` 既不是 `https` 也不是 `http`"
    )]
    Scheme(String),
    /// It carries a user, a query or a fragment.
    #[message(
        en = "it contains a user, a query or a fragment",
        zh = "地址中含有用户名、查询或片段"
    )]
    Extra,
    /// It would send a key over the network unencrypted.
    #[message(
        en = "a key is only sent over `https` or to this machine",
        zh = "密钥只能通过 `https` 发送，或发送到本机"
    )]
    KeyInTheOpen,
}

impl AdapterError {
    pub(crate) fn exchange(action: ExchangeAction, path: &Path, source: io::Error) -> Self {
        Self::Exchange { action, path: path.to_owned(), source }
    }
}

/// The difference to the nearest recorded request, where there is one for the role.
fn nearest_text(difference: Option<&Difference>) -> Text {
    difference.map_or_else(|| NoneRecorded.text(), Difference::text)
}

#[derive(Message)]
#[message(
    code = "adapter.none_recorded",
    en = "nothing is recorded for this role",
    zh = "该角色没有录制"
)]
struct NoneRecorded;
