//! The change, held against the rules before anything of it is run: which paths it touches, and
//! whether it carries a secret (LOOP-A4).

use provost_exec::git::{
    FileChange, Git, GitError, ObjectId, PrivateClone, Snapshot, changes, snapshot,
};
use provost_kernel::{
    Finding, Lang, Message, Severity,
    task::{ErrorClass, EventKind, Role, Standing, TaskSpec},
};
use provost_rules::secret;
use provost_rules_task::policy::{Policy, PolicyRuling};
use provost_vault::{AttemptFile, RealDisk, write_record};

use super::{Attempt, Stop, coder::Said};
use crate::{
    EngineError,
    surroundings::redact_text,
    task::{
        progress::{Step, Update},
        publish::publish,
    },
};

/// The most of one file that is looked through for secrets.
const SCANNED: u64 = 32 << 20;
/// The most of a patch that is kept.
const PATCH: u64 = 4 << 20;

/// A change that the rules allow.
pub(super) struct Change {
    pub(super) files: Vec<FileChange>,
    pub(super) commit: ObjectId,
    /// The patch for people and judges, without secrets.
    pub(super) patch: String,
}

/// What looking at a tree found.
pub(in crate::task) struct Inspected {
    pub(in crate::task) snapshot: Snapshot,
    pub(in crate::task) files: Vec<FileChange>,
    ruling: PolicyRuling,
    secrets: Vec<Finding>,
    /// Repositories inside the tree: what is in them cannot be delivered.
    nested: Vec<Finding>,
}

/// Looks at everything that an agent left: committed, staged, unstaged and untracked.
pub(in crate::task) fn inspect(
    git: &Git,
    clone: &PrivateClone,
    spec: &TaskSpec,
    lang: Lang,
) -> Result<Inspected, EngineError> {
    let snapshot = snapshot::take(git, clone)?;
    let files = changes::of(git, clone, &snapshot)?;
    let ruling = Policy::new(spec)?.check(files.iter().map(|it| it.path.as_str()));
    let secrets = secrets(git, clone, &files, lang)?;
    let nested = snapshot.nested.iter().map(|it| undelivered(it, lang)).collect();
    Ok(Inspected { snapshot, files, ruling, secrets, nested })
}

/// Looks for secrets in every path, and in every content that it had after the base.
fn secrets(
    git: &Git,
    clone: &PrivateClone,
    files: &[FileChange],
    lang: Lang,
) -> Result<Vec<Finding>, GitError> {
    let ids: Vec<ObjectId> = files.iter().flat_map(|it| it.versions.iter().cloned()).collect();
    let named = |it: &FileChange| secret::scan(it.path.as_bytes()).first().map(|hit| hit.kind);
    let named = files.iter().filter_map(|it| Some((it, named(it)?)));
    let mut findings: Vec<Finding> =
        named.map(|(it, kind)| found(it.path.clone(), kind, lang)).collect();
    changes::read_blobs(git, clone, &ids, SCANNED, |id, content| {
        let path = files.iter().find(|it| it.versions.contains(id)).map_or("", |it| &it.path);
        match content {
            Some(content) => findings.extend(
                secret::scan(content)
                    .iter()
                    .map(|hit| found(format!("{path}:{}", hit.line), hit.kind, lang)),
            ),
            None => findings.push(unscanned(path, lang)),
        }
    })?;
    Ok(findings)
}

fn found(subject: String, kind: &str, lang: Lang) -> Finding {
    finding(
        "task.policy.secrets",
        subject,
        lang.pick(format!("carries a secret: {kind}"), format!("含有密钥:{kind}")),
    )
}

fn undelivered(path: &[u8], lang: Lang) -> Finding {
    let path = String::from_utf8_lossy(path).trim_end_matches('/').to_owned();
    let message = lang.pick(
        "is a repository of its own, and what is in it cannot be delivered",
        "是独立的仓库,其中的内容无法交付",
    );
    finding("task.policy.nested_repository", path, message.to_owned())
}

fn unscanned(path: &str, lang: Lang) -> Finding {
    let message = lang.pick("is too large to be looked through for secrets", "过大,无法检查密钥");
    finding("task.policy.unscanned", path.to_owned(), message.to_owned())
}

fn finding(rule: &'static str, subject: String, message: String) -> Finding {
    Finding {
        rule: rule.into(),
        severity: Severity::P0,
        subject,
        message: message.into(),
        hint: None,
    }
}

impl Inspected {
    /// What the table is told; none when nothing is refused.
    pub(in crate::task) fn error_class(&self) -> Option<ErrorClass> {
        let secrets = (!self.secrets.is_empty()).then_some(ErrorClass::Secrets);
        let nested = (!self.nested.is_empty()).then_some(ErrorClass::AllowedPaths);
        self.ruling.error_class().or(secrets).or(nested)
    }

    fn findings(&self, lang: Lang) -> Vec<Finding> {
        let others = self.secrets.iter().chain(&self.nested).cloned();
        let findings = self.ruling.findings(lang).into_iter().chain(others);
        // A name can be a secret too.
        findings.map(|it| Finding { subject: redact_text(&it.subject), ..it }).collect()
    }
}

impl Attempt<'_, '_, '_> {
    /// Holds what the coder left against the rules; what they allow is published.
    pub(super) fn hold_against_rules(
        &mut self,
        clone: &PrivateClone,
        said: &Said,
    ) -> Result<Change, Stop> {
        self.engine.progress.update(&Update::StepStarted { step: Step::Policy });
        let (git, lang) = (self.engine.git(), self.engine.desk.lang());
        let inspected = match inspect(&git, clone, &self.spec, lang) {
            Ok(inspected) => inspected,
            // What cannot be understood cannot be allowed.
            Err(EngineError::Git(
                error @ (GitError::BadPath { .. }
                | GitError::Unfit { .. }
                | GitError::TooLarge { .. }
                | GitError::Failed { .. }),
            )) => {
                let detail = error.text().render(lang);
                return Err(self.end_at(Role::Coordinator, 0, ErrorClass::AllowedPaths, &detail));
            }
            Err(error) => return Err(error.into()),
        };
        self.findings.extend(inspected.findings(lang));
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
            self.checked("paths", Standing::Failed, detail.clone(), detail.clone());
            return Err(self.end_at(Role::Coordinator, 0, class, &detail));
        }
        self.checked(
            "paths",
            Standing::Verified,
            format!("{count} changed files, none forbidden, no secret"),
            format!("改动 {count} 个文件,无禁止文件,无密钥"),
        );
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
        inspected: &Inspected,
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
