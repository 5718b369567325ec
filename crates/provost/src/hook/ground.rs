//! Whose policy holds for a hook, and where it is recorded.
//!
//! A command line with a home names both. One of a guard for all projects finds the repository that the
//! session is in: the folder that the client says its session has, else the one it started the hook in.
//! An agent's `cd` does not change the first.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use provost_engine::guard::install::{Folders, variables};
use provost_kernel::guard::{Client, Scope};
use provost_rules_guard::install::{Hook, entries};
use provost_vault::Layout;

use super::Asked;
use crate::{
    environment::{self, Environment},
    home::{self, Found, Home, HomeError},
    session::AnyFault,
};

/// Where a hook works.
#[derive(Debug, Default)]
pub(crate) struct Ground {
    /// Where it is recorded; nothing if there is no home.
    pub(crate) home: Option<Layout>,
    /// What a guard for all projects needs besides.
    pub(crate) user: Option<UserGround>,
}

/// The part of a guard for all projects.
#[derive(Debug)]
pub(crate) struct UserGround {
    /// The home of the person.
    pub(crate) layout: Layout,
    /// The folder of the repository that the session is in.
    pub(crate) project: Option<Utf8PathBuf>,
    /// The home of that repository, if it is not there.
    pub(crate) absent: Option<Layout>,
}

/// Finds out where a hook works.
pub(super) fn ground(asked: &Asked, environment: &Environment) -> Result<Ground, AnyFault> {
    if asked.scope == Some(Scope::User) {
        return of_user(environment, &session_folder(asked.client, environment)?);
    }
    let folder = match &asked.home {
        // The current folder may be gone, and does not matter.
        Some(home) if home.is_absolute() => Utf8PathBuf::from("/"),
        Some(_) | None => environment::current_folder()?,
    };
    let found = match home::find(asked.home.as_deref(), environment, &folder) {
        Err(HomeError::Nowhere { .. }) => return Ok(Ground::default()),
        found => found?,
    };
    match home::check(&found) {
        // The project is gone, and the entry is the one for all projects: nobody is locked out.
        Err(HomeError::Missing { .. })
            if found.found == Found::Flag && is_of_user(asked, &found.path, environment) =>
        {
            return of_user(environment, &session_folder(asked.client, environment)?);
        }
        checked => checked?,
    }
    if !found.path.is_dir() {
        return Ok(Ground::default());
    }
    Ok(Ground { home: Some(home::layout(&found, environment, &folder)?), user: None })
}

/// The ground of a guard for all projects, for a session in a folder.
pub(crate) fn of_user(environment: &Environment, folder: &Utf8Path) -> Result<Ground, AnyFault> {
    let layout = Layout::of_user(&home::state(environment)?);
    let found = match home::find(None, environment, folder) {
        Err(HomeError::Nowhere { .. }) => {
            let user = UserGround { layout: layout.clone(), project: None, absent: None };
            return Ok(Ground { home: Some(layout), user: Some(user) });
        }
        found => found?,
    };
    let project = project_of(&found, folder);
    if found.path.is_dir() && home::check(&found).is_ok() {
        let home = home::layout(&found, environment, folder)?;
        let user = UserGround { layout, project, absent: None };
        return Ok(Ground { home: Some(home), user: Some(user) });
    }
    // The chain of a home that was removed is known by the real path of its folder.
    let real = found.path.parent().and_then(|it| it.canonicalize_utf8().ok());
    let path = real.map_or(found.path.clone(), |it| it.join(found.path.file_name().unwrap_or("")));
    let absent = home::layout(&Home { path, ..found }, environment, folder)?;
    let user = UserGround { layout: layout.clone(), project, absent: Some(absent) };
    Ok(Ground { home: Some(layout), user: Some(user) })
}

/// The repository around a folder, as a guard for all projects sees it.
pub(super) fn repository(environment: &Environment, folder: &Utf8Path) -> Option<Utf8PathBuf> {
    let found = home::find(None, environment, folder).ok()?;
    project_of(&found, folder)
}

fn project_of(found: &Home, folder: &Utf8Path) -> Option<Utf8PathBuf> {
    match found.found {
        Found::Above | Found::GitRoot => found.path.parent().map(Utf8Path::to_owned),
        Found::Flag | Found::Variable => home::git_root(folder),
    }
}

/// The folder of the session: what the client says, else where it started the hook.
fn session_folder(
    client: Option<Client>,
    environment: &Environment,
) -> Result<Utf8PathBuf, AnyFault> {
    let named = client.and_then(|it| it.entry().session_folder);
    let said = named.and_then(|it| environment.text(it).ok().flatten()).map(Utf8PathBuf::from);
    match said.filter(|it| it.is_absolute() && it.is_dir()) {
        Some(folder) => Ok(folder),
        None => Ok(environment::current_folder()?),
    }
}

/// Whether the client's own configuration of this person starts hooks for a home: an installation of
/// an earlier version, for all projects.
fn is_of_user(asked: &Asked, home: &Utf8Path, environment: &Environment) -> bool {
    let Some(client) = asked.client else { return false };
    let harness = client.entry().harness;
    let Some(folders) = folders(environment) else { return false };
    let Ok(place) = folders.configuration(harness, Scope::User) else { return false };
    let Ok(text) = fs::read_to_string(&place.hooks) else { return false };
    let names = |it: &Hook| it.home.as_deref().is_some_and(|it| Utf8Path::new(it) == home);
    entries(harness, &text)
        .is_ok_and(|it| it.iter().filter_map(|it| Hook::of(&it.command)).any(|it| names(&it)))
}

/// The folders in which clients look for the configuration of this person.
pub(super) fn folders(environment: &Environment) -> Option<Folders> {
    let text = |name| environment.text(name).ok().flatten().map(Utf8PathBuf::from);
    let user_home = text("HOME").filter(|it| it.is_absolute())?;
    let moved = variables().into_iter().filter_map(|it| Some((it, text(it)?))).collect();
    Some(Folders { user_home, project: None, moved })
}
