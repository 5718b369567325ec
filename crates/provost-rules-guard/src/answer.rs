//! What is answered when the guard itself fails, and how a reason is made fit to be shown.

use provost_kernel::{
    Fault, Lang, Message,
    guard::{FailureSeverity, HookAnswer, HookType},
};

/// How many characters of a reason are passed on.
const LONGEST: usize = 4_000;

/// The answer to a hook that the guard could not judge (HOOK-1.4, HOOK-1.5).
///
/// On a tool or a permission that is a refusal. Of the graver rest no client lets itself be
/// stopped, so it is a refusal too, which the dialect turns into a record; the others go on.
pub fn failure(hook: HookType, fault: &dyn Fault, lang: Lang) -> HookAnswer {
    match hook.failure_severity() {
        FailureSeverity::Critical | FailureSeverity::High => {
            HookAnswer::Deny { reason: failure_text(fault, lang) }
        }
        FailureSeverity::Low => HookAnswer::Nothing,
    }
}

/// Says that the guard failed, and that what it was asked about is not to blame.
pub fn failure_text(fault: &dyn Fault, lang: Lang) -> String {
    let text = with_causes(fault, lang);
    let said = lang.pick(
        format!(
            "provost refuses because its guard failed: {text}. This is an error of the guard, not \
             of the command."
        ),
        format!("provost 拒绝,因为防护自身出错:{text}。这是防护的错误,不是命令的错误。"),
    );
    fault.hints_in(lang).into_iter().fold(said, |said, hint| said + "\n" + &hint)
}

/// What failed, and why: the person who reads it has nothing else to look at.
fn with_causes(fault: &dyn Fault, lang: Lang) -> String {
    let mut text = fault.text().render(lang);
    let mut cause = fault.source();
    while let Some(error) = cause {
        text += &lang.pick(format!(": {error}"), format!(":{error}"));
        cause = error.source();
    }
    text
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
    use super::*;
    use crate::normalise::InputError;

    /// HOOK-1.4: a failure on a permission is a refusal, and it says whose error it is.
    #[test]
    fn a_failure_of_ours_refuses_tools_and_permissions() {
        for hook in [HookType::PermissionRequest, HookType::PreToolUse] {
            let HookAnswer::Deny { reason } = failure(hook, &InputError::Empty, Lang::En) else {
                panic!("{hook} is not refused");
            };
            assert_eq!(
                reason,
                "provost refuses because its guard failed: the payload is empty. This is an error \
                 of the guard, not of the command.",
            );
        }
        assert_eq!(
            failure_text(&InputError::UnknownClient, Lang::Zh),
            "provost 拒绝,因为防护自身出错:无法确定输入来自哪个客户端。这是防护的错误,\
             不是命令的错误。\n请指明:`provost hook --client claude`",
        );
        for hook in [HookType::Ralph, HookType::KeywordDetector, HookType::PostToolUse] {
            assert_eq!(failure(hook, &InputError::Empty, Lang::En), HookAnswer::Nothing);
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
