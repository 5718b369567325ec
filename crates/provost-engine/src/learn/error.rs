//! Why a mission could not be learned.

use camino::Utf8PathBuf;
use provost_adapter::{AdapterError, model::ModelError};
use provost_kernel::{
    DigestError, Exit, Lang, Message, Text,
    learn::{CurrentError, MissionName},
};
use provost_rules_learn::{
    census::CensusError,
    closure::ClosureError,
    guidance::{GuidanceError, LogError},
    mission::MissionError,
    prompt::PromptError,
    vote::OverrideError,
};
use provost_vault::{
    FileError,
    audit::AuditError,
    learn::{ArtifactError, CurrentFileError},
    lock::LockError,
};

use super::{IngestReject, Refusal, identity::Part};

/// Something that a learning run could not do.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub enum LearnError {
    /// No line of any file is a ticket.
    NoTickets {
        rejected: usize,
        /// What is wrong with the first of them.
        first: Option<Box<IngestReject>>,
    },
    /// The learn pool is empty.
    NothingToLearn,
    /// Lines were rejected, and none may be.
    Rejected {
        count: usize,
        first: Box<IngestReject>,
    },
    Unreadable {
        path: Utf8PathBuf,
        source: std::io::Error,
    },
    /// A file is not what it was when the run began to read it.
    TicketsChanged {
        path: Utf8PathBuf,
    },
    OtherMission {
        path: Utf8PathBuf,
        line: u64,
        found: String,
        wanted: MissionName,
    },
    /// What the run would write is not what is there.
    RunDiffers {
        file: &'static str,
        seq: u64,
    },
    /// The run was begun with other tickets, another mission or another scaffold.
    OtherInputs {
        run: String,
        what: Part,
    },
    /// The worst case is more than the caps allow.
    BeyondBudget {
        worst: u64,
        cap: u64,
    },
    /// No endpoint answers.
    Unreachable {
        detail: String,
    },
    /// No endpoint answers, because the quota is spent.
    Quota {
        detail: String,
        /// When the provider wants to be asked again.
        after: Option<String>,
    },
    /// A recording has no answer.
    NotRecorded {
        detail: String,
    },
    /// Somebody asked for the end.
    Interrupted,
    /// A rule that must hold does not: nothing is written after this.
    Invariant {
        what: String,
    },
    Encode(serde_json::Error),
    #[error(transparent)]
    Mission(Box<MissionError>),
    #[error(transparent)]
    Guidance(Box<GuidanceError>),
    #[error(transparent)]
    Prompt(PromptError),
    #[error(transparent)]
    Override(Box<OverrideError>),
    #[error(transparent)]
    Census(CensusError),
    #[error(transparent)]
    Closure(ClosureError),
    #[error(transparent)]
    Log(Box<LogError>),
    #[error(transparent)]
    Artifact(Box<ArtifactError>),
    #[error(transparent)]
    Adapter(Box<AdapterError>),
    #[error(transparent)]
    File(FileError),
    #[error(transparent)]
    Digest(DigestError),
    #[error(transparent)]
    Refused(Box<Refusal>),
    #[error(transparent)]
    Lock(Box<LockError>),
    #[error(transparent)]
    Model(Box<ModelError>),
    #[error(transparent)]
    Audit(Box<AuditError>),
    /// What is in force cannot be told.
    #[error(transparent)]
    Current(Box<CurrentFileError>),
    /// What was learned cannot be put in force.
    #[error(transparent)]
    InForce(CurrentError),
}

macro_rules! from {
    ($($source:ty => $variant:ident $(($wrap:path))?),+ $(,)?) => {
        $(impl From<$source> for LearnError {
            fn from(error: $source) -> Self {
                Self::$variant($($wrap)?(error))
            }
        })+
    };
}

from! {
    MissionError => Mission(Box::new),
    GuidanceError => Guidance(Box::new),
    PromptError => Prompt,
    OverrideError => Override(Box::new),
    CensusError => Census,
    ClosureError => Closure,
    LogError => Log(Box::new),
    ArtifactError => Artifact(Box::new),
    AdapterError => Adapter(Box::new),
    FileError => File,
    DigestError => Digest,
    Refusal => Refused(Box::new),
    LockError => Lock(Box::new),
    ModelError => Model(Box::new),
    AuditError => Audit(Box::new),
    CurrentFileError => Current(Box::new),
    CurrentError => InForce,
}

impl LearnError {
    pub(super) fn encode(error: serde_json::Error) -> Self {
        Self::Encode(error)
    }
}

