//! Why a call could not be made at all.
//!
//! What an agent or a model did wrong is no error: it is a [`CallOutcome`](crate::CallOutcome).

use std::{
    io,
    path::{Path, PathBuf},
};

use provost_exec::{ExecError, remote::RemoteError};
use provost_kernel::{DigestError, Exit, Message, Text};

use crate::{recording::Difference, request::AgentRole};

/// A call that could not be made.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub enum AdapterError {
    /// The program was refused, or could not be supervised.
    Exec { adapter: String, source: ExecError },
    /// The adapter's SSH alias cannot be used.
    Remote { adapter: String, source: RemoteError },
    /// The exchange folder cannot be used.
    Exchange { action: &'static str, path: PathBuf, source: io::Error },
    /// An answer lay in the exchange folder before anybody was asked.
    Answered { path: PathBuf },
    /// The adapter cannot play this role.
    Role { adapter: String, role: AgentRole },
    /// The request lacks what every judge's request has.
    NoTemperature { adapter: String },
    /// Neither the task nor the configuration names a model.
    NoModel { adapter: String },
    /// The base address of a chat adapter cannot be used.
    BadAddress { adapter: String, problem: AddressProblem },
    /// No certificates to tell a server by.
    NoCertificates { adapter: String },
    /// The request has no digest.
    Digest { source: DigestError },
    /// A line of a recording cannot be used.
    BadRecording { line: usize, cause: String },
    /// Nothing like this request was recorded.
    NotRecorded { adapter: String, nearest: Option<Box<Difference>> },
    /// The answer came, and could not be recorded.
    NotKept { adapter: String, source: io::Error },
}

/// What is the matter with a base address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressProblem {
    NotAnAddress(String),
    /// Neither `https` nor `http`.
    Scheme(String),
    /// It carries a user, a query or a fragment.
    Extra,
    /// It would send a key over the network unencrypted.
    KeyInTheOpen,
}

impl AdapterError {
    pub(crate) fn exchange(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Exchange { action, path: path.to_owned(), source }
    }
}

impl AddressProblem {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::NotAnAddress(text) => {
                lang.pick(format!("`{text}` is not an address"), format!("`{text}` 不是地址"))
            }
            Self::Scheme(scheme) => lang.pick(
                format!("`{scheme}` is neither `https` nor `http`"),
                format!("`{scheme}` 既不是 `https` 也不是 `http`"),
            ),
            Self::Extra => lang
                .pick("it has a user, a query or a fragment in it", "地址中含有用户名、查询或片段")
                .to_owned(),
            Self::KeyInTheOpen => lang
                .pick(
                    "a key is sent over `https` or to this machine only",
                    "密钥只能通过 `https` 发送,或发送到本机",
                )
                .to_owned(),
        })
    }
}

impl Message for AdapterError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Exec { adapter, .. } | Self::Remote { adapter, .. } => lang.pick(
                format!("cannot run the adapter `{adapter}`"),
                format!("无法运行适配器 `{adapter}`"),
            ),
            Self::Exchange { action, path, .. } => lang.pick(
                format!("cannot {action} the exchange folder `{}`", path.display()),
                format!("无法使用交换目录 `{}`({action})", path.display()),
            ),
            Self::Answered { path } => lang.pick(
                format!("`{}` is there before anybody was asked", path.display()),
                format!("提问之前 `{}` 已存在", path.display()),
            ),
            Self::Role { adapter, role } => lang.pick(
                format!("the adapter `{adapter}` cannot be a {}", role.as_str()),
                format!("适配器 `{adapter}` 不能担任 {}", role.as_str()),
            ),
            Self::NoTemperature { adapter } => lang.pick(
                format!("cannot ask `{adapter}` to judge without temperature 0"),
                format!("不能在没有温度 0 的情况下请 `{adapter}` 评判"),
            ),
            Self::NoModel { adapter } => lang.pick(
                format!("no model is named for the adapter `{adapter}`"),
                format!("适配器 `{adapter}` 未指定模型"),
            ),
            Self::BadAddress { adapter, problem } => lang.pick(
                format!(
                    "the address of `{adapter}` cannot be used: {}",
                    problem.text().render(lang)
                ),
                format!("`{adapter}` 的地址不可用:{}", problem.text().render(lang)),
            ),
            Self::NoCertificates { adapter } => lang.pick(
                format!("`{adapter}` cannot check a server: this system has no certificates"),
                format!("`{adapter}` 无法验证服务器:系统中没有证书"),
            ),
            Self::Digest { .. } => {
                lang.pick("the request has no digest", "请求没有摘要").to_owned()
            }
            Self::BadRecording { line, cause } => lang.pick(
                format!("line {line} of the recording cannot be used: {cause}"),
                format!("录制的第 {line} 行不可用:{cause}"),
            ),
            Self::NotRecorded { adapter, nearest: None } => lang.pick(
                format!("`{adapter}` has no answer: nothing is recorded for this role"),
                format!("`{adapter}` 没有答案:该角色没有录制"),
            ),
            Self::NotRecorded { adapter, nearest: Some(difference) } => lang.pick(
                format!("`{adapter}` has no answer: {}", difference.text().render(lang)),
                format!("`{adapter}` 没有答案:{}", difference.text().render(lang)),
            ),
            Self::NotKept { adapter, .. } => lang.pick(
                format!("cannot record the answer of `{adapter}`"),
                format!("无法录制 `{adapter}` 的答案"),
            ),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| match self {
            Self::Exec { source, .. } => source.hints_in(lang),
            Self::Remote { source, .. } => source.hints_in(lang),
            Self::NoModel { .. } => vec![
                lang.pick(
                    "set `judge_model` in the task, or `model` in the adapter's configuration",
                    "在任务中设置 `judge_model`,或在适配器配置中设置 `model`",
                )
                .to_owned(),
            ],
            Self::NotRecorded { .. } => vec![
                lang.pick(
                    "record it again with the adapter that answered before",
                    "请用原来的适配器重新录制",
                )
                .to_owned(),
            ],
            Self::Exchange { .. }
            | Self::Answered { .. }
            | Self::Role { .. }
            | Self::NoTemperature { .. }
            | Self::BadAddress { .. }
            | Self::NoCertificates { .. }
            | Self::Digest { .. }
            | Self::BadRecording { .. }
            | Self::NotKept { .. } => Vec::new(),
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Exec { source, .. } => source.exit(),
            Self::Remote { source, .. } => source.exit(),
            Self::Answered { .. } => Exit::Integrity,
            Self::Exchange { .. }
            | Self::Role { .. }
            | Self::NoTemperature { .. }
            | Self::NoModel { .. }
            | Self::BadAddress { .. }
            | Self::NoCertificates { .. }
            | Self::Digest { .. }
            | Self::BadRecording { .. }
            | Self::NotRecorded { .. }
            | Self::NotKept { .. } => Exit::Unable,
        }
    }
}
