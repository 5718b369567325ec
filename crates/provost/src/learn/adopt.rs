//! `provost learn adopt`: a person puts a rule in force that is not proven.

use provost_engine::learn::{AdoptionView, CaseView, GuidanceStore, MissionDir};
use provost_kernel::{Exit, Message, learn::Label};
use provost_vault::{RealDisk, SystemClock, prepare_home};
use serde::Serialize;

use super::{diff, find, page};
use crate::{
    ask::{self, Asked},
    session::{AnyFault, Run, Session},
    story::person,
    view::{Page, View},
    wiring,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost learn adopt demo h7\n\nShows what changes, and every labelled case that the rule was tried on, before and after. The rule\nis in force as your decision and is shown as adopted without measurement; it goes on betting, and a\nrule that harms is taken back. At most three are adopted at a time. Only a person at a terminal may\ndo this. Exits with 1 when it is refused or declined."
)]
pub(super) struct Args {
    /// The mission, unless there is only one, and the rule as `learn verify` names it
    #[arg(value_name = "[MISSION] RULE", num_args = 1..=2, required = true)]
    names: Vec<String>,
    /// Adopt it although it makes more cases worse than better
    #[arg(long, value_name = "REASON")]
    although_worse: Option<String>,
}

/// Why a rule was not adopted.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.adopt", exit = Refused)]
enum AdoptError {
    #[message(en = "`{rule}` was not adopted", zh = "没有采纳 `{rule}`", exit = Refused)]
    Declined { rule: String },
    #[message(
        en = "`{rule}` was not adopted: nobody is at a terminal to confirm it",
        zh = "没有采纳 `{rule}`：没有人在终端前确认",
        hint(en = "run the command at a terminal", zh = "请在终端中运行该命令"),
        exit = Refused
    )]
    Nobody { rule: String },
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer {
    mission: String,
    rule: String,
    step: u64,
    wins: u32,
    losses: u32,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        person(session)?;
        let (dir, layout, rule) = match self.names.as_slice() {
            [mission, rule] => {
                let (dir, layout) = find(session, mission)?;
                (dir, layout, rule)
            }
            [rule, ..] => {
                let layout = session.layout()?;
                (MissionDir::only(&layout)?, layout, rule)
            }
            [] => return Ok(Exit::Unable),
        };
        prepare_home(&RealDisk, &layout)?;
        let actor = wiring::actor();
        let (clock, request_id) = (&SystemClock, None);
        let store = GuidanceStore { layout: &layout, clock, actor: &actor, request_id };
        let view = store.adoption(&dir, rule)?;
        session.output.begin(|page| show(page, &view));
        let question = session.output.lang.pick(
            format!("Put `{rule}` in force for `{}` without a proof?", view.mission),
            format!("在未经证明的情况下使 `{rule}` 对 `{}` 生效？", view.mission),
        );
        let rule = rule.clone();
        match ask::confirm(&question) {
            Asked::Yes => {}
            Asked::No => return Err(AdoptError::Declined { rule }.into()),
            Asked::Nobody => return Err(AdoptError::Nobody { rule }.into()),
        }
        let (wins, losses) = (view.rule.wins, view.rule.losses);
        let mission = view.mission.clone();
        let step = store.adopt_rule(&dir, view, self.although_worse.as_deref())?;
        session.output.show(&Answer { mission, rule, step, wins, losses });
        Ok(Exit::Success)
    }
}

/// What changes, and what the rule did so far.
fn show(page: &mut Page<'_>, view: &AdoptionView) {
    let AdoptionView { mission, rule, differences, cases, better, worse, .. } = view;
    page.write(format!("mission `{mission}`"), format!("任务目标 `{mission}`"));
    page::account(page, "", rule);
    for it in differences {
        diff::difference(page, it);
    }
    for CaseView { group, label, before, after } in cases {
        let word = |it: Option<Label>| it.map_or("-", Label::as_str);
        let (before, after) = (word(*before), word(*after));
        page.write(
            format!("  {group}  labelled {label}: {before} -> {after}"),
            format!("  {group}  标签 {label}：{before} -> {after}"),
        );
    }
    let n_cases = cases.len();
    page.write(
        format!("of {n_cases} labelled cases, {better} better and {worse} worse"),
        format!("{n_cases} 个已标注案例中，{better} 个变好，{worse} 个变差"),
    );
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        let Self { mission, rule, step, wins, losses } = self;
        page.write(
            format!(
                "`{rule}` is in force for `{mission}` as step {step}, adopted without measurement: {wins} wins, {losses} losses"
            ),
            format!(
                "`{rule}` 已对 `{mission}` 生效（第 {step} 步），未经测量而采纳：胜 {wins}，负 {losses}"
            ),
        );
    }
}
