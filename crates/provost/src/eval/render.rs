//! A report as people and other programs read it, in the language of the reader. A form that shows
//! all cases comes in parts, because they may be many.

mod annotations;
mod html;
mod junit;
mod sarif;
mod text;

use camino::Utf8PathBuf;
use provost_engine::eval::{self, EvalError, Ran};
use provost_kernel::{Lang, eval::CheckResult};
use provost_vault::eval::publish;

pub(super) use self::{annotations::annotations, html::matrix, text::text};

/// The file of a case, by its id, relative to the repository.
pub(super) type FileOf<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The files that a run writes.
#[derive(Clone, Debug, Default)]
pub(super) struct Outputs {
    pub(super) report: Utf8PathBuf,
    pub(super) junit: Option<Utf8PathBuf>,
    pub(super) sarif: Option<Utf8PathBuf>,
    pub(super) html: Option<Utf8PathBuf>,
}

/// Writes a report in every form that was asked for, each whole or not at all.
pub(super) fn write(
    ran: &Ran,
    outputs: &Outputs,
    file_of: FileOf<'_>,
    lang: Lang,
) -> Result<(), EvalError> {
    let Ran { report, noted, results, .. } = ran;
    eval::write_report(ran, &outputs.report)?;
    if let Some(path) = &outputs.junit {
        publish(path, |out| {
            out.write_all(junit::start(report).as_bytes())?;
            results.all(|it| out.write_all(junit::case(it, lang).as_bytes()))?;
            out.write_all(junit::end().as_bytes())
        })?;
    }
    if let Some(path) = &outputs.sarif {
        publish(path, |out| out.write_all(sarif::sarif(report, noted, file_of, lang)?.as_bytes()))?;
    }
    if let Some(path) = &outputs.html {
        publish(path, |out| {
            out.write_all(html::start(report, lang).as_bytes())?;
            out.write_all(html::filter(noted, lang).as_bytes())?;
            let mut cases = html::Cases::new(lang);
            for status in html::ORDER {
                results.each(status, |it| out.write_all(cases.case(it).as_bytes()))?;
            }
            out.write_all(cases.end().as_bytes())?;
            out.write_all(html::end(report, lang).as_bytes())
        })?;
    }
    Ok(())
}

/// Why a check did not pass, in the language of the reader; empty if it did.
fn message(check: &CheckResult, lang: Lang) -> String {
    match (&check.blocked_by, check.text()) {
        (Some(by), _) => {
            lang.pick(format!("not checked: {by} failed"), format!("未检查：{by} 失败"))
        }
        (None, text) => text.map(|it| lang.render(&it)).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use provost_kernel::{
        Digest, Severity, Timestamp,
        eval::{
            CaseResult, CaseStatus, CheckResult, ErrorCode, Meta, Preview, Profile, Report, Run,
            StepError,
        },
        model::Usage,
    };
    use provost_rules_eval::{gate::GatePolicy, judge::status, report::Tally, waiver::Waivers};

    fn run() -> Run {
        Run {
            suite: "read-do".to_owned(),
            profile: Profile::Engineer,
            engine_version: "0.1.0".to_owned(),
            template_versions: BTreeMap::new(),
            model_id: String::new(),
            generator: "stub".to_owned(),
            fail_on: Severity::P1,
            cases: 0,
            priority_values: Vec::new(),
            runner_version: "0.1.0".to_owned(),
            lexicon_sha256: Digest::ZERO,
            schemas_sha256: Digest::ZERO,
            cases_sha256: Digest::ZERO,
            epochs: 1,
            timestamp: None,
            duration_ms: None,
            suite_sha256: None,
            judge: None,
            usage: Usage::default(),
            judge_usage: Usage::default(),
        }
    }

    fn result(id: &str, checks: Vec<CheckResult>) -> CaseResult {
        CaseResult {
            id: id.to_owned(),
            status: status(&checks),
            run_id: format!("eval_{id}"),
            meta: Meta::default(),
            checks,
            preview: Preview::default(),
            error: None,
            warnings: Vec::new(),
            warnings_codes: Vec::new(),
            latency_ms: None,
            runs: None,
            shown: None,
        }
    }

    /// A report with a failure of every kind, and hostile texts; and its cases.
    pub(super) fn sample() -> (Report, Vec<CaseResult>) {
        let fail =
            |level, name: &str, text: &'static str| CheckResult::fail(level, name, &text.into());
        let band = "IF_TIME but score 81 (allowed 39.5 ≤ s < 60.5)";
        let error = StepError::new(ErrorCode::Timeout, &"after 5 s".into());
        let skipped = CheckResult::skipped(Severity::P0, "schema.card", "engine.output");
        let mut cases = vec![
            result(
                "a<b",
                vec![
                    fail(Severity::P0, "score.priority_band", band),
                    fail(Severity::P1, "todos.verb_led", "one\ntwo"),
                ],
            ),
            result(
                "c",
                vec![
                    CheckResult::pass(Severity::P0, "schema.card"),
                    fail(Severity::P2, "card.headline_specific", "`x` & \"y\""),
                ],
            ),
            CaseResult {
                status: CaseStatus::Error,
                error: Some(error),
                ..result("d", vec![skipped])
            },
        ];
        let waivers = Waivers::default();
        let mut tally = Tally::new(&waivers, Timestamp::EPOCH);
        for case in &mut cases {
            tally.add(case, &[]);
        }
        (tally.report(run(), &GatePolicy::default()).0, cases)
    }
}
