//! `provost eval bless`: a person makes a report the baseline. No run does that by itself.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use provost_engine::eval::{self, EvalError, read_report};
use provost_kernel::{Exit, eval::Report};
use provost_rules_eval::baseline::Seal;
use provost_vault::eval::publish;
use serde::Serialize;

use super::error::OptionError;
use crate::{
    environment,
    session::{AnyFault, Session},
    view::{Page, View},
};

/// Make a report the baseline of its suite
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost eval bless\n  provost eval bless docs/evals/reports/nightly.json --to baselines/nightly.json\n\nThe digest of the report is checked. A report with cases that could not be measured is no baseline."
)]
pub(crate) struct BlessArgs {
    /// The report, relative to the repository
    #[arg(default_value = "docs/evals/reports/latest.json")]
    report: Utf8PathBuf,
    /// The baseline to write [default: docs/evals/baselines/SUITE.json]
    #[arg(long, value_name = "FILE")]
    to: Option<Utf8PathBuf>,
    /// The directory that paths are relative to
    #[arg(long, value_name = "DIR")]
    root: Option<Utf8PathBuf>,
}

#[derive(Debug, Serialize)]
struct Blessed {
    baseline: Utf8PathBuf,
    suite: String,
    engine_version: String,
    cases: usize,
    passed: usize,
    digest: String,
}

pub(super) fn bless(args: &BlessArgs, session: &mut Session) -> Result<Exit, AnyFault> {
    let folder = environment::current_folder()?;
    let root = match &args.root {
        Some(root) => folder.join(root),
        None => eval::find_root(&folder),
    };
    let path = root.join(&args.report);
    let (earlier, report) = read_report(&path)?;
    if earlier.seal == Seal::Unknown {
        return Err(EvalError::Forged { path }.into());
    }
    let errors = report.totals.cases_error;
    if errors > 0 {
        return Err(OptionError::NotMeasured { path: args.report.clone(), errors }.into());
    }
    let target = args.to.clone().unwrap_or_else(|| place(&report.run.suite));
    let unreadable = |source| OptionError::Unreadable { path: path.clone(), source };
    let bytes = fs::read(&path).map_err(unreadable)?;
    publish(&root.join(&target), |out| out.write_all(&bytes)).map_err(EvalError::from)?;
    session.output.show(&Blessed::of(report, target));
    Ok(Exit::Success)
}

/// Where the baseline of a suite is.
pub(super) fn place(suite: &str) -> Utf8PathBuf {
    let is_plain = |it: char| it.is_alphanumeric() || "_-".contains(it);
    let name: String = suite.chars().map(|it| if is_plain(it) { it } else { '_' }).collect();
    Utf8Path::new("docs/evals/baselines").join(format!("{name}.json"))
}

impl Blessed {
    fn of(report: Report, baseline: Utf8PathBuf) -> Self {
        Self {
            baseline,
            suite: report.run.suite,
            engine_version: report.run.engine_version,
            cases: report.run.cases,
            passed: report.totals.cases_passed,
            digest: report.digest.map(|it| it.to_string()).unwrap_or_default(),
        }
    }
}

impl View for Blessed {
    fn page(&self, page: &mut Page<'_>) {
        let Self { baseline, suite, engine_version, cases, passed, digest } = self;
        page.write(format!("baseline {baseline}"), format!("基线 {baseline}"));
        page.write(
            format!("  {suite}, engine {engine_version}: {passed} of {cases} cases passed"),
            format!("  {suite}，引擎 {engine_version}：{cases} 个用例中 {passed} 个通过"),
        );
        page.line(&format!("  {digest}"));
    }
}
