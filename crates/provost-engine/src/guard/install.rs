//! Installing the guard in a client, and taking it out again.
//!
//! A plan says what would change. It is carried out in an order that a crash cannot spoil: first
//! the record of how everything was, then the entry in the audit chain, then the person's files,
//! each as a whole.

mod error;
mod folders;
mod plan;
mod undo;

use camino::Utf8PathBuf;
use provost_kernel::{
    Actor, Clock, Digest, RecordFile,
    guard::{Harness, Installation, Installations, Scope},
};
use provost_rules_guard::install::Hook;
use provost_vault::{
    Durable, Layout, RealDisk, Stored,
    audit::{Audit, Event},
    prepare_home, read_record, remove, write_json,
};
use serde_json::{Value, json};

pub use self::{
    error::SetupError,
    folders::{Configuration, Folders, variables},
    plan::{Act, Change, Plan, plan},
    undo::{Undo, candidates, plan_undo},
};
pub(super) use self::{folders::spelled, plan::unusable};

/// Who installs what, and where.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// The home of the project, if there is one.
    pub project: Option<&'a Layout>,
    /// The home of the person, which keeps what is installed for all projects.
    pub user: &'a Layout,
    /// What the person's own policy amounts to, apart from any project.
    pub policy: Option<Digest>,
    pub clock: &'a dyn Clock,
    pub actor: &'a Actor,
    pub folders: &'a Folders,
}

impl std::fmt::Debug for Setup<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup").field("folders", self.folders).finish_non_exhaustive()
    }
}

/// Installs the guard, as a plan says. A plan that changes nothing leaves everything alone.
///
/// When a file cannot be written, those before it are given back.
pub fn carry_out(setup: Setup<'_>, hook: &Hook, plan: &Plan) -> Result<(), SetupError> {
    if plan.is_done() {
        return Ok(());
    }
    let Plan { harness, scope, .. } = *plan;
    let home = setup.home_of(scope)?;
    prepare_home(&RealDisk, home)?;
    let installation = Installation {
        scope,
        at: setup.clock.now(),
        program: hook.program.clone(),
        files: plan.files(),
        folders: plan.folders.iter().map(Utf8PathBuf::to_string).collect(),
    };
    keep(home, &record_of(home, harness)?.with(installation))?;
    // What an earlier version wrote down in the project's home is now in the person's.
    if scope == Scope::User
        && let Some(project) = setup.project
        && let known = record_of(project, harness)?
        && known.of(scope).is_some()
    {
        keep(project, &known.without(scope))?;
    }
    let paths: Vec<_> = plan.changes.iter().map(|it| it.path().as_str()).collect();
    audit(
        setup,
        ("guard.install", harness, scope),
        json!({ "scope": scope, "files": paths, "hook": {"program": hook.program, "home": hook.home} }),
    )?;
    if let Err(error) = plan.write() {
        if let Ok(undo) = plan_undo(setup, harness, scope) {
            // What cannot be given back now can be later: the record says how it was.
            let _ = undo.write().and_then(|()| forget(setup, &undo));
        }
        return Err(error);
    }
    Ok(())
}

/// Takes the guard out, as a plan says.
pub fn take_out(setup: Setup<'_>, undo: &Undo) -> Result<(), SetupError> {
    prepare_home(&RealDisk, setup.home_of(undo.scope)?)?;
    let paths: Vec<_> = undo.changes.iter().map(|it| it.path().as_str()).collect();
    let detail = json!({ "scope": undo.scope, "files": paths });
    audit(setup, ("guard.uninstall", undo.harness, undo.scope), detail)?;
    undo.write()?;
    forget(setup, undo)
}

/// What is known of the installations in a client. For all projects, the person's home knows best;
/// earlier versions wrote it down in a project's.
pub fn recorded(setup: Setup<'_>, harness: Harness) -> Result<Installations, SetupError> {
    let mut known = Installations { client: harness, installations: Vec::new() };
    for home in setup.homes() {
        for it in record_of(home, harness)?.installations {
            known = known.with(it);
        }
    }
    Ok(known)
}

fn record_of(layout: &Layout, harness: Harness) -> Result<Installations, SetupError> {
    let at = layout.guard_install(harness);
    match read_record::<_, Installations>(&RealDisk, &at)? {
        Stored::Present(kept) => Ok(kept.value),
        Stored::Absent => Ok(Installations { client: harness, installations: Vec::new() }),
        Stored::Corrupt(_) => Err(SetupError::Record { path: at.path() }),
    }
}

fn keep(layout: &Layout, record: &Installations) -> Result<(), SetupError> {
    let at = layout.guard_install(record.client);
    if record.installations.is_empty() {
        return if at.path().exists() { Ok(remove(&at)?) } else { Ok(()) };
    }
    Ok(write_json(&RealDisk, &at, &RecordFile::new(record.clone())).map(drop)?)
}

fn forget(setup: Setup<'_>, undo: &Undo) -> Result<(), SetupError> {
    setup.homes().try_for_each(|home| {
        let known = record_of(home, undo.harness)?;
        if known.of(undo.scope).is_none() {
            return Ok(());
        }
        keep(home, &known.without(undo.scope))
    })
}

impl<'a> Setup<'a> {
    /// The home that keeps what is installed in a scope.
    pub fn home_of(&self, scope: Scope) -> Result<&'a Layout, SetupError> {
        match scope {
            Scope::User => Ok(self.user),
            Scope::Project => self.project.ok_or(SetupError::NoProject),
        }
    }

    /// Both homes; the later knows better.
    fn homes(&self) -> impl Iterator<Item = &'a Layout> + use<'a> {
        self.project.into_iter().chain([self.user])
    }
}

/// The entry of a person's order, before it takes effect.
fn audit(
    setup: Setup<'_>,
    (action, harness, scope): (&str, Harness, Scope),
    detail: Value,
) -> Result<(), SetupError> {
    let entry = Event {
        actor: setup.actor.clone(),
        action: action.to_owned(),
        subject: format!("client:{harness}"),
        request_id: None,
        detail,
    };
    let mut chain = Audit::open(&RealDisk, setup.home_of(scope)?)?;
    let head = chain.append(&entry, setup.clock, Durable::Now)?;
    Ok(chain.store_head(head, action, setup.clock)?)
}
