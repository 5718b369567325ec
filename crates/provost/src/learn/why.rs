//! `provost learn why`: where a rule comes from, and which verdicts it changed.

use provost_engine::learn::{Flip, MissionDir, ReflectionTrace, RuleChange, RuleTrace};
use provost_kernel::{
    Exit,
    learn::{Label, RuleKey, RunName},
};
use provost_rules_learn::guidance::Cause;

use super::find;
use crate::{
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost learn why demo G1\n\nThe rule is that of the run whose rules are in force, or of the last run. A verdict that changed\nafter the rule took effect may have another cause as well: all rules hold together."
)]
pub(super) struct Args {
    /// The mission, unless there is only one, and the rule
    #[arg(value_name = "[MISSION] RULE", num_args = 1..=2, required = true)]
    names: Vec<String>,
    /// The run [default: the one in force]
    #[arg(long, value_name = "NAME")]
    run: Option<RunName>,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
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
        let key: RuleKey = rule.parse()?;
        session.output.show(&dir.why(&layout, self.run.as_ref(), key)?);
        Ok(Exit::Success)
    }
}

impl View for RuleTrace {
    fn page(&self, page: &mut Page<'_>) {
        let Self { mission, run, key, changes, sources, flips, .. } = self;
        page.write(
            format!("rule {key} of `{mission}`, in run `{run}`"),
            format!("`{mission}` 的规则 {key}（运行 `{run}`）"),
        );
        for it in changes {
            change(page, it);
        }
        if !sources.is_empty() {
            let keys: Vec<String> = sources.iter().map(ToString::to_string).collect();
            let keys = keys.join(", ");
            page.write(format!("supported by {keys}"), format!("支持工单 {keys}"));
        }
        let count = flips.len();
        page.write(
            format!("verdicts that changed since: {count}"),
            format!("此后改变的裁决：{count}"),
        );
        for it in flips {
            flip(page, it);
        }
    }
}

fn change(page: &mut Page<'_>, change: &RuleChange) {
    let RuleChange { step, cause, text, rationale, reflection } = change;
    let cause = page.lang.pick(
        match cause {
            Cause::Seed => "given",
            Cause::Reflection => "learned",
            Cause::Feedback => "counted",
            Cause::Cleanup => "removed, because it stopped working",
            Cause::Ledger => "by the ledger",
            Cause::Rollback => "taken back",
        },
        match cause {
            Cause::Seed => "初始给定",
            Cause::Reflection => "学得",
            Cause::Feedback => "计数",
            Cause::Cleanup => "因不再有效而移除",
            Cause::Ledger => "依账本",
            Cause::Rollback => "回退",
        },
    );
    let text = text.as_deref().unwrap_or("-");
    page.write(format!("step {step}, {cause}: {text}"), format!("第 {step} 步，{cause}：{text}"));
    if let Some(rationale) = rationale {
        page.item("  rationale", "  理由", rationale);
    }
    if let Some(it) = reflection {
        reflected(page, it);
    }
}

fn reflected(page: &mut Page<'_>, reflection: &ReflectionTrace) {
    let ReflectionTrace { id, epoch, cycle, decision, evidence, gate } = reflection;
    page.write(
        format!("    reflection {id}, epoch {epoch}, cycle {cycle}"),
        format!("    反思 {id}，第 {epoch} 轮，第 {cycle} 次"),
    );
    for (en, zh, said) in [("noticed", "所见", evidence), ("gave up", "放弃", decision)] {
        if !said.is_empty() {
            page.item(&format!("  {en}"), &format!("  {zh}"), said);
        }
    }
    for it in gate {
        let (wins, losses) = (it.wins, it.losses);
        let word = if it.accepted {
            page.lang.pick("accepted", "通过")
        } else {
            page.lang.pick("refused", "未通过")
        };
        page.write(
            format!("    gate: {word}, {wins} wins, {losses} losses"),
            format!("    门控：{word}，胜 {wins}，负 {losses}"),
        );
    }
}

fn flip(page: &mut Page<'_>, flip: &Flip) {
    let word = |it: Option<Label>| it.map_or("-", Label::as_str);
    let (key, before, after) = (&flip.ticket_key, word(flip.before), word(flip.after));
    let cited = if flip.is_source { page.lang.pick(", cited", "，被引用") } else { "" };
    page.line(&format!("  {key}  {before} -> {after}{cited}"));
}
