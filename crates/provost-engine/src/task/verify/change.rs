//! The change of a branch, held against the rules before anything of it is run.

use provost_exec::git::{FileChange, GitError, Snapshot, merge, snapshot::Part};
use provost_kernel::{Finding, Message as _, Severity, task::Standing};
use provost_rules_task::{
    concern::{self, Concern, Concerns, PLANTED},
    score::Ask,
    verification::{BranchPermission, VerifyError, VerifyNote},
};

use super::{Verifier, spec_of};
use crate::{
    EngineError,
    task::inspection::{Inspection, differs, inspect_snapshot},
};

/// How many files a check names.
const SHOWN: usize = 3;
/// The rules of the policy that are about secrets.
const SECRETS: [&str; 2] = ["task.policy.secrets", "task.policy.unscanned"];

/// What a branch changes.
pub(super) struct Change {
    files: Vec<FileChange>,
    pub(super) is_refused: bool,
    concerns: Concerns,
}

impl Change {
    /// What a person would be asked in a task.
    pub(super) fn asks(&self) -> Vec<Ask> {
        self.concerns.asks().collect()
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
        let inspected = inspect_snapshot(git, clone, snapshot, &spec).and_then(|mut it| {
            // The messages come along with the history, too.
            it.scan_commits(git, clone)?;
            Ok(it)
        });
        let inspected = match inspected {
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
                let (files, concerns) = (Vec::new(), Concerns::default());
                return Ok(Change { files, is_refused: true, concerns });
            }
            Err(error) => return Err(error),
        };
        self.count(&inspected.files);
        let concerns = inspected.concerns(&concern::permitted(self.request.paths));
        self.check_policy(&inspected, &concerns);
        let is_refused = inspected.error_class().is_some();
        self.check_concerns(&concerns);
        Ok(Change { files: inspected.files, is_refused, concerns })
    }

    fn count(&mut self, files: &[FileChange]) {
        let differing = || files.iter().filter(|it| differs(it));
        self.report.files = differing().count();
        self.report.added = differing().map(|it| it.added).sum();
        self.report.removed = differing().map(|it| it.removed).sum();
    }

    fn check_policy(&mut self, inspected: &Inspection, concerns: &Concerns) {
        let findings = inspected.findings();
        let is_secret = |it: &&Finding| SECRETS.contains(&it.rule.as_ref());
        let (secrets, paths): (Vec<&Finding>, Vec<&Finding>) = findings.iter().partition(is_secret);
        let subjects = |of: &[&Finding]| {
            of.iter().take(SHOWN).map(|it| it.subject.clone()).collect::<Vec<_>>()
        };
        let files = self.report.files;
        let asked = names(concerns.open.iter().filter(|it| it.code() != PLANTED));
        let (standing, note) = if !paths.is_empty() {
            (Standing::Failed, VerifyNote::PathsRefused { subjects: subjects(&paths) })
        } else if !asked.is_empty() {
            (Standing::NotVerified, VerifyNote::YouDecide { subjects: asked })
        } else {
            (Standing::Verified, VerifyNote::Paths { files })
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

    /// Says what a person decides on: files that programs outside the sandbox obey, `provost.toml`
    /// among them, and the links and submodules that were asked about with the paths.
    fn check_concerns(&mut self, concerns: &Concerns) {
        let planted = |list: &[Concern]| names(list.iter().filter(|it| it.code() == PLANTED));
        let (open, found) = (planted(&concerns.open), planted(&concerns.found));
        let (standing, note) = if !open.is_empty() {
            (Standing::NotVerified, VerifyNote::YouDecide { subjects: open })
        } else if !found.is_empty() {
            (Standing::Verified, VerifyNote::PlantedPermitted { subjects: found })
        } else {
            (Standing::Verified, VerifyNote::NothingPlanted)
        };
        self.checked("agent config", standing, &note, None);
        let finding = |it: &Concern| {
            let hint = Some(BranchPermission.text());
            (Finding { hint, ..it.finding() }, Some(it.path.clone()))
        };
        let findings: Vec<_> = concerns.open.iter().map(finding).collect();
        self.report.found(findings);
    }
}

/// The first of some paths, for a check.
fn names<'a>(concerns: impl Iterator<Item = &'a Concern>) -> Vec<String> {
    concerns.map(Concern::name).take(SHOWN).collect()
}
