//! The answer to an update or a verification, for a person.

use provost_engine::story::Answer;
use provost_kernel::{
    Exit,
    story::{CriterionStatus, EvidenceLabel, GateRun},
};

use crate::{
    session::Session,
    view::{Page, View},
};

/// One criterion on a line: whether it is proven, and its evidence.
pub(super) fn criterion(id: &str, status: &CriterionStatus) -> String {
    let mark = match (status.passes, status.label) {
        (true, EvidenceLabel::Stale) => '~',
        (true, _) => 'x',
        (false, _) => ' ',
    };
    let claims = [&status.command, &status.evidence, &status.blocked_reason];
    let claim = claims.into_iter().flatten().next();
    let claim = claim.map(|it| format!("  {}", it.replace(['\n', '\r'], " ")));
    format!("  [{mark}] {id} {}{}", status.word(), claim.unwrap_or_default())
}

/// Prints an answer, and returns the exit code.
pub(super) fn show(session: &mut Session, answer: &Answer) -> Exit {
    session.output.show(answer);
    let is_short = answer.original_passes && !answer.passes;
    if answer.success && !is_short { Exit::Success } else { Exit::Refused }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        page.line(match (self.success, self.passes) {
            (false, _) => lang.pick("rejected: nothing changed", "已拒绝：未作任何更改"),
            (true, true) => lang.pick("accepted: the story is done", "已接受：故事完成"),
            (true, false) if self.original_passes => {
                lang.pick("recorded, but the story is not done", "已记录，但故事未完成")
            }
            (true, false) => lang.pick("recorded", "已记录"),
        });
        if !self.label.0.is_empty() {
            page.text(&self.label.0);
        }
        for (id, status) in &self.ac_status {
            page.line(&criterion(&id.to_string(), status));
        }
        for gate in &self.gates {
            page.line(&of_gate(gate));
        }
        if let Some(scope) = &self.scope {
            let (files, lines) = (scope.files, scope.lines);
            page.write(
                format!("  files: {files}, lines: {lines}"),
                format!("  文件：{files}，行：{lines}"),
            );
            for (position, part) in scope.proposal.iter().enumerate() {
                page.part(position + 1, &part.about.join(", "), part.files.len(), part.lines);
            }
        }
        self.findings.iter().for_each(|it| page.finding(it));
    }
}

impl Page<'_> {
    /// One part of a proposal how to split a change.
    pub(crate) fn part(&mut self, number: usize, about: &str, files: usize, lines: u64) {
        self.line(&self.lang.pick(
            format!("  part {number}: {about} ({files} files, {lines} lines)"),
            format!("  第 {number} 部分：{about}（{files} 个文件，{lines} 行）"),
        ));
    }
}

fn of_gate(gate: &GateRun) -> String {
    let result = &gate.result;
    let name = if result.name.is_empty() { result.kind.as_str() } else { &result.name };
    let command = result.command.as_deref().map(|it| format!("  {it}"));
    format!("  {name}: {}{}", result.outcome, command.unwrap_or_default())
}