impl Message for LearnError {
    fn text(&self) -> Text {
        Text::each(|lang| {
            match self {
            Self::NoTickets { first: None, .. } => {
                lang.pick("there is no ticket".to_owned(), "没有工单".to_owned())
            }
            Self::NoTickets { rejected, first: Some(first) } => {
                let first = first.text().render(lang);
                lang.pick(
                    format!("none of {rejected} lines is a ticket: {first}"),
                    format!("{rejected} 行中没有一行是工单:{first}"),
                )
            }
            Self::NothingToLearn => lang.pick(
                "no ticket is in the pool `learn`".to_owned(),
                "池 `learn` 中没有工单".to_owned(),
            ),
            Self::Rejected { count, first } => {
                let first = first.text().render(lang);
                lang.pick(
                    format!("{count} lines are no tickets, and `--strict` allows none: {first}"),
                    format!("{count} 行不是工单,而 `--strict` 一行也不允许:{first}"),
                )
            }
            Self::Unreadable { path, .. } => {
                lang.pick(format!("cannot read `{path}`"), format!("无法读取 `{path}`"))
            }
            Self::TicketsChanged { path } => lang.pick(
                format!("`{path}` was changed while the run read it"),
                format!("运行期间 `{path}` 被改动"),
            ),
            Self::OtherMission { path, line, found, wanted } => lang.pick(
                format!("`{path}`, line {line}: a ticket of the mission `{found}`, and this one is `{wanted}`; a run has one mission"),
                format!("`{path}` 第 {line} 行:工单属于 `{found}`,而本次是 `{wanted}`;一次运行只有一个目标"),
            ),
            Self::RunDiffers { file, seq } => lang.pick(
                format!("line {seq} of `{file}` is not what this run comes to"),
                format!("`{file}` 的第 {seq} 行与本次运行的结果不同"),
            ),
            Self::OtherInputs { run, what } => {
                let what = what.text().render(lang);
                lang.pick(
                    format!("the run `{run}` was begun with another {what}"),
                    format!("运行 `{run}` 开始时的{what}与现在不同"),
                )
            }
            Self::BeyondBudget { worst, cap } => lang.pick(
                format!("reflection may need {worst} calls in an epoch, and the cap is {cap}"),
                format!("一轮反思最多需要 {worst} 次调用,而上限是 {cap}"),
            ),
            Self::Unreachable { detail } | Self::Quota { detail, .. } => {
                lang.pick(format!("no model answers: {detail}"), format!("没有模型应答:{detail}"))
            }
            Self::NotRecorded { detail } => lang.pick(
                format!("the recording has no answer: {detail}"),
                format!("录制中没有此回答:{detail}"),
            ),
            Self::Interrupted => lang.pick("the run was ended".to_owned(), "运行已被中止".to_owned()),
            Self::Invariant { what } => lang.pick(
                format!("a rule of learning does not hold: {what}"),
                format!("学习的规则被破坏:{what}"),
            ),
            Self::Encode(_) => {
                lang.pick("cannot encode a line".to_owned(), "无法编码一行".to_owned())
            }
            Self::Mission(error) => error.text().render(lang),
            Self::Guidance(error) => error.text().render(lang),
            Self::Prompt(error) => error.text().render(lang),
            Self::Override(error) => error.text().render(lang),
            Self::Census(error) => error.text().render(lang),
            Self::Closure(error) => error.text().render(lang),
            Self::Log(error) => error.text().render(lang),
            Self::Artifact(error) => error.text().render(lang),
            Self::Adapter(error) => error.text().render(lang),
            Self::File(error) => error.text().render(lang),
            Self::Digest(error) => error.to_string(),
            Self::Refused(error) => error.text().render(lang),
            Self::Lock(error) => error.text().render(lang),
            Self::Model(error) => error.text().render(lang),
            Self::Audit(error) => error.text().render(lang),
            Self::Current(error) => error.text().render(lang),
            Self::InForce(error) => error.text().render(lang),
        }
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            let hint = match self {
            Self::NoTickets { .. } => lang.pick(
                "a ticket is one line of JSON with `group_id`, `label` and `items`: see docs/learn.md",
                "工单是一行 JSON,含 `group_id`、`label` 和 `items`:见 docs/learn.md",
            ),
            Self::NothingToLearn => lang.pick(
                "give tickets `\"split\": \"learn\"`, or a larger share to `pools.learn`",
                "为工单写 `\"split\": \"learn\"`,或增大 `pools.learn`",
            ),
            Self::TicketsChanged { .. } | Self::OtherInputs { .. } | Self::RunDiffers { .. } => {
                lang.pick(
                    "put the files back as they were, or name another run: `provost learn run MISSION.toml --run NAME`",
                    "恢复原来的文件,或另起运行名:`provost learn run MISSION.toml --run NAME`",
                )
            }
            Self::BeyondBudget { .. } => lang.pick(
                "raise `reflection.max_calls_per_epoch`, or begin all the same with `--allow-partial`",
                "提高 `reflection.max_calls_per_epoch`,或用 `--allow-partial` 照样开始",
            ),
            Self::Unreachable { .. } | Self::Interrupted => lang.pick(
                "type the same command again: the run goes on at the call where it stopped",
                "再次输入同一命令:运行从中断的调用处继续",
            ),
            Self::Quota { after, .. } => return vec![again(after.as_deref(), lang)],
            Self::NotRecorded { .. } => lang.pick(
                "record anew with a real endpoint, or put the mission back as it was recorded",
                "用真实端点重新录制,或恢复录制时的配置",
            ),
            Self::Mission(error) => return error.hints_in(lang),
            Self::Guidance(error) => return error.hints_in(lang),
            Self::Prompt(error) => return error.hints_in(lang),
            Self::Override(error) => return error.hints_in(lang),
            Self::Census(error) => return error.hints_in(lang),
            Self::Closure(error) => return error.hints_in(lang),
            Self::Log(error) => return error.hints_in(lang),
            Self::Artifact(error) => return error.hints_in(lang),
            Self::Adapter(error) => return error.hints_in(lang),
            Self::File(error) => return error.hints_in(lang),
            Self::Rejected { .. } => lang.pick(
                "put the lines right, or leave `--strict` out: they are then listed in `ingest_rejects.jsonl`",
                "改正这些行,或去掉 `--strict`:它们会列在 `ingest_rejects.jsonl` 中",
            ),
            Self::Unreadable { .. } => lang.pick(
                "paths in a mission start from the folder of its file",
                "任务目标中的路径以其文件所在的目录为起点",
            ),
            Self::Refused(error) => return error.hints_in(lang),
            Self::Lock(error) => return error.hints_in(lang),
            Self::Model(error) => return error.hints_in(lang),
            Self::Audit(error) => return error.hints_in(lang),
            Self::Current(error) => return error.hints_in(lang),
            Self::InForce(error) => return error.hints_in(lang),
            Self::OtherMission { .. } => lang.pick(
                "keep the tickets of each mission in files of its own, and name them in `tickets`",
                "每个任务目标的工单请放在各自的文件里,并在 `tickets` 中写明",
            ),
            Self::Invariant { .. }
            | Self::Encode(_)
            | Self::Digest(_) => return Vec::new(),
        };
            vec![hint.to_owned()]
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::RunDiffers { .. } | Self::Invariant { .. } => Exit::Integrity,
            Self::OtherInputs { .. } => Exit::Conflict,
            Self::Interrupted => Exit::Paused,
            Self::Quota { .. } => Exit::Quota,
            Self::Mission(error) => error.exit(),
            Self::Guidance(error) => error.exit(),
            Self::Prompt(error) => error.exit(),
            Self::Override(error) => error.exit(),
            Self::Census(error) => error.exit(),
            Self::Closure(error) => error.exit(),
            Self::Log(error) => error.exit(),
            Self::Artifact(error) => error.exit(),
            Self::Adapter(error) => error.exit(),
            Self::File(error) => error.exit(),
            Self::Refused(error) => error.exit(),
            Self::Lock(error) => error.exit(),
            Self::Model(error) => error.exit(),
            Self::Audit(error) => error.exit(),
            Self::Current(error) => error.exit(),
            Self::InForce(error) => error.exit(),
            Self::NoTickets { .. }
            | Self::NothingToLearn
            | Self::Rejected { .. }
            | Self::Unreadable { .. }
            | Self::TicketsChanged { .. }
            | Self::OtherMission { .. }
            | Self::BeyondBudget { .. }
            | Self::Unreachable { .. }
            | Self::NotRecorded { .. }
            | Self::Encode(_)
            | Self::Digest(_) => Exit::Unable,
        }
    }
}

/// What to do about a quota that is spent.
fn again(after: Option<&str>, lang: Lang) -> String {
    let when = after
        .map_or_else(String::new, |it| lang.pick(format!(" (after {it})"), format!("({it} 后)")));
    lang.pick(
        format!(
            "type the same command again when there is quota{when}: the run goes on at the call \
             where it stopped"
        ),
        format!("配额恢复后{when}再次输入同一命令:运行从中断的调用处继续"),
    )
}
