//! `provost check case`: what an engine made of one case, held against the rubric of Read→Do.
//!
//! Artifacts that cannot be read are judged and refused. Only what keeps provost from judging,
//! such as a case that cannot be used, is an error.

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use provost_kernel::{Exit, Severity, eval::Profile};
use provost_rules_eval::{
    check::Rubric,
    checked::{CaseVerdict, CheckedCase, check_files},
    suite::Suite,
};
use serde::Serialize;

use crate::{
    eval::severity,
    input::Source,
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The artifacts are one JSON object: {\"summary\": …, \"score\": …, \"todos\": …, \"card\": …}\n\nExamples:\n  provost check case docs/evals/cases/en-web.json artifacts.json\n  provost check case case.json - --json < artifacts.json\n\nExits with 0 if no check at P0 or P1 fails, with 1 if one does, and with 2 if the case is invalid. A\nskipped check has not passed."
)]
pub(super) struct Args {
    /// The case; `-` is standard input
    #[arg(value_name = "CASE")]
    case: String,
    /// The engine's artifacts; `-` is standard input
    #[arg(value_name = "ARTIFACTS")]
    artifacts: String,
    /// The reader the engine wrote for
    #[arg(long, value_name = "PROFILE", default_value = "engineer",
        value_parser = PossibleValuesParser::new(Profile::WORDS).try_map(|it| it.parse::<Profile>()))]
    profile: Profile,
    /// The lowest level that fails the check
    #[arg(long, value_name = "LEVEL", default_value = "P1", value_parser = severity())]
    fail_on: Severity,
    /// Run the optional checks too
    #[arg(long)]
    strict_rubric: bool,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let (case, artifacts) =
            (Source::from(self.case.as_str()), Source::from(self.artifacts.as_str()));
        artifacts.check_beside(&case)?;
        let suite = Suite::read_do()?;
        let rubric = if self.strict_rubric { Rubric::Strict } else { Rubric::Standard };
        let (bytes, made) = (case.read()?, artifacts.read()?);
        let checked = check_files(&suite, (&self.case, &bytes), &made, rubric, self.fail_on)?;
        let answer = Answer { checked, profile: self.profile };
        session.output.show(&answer);
        Ok(match answer.checked.result {
            CaseVerdict::Pass => Exit::Success,
            CaseVerdict::Fail => Exit::Refused,
        })
    }
}

/// The answer: the document of the check, and for a person also the profile.
#[derive(Serialize)]
#[serde(transparent)]
struct Answer {
    checked: CheckedCase,
    #[serde(skip)]
    profile: Profile,
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        let (lang, Self { checked, profile }) = (page.lang, self);
        let result = match checked.result {
            CaseVerdict::Pass => lang.pick("passed", "通过"),
            CaseVerdict::Fail => lang.pick("failed", "失败"),
        };
        page.row("result", "结果", result);
        page.row("case", "用例", format!("{} ({profile})", checked.case));
        for it in &checked.checks {
            let word = match it.status {
                "pass" => lang.pick("passed", "通过"),
                "fail" => lang.pick("failed", "失败"),
                _ => lang.pick("skipped", "跳过"),
            };
            let line = format!("{:?} {}  {word}  {}", it.level, it.name, lang.render(&it.text()));
            page.line(line.trim_end());
        }
        for it in &checked.warnings {
            page.warning(page.labelled(&it.subject, lang.render(&it.message)));
        }
    }
}
