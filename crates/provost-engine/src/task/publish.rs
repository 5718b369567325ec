//! Results in the person's repository, under a name of provost's own.

use std::path::Path;

use provost_desk::task::OpenTask;
use provost_exec::git::{Git, GitError, PrivateClone, Published, Snapshot, publish};
use provost_kernel::{
    AttemptNumber,
    task::{EventKind, Note},
};
use provost_vault::{AttemptFile, RealDisk, write_atomic};

use crate::{Engine, EngineError};

/// Brings what an attempt delivered into the repository, and remembers where.
pub(super) fn publish(
    engine: Engine<'_>,
    open: &OpenTask<'_>,
    attempt: AttemptNumber,
    clone: &PrivateClone,
    snapshot: &Snapshot,
) -> Result<Published, EngineError> {
    let task = open.task();
    let message = format!("provost: {task}, attempt {attempt}");
    let label = publish::Label {
        task,
        attempt,
        identity: &Engine::identity(),
        when: engine.desk.clock().now(),
        message: &message,
    };
    let (git, repository) = (engine.git(), Path::new(&open.spec.value.repo_path));
    let published = match publish::publish(&git, clone, snapshot, repository, &label) {
        Err(GitError::Published { .. }) => {
            set_aside(open, &git, repository, &label)?;
            publish::publish(&git, clone, snapshot, repository, &label)?
        }
        published => published?,
    };
    let at = engine.desk.layout().attempt_file(task, attempt, AttemptFile::HeadCommit);
    write_atomic(&RealDisk, &at, format!("{}\n", published.commit).as_bytes())?;
    Ok(published)
}

/// Makes room for a result where an earlier task of the same name left one.
fn set_aside(
    open: &OpenTask<'_>,
    git: &Git,
    repository: &Path,
    label: &publish::Label<'_>,
) -> Result<(), EngineError> {
    if let Some(reference) = publish::displace(git, repository, label)? {
        let note = Note::new(EventKind::WorkSaved, reference);
        open.files().append_note(note, label.attempt.get())?;
    }
    Ok(())
}
