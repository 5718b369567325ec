//! `provost learn diff`: what learning changed in the rules.

use provost_engine::learn::GuidanceDiff;
use provost_kernel::Exit;
use provost_rules_learn::guidance::Difference;

use super::Which;
use crate::{
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost learn diff demo --from 0\n\nCompares a step of the run with what is in force, or, with --run or --to, with a step of the run."
)]
pub(super) struct Args {
    #[command(flatten)]
    which: Which,
    /// The step to compare with
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: u64,
    /// The later step [default: what is in force, or the last one]
    #[arg(long, value_name = "N")]
    to: Option<u64>,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let (dir, layout) = self.which.find(session)?;
        session.output.show(&dir.diff(&layout, self.which.run.as_ref(), self.from, self.to)?);
        Ok(Exit::Success)
    }
}

impl View for GuidanceDiff {
    fn page(&self, page: &mut Page<'_>) {
        let Self { mission, run, from, to, differences, .. } = self;
        let to = match to {
            Some(step) => page.lang.pick(format!("step {step}"), format!("第 {step} 步")),
            None => page.lang.pick("in force", "生效中").to_owned(),
        };
        page.write(
            format!("`{mission}`, run `{run}`: step {from} -> {to}"),
            format!("`{mission}`，运行 `{run}`：第 {from} 步 -> {to}"),
        );
        if differences.is_empty() {
            page.write("no rule differs", "规则没有差别");
        }
        for it in differences {
            difference(page, it);
        }
    }
}

/// One rule that differs.
pub(super) fn difference(page: &mut Page<'_>, difference: &Difference) {
    match difference {
        Difference::Added { key, text } => page.line(&format!("+ {key}  {text}")),
        Difference::Removed { key, text } => page.line(&format!("- {key}  {text}")),
        Difference::Changed { key, before, after } => {
            page.line(&format!("- {key}  {before}"));
            page.line(&format!("+ {key}  {after}"));
        }
    }
}
