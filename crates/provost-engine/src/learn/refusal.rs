//! What a person asked of a mission and cannot have.

use camino::Utf8PathBuf;
use provost_kernel::{
    Exit, Message, Text,
    learn::{KeyError, MissionName, RunName, TicketKey},
};
use provost_rules_learn::{
    guidance::GuidanceError, judge::OtherScaffold, judge_mission::JudgeMissionError,
};

/// Something that was asked of a mission, and is not there or not allowed.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub enum Refusal {
    /// The file of a mission itself.
    NoFile {
        path: Utf8PathBuf,
        source: std::io::Error,
    },
    /// A file that a mission names is too large to be meant.
    TooLarge {
        path: Utf8PathBuf,
        limit: u64,
    },
    NotText {
        path: Utf8PathBuf,
    },
    /// Instructions that say nothing.
    Blank {
        path: Utf8PathBuf,
        key: &'static str,
    },
    /// A name in the mission is none.
    #[error(transparent)]
    Name(KeyError),
    #[error(transparent)]
    Judge(JudgeMissionError),
    #[error(transparent)]
    Scaffold(OtherScaffold),
    /// The run was ended, and the mission says that none goes on.
    NotResumed {
        run: RunName,
    },
    /// What a file of a run says is not what provost wrote.
    Damaged {
        path: Utf8PathBuf,
        why: String,
    },
    /// A file that every run has is gone.
    Gone {
        path: Utf8PathBuf,
    },
    /// A file of a finished run is not what its report says.
    Altered {
        path: Utf8PathBuf,
    },
    /// The guidance that a mission begins with.
    Guidance {
        path: Utf8PathBuf,
        error: Box<GuidanceError>,
    },
    NoMission {
        name: String,
        known: Vec<MissionName>,
    },
    NoRun {
        mission: MissionName,
        run: Option<RunName>,
        known: Vec<RunName>,
    },
    NothingInForce {
        mission: MissionName,
    },
    NotQueued {
        mission: MissionName,
        key: TicketKey,
    },
}

