//! Puts a report together: waivers, totals, gate, and a digest that is equal for equal input.

use std::collections::BTreeMap;

use provost_kernel::{
    Digest, DigestError, Lang, Timestamp,
    eval::{Baseline, CaseResult, Epochs, REPORT_SCHEMA, Report, Run},
};

use super::{
    gate::{GatePolicy, decide, totals},
    waiver::Waivers,
};

/// What a run found, before the gate.
#[derive(Debug)]
pub struct Findings {
    pub run: Run,
    pub cases: Vec<CaseResult>,
    pub epochs: Option<Epochs>,
    pub baseline: Option<Baseline>,
}

/// Makes the report. The order in which the cases came does not matter.
pub fn assemble(
    findings: Findings,
    policy: &GatePolicy,
    waivers: &Waivers,
    today: Timestamp,
    lang: Lang,
) -> Result<Report, DigestError> {
    let Findings { mut run, mut cases, epochs, baseline } = findings;
    cases.sort_by(|one, other| one.id.cmp(&other.id));
    let over = waivers.apply(&mut cases, today);
    let over: Vec<_> =
        over.iter().map(|it| format!("`{}`, {} ({})", it.check, it.until, it.reason)).collect();
    let totals = totals(&cases);
    let gate = decide(&totals, policy, &over, baseline.as_ref(), lang);
    attribute(&mut run, &cases);
    run.cases = cases.len();
    let schema = REPORT_SCHEMA.to_owned();
    let mut report = Report { schema, run, totals, gate, cases, epochs, baseline, digest: None };
    report.digest = Some(digest(&mut report)?);
    Ok(report)
}

/// Takes the digest of everything but the digest, the time and the durations.
pub fn digest(report: &mut Report) -> Result<Digest, DigestError> {
    let (digest, timestamp) = (report.digest.take(), report.run.timestamp.take());
    let duration = report.run.duration_ms.take();
    let latencies: Vec<_> = report.cases.iter_mut().map(|it| it.latency_ms.take()).collect();
    let taken = Digest::of_json(report);
    (report.digest, report.run.timestamp, report.run.duration_ms) = (digest, timestamp, duration);
    for (case, latency) in report.cases.iter_mut().zip(latencies) {
        case.latency_ms = latency;
    }
    taken
}

/// Takes over which templates and model the cases name, so that a drift can be attributed. Where
/// they do not agree, all are named.
fn attribute(run: &mut Run, cases: &[CaseResult]) {
    let mut models: Vec<&str> = cases.iter().filter_map(|it| it.meta.model_id.as_deref()).collect();
    models.sort_unstable();
    models.dedup();
    if !models.is_empty() {
        run.model_id = models.join(", ");
    }
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (step, version) in cases.iter().flat_map(|it| &it.meta.template_versions) {
        let list = versions.entry(step).or_default();
        if let Err(at) = list.binary_search(&version.as_str()) {
            list.insert(at, version);
        }
    }
    for (step, list) in versions {
        run.template_versions.insert(step.to_owned(), list.join(", "));
    }
}

#[cfg(test)]
pub(super) mod tests;
