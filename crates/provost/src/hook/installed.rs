//! Whether the entries of a client still are those that were installed: looked at when a session
//! starts, because a client that drops a key, or a hand that does, is silent about it.

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{
    Message, Text,
    guard::{Client, Harness, Scope},
};
use provost_rules_guard::install::{entries, is_exact, switched_off};

use super::ground::folders;
use crate::{environment::Environment, home};

/// What is said at the start of a session, to the person and to the agent.
#[derive(Message)]
#[message(code = "guard.tampered")]
enum Tampered {
    #[message(
        en = "provost: the guard's entries in `{path}` were changed, so a hook that fails may let a \
              tool run; a person runs `provost guard install --client {client}` and `provost guard test`",
        zh = "provost：`{path}` 中的守卫条目已被更改，钩子失败时工具可能仍会运行；请使用者执行 `provost \
              guard install --client {client}` 和 `provost guard test`"
    )]
    Changed { path: Utf8PathBuf, client: Harness },
    #[message(
        en = "provost: `{key}` in `{path}` disables every hook",
        zh = "provost：`{path}` 中的 `{key}` 禁用了所有钩子"
    )]
    Off { path: Utf8PathBuf, key: &'static str },
}

/// What is wrong with the entries of a client, in the configuration of the person or of the project.
pub(super) fn changed(
    client: Option<Client>,
    environment: &Environment,
    folder: Option<&Utf8Path>,
) -> Option<Text> {
    let harness = client?.entry().harness;
    let mut folders = folders(environment)?;
    folders.project = folder.and_then(home::git_root);
    Scope::ALL.iter().find_map(|scope| {
        let path = folders.configuration(harness, *scope).ok()?.hooks;
        let text = std::fs::read_to_string(&path).ok()?;
        if entries(harness, &text).ok()?.is_empty() {
            return None;
        }
        if !is_exact(harness, &text).unwrap_or(false) {
            return Some(Tampered::Changed { path, client: harness }.text());
        }
        let key = switched_off(harness, &text).ok()??;
        Some(Tampered::Off { path, key }.text())
    })
}
