//! What a model is told: to judge a ticket, and to learn from tickets that were judged.
//!
//! Whatever a ticket or a model brought stands between fences with a name that it cannot know, and
//! is said to be data. A judging model never sees a label: the code that writes its prompt reads
//! neither the label nor the person's reason, and the result is looked through all the same.

mod fence;
mod judge;
mod reflection;
mod rollout;

use provost_kernel::{
    Lang, Message,
    learn::{Guidance, Scaffold},
};

pub use self::{
    reflection::{Case, Frame, Packed, decision, ops},
    rollout::{Question, rollout},
};

/// Why a ticket cannot be shown to a judging model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.prompt")]
pub enum PromptError {
    #[message(
        en = "the guidance has no checklist `G0`",
        zh = "指引中没有检查清单 `G0`",
        hint(
            en = "write `G0` into the guidance file of the mission",
            zh = "请在任务目标的指引文件中写入 `G0`"
        )
    )]
    NoChecklist,
    /// The key of a ticket, or its ending, would tell the label.
    #[message(
        en = "{place} would tell a judging model the label",
        zh = "{place} 会向评判模型泄露标签",
        hint(
            en = "take `GROUP::pass`, `GROUP::fail` and their endings out of it",
            zh = "请从中去掉 `GROUP::pass`、`GROUP::fail` 及其结尾部分"
        )
    )]
    TellsLabel {
        /// The rule or the piece of evidence that would.
        place: String,
    },
}

/// The rules in the order of their rank: the scaffold, which depends on nothing, then the rest.
fn rules(scaffold: &Scaffold, guidance: &Guidance, language: Lang) -> String {
    let heading = |en: &str, zh: &str| format!("\n=== {} ===\n", language.pick(en, zh));
    let mut text = heading("SCAFFOLD RULES (never overruled)", "骨架规则(优先级最高,不可推翻)");
    for (key, rule) in scaffold.rules() {
        text.push_str(&line(key, rule));
    }
    text.push_str(&heading("RULES", "规则"));
    for (key, rule) in &guidance.rules {
        text.push_str(&line(key, &rule.text));
    }
    text
}

/// One rule. What follows a line break is moved in, so that nothing in a rule looks like another
/// rule or like a heading.
fn line(key: &impl std::fmt::Display, rule: &str) -> String {
    let is_break = |it: char| it.is_control() || matches!(it, '\u{2028}' | '\u{2029}');
    let lines: Vec<&str> = rule.trim().split(is_break).filter(|it| !it.is_empty()).collect();
    format!("[{key}]. {}\n", lines.join("\n    "))
}
