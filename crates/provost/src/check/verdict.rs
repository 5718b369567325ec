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
    verdict::{self, CheckedVerdict, VerdictResult, Yardstick},
};
use serde::Serialize;

use crate::{
    input::Source,
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
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

/// The checked verdict, and for a person what it was checked against.
#[derive(Serialize)]
#[serde(transparent)]
struct Answer {
    checked: CheckedVerdict,
    #[serde(skip)]
    known: Known,
    #[serde(skip)]
    rubric: Option<String>,
}

/// What a reply is checked against, besides the rubric.
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
        let yardstick = Yardstick::embedded()?;
        let Known { facts, thresholds } = &known;
        let checked = verdict::check(&reply, &yardstick, self.task_type, facts, thresholds);
        let rubric = self.task_type.map(|it| format!("{it} {}", yardstick.rubric.version));
        let answer = Answer { checked, known, rubric };
        session.output.show(&answer);
        Ok(match answer.checked.result {
            VerdictResult::Valid => Exit::Success,
            VerdictResult::Invalid | VerdictResult::Inconsistent => Exit::Refused,
        })
    }
}

impl Args {
    /// What is known besides the reply; without `--facts`, nothing.
    fn known(&self, reply: &Source) -> Result<Known, AnyFault> {
        let Some(file) = &self.facts else { return Ok(Known::default()) };
        let source = Source::from(file.as_str());
        source.check_beside(reply)?;
        let (facts, thresholds) =
            MachineFacts::read(&source.read()?).map_err(|error| source.content_error(error))?;
        Ok(Known { facts, thresholds })
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        let (lang, Self { checked, known, rubric }) = (page.lang, self);
        page.row("result", "结果", lang.render(&checked.result.text()));
        page.row("rubric", "评分标准", rubric.as_deref().unwrap_or(lang.pick("none", "无")));
        if !checked.error_class.is_empty() {
            page.row("error class", "错误类别", checked.error_class);
        }
        if let Some(recomputed) = &checked.recomputed {
            score(page, recomputed);
        }
        let thresholds = thresholds(checked.thresholds_pass, &known.thresholds, lang);
        page.row("thresholds", "得分门槛", thresholds);
        page.row("tests", "测试", tests(&known.facts, lang));
        if let Some(decision) = checked.decision {
            page.row("decision", "裁决", decision.as_str());
        }
        for it in &checked.findings {
            let message = lang.render(&it.message);
            page.line(&format!("{:?} {}  {}  {message}", it.severity, it.rule, it.subject));
        }
    }
}

fn score(page: &mut Page<'_>, recomputed: &Recomputed) {
    let lang = page.lang;
    let Recomputed { raw_score_0_5: raw, penalty, final_score_0_5: rest, .. } = recomputed;
    let whole = recomputed.final_score_0_100;
    let score = lang.pick(
        format!("{whole} of 100 ({raw} less a penalty of {penalty} is {rest} of 5)"),
        format!("{whole}/100（{raw} 减扣分 {penalty} 得 {rest}/5）"),
    );
    page.row("score", "得分", score);
    let gated = if recomputed.gated { lang.pick("yes", "是") } else { lang.pick("no", "否") };
    page.row("gated", "被门槛拦下", gated);
    for reason in &recomputed.gating_reasons {
        page.row("gating reason", "门槛原因", reason);
    }
}

/// Thresholds that are not set, or that no score was compared with, are not met.
fn thresholds(pass: Option<bool>, thresholds: &Thresholds, lang: Lang) -> &'static str {
    match pass {
        _ if thresholds.is_empty() => lang.pick("none", "无"),
        None => lang.pick("not verified", "未验证"),
        Some(true) => lang.pick("met", "达到"),
        Some(false) => lang.pick("not met", "未达到"),
    }
}

/// A test that was not run is never shown as passed.
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
