//! Inspects what an agent left in its tree: which paths the change touches, and whether it carries
//! a secret (LOOP-A4).

use std::collections::{BTreeMap, BTreeSet};

use provost_exec::git::{
    FileChange, Git, GitError, Kind, ObjectId, PrivateClone, Snapshot, changes, snapshot,
    tree::TreeFiles,
};
use provost_kernel::{
    Finding, Message, Severity,
    task::{ErrorClass, TaskSpec, short},
};
use provost_rules::secret;
use provost_rules_task::{
    concern::{Concerns, Delivered, Form},
    policy::{Policy, PolicyRuling},
};

use crate::{EngineError, context::redact_text};

/// The most of one file that is scanned for secrets.
const SCANNED: u64 = 100 << 20;
/// The longest target of a link that is read; the longest path of a kernel.
const TARGET: u64 = 4096;

/// The change in a tree, and what the rules object to.
pub(super) struct Inspection {
    pub(super) snapshot: Snapshot,
    pub(super) files: Vec<FileChange>,
    ruling: PolicyRuling,
    secrets: Vec<Finding>,
    /// Repositories inside the tree: what is in them cannot be delivered.
    nested: Vec<Finding>,
    /// Where the links lead that differ from the base.
    targets: BTreeMap<String, String>,
}

/// Why a file of a change is refused.
#[derive(Message)]
#[message(code = "task.policy")]
enum Objection {
    #[message(en = "carries a secret: {kind}", zh = "含有密钥：{kind}")]
    Secrets { kind: String },
    #[message(
        en = "is a repository of its own; its content cannot be delivered",
        zh = "是独立的仓库，其中的内容无法交付"
    )]
    NestedRepository,
    #[message(en = "is too large to be scanned for secrets", zh = "过大，无法检查密钥")]
    Unscanned,
}

/// Inspects everything that an agent left: committed, staged, unstaged and untracked.
pub(super) fn inspect(
    git: &Git,
    clone: &PrivateClone,
    spec: &TaskSpec,
) -> Result<Inspection, EngineError> {
    inspect_snapshot(git, clone, snapshot::take(git, clone)?, spec)
}

/// Inspects a snapshot that was taken, or made of commits.
pub(super) fn inspect_snapshot(
    git: &Git,
    clone: &PrivateClone,
    snapshot: Snapshot,
    spec: &TaskSpec,
) -> Result<Inspection, EngineError> {
    let files = changes::of(git, clone, &snapshot)?;
    let ruling = Policy::new(spec)?.check(files.iter().map(|it| it.path.as_str()));
    let secrets = secrets(git, clone, &files)?;
    let nested = snapshot.nested.iter().map(|it| nested_repository(it)).collect();
    let targets = targets(git, clone, &snapshot, &files)?;
    Ok(Inspection { snapshot, files, ruling, secrets, nested, targets })
}

/// Where the links of a change lead.
fn targets(
    git: &Git,
    clone: &PrivateClone,
    snapshot: &Snapshot,
    files: &[FileChange],
) -> Result<BTreeMap<String, String>, GitError> {
    let links = || files.iter().filter(|it| it.new == Some(Kind::Symlink));
    if links().next().is_none() {
        return Ok(BTreeMap::new());
    }
    let tree = TreeFiles::of(git, clone, &snapshot.work)?;
    tree.targets(git, clone, links().map(|it| it.path.as_str()), TARGET)
}

/// Whether a path that was touched is another one in the end.
pub(super) fn differs(it: &FileChange) -> bool {
    it.old != it.new || it.added > 0 || it.removed > 0 || it.is_binary
}

