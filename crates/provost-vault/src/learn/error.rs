//! Why a file of a run cannot be gone on with.

use camino::Utf8PathBuf;
use provost_kernel::{Exit, Message, Text};

use crate::{FileError, Location};

/// What is in a file of a run is not what the run makes.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// A line is another one than the run makes at its place.
    #[error("{}", self.text())]
    Differs { path: Utf8PathBuf, line: u64 },
    /// The file holds this line, and the run is over before it.
    #[error("{}", self.text())]
    Beyond { path: Utf8PathBuf, line: u64 },
    /// A file that is kept once holds something else.
    #[error("{}", self.text())]
    Altered { path: Utf8PathBuf },
    #[error(transparent)]
    File(#[from] FileError),
}

impl ArtifactError {
    pub(super) fn differs(at: &Location, line: u64) -> Self {
        Self::Differs { path: at.path(), line }
    }
}

impl Message for ArtifactError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Differs { path, line } => lang.pick(
                format!("line {line} of `{path}` is not what this run makes of its answers"),
                format!("`{path}` 的第 {line} 行与本次运行由其应答得出的内容不同"),
            ),
            Self::Beyond { path, line } => lang.pick(
                format!("`{path}` has a line {line}, and this run ends before it"),
                format!("`{path}` 有第 {line} 行,而本次运行在此之前已结束"),
            ),
            Self::Altered { path } => lang.pick(
                format!("`{path}` is not what this run began with"),
                format!("`{path}` 与本次运行开始时的内容不同"),
            ),
            Self::File(error) => error.text().render(lang),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            match self {
            Self::Differs { .. } | Self::Beyond { .. } | Self::Altered { .. } => vec![
                lang.pick(
                    "the mission, its tickets, provost or the file itself changed since the run \
                     began: restore what changed, or name another run in `output.run_name` and \
                     type `provost learn run MISSION.toml`; nothing was written",
                    "运行开始后,任务目标、工单、provost 或该文件已被更改:请恢复更改的内容,或在 \
                     `output.run_name` 中另取名称并运行 `provost learn run MISSION.toml`;没有写入任何内容",
                )
                .to_owned(),
            ],
            Self::File(error) => error.hints_in(lang),
        }
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Differs { .. } | Self::Beyond { .. } | Self::Altered { .. } => Exit::Integrity,
            Self::File(error) => error.exit(),
        }
    }
}
