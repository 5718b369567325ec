//! The rule against gaining another user's rights (LOOP-A3).
//!
//! `sudo` and its kin are refused for any adapter, test or remote command, in any form: under
//! another path, behind quotes, prefixes and aliases, inside code that another program reads, or
//! in a part of the text that could not be understood. A text that only speaks of `sudo` passes.

use provost_kernel::{Finding, Lang, Severity};

use super::{Invocation, Script, Word, word::is_same_program};
use crate::secret;

/// The programs that run something with the rights of another user.
///
/// `chroot`, `nsenter` and the like are not here: they need those rights, they do not give them.
const PRIVILEGED: [&str; 18] = [
    "sudo", "sudo-rs", "sudoedit", "gsudo", "kdesudo", "gksudo", "doas", "dzdo", "pfexec",
    "pkexec", "run0", "runas", "runuser", "su", "su-rs", "ksu", "kdesu", "gksu",
];

/// Those of them that mean nothing else in a text that is not understood.
const TELLING: [&str; 9] =
    ["sudo", "sudoedit", "gsudo", "kdesudo", "gksudo", "doas", "dzdo", "pkexec", "pfexec"];

/// The longest part of a command that a finding repeats, in characters.
const SHOWN: usize = 200;

/// Refuses a command that gains another user's rights; the finding is of rule `command.sudo`.
pub fn refuse_sudo(script: &Script, lang: Lang) -> Option<Finding> {
    for invocation in &script.invocations {
        if let Some(program) = gains_rights(invocation) {
            let shown = show(&invocation.shown());
            let message = lang.pick(
                format!("the command runs `{program}`, which gives it another user's rights"),
                format!("该命令运行 `{program}`,会取得其他用户的权限"),
            );
            return Some(finding(shown, message, lang));
        }
    }
    let telling = script.opaque.iter().find_map(|it| Some((it, mentions(&it.text)?)));
    telling.map(|(part, program)| {
        let message = lang.pick(
            format!("the command contains `{program}` in a part that cannot be checked"),
            format!("该命令中无法检查的部分含有 `{program}`"),
        );
        finding(show(&part.text), message, lang)
    })
}

/// Whether the first word names one of the programs.
pub(super) fn is_privileged(words: &[Word]) -> bool {
    words.first().and_then(Word::base_name).is_some_and(is_privileged_name)
}

pub(super) fn is_privileged_name(name: &str) -> bool {
    PRIVILEGED.iter().any(|it| is_same_program(name, it))
}

fn gains_rights(invocation: &Invocation) -> Option<&'static str> {
    let name = invocation.words.first()?;
    let by_name = name.could_name(&PRIVILEGED);
    // Where it is only a guess which word is started, each of them may be.
    by_name.or_else(|| {
        let mut words = invocation.arguments().iter().filter(|_| invocation.is_uncertain);
        words.find_map(|word| word.could_name(&PRIVILEGED))
    })
}

/// The telling name that stands in a text as a word, quotes and backslashes ignored.
fn mentions(text: &str) -> Option<&'static str> {
    let bare: String = text.replace("\\\n", "").replace(['\'', '"', '\\'], "").to_ascii_lowercase();
    let spaced = text.to_ascii_lowercase();
    TELLING.into_iter().find(|name| has_word(&bare, name) || has_word(&spaced, name))
}

fn has_word(text: &str, name: &str) -> bool {
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|it| it.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|it| it.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
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
        message,
        hint: Some(hint.to_owned()),
    }
}
