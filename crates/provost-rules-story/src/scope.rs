//! The scope guard: counts a change, compares it with its declaration and its explanations, and
//! over the hard limit refuses it with a proposal how to split it.
//!
//! Everything here is measured or checked. What an agent says can make it explain more, never
//! count less.

mod remark;
mod split;
mod weight;

use std::collections::BTreeSet;

use provost_kernel::{
    Finding, Severity,
    story::{
        Declaration, Deviation, ExcludedFiles, Explanation, FileDelta, ScopeLimits, ScopeOutcome,
        ScopeReport, ScopeResult,
    },
};

use self::{remark::Remark, weight::weight};
use super::{
    base::{ATTRIBUTES_FILE, BaseTree, IGNORE_FILE},
    declaration::{self, Novelty, Reconciliation, Undeclared},
    explanation::{self, Explained, Lines, Subject},
    generated,
};

/// More lines than this in files that do not count need an explanation, too.
pub const EXCLUDED_LINES: u64 = 3000;

/// The stable codes of what can be said of a change.
pub mod code {
    pub const SCOPE_WARN_UNEXPLAINED: &str = "SCOPE_WARN_UNEXPLAINED";
    pub const SCOPE_HARD: &str = "SCOPE_HARD";
    pub const EXPLANATION_INCOMPLETE: &str = "EXPLANATION_INCOMPLETE";
    pub const EXPLANATION_LINES_MISMATCH: &str = "EXPLANATION_LINES_MISMATCH";
    pub const EXPLANATION_VACUOUS: &str = "EXPLANATION_VACUOUS";
    pub const EXPLANATION_DUPLICATED: &str = "EXPLANATION_DUPLICATED";
    pub const EXPLANATION_PHANTOM: &str = "EXPLANATION_PHANTOM";
    pub const UNDECLARED_FILE: &str = "UNDECLARED_FILE";
    pub const UNDECLARED_NEW_FILE: &str = "UNDECLARED_NEW_FILE";
    pub const UNDECLARED_NEW_DIR: &str = "UNDECLARED_NEW_DIR";
    pub const DECLARATION_LATE: &str = "DECLARATION_LATE";
    pub const DECLARATION_TOO_WIDE: &str = "DECLARATION_TOO_WIDE";
    pub const REEVALUATION_REQUIRED: &str = "REEVALUATION_REQUIRED";
    pub const PROTECTED_PATH: &str = "PROTECTED_PATH";
}

/// What an agent says about its change.
#[derive(Clone, Copy, Debug, Default)]
pub struct Said<'a> {
    /// None where no declaration is asked for.
    pub declared: Option<&'a Declaration>,
    pub explained: &'a [Explanation],
}

/// Judges a change.
pub fn reconcile(
    deltas: &[FileDelta],
    said: Said<'_>,
    base: &BaseTree,
    limits: ScopeLimits,
) -> ScopeReport {
    let mut sorted: Vec<&FileDelta> = deltas.iter().collect();
    sorted.sort_by(|one, other| one.path.cmp(&other.path));
    let (excluded, counted): (Vec<&FileDelta>, Vec<&FileDelta>) =
        sorted.into_iter().partition(|it| generated::is_excluded_delta(it, base));
    let size = Size::of(&counted);
    let reconciled = said.declared.map(|it| declaration::reconcile(it, &counted, base));
    let outside = reconciled.as_ref().map_or(&[][..], |it| &it.undeclared);

    let is_warned = size.is_over(limits.warn_lines, limits.warn_files);
    let needed: BTreeSet<&str> = if is_warned {
        counted.iter().map(|it| it.path.as_str()).collect()
    } else {
        outside.iter().map(|it| it.path.as_str()).collect()
    };
    let lines = if is_warned { Lines::Required } else { Lines::Optional };
    let subject = Subject { counted: &counted, excluded: &excluded, needed: &needed, lines };
    let explained = explanation::check(said.explained, subject);
    let hidden = hidden(&excluded, &explained);
    let unexplained: Vec<String> = needed
        .iter()
        .filter(|it| !explained.covered.contains(**it))
        .map(|it| (*it).to_owned())
        .chain(hidden.iter().map(|it| it.path.clone()))
        .collect();

    let is_split = size.is_over(limits.hard_lines, limits.hard_files);
    let critic = Critic { limits, size, explained: &explained };
    let mut findings = Vec::new();
    if is_split {
        findings.push(critic.hard());
    } else if is_warned {
        findings.extend(critic.warned(&counted, said.explained.is_empty()));
    }
    if let (Some(declared), Some(found)) = (said.declared, &reconciled) {
        findings.extend(critic.declared(declared, found));
    }
    findings.extend(explained.findings.iter().cloned());
    findings.extend(Critic::hidden(&excluded, &hidden));
    findings.extend(Critic::rule_files(&counted));

    let result = match (is_split, findings.iter().any(|it| it.severity < Severity::P2)) {
        (true, _) => ScopeResult::Split,
        (false, true) => ScopeResult::Explain,
        (false, false) => ScopeResult::Accept,
    };
    let deviation = reconciled.as_ref().map_or(Deviation::NONE, |it| it.deviation);
    ScopeReport {
        result,
        files: size.files,
        lines: size.lines,
        unexplained,
        undeclared: outside.iter().map(|it| it.path.clone()).collect(),
        deviation,
        reassess: deviation.is_over_half(),
        is_declared: reconciled.is_some(),
        limits,
        findings,
        proposal: if is_split { split::propose(&counted, limits) } else { Vec::new() },
        changed: counted.into_iter().cloned().collect(),
        excluded: ExcludedFiles {
            lines: Size::of(&excluded).lines,
            files: excluded.iter().map(|it| it.path.clone()).collect(),
        },
    }
}