/// Scans every path for secrets, and every content that it had after the base.
fn secrets(
    git: &Git,
    clone: &PrivateClone,
    files: &[FileChange],
) -> Result<Vec<Finding>, GitError> {
    let ids: Vec<ObjectId> = files.iter().flat_map(|it| it.versions.iter().cloned()).collect();
    let named = |it: &FileChange| secret::scan(it.path.as_bytes()).first().map(|hit| hit.kind);
    let named = files.iter().filter_map(|it| Some((it, named(it)?)));
    let mut findings: Vec<Finding> =
        named.map(|(it, kind)| carries_secret(&it.path, kind)).collect();
    changes::read_blobs(git, clone, &ids, SCANNED, |id, content| {
        let path = files.iter().find(|it| it.versions.contains(id)).map_or("", |it| &it.path);
        match content {
            Some(content) => findings.extend(
                secret::scan(content)
                    .iter()
                    .map(|hit| carries_secret(&format!("{path}:{}", hit.line), hit.kind)),
            ),
            None => findings.push(finding("task.policy.unscanned", path, &Objection::Unscanned)),
        }
    })?;
    Ok(findings)
}

/// Scans what a commit says of itself: its authors and its message. Signatures are left out.
fn spoken(commit: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(commit);
    let (head, message) = text.split_once("\n\n").unwrap_or((&text, ""));
    let people =
        head.lines().filter(|it| it.starts_with("author ") || it.starts_with("committer "));
    let lines: Vec<&str> = people.chain([message]).collect();
    lines.join("\n").into_bytes()
}

fn carries_secret(subject: &str, kind: &str) -> Finding {
    finding("task.policy.secrets", subject, &Objection::Secrets { kind: kind.to_owned() })
}

fn nested_repository(path: &[u8]) -> Finding {
    let path = String::from_utf8_lossy(path);
    let rule = "task.policy.nested_repository";
    finding(rule, path.trim_end_matches('/'), &Objection::NestedRepository)
}

fn finding(rule: &'static str, subject: &str, objection: &Objection) -> Finding {
    Finding::new(rule, Severity::P0, subject, objection)
}

impl Inspection {
    /// Scans the commits that come along with a history, as those of a branch do.
    pub(super) fn scan_commits(&mut self, git: &Git, clone: &PrivateClone) -> Result<(), GitError> {
        let Some(head) = self.snapshot.head.id() else { return Ok(()) };
        let ids = changes::commits(git, clone, head)?;
        let secrets = &mut self.secrets;
        changes::read_blobs(git, clone, &ids, SCANNED, |id, content| {
            let subject = format!("commit {}", short(id.as_str()));
            match content {
                Some(content) => secrets.extend(
                    secret::scan(&spoken(content))
                        .iter()
                        .map(|hit| carries_secret(&subject, hit.kind)),
                ),
                None => {
                    secrets.push(finding("task.policy.unscanned", &subject, &Objection::Unscanned));
                }
            }
        })
    }

    /// The class for the decision table; none when nothing is refused.
    pub(super) fn error_class(&self) -> Option<ErrorClass> {
        let secrets = (!self.secrets.is_empty()).then_some(ErrorClass::Secrets);
        let nested = (!self.nested.is_empty()).then_some(ErrorClass::AllowedPaths);
        self.ruling.error_class().or(secrets).or(nested)
    }

    pub(super) fn findings(&self) -> Vec<Finding> {
        let others = self.secrets.iter().chain(&self.nested).cloned();
        let findings = self.ruling.findings().into_iter().chain(others);
        // A name can be a secret too.
        findings.map(|it| Finding { subject: redact_text(&it.subject), ..it }).collect()
    }

    /// What a person decides on, of what is another one in the end. A file that is gone counts: the
    /// program that obeyed it behaves otherwise.
    pub(super) fn concerns(&self, permitted: &BTreeSet<String>) -> Concerns {
        let form = |it: &FileChange| match it.new {
            Some(Kind::Symlink) => {
                Form::Link { target: self.targets.get(&it.path).map(String::as_str) }
            }
            Some(Kind::Repository) => Form::Repository,
            Some(Kind::File | Kind::Executable) | None => Form::File,
        };
        let differing = self.files.iter().filter(|it| differs(it));
        let delivered = differing.map(|it| Delivered { path: &it.path, form: form(it) });
        Concerns::of(delivered, permitted)
    }
}
