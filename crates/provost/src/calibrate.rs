//! `provost calibrate`: whether a judge still scores known documents as it should (LOOP-U1).
//!
//! Without a judge, the answers that were recorded are replayed: offline, and the same each time.
//! What is missing is a warning; a case that was held and does not pass is a refusal.

mod error;
mod files;
mod judge;

use std::{collections::BTreeMap, num::NonZeroU32};

use camino::Utf8PathBuf;
use provost_adapter::{Adapter, AdapterError, recording::RecordingAdapter};
use provost_engine::task::calibration::{CaseResult, Judge, Outcome, Suite, rekey, run_case};
use provost_exec::sandbox::Network;
use provost_kernel::{Exit, Lang, task::TaskType};
use provost_rules_task::verdict::Yardstick;
use serde::Serialize;

use self::judge::{JudgeContext, Live};
use crate::{
    input::{ContentError, Source},
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without `--judge`, recorded answers are replayed offline.\n\nExamples:\n  provost calibrate\n  provost calibrate --type storyboard --replies calibration/storyboard/drifted.jsonl\n  provost calibrate --judge my-judge --repeat 3"
)]
pub(crate) struct Args {
    /// Only the cases of this task type
    #[arg(long = "type", value_name = "TYPE")]
    task_type: Option<String>,
    /// Only the case with this name
    #[arg(long, value_name = "CASE")]
    case: Option<String>,
    /// Use the cases in this folder instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    dir: Option<Utf8PathBuf>,
    /// Ask this adapter instead of replaying recorded answers
    #[arg(long, value_name = "NAME", conflicts_with = "replies")]
    judge: Option<String>,
    /// The model to ask the judge for
    #[arg(long, value_name = "MODEL", requires = "judge")]
    model: Option<String>,
    /// How often to ask each case [default: 3 with a judge, 1 in a replay]
    #[arg(long, value_name = "N")]
    repeat: Option<NonZeroU32>,
    /// Replay the answers of this recording; `-` is standard input
    #[arg(long, value_name = "FILE")]
    replies: Option<String>,
    /// Print the recording of `--replies` with keys for the requests of today
    #[arg(long, hide = true, requires = "replies")]
    rekey: bool,
}

/// The answer, as a script reads it.
#[derive(Debug, Default, Serialize)]
struct Answer {
    /// Whether no case failed; what is missing is in `warnings`.
    passed: bool,
    cases: Vec<CaseResult>,
    warnings: Vec<String>,
    /// The version of the rubric.
    #[serde(skip)]
    rubric: String,
}

/// How often a live judge is asked about each case, by default.
const LIVE_REPEAT: NonZeroU32 = NonZeroU32::new(3).unwrap();

/// The name of the judge that repeats what was recorded.
const RECORDING: &str = "recording";

impl Run for Args {
    fn preparation(&self) -> Preparation {
        // A judge may be a program.
        if self.judge.is_some() { Preparation::Identity } else { Preparation::Configuration }
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let types = match &self.task_type {
            Some(word) => vec![word.parse::<TaskType>()?],
            None => TaskType::ALL.to_vec(),
        };
        let suite = match &self.dir {
            Some(folder) => Suite::read(&files::read_folder(folder)?)?,
            None => Suite::embedded()?,
        };
        let yardstick = Yardstick::embedded()?;
        if let (true, Some(path)) = (self.rekey, &self.replies) {
            let written = rekey(&suite, &yardstick.rubric, &files::read_text(path)?)?;
            session.output.raw(written.as_bytes());
            return Ok(Exit::Success);
        }
        let judges = self.judges(session, &suite, &types)?;
        let answer = self.hold(session, &types, &suite, &judges, &yardstick)?;
        session.output.show(&answer);
        Ok(if answer.passed { Exit::Success } else { Exit::Refused })
    }
}

/// Who answers about a type.
enum Judges {
    Live(Live),
    /// One recording for all types.
    Replies(RecordingAdapter),
    Recorded(BTreeMap<TaskType, RecordingAdapter>),
}

impl Args {
    fn judges(
        &self,
        session: &mut Session,
        suite: &Suite,
        types: &[TaskType],
    ) -> Result<Judges, AnyFault> {
        if let Some(name) = &self.judge {
            return Ok(Judges::Live(judge::find(session, name)?));
        }
        if let Some(path) = &self.replies {
            let text = files::read_text(path)?;
            return Ok(Judges::Replies(recording(path, &text)?));
        }
        let mut recorded = BTreeMap::new();
        for &task_type in types {
            // Where nothing was recorded, every answer is missing.
            let text = suite.recordings.get(&task_type).map_or("", String::as_str);
            let path = format!("{task_type}/recorded.jsonl");
            recorded.insert(task_type, recording(&path, text)?);
        }
        Ok(Judges::Recorded(recorded))
    }

