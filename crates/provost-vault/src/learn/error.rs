//! Why a run cannot continue with one of its files.

use camino::Utf8PathBuf;
use provost_kernel::Message;

use crate::{FileError, Location};

/// A file of a run that does not hold what the run produces.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.artifact", exit = Integrity)]
pub enum ArtifactError {
    #[message(
        en = "line {line} of `{path}` is not what this run produces from its answers",
        zh = "`{path}` 的第 {line} 行与本次运行由其应答得出的内容不同",
        hint(
            en = "the mission, its tickets, provost or the file itself changed since the run began: restore what changed, or name another run in `output.run_name` and run `provost learn run MISSION.toml`; nothing was written",
            zh = "运行开始后，任务目标、工单、provost 或该文件已被更改：请恢复更改的内容，或在 `output.run_name` 中另取名称并运行 `provost learn run MISSION.toml`；没有写入任何内容"
        )
    )]
    Differs { path: Utf8PathBuf, line: u64 },
    /// The file holds this line, and the run is over before it.
    #[message(
        en = "`{path}` has a line {line}, and this run ends before it",
        zh = "`{path}` 有第 {line} 行，而本次运行在此之前已结束",
        hint(
            en = "the mission, its tickets, provost or the file itself changed since the run began: restore what changed, or name another run in `output.run_name` and run `provost learn run MISSION.toml`; nothing was written",
            zh = "运行开始后，任务目标、工单、provost 或该文件已被更改：请恢复更改的内容，或在 `output.run_name` 中另取名称并运行 `provost learn run MISSION.toml`；没有写入任何内容"
        )
    )]
    Beyond { path: Utf8PathBuf, line: u64 },
    /// A file that is written once holds something else.
    #[message(
        en = "`{path}` is not what this run began with",
        zh = "`{path}` 与本次运行开始时的内容不同",
        hint(
            en = "the mission, its tickets, provost or the file itself changed since the run began: restore what changed, or name another run in `output.run_name` and run `provost learn run MISSION.toml`; nothing was written",
            zh = "运行开始后，任务目标、工单、provost 或该文件已被更改：请恢复更改的内容，或在 `output.run_name` 中另取名称并运行 `provost learn run MISSION.toml`；没有写入任何内容"
        )
    )]
    Altered { path: Utf8PathBuf },
    #[error(transparent)]
    #[message(transparent)]
    File(#[from] FileError),
}

impl ArtifactError {
    pub(super) fn differs(at: &Location, line: u64) -> Self {
        Self::Differs { path: at.path(), line }
    }
}
