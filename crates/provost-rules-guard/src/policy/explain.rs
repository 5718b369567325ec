//! Which rule decides a call, and why, as a text for a person.

use provost_kernel::{
    Lang,
    guard::policy::{Policy, ToolCall},
};

use super::rule;

/// Says which rule decides a call, and why.
pub fn explain(policy: &Policy, call: &ToolCall, lang: Lang) -> String {
    let ruling = rule(policy, call);
    let effect = ruling.effect;
    let label = effect.label(lang);
    let decided = lang.pick(
        format!("{}: {label}, by the rule `{}`", effect.as_str(), ruling.rule),
        format!("{}: {label},依据规则 `{}`", effect.as_str(), ruling.rule),
    );
    let mut lines = vec![decided];
    lines.push(format!("{}: {}", lang.pick("why", "原因"), ruling.why.render(lang)));
    if !ruling.subject.is_empty() {
        lines.push(format!("{}: `{}`", lang.pick("part", "部分"), ruling.subject));
    }
    if let Some(hint) = &ruling.hint {
        lines.push(format!("{}: {}", lang.pick("hint", "提示"), hint.render(lang)));
    }
    lines.push(String::new());
    lines.join("\n")
}
