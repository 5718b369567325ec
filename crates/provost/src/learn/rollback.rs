//! `provost learn rollback`: a person puts an earlier step in force again.

use provost_engine::learn::{GuidanceStore, RolledBack};
use provost_kernel::Exit;
use provost_vault::{RealDisk, SystemClock, prepare_home};
use serde::Serialize;

use super::Which;
use crate::{
    session::{AnyFault, Run, Session},
    story::person,
    view::{Page, View},
    wiring,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost learn rollback demo --step 1\n\nThe step is rebuilt from the guidance log of the run, and becomes a step of its own: nothing of\nthe run is changed, and no key of a rule is used again. It is in the audit chain before it takes\neffect. Only a person may do this. Exits with 6 when the log was changed by hand."
)]
pub(super) struct Args {
    #[command(flatten)]
    which: Which,
    /// The step of the run to return to
    #[arg(long, value_name = "N")]
    step: u64,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    mission: &'a str,
    run: &'a str,
    changed: bool,
    /// The step whose rules are in force.
    to_step: u64,
    /// The step that they have now.
    step: u64,
    rules: usize,
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let Self { mission, run, to_step: to, step, rules, .. } = self;
        page.line(&if self.changed {
            page.lang.pick(
                format!("active for `{mission}`: the rules of step {to} of run `{run}`, as step {step} (rules: {rules})"),
                format!("`{mission}` 生效中：运行 `{run}` 第 {to} 步的 {rules} 条规则，作为第 {step} 步"),
            )
        } else {
            page.lang.pick(
                format!("the rules of step {to} of run `{run}` are already active"),
                format!("运行 `{run}` 第 {to} 步的规则已在生效"),
            )
        });
    }
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        person(session)?;
        let (dir, layout) = self.which.find(session)?;
        prepare_home(&RealDisk, &layout)?;
        let actor = wiring::actor();
        let (clock, request_id) = (&SystemClock, None);
        let store = GuidanceStore { layout: &layout, clock, actor: &actor, request_id };
        let done = store.roll_back(&dir, self.which.run.as_ref(), self.step)?;
        let RolledBack { run, guidance, is_changed } = &done;
        session.output.show(&Answer {
            mission: dir.mission.as_str(),
            run: run.as_str(),
            changed: *is_changed,
            to_step: self.step,
            step: guidance.step,
            rules: guidance.rules.len(),
        });
        Ok(Exit::Success)
    }
}
