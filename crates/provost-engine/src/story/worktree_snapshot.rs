//! A snapshot of a worktree, and how it differs from the base.
//!
//! It is taken through a private repository; the only objects that are written are those that the
//! snapshot needs.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use camino::Utf8Path;
use provost_exec::git::{
    Git, ObjectId, PrivateClone, Snapshot, disk, keep, read, snapshot, stat, tree::TreeFiles,
};
use provost_kernel::{
    Digest, Finding,
    story::{DeltaKind, DiskRules, Execution, FileDelta, TreeId},
};
use provost_rules::ecosystem::ProjectFiles;
use provost_rules_proof::paths::PathPatterns;
use provost_rules_story::{
    base::BaseTree,
    claim::tampering::{ChangedText, links, tampering_with_leave},
    generated,
};
use provost_vault::{Location, make_work_folder, work_below};
use serde_json::Value;
use tempfile::TempDir;

use super::{StoryError, find::History};
use crate::{Engine, context::redact_json};

/// The largest file that is read to be compared.
const TEXT: u64 = 1 << 20;

/// A worktree at one moment.
#[derive(Debug)]
pub(super) struct WorktreeSnapshot {
    pub(super) git: Git,
    pub(super) clone: PrivateClone,
    pub(super) base: BaseTree,
    pub(super) deltas: Vec<FileDelta>,
    pub(super) snapshot: Snapshot,
    pub(super) tree: TreeId,
    base_files: TreeFiles,
    /// The files of what was delivered.
    pub(super) delivered: TreeFiles,
    /// The last commit of the repository.
    pub(super) head: ObjectId,
    /// The folder of this snapshot, removed with it.
    folder: TempDir,
}

impl WorktreeSnapshot {
    /// Takes a snapshot of the worktree of an execution, without the files that are our `own`.
    pub(super) fn take(
        engine: &Engine<'_>,
        execution: &Execution,
        base_name: &str,
        own: &OwnFiles,
    ) -> Result<Self, StoryError> {
        let project = Utf8Path::new(&execution.project_root);
        let git = engine.git();
        let place = make_work_folder(&engine.desk.layout().story_work())?;
        let folder = tempfile::Builder::new().prefix("worktree-").tempdir_in(place);
        let folder = folder.map_err(StoryError::Scratch)?;
        let clone =
            stat::beside(&git, project.as_std_path(), base_name, &folder.path().join("git"))?;
        let clone = PrivateClone { disk: execution.disk.clone(), ..clone };
        let content = stat::base(&git, &clone)?;
        let base = BaseTree::new(
            content.paths.iter().map(String::as_str),
            content.rules.iter().map(|(path, text)| (path.as_str(), text.as_str())),
        );
        let home = engine.desk.layout().home().path();
        let home = home.strip_prefix(project).ok().filter(|it| *it != "");
        let is_left_out = |path: &str| {
            home.is_some_and(|it| Utf8Path::new(path).starts_with(it)) || base.is_ignored(path)
        };
        let mut deltas = stat::of_folder(&git, &clone, &is_left_out)?;
        deltas.retain(|it| !own.holds(it, project.as_std_path()));
        let snapshot = snapshot::take(&git, &clone)?;
        let tree = TreeId(snapshot.work.as_str().to_owned());
        let base_files = TreeFiles::of(&git, &clone, &clone.base)?;
        let delivered = TreeFiles::of(&git, &clone, &snapshot.work)?;
        let head = read::commit(&git, project.as_std_path(), "HEAD")?;
        let mut worktree =
            Self { git, clone, base, deltas, snapshot, tree, base_files, delivered, head, folder };
        if let Some(known) = keep::head_of(&worktree.git, project.as_std_path(), base_name)? {
            worktree.leave_out_older(&known)?;
        }
        Ok(worktree)
    }

    /// How the files of a worktree lie on the disk, before anybody works on them.
    pub(super) fn disk_rules(
        engine: &Engine<'_>,
        project: &Utf8Path,
        base_name: &str,
    ) -> Result<DiskRules, StoryError> {
        let git = engine.git();
        let place = make_work_folder(&engine.desk.layout().story_work())?;
        let folder = tempfile::Builder::new().prefix("disk-").tempdir_in(place);
        let folder = folder.map_err(StoryError::Scratch)?;
        let clone =
            stat::beside(&git, project.as_std_path(), base_name, &folder.path().join("git"))?;
        Ok(disk::rules(&git, &clone, engine.variables)?)
    }

    /// Takes out what differs from the base only in the last commit or the index, and was so when
    /// the base was kept: work that was accepted and is not committed yet.
    fn leave_out_older(&mut self, known: &ObjectId) -> Result<(), StoryError> {
        let files = |tree| TreeFiles::of(&self.git, &self.clone, tree);
        let known = files(known)?;
        let mut stages = vec![files(&self.head)?];
        if let Some(staged) = self.snapshot.staged.id() {
            stages.push(files(staged)?);
        }
        let (base, delivered) = (&self.base_files, &self.delivered);
        let is_old = |path: &str| {
            stages.iter().all(|it| it.agrees_with(base, path) || it.agrees_with(&known, path))
        };
        self.deltas.retain(|it| !(delivered.agrees_with(base, &it.path) && is_old(&it.path)));
        Ok(())
    }

