//! The permission policy: what may be done with which tool, path, command and host.
//!
//! [`rule`] splits a call into actions and checks each against the built-in rules and the rules
//! of the person. What a built-in rule denies is answered by a rule that names it; what it asks
//! about or records, any rule of the person may answer. The rules of a repository can only tighten.
//! The strictest action decides. Pure: no file, no clock, no disk.

mod action;
mod arguments;
mod builtin;
mod call;
mod custom;
mod error;
mod patch;
mod path_zones;
mod permanent;
mod protected;
mod shell;
mod trust;

use provost_kernel::{
    Message as _,
    guard::policy::{
        Effect, Policy, PolicyRule, PolicyRuling, RepositoryFact, ToolCall, TouchedPaths,
    },
};

pub use self::{
    action::show,
    builtin::BuiltIn,
    custom::{holds, validate},
    error::RuleError,
    permanent::permanent,
    trust::{TrustError, trustworthy},
};
use self::{
    action::{Action, Found},
    call::{Kind, Tool},
    path_zones::PathZones,
};

/// Rules on a call of a tool.
pub fn rule(policy: &Policy, call: &ToolCall) -> PolicyRuling {
    let Some(name) = call.tool.as_deref().map(str::trim).filter(|it| !it.is_empty()) else {
        return by_built_in(policy, BuiltIn::ToolUnnamed, "");
    };
    let held = Held { policy, facts: &call.facts };
    let (zones, tool) = (PathZones::of(call), Tool::named(name));
    let mut strictest: Option<PolicyRuling> = None;
    let (mut open, mut touched) = (Vec::new(), TouchedPaths::default());
    for action in call::actions(&zones, &tool, &call.input) {
        open.extend(action.found.iter().filter_map(|it| it.unless.clone()));
        touched.0.extend(
            action.paths.iter().filter(|it| zones.may_be_led(&it.path)).map(|it| it.path.clone()),
        );
        let ruling = held.on_action(&zones, &tool, &action);
        let is_stricter = strictest.as_ref().is_none_or(|it| {
            ruling.effect > it.effect
                || (ruling.effect == it.effect && it.rule == BuiltIn::Default.id())
        });
        if is_stricter {
            strictest = Some(ruling);
        }
    }
    match strictest {
        Some(ruling) => PolicyRuling { open, touched, ..shown(ruling) },
        None => shown(by_built_in(policy, BuiltIn::Default, name)),
    }
}

/// The rulings on every part of a call, each with the place where it begins in the command.
pub fn rulings(policy: &Policy, call: &ToolCall) -> Vec<(usize, PolicyRuling)> {
    let held = Held { policy, facts: &call.facts };
    let zones = PathZones::of(call);
    let tool = Tool::named(call.tool.as_deref().unwrap_or_default());
    let actions = call::actions(&zones, &tool, &call.input);
    let ruling =
        |it: &Action| (it.at.unwrap_or_default(), shown(held.on_action(&zones, &tool, it)));
    actions.iter().map(ruling).collect()
}

/// A ruling as it may be repeated. Taking secrets out is dear, so it is done for what decides alone.
fn shown(ruling: PolicyRuling) -> PolicyRuling {
    PolicyRuling { subject: show(&ruling.subject), ..ruling }
}

/// Whether a person may permit what was refused or asked about.
pub fn can_be_permitted(ruling: &PolicyRuling) -> bool {
    BuiltIn::named(&ruling.rule).is_none_or(BuiltIn::can_be_permitted)
}

/// Whether a tool runs commands of a shell.
pub fn is_shell(tool: &str) -> bool {
    Tool::named(tool.trim()).kind == Kind::Shell
}

/// What actions are held against.
#[derive(Clone, Copy, Debug)]
struct Held<'a> {
    policy: &'a Policy,
    facts: &'a [RepositoryFact],
}

