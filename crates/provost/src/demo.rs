//! `provost demo`: an honest agent, liars, a crash and a review, with the real commands in a
//! temporary repository. It needs no key and no network.
//!
//! Each step is a command of this very program, started as a person would start it. What is told
//! is read from the files that the command left, and an act passes only if they say so.

mod acts;
mod stage;
mod tale;

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{Exit, Message, Text};
use serde::Serialize;

use self::{stage::Stage, tale::Act};
use crate::{
    environment,
    output::Format,
    rehearsal,
    session::{AnyFault, Preparation, Run, Session},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost demo\n  provost demo --keep /tmp/provost-demo\n\nIt needs no key and no network, and writes nowhere but in a temporary folder or DIR."
)]
pub(crate) struct Args {
    /// Leave the repository and its home in this folder, which must be new or empty
    #[arg(long, value_name = "DIR")]
    keep: Option<Utf8PathBuf>,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    passed: bool,
    /// Where the repository is left.
    kept: Option<&'a Utf8Path>,
    acts: &'a [Act],
}

/// Why there is no demo.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
enum DemoError {
    /// The folder that was named has something in it.
    NotEmpty { path: Utf8PathBuf },
    /// The folder that was named cannot be used.
    Unusable { path: Utf8PathBuf, source: std::io::Error },
    /// A command ended in another way than it must.
    WentWrong { command: String, expected: i32, rc: i32, said: String },
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Identity
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let kept = self.keep.as_deref().map(new_folder).transpose()?;
        let host = rehearsal::host(session)?;
        let stage = Stage::new(&host, kept.as_deref())?;
        let lang = session.output.lang;
        if session.output.format() == Format::Text {
            session.output.line(lang.pick(
                "The real commands, in a temporary repository. No key, no network, no model.",
                "在临时仓库中运行真实命令。无需密钥、网络或模型。",
            ));
        }
        let mut acts: Vec<Act> = Vec::new();
        for play in acts::ALL {
            let act = play(&stage, lang)?;
            if session.output.format() == Format::Text {
                act.tell(acts.len() + 1, session);
            }
            acts.push(act);
        }
        let passed = acts.iter().all(Act::passed);
        if session.output.format() == Format::Json {
            session.output.document(&Answer { passed, kept: kept.as_deref(), acts: &acts });
        }
        close(session, passed, kept.as_deref());
        Ok(if passed { Exit::Success } else { Exit::Refused })
    }
}

/// Says how it went, and where to look.
fn close(session: &mut Session, passed: bool, kept: Option<&Utf8Path>) {
    let (lang, output) = (session.output.lang, &mut session.output);
    output.message(if passed {
        lang.pick("everything went as it must", "一切如预期")
    } else {
        lang.pick("something did NOT go as it must", "有步骤未如预期")
    });
    let Some(kept) = kept else {
        output.message(lang.pick(
            "the folder is gone; `provost demo --keep DIR` leaves it to look at",
            "临时文件夹已删除;`provost demo --keep DIR` 会保留它以供查看",
        ));
        return;
    };
    output.message(
        &lang.pick(
            format!("look at it yourself, in `{kept}`:"),
            format!("可在 `{kept}` 中自行查看:"),
        ),
    );
    for line in ["provost ls", "provost show honest", "provost explain liar", "provost logs steady"]
    {
        output.message(&format!("  {line}"));
    }
}

/// The real path of a folder that is not there yet, or is empty.
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

impl Message for DemoError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::NotEmpty { path } => {
                lang.pick(format!("`{path}` is not empty"), format!("`{path}` 不是空文件夹"))
            }
            Self::Unusable { path, .. } => {
                lang.pick(format!("cannot use `{path}`"), format!("无法使用 `{path}`"))
            }
            Self::WentWrong { command, expected, rc, said } => lang.pick(
                format!("`provost {command}` exited with {rc} and not with {expected}: {said}"),
                format!("`provost {command}` 退出码为 {rc},应为 {expected}:{said}"),
            ),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            let hint = match self {
                Self::NotEmpty { .. } | Self::Unusable { .. } => lang.pick(
                    "name a new or empty folder; the one that it lies in must exist",
                    "请指定新的或空的文件夹;其上级文件夹必须存在",
                ),
                Self::WentWrong { .. } => {
                    lang.pick("`provost doctor` looks for the cause", "`provost doctor` 可查找原因")
                }
            };
            vec![hint.to_owned()]
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::NotEmpty { .. } | Self::Unusable { .. } => Exit::Unable,
            Self::WentWrong { .. } => Exit::Refused,
        }
    }
}
