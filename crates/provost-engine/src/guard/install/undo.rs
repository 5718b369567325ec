//! What taking the guard out would change.
//!
//! A file that was not written since is given back byte for byte. From any other only our entries
//! are taken.

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::guard::{ChangedFile, Harness, Installation, Scope, client::InstallForm};
use provost_rules_guard::install::{self, trust};
use provost_vault::{ForeignFile, remove_folders};

use super::{
    Change, Configuration, Setup, SetupError,
    folders::spelled,
    plan::{Act, digest, shown, unusable},
    recorded,
};

/// Everything that taking the guard out would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undo {
    pub harness: Harness,
    pub scope: Scope,
    /// The files, in the order in which they are written.
    pub changes: Vec<Change>,
    /// The folders that were made for them, from the outermost inward.
    pub folders: Vec<Utf8PathBuf>,
}

/// The installations that can be taken out, the newest first. If this home knows of none, the
/// places where one would be are worth a look.
pub fn candidates(setup: Setup<'_>, harness: Harness) -> Result<Vec<Scope>, SetupError> {
    let mut known = recorded(setup, harness)?.installations;
    if known.is_empty() {
        return Ok(Scope::ALL.to_vec());
    }
    known.sort_by_key(|it| std::cmp::Reverse(it.at));
    Ok(known.iter().map(|it| it.scope).collect())
}

/// Says what taking the guard out would change; touches nothing.
pub fn plan_undo(setup: Setup<'_>, harness: Harness, scope: Scope) -> Result<Undo, SetupError> {
    let known = recorded(setup, harness)?;
    let installation = known.of(scope);
    let place = match files(setup, harness, scope, installation) {
        // A repository that is not here has no installation here.
        Err(SetupError::NoProject) => return Err(SetupError::NotInstalled { harness }),
        place => place?,
    };
    let changes = changes(harness, installation, &place)?;
    let is_there = changes.iter().any(|it| it.act != Act::Keep);
    if installation.is_none() && !is_there {
        return Err(SetupError::NotInstalled { harness });
    }
    let made = installation.iter().flat_map(|it| &it.folders);
    Ok(Undo { harness, scope, changes, folders: made.map(Utf8PathBuf::from).collect() })
}

/// The files of an installation: those that it recorded, or those where it would be.
fn files(
    setup: Setup<'_>,
    harness: Harness,
    scope: Scope,
    known: Option<&Installation>,
) -> Result<Configuration, SetupError> {
    let Some(known) = known else { return setup.folders.configuration(harness, scope) };
    let mut paths = known.files.iter().rev().map(|it| Utf8PathBuf::from(&it.path));
    match paths.next() {
        Some(hooks) => Ok(Configuration { hooks, trust: paths.next() }),
        None => setup.folders.configuration(harness, scope),
    }
}

fn changes(
    harness: Harness,
    known: Option<&Installation>,
    place: &Configuration,
) -> Result<Vec<Change>, SetupError> {
    let path = &place.hooks;
    let file = ForeignFile::read(path)?;
    let old = file.text()?.map(str::to_owned);
    let known_file =
        |path: &Utf8Path| known.and_then(|it| it.files.iter().find(|it| it.path == path.as_str()));
    let had = shown(harness, old.as_deref()).map_err(unusable(path))?;
    let kept = known_file(path);
    let text = match &old {
        None => None,
        Some(text) => match untouched(kept, text) {
            Some(file) if is_free(harness, file.before.as_deref()) => file.before.clone(),
            Some(_) | None => {
                let form = harness.entry().install.form;
                let left = if had.is_empty() && matches!(form, InstallForm::Plugin { .. }) {
                    // Somebody else's by now.
                    Some(text.clone())
                } else {
                    install::uninstall(harness, text).map_err(unusable(path))?
                };
                let was_there = kept.is_some_and(|it| it.before.is_some());
                left.or_else(|| was_there.then(|| "{}\n".to_owned()))
            }
        },
    };
    let mut changes = vec![Change::new(file, text, None, (had, Vec::new()))];

    if let Some(path) = &place.trust {
        let at = spelled(&place.hooks);
        let former = trust::of(old.as_deref(), at.as_str()).map_err(unusable(&place.hooks))?;
        changes.push(distrusting(path, known_file(path), &former)?);
    }
    Ok(changes)
}

/// What becomes of the file that says whom the client trusts.
fn distrusting(
    path: &Utf8Path,
    kept: Option<&ChangedFile>,
    former: &[trust::Trust],
) -> Result<Change, SetupError> {
    let file = ForeignFile::read(path)?;
    let old = file.text()?.map(str::to_owned);
    let text = match &old {
        None => None,
        Some(text) => {
            if let Some(file) = untouched(kept, text) {
                file.before.clone()
            } else {
                let left = trust::remove(text, former).map_err(unusable(path))?;
                let is_ours = kept.is_some_and(|it| it.before.is_none());
                (!(is_ours && left.trim().is_empty())).then_some(left)
            }
        }
    };
    let keys = former.iter().map(|it| it.key.clone());
    let gone = |key: &String| {
        let has = |text: &Option<String>| text.as_ref().is_some_and(|it| it.contains(key.as_str()));
        has(&old) && !has(&text)
    };
    let removed: Vec<String> = keys.filter(gone).collect();
    Ok(Change::new(file, text, None, (removed, Vec::new())))
}

/// What is known of a file, if it was not written since.
fn untouched<'a>(kept: Option<&'a ChangedFile>, now: &str) -> Option<&'a ChangedFile> {
    kept.filter(|it| it.after == digest(now))
}

/// Whether a text holds nothing of ours.
fn is_free(harness: Harness, text: Option<&str>) -> bool {
    shown(harness, text).is_ok_and(|it| it.is_empty())
}

impl Undo {
    pub(super) fn write(&self) -> Result<(), SetupError> {
        self.changes.iter().try_for_each(Change::write)?;
        remove_folders(&self.folders);
        Ok(())
    }
}