    /// Runs every case that was asked for.
    fn hold(
        &self,
        session: &Session,
        types: &[TaskType],
        suite: &Suite,
        judges: &Judges,
        yardstick: &Yardstick,
    ) -> Result<Answer, AnyFault> {
        let lang = session.output.lang;
        let context = JudgeContext::of(session)?;
        let (network, state) = match judges {
            Judges::Live(live) => (live.network, live.state.as_ref()),
            Judges::Replies(_) | Judges::Recorded(_) => (Network::On, None),
        };
        let check = |argv: &[String]| judge::refuse_sudo(argv);
        let place = context.place(network, state, &check);
        let live = matches!(judges, Judges::Live(_));
        let usual = if live { LIVE_REPEAT } else { NonZeroU32::MIN };
        let rubric = yardstick.rubric.version.clone();
        let mut answer = Answer { rubric, ..Answer::default() };
        for &task_type in types {
            let Some(adapter) = judges.of(task_type) else { continue };
            let repeat = self.repeat.unwrap_or(usual);
            let judge = Judge { adapter, model: self.model.as_deref(), repeat, place: &place };
            let wanted = |id: &str| self.case.as_deref().is_none_or(|it| it == id);
            let before = answer.cases.len();
            for case in suite.of(task_type).filter(|it| wanted(&it.case.case_id)) {
                answer.cases.push(run_case(case, &judge, yardstick)?);
            }
            // A name that only some types have is not a reason to warn.
            if let (Some(id), Some(_)) = (&self.case, &self.task_type)
                && answer.cases.len() == before
            {
                answer.cases.push(CaseResult::missing(task_type, id, &judge, yardstick));
            }
            if suite.of(task_type).next().is_none() {
                answer.warnings.push(lang.pick(
                    format!("no cases for task type `{task_type}`"),
                    format!("任务类型 `{task_type}` 没有用例"),
                ));
            }
        }
        if let (Some(id), true) = (&self.case, answer.cases.is_empty()) {
            let warning =
                lang.pick(format!("cannot find case `{id}`"), format!("找不到用例 `{id}`"));
            answer.warnings.push(warning);
        }
        let missing = answer.cases.iter().filter_map(CaseResult::warning);
        answer.warnings.extend(missing.map(|it| lang.render(&it)));
        answer.passed = answer.count(Outcome::Failed) == 0;
        Ok(answer)
    }
}

fn recording(path: &str, text: &str) -> Result<RecordingAdapter, ContentError<AdapterError>> {
    RecordingAdapter::read(RECORDING, text).map_err(|error| Source::from(path).content_error(error))
}

impl Judges {
    fn of(&self, task_type: TaskType) -> Option<&dyn Adapter> {
        match self {
            Self::Live(live) => Some(live.adapter.as_ref()),
            Self::Replies(adapter) => Some(adapter),
            Self::Recorded(adapters) => adapters.get(&task_type).map(|it| it as &dyn Adapter),
        }
    }
}

impl Answer {
    fn count(&self, outcome: Outcome) -> usize {
        self.cases.iter().filter(|it| it.result == outcome).count()
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        for CaseResult { task_type, case_id, result, findings, .. } in &self.cases {
            let task_type = task_type.as_str();
            page.line(&format!("{}  {task_type:<16}  {case_id}", label(*result, lang)));
            for it in findings {
                page.line(&format!("    {}", page.labelled(&it.subject, lang.render(&it.message))));
            }
        }
    }

    fn notes(&self, page: &mut Page<'_>) {
        self.warnings.iter().for_each(|it| page.warning(it));
        let [passed, failed, missing] =
            [Outcome::Passed, Outcome::Failed, Outcome::Missing].map(|it| self.count(it));
        let rubric = &self.rubric;
        page.message(
            format!("passed: {passed}, failed: {failed}, missing: {missing}, rubric: {rubric}"),
            format!("通过 {passed}，未通过 {failed}，缺失 {missing}，评分标准 {rubric}"),
        );
    }
}

fn label(result: Outcome, lang: Lang) -> &'static str {
    match result {
        Outcome::Passed => lang.pick("passed ", "通过  "),
        Outcome::Failed => lang.pick("failed ", "未通过"),
        Outcome::Missing => lang.pick("missing", "缺失  "),
    }
}