/// What a report means for a claim.
pub fn outcome(report: &ScopeReport) -> ScopeOutcome {
    match report.result {
        ScopeResult::Accept => ScopeOutcome::Accepted,
        ScopeResult::Explain if report.reassess => ScopeOutcome::Reassess,
        ScopeResult::Explain => ScopeOutcome::Unexplained,
        ScopeResult::Split => ScopeOutcome::Split,
    }
}

/// The files that do not count and of which too much is not explained.
fn hidden<'a>(excluded: &[&'a FileDelta], explained: &Explained) -> Vec<&'a FileDelta> {
    let rest: Vec<&FileDelta> =
        excluded.iter().copied().filter(|it| !explained.covered.contains(&it.path)).collect();
    if Size::of(&rest).lines > EXCLUDED_LINES { rest } else { Vec::new() }
}

/// How much a change holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    files: u64,
    lines: u64,
}

impl Size {
    fn of(deltas: &[&FileDelta]) -> Self {
        let lines = deltas.iter().fold(0, |sum: u64, it| sum.saturating_add(weight(it)));
        Self { files: deltas.len() as u64, lines }
    }

    /// A value that is equal to a limit is allowed.
    fn is_over(self, lines: u64, files: u64) -> bool {
        self.lines > lines || self.files > files
    }
}

/// Makes the findings about a change.
struct Critic<'a> {
    limits: ScopeLimits,
    size: Size,
    explained: &'a Explained,
}

impl Critic<'_> {
    fn hard(&self) -> Finding {
        let Size { files, lines } = self.size;
        let ScopeLimits { hard_lines, hard_files, .. } = self.limits;
        Remark::Hard { files, lines, hard_files, hard_lines }.finding(Severity::P0, "")
    }

    fn warned(&self, counted: &[&FileDelta], is_silent: bool) -> Vec<Finding> {
        let Size { files, lines } = self.size;
        let ScopeLimits { warn_lines, warn_files, .. } = self.limits;
        if is_silent {
            let remark = Remark::Unexplained { files, lines, warn_files, warn_lines };
            return vec![remark.finding(Severity::P1, "")];
        }
        let missing = counted.iter().filter(|it| !self.explained.covered.contains(&it.path));
        missing.map(|it| Remark::FileUnexplained.finding(Severity::P1, &it.path)).collect()
    }

    fn declared(&self, declared: &Declaration, found: &Reconciliation) -> Vec<Finding> {
        let mut findings = Vec::new();
        if declared.is_late {
            findings.push(Remark::Late.finding(Severity::P2, ""));
        }
        let too_wide = found.too_wide.iter();
        findings.extend(too_wide.map(|it| Remark::TooWide.finding(Severity::P2, it)));
        findings.extend(self.undeclared(&found.undeclared));
        if found.deviation.is_over_half() {
            let is_open =
                found.undeclared.iter().any(|it| !self.explained.covered.contains(&it.path));
            let Deviation { differing, of } = found.deviation;
            let severity = if is_open { Severity::P1 } else { Severity::P2 };
            findings.push(Remark::Deviates { differing, of }.finding(severity, ""));
        }
        findings
    }

    fn undeclared(&self, undeclared: &[Undeclared]) -> Vec<Finding> {
        let mut folders = BTreeSet::new();
        let mut findings = Vec::new();
        for Undeclared { path, novelty } in undeclared {
            let is_open = !self.explained.covered.contains(path);
            let severity = if is_open { Severity::P1 } else { Severity::P2 };
            let remark = match novelty {
                Novelty::Known => Remark::Undeclared,
                Novelty::NewFile | Novelty::NewFolder(_) => Remark::UndeclaredNewFile,
            };
            findings.push(remark.finding(severity, path));
            if let Novelty::NewFolder(folder) = novelty
                && folders.insert(folder)
            {
                findings.push(Remark::UndeclaredNewFolder.finding(severity, format!("{folder}/")));
            }
        }
        findings
    }

    fn hidden(excluded: &[&FileDelta], hidden: &[&FileDelta]) -> Option<Finding> {
        let first = hidden.iter().max_by_key(|it| weight(it))?;
        let lines = Size::of(excluded).lines;
        Some(Remark::ExcludedUnexplained { lines }.finding(Severity::P1, &first.path))
    }

    /// A rule file in the change is reported, and does not affect the count.
    fn rule_files(counted: &[&FileDelta]) -> Vec<Finding> {
        let is_rule = |it: &&&FileDelta| {
            let name = it.path.rsplit('/').next().unwrap_or_default();
            name == IGNORE_FILE || name == ATTRIBUTES_FILE
        };
        let rules = counted.iter().filter(is_rule);
        rules.map(|it| Remark::RuleFile.finding(Severity::P2, &it.path)).collect()
    }
}

#[cfg(test)]
mod tests;
