//! What installing, taking out and testing the guard have in common.

use camino::Utf8PathBuf;
use provost_engine::guard::install::{Act, Change, Folders, Setup, variables};
use provost_kernel::{
    Actor, Digest, Message,
    guard::{Harness, Scope},
};
use provost_rules_guard::install::Hook;
use provost_vault::{Layout, SystemClock};
use serde::Serialize;

use crate::{
    config, environment,
    home::git_root,
    session::{AnyFault, Session},
    view::Page,
    wiring::actor,
};

/// Everything that a use case borrows.
#[derive(Debug)]
pub(crate) struct Place {
    /// The home of the project, if there is one.
    pub(crate) layout: Option<Layout>,
    /// The home of the person.
    pub(crate) user: Layout,
    pub(crate) folders: Folders,
    policy: Option<Digest>,
    actor: Actor,
}

/// What happens to one file, as a script reads it.
#[derive(Debug, Serialize)]
pub(super) struct FileChange {
    path: String,
    act: Act,
    added: Vec<String>,
    removed: Vec<String>,
}

/// There is no folder in which clients would look.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "guard.no_user_home",
    en = "cannot find the configuration of a client: `HOME` is not an absolute path",
    zh = "找不到客户端的配置：`HOME` 不是绝对路径",
    hint(en = "set `HOME` to an absolute path", zh = "请将 `HOME` 设为绝对路径")
)]
struct NoUserHome;

impl Place {
    pub(crate) fn new(session: &Session) -> Result<Self, AnyFault> {
        let environment = &session.environment;
        let user_home = environment.text("HOME")?.map(Utf8PathBuf::from);
        let user_home = user_home.filter(|it| it.is_absolute()).ok_or(NoUserHome)?;
        let mut moved = Vec::new();
        for name in variables() {
            if let Some(path) = environment.text(name)? {
                moved.push((name, Utf8PathBuf::from(path)));
            }
        }
        let project = git_root(&environment::current_folder()?);
        let folders = Folders { user_home, project, moved };
        let (layout, user) = (session.layout_if_any()?, session.user_layout()?);
        let policy = config::digest_for_user(environment, &user.home().path());
        Ok(Self { layout, user, folders, policy, actor: actor() })
    }

    pub(crate) fn setup(&self) -> Setup<'_> {
        let Self { layout, user, folders, policy, actor } = self;
        let project = layout.as_ref();
        Setup { project, user, policy: *policy, clock: &SystemClock, actor, folders }
    }
}

/// What a client is told to start: for all projects of the person, each call finds its repository.
pub(super) fn hook(place: &Place, scope: Scope) -> Result<Hook, AnyFault> {
    let program = environment::program()?.into_string();
    let home = match scope {
        Scope::User => None,
        Scope::Project => Some(place.setup().home_of(scope)?.home().path().into_string()),
    };
    Ok(Hook { program, home })
}

/// What the help says of the option that names a client.
pub(super) fn clients() -> String {
    format!("The client: {}", Harness::words_or())
}

/// Reads the name of a client.
pub(super) fn harness(text: &str) -> Result<Harness, String> {
    text.parse().map_err(|_| format!("one of {}", Harness::WORDS.join(", ")))
}

/// The files as a script reads them.
pub(super) fn documents(changes: &[Change]) -> Vec<FileChange> {
    let document = |it: &Change| FileChange {
        path: it.path().to_string(),
        act: it.act,
        added: it.added.clone(),
        removed: it.removed.clone(),
    };
    changes.iter().map(document).collect()
}

/// Shows what happens to each file of a client.
pub(super) fn show(page: &mut Page<'_>, client: Harness, scope: Scope, changes: &[Change]) {
    let title = client.title();
    page.write(format!("{title}, scope {scope}"), format!("{title}，范围 {scope}"));
    for change in changes {
        let action = match change.act {
            Act::Create => page.lang.pick("create", "创建"),
            Act::Change => page.lang.pick("change", "更改"),
            Act::Remove => page.lang.pick("remove", "删除"),
            Act::Keep => page.lang.pick("keep", "保留"),
        };
        page.line(&format!("  {action} `{}`", change.path()));
        change.removed.iter().for_each(|it| page.line(&format!("    - {it}")));
        change.added.iter().for_each(|it| page.line(&format!("    + {it}")));
    }
}
