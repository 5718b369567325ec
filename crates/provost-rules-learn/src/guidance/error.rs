//! Why a file is not guidance.

use provost_form::Problem;
use provost_kernel::{
    Message,
    learn::{MissionName, ScaffoldError},
};

/// A file that is not guidance for the mission.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.guidance")]
pub enum GuidanceError {
    #[message(
        en = "invalid guidance: {0}",
        zh = "指引文件无效：{0}",
        inherit = field0
    )]
    Json(Problem),
    #[message(
        en = "the guidance is not an object",
        zh = "指引文件不是对象",
        hint(
            en = "write it as `{{\"MISSION\": {{\"step\": 0, \"updated_at\": \"2026-01-31T00:00:00Z\", \"experiences\": {{\"S1\": \"…\", \"G0\": \"…\"}}}}}}`",
            zh = "格式为 `{{\"MISSION\": {{\"step\": 0, \"updated_at\": \"2026-01-31T00:00:00Z\", \"experiences\": {{\"S1\": \"…\", \"G0\": \"…\"}}}}}}`"
        )
    )]
    NotObject,
    /// The layout with `version` and `guidance`, from before rules had keys.
    #[message(
        en = "the guidance has the layout with `version` and `guidance`, which is not supported",
        zh = "指引文件采用带 `version` 和 `guidance` 的旧格式，无法读取",
        hint(
            en = "write it as `{{\"MISSION\": {{\"step\": 0, \"updated_at\": \"2026-01-31T00:00:00Z\", \"experiences\": {{\"S1\": \"…\", \"G0\": \"…\"}}}}}}`",
            zh = "格式为 `{{\"MISSION\": {{\"step\": 0, \"updated_at\": \"2026-01-31T00:00:00Z\", \"experiences\": {{\"S1\": \"…\", \"G0\": \"…\"}}}}}}`"
        )
    )]
    Legacy,
    #[message(
        en = "the guidance has no mission `{mission}`",
        zh = "指引文件中没有任务目标 `{mission}`",
        hint(when = !known.is_empty(), en = "it has {known:names}", zh = "其中有 {known:names}"),
        hint(
            when = known.is_empty(),
            en = "write it as `{{\"MISSION\": {{\"step\": 0, \"updated_at\": \"2026-01-31T00:00:00Z\", \"experiences\": {{\"S1\": \"…\", \"G0\": \"…\"}}}}}}`",
            zh = "格式为 `{{\"MISSION\": {{\"step\": 0, \"updated_at\": \"2026-01-31T00:00:00Z\", \"experiences\": {{\"S1\": \"…\", \"G0\": \"…\"}}}}}}`"
        )
    )]
    NoMission {
        mission: MissionName,
        /// The missions in the file.
        known: Vec<String>,
    },
    #[message(
        en = "the guidance has no `{at}`",
        zh = "指引文件缺少 `{at}`",
        hint(
            en = "write it as `{{\"MISSION\": {{\"step\": 0, \"updated_at\": \"2026-01-31T00:00:00Z\", \"experiences\": {{\"S1\": \"…\", \"G0\": \"…\"}}}}}}`",
            zh = "格式为 `{{\"MISSION\": {{\"step\": 0, \"updated_at\": \"2026-01-31T00:00:00Z\", \"experiences\": {{\"S1\": \"…\", \"G0\": \"…\"}}}}}}`"
        )
    )]
    Missing { at: String },
    #[message(
        en = "`{at}` of the guidance is not {expected}",
        zh = "指引文件的 `{at}` 不是{expected}",
        hint(
            en = "write it as `{{\"MISSION\": {{\"step\": 0, \"updated_at\": \"2026-01-31T00:00:00Z\", \"experiences\": {{\"S1\": \"…\", \"G0\": \"…\"}}}}}}`",
            zh = "格式为 `{{\"MISSION\": {{\"step\": 0, \"updated_at\": \"2026-01-31T00:00:00Z\", \"experiences\": {{\"S1\": \"…\", \"G0\": \"…\"}}}}}}`"
        )
    )]
    Not { at: String, expected: Expected },
    /// A key that is neither that of the scaffold nor that of a rule.
    #[message(
        en = "{key:?} is neither the key of a scaffold rule nor that of a rule",
        zh = "{key:?} 既不是骨架规则的键，也不是规则的键",
        hint(
            en = "write `S1`, `S2`, … for the scaffold and `G0`, `G1`, … for rules",
            zh = "骨架写作 `S1`、`S2`……，规则写作 `G0`、`G1`……"
        )
    )]
    Namespace { key: String },
    #[message(
        en = "the mission `{mission}` has no checklist `G0`",
        zh = "任务目标 `{mission}` 没有检查清单 `G0`",
        hint(
            en = "add `\"G0\": \"what is to be checked\"` to `experiences`",
            zh = "在 `experiences` 中加入 `\"G0\": \"要检查什么\"`"
        )
    )]
    NoChecklist { mission: String },
    #[message(transparent)]
    Scaffold(ScaffoldError),
    /// A scaffold file whose texts and digests do not match.
    #[message(
        en = "`{at}` of the scaffold does not match its digest",
        zh = "骨架文件的 `{at}` 与其摘要不符",
        hint(
            en = "start another run with `provost learn run MISSION.toml`; this one was changed by hand",
            zh = "此次运行的文件被人改动过，用 `provost learn run MISSION.toml` 另起一次"
        ),
        exit = Integrity
    )]
    Forged { at: String },
}

/// A deviation in a file of guidance that does not invalidate it.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "learn.guidance_warning")]
pub enum GuidanceWarning {
    #[message(en = "`{0}` is ignored", zh = "`{0}` 被忽略")]
    Ignored(String),
    #[message(
        en = "`next_key` is {least}, since G{last} exists",
        zh = "已有 G{last}，`next_key` 取 {least}"
    )]
    NextKey { least: u32, last: u32 },
}

/// What a field of guidance holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "learn.guidance_field")]
pub enum Expected {
    #[message(en = "an object", zh = "对象")]
    Object,
    #[message(en = "an object with rules in it", zh = "含有规则的对象")]
    Rules,
    #[message(en = "a whole number from 0 on", zh = "不小于 0 的整数")]
    FromZero,
    #[message(en = "a whole number from 1 on", zh = "不小于 1 的整数")]
    FromOne,
    #[message(en = "a time", zh = "时间")]
    Time,
    #[message(en = "a string", zh = "文本")]
    Text,
    #[message(en = "a string that is not blank", zh = "非空文本")]
    NonBlank,
    #[message(en = "a list of ticket keys", zh = "工单键的列表")]
    TicketKeys,
    #[message(en = "the id of a reflection", zh = "反思的 id")]
    ReflectionId,
}

impl GuidanceError {
    pub(super) fn not(at: &str, expected: Expected) -> Self {
        Self::Not { at: at.to_owned(), expected }
    }
}
