//! Whether git leaves provost's own files alone (HOOK-2.6, ruling 43).

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{Message, Text, guard::ProofCheck};
use provost_vault::Layout;

use crate::{
    environment::{self, Environment},
    git::{self, GitError, Reply},
    home,
    session::{AnyFault, Session},
};

/// The folder in which the original kept its state.
const FORMER: &str = ".omc";

/// What git does with a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ignored {
    /// There is no repository around it.
    NoRepository,
    /// Nothing in it is or becomes part of the repository.
    Yes,
    /// A file in it is part of the repository.
    Tracked { file: String },
    /// What is in it would become part of the repository.
    No,
}

/// Asks git about a folder, by way of a file in it.
pub(crate) fn look(
    environment: &Environment,
    folder: &Utf8Path,
    file: &Utf8Path,
) -> Result<Ignored, GitError> {
    let around = folder.parent().unwrap_or(folder);
    if home::git_root(around).is_none() {
        return Ok(Ignored::NoRepository);
    }
    let list = ["--literal-pathspecs", "ls-files", "-z", "--", folder.as_str()];
    let tracked = git::ask(environment, around, &list)?.stdout;
    if let Some(file) = tracked.split(|it| *it == 0).find(|it| !it.is_empty()) {
        return Ok(Ignored::Tracked { file: String::from_utf8_lossy(file).into_owned() });
    }
    // A folder may ignore what is in it and not itself: so the question is about a file.
    let question = ["check-ignore", "--quiet", "--", file.as_str()];
    let answer = git::ask(environment, around, &question)?;
    Ok(if answer.reply == Reply::Yes { Ignored::Yes } else { Ignored::No })
}

/// Refuses a home that git tracks: its settings and its state would be whatever a branch says.
pub(crate) fn refuse_tracked(session: &Session) -> Result<(), AnyFault> {
    let layout = session.intended_layout()?;
    let home = layout.home().path();
    // Without a folder around it, it is in no repository yet.
    if !home.parent().is_some_and(Utf8Path::is_dir) {
        return Ok(());
    }
    match look(&session.environment, &home, &layout.format().path())? {
        Ignored::Tracked { file } => Err(TrackedHome { home: home.to_string(), file }.into()),
        Ignored::NoRepository | Ignored::Yes | Ignored::No => Ok(()),
    }
}

/// A home that is part of the repository.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "home.tracked",
    en = "git tracks `{file}`, in the home of provost: what is in it could be a branch's",
    zh = "git 跟踪了 provost 主目录中的 `{file}`：其中的内容可能来自某个分支",
    hint(
        en = "run `git rm -r --cached -- {home}`, then commit; or name a home outside: `--home DIR`",
        zh = "运行 `git rm -r --cached -- {home}` 并提交；或用 `--home DIR` 指定仓库之外的主目录"
    )
)]
struct TrackedHome {
    home: String,
    file: String,
}

/// The folder of the original at the root of the repository, if there is one.
pub(crate) fn former() -> Option<Utf8PathBuf> {
    let root = home::git_root(&environment::current_folder().ok()?)?;
    Some(root.join(FORMER)).filter(|it| it.is_dir())
}

/// The look at the home, and at the folder of the original, as checks of a test.
pub(crate) fn checks(session: &Session, layout: &Layout) -> Vec<ProofCheck> {
    let environment = &session.environment;
    let home = layout.home().path();
    let mut checks = vec![check("ignored", environment, &home, &layout.format().path())];
    if let Some(folder) = former() {
        let file = folder.join("state.json");
        checks.push(check("ignored_omc", environment, &folder, &file));
    }
    checks
}

fn check(name: &str, environment: &Environment, folder: &Utf8Path, file: &Utf8Path) -> ProofCheck {
    let found = look(environment, folder, file);
    let passed = matches!(found, Ok(Ignored::Yes | Ignored::NoRepository));
    let what = match found {
        Ok(ignored) => ignored.describe(folder),
        Err(error) => error.text(),
    };
    ProofCheck { name: name.to_owned(), passed, what }
}

impl Ignored {
    /// What was found, for people.
    pub(crate) fn describe(&self, folder: &Utf8Path) -> Text {
        let folder = folder.as_str();
        match self {
            Self::NoRepository => Observation::NoRepository { folder },
            Self::Yes => Observation::Ignored { folder },
            Self::Tracked { file } => Observation::Tracked { folder, file },
            Self::No => Observation::NotIgnored { folder },
        }
        .text()
    }
}

#[derive(Message)]
#[message(code = "ignored")]
enum Observation<'a> {
    #[message(en = "`{folder}` is not in a git repository", zh = "`{folder}` 不在 git 仓库中")]
    NoRepository { folder: &'a str },
    #[message(
        en = "git ignores `{folder}` and tracks nothing in it",
        zh = "git 忽略 `{folder}`，未跟踪其中任何文件"
    )]
    Ignored { folder: &'a str },
    #[message(
        en = "git tracks files of `{folder}`, such as `{file}`",
        zh = "git 跟踪了 `{folder}` 中的文件，例如 `{file}`"
    )]
    Tracked { folder: &'a str, file: &'a str },
    #[message(en = "git does not ignore `{folder}`", zh = "git 未忽略 `{folder}`")]
    NotIgnored { folder: &'a str },
}
