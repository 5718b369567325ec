//! Checks the change of a coder against the rules before anything of it is run (LOOP-A4).

use provost_exec::git::{FileChange, Git, GitError, ObjectId, PrivateClone, changes};
use provost_kernel::{
    Message as _,
    task::{ErrorClass, EventKind, Role, Standing},
};
use provost_vault::{AttemptFile, RealDisk, write_record};

use super::{Attempt, Note, Stop, coder::Said};
use crate::{
    EngineError,
    context::redact_text,
    task::{
        inspection::{Inspection, inspect},
        progress::{Step, Update},
        publish::publish,
    },
};

/// The most of a patch that is kept.
const PATCH: u64 = 4 << 20;

/// A change that the rules allow.
pub(super) struct Change {
    pub(super) files: Vec<FileChange>,
    pub(super) commit: ObjectId,
    /// The patch for people and judges, without secrets.
    pub(super) patch: String,
}

impl Attempt<'_, '_, '_> {
    /// Holds what the coder left against the rules; what they allow is published.
    pub(super) fn hold_against_rules(
        &mut self,
        clone: &PrivateClone,
        said: &Said,
    ) -> Result<Change, Stop> {
        self.engine.progress.update(&Update::StepStarted { step: Step::Policy });
        let git = self.engine.git();
        let inspected = match inspect(&git, clone, &self.spec) {
            Ok(inspected) => inspected,
            // What cannot be understood cannot be allowed.
            Err(EngineError::Git(
                error @ (GitError::BadPath { .. }
                | GitError::Unfit { .. }
                | GitError::TooLarge { .. }
                | GitError::Failed { .. }),
            )) => {
                let detail = error.text();
                return Err(self.end_at(Role::Coordinator, 0, ErrorClass::AllowedPaths, detail));
            }
            Err(error) => return Err(error.into()),
        };
        self.findings.extend(inspected.findings());
        let count = inspected.files.len();
        self.note(
            EventKind::PolicyChecked,
            format!("{count} files, {} findings", self.findings.len()),
        )?;
        let patch = self.keep_change(&git, clone, &inspected)?;
        self.stop_if_interrupted()?;
        if let Some(class) = inspected.error_class() {
            let subjects: Vec<&str> =
                self.findings.iter().map(|it| it.subject.as_str()).take(3).collect();
            let detail = subjects.join(", ");
            self.checked("paths", Standing::Failed, detail.clone().into());
            return Err(self.end_at(Role::Coordinator, 0, class, detail));
        }
        self.checked("paths", Standing::Verified, Note::Paths { files: count }.text());
        if inspected.files.is_empty() && said.text.trim().is_empty() {
            self.note(EventKind::SkipTestJudgeNoCoderOutput, "no change and no reply")?;
            return Err(self.end_at(Role::Coder, 0, ErrorClass::CoderNoOutput, ""));
        }
        let published = publish(self.engine, self.open, self.number, clone, &inspected.snapshot)?;
        Ok(Change { files: inspected.files, commit: published.commit, patch })
    }

    /// Keeps what changed, for people: the patch without secrets, and one line for each file.
    fn keep_change(
        &self,
        git: &Git,
        clone: &PrivateClone,
        inspected: &Inspection,
    ) -> Result<String, EngineError> {
        let layout = self.engine.desk.layout();
        let at = |file| layout.attempt_file(self.open.task(), self.number, file);
        let patch = changes::patch(git, clone, &inspected.snapshot, PATCH)?;
        let patch = redact_text(&String::from_utf8_lossy(&patch.bytes));
        write_record(&RealDisk, &at(AttemptFile::DiffPatch), patch.as_bytes())?;
        write_record(
            &RealDisk,
            &at(AttemptFile::DiffStat),
            redact_text(&stat(&inspected.files)).as_bytes(),
        )?;
        Ok(patch)
    }
}

/// One line for each file, as people know it from git.
fn stat(files: &[FileChange]) -> String {
    let line = |it: &FileChange| {
        let counts = if it.is_binary {
            "binary".to_owned()
        } else {
            format!("+{} -{}", it.added, it.removed)
        };
        format!("{} | {counts}\n", it.path.escape_debug())
    };
    files.iter().map(line).collect()
}
