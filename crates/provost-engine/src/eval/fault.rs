//! Why an engine gave no answer: the texts of the errors of a step.

use provost_kernel::{
    Message, Text,
    eval::{ErrorCode, StepError},
};

#[derive(Debug, Message)]
#[message(code = "eval.engine")]
pub(super) enum Fault {
    #[message(en = "`{path}` changed while cases were run", zh = "`{path}` 在运行期间被更改")]
    CaseChanged { path: String },
    #[message(en = "the checks panicked on this answer", zh = "检查该应答时异常中断")]
    ChecksPanicked,
    #[message(en = "missing template for `{artifact}`", zh = "缺少 `{artifact}` 的模板")]
    NoTemplate { artifact: String },
    #[message(en = "the model's answer has no JSON object", zh = "模型的回答中没有 JSON 对象")]
    NoObject,
    #[message(en = "the engine exited with {rc}", zh = "引擎退出码为 {rc}")]
    Exited { rc: i32 },
    #[message(en = "signal {signal} ended the engine", zh = "引擎被信号 {signal} 终止")]
    Signalled { signal: i32 },
    #[message(en = "the engine did not answer in time", zh = "引擎未在时限内应答")]
    Late,
    #[message(
        en = "the case is larger than {limit} MiB; the rest of the file was not read",
        zh = "用例超过 {limit} MiB；文件其余部分未读取"
    )]
    LongCase { limit: u64 },
    #[message(en = "cancelled", zh = "已取消")]
    Cancelled,
    #[message(en = "the answer is larger than {limit} MiB", zh = "应答超过 {limit} MiB")]
    TooLarge { limit: usize },
    #[message(en = "the answer is empty", zh = "没有任何应答")]
    Empty,
    #[message(en = "the engine exited without an answer", zh = "引擎未应答即退出")]
    Left,
    #[message(
        en = "the line has neither `output` nor `error`",
        zh = "该行既无 `output` 也无 `error`"
    )]
    NeitherOutputNorError,
    #[message(
        en = "a line of the engine is not JSON: `{line}`",
        zh = "引擎输出的一行不是 JSON：`{line}`"
    )]
    NotJson { line: String },
    #[message(
        en = "the engine answered `{id}`, which was not asked",
        zh = "引擎应答了从未请求的 `{id}`"
    )]
    NotAsked { id: String },
    #[message(
        en = "`{name}` was recorded for another request",
        zh = "`{name}` 是为另一个请求录制的"
    )]
    OtherRequest { name: String },
    #[message(
        en = "another engine was recorded: {difference}",
        zh = "录制的是另一个引擎：{difference}"
    )]
    OtherEngine { difference: Text },
    #[message(en = "`{name}` holds no answer", zh = "`{name}` 中没有应答")]
    NoAnswer { name: String },
    #[message(en = "nothing is recorded in `{folder}`", zh = "`{folder}` 中没有录制")]
    NothingRecorded { folder: String },
    #[message(en = "nothing is recorded for `{run}`", zh = "没有 `{run}` 的录制")]
    RunNotRecorded { run: String },
    #[message(
        en = "check `{check}` could not be made: {why}",
        zh = "检查 `{check}` 未能进行：{why}"
    )]
    CheckFailed { check: String, why: Text },
    #[message(en = "the judge did not answer: {why}", zh = "评委没有应答：{why}")]
    JudgeUnavailable { why: Text },
    #[message(
        en = "the judge gave no verdict: its answer has no object with `pass`",
        zh = "评委没有给出结论：应答中没有含 `pass` 的对象"
    )]
    NoVerdict,
    /// With the last that the engine wrote to stderr.
    #[message(en = "{fault}: {stderr}", zh = "{fault}：{stderr}")]
    WithStderr { fault: Text, stderr: String },
}

impl Fault {
    /// The error of a step; asking again does not help.
    pub(super) fn error(&self, code: ErrorCode) -> StepError {
        StepError::new(code, &self.text())
    }

    /// The error of a step that may be asked again.
    pub(super) fn retryable(&self, code: ErrorCode) -> StepError {
        StepError { retryable: true, ..self.error(code) }
    }
}
