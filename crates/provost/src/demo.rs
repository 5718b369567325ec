//! `provost demo`: a retry, two false claims, a crash and a review, with the real commands in a
//! temporary repository. It needs no key and no network.
//!
//! Each step starts this program as a person would. The transcript is read from the files that the
//! command left, and an act passes only if they agree with it.

mod acts;
mod stage;
mod tale;

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{Exit, Message};
use serde::Serialize;

use self::{stage::Stage, tale::Act};
use crate::{
    environment, rehearsal,
    session::{AnyFault, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost demo\n  provost demo --keep /tmp/provost-demo\n\nNeeds no API key and no network. Writes only to a temporary folder or to DIR."
)]
pub(crate) struct Args {
    /// Keep the repository in this new or empty folder
    #[arg(long, value_name = "DIR")]
    keep: Option<Utf8PathBuf>,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    passed: bool,
    /// Where the repository is kept.
    kept: Option<&'a Utf8Path>,
    acts: &'a [Act],
}

/// Why the demo failed.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "demo")]
enum DemoError {
    #[message(
        en = "`{path}` is not empty",
        zh = "`{path}` 不是空文件夹",
        hint(en = "name a new or empty folder", zh = "请指定新的或空的文件夹")
    )]
    NotEmpty { path: Utf8PathBuf },
    #[message(
        en = "cannot use `{path}`",
        zh = "无法使用 `{path}`",
        hint(
            en = "name a new or empty folder in an existing one",
            zh = "请指定新的或空的文件夹，其上级文件夹必须存在"
        )
    )]
    Unusable { path: Utf8PathBuf, source: std::io::Error },
    #[message(
        en = "`provost {command}` exited with {rc} instead of {expected}: {said}",
        zh = "`provost {command}` 的退出码是 {rc}，应为 {expected}：{said}",
        hint(en = "run `provost doctor` to find the cause", zh = "运行 `provost doctor` 查找原因"),
        exit = Refused
    )]
    UnexpectedExit { command: String, expected: i32, rc: i32, said: String },
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let kept = self.keep.as_deref().map(new_folder).transpose()?;
        let host = rehearsal::host(session)?;
        let stage = Stage::new(&host, session.output.lang, kept.as_deref())?;
        let lang = session.output.lang;
        session.output.begin(|page| {
            page.write(
                "Real commands in a temporary repository. No API key, no network, no model.",
                "在临时仓库中运行真实命令。无需密钥、网络或模型。",
            );
        });
        let mut acts: Vec<Act> = Vec::new();
        for play in acts::ALL {
            let act = play(&stage, lang)?;
            session.output.begin(|page| act.tell(acts.len() + 1, page));
            acts.push(act);
        }
        let passed = acts.iter().all(Act::passed);
        session.output.show(&Answer { passed, kept: kept.as_deref(), acts: &acts });
        Ok(if passed { Exit::Success } else { Exit::Refused })
    }
}

impl View for Answer<'_> {
    /// The acts are written as they are played.
    fn page(&self, _page: &mut Page<'_>) {}

    fn notes(&self, page: &mut Page<'_>) {
        if self.passed {
            page.message("all four scenes passed", "四个场景全部通过");
        } else {
            page.message("the demo FAILED", "演示失败");
        }
        let Some(kept) = self.kept else {
            return page.message(
                "the repository was deleted; `provost demo --keep DIR` keeps it",
                "临时仓库已删除；`provost demo --keep DIR` 会保留它",
            );
        };
        page.message(format!("explore it in `{kept}`:"), format!("可在 `{kept}` 中查看："));
        for command in ["ls", "show honest", "explain liar", "logs steady"] {
            let line = format!("  provost {command}");
            page.message(&line, &line);
        }
    }
}

/// The real path of a folder that does not exist yet or is empty.
fn new_folder(path: &Utf8Path) -> Result<Utf8PathBuf, AnyFault> {
    let path = environment::current_folder()?.join(path);
    let unusable = |source| DemoError::Unusable { path: path.clone(), source };
    match path.read_dir_utf8() {
        Ok(mut entries) => match entries.next() {
            None => Ok(path.canonicalize_utf8().map_err(unusable)?),
            Some(_) => Err(DemoError::NotEmpty { path }.into()),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
                return Err(unusable(error).into());
            };
            Ok(parent.canonicalize_utf8().map_err(unusable)?.join(name))
        }
        Err(error) => Err(unusable(error).into()),
    }
}
