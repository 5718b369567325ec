//! `provost learn run`: from the file of a mission to rules that are in force.

use std::{num::NonZeroU32, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use provost_adapter::Cancel;
use provost_desk::Desk;
use provost_engine::learn::{Bound, Office, Order, Prepared, Report, Watch};
use provost_kernel::{Exit, Message as _, learn::RunName};
use provost_vault::{RealDisk, SystemClock, prepare_home};
use serde::Serialize;

use super::{in_file, live::Live, page, supplies::Supplies};
use crate::{
    environment,
    output::Format,
    session::{AnyFault, Preparation, Run, Session},
    story::person,
    wiring,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost learn run MISSION.toml --jobs 8\n\nWhat is learned is in force as soon as the run is over. A run that was ended goes on at the call\nwhere it stopped: type the same command again. A run that is finished is shown again, and nothing\nis asked. Exits with 3 when the run was ended, with 5 when somebody else is at work on it or when\nit was begun with other inputs."
)]
pub(super) struct Args {
    /// The file of the mission
    #[arg(value_name = "MISSION.toml")]
    file: Utf8PathBuf,
    /// The name of the run [default: derived from its inputs]
    #[arg(long, value_name = "NAME")]
    run: Option<RunName>,
    /// Fail if a ticket line is invalid
    #[arg(long)]
    strict: bool,
    /// Start even if the caps cannot cover the worst case
    #[arg(long)]
    allow_partial: bool,
    /// The maximum number of concurrent model calls
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroU32>,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    run: &'a RunName,
    folder: String,
    /// Whether it was finished before, so that nothing was asked.
    was_finished: bool,
    /// Whether its rules were put in force now.
    put_in_force: bool,
    report: &'a Report,
}

/// How many lines that are no tickets are shown.
const SHOWN: usize = 5;

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Identity
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let desk = wiring::desk(session)?;
        prepare_home(&RealDisk, desk.layout())?;
        let file = environment::current_folder()?.join(&self.file);
        let order = Order {
            file: &file,
            run: self.run.clone(),
            is_strict: self.strict,
            allows_partial: self.allow_partial,
            jobs: self.jobs,
        };
        let prepared =
            Prepared::new(&order, &desk).map_err(|error| in_file(session, &file, error))?;
        if prepared.mission.mission.judged_type().is_some() {
            // What is learned here is told to the judge of agents' work.
            person(session)?;
        }
        let before = prepared.finished()?;
        let was_finished = before.is_some();
        let report = match before {
            Some(report) => report,
            None => carry_out(session, &prepared, &file)?,
        };
        let put_in_force = adopt(&desk, &prepared, &report)?;
        show(session, &prepared, &report, was_finished, put_in_force);
        Ok(Exit::Success)
    }
}

/// Asks what is left to be asked.
fn carry_out(
    session: &mut Session,
    prepared: &Prepared,
    file: &Utf8Path,
) -> Result<Report, AnyFault> {
    let lang = session.output.lang;
    warn(session, prepared);
    announce(session, prepared);
    let supplies = Supplies::new(session, &prepared.mission, file)?;
    let pool = supplies.pool(&prepared.mission)?;
    let cancel = Cancel::new();
    let end = cancel.clone();
    environment::on_signal(&Arc::default(), move |_| end.cancel())?;
    let live = Live::new(lang, session.flags.quiet);
    let tell = |progress: &_| live.show(progress);
    let report = prepared.run(&pool, &cancel, &Watch(&tell), Arc::new(SystemClock));
    live.clear();
    Ok(report?)
}

/// Puts what was learned in force, if it never was.
fn adopt(desk: &Desk, prepared: &Prepared, report: &Report) -> Result<bool, AnyFault> {
    let actor = wiring::actor();
    let office = Office { layout: desk.layout(), clock: &SystemClock, actor: &actor };
    Ok(office.adopt(&prepared.site, &prepared.run, report)?)
}

fn warn(session: &mut Session, prepared: &Prepared) {
    let lang = session.output.lang;
    let label = lang.pick("warning: ", "警告：");
    let rejects: Vec<String> =
        prepared.rejects().iter().map(|it| lang.render(&it.text())).collect();
    let more = rejects.len().saturating_sub(SHOWN);
    let warnings: Vec<String> =
        prepared.warnings.iter().map(|it| lang.render(&it.text())).collect();
    for text in warnings.iter().chain(rejects.iter().take(SHOWN)) {
        session.output.message(&format!("{label}{text}"));
    }
    if more > 0 {
        let text =
            lang.pick(format!("{more} more invalid tickets"), format!("另有 {more} 行不是工单"));
        session.output.message(&format!("{label}{text}"));
    }
}

/// Says what is begun, and what it may cost at the most.
fn announce(session: &mut Session, prepared: &Prepared) {
    let lang = session.output.lang;
    let run = &prepared.run;
    let Bound { epochs, tickets, rollouts, reflections } = prepared.bound();
    let line = if prepared.is_resumed {
        lang.pick(format!("going on with run `{run}`"), format!("继续运行 `{run}`"))
    } else {
        lang.pick(format!("run `{run}`"), format!("运行 `{run}`"))
    };
    session.output.message(&lang.pick(
        format!(
            "{line}: {tickets} tickets, {epochs} epochs at the most, each with at most {rollouts} \
             answers and {reflections} calls of reflection, besides gate and audit"
        ),
        format!(
            "{line}：{tickets} 个工单，最多 {epochs} 轮，每轮最多 {rollouts} 次作答和 {reflections} \
             次反思调用，另加门控与审计"
        ),
    ));
}

fn show(
    session: &mut Session,
    prepared: &Prepared,
    report: &Report,
    was_finished: bool,
    put_in_force: bool,
) {
    let (lang, run) = (session.output.lang, &prepared.run);
    let folder = prepared.site.view(run).location().path().into_string();
    if was_finished {
        session.output.message(&lang.pick(
            format!("the run `{run}` is finished: nothing was asked"),
            format!("运行 `{run}` 已完成：没有任何调用"),
        ));
    }
    match session.output.format() {
        Format::Json => {
            let answer = Answer { run, folder, was_finished, put_in_force, report };
            session.output.document(&answer);
        }
        Format::Text => {
            for line in page::report(report, lang) {
                session.output.line(&line);
            }
            let (mission, step) = (&prepared.mission.mission, report.guidance_step);
            let line = if put_in_force {
                lang.pick(
                    format!("in force: step {step} of run `{run}`"),
                    format!("已生效：运行 `{run}` 的第 {step} 步"),
                )
            } else {
                lang.pick(
                    format!("what is in force stays as it is: see `provost learn rules {mission}`"),
                    format!("生效中的指引保持不变：见 `provost learn rules {mission}`"),
                )
            };
            session.output.line(&line);
            session.output.line(&lang.pick(format!("files {folder}"), format!("文件 {folder}")));
        }
    }
}
