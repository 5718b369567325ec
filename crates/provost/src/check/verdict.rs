//! `provost check verdict`: the validator of verdicts alone (LOOP-U2).
//!
//! A reply that breaks the contract is judged and refused. Only what keeps provost from judging,
//! such as a file that cannot be read, is an error.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};
use provost_kernel::{
    Exit, Lang, Message,
    task::{TaskType, Thresholds},
};
use provost_rules_task::{
    score::{MachineFacts, Recomputed},
    verdict::{self, CheckedVerdict, VerdictResult, Yardstick, YardstickError},
};

use super::say;
use crate::input::Source;
use crate::{
    output::Format,
    session::{AnyFault, Preparation, Run, Session},
};

/// Read as `engineering_impl`, and not offered (LOOP-B25).
const ALIAS: &str = "engineering_implementation";

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The facts are one JSON object; what is absent was not found or not run:\n  test_rc, typecheck_rc, build_rc   exit codes\n  secrets, forbidden_globs          true or false, a count, or a list\n  missing_sections                  a count\n  scope_refused                     true or false\n  unproven_criteria, open_stories   a list of texts\n  thresholds                        the least scores, as in a task\n\nExamples:\n  provost check verdict reply.json --task-type engineering_impl --facts facts.json\n  provost check verdict - --json < reply.json\n\nExits with 0 if the verdict is valid, with 1 if it is invalid or inconsistent, and with 2 if the\ninput cannot be read."
)]
pub(super) struct Args {
    /// The judge's reply; `-` is standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// The task type, which selects the rubric
    #[arg(long, value_name = "TYPE", value_parser = task_types().try_map(|it| it.parse::<TaskType>()))]
    task_type: Option<TaskType>,
    /// Facts about the attempt, as JSON; `-` is standard input
    #[arg(long, value_name = "FILE")]
    facts: Option<String>,
}

/// What a reply is held against, besides the rubric.
#[derive(Debug, Default)]
struct Known {
    facts: MachineFacts,
    thresholds: Thresholds,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let source = Source::from(self.file.as_str());
        let known = self.known(&source)?;
        let reply = source.read()?;
        let yardstick = Yardstick::embedded().map_err(fault)?;
        let Known { facts, thresholds } = &known;
        let checked = verdict::check(&reply, &yardstick, self.task_type, facts, thresholds);
        match session.output.format() {
            Format::Json => session.output.document(&checked),
            Format::Text => {
                let version = &yardstick.rubric.version;
                let rubric = self.task_type.map(|it| format!("{it} {version}"));
                print(session, &checked, &known, rubric);
            }
        }
        Ok(match checked.result {
            VerdictResult::Valid => Exit::Success,
            VerdictResult::Invalid | VerdictResult::Inconsistent => Exit::Refused,
        })
    }
}

impl Args {
    /// What is known besides the reply; nothing, if nobody says it.
    fn known(&self, reply: &Source) -> Result<Known, AnyFault> {
        let Some(file) = &self.facts else { return Ok(Known::default()) };
        let source = Source::from(file.as_str());
        source.check_beside(reply)?;
        let (facts, thresholds) =
            MachineFacts::read(&source.read()?).map_err(|error| source.content_error(error))?;
        Ok(Known { facts, thresholds })
    }
}

fn print(session: &mut Session, checked: &CheckedVerdict, known: &Known, rubric: Option<String>) {
    let lang = session.output.lang;
    say(session, "result", "结果", &lang.render(&checked.result.text()));
    let rubric = rubric.unwrap_or_else(|| lang.pick("none", "无").to_owned());
    say(session, "rubric", "评分标准", &rubric);
    if !checked.error_class.is_empty() {
        say(session, "error class", "错误类别", checked.error_class);
    }
    if let Some(recomputed) = &checked.recomputed {
        print_score(session, recomputed);
    }
    let thresholds = thresholds(checked.thresholds_pass, &known.thresholds, lang);
    say(session, "thresholds", "得分门槛", thresholds);
    say(session, "tests", "测试", &tests(&known.facts, lang));
    if let Some(decision) = checked.decision {
        say(session, "decision", "裁决", decision.as_str());
    }
    for it in &checked.findings {
        let (severity, rule) = (it.severity, &it.rule);
        let message = lang.render(&it.message);
        let line = format!("{severity:?} {rule}  {}  {message}", it.subject);
        session.output.line(&line);
    }
}

fn print_score(session: &mut Session, recomputed: &Recomputed) {
    let lang = session.output.lang;
    let Recomputed { raw_score_0_5: raw, penalty, final_score_0_5: rest, .. } = recomputed;
    let whole = recomputed.final_score_0_100;
    let score = lang.pick(
        format!("{whole} of 100 ({raw} less a penalty of {penalty} is {rest} of 5)"),
        format!("{whole}/100({raw} 减扣分 {penalty} 得 {rest}/5)"),
    );
    say(session, "score", "得分", &score);
    let gated = if recomputed.gated { lang.pick("yes", "是") } else { lang.pick("no", "否") };
    say(session, "gated", "被门槛拦下", gated);
    for reason in &recomputed.gating_reasons {
        say(session, "gating reason", "门槛原因", reason);
    }
}

/// Thresholds that nobody set, or that had no score to be held against, are not met.
fn thresholds(pass: Option<bool>, thresholds: &Thresholds, lang: Lang) -> &'static str {
    match pass {
        _ if thresholds.is_empty() => lang.pick("none", "无"),
        None => lang.pick("not verified", "未验证"),
        Some(true) => lang.pick("met", "达到"),
        Some(false) => lang.pick("not met", "未达到"),
    }
}

/// A test that nobody ran is never shown as passed.
fn tests(facts: &MachineFacts, lang: Lang) -> String {
    match facts.test_rc {
        None => lang.pick("not verified", "未验证").to_owned(),
        Some(0) => lang.pick("passed", "通过").to_owned(),
        Some(rc) => lang.pick(format!("failed with exit code {rc}"), format!("失败，退出码 {rc}")),
    }
}

fn task_types() -> PossibleValuesParser {
    let known = TaskType::WORDS.iter().map(|it| PossibleValue::new(*it));
    known.chain([PossibleValue::new(ALIAS).hide(true)]).collect::<Vec<_>>().into()
}

fn fault(error: YardstickError) -> AnyFault {
    match error {
        YardstickError::Rubric(error) => error.into(),
        YardstickError::KeywordCaps(error) => error.into(),
    }
}
