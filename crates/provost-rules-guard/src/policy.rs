//! The permission policy: what may be done with which tool, path, command and host.
//!
//! [`rule`] splits a call into actions and checks each against the built-in rules and the rules
//! of the person. What a built-in rule denies stays denied; what it asks about or records, a
//! person's rule may answer. The strictest action decides. Pure: no file, no clock, no disk.

mod action;
mod arguments;
mod builtin;
mod call;
mod custom;
mod error;
mod patch;
mod path_zones;
mod protected;
mod shell;

use provost_kernel::{
    Message as _,
    guard::policy::{Effect, Policy, PolicyRule, PolicyRuling, ToolCall},
};

use self::{
    action::{Action, Found},
    call::Tool,
    path_zones::PathZones,
};
pub use self::{builtin::BuiltIn, custom::validate, error::GlobError};

/// Rules on a call of a tool.
pub fn rule(policy: &Policy, call: &ToolCall) -> PolicyRuling {
    let Some(name) = call.tool.as_deref().map(str::trim).filter(|it| !it.is_empty()) else {
        return by_built_in(BuiltIn::ToolUnnamed, "");
    };
    let zones = PathZones::of(call);
    let tool = Tool::named(name);
    let mut strictest: Option<PolicyRuling> = None;
    for action in call::actions(&zones, &tool, &call.input) {
        let ruling = on_action(policy, &zones, &tool, &action);
        let is_stricter = strictest.as_ref().is_none_or(|it| {
            ruling.effect > it.effect
                || (ruling.effect == it.effect && it.rule == BuiltIn::Default.id())
        });
        if is_stricter {
            strictest = Some(ruling);
        }
    }
    strictest.unwrap_or_else(|| by_built_in(BuiltIn::Default, &action::show(name)))
}

fn on_action(policy: &Policy, zones: &PathZones, tool: &Tool, action: &Action) -> PolicyRuling {
    let built_in = strictest(&action.found);
    if let Some(found) = built_in.filter(|it| it.rule.effect() == Effect::Deny) {
        return by_built_in(found.rule, &found.subject);
    }
    let mut rules = policy.rules.iter().enumerate();
    if let Some((at, rule)) = rules.find(|(_, it)| custom::fits(it, zones, tool, action)) {
        return by_person(at, rule, action);
    }
    match built_in {
        Some(found) => by_built_in(found.rule, &found.subject),
        None => by_built_in(BuiltIn::Default, &action.subject),
    }
}

/// The gravest rule; the first of several.
fn strictest(found: &[Found]) -> Option<&Found> {
    found.iter().rev().max_by_key(|it| it.rule.effect())
}

fn by_built_in(rule: BuiltIn, subject: &str) -> PolicyRuling {
    PolicyRuling {
        effect: rule.effect(),
        rule: rule.id().into(),
        why: rule.text(),
        subject: subject.to_owned(),
        hint: rule.hint(),
    }
}

fn by_person(at: usize, rule: &PolicyRule, action: &Action) -> PolicyRuling {
    PolicyRuling {
        effect: rule.effect,
        rule: rule.id.clone().unwrap_or_else(|| format!("user.{}", at + 1)).into(),
        why: custom::why(rule),
        subject: action.subject.clone(),
        hint: None,
    }
}

#[cfg(test)]
mod tests;
