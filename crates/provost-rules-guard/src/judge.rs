//! What a question is answered with, by the permission policy.

use provost_kernel::{
    Message, Text,
    guard::{
        HookAnswer, HookInput, HookType,
        policy::{Effect, Policy, PolicyRuling, ToolCall},
    },
};
use serde_json::Value;

use super::policy;

/// Where the agent works, as far as a payload does not say it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The project's folder, if it is known.
    pub root: Option<String>,
    /// Further folders that the agent may write to.
    pub granted: Vec<String>,
    /// The home of provost.
    pub home: Option<String>,
    /// The person's own home folder.
    pub user_home: Option<String>,
}

/// What a hook is answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    pub answer: HookAnswer,
    /// What was ruled, if the hook is about a tool.
    pub ruling: Option<PolicyRuling>,
}

/// Judges a hook. Only the types that ask before a tool runs are held against the policy.
pub fn judge(policy: &Policy, input: &HookInput, place: &Place) -> Judged {
    match input.hook {
        HookType::PreToolUse | HookType::PermissionRequest => {
            let ruling = policy::rule(policy, &call(input, place));
            Judged { answer: answer(&ruling), ruling: Some(ruling) }
        }
        HookType::KeywordDetector
        | HookType::Ralph
        | HookType::PersistentMode
        | HookType::StopContinuation
        | HookType::SessionStart
        | HookType::SessionEnd
        | HookType::PostToolUse
        | HookType::Autopilot
        | HookType::SubagentStart
        | HookType::SubagentStop
        | HookType::PreCompact
        | HookType::SetupInit
        | HookType::SetupMaintenance => Judged { answer: HookAnswer::Nothing, ruling: None },
    }
}

/// The call that a payload is about. One without a folder runs at the root of nothing: no path
/// of it is taken to lie in a project.
fn call(input: &HookInput, place: &Place) -> ToolCall {
    let Place { root, granted, home, user_home } = place.clone();
    ToolCall {
        tool: input.tool_name.clone(),
        input: input.tool_input.clone().unwrap_or(Value::Null),
        directory: input.directory.clone().unwrap_or_else(|| "/".to_owned()),
        root,
        granted,
        home,
        user_home,
    }
}

/// The answer that a ruling amounts to. Its text is built only where something is not allowed.
fn answer(ruling: &PolicyRuling) -> HookAnswer {
    match ruling.effect {
        Effect::Allow | Effect::Record => HookAnswer::Allow,
        Effect::Ask => HookAnswer::Ask { reason: reason(ruling) },
        Effect::Deny => HookAnswer::Deny { reason: reason(ruling) },
    }
}

/// Why a call is refused or asked about.
#[derive(Message)]
#[message(code = "guard.reason")]
enum Reason<'a> {
    #[message(
        en = "provost refuses this by its rule `{rule}`: {why}: `{subject}`",
        zh = "provost 依据规则 `{rule}` 拒绝：{why}（`{subject}`）"
    )]
    Deny { rule: &'a str, why: &'a Text, subject: &'a str },
    #[message(
        en = "provost refuses this by its rule `{rule}`: {why}",
        zh = "provost 依据规则 `{rule}` 拒绝：{why}"
    )]
    DenyCall { rule: &'a str, why: &'a Text },
    #[message(
        en = "provost wants a person to decide, by its rule `{rule}`: {why}: `{subject}`",
        zh = "provost 依据规则 `{rule}` 要求由人决定：{why}（`{subject}`）"
    )]
    Ask { rule: &'a str, why: &'a Text, subject: &'a str },
    #[message(
        en = "provost wants a person to decide, by its rule `{rule}`: {why}",
        zh = "provost 依据规则 `{rule}` 要求由人决定：{why}"
    )]
    AskCall { rule: &'a str, why: &'a Text },
}

fn reason(ruling: &PolicyRuling) -> Vec<Text> {
    let PolicyRuling { effect, rule, why, subject, hint } = ruling;
    let reason = match (effect, subject.as_str()) {
        (Effect::Deny, "") => Reason::DenyCall { rule, why },
        (Effect::Deny, subject) => Reason::Deny { rule, why, subject },
        (Effect::Allow | Effect::Record | Effect::Ask, "") => Reason::AskCall { rule, why },
        (Effect::Allow | Effect::Record | Effect::Ask, subject) => {
            Reason::Ask { rule, why, subject }
        }
    };
    [reason.text()].into_iter().chain(hint.clone()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked(hook: HookType, command: &str) -> HookInput {
        HookInput {
            tool_name: Some("Bash".to_owned()),
            tool_input: Some(json!({ "command": command })),
            directory: Some("/p".to_owned()),
            ..HookInput::empty(hook)
        }
    }

    fn lines(texts: &[Text]) -> String {
        texts.iter().map(Text::to_string).collect::<Vec<_>>().join("\n")
    }

    #[track_caller]
    fn check(hook: HookType, command: &str, expected: &str) {
        let judged = judge(&Policy::default(), &asked(hook, command), &Place::default());
        let actual = match &judged.answer {
            HookAnswer::Nothing => "nothing".to_owned(),
            HookAnswer::Allow => "allow".to_owned(),
            HookAnswer::Deny { reason } | HookAnswer::Ask { reason } => lines(reason),
            HookAnswer::Note { text } => lines(text),
        };
        assert_eq!(actual, expected, "{hook} {command}");
    }

    /// HOOK-1.5: what asks before a tool runs is held against the policy.
    #[test]
    fn what_asks_before_a_tool_runs_is_judged() {
        for hook in [HookType::PreToolUse, HookType::PermissionRequest] {
            check(hook, "cargo test", "allow");
            check(
                hook,
                "git reset --hard",
                "provost refuses this by its rule `git.reset-hard`: it throws away changes that \
                 are not committed: `git reset --hard`\n`git stash` keeps them, `git reset \
                 --soft` moves the branch only",
            );
        }
        check(
            HookType::PreToolUse,
            "npm publish",
            "provost wants a person to decide, by its rule `publish`: it publishes something that \
             cannot be taken back: `npm publish`",
        );
        check(HookType::PostToolUse, "git reset --hard", "nothing");
        check(HookType::SessionStart, "git reset --hard", "nothing");
    }

    #[test]
    fn a_call_that_says_no_tool_or_no_folder_is_not_let_through() {
        for hook in [HookType::PreToolUse, HookType::PermissionRequest] {
            let unnamed = HookInput { tool_name: None, ..asked(hook, "ls") };
            let judged = judge(&Policy::default(), &unnamed, &Place::default());
            assert_eq!(judged.ruling.unwrap().rule, "tool.unnamed");
            let lost = HookInput { directory: None, ..asked(hook, "rm -r build") };
            let judged = judge(&Policy::default(), &lost, &Place::default());
            assert_ne!(judged.answer, HookAnswer::Allow);
        }
    }
}
