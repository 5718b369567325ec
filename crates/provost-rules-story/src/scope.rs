//! How far a change goes, and whether it may: counted, held against its declaration, explained,
//! and over the hard limit refused with a proposal how to split it.
//!
//! Everything here is measured or checked. What an agent says can make it explain more, never
//! count less.

mod split;

use std::collections::BTreeSet;

use provost_kernel::{
    Finding, Lang, Severity,
    story::{
        Declaration, Deviation, ExcludedFiles, Explanation, FileDelta, ScopeLimits, ScopeOutcome,
        ScopeReport, ScopeResult,
    },
};

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
    lang: Lang,
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
    let explained = explanation::check(said.explained, subject, lang);
    let hidden = hidden(&excluded, &explained);
    let unexplained: Vec<String> = needed
        .iter()
        .filter(|it| !explained.covered.contains(**it))
        .map(|it| (*it).to_owned())
        .chain(hidden.iter().map(|it| it.path.clone()))
        .collect();

    let is_split = size.is_over(limits.hard_lines, limits.hard_files);
    let speech = Speech { lang, limits, size, explained: &explained };
    let mut findings = Vec::new();
    if is_split {
        findings.push(speech.hard());
    } else if is_warned {
        findings.extend(speech.warned(&counted, said.explained.is_empty()));
    }
    if let (Some(declared), Some(found)) = (said.declared, &reconciled) {
        findings.extend(speech.declared(declared, found));
    }
    findings.extend(explained.findings.iter().cloned());
    findings.extend(speech.hidden(&excluded, &hidden));
    findings.extend(speech.rule_files(&counted));

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
        let lines = deltas.iter().fold(0, |sum: u64, it| sum.saturating_add(it.lines()));
        Self { files: deltas.len() as u64, lines }
    }

    /// A value that is equal to a limit is allowed.
    fn is_over(self, lines: u64, files: u64) -> bool {
        self.lines > lines || self.files > files
    }
}

/// What is said about a change, in one language.
struct Speech<'a> {
    lang: Lang,
    limits: ScopeLimits,
    size: Size,
    explained: &'a Explained,
}

