//! Whether explanations explain: each is about something that changed, knows how much, and says
//! why in words that mean something.
//!
//! The rules are deterministic and the same in English and Chinese. An entry that breaks one
//! explains nothing; an entry about something that did not change refuses by itself.

mod reading;
mod reason;

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::{
    Finding, Message, Severity,
    story::{Explanation, FileDelta},
};

use self::reason::same;
pub use self::{
    reading::{ExplanationError, read},
    reason::{Shortcoming, shortcoming},
};
use super::{base::normal, declaration, scope::code};

/// The largest change of a file that an entry for its folder can explain.
pub const FOLDER_LINES: u64 = 50;

/// For how many files the same reason may stand.
pub const SAME_REASON: usize = 3;

/// How far a number of lines may be from the truth: this many, or a fifth.
pub const LINES_OFF: u64 = 10;

/// Whether an entry must say how many lines it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    Required,
    /// They are checked where they are given.
    Optional,
}

/// What explanations are checked against.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    pub counted: &'a [&'a FileDelta],
    /// What does not count, but can be explained as well.
    pub excluded: &'a [&'a FileDelta],
    /// The counted paths that need an explanation.
    pub needed: &'a BTreeSet<&'a str>,
    pub lines: Lines,
}

/// What explanations come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explained {
    /// The paths, counted or not, for which an explanation stands.
    pub covered: BTreeSet<String>,
    /// One of severity `P1` or graver refuses.
    pub findings: Vec<Finding>,
}

/// Checks explanations against a change.
pub fn check(explanations: &[Explanation], subject: Subject<'_>) -> Explained {
    let mut explained = Explained::default();
    let targets: Vec<(&Explanation, Target<'_>)> =
        explanations.iter().map(|it| (it, target(it, subject))).collect();
    let own: BTreeSet<&str> = targets.iter().filter_map(|(_, it)| it.file_path()).collect();
    let copied = copied(&targets);
    for (entry, target) in &targets {
        let defect = defect(entry, target, subject, &own, &copied);
        match defect {
            None => explained.covered.extend(target.covers(subject)),
            Some(defect) => {
                let severity = defect.severity(target, subject);
                explained.findings.push(defect.finding(&entry.file, severity));
            }
        }
    }
    explained
}

/// What an entry is about.
#[derive(Clone, Debug)]
enum Target<'a> {
    File(&'a FileDelta),
    /// The changed files below a folder.
    Folder(Vec<&'a FileDelta>),
    Nothing,
}

fn target<'a>(entry: &Explanation, subject: Subject<'a>) -> Target<'a> {
    let all = || subject.counted.iter().chain(subject.excluded).copied();
    // A name may hold what the usual form of a path does not allow.
    if let Some(exact) = all().find(|it| it.path == entry.file) {
        return Target::File(exact);
    }
    let is_root = matches!(entry.file.trim(), "." | "./" | "/");
    if is_root {
        return folder(all().filter(|it| !it.path.contains('/')).collect());
    }
    let Some(path) = declaration::subject(&entry.file) else { return Target::Nothing };
    let is_at = |known: &str| normal(known) == path;
    let named = all()
        .find(|it| is_at(&it.path))
        .or_else(|| all().find(|it| it.old_path.as_deref().is_some_and(is_at)));
    if let Some(delta) = named {
        return Target::File(delta);
    }
    let prefix = format!("{}/", path.trim_end_matches('/'));
    folder(all().filter(|it| normal(&it.path).starts_with(&prefix)).collect())
}

fn folder(found: Vec<&FileDelta>) -> Target<'_> {
    if found.is_empty() { Target::Nothing } else { Target::Folder(found) }
}

impl Target<'_> {
    fn file_path(&self) -> Option<&str> {
        match self {
            Self::File(delta) => Some(&delta.path),
            Self::Folder(_) | Self::Nothing => None,
        }
    }

    /// The paths that a sound entry explains. A folder explains what is small, and any amount
    /// of what does not count.
    fn covers(&self, subject: Subject<'_>) -> Vec<String> {
        let is_excluded = |path: &str| subject.excluded.iter().any(|it| it.path == path);
        match self {
            Self::Nothing => Vec::new(),
            Self::File(delta) => vec![delta.path.clone()],
            Self::Folder(deltas) => deltas
                .iter()
                .filter(|it| it.lines() <= FOLDER_LINES || is_excluded(&it.path))
                .map(|it| it.path.clone())
                .collect(),
        }
    }

    fn is_needed(&self, subject: Subject<'_>) -> bool {
        match self {
            Self::Nothing => true,
            Self::File(delta) => subject.needed.contains(delta.path.as_str()),
            Self::Folder(deltas) => {
                deltas.iter().any(|it| subject.needed.contains(it.path.as_str()))
            }
        }
    }
}

