//! The rule against gaining another user's rights (LOOP-A3).
//!
//! `sudo` and its kin are refused for any adapter, test or remote command, in any form: under
//! another path, behind quotes, prefixes and aliases, inside code that another program reads, or
//! in a part of the text that could not be understood. A text that only speaks of `sudo` passes.

use provost_kernel::{Finding, Message, Severity, shorten_to};
use provost_shell::{Privilege, Script, privilege};

use crate::secret;

/// The longest part of a command that a finding repeats, in characters.
const SHOWN: usize = 200;

/// Why a command is refused.
#[derive(Debug, Message)]
#[message(code = "command.sudo")]
enum Refusal {
    #[message(
        en = "the command runs `{program}`, which gives it another user's rights",
        zh = "该命令运行 `{program}`，会取得其他用户的权限",
        hint(
            en = "run it without another user's rights: set the machine up before the run, or give the files to the user that provost runs as",
            zh = "请勿借用其他用户的权限运行：在运行前准备好机器，或把文件交给运行 provost 的用户"
        )
    )]
    Runs { program: String },
    #[message(
        en = "the command contains `{program}` in a part that cannot be checked",
        zh = "该命令中无法检查的部分含有 `{program}`",
        hint(
            en = "run it without another user's rights: set the machine up before the run, or give the files to the user that provost runs as",
            zh = "请勿借用其他用户的权限运行：在运行前准备好机器，或把文件交给运行 provost 的用户"
        )
    )]
    Mentions { program: String },
}

/// Refuses a command that gains another user's rights; the finding is of rule `command.sudo`.
pub fn refuse_sudo(script: &Script) -> Option<Finding> {
    let (subject, refusal) = match privilege(script)? {
        Privilege::Runs(program, invocation) => {
            (show(&invocation.shown()), Refusal::Runs { program: program.to_string() })
        }
        Privilege::Mentions(program, part) => {
            (show(&part.text), Refusal::Mentions { program: program.to_string() })
        }
    };
    Some(Finding::new("command.sudo", Severity::P0, subject, &refusal))
}

/// A command as a finding may repeat it: without secrets, and not too long.
fn show(command: &str) -> String {
    let clean = secret::redact(command.as_bytes());
    shorten_to(&String::from_utf8_lossy(&clean), SHOWN)
}
