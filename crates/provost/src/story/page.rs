//! What the commands about stories have in common when they speak to a person.

use provost_engine::story::Answer;
use provost_kernel::{
    Exit, Finding,
    story::{CriterionStatus, EvidenceLabel, GateRun},
};

use crate::{output::Format, session::Session};

/// Prints findings, each with what to do about it.
pub(super) fn say_findings(session: &mut Session, findings: &[Finding]) {
    let lang = session.output.lang;
    for it in findings {
        let about = match it.subject.as_str() {
            "" => it.message.render(lang),
            subject => format!("{} ({subject})", it.message.render(lang)),
        };
        session.output.line(&format!("  {:?} {}: {about}", it.severity, it.rule));
        if let Some(hint) = it.hint.as_ref().map(|it| it.render(lang)) {
            session.output.line(&format!("    {hint}"));
        }
    }
}

/// One criterion on a line: whether it is proven, and what was found.
pub(super) fn criterion(id: &str, status: &CriterionStatus) -> String {
    let mark = if status.passes { 'x' } else { ' ' };
    let said = [&status.command, &status.evidence, &status.blocked_reason];
    let said = said.into_iter().flatten().next();
    let said = said.map(|it| format!("  {}", it.replace(['\n', '\r'], " ")));
    let label: EvidenceLabel = status.label;
    format!("  [{mark}] {id} {label}{}", said.unwrap_or_default())
}

/// Prints what an update or a look came to, and says what the process exits with.
pub(super) fn answer(session: &mut Session, answer: &Answer) -> Exit {
    match session.output.format() {
        Format::Json => session.output.document(answer),
        Format::Text => print(session, answer),
    }
    let is_short = answer.original_passes && !answer.passes;
    if answer.success && !is_short { Exit::Success } else { Exit::Refused }
}

fn print(session: &mut Session, answer: &Answer) {
    let lang = session.output.lang;
    let result = match (answer.success, answer.passes) {
        (false, _) => lang.pick("rejected: nothing was changed", "已拒绝:未作任何更改"),
        (true, true) => lang.pick("accepted: the story is done", "已接受:故事完成"),
        (true, false) if answer.original_passes => {
            lang.pick("taken, and the story is not done", "已记录,但故事未完成")
        }
        (true, false) => lang.pick("taken", "已记录"),
    };
    session.output.line(result);
    if !answer.label.is_empty() {
        session.output.line(&answer.label);
    }
    for (id, status) in &answer.ac_status {
        session.output.line(&criterion(&id.to_string(), status));
    }
    for gate in &answer.gates {
        session.output.line(&of_gate(gate));
    }
    if let Some(scope) = &answer.scope {
        let (files, lines) = (scope.files, scope.lines);
        session.output.line(&lang.pick(
            format!("  files: {files}, lines: {lines}"),
            format!("  文件:{files},行:{lines}"),
        ));
        for (position, part) in scope.proposal.iter().enumerate() {
            let (number, about) = (position + 1, part.about.join(", "));
            let (files, lines) = (part.files.len(), part.lines);
            session.output.line(&lang.pick(
                format!("  part {number}: {about} ({files} files, {lines} lines)"),
                format!("  第 {number} 部分:{about}({files} 个文件,{lines} 行)"),
            ));
        }
    }
    say_findings(session, &answer.findings);
}

fn of_gate(gate: &GateRun) -> String {
    let result = &gate.result;
    let name = if result.name.is_empty() { result.kind.as_str() } else { &result.name };
    let command = result.command.as_deref().map(|it| format!("  {it}"));
    format!("  {name}: {}{}", result.outcome, command.unwrap_or_default())
}
