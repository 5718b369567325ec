//! The rule against gaining another user's rights (LOOP-A3).
//!
//! `sudo` and its kin are refused for any adapter, test or remote command, in any form: under
//! another path, behind quotes, prefixes and aliases, inside code that another program reads, or
//! in a part of the text that could not be understood. A text that only speaks of `sudo` passes.

use provost_kernel::{Finding, Lang, Severity};
use provost_shell::{Privilege, Script, privilege};

use crate::secret;

/// The longest part of a command that a finding repeats, in characters.
const SHOWN: usize = 200;

/// Refuses a command that gains another user's rights; the finding is of rule `command.sudo`.
pub fn refuse_sudo(script: &Script, lang: Lang) -> Option<Finding> {
    let (subject, message) = match privilege(script)? {
        Privilege::Runs(program, invocation) => (
            show(&invocation.shown()),
            lang.pick(
                format!("the command runs `{program}`, which gives it another user's rights"),
                format!("该命令运行 `{program}`,会取得其他用户的权限"),
            ),
        ),
        Privilege::Mentions(program, part) => (
            show(&part.text),
            lang.pick(
                format!("the command contains `{program}` in a part that cannot be checked"),
                format!("该命令中无法检查的部分含有 `{program}`"),
            ),
        ),
    };
    Some(finding(subject, message, lang))
}

/// A command as a finding may repeat it: without secrets, and not too long.
fn show(command: &str) -> String {
    let clean = secret::redact(command.as_bytes());
    let clean = String::from_utf8_lossy(&clean);
    match clean.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", clean.get(..at).unwrap_or_default()),
        None => clean.into_owned(),
    }
}

fn finding(subject: String, message: String, lang: Lang) -> Finding {
    let hint = lang.pick(
        "run it without another user's rights: set the machine up before the run, \
         or give the files to the user that provost runs as",
        "请勿借用其他用户的权限运行:在运行前准备好机器,或把文件交给运行 provost 的用户",
    );
    Finding {
        rule: "command.sudo".into(),
        severity: Severity::P0,
        subject,
        message: message.into(),
        hint: Some(hint.into()),
    }
}
