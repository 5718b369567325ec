//! A call without a reply, and what is said about it.

use std::fmt;

use provost_kernel::{Digest, Message, Text};

use crate::call_result::{CallError, Failure};

/// A call without a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelFailure {
    pub error: CallError,
    /// Which model, and what it or the system says about it.
    pub detail: Text,
}

/// Why a call has no reply, in more detail than [`CallError`].
#[derive(Debug, Message)]
#[message(code = "model.failure")]
pub(super) enum Detail {
    #[message(en = "`{model}`: {why}", zh = "`{model}`：{why}")]
    Named { model: String, why: Text },
    /// With the code of the server's error and its own words, or the key that is missing.
    #[message(en = "`{model}`: {why} ({noted})", zh = "`{model}`：{why}（{noted}）")]
    Noted { model: String, why: Text, noted: String },
    #[message(en = "the answer is larger than {mebibytes} MiB", zh = "回答超过 {mebibytes} MiB")]
    TooLarge { mebibytes: u64 },
    #[message(en = "invalid output: {cause}", zh = "输出无效：{cause}")]
    Invalid { cause: String },
    #[message(en = "the call panicked", zh = "调用发生内部错误")]
    Panicked,
    #[message(en = "no model is configured", zh = "未配置模型")]
    NoModel,
    #[message(
        en = "none of the {count} requests in `{path}` is {digest}",
        zh = "`{path}` 的 {count} 个请求中没有 {digest}"
    )]
    NoRequest { count: usize, path: String, digest: Digest },
    #[message(en = "`{path}` has no reply to {digest}", zh = "`{path}` 没有对 {digest} 的回复")]
    NoReply { path: String, digest: Digest },
    #[message(en = "the file has changed since it was opened", zh = "文件打开后已被修改")]
    Changed,
}

impl ModelFailure {
    /// The model cannot be reached, or broke off.
    pub fn unreachable(detail: impl Into<Text>) -> Self {
        let detail = detail.into();
        let error = CallError::Failed(Failure::Unreachable { cause: detail.to_string() });
        Self { error, detail }
    }

    /// A failure of the model with this name.
    pub(super) fn named(model: &str, error: CallError) -> Self {
        let detail = Detail::Named { model: model.to_owned(), why: error.text() };
        Self { detail: detail.text(), error }
    }

    /// The model with this name cannot be asked.
    pub(super) fn broken(model: &str, why: Text) -> Self {
        Self::unreachable(Detail::Named { model: model.to_owned(), why }.text())
    }

    pub(super) fn not_recorded(detail: Text) -> Self {
        Self { error: CallError::NotRecorded, detail }
    }
}

impl fmt::Display for ModelFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.detail.fmt(f)
    }
}