    /// A path that only this snapshot has.
    pub(super) fn place(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// A folder for the checkouts of one proof.
    pub(super) fn proof_place(&self, engine: &Engine<'_>) -> Result<Location, StoryError> {
        Ok(work_below(&engine.desk.layout().story_work(), &self.scratch()?))
    }

    /// A folder for temporary files.
    pub(super) fn scratch(&self) -> Result<std::path::PathBuf, StoryError> {
        let folder = tempfile::Builder::new().prefix("scratch-").tempdir_in(self.folder.path());
        Ok(folder.map_err(StoryError::Scratch)?.keep())
    }

    /// The paths that count, as opposed to what is generated.
    pub(super) fn counted(&self) -> Vec<&str> {
        let counted = self.deltas.iter().filter(|it| !generated::is_excluded_delta(it, &self.base));
        counted.map(|it| it.path.as_str()).collect()
    }

    /// Asks something about the base by which gates are found.
    pub(super) fn with_gate_base<T>(&self, ask: impl FnOnce(ProjectFiles<'_>) -> T) -> T {
        let paths: BTreeSet<String> = self.base_files.paths().map(str::to_owned).collect();
        let read = |path: &str| {
            let texts = self.base_files.texts(&self.git, &self.clone, [path], TEXT).ok()?;
            texts.into_values().next()
        };
        ask(ProjectFiles { paths: &paths, read: &read })
    }

    /// The texts of delivered files, without what is too large.
    pub(super) fn texts<'a>(
        &self,
        paths: impl Iterator<Item = &'a str>,
    ) -> Result<BTreeMap<String, String>, StoryError> {
        let known = paths.filter(|it| self.delivered.entry(it).is_some());
        Ok(self.delivered.texts(&self.git, &self.clone, known, TEXT)?)
    }

    /// Whether the worktree is still the same.
    pub(super) fn still_holds(&self) -> Result<bool, StoryError> {
        Ok(snapshot::take(&self.git, &self.clone)?.work == self.snapshot.work)
    }

    /// What the change did to the tests and to how they are run, where the plan lets it change some.
    pub(super) fn tampering(&self, leave: &PathPatterns) -> Result<Vec<Finding>, StoryError> {
        let text = self.deltas.iter().filter(|it| !it.is_binary);
        let text: Vec<&FileDelta> = text.collect();
        let old = |it: &FileDelta| it.old_path.clone().unwrap_or_else(|| it.path.clone());
        let olds: Vec<String> = text.iter().map(|it| old(it)).collect();
        let old_paths = olds.iter().map(String::as_str);
        let before = self.base_files.texts(&self.git, &self.clone, old_paths, TEXT)?;
        let new_paths = text.iter().map(|it| it.path.as_str());
        let after = self.delivered.texts(&self.git, &self.clone, new_paths, TEXT)?;
        let changes: Vec<ChangedText<'_>> = text
            .iter()
            .zip(&olds)
            .map(|(it, old)| ChangedText {
                path: &it.path,
                old_path: it.old_path.as_deref(),
                before: before.get(old).map(String::as_str),
                after: after.get(&it.path).map(String::as_str),
            })
            .collect();
        let mut findings = tampering_with_leave(&changes, &self.base, leave);
        let paths = self.deltas.iter().map(|it| it.path.as_str());
        let targets = self.delivered.targets(&self.git, &self.clone, paths, TEXT)?;
        let targets = targets.iter().map(|(path, target)| (path.as_str(), target.as_str()));
        findings.extend(links(targets));
        Ok(findings)
    }
}

/// Files in a worktree that are not part of the work: the plan, and the updates that were sent.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnFiles {
    digests: Vec<Digest>,
    updates: Vec<Value>,
    /// The plans of other executions: documents, wherever they lie.
    other_plans: Vec<Digest>,
}

impl OwnFiles {
    pub(super) fn of(execution: &Execution, history: &History) -> Self {
        let digests = execution.plan_digest.into_iter().collect();
        let updates = history.sent().cloned().collect();
        Self { digests, updates, other_plans: history.other_plans.clone() }
    }

    /// With a file of this content.
    #[must_use]
    pub(super) fn with(mut self, bytes: &[u8]) -> Self {
        self.digests.push(Digest::of_bytes(bytes));
        self
    }

    /// Those of an execution whose updates were taken: one that was rejected may say anything.
    pub(super) fn taken(
        execution: &Execution,
        updates: Vec<Value>,
        other_plans: Vec<Digest>,
    ) -> Self {
        let digests = execution.plan_digest.into_iter().collect();
        Self { digests, updates, other_plans }
    }

    fn holds(&self, delta: &FileDelta, project: &Path) -> bool {
        matches!(delta.kind, DeltaKind::Added | DeltaKind::Modified)
            && self.has(&project.join(&delta.path))
    }

    /// Whether a whole file is one of them; a part of one counts as work.
    pub(super) fn has(&self, path: &Path) -> bool {
        if !path.symlink_metadata().is_ok_and(|it| it.is_file() && it.len() <= TEXT) {
            return false;
        }
        let Ok(bytes) = fs::read(path) else { return false };
        let is_sent = || {
            let read = serde_json::from_slice::<Value>(&redact_json(&bytes));
            read.is_ok_and(|it| it.is_object() && self.updates.contains(&it))
        };
        let digest = Digest::of_bytes(&bytes);
        // A plan can be started by an agent, and be a program as well; a document is none.
        let is_document = path.extension().is_some_and(|it| it == "md");
        self.digests.contains(&digest)
            || (is_document && self.other_plans.contains(&digest))
            || is_sent()
    }
}
