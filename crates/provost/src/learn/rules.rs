//! `provost learn rules`: each rule, and what speaks for it.

use provost_engine::learn::{RuleList, RuleRow};
use provost_kernel::{Exit, Lang};

use super::Which;
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
        let (site, layout) = self.which.find(session)?;
        let list = site.rules(&layout, self.which.run.as_ref())?;
        session.output.show(&list);
        Ok(Exit::Success)
    }
}

impl View for RuleList {
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        page.line(&head(self, lang));
        for line in self.rules.iter().flat_map(|it| lines(it, lang)) {
            page.line(&line);
        }
    }
}

fn head(list: &RuleList, lang: Lang) -> String {
    let RuleList { mission, step, .. } = list;
    match (&list.run, list.is_in_force) {
        (Some(run), true) => lang.pick(
            format!("in force for `{mission}`: step {step}, from run `{run}`"),
            format!("`{mission}` 生效中：第 {step} 步，来自运行 `{run}`"),
        ),
        (Some(run), false) => lang.pick(
            format!("run `{run}` of `{mission}`: step {step}"),
            format!("`{mission}` 的运行 `{run}`：第 {step} 步"),
        ),
        (None, _) => lang.pick(
            format!("built-in rules: nothing was learned for `{mission}` yet"),
            format!("内置规则：`{mission}` 尚未学到任何规则"),
        ),
    }
}

fn lines(rule: &RuleRow, lang: Lang) -> Vec<String> {
    let RuleRow { key, text, .. } = rule;
    if rule.is_read_only {
        return vec![
            lang.pick(format!("{key} (read-only)  {text}"), format!("{key}（只读）  {text}")),
        ];
    }
    let mut lines = vec![format!("{key}  {text}")];
    if !rule.sources.is_empty() {
        let keys: Vec<String> = rule.sources.iter().map(ToString::to_string).collect();
        let keys = keys.join(", ");
        lines.push(lang.pick(format!("    supported by {keys}"), format!("    支持工单 {keys}")));
    }
    if let Some(confidence) = rule.confidence.filter(|_| rule.hits + rule.misses > 0) {
        let (hits, misses) = (rule.hits, rule.misses);
        lines.push(lang.pick(
            format!("    hits {hits}, misses {misses}, confidence {confidence:.2}"),
            format!("    命中 {hits}，失误 {misses}，置信度 {confidence:.2}"),
        ));
    }
    if let Some(by) = &rule.reflection {
        let id = &by.id;
        let at = match (by.epoch, by.cycle) {
            (Some(epoch), Some(cycle)) => lang.pick(
                format!(", epoch {epoch}, cycle {cycle}"),
                format!("，第 {epoch} 轮，第 {cycle} 次反思"),
            ),
            _ => String::new(),
        };
        lines.push(lang.pick(
            format!("    written by reflection {id}{at}"),
            format!("    由反思 {id} 写入{at}"),
        ));
    }
    lines
}
