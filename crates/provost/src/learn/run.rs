//! `provost learn run`: from the file of a mission to rules that are in force.

use std::{num::NonZeroU32, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use provost_adapter::Cancel;
use provost_desk::Desk;
use provost_engine::learn::{GuidanceStore, Order, Prepared, Report, Watch};
use provost_kernel::{Exit, Message, learn::RunName};
use provost_rules_learn::bound::Bound;
use provost_vault::{RealDisk, SystemClock, prepare_home};
use serde::Serialize;

use super::{in_file, live, page, supplies::Supplies};
use crate::{
    environment,
    live::LiveLine,
    session::{AnyFault, Run, Session},
    story::person,
    view::{Page, View},
    wiring,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost learn run MISSION.toml --jobs 8\n\nProposed rules become shadows, which bet on every later label. One that is proven is in force as\nsoon as the run is over. A run that was ended goes on at the call where it stopped: type the same\ncommand again. A run that is finished is shown again, and nothing is asked. Exits with 1 when a rule in force\nwas taken back because it harms, with 3 when the run was ended, with 5 when somebody else is at work on it or when\nit was begun with other inputs."
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

/// How many invalid ticket lines are shown.
const SHOWN: usize = 5;

impl Run for Args {
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
        let run = &prepared.run;
        let folder = prepared.dir.view(run).location().path().into_string();
        session.output.show(&Answer { run, folder, was_finished, put_in_force, report: &report });
        let has_harm = report.measured.as_ref().is_some_and(|it| !it.returned.is_empty());
        Ok(if has_harm { Exit::Refused } else { Exit::Success })
    }
}

/// Asks what is left to be asked.
fn carry_out(
    session: &mut Session,
    prepared: &Prepared,
    file: &Utf8Path,
) -> Result<Report, AnyFault> {
    warn(session, prepared);
    announce(session, prepared)?;
    let supplies = Supplies::new(session, &prepared.mission, file)?;
    let pool = supplies.pool(&prepared.mission)?;
    let cancel = Cancel::new();
    let end = cancel.clone();
    environment::on_signal(&Arc::default(), move |_| end.cancel())?;
    let line = LiveLine::new(session.output.lang, session.flags.quiet);
    let tell = |progress: &_| live::show(&line, progress);
    let report =
        prepared.run(&wiring::actor(), &pool, &cancel, &Watch(&tell), Arc::new(SystemClock));
    line.clear();
    Ok(report?)
}

/// Puts what was learned in force, if it never was.
fn adopt(desk: &Desk, prepared: &Prepared, report: &Report) -> Result<bool, AnyFault> {
    let actor = wiring::actor();
    let (layout, clock, request_id) = (desk.layout(), &SystemClock, None);
    let store = GuidanceStore { layout, clock, actor: &actor, request_id };
    Ok(store.adopt(&prepared.dir, &prepared.run, report)?)
}

fn warn(session: &mut Session, prepared: &Prepared) {
    let mut page = session.output.page();
    let rejects = prepared.rejects();
    let warnings = prepared.warnings.iter().map(Message::text);
    for text in warnings.chain(rejects.iter().take(SHOWN).map(Message::text)) {
        page.warning(page.lang.render(&text));
    }
    let more = rejects.len().saturating_sub(SHOWN);
    if more > 0 {
        let (en, zh) =
            (format!("{more} more invalid tickets"), format!("另有 {more} 行无效的工单"));
        page.warning(page.lang.pick(en, zh));
    }
}

/// Says which run starts, and the most that it may ask.
fn announce(session: &mut Session, prepared: &Prepared) -> Result<(), AnyFault> {
    let Bound { epochs, tickets, rollouts, reflections, gate, audit, calls, spent } =
        prepared.bound()?;
    let tokens = spent.tokens();
    let money = match spent.micro_usd {
        // Nobody said what a token costs.
        0 => String::new(),
        micro => format!(", ${}", page::dollars(micro)),
    };
    let mut page = session.output.page();
    let run = &prepared.run;
    let verb = if prepared.is_resumed {
        page.lang.pick("resuming run", "继续运行")
    } else {
        page.lang.pick("run", "运行")
    };
    page.message(
        format!(
            "{verb} `{run}`: {tickets} tickets, at most {epochs} epochs; at most {calls} calls \
             ({rollouts} to judge, {reflections} to reflect, {gate} at the gate, {audit} for the \
             audit), tokens {tokens}{money}"
        ),
        format!(
            "{verb} `{run}`：{tickets} 个工单，最多 {epochs} 轮；最多 {calls} 次调用（判定 {rollouts}，\
             反思 {reflections}，门控 {gate}，审计 {audit}），{tokens} 个 token{money}"
        ),
    );
    Ok(())
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let Self { run, folder, report, .. } = self;
        page::report(page, report);
        let (mission, step) = (&report.mission, report.guidance_step);
        if self.put_in_force {
            page.write(
                format!("in force: step {step} of run `{run}`"),
                format!("已生效：运行 `{run}` 的第 {step} 步"),
            );
        } else {
            page.write(
                format!("the rules in force are unchanged: see `provost learn rules {mission}`"),
                format!("生效中的规则不变：见 `provost learn rules {mission}`"),
            );
        }
        page.row("files", "文件", folder);
    }

    fn notes(&self, page: &mut Page<'_>) {
        if self.was_finished {
            let run = self.run;
            page.message(
                format!("run `{run}` was already finished: no model was called"),
                format!("运行 `{run}` 先前已完成：没有调用模型"),
            );
        }
    }
}
