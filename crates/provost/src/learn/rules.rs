//! `provost learn rules`: each rule, and what speaks for it.

use provost_engine::learn::{RuleList, RuleRow};
use provost_kernel::Exit;

use super::{Which, page};
use crate::{
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost learn rules demo\n\nScaffold rules come first, and nothing can change them. Without --run, the rules are those that\nare in force, or those of the last run if none are."
)]
pub(super) struct Args {
    #[command(flatten)]
    which: Which,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let (dir, layout) = self.which.find(session)?;
        let list = dir.rules(&layout, self.which.run.as_ref())?;
        session.output.show(&list);
        Ok(Exit::Success)
    }
}

impl View for RuleList {
    fn page(&self, page: &mut Page<'_>) {
        let Self { mission, step, .. } = self;
        match (&self.run, self.is_in_force) {
            (Some(run), true) => page.write(
                format!("in force for `{mission}`: step {step}, from run `{run}`"),
                format!("`{mission}` 生效中：第 {step} 步，来自运行 `{run}`"),
            ),
            (Some(run), false) => page.write(
                format!("run `{run}` of `{mission}`: step {step}"),
                format!("`{mission}` 的运行 `{run}`：第 {step} 步"),
            ),
            (None, _) => page.write(
                format!("built-in rules: nothing was learned for `{mission}` yet"),
                format!("内置规则：`{mission}` 尚未学到任何规则"),
            ),
        }
        for it in &self.rules {
            rule(page, it);
        }
    }
}

fn rule(page: &mut Page<'_>, rule: &RuleRow) {
    let RuleRow { key, text, hits, misses, .. } = rule;
    if rule.is_read_only {
        return page.write(format!("{key} (read-only)  {text}"), format!("{key}（只读）  {text}"));
    }
    page.line(&format!("{key}  {text}"));
    if !rule.sources.is_empty() {
        let keys: Vec<String> = rule.sources.iter().map(ToString::to_string).collect();
        let keys = keys.join(", ");
        page.write(format!("    supported by {keys}"), format!("    支持工单 {keys}"));
    }
    if let Some(confidence) = rule.confidence.filter(|_| hits + misses > 0) {
        page.write(
            format!("    hits {hits}, misses {misses}, confidence {confidence:.2}"),
            format!("    命中 {hits}，失误 {misses}，置信度 {confidence:.2}"),
        );
    }
    if let Some(account) = &rule.account {
        page::account(page, "    ", account);
    }
    if let Some(by) = &rule.reflection {
        let id = &by.id;
        let [en, zh] = match (by.epoch, by.cycle) {
            (Some(epoch), Some(cycle)) => [
                format!(", epoch {epoch}, cycle {cycle}"),
                format!("，第 {epoch} 轮，第 {cycle} 次反思"),
            ],
            _ => [String::new(), String::new()],
        };
        page.write(
            format!("    written by reflection {id}{en}"),
            format!("    由反思 {id} 写入{zh}"),
        );
    }
}
