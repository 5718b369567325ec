//! `provost learn status`: how far a run is, and what it came to.

use std::collections::BTreeMap;

use provost_engine::learn::{EpochStatus, InForce, RunState, RunStatus, Worker};
use provost_kernel::{Exit, Lang, Message, learn::RunName, message::Phrase};
use serde::Serialize;

use super::{Which, page};
use crate::{
    report,
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
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
    problem: Option<Phrase>,
    run: Option<&'a RunStatus>,
    runs: &'a BTreeMap<RunName, RunState>,
}

const SCHEMA: &str = "provost.learn.status/1";

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let (dir, layout) = self.which.find(session)?;
        let status = dir.status(&layout, self.which.run.as_ref())?;
        session.output.show(&Answer {
            schema: SCHEMA,
            mission: &status.mission,
            in_force: status.in_force.as_ref(),
            problem: status.problem.as_ref().map(|it| Phrase(it.text())),
            run: status.run.as_ref(),
            runs: &status.runs,
        });
        let Some(error) = status.problem else { return Ok(Exit::Success) };
        report::complain(&mut session.output, &error);
        Ok(error.exit())
    }
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let mission = self.mission;
        match self.run {
            Some(run) => of_run(page, run),
            None => page.write(
                format!("mission `{mission}` has no runs yet"),
                format!("任务目标 `{mission}` 还没有运行"),
            ),
        }
        match self.in_force {
            Some(InForce { step, rules, run, .. }) => page.write(
                format!("in force: step {step} with {rules} rules, from run `{run}`"),
                format!("生效中：第 {step} 步，{rules} 条规则，来自运行 `{run}`"),
            ),
            None if self.problem.is_none() => page.write("no rules in force", "没有生效中的规则"),
            None => {}
        }
        let shown = self.run.map(|it| &it.run);
        for (run, found) in self.runs.iter().filter(|(run, _)| Some(*run) != shown) {
            let word = state(*found, page.lang);
            page.write(format!("also run `{run}`: {word}"), format!("另有运行 `{run}`：{word}"));
        }
    }
}

fn of_run(page: &mut Page<'_>, run: &RunStatus) {
    let (name, word) = (&run.run, state(run.state, page.lang));
    match &run.holder {
        Some(Worker { pid, host, since }) => page.write(
            format!("run `{name}`: {word}, process {pid} on `{host}` since {since}"),
            format!("运行 `{name}`：{word}，`{host}` 上的进程 {pid}（自 {since} 起）"),
        ),
        None => page.write(format!("run `{name}`: {word}"), format!("运行 `{name}`：{word}")),
    }
    if let Some(report) = &run.report {
        page::report(page, report);
    } else {
        run.epochs.iter().for_each(|it| epoch(page, it));
        let RunStatus { epoch, guidance_step, rules, calls, spent, .. } = run;
        page.write(
            format!("epoch {epoch}, step {guidance_step}, {rules} rules"),
            format!("第 {epoch} 轮，第 {guidance_step} 步，规则 {rules} 条"),
        );
        page::cost(page, *calls, *spent);
    }
    page.row("files", "文件", &run.folder);
}

fn epoch(page: &mut Page<'_>, it: &EpochStatus) {
    let EpochStatus { epoch, tickets, accuracy, false_passes, false_fails } = it;
    let accuracy = page::rate(*accuracy);
    page.write(
        format!(
            "epoch {epoch}: accuracy {accuracy} ({tickets} tickets), false passes {false_passes}, false fails {false_fails}"
        ),
        format!(
            "第 {epoch} 轮：准确率 {accuracy}（{tickets} 个工单），误放行 {false_passes}，误拦截 {false_fails}"
        ),
    );
}

fn state(state: RunState, lang: Lang) -> &'static str {
    match state {
        RunState::Running => lang.pick("running", "运行中"),
        RunState::Unfinished => lang.pick(
            "unfinished, resume it with the same `provost learn run`",
            "未完成，用同一条 `provost learn run` 命令继续",
        ),
        RunState::Finished => lang.pick("finished", "已完成"),
    }
}
