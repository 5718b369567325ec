//! The rule that would permit what was refused, for good: as narrow as the call that a person saw.

use provost_kernel::guard::policy::{Effect, Policy, PolicyRule, PolicyRuling, ToolCall};
use provost_rules::secret;

use super::{
    BuiltIn, Held,
    action::Action,
    call::{self, Kind, Tool},
    path_zones::PathZones,
    shown,
};

/// A rule that permits the action which decided, if one can be written that names it in full.
///
/// There is none where a part of the action is only known at run time, holds a secret, or meets a
/// rule that has no override.
pub fn permanent(policy: &Policy, call: &ToolCall, ruling: &PolicyRuling) -> Option<PolicyRule> {
    let tool = Tool::named(call.tool.as_deref()?);
    let zones = PathZones::of(call);
    let held = Held { policy, facts: &call.facts };
    let decided = |it: &Action| {
        let own = held.on_action(&zones, &tool, it);
        own.rule == ruling.rule
            && own.effect == ruling.effect
            && shown(own).subject == ruling.subject
    };
    let action = call::actions(&zones, &tool, &call.input).into_iter().find(|it| decided(it))?;
    let rule = narrowest(held, &tool, &action)?;
    let rules = policy.rules.iter().cloned().chain([rule.clone()]).collect();
    let policy = Policy { rules, ..policy.clone() };
    let after = Held { policy: &policy, ..held }.on_action(&zones, &tool, &action);
    after.effect.passes().then_some(rule)
}

fn narrowest(held: Held<'_>, tool: &Tool, action: &Action) -> Option<PolicyRule> {
    let mut rule = PolicyRule::new(Effect::Allow);
    for found in action.found.iter().filter(|it| !held.effect(it).passes()) {
        let name = found.rule.id().to_owned();
        if !rule.rule.contains(&name) {
            rule.rule.push(name);
        }
    }
    let is_permitted = |it: &String| BuiltIn::named(it).is_some_and(BuiltIn::can_be_permitted);
    if rule.rule.is_empty() || !rule.rule.iter().all(is_permitted) {
        return None;
    }
    rule.tool = vec![tool_word(tool)];
    if !action.words.is_empty() {
        rule.command = action.words.iter().cloned().collect::<Option<_>>()?;
    } else if !action.paths.is_empty() {
        rule.path = action.paths.iter().map(|it| it.path.clone()).collect();
    } else if !action.hosts.is_empty() {
        rule.host.clone_from(&action.hosts);
    } else {
        return None;
    }
    let mut texts = rule.command.iter().chain(&rule.path).chain(&rule.host);
    // A sign of a pattern would permit more than what was seen.
    let is_plain = |it: &String| {
        let signs = if rule.command.is_empty() { "*?[]{}\\" } else { "" };
        !it.is_empty()
            && !it.ends_with('*')
            && !it.contains(|it: char| signs.contains(it) || it.is_control())
            && secret::scan(it.as_bytes()).is_empty()
    };
    texts.all(is_plain).then_some(rule)
}

fn tool_word(tool: &Tool) -> String {
    match tool.kind {
        Kind::Shell => tool.kind.word().to_owned(),
        Kind::Write
        | Kind::Patch
        | Kind::Read
        | Kind::List
        | Kind::Web
        | Kind::Agent
        | Kind::Unknown => tool.name.clone(),
    }
}
