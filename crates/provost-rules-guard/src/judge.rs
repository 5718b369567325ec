//! What a question is answered with, by the permission policy.

use provost_kernel::{
    Message, Text,
    guard::{
        HookAnswer, HookInput, HookType, RefusalCode,
        policy::{Effect, FollowedLink, Policy, PolicyRuling, RepositoryFact, ToolCall},
    },
};
use serde_json::Value;

use super::{permit::PermittedBy, policy};

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
    /// The program that asks.
    pub program: Option<String>,
    /// What is known of repositories.
    pub facts: Vec<RepositoryFact>,
    /// The links that lie on the way to what the call touches.
    pub links: Vec<FollowedLink>,
}

/// What a hook is answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    pub answer: HookAnswer,
    /// What was ruled, if the hook is about a tool.
    pub ruling: Option<PolicyRuling>,
    /// By whose word it passes although a rule speaks against it.
    pub permitted_by: Option<PermittedBy>,
    /// The code under which a person can permit it.
    pub code: Option<RefusalCode>,
}

impl Judged {
    /// The same call, which a person lets pass.
    #[must_use]
    pub fn permitted(self, by: PermittedBy) -> Self {
        Self { answer: HookAnswer::Allow, permitted_by: Some(by), ..self }
    }
}

/// How a person may permit what was refused.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "guard.way_out")]
pub enum WayOut {
    /// They type the code.
    #[message(
        en = "only a person can permit it, within {minutes} minutes and in a terminal of their own: `provost guard allow {code} --because TEXT`; if the task needs it, ask them",
        zh = "只有人可以允许它：请使用者在 {minutes} 分钟内在自己的终端运行 `provost guard allow {code} --because TEXT`；任务确实需要时请询问使用者"
    )]
    Code { code: RefusalCode, minutes: u64 },
    /// The rule has no override.
    #[message(
        en = "this rule has no override; if the task needs it, ask the person to do it themselves",
        zh = "任何人都不能允许智能体这样做；确有必要时由人自行完成"
    )]
    Person,
    /// The refusal is kept nowhere, so that no code stands for it.
    #[message(
        en = "without a provost home here it cannot be permitted; if the task needs it, ask the person to do it",
        zh = "此处没有 provost 主目录，因此无法允许；任务确实需要时请由使用者来做"
    )]
    NoHome,
}

/// What an agent is to leave alone that is refused something.
#[derive(Message)]
#[message(
    code = "guard.steer",
    en = "do not try to get the same effect by other means: another command, a script or another tool is no permission",
    zh = "不要用其他方式达到同样的效果：换用其他命令、脚本或工具都不等于获得许可"
)]
struct Steer;

/// The same answer, saying that it must not be worked round and how a person may permit it.
#[must_use]
pub fn with_way_out(judged: Judged, way: &WayOut) -> Judged {
    let add = |mut reason: Vec<Text>| {
        reason.extend([Steer.text(), way.text()]);
        reason
    };
    let answer = match judged.answer {
        HookAnswer::Deny { reason } => HookAnswer::Deny { reason: add(reason) },
        HookAnswer::Ask { reason } => HookAnswer::Ask { reason: add(reason) },
        answer @ (HookAnswer::Nothing | HookAnswer::Allow | HookAnswer::Note { .. }) => answer,
    };
    let code = match way {
        WayOut::Code { code, .. } => Some(code.clone()),
        WayOut::Person | WayOut::NoHome => None,
    };
    Judged { answer, code, ..judged }
}

/// Judges a hook. Only the types that ask before a tool runs are held against the policy.
pub fn judge(policy: &Policy, input: &HookInput, place: &Place) -> Judged {
    match input.hook {
        HookType::PreToolUse | HookType::PermissionRequest => {
            let ruling = policy::rule(policy, &call(input, place));
            Judged { answer: answer(&ruling), ruling: Some(ruling), permitted_by: None, code: None }
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
        | HookType::SetupMaintenance => {
            Judged { answer: HookAnswer::Nothing, ruling: None, permitted_by: None, code: None }
        }
    }
}

/// The call that a payload is about. One without a folder runs at the root of nothing: no path
/// of it is taken to lie in a project.
pub fn call(input: &HookInput, place: &Place) -> ToolCall {
    let Place { root, granted, home, user_home, program, facts, links } = place.clone();
    ToolCall {
        tool: input.tool_name.clone(),
        input: input.tool_input.clone().unwrap_or(Value::Null),
        directory: input.directory.clone().unwrap_or_else(|| "/".to_owned()),
        root,
        granted,
        home,
        user_home,
        program,
        facts,
        links,
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
    let PolicyRuling { effect, rule, why, subject, hint, open: _, touched: _ } = ruling;
    let reason = match (effect, subject.as_str()) {
        (Effect::Deny, "") => Reason::DenyCall { rule, why },
        (Effect::Deny, subject) => Reason::Deny { rule, why, subject },
        (Effect::Allow | Effect::Record | Effect::Ask, "") => Reason::AskCall { rule, why },
        (Effect::Allow | Effect::Record | Effect::Ask, subject) => {
            Reason::Ask { rule, why, subject }
        }
    };
    let instead = hint.as_ref().map(|hint| Instead { hint }.text());
    [reason.text()].into_iter().chain(instead).collect()
}

/// What to do in place of what was refused.
#[derive(Message)]
#[message(code = "guard.instead", en = "instead: {hint}", zh = "建议：{hint}")]
struct Instead<'a> {
    hint: &'a Text,
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
                 are not committed: `git reset --hard`\ninstead: `git stash` keeps them, `git reset \
                 --soft` moves the branch only",
            );
        }
        check(
            HookType::PreToolUse,
            "npm publish",
            "provost wants a person to decide, by its rule `publish`: it publishes something that \
             cannot be taken back: `npm publish`\ninstead: rehearse it (`--dry-run`), and leave \
             the release to the person or to CI",
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
