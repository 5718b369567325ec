//! The change of a branch, held against the rules before anything of it is run.

use std::collections::BTreeSet;

use provost_exec::git::{FileChange, GitError, Kind, Snapshot, merge, snapshot::Part};
use provost_kernel::{Finding, Message as _, Severity, task::Standing};
use provost_rules_task::{
    agent_config::{self, Delivered, Planted},
    score::Ask,
    verification::{BranchPermission, VerifyError, VerifyNote},
};

use super::{Verifier, spec_of};
use crate::{
    EngineError,
    context::redact_text,
    task::inspection::{Inspection, inspect_snapshot},
};

/// How many files a check names.
const SHOWN: usize = 3;
/// The rules of the policy that are about secrets.
const SECRETS: [&str; 2] = ["task.policy.secrets", "task.policy.unscanned"];

/// What a branch changes.
pub(super) struct Change {
    files: Vec<FileChange>,
    pub(super) is_refused: bool,
    /// Files that programs outside the sandbox obey, and that were not permitted by name.
    planted: Vec<Planted>,
}

impl Change {
    /// What a person would be asked in a task.
    pub(super) fn asks(&self) -> Vec<Ask> {
        let asks = self.planted.iter();
        asks.map(|it| Ask::Planted { path: redact_text(&it.path), reader: it.reader.to_owned() })
            .collect()
    }

    pub(super) fn touches(&self, path: &str) -> bool {
        self.files.iter().any(|it| it.path == path)
    }

    /// The first file that differs, for what is about none in particular.
    pub(super) fn first_path(&self) -> Option<&str> {
        let first = self.files.iter().find(|it| differs(it) && it.new.is_some());
        first.map(|it| it.path.as_str())
    }
}

/// Whether a path that was touched is another one in the end.
fn differs(it: &FileChange) -> bool {
    it.old != it.new || it.added > 0 || it.removed > 0 || it.is_binary
}

impl Verifier<'_, '_> {
    /// Holds the change against paths, globs, secrets and files that programs obey. What a later
    /// commit took back counts as well: it comes along with the history.
    pub(super) fn change(&mut self) -> Result<Change, EngineError> {
        let (git, clone) = (&self.bench.git, &self.bench.clone);
        let target = self.request.target;
        let tree = merge::tree_of(git, clone, &self.result)?;
        if tree == merge::tree_of(git, clone, &clone.base)? {
            let (name, base) = (target.name.clone(), target.base_ref.clone());
            return Err(VerifyError::NothingToVerify { name, base }.into());
        }
        let snapshot = Snapshot {
            base: clone.base.clone(),
            head: Part::Read(self.result.clone()),
            staged: Part::Read(tree.clone()),
            work: tree,
            nested: Vec::new(),
        };
        let Some(spec) = spec_of(self.request) else { return Err(VerifyError::NoCommit.into()) };
        let inspected = match inspect_snapshot(git, clone, snapshot, &spec) {
            Ok(inspected) => inspected,
            // What cannot be understood cannot be allowed.
            Err(EngineError::Git(
                error @ (GitError::BadPath { .. }
                | GitError::Unfit { .. }
                | GitError::TooLarge { .. }
                | GitError::Failed { .. }),
            )) => {
                let note = VerifyNote::Unreadable { why: error.text() };
                self.checked("paths", Standing::Failed, &note, None);
                let finding = Finding::new("task.policy.unreadable", Severity::P0, "", &note);
                self.report.found([(finding, None)]);
                for name in ["secrets", "agent config"] {
                    self.checked(name, Standing::NotVerified, &VerifyNote::NotRun, None);
                }
                return Ok(Change { files: Vec::new(), is_refused: true, planted: Vec::new() });
            }
            Err(error) => return Err(error),
        };
        self.count(&inspected.files);
        self.check_policy(&inspected);
        let is_refused = inspected.error_class().is_some();
        let planted = self.find_planted(&inspected.files);
        Ok(Change { files: inspected.files, is_refused, planted })
    }

    fn count(&mut self, files: &[FileChange]) {
        let differing = || files.iter().filter(|it| differs(it));
        self.report.files = differing().count();
        self.report.added = differing().map(|it| it.added).sum();
        self.report.removed = differing().map(|it| it.removed).sum();
    }

    fn check_policy(&mut self, inspected: &Inspection) {
        let findings = inspected.findings();
        let is_secret = |it: &&Finding| SECRETS.contains(&it.rule.as_ref());
        let (secrets, paths): (Vec<&Finding>, Vec<&Finding>) = findings.iter().partition(is_secret);
        let subjects = |of: &[&Finding]| {
            of.iter().take(SHOWN).map(|it| it.subject.clone()).collect::<Vec<_>>()
        };
        let files = self.report.files;
        let (standing, note) = if paths.is_empty() {
            (Standing::Verified, VerifyNote::Paths { files })
        } else {
            (Standing::Failed, VerifyNote::PathsRefused { subjects: subjects(&paths) })
        };
        self.checked("paths", standing, &note, None);
        let (standing, note) = if secrets.is_empty() {
            (Standing::Verified, VerifyNote::NoSecrets)
        } else {
            (Standing::Failed, VerifyNote::Secrets { subjects: subjects(&secrets) })
        };
        self.checked("secrets", standing, &note, None);
        self.report.found(findings.into_iter().map(|it| {
            let subject = it.subject.clone();
            (it, Some(subject))
        }));
    }

    /// Finds files that programs outside the sandbox obey, `provost.toml` among them.
    fn find_planted(&mut self, files: &[FileChange]) -> Vec<Planted> {
        let delivered = || {
            // Deleting such a file changes what the program does, too.
            let is_link = |it: &FileChange| it.new == Some(Kind::Symlink);
            let differing = files.iter().filter(|it| differs(it));
            differing.map(move |it| Delivered { path: &it.path, is_link: is_link(it) })
        };
        let permitted = self.request.paths.iter().map(|it| {
            let parts = it.split('/').filter(|it| !matches!(*it, "" | "."));
            parts.collect::<Vec<_>>().join("/")
        });
        let found = agent_config::planted(delivered(), &BTreeSet::new());
        let planted = agent_config::planted(delivered(), &permitted.collect());
        let subjects = |list: &[Planted]| {
            list.iter().map(|it| redact_text(&it.path)).take(SHOWN).collect::<Vec<_>>()
        };
        let (standing, note) = match (planted.is_empty(), found.is_empty()) {
            (false, _) => {
                (Standing::NotVerified, VerifyNote::Planted { subjects: subjects(&planted) })
            }
            (true, false) => {
                (Standing::Verified, VerifyNote::PlantedPermitted { subjects: subjects(&found) })
            }
            (true, true) => (Standing::Verified, VerifyNote::NothingPlanted),
        };
        self.checked("agent config", standing, &note, None);
        let finding = |it: &Planted| {
            let hint = Some(BranchPermission.text());
            let finding = Finding { hint, subject: redact_text(&it.path), ..it.finding() };
            (finding, Some(it.path.clone()))
        };
        let findings: Vec<_> = planted.iter().map(finding).collect();
        self.report.found(findings);
        planted
    }
}
