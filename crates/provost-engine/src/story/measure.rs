//! Measures a change against what was declared and explained.

use provost_kernel::{
    Finding, Severity,
    story::{Declaration, Declared, Execution, StoryUpdate},
};
use provost_rules_story::{
    declaration,
    scope::{self, Said},
    work,
};

use super::{
    StoryError, find::History, gather::Gathered, rebase::base_moved, record::Facts,
    worktree_snapshot::WorktreeSnapshot,
};
use crate::Engine;

/// Measures the change, and compares it with what was declared and explained.
pub(super) fn measure<'a>(
    engine: &Engine<'_>,
    (execution, worktree): (&Execution, &'a WorktreeSnapshot),
    history: &History,
    update: &StoryUpdate,
    declared: Option<Declared>,
) -> Result<Facts<'a>, StoryError> {
    let limits = engine.settings.limits;
    let standing = match &declared {
        Some(it) => Some(Declaration { files: it.files.clone(), is_late: it.is_late }),
        None => work::declaration(&history.declarations),
    };
    // An update that claims something, without any declaration, has declared no file.
    let is_silent = standing.is_none() && update.claims_something();
    let standing =
        standing.or_else(|| is_silent.then(|| Declaration { files: Vec::new(), is_late: false }));
    let said = Said { declared: standing.as_ref(), explained: &update.explanations };
    let report = scope::reconcile(&worktree.deltas, said, &worktree.base, limits);
    let mut scope_findings = report.findings.clone();
    if is_silent && report.files > 0 {
        scope_findings.push(work::undeclared());
    }
    if report.files > 0 {
        scope_findings.extend(base_moved(&worktree.git, execution, &worktree.head)?);
    }
    Ok(Facts {
        worktree: Some(worktree),
        scope: scope::outcome(&report),
        report: Some(report),
        scope_findings,
        gathered: Gathered::default(),
        declared,
    })
}

/// The declaration that comes with an update.
pub(super) fn declaration_of(
    update: &StoryUpdate,
    worktree: &WorktreeSnapshot,
) -> Result<Option<Declared>, Finding> {
    let Some(files) = &update.expected_files else { return Ok(None) };
    let parsed = declaration::parse(files.iter().map(String::as_str))
        .map_err(|it| Finding::new("DECLARATION_INVALID", Severity::P0, "/expectedFiles", &it))?;
    let (tree, is_late) = (Some(worktree.tree.clone()), !worktree.deltas.is_empty());
    Ok(Some(Declared { files: parsed.files, tree, is_late, reason: None }))
}
