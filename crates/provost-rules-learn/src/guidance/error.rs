//! Why a file is not guidance.

use provost_kernel::{
    Exit, Message, Text,
    learn::{MissionName, ScaffoldError},
};
use provost_rules::json::StrictError;

/// A file that is not guidance for the mission.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub enum GuidanceError {
    Json(StrictError),
    NotObject,
    /// The layout with `version` and `guidance`, from before rules had keys.
    Legacy,
    NoMission {
        mission: MissionName,
        /// What the file has instead.
        known: Vec<String>,
    },
    Missing {
        at: String,
    },
    Not {
        at: String,
        expected: &'static str,
    },
    /// A key that is neither that of the scaffold nor that of a rule.
    Namespace {
        key: String,
    },
    NoChecklist {
        mission: String,
    },
    /// It is the text, so it is no cause besides.
    Scaffold(ScaffoldError),
    /// A file of a scaffold whose texts and digests are not of one another.
    Forged {
        at: String,
    },
}

impl GuidanceError {
    pub(super) fn not(at: &str, expected: &'static str) -> Self {
        Self::Not { at: at.to_owned(), expected }
    }
}

impl Message for GuidanceError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Json(error) => {
                let error = error.text().render(lang);
                lang.pick(
                    format!("the guidance is not strict JSON: {error}"),
                    format!("指导文件不是严格的 JSON:{error}"),
                )
            }
            Self::NotObject => {
                lang.pick("the guidance is not an object", "指导文件不是对象").to_owned()
            }
            Self::Legacy => lang
                .pick(
                    "the guidance has the layout with `version` and `guidance`, which is not read",
                    "指导文件采用带 `version` 和 `guidance` 的旧格式,无法读取",
                )
                .to_owned(),
            Self::NoMission { mission, .. } => lang.pick(
                format!("the guidance has no mission `{mission}`"),
                format!("指导文件中没有任务目标 `{mission}`"),
            ),
            Self::Missing { at } => {
                lang.pick(format!("the guidance has no `{at}`"), format!("指导文件缺少 `{at}`"))
            }
            Self::Not { at, expected } => lang.pick(
                format!("`{at}` of the guidance is not {expected}"),
                format!("指导文件的 `{at}` 不是{}", chinese(expected)),
            ),
            Self::Namespace { key } => lang.pick(
                format!("{key:?} is neither the key of a scaffold rule nor that of a rule"),
                format!("{key:?} 既不是骨架规则的键,也不是规则的键"),
            ),
            Self::NoChecklist { mission } => lang.pick(
                format!("the mission `{mission}` has no checklist `G0`"),
                format!("任务目标 `{mission}` 没有检查清单 `G0`"),
            ),
            Self::Scaffold(error) => error.text().render(lang),
            Self::Forged { at } => lang.pick(
                format!("`{at}` of the scaffold is not what its digest says"),
                format!("骨架文件的 `{at}` 与其摘要不符"),
            ),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            let hint = match self {
            Self::Json(error) => return error.hints_in(lang),
            Self::NoMission { known, .. } if !known.is_empty() => {
                let known: Vec<_> = known.iter().map(|it| format!("`{it}`")).collect();
                let known = known.join(", ");
                lang.pick(format!("it has {known}"), format!("其中有 {known}"))
            }
            Self::NotObject | Self::Legacy | Self::NoMission { .. } | Self::Missing { .. } | Self::Not { .. } => {
                let example = r#"{"MISSION": {"step": 0, "updated_at": "2026-01-31T00:00:00Z", "experiences": {"S1": "…", "G0": "…"}}}"#;
                lang.pick(format!("write it as `{example}`"), format!("格式为 `{example}`"))
            }
            Self::Namespace { .. } => lang.pick(
                "write `S1`, `S2`, … for the scaffold and `G0`, `G1`, … for rules".to_owned(),
                "骨架写作 `S1`、`S2`……,规则写作 `G0`、`G1`……".to_owned(),
            ),
            Self::NoChecklist { .. } => lang.pick(
                "add `\"G0\": \"what is to be checked\"` to `experiences`".to_owned(),
                "在 `experiences` 中加入 `\"G0\": \"要检查什么\"`".to_owned(),
            ),
            Self::Scaffold(ScaffoldError::Blank(key)) => lang.pick(
                format!("write what `{key}` demands, or take the key out"),
                format!("写明 `{key}` 的要求,或去掉该键"),
            ),
            Self::Forged { .. } => lang.pick(
                "start another run with `provost learn run MISSION.toml`; this one was changed by hand".to_owned(),
                "此次运行的文件被人改动过,用 `provost learn run MISSION.toml` 另起一次".to_owned(),
            ),
        };
            vec![hint]
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Forged { .. } => Exit::Integrity,
            Self::Json(_)
            | Self::NotObject
            | Self::Legacy
            | Self::NoMission { .. }
            | Self::Missing { .. }
            | Self::Not { .. }
            | Self::Namespace { .. }
            | Self::NoChecklist { .. }
            | Self::Scaffold(_) => Exit::Unable,
        }
    }
}

/// What is expected, for a Chinese reader; the words are those of the reader beside this file.
fn chinese(expected: &'static str) -> &'static str {
    match expected {
        "an object" => "对象",
        "an object with rules in it" => "含有规则的对象",
        "a whole number from 0 on" => "不小于 0 的整数",
        "a whole number from 1 on" => "不小于 1 的整数",
        "a time" => "时间",
        "a text" => "文本",
        "a text that says something" => "有内容的文本",
        "a list of ticket keys" => "工单键的列表",
        "the id of a reflection" => "反思的 id",
        other => other,
    }
}
