//! What an installation would change.

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{
    Digest,
    guard::{ChangedFile, Harness, Installation, Scope},
};
use provost_rules_guard::install::{self, Hook, InstallError, trust};
use provost_vault::ForeignFile;

use super::{Configuration, Setup, SetupError, folders::spelled, recorded};

/// Everything that an installation would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub harness: Harness,
    pub scope: Scope,
    /// The files, in the order in which they are written.
    pub changes: Vec<Change>,
    /// The folders that are made, from the outermost inward, and those that were made before.
    pub folders: Vec<Utf8PathBuf>,
    is_recorded: bool,
}

/// What happens to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub act: Act,
    /// The entries that it gains, for people.
    pub added: Vec<String>,
    /// The entries that it loses, for people.
    pub removed: Vec<String>,
    pub(super) file: ForeignFile,
    /// What it will hold; nothing if it is removed.
    pub(super) text: Option<String>,
    /// What it holds without the guard.
    pub(super) before: Option<String>,
}

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    Create,
    Change,
    Remove,
    /// It is as it should be.
    Keep,
}

/// Says what an installation would change; touches nothing.
pub fn plan(
    setup: Setup<'_>,
    harness: Harness,
    scope: Scope,
    hook: &Hook,
) -> Result<Plan, SetupError> {
    let Configuration { hooks, trust } = setup.folders.configuration(harness, scope)?;
    let known = recorded(setup, harness)?;
    let known = known.of(scope);
    let file = ForeignFile::read(&hooks)?;
    let old = file.text()?.map(str::to_owned);
    let new = install::install(harness, old.as_deref(), hook).map_err(unusable(&hooks))?;
    let shown = |text: Option<&str>| shown(harness, text).map_err(unusable(&hooks));
    let (had, has) = (shown(old.as_deref())?, shown(Some(&new))?);
    let stripped = match &old {
        Some(text) if !had.is_empty() => {
            install::uninstall(harness, text).map_err(unusable(&hooks))?
        }
        Some(_) | None => old.clone(),
    };
    let before = original(known, &hooks, old.as_deref(), stripped);

    let mut changes = Vec::new();
    if let Some(path) = &trust {
        let place = spelled(&hooks);
        let of = |text: Option<&str>| trust::of(text, place.as_str()).map_err(unusable(&hooks));
        let (former, trusted) = (of(old.as_deref())?, of(Some(&new))?);
        changes.push(trusting(path, known, &trusted, &former)?);
    }
    changes.push(Change::new(file, Some(new), before, (had, has)));
    let missing = changes.iter().flat_map(|it| it.file.missing_folders());
    let made = known.iter().flat_map(|it| it.folders.iter().map(Utf8PathBuf::from));
    let mut folders: Vec<Utf8PathBuf> = made.chain(missing).collect();
    folders.sort();
    folders.dedup();
    let is_recorded = known.is_some_and(|it| it.program == hook.program);
    Ok(Plan { harness, scope, changes, folders, is_recorded })
}

/// What becomes of the file that says whom the client trusts.
fn trusting(
    path: &Utf8Path,
    known: Option<&Installation>,
    trusted: &[trust::Trust],
    former: &[trust::Trust],
) -> Result<Change, SetupError> {
    let file = ForeignFile::read(path)?;
    let old = file.text()?.map(str::to_owned);
    let new = trust::write(old.as_deref(), trusted, former).map_err(unusable(path))?;
    let stripped = match &old {
        Some(text) => {
            let both: Vec<_> = trusted.iter().chain(former).cloned().collect();
            Some(trust::remove(text, &both).map_err(unusable(path))?)
        }
        None => None,
    };
    let before = original(known, path, old.as_deref(), stripped);
    let keys =
        |list: &[trust::Trust]| -> Vec<String> { list.iter().map(|it| it.key.clone()).collect() };
    let is_new = |key: &String| !old.as_ref().is_some_and(|it| it.contains(key.as_str()));
    let is_old = |key: &String| !new.contains(key.as_str());
    let added = keys(trusted).into_iter().filter(is_new).collect();
    let removed = keys(former).into_iter().filter(is_old).collect();
    let change = Change::new(file, Some(new), before, (Vec::new(), Vec::new()));
    Ok(Change { added, removed, ..change })
}

/// What a file holds without the guard. While no other program has written it, that is what the
/// first installation found; otherwise it is what is there now, without our entries.
fn original(
    known: Option<&Installation>,
    path: &Utf8Path,
    now: Option<&str>,
    stripped: Option<String>,
) -> Option<String> {
    let known = known.and_then(|it| it.files.iter().find(|it| it.path == path.as_str()));
    let is_ours = |it: &&ChangedFile| now.is_some_and(|now| digest(now) == it.after);
    match known.filter(is_ours) {
        Some(file) => file.before.clone(),
        None => stripped,
    }
}

/// Our entries in a text, for people.
pub(super) fn shown(harness: Harness, text: Option<&str>) -> Result<Vec<String>, InstallError> {
    let text = text.filter(|it| !it.trim().is_empty());
    let entries = text.map_or(Ok(Vec::new()), |it| install::entries(harness, it))?;
    Ok(entries.iter().map(|it| format!("{}: {}", it.event, it.command.shown())).collect())
}

pub(super) fn digest(text: &str) -> Digest {
    Digest::of_bytes(text.as_bytes())
}

pub(in crate::guard) fn unusable(
    path: &Utf8Path,
) -> impl FnOnce(InstallError) -> SetupError + Copy + use<'_> {
    move |why| SetupError::Configuration { path: path.to_owned(), why }
}

impl Plan {
    /// Whether there is nothing to do.
    pub fn is_done(&self) -> bool {
        self.is_recorded && self.changes.iter().all(|it| it.act == Act::Keep)
    }

    pub(super) fn files(&self) -> Vec<ChangedFile> {
        let file = |it: &Change| ChangedFile {
            path: it.path().to_string(),
            before: it.before.clone(),
            after: digest(it.text.as_deref().unwrap_or_default()),
        };
        self.changes.iter().map(file).collect()
    }

    pub(super) fn write(&self) -> Result<(), SetupError> {
        self.changes.iter().try_for_each(Change::write)
    }
}

impl Change {
    pub(super) fn new(
        file: ForeignFile,
        text: Option<String>,
        before: Option<String>,
        (had, has): (Vec<String>, Vec<String>),
    ) -> Self {
        let old = file.text().ok().flatten();
        let act = match (old, &text) {
            (None, None) => Act::Keep,
            (None, Some(_)) => Act::Create,
            (Some(_), None) => Act::Remove,
            (Some(old), Some(new)) if old == new => Act::Keep,
            (Some(_), Some(_)) => Act::Change,
        };
        let only = |list: &[String], other: &[String]| {
            list.iter().filter(|it| !other.contains(it)).cloned().collect()
        };
        let (added, removed) = (only(&has, &had), only(&had, &has));
        Self { act, added, removed, file, text, before }
    }

    pub fn path(&self) -> &Utf8Path {
        self.file.path()
    }

    pub(super) fn write(&self) -> Result<(), SetupError> {
        match (self.act, &self.text) {
            (Act::Keep, _) => {}
            (_, Some(text)) => self.file.replace(text.as_bytes())?,
            (_, None) => self.file.remove()?,
        }
        Ok(())
    }
}
