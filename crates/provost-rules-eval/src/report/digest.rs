//! The digest of a report: sha256 over its canonical JSON (RFC 8785), without what differs between
//! two runs over equal input.
//!
//! Left out are the digest itself, the time, the durations, and the texts for people, whose wording
//! may change between versions. The findings are in the statuses and the codes.

use std::{collections::BTreeMap, io};

use provost_kernel::{
    Digest, DigestError, Digester, Severity, canonical_json,
    eval::{
        Baseline, CaseResult, CaseRuns, CaseStatus, CheckResult, CheckStatus, Epochs, ErrorCode,
        Excuse, Meta, Preview, Profile, Report, Run, Step, Totals,
    },
};
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
struct Found<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'a Baseline>,
    cases: [(); 0],
    #[serde(skip_serializing_if = "Option::is_none")]
    epochs: Option<&'a Epochs>,
    gate: FoundGate,
    run: FoundRun<'a>,
    schema: &'a str,
    totals: &'a Totals,
}

#[derive(Serialize)]
struct FoundGate {
    exit_code: u8,
    pass: bool,
}

#[derive(Serialize)]
struct FoundRun<'a> {
    cases: usize,
    cases_sha256: Digest,
    engine_version: &'a str,
    epochs: u32,
    fail_on: Severity,
    generator: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    judge: Option<&'a str>,
    lexicon_sha256: Digest,
    model_id: &'a str,
    priority_values: &'a [String],
    profile: Profile,
    runner_version: &'a str,
    schemas_sha256: Digest,
    suite: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    suite_sha256: Option<Digest>,
    template_versions: &'a BTreeMap<String, String>,
}

#[derive(Serialize)]
struct FoundCase<'a> {
    checks: Vec<FoundCheck<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<FoundError>,
    id: &'a str,
    meta: FoundMeta<'a>,
    preview: FoundPreview<'a>,
    run_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<FoundRuns>,
    status: CaseStatus,
}

#[derive(Serialize)]
struct FoundMeta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    engine_version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repairs: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<&'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    template_versions: &'a BTreeMap<String, String>,
}

#[derive(Serialize)]
struct FoundPreview<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    headline: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<&'a str>,
    reasons: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    todo_titles: &'a [String],
}

#[derive(Serialize)]
struct FoundCheck<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked_by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    excuse: Option<&'a Excuse>,
    level: Severity,
    name: &'a str,
    pass: bool,
    status: CheckStatus,
}

#[derive(Serialize)]
struct FoundRuns {
    of: u32,
    passed: u32,
}

impl FoundRuns {
    fn of(runs: CaseRuns) -> Self {
        let CaseRuns { passed, of } = runs;
        Self { of, passed }
    }
}

#[derive(Serialize)]
struct FoundError {
    error_code: ErrorCode,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed_step: Option<Step>,
    retryable: bool,
}

/// What the digest covers of one case, as canonical JSON.
pub fn canonical(case: &CaseResult) -> Result<Vec<u8>, DigestError> {
    let CaseResult { id, status, run_id, meta, checks, preview, error, runs, .. } = case;
    let found = FoundCase {
        checks: checks.iter().map(FoundCheck::of).collect(),
        error: error.as_ref().map(|it| FoundError {
            error_code: it.error_code,
            failed_step: it.failed_step,
            retryable: it.retryable,
        }),
        id,
        meta: FoundMeta::of(meta),
        preview: FoundPreview::of(preview),
        run_id,
        runs: runs.map(FoundRuns::of),
        status: *status,
    };
    // Fields stand in their order above, so that nothing has to be sorted. Keys that an engine
    // made may sort in another way beyond ASCII, and then everything is.
    if !meta.template_versions.keys().all(|it| it.is_ascii()) {
        return canonical_json(&found);
    }
    let mut bytes = Vec::with_capacity(2048);
    let mut writer = serde_json::Serializer::with_formatter(&mut bytes, Numbers);
    found.serialize(&mut writer).map_err(DigestError::NotCanonical)?;
    Ok(bytes)
}

/// Numbers as canonical JSON writes them; the rest is as everywhere.
struct Numbers;

impl serde_json::ser::Formatter for Numbers {
    fn write_f64<W: ?Sized + io::Write>(&mut self, out: &mut W, number: f64) -> io::Result<()> {
        out.write_all(&canonical_json(&number).map_err(io::Error::other)?)
    }
}

/// Takes the digest of a report and of its cases, which come in the order of their ids as
/// [`canonical`] makes them.
pub fn digest<E: From<DigestError>>(
    report: &Report,
    cases: impl Iterator<Item = Result<Vec<u8>, E>>,
) -> Result<Digest, E> {
    const HOLE: &[u8] = b"\"cases\":[";
    let Report { schema, run, totals, gate, epochs, baseline, digest: _ } = report;
    let found = canonical_json(&Found {
        baseline: baseline.as_ref(),
        cases: [],
        epochs: epochs.as_ref(),
        gate: FoundGate { exit_code: gate.exit_code, pass: gate.pass },
        run: FoundRun::of(run),
        schema,
        totals,
    })?;
    // A quote inside of a text is escaped: only the key looks like this.
    let at = memchr::memmem::find(&found, HOLE).map_or(found.len(), |at| at + HOLE.len());
    let (before, after) = found.split_at(at);
    let mut digester = Digester::default();
    digester.add(before);
    for (at, case) in cases.enumerate() {
        if at > 0 {
            digester.add(b",");
        }
        digester.add(&case?);
    }
    digester.add(after);
    Ok(digester.finish())
}

impl<'a> FoundCheck<'a> {
    fn of(check: &'a CheckResult) -> Self {
        let CheckResult { level, name, pass, status, blocked_by, excuse, data, .. } = check;
        Self {
            blocked_by: blocked_by.as_deref(),
            data: data.as_ref(),
            excuse: excuse.as_ref(),
            level: *level,
            name,
            pass: *pass,
            status: *status,
        }
    }
}

impl<'a> FoundMeta<'a> {
    fn of(meta: &'a Meta) -> Self {
        let Meta { run_id, engine_version, model_id, template_versions, repairs, .. } = meta;
        Self {
            engine_version: engine_version.as_deref(),
            model_id: model_id.as_deref(),
            repairs: *repairs,
            run_id: run_id.as_deref(),
            template_versions,
        }
    }
}

impl<'a> FoundPreview<'a> {
    fn of(preview: &'a Preview) -> Self {
        let Preview { priority, score, reasons, todo_titles, headline } = preview;
        Self {
            headline: headline.as_deref(),
            priority: priority.as_deref(),
            reasons,
            score: *score,
            todo_titles,
        }
    }
}

impl<'a> FoundRun<'a> {
    fn of(run: &'a Run) -> Self {
        let Run { suite, profile, engine_version, template_versions, model_id, generator, .. } =
            run;
        Self {
            cases: run.cases,
            cases_sha256: run.cases_sha256,
            engine_version,
            epochs: run.epochs,
            fail_on: run.fail_on,
            generator,
            judge: run.judge.as_deref(),
            lexicon_sha256: run.lexicon_sha256,
            model_id,
            priority_values: &run.priority_values,
            profile: *profile,
            runner_version: &run.runner_version,
            schemas_sha256: run.schemas_sha256,
            suite,
            suite_sha256: run.suite_sha256,
            template_versions,
        }
    }
}
