//! What a scan found, for a person and for a script.

use provost_kernel::{Lang, guard::policy::Effect};
use serde::Serialize;

use super::{FailOn, Report};
use crate::view::{Page, View};

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    /// How many files were judged.
    checked: usize,
    commands: usize,
    findings: Vec<Found>,
    unchecked: Vec<Unchecked>,
    /// Whether parts that are only not known are listed on the page.
    #[serde(skip)]
    shows_open: bool,
}

#[derive(Debug, Serialize)]
struct Found {
    path: String,
    line: usize,
    effect: Effect,
    rule: String,
    why: String,
    part: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// Whether the rule says only that a part is not known before it runs.
    open: bool,
}

#[derive(Debug, Serialize)]
struct Unchecked {
    path: String,
    reason: String,
}

impl Answer {
    pub(super) fn of(report: &Report, lang: Lang) -> Self {
        let findings = report.findings.iter().map(|it| Found {
            path: it.path.clone(),
            line: it.found.line,
            effect: it.found.effect,
            rule: it.found.rule.to_string(),
            why: lang.render(&it.found.why),
            part: it.found.part.clone(),
            hint: it.found.hint.as_ref().map(|it| lang.render(it)),
            open: it.found.is_open,
        });
        let unchecked = report.unchecked.iter().map(|(path, reason)| {
            let (path, reason) = (path.clone(), reason.clone());
            Unchecked { path, reason }
        });
        Self {
            checked: report.n_files,
            commands: report.n_commands,
            findings: findings.collect(),
            unchecked: unchecked.collect(),
            shows_open: report.fail_on == FailOn::Ask,
        }
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        for it in self.findings.iter().filter(|it| self.shows_open || !it.open) {
            let Found { path, line, effect, rule, why, part, .. } = it;
            let effect = effect.as_str();
            page.line(&page.lang.pick(
                format!("{path}:{line} {effect} {rule}: {why}: `{part}`"),
                format!("{path}:{line} {effect} {rule}：{why}：`{part}`"),
            ));
        }
    }

    fn notes(&self, page: &mut Page<'_>) {
        let count = |effect: Effect| {
            self.findings.iter().filter(|it| it.effect == effect && !it.open).count()
        };
        let (denied, asked) = (count(Effect::Deny), count(Effect::Ask));
        let open = self.findings.iter().filter(|it| it.open).count();
        let (files, commands, unchecked) = (self.checked, self.commands, self.unchecked.len());
        let [en, zh] = match unchecked {
            0 => [String::new(), String::new()],
            n => [format!(", paths not judged: {n}"), format!("，{n} 个路径未判断")],
        };
        page.message(
            format!(
                "files judged: {files}, commands: {commands}, deny: {denied}, ask: {asked}, only known at run time: {open}{en}"
            ),
            format!(
                "已判断 {files} 个文件、{commands} 条命令：拒绝 {denied}，询问 {asked}，运行时才可知 {open}{zh}"
            ),
        );
    }
}
