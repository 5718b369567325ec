//! What is answered when the guard itself fails, and how a reason is made safe to show.

use std::iter::successors;

use provost_kernel::{
    Fault, Message, Text,
    guard::{FailureSeverity, HookAnswer, HookType},
};

/// How many characters of a reason are passed on.
const LONGEST: usize = 4_000;

/// Says that the guard failed, and that the command is not to blame.
#[derive(Message)]
#[message(code = "guard.failure")]
enum Failure {
    #[message(
        en = "provost refuses because its guard failed: {0}. This is an error of the guard, not \
              of the command.",
        zh = "provost 拒绝，因为守卫自身出错：{0}。这是守卫的错误，不是命令的错误。"
    )]
    Guard(Text),
    #[message(en = "{error}: {cause}", zh = "{error}：{cause}")]
    Caused { error: Text, cause: Text },
}

/// The answer to a hook that the guard could not judge (HOOK-1.4, HOOK-1.5).
///
/// On a tool or a permission that is a refusal. No client lets itself be stopped on the other
/// severe types, so it is a refusal too, which the dialect turns into a record; the rest go on.
pub fn failure(hook: HookType, fault: &dyn Fault) -> HookAnswer {
    match hook.failure_severity() {
        FailureSeverity::Critical | FailureSeverity::High => {
            HookAnswer::Deny { reason: failure_lines(fault) }
        }
        FailureSeverity::Low => HookAnswer::Nothing,
    }
}

/// What failed with all its causes, and the hints: the reader sees nothing else.
pub fn failure_lines(fault: &dyn Fault) -> Vec<Text> {
    let mut causes = fault.causes();
    if causes.is_empty() {
        let sources = successors(fault.source(), |it| it.source());
        causes = sources.map(|it| Text::verbatim(it.to_string())).collect();
    }
    let add = |error, cause| Failure::Caused { error, cause }.text();
    let error = causes.into_iter().fold(fault.text(), add);
    [Failure::Guard(error).text()].into_iter().chain(fault.hints()).collect()
}

/// A reason as a client may show it: never empty, not endless, and without control characters.
///
/// A command can end up in a reason, and what controls a terminal must not. Codex ignores a
/// refusal whose reason is empty.
pub fn presentable(reason: &str) -> String {
    let is_plain = |it: &char| *it == '\n' || !(it.is_control() || is_direction(*it));
    let spaced = reason.chars().map(|it| if it == '\t' { ' ' } else { it });
    let plain: String = spaced.filter(is_plain).take(LONGEST).collect();
    match plain.trim() {
        "" => "provost refuses this".to_owned(),
        text => text.to_owned(),
    }
}

/// A character that turns the direction of writing, and so can show another text than it is.
fn is_direction(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use provost_kernel::Lang;

    use super::*;
    use crate::normalise::InputError;

    /// HOOK-1.4: a failure on a permission is a refusal, and it names the guard as the cause.
    #[test]
    fn a_failure_of_ours_refuses_tools_and_permissions() {
        for hook in [HookType::PermissionRequest, HookType::PreToolUse] {
            let HookAnswer::Deny { reason } = failure(hook, &InputError::Empty) else {
                panic!("{hook} is not refused");
            };
            assert_eq!(
                reason.iter().map(Text::to_string).collect::<Vec<_>>(),
                ["provost refuses because its guard failed: the payload is empty. This is an \
                  error of the guard, not of the command."],
            );
        }
        let lines = failure_lines(&InputError::UnknownClient);
        assert_eq!(
            lines.iter().map(|it| Lang::Zh.render(it)).collect::<Vec<_>>(),
            [
                "provost 拒绝，因为守卫自身出错：无法确定客户端：命令行和输入都没有说明。\
                 这是守卫的错误，不是命令的错误。",
                "请指明：`provost hook --client claude`",
            ],
        );
        for hook in [HookType::Ralph, HookType::KeywordDetector, HookType::PostToolUse] {
            assert_eq!(failure(hook, &InputError::Empty), HookAnswer::Nothing);
        }
    }

    #[test]
    fn a_reason_is_fit_to_be_shown() {
        assert_eq!(presentable(""), "provost refuses this");
        assert_eq!(presentable(" \u{7}\n\t "), "provost refuses this");
        assert_eq!(presentable("a\u{1b}[31mb\r\nc\0\td"), "a[31mb\nc d");
        assert_eq!(presentable("rm \u{202e}gpj.\u{2066}x"), "rm gpj.x");
        assert_eq!(presentable(&"长".repeat(5_000)).chars().count(), 4_000);
    }
}
