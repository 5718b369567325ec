//! Checks the change of a coder against the rules before anything of it is run (LOOP-A4).

use std::collections::BTreeSet;

use provost_exec::git::{
    FileChange, Git, GitError, ObjectId, PrivateClone,
    changes::{self, Patch},
};
use provost_kernel::{
    Message as _,
    task::{ErrorClass, EventKind, Role, Standing},
};
use provost_rules_task::{
    concern::{self, Concern, Concerns, PLANTED},
    inputs,
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
/// How many files a check names.
const SHOWN: usize = 3;

/// A change that the rules allow.
pub(super) struct Change {
    pub(super) files: Vec<FileChange>,
    pub(super) commit: ObjectId,
    /// The patch for people and judges, without secrets.
    pub(super) patch: String,
    /// Whether the patch is longer than what is kept of it.
    pub(super) is_cut: bool,
    /// What a person decides on.
    pub(super) concerns: Concerns,
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
        let (patch, is_cut) = self.keep_change(&git, clone, &inspected)?;
        self.stop_if_interrupted()?;
        if let Some(class) = inspected.error_class() {
            let subjects: Vec<&str> =
                self.findings.iter().map(|it| it.subject.as_str()).take(3).collect();
            let detail = subjects.join(", ");
            self.checked("paths", Standing::Failed, detail.clone().into());
            return Err(self.end_at(Role::Coordinator, 0, class, detail));
        }
        let concerns = self.find_concerns(&inspected);
        if inspected.files.is_empty() && said.text.trim().is_empty() {
            self.note(EventKind::SkipTestJudgeNoCoderOutput, "no change and no reply")?;
            return Err(self.end_at(Role::Coder, 0, ErrorClass::CoderNoOutput, ""));
        }
        let published = publish(self.engine, self.open, self.number, clone, &inspected.snapshot)?;
        self.unresolved = self.unresolved(&git, clone, &published.commit)?;
        Ok(Change { files: inspected.files, commit: published.commit, patch, is_cut, concerns })
    }

    /// Names what a person decides on, and says how the change stands to it.
    fn find_concerns(&mut self, inspected: &Inspection) -> Concerns {
        let concerns = inspected.concerns(&self.permitted());
        self.findings.extend(concerns.found.iter().map(Concern::finding));
        let is_planted = |it: &&Concern| it.code() == PLANTED;
        let (planted, others): (Vec<&Concern>, Vec<&Concern>) =
            concerns.open.iter().partition(is_planted);
        let names =
            |list: &[&Concern]| list.iter().map(|it| it.name()).take(SHOWN).collect::<Vec<_>>();
        let files = inspected.files.len();
        if files == 0 {
            // An answer in words can be a result, and is never taken for a change.
            self.checked("paths", Standing::NotVerified, Note::NoChange.text());
        } else if others.is_empty() {
            self.checked("paths", Standing::Verified, Note::Paths { files }.text());
        } else {
            let note = Note::PathsAsked { paths: names(&others) };
            self.checked("paths", Standing::NotVerified, note.text());
        }
        let found: Vec<&Concern> = concerns.found.iter().filter(is_planted).collect();
        if !planted.is_empty() {
            let (files, paths) = (planted.len(), names(&planted));
            let note = Note::Planted { files, paths };
            self.checked("agent config", Standing::NotVerified, note.text());
        } else if !found.is_empty() {
            let note = Note::PlantedPermitted { paths: names(&found) };
            self.checked("agent config", Standing::Verified, note.text());
        }
        concerns
    }

    /// The files that people permitted by name: in the task, or in an answer.
    fn permitted(&self) -> BTreeSet<String> {
        let in_task = concern::permitted(&self.spec.allowed_paths);
        in_task.into_iter().chain(inputs::accepted(&self.said)).collect()
    }

    /// Keeps what changed, for people: the patch without secrets, and one line for each file.
    /// Returns the patch, and whether it was cut.
    fn keep_change(
        &self,
        git: &Git,
        clone: &PrivateClone,
        inspected: &Inspection,
    ) -> Result<(String, bool), EngineError> {
        let layout = self.engine.desk.layout();
        let at = |file| layout.attempt_file(self.open.task(), self.number, file);
        let Patch { bytes, dropped } = changes::patch(git, clone, &inspected.snapshot, PATCH)?;
        let patch = redact_text(&String::from_utf8_lossy(&bytes));
        write_record(&RealDisk, &at(AttemptFile::DiffPatch), patch.as_bytes())?;
        write_record(
            &RealDisk,
            &at(AttemptFile::DiffStat),
            redact_text(&stat(&inspected.files)).as_bytes(),
        )?;
        Ok((patch, dropped > 0))
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