impl Message for Refusal {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::TooLarge { path, limit } => lang.pick(
                format!("`{path}` has more than {limit} bytes"),
                format!("`{path}` 超过 {limit} 字节"),
            ),
            Self::NoFile { path, .. } => {
                lang.pick(format!("cannot read `{path}`"), format!("无法读取 `{path}`"))
            }
            Self::NotText { path } => {
                lang.pick(format!("`{path}` is not UTF-8"), format!("`{path}` 不是 UTF-8"))
            }
            Self::Blank { path, key } => lang.pick(
                format!("`{path}` is empty, and `{key}` must name instructions"),
                format!("`{path}` 为空,而 `{key}` 必须指向有内容的指示"),
            ),
            Self::Name(error) => error.text().render(lang),
            Self::Judge(error) => error.text().render(lang),
            Self::Scaffold(error) => error.text().render(lang),
            Self::NotResumed { run } => lang.pick(
                format!("the run `{run}` was ended, and `resume = false` lets none go on"),
                format!("运行 `{run}` 曾被中止,而 `resume = false` 不允许继续"),
            ),
            Self::Damaged { path, why } => {
                lang.pick(format!("`{path}` is damaged: {why}"), format!("`{path}` 已损坏:{why}"))
            }
            Self::Gone { path } => lang.pick(
                format!("`{path}` is missing, and every run has it"),
                format!("`{path}` 不见了,而每次运行都有它"),
            ),
            Self::Altered { path } => lang.pick(
                format!("`{path}` is not what the report of the finished run says"),
                format!("`{path}` 与已完成运行的报告不符"),
            ),
            Self::Guidance { path, error } => {
                let error = error.text().render(lang);
                lang.pick(format!("`{path}`: {error}"), format!("`{path}`:{error}"))
            }
            Self::NoMission { name, .. } => lang.pick(
                format!("there is no mission `{name}` in this home"),
                format!("此主目录中没有任务目标 `{name}`"),
            ),
            Self::NoRun { mission, run: Some(run), .. } => lang.pick(
                format!("the mission `{mission}` has no run `{run}`"),
                format!("任务目标 `{mission}` 没有运行 `{run}`"),
            ),
            Self::NoRun { mission, run: None, .. } => lang.pick(
                format!("the mission `{mission}` has no run"),
                format!("任务目标 `{mission}` 还没有运行"),
            ),
            Self::NothingInForce { mission } => lang.pick(
                format!("no guidance is in force for `{mission}`"),
                format!("`{mission}` 没有生效中的指引"),
            ),
            Self::NotQueued { mission, key } => lang.pick(
                format!("no run of `{mission}` gave up on the ticket `{key}`"),
                format!("`{mission}` 的运行都没有放弃工单 `{key}`"),
            ),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            let hint = match self {
            Self::Judge(error) => return error.hints_in(lang),
            Self::Scaffold(error) => return error.hints_in(lang),
            Self::Name(error) => return error.hints_in(lang),
            Self::NoFile { .. } => lang.pick(
                "name the file of a mission; `provost learn mission engineering_impl` prints one, and docs/learn.md has every key".to_owned(),
                "请给出任务目标的文件;`provost learn mission engineering_impl` 可打印一份,所有的键见 docs/learn.md".to_owned(),
            ),
            Self::TooLarge { .. } | Self::NotText { .. } => lang.pick(
                "see docs/learn.md for the files of a mission".to_owned(),
                "任务目标的文件见 docs/learn.md".to_owned(),
            ),
            Self::Blank { key, .. } => lang.pick(
                format!("write the instructions, or leave `{key}` out for the built-in ones"),
                format!("写入指示,或去掉 `{key}` 以使用内置指示"),
            ),
            Self::NotResumed { .. } => lang.pick(
                "write `resume = true`, or name another run: `provost learn run MISSION.toml --run NAME`".to_owned(),
                "写 `resume = true`,或另起运行名:`provost learn run MISSION.toml --run NAME`".to_owned(),
            ),
            Self::Guidance { error, .. } => {
                let hints = error.hints_in(lang);
                if !hints.is_empty() {
                    return hints;
                }
                lang.pick(
                    "put the file right, then type `provost learn run MISSION.toml` again; docs/learn/initial_guidance.json is one".to_owned(),
                    "改正该文件,然后再次输入 `provost learn run MISSION.toml`;示例见 docs/learn/initial_guidance.json".to_owned(),
                )
            }
            Self::Gone { .. } | Self::Altered { .. } => lang.pick(
                "restore the file, or begin another run with `provost learn run MISSION.toml --run NAME`".to_owned(),
                "恢复该文件,或用 `provost learn run MISSION.toml --run NAME` 另起运行".to_owned(),
            ),
            Self::Damaged { .. } => lang.pick(
                "it was changed by hand: begin another run with `provost learn run MISSION.toml --run NAME`".to_owned(),
                "文件被人改动过:用 `provost learn run MISSION.toml --run NAME` 另起运行".to_owned(),
            ),
            Self::NoMission { known, .. } if known.is_empty() => lang.pick(
                "begin one with `provost learn run MISSION.toml`, or name the file of a mission".to_owned(),
                "用 `provost learn run MISSION.toml` 开始,或给出任务目标的文件".to_owned(),
            ),
            Self::NoMission { known, .. } => {
                let known = list(known);
                lang.pick(
                    format!("known are {known}; a mission whose runs are elsewhere is named by its file"),
                    format!("已有 {known};运行在别处的任务目标请用其文件指明"),
                )
            }
            Self::NoRun { known, .. } if known.is_empty() => lang.pick(
                "begin one with `provost learn run MISSION.toml`; runs under `output.root` are found through the file of the mission".to_owned(),
                "用 `provost learn run MISSION.toml` 开始;`output.root` 下的运行请通过任务目标的文件查看".to_owned(),
            ),
            Self::NoRun { known, .. } => {
                let known = list(known);
                lang.pick(format!("known are {known}"), format!("已有 {known}"))
            }
            Self::NothingInForce { mission } => lang.pick(
                format!("finish a run with `provost learn run MISSION.toml`; see `provost learn status {mission}`"),
                format!("用 `provost learn run MISSION.toml` 完成一次运行;见 `provost learn status {mission}`"),
            ),
            Self::NotQueued { mission, .. } => lang.pick(
                format!("`provost learn queue {mission}` lists the keys"),
                format!("`provost learn queue {mission}` 列出这些键"),
            ),
        };
            vec![hint]
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Judge(error) => error.exit(),
            Self::Scaffold(error) => error.exit(),
            Self::Name(error) => error.exit(),
            Self::Guidance { error, .. } => error.exit(),
            Self::Damaged { .. } | Self::Gone { .. } | Self::Altered { .. } => Exit::Integrity,
            Self::NotResumed { .. } => Exit::Conflict,
            Self::NoFile { .. }
            | Self::TooLarge { .. }
            | Self::NotText { .. }
            | Self::Blank { .. }
            | Self::NoMission { .. }
            | Self::NoRun { .. }
            | Self::NothingInForce { .. }
            | Self::NotQueued { .. } => Exit::Unable,
        }
    }
}

fn list(names: &[impl std::fmt::Display]) -> String {
    let names: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
    names.join(", ")
}
