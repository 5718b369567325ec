//! `provost learn status`: how far a run is, and what it came to.

use std::collections::BTreeMap;

use provost_engine::learn::{EpochStatus, InForce, MissionStatus, RunState, RunStatus, Worker};
use provost_kernel::{Exit, Lang, Message, learn::RunName};
use serde::Serialize;

use super::{Which, page};
use crate::{
    output::Format,
    session::{AnyFault, Preparation, Run, Session},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost learn status demo --json\n\nExits with 6 if the active guidance is damaged."
)]
pub(super) struct Args {
    #[command(flatten)]
    which: Which,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    schema: &'static str,
    mission: &'a str,
    in_force: Option<&'a InForce>,
    /// Why it is not known what is in force.
    problem: Option<String>,
    run: Option<&'a RunStatus>,
    runs: &'a BTreeMap<RunName, RunState>,
}

const SCHEMA: &str = "provost.learn.status/1";

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let (site, layout) = self.which.find(session)?;
        let status = site.status(&layout, self.which.run.as_ref())?;
        let lang = session.output.lang;
        match session.output.format() {
            Format::Json => {
                let problem = status.problem.as_ref().map(|it| lang.render(&it.text()));
                session.output.document(&Answer {
                    schema: SCHEMA,
                    mission: &status.mission,
                    in_force: status.in_force.as_ref(),
                    problem,
                    run: status.run.as_ref(),
                    runs: &status.runs,
                });
            }
            Format::Text => {
                for line in lines(&status, lang) {
                    session.output.line(&line);
                }
            }
        }
        match status.problem {
            Some(error) if session.output.format() == Format::Text => Err(error.into()),
            Some(error) => Ok(error.exit()),
            None => Ok(Exit::Success),
        }
    }
}

fn lines(status: &MissionStatus, lang: Lang) -> Vec<String> {
    let mission = &status.mission;
    let mut lines = Vec::new();
    if let Some(run) = &status.run {
        lines.extend(of_run(run, lang));
    } else {
        lines.push(lang.pick(
            format!("mission `{mission}` has no run yet"),
            format!("任务目标 `{mission}` 还没有运行"),
        ));
    }
    match &status.in_force {
        Some(it) => lines.push(lang.pick(
            format!("in force: step {} with {} rules, from run `{}`", it.step, it.rules, it.run),
            format!("生效中：第 {} 步，{} 条规则，来自运行 `{}`", it.step, it.rules, it.run),
        )),
        None if status.problem.is_none() => {
            lines.push(lang.pick("nothing is in force".to_owned(), "没有生效中的指引".to_owned()));
        }
        None => {}
    }
    let shown = status.run.as_ref().map(|it| &it.run);
    for (run, found) in status.runs.iter().filter(|(run, _)| Some(*run) != shown) {
        let word = state(*found, lang);
        lines.push(
            lang.pick(format!("also run `{run}`: {word}"), format!("另有运行 `{run}`：{word}")),
        );
    }
    lines
}

fn of_run(run: &RunStatus, lang: Lang) -> Vec<String> {
    let word = state(run.state, lang);
    let name = &run.run;
    let mut lines = vec![match &run.holder {
        Some(Worker { pid, host, since }) => lang.pick(
            format!("run `{name}`: {word}, process {pid} on `{host}` since {since}"),
            format!("运行 `{name}`：{word},`{host}` 上的进程 {pid}（自 {since} 起）"),
        ),
        None => lang.pick(format!("run `{name}`: {word}"), format!("运行 `{name}`：{word}")),
    }];
    if let Some(report) = &run.report {
        lines.extend(page::report(report, lang));
    } else {
        lines.extend(run.epochs.iter().map(|it| epoch(it, lang)));
        let RunStatus { epoch, guidance_step, rules, calls, spent, .. } = run;
        lines.push(lang.pick(
            format!("epoch {epoch}, step {guidance_step}, rules {rules}"),
            format!("第 {epoch} 轮，第 {guidance_step} 步，规则 {rules} 条"),
        ));
        lines.push(page::cost(*calls, *spent, lang));
    }
    let folder = &run.folder;
    lines.push(lang.pick(format!("files {folder}"), format!("文件 {folder}")));
    lines
}

fn epoch(it: &EpochStatus, lang: Lang) -> String {
    let EpochStatus { epoch, tickets, accuracy, false_passes, false_fails } = it;
    let accuracy = page::rate(*accuracy);
    lang.pick(
        format!(
            "epoch {epoch}: accuracy {accuracy} of {tickets} tickets, false passes {false_passes}, false fails {false_fails}"
        ),
        format!(
            "第 {epoch} 轮：准确率 {accuracy}，共 {tickets} 个工单，误放行 {false_passes}，误拦截 {false_fails}"
        ),
    )
}

fn state(state: RunState, lang: Lang) -> &'static str {
    match state {
        RunState::Running => lang.pick("running", "运行中"),
        RunState::Unfinished => lang.pick(
            "unfinished, goes on with the same `provost learn run`",
            "未完成，用同一 `provost learn run` 继续",
        ),
        RunState::Finished => lang.pick("finished", "已完成"),
    }
}