impl Speech<'_> {
    fn hard(&self) -> Finding {
        let Size { files, lines } = self.size;
        let ScopeLimits { hard_lines, hard_files, .. } = self.limits;
        let message = self.lang.pick(
            format!("{files} files and {lines} lines are over the limit of {hard_files} files or {hard_lines} lines"),
            format!("{files} 个文件、{lines} 行,超过 {hard_files} 个文件或 {hard_lines} 行的上限"),
        );
        let hint = self.lang.pick(
            "split the work into changes such as those of the proposal; no explanation helps here",
            "请按建议拆分为多次改动,此处解释无效",
        );
        finding(code::SCOPE_HARD, Severity::P0, "", message, hint)
    }

    fn warned(&self, counted: &[&FileDelta], is_silent: bool) -> Vec<Finding> {
        let missing = counted.iter().filter(|it| !self.explained.covered.contains(&it.path));
        let Size { files, lines } = self.size;
        let ScopeLimits { warn_lines, warn_files, .. } = self.limits;
        if is_silent {
            let message = self.lang.pick(
                format!("{files} files and {lines} lines need an explanation: that is over {warn_files} files or {warn_lines} lines"),
                format!("{files} 个文件、{lines} 行,超过 {warn_files} 个文件或 {warn_lines} 行,需要解释"),
            );
            let hint = self.lang.pick(
                "explain every file: its path, why it is in scope, and how many lines",
                "请逐个文件说明:路径、为何在范围内、行数",
            );
            let rule = code::SCOPE_WARN_UNEXPLAINED;
            return vec![finding(rule, Severity::P1, "", message, hint)];
        }
        let largest = explanation::FOLDER_LINES;
        let incomplete = |it: &&FileDelta| {
            let message = self
                .lang
                .pick("no explanation stands for this file", "此文件没有成立的解释")
                .to_owned();
            let hint = self.lang.pick(
                format!("add an entry for it; up to {largest} lines, one for its folder will do"),
                format!("请为其添加一条;不超过 {largest} 行时,可写其文件夹"),
            );
            let (rule, severity) = (code::EXPLANATION_INCOMPLETE, Severity::P1);
            finding(rule, severity, &it.path, message, &hint)
        };
        missing.map(incomplete).collect()
    }

    fn declared(&self, declared: &Declaration, found: &Reconciliation) -> Vec<Finding> {
        let lang = self.lang;
        let mut findings = Vec::new();
        if declared.is_late {
            let message = lang
                .pick("the files were declared after the work had begun", "开工之后才声明文件")
                .to_owned();
            let hint = lang.pick("declare the files first", "请先声明文件");
            findings.push(finding(code::DECLARATION_LATE, Severity::P2, "", message, hint));
        }
        for entry in &found.too_wide {
            let message = lang
                .pick("this entry is too wide, and covers nothing", "此项过宽,不涵盖任何文件")
                .to_owned();
            let hint = lang.pick(
                "name the files; a folder may be declared if it is new, a glob if it is narrow",
                "请写明文件;只有新文件夹和范围有限的通配可以声明",
            );
            findings.push(finding(code::DECLARATION_TOO_WIDE, Severity::P2, entry, message, hint));
        }
        findings.extend(self.undeclared(&found.undeclared));
        if found.deviation.is_over_half() {
            let is_open =
                found.undeclared.iter().any(|it| !self.explained.covered.contains(&it.path));
            let Deviation { differing, of } = found.deviation;
            let message = lang.pick(
                format!(
                    "{differing} of {of} files differ from the declaration: the plan no longer fits"
                ),
                format!("{of} 个文件中有 {differing} 个与声明不符:计划已不适用"),
            );
            let hint = lang.pick(
                "stop and look at the plan again; explain every file outside the declaration",
                "请停下重新评估计划,并解释声明之外的每个文件",
            );
            let severity = if is_open { Severity::P1 } else { Severity::P2 };
            findings.push(finding(code::REEVALUATION_REQUIRED, severity, "", message, hint));
        }
        findings
    }

    fn undeclared(&self, undeclared: &[Undeclared]) -> Vec<Finding> {
        let mut folders = BTreeSet::new();
        let mut findings = Vec::new();
        for Undeclared { path, novelty } in undeclared {
            let is_open = !self.explained.covered.contains(path);
            let severity = if is_open { Severity::P1 } else { Severity::P2 };
            let rule = match novelty {
                Novelty::Known => code::UNDECLARED_FILE,
                Novelty::NewFile | Novelty::NewFolder(_) => code::UNDECLARED_NEW_FILE,
            };
            findings.push(self.outside(rule, severity, path));
            if let Novelty::NewFolder(folder) = novelty
                && folders.insert(folder)
            {
                let rule = code::UNDECLARED_NEW_DIR;
                findings.push(self.outside(rule, severity, &format!("{folder}/")));
            }
        }
        findings
    }

    fn outside(&self, rule: &'static str, severity: Severity, path: &str) -> Finding {
        let message = match rule {
            code::UNDECLARED_NEW_DIR => {
                self.lang.pick("this folder is new and was not declared", "新文件夹未声明")
            }
            code::UNDECLARED_NEW_FILE => {
                self.lang.pick("this file is new and was not declared", "新文件未声明")
            }
            _ => self.lang.pick("this file was changed and not declared", "改动了未声明的文件"),
        };
        let hint = self.lang.pick("explain why it is in scope", "请说明其为何在范围内");
        finding(rule, severity, path, message.to_owned(), hint)
    }

    fn hidden(&self, excluded: &[&FileDelta], hidden: &[&FileDelta]) -> Option<Finding> {
        let first = hidden.iter().max_by_key(|it| it.lines())?;
        let lines = Size::of(excluded).lines;
        let message = self.lang.pick(
            format!("{lines} lines are in files that do not count; over {EXCLUDED_LINES} need an explanation"),
            format!("不计入的文件共 {lines} 行,超过 {EXCLUDED_LINES} 行需要解释"),
        );
        let hint = self.lang.pick(
            "explain the largest of them, or their folder",
            "请解释其中最大的文件,或其文件夹",
        );
        let rule = code::EXPLANATION_INCOMPLETE;
        Some(finding(rule, Severity::P1, &first.path, message, hint))
    }

    /// A rule that came with the change is seen, and changes nothing about the count.
    fn rule_files(&self, counted: &[&FileDelta]) -> Vec<Finding> {
        let is_rule = |it: &&&FileDelta| {
            let name = it.path.rsplit('/').next().unwrap_or_default();
            name == IGNORE_FILE || name == ATTRIBUTES_FILE
        };
        let message = self.lang.pick(
            "this file says what counts, and was changed: the base's version was used",
            "此文件决定哪些改动计入,且已被改动:仍以基线版本为准",
        );
        let hint = self.lang.pick("look at this change yourself", "请亲自查看此改动");
        counted
            .iter()
            .filter(is_rule)
            .map(|it| {
                let rule = code::PROTECTED_PATH;
                finding(rule, Severity::P2, &it.path, message.to_owned(), hint)
            })
            .collect()
    }
}

pub(super) fn finding(
    rule: &'static str,
    severity: Severity,
    subject: &str,
    message: String,
    hint: &str,
) -> Finding {
    let (subject, hint) = (subject.to_owned(), Some(hint.to_owned()));
    Finding {
        rule: rule.into(),
        severity,
        subject,
        message: message.into(),
        hint: hint.map(Into::into),
    }
}

#[cfg(test)]
mod tests;
