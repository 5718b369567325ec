//! Whether every attempt left the record that it must leave.

use provost_desk::Desk;
use provost_kernel::{
    AttemptNumber, RecordFile, Severity, TaskId,
    task::{EventKind, EventLine, PlainVerdict, Role, TaskSpec, Verdict},
};
use provost_rules_task::verdict::Yardstick;
use provost_vault::{RealDisk, read_json};
use serde_json::Value;

use super::findings::{Defect, Findings};
use crate::EngineError;

/// Looks at the events of a task and at each of its attempts.
pub(super) fn check(
    desk: &Desk,
    task: &TaskId,
    spec: Option<&TaskSpec>,
    findings: &mut Findings,
) -> Result<(), EngineError> {
    let files = desk.files(task);
    let events = files.events()?;
    for line in &events.unreadable {
        let subject = format!("events.jsonl:{line}");
        findings.add(Severity::P1, &subject, &Defect::UnreadableLine);
    }
    for attempt in files.attempts()? {
        let name = format!("attempt_{attempt}");
        let at = desk.layout().verdict(task, attempt);
        let subject = format!("{name}/judge/verdict.json");
        let verdict: Option<Value> = findings.present(read_json(&RealDisk, &at)?, &subject);
        let decision = findings.present(files.decision(attempt)?, &format!("{name}/decision.json"));
        if let (Some(verdict), Some(spec)) = (&verdict, spec) {
            check_verdict(verdict, spec, &subject, findings)?;
        }
        let is_decided_by_judge = decision.is_some_and(|it| it.value.facts.role == Role::Judge);
        if verdict.is_some() || is_decided_by_judge {
            check_events(&events.records, attempt, &name, findings);
        }
    }
    Ok(())
}

/// Every attempt that was judged has its minimum of events (LOOP-B18).
fn check_events(events: &[EventLine], attempt: AttemptNumber, name: &str, findings: &mut Findings) {
    let mine = |it: &&EventLine| it.value.attempt == attempt.get();
    let has = |kind| events.iter().filter(mine).any(|it| it.value.kind == kind);
    for kind in EventKind::missing(has) {
        findings.add(Severity::P1, name, &Defect::MissingEvent { kind });
    }
}

/// A verdict on disk says everything that its contract asks for.
pub(super) fn check_verdict(
    verdict: &Value,
    spec: &TaskSpec,
    subject: &str,
    findings: &mut Findings,
) -> Result<(), EngineError> {
    if spec.task_type.is_none() {
        if let Err(error) = serde_json::from_value::<RecordFile<PlainVerdict>>(verdict.clone()) {
            broken(findings, subject, &error);
        }
        return Ok(());
    }
    let fields: Vec<&str> = Verdict::CONTRACT
        .into_iter()
        .filter(|it| verdict.get(it).is_none_or(|found| found.is_null() || found == ""))
        .collect();
    if !fields.is_empty() {
        findings.add(Severity::P0, subject, &Defect::Incomplete { fields });
        return Ok(());
    }
    let read = match serde_json::from_value::<RecordFile<Verdict>>(verdict.clone()) {
        Ok(read) => read.value,
        Err(error) => {
            broken(findings, subject, &error);
            return Ok(());
        }
    };
    let rubric = Yardstick::embedded()?.rubric;
    // A task may have been judged by an older rubric, but one version has one text.
    if read.rubric_version_used == rubric.version && read.rubric_hash_used != rubric.hash {
        findings.add(Severity::P1, subject, &Defect::OtherRubric);
    }
    Ok(())
}

fn broken(findings: &mut Findings, subject: &str, error: &serde_json::Error) {
    findings.add(Severity::P0, subject, &Defect::NotAVerdict { why: error.to_string() });
}