/// Why an entry explains nothing.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "story.explanation")]
enum Defect {
    #[message(
        en = "nothing changed there",
        zh = "此处没有改动",
        hint(
            en = "name a file that this change touches, relative to the root",
            zh = "请写明本次改动的文件及其自根目录起的路径",
        )
    )]
    Phantom,
    #[message(
        en = "{0}",
        zh = "{0}",
        hint(
            en = "say what this file does for the story, in a sentence of its own",
            zh = "请用一句话说明此文件为该故事做了什么",
        )
    )]
    Vacuous(Shortcoming),
    #[message(
        en = "the same reason is given for {0} files",
        zh = "同一理由用于 {0} 个文件",
        hint(
            en = "give each file its own reason, or its folder one entry",
            zh = "请逐一说明各文件，或为其文件夹写一条",
        )
    )]
    Duplicated(usize),
    #[message(
        en = "the explanation does not say how many lines it covers",
        zh = "解释未写明行数",
        hint(
            en = "give additions plus deletions, as `git diff --numstat` counts them",
            zh = "请写增行与删行之和，以 `git diff --numstat` 为准",
        )
    )]
    LinesMissing,
    #[message(
        en = "{claimed} {claimed:line is|lines are} explained, {actual} {actual:was|were} changed",
        zh = "解释了 {claimed} 行，实际改动 {actual} 行",
        hint(
            en = "give additions plus deletions, as `git diff --numstat` counts them",
            zh = "请写增行与删行之和，以 `git diff --numstat` 为准",
        )
    )]
    LinesWrong { claimed: u64, actual: u64 },
}

/// The first thing that is wrong with an entry.
fn defect(
    entry: &Explanation,
    target: &Target<'_>,
    subject: Subject<'_>,
    own: &BTreeSet<&str>,
    copied: &BTreeMap<String, usize>,
) -> Option<Defect> {
    let actual = match target {
        Target::Nothing => return Some(Defect::Phantom),
        Target::File(delta) => vec![delta.lines()],
        Target::Folder(deltas) => {
            // An agent may count all of a folder, or what it did not explain one by one.
            let rest = deltas
                .iter()
                .filter(|it| it.lines() <= FOLDER_LINES && !own.contains(it.path.as_str()));
            vec![total(deltas.iter().copied()), total(rest.copied())]
        }
    };
    if let Some(it) = shortcoming(&entry.reason, &entry.file) {
        return Some(Defect::Vacuous(it));
    }
    if let Some(count) = copied.get(&same(&entry.reason)).filter(|it| **it > SAME_REASON) {
        return Some(Defect::Duplicated(*count));
    }
    match (entry.lines, subject.lines) {
        (None, Lines::Required) => Some(Defect::LinesMissing),
        (None, Lines::Optional) => None,
        (Some(claimed), _) if actual.iter().any(|it| is_close(claimed, *it)) => None,
        (Some(claimed), _) => {
            Some(Defect::LinesWrong { claimed, actual: actual.first().copied().unwrap_or(0) })
        }
    }
}

fn total<'a>(deltas: impl Iterator<Item = &'a FileDelta>) -> u64 {
    deltas.fold(0, |sum, it| sum.saturating_add(it.lines()))
}

/// Whether a claimed number of lines is near enough to the actual one.
fn is_close(claimed: u64, actual: u64) -> bool {
    let off = claimed.abs_diff(actual);
    off <= LINES_OFF || off <= actual / 5
}

/// For how many things each reason stands.
fn copied(targets: &[(&Explanation, Target<'_>)]) -> BTreeMap<String, usize> {
    let mut subjects: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (entry, target) in targets {
        let about = target.file_path().unwrap_or(&entry.file);
        subjects.entry(same(&entry.reason)).or_default().insert(about);
    }
    subjects.into_iter().map(|(reason, about)| (reason, about.len())).collect()
}

impl Defect {
    /// An entry that is not needed may be wrong, unless it names a file that did not change.
    fn severity(&self, target: &Target<'_>, subject: Subject<'_>) -> Severity {
        match self {
            Self::Phantom => Severity::P1,
            Self::Vacuous(_)
            | Self::Duplicated(_)
            | Self::LinesMissing
            | Self::LinesWrong { .. } => {
                if target.is_needed(subject) {
                    Severity::P1
                } else {
                    Severity::P2
                }
            }
        }
    }

    fn finding(&self, file: &str, severity: Severity) -> Finding {
        let rule = match self {
            Self::Phantom => code::EXPLANATION_PHANTOM,
            Self::Vacuous(_) => code::EXPLANATION_VACUOUS,
            Self::Duplicated(_) => code::EXPLANATION_DUPLICATED,
            Self::LinesMissing | Self::LinesWrong { .. } => code::EXPLANATION_LINES_MISMATCH,
        };
        Finding::new(rule, severity, file, self)
    }
}

#[cfg(test)]
mod tests;