impl Held<'_> {
    fn on_action(self, zones: &PathZones, tool: &Tool, action: &Action) -> PolicyRuling {
        let own = self.by_own(zones, tool, action);
        let of_repository = self
            .fitting(&self.policy.repository, zones, tool, action)
            .map(|(at, rule)| by_rule("repository", at, rule, action))
            .next();
        of_repository.filter(|it| it.effect > own.effect).unwrap_or(own)
    }

    /// What the built-in rules and the person say.
    fn by_own(self, zones: &PathZones, tool: &Tool, action: &Action) -> PolicyRuling {
        let mut left: Vec<&Found> = action.found.iter().collect();
        let mut answered = None;
        for (at, rule) in self.fitting(&self.policy.rules, zones, tool, action) {
            let names = |it: &&Found| rule.rule.iter().any(|name| name == it.rule.id());
            if rule.rule.is_empty() {
                // A denial stands unless a rule names it.
                return match left.iter().find(|it| self.is_refusal(it)) {
                    Some(found) => self.by_found(found),
                    None => by_rule("user", at, rule, action),
                };
            }
            if !rule.effect.passes() && left.iter().any(names) {
                return self
                    .strictest(&left)
                    .filter(|it| self.effect(it) > rule.effect)
                    .map_or_else(|| by_rule("user", at, rule, action), |it| self.by_found(it));
            }
            let answers = |it: &&Found| names(it) && it.rule.can_be_permitted();
            if rule.effect.passes() && left.iter().any(answers) {
                left.retain(|it| !answers(it));
                answered = answered.or_else(|| Some(by_rule("user", at, rule, action)));
            }
        }
        let found = self.strictest(&left);
        match (found, answered) {
            (Some(found), Some(answer)) if self.effect(found) <= answer.effect => answer,
            (None, Some(answer)) => answer,
            (Some(found), _) => self.by_found(found),
            (None, None) => by_built_in(self.policy, BuiltIn::Default, &action.subject),
        }
    }

    /// The rules of a list that fit an action, in their order.
    fn fitting<'a>(
        self,
        rules: &'a [PolicyRule],
        zones: &'a PathZones,
        tool: &'a Tool,
        action: &'a Action,
    ) -> impl Iterator<Item = (usize, &'a PolicyRule)> + use<'a> {
        let now = self.policy.now;
        let fits =
            move |it: &&PolicyRule| custom::holds(it, now) && custom::fits(it, zones, tool, action);
        rules.iter().enumerate().filter(move |(_, it)| fits(it))
    }

    /// The gravest rule; the first of several.
    fn strictest<'a>(self, found: &[&'a Found]) -> Option<&'a Found> {
        found.iter().rev().max_by_key(|it| self.effect(it)).copied()
    }

    /// What a rule amounts to where it was met. What is known of the repository takes the edge off.
    fn effect(self, found: &Found) -> Effect {
        let effect = found.rule.effect_in(self.policy);
        let is_harmless = found.unless.as_ref().is_some_and(|it| self.facts.contains(it));
        if is_harmless { effect.min(Effect::Record) } else { effect }
    }

    /// Whether a built-in rule yields only to a rule that names it.
    fn is_refusal(self, found: &Found) -> bool {
        found.rule.effect() == Effect::Deny && self.effect(found) == Effect::Deny
    }

    fn by_found(self, found: &Found) -> PolicyRuling {
        let effect = self.effect(found);
        PolicyRuling { effect, ..by_built_in(self.policy, found.rule, &found.subject) }
    }
}

fn by_built_in(policy: &Policy, rule: BuiltIn, subject: &str) -> PolicyRuling {
    PolicyRuling {
        effect: rule.effect_in(policy),
        rule: rule.id().into(),
        why: rule.text(),
        subject: subject.to_owned(),
        hint: rule.hint(),
        open: Vec::new(),
        touched: TouchedPaths::default(),
    }
}

fn by_rule(list: &str, at: usize, rule: &PolicyRule, action: &Action) -> PolicyRuling {
    PolicyRuling {
        effect: rule.effect,
        rule: rule.id.clone().unwrap_or_else(|| format!("{list}.{}", at + 1)).into(),
        why: custom::why(rule),
        subject: action.subject.to_string(),
        hint: None,
        open: Vec::new(),
        touched: TouchedPaths::default(),
    }
}

#[cfg(test)]
mod tests;
