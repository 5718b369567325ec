//! Programs that git is told to start: by a setting, a variable or an option.

use provost_shell::{Assignment, Invocation};

use super::{
    super::super::{
        action::Action,
        arguments::{Arguments, lead, program},
        builtin::BuiltIn::{GitConfiguration, GitForcePush},
    },
    subcommand,
};

/// The ends of configuration keys that name a program or another file, lead elsewhere, or shorten
/// what is kept.
const POWERFUL_KEYS: [&str; 30] = [
    "askpass",
    "clean",
    "cmd",
    "command",
    "difffilter",
    "driver",
    "editor",
    "external",
    "fsmonitor",
    "gitproxy",
    "helper",
    "hookspath",
    "insteadof",
    "mirror",
    "packobjectshook",
    "pager",
    "path",
    "process",
    "program",
    "proxy",
    "pruneexpire",
    "push",
    "receivepack",
    "reflogexpire",
    "smudge",
    "sshcommand",
    "sslverify",
    "templatedir",
    "textconv",
    "uploadpack",
];

/// Variables that name a program or a folder of programs and hooks.
const VARIABLES: [&str; 11] = [
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSL_NO_VERIFY",
    "GIT_TEMPLATE_DIR",
];

/// What such a setting usually is, and does nothing.
const HARMLESS: [&str; 22] = [
    "",
    ":",
    "bat",
    "cache",
    "cat",
    "code --wait",
    "delta",
    "diff",
    "echo",
    "emacs",
    "false",
    "less",
    "manager",
    "meld",
    "more",
    "nano",
    "nvim",
    "osxkeychain",
    "ssh",
    "store",
    "true",
    "vim",
];

/// Options of a command that name a program or a folder with hooks; all of them for the first letters
/// that are no option of another command.
const OPTIONS: [(&str, &[&str]); 10] = [
    ("archive", &["--exec", "--remote"]),
    ("clone", &["--template", "--upload-pack", "-u"]),
    ("difftool", &["--extcmd", "-x"]),
    ("fetch", &["--upload-pack"]),
    ("fetch-pack", &["--exec", "--upload-pack"]),
    ("grep", &["--open-files-in-pager", "-O"]),
    ("init", &["--template"]),
    ("ls-remote", &["--exec", "--upload-pack"]),
    ("push", &["--exec", "--receive-pack"]),
    ("send-email", &["--cc-cmd", "--header-cmd", "--sendmail-cmd", "--to-cmd"]),
];

/// Whether a key names a program, another file or another place.
pub(super) fn is_powerful(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let end = key.rsplit('.').next().unwrap_or_default();
    let is_update = key.starts_with("submodule.") && end == "update";
    // `push.default` and `pull.rebase` are habits; `remote.x.push` says what is overwritten.
    let is_habit = end == "push" && !key.starts_with("remote.");
    is_update || (POWERFUL_KEYS.contains(&end) && !is_habit)
}

fn is_harmless(key: &str, value: &str) -> bool {
    // These are switches, and not names of programs.
    let key = key.to_ascii_lowercase();
    if key.ends_with("mirror") || key.ends_with("sslverify") {
        return value == if key.ends_with("mirror") { "false" } else { "true" };
    }
    let value = value.trim().trim_matches(['"', '\'']);
    // A program that is found by its name is one that was installed.
    let is_name = !value.contains(['/', ' ', '!', '$', '`']);
    if is_name && ["editor", "external", "pager"].iter().any(|it| key.ends_with(it)) {
        return true;
    }
    let first = value.split(' ').next().unwrap_or_default();
    // `ssh -i key -o StrictHostKeyChecking=no` starts nothing else.
    let is_ssh = first == "ssh" && !value.to_ascii_lowercase().contains("command");
    HARMLESS.contains(&value) || is_ssh
}

/// Judges what a call of git sets for itself.
pub(super) fn judge(invocation: &Invocation, action: &mut Action) {
    let arguments = Arguments::of(invocation);
    let (name, rest) = subcommand(arguments);
    let before = arguments.words().len().saturating_sub(rest.words().len());
    let front = Arguments::new(arguments.words().get(..before).unwrap_or_default());
    let mut is_met = invocation.assignments.iter().any(steers);
    let is_new = matches!(name, Some("clone" | "init"));
    let of_clone = Arguments::new(if is_new { rest.words() } else { &[] });
    let settings = front.values(&["-c"]).chain(of_clone.values(&["-c", "--config"]));
    for setting in settings {
        let (key, value) = setting.split_once('=').unwrap_or((&setting, "true"));
        if key.to_ascii_lowercase().starts_with("remote.") && value.starts_with('+') {
            action.meet(GitForcePush);
        }
        is_met |= is_powerful(key) && !is_harmless(key, value);
    }
    let names_programs =
        |it: &str| it.starts_with("--config-env") || it.starts_with("--exec-path=");
    is_met |= front.words().iter().any(|it| names_programs(lead(it)));
    let options = OPTIONS.iter().find(|(command, _)| name == Some(command));
    let options = options.map(|(_, it)| *it).unwrap_or_default();
    let is_shown = name == Some("difftool")
        && rest.values(options).all(|it| {
            let first = it.split(' ').next().unwrap_or_default();
            let is_plain = it.chars().all(|it| it.is_ascii_alphanumeric() || " -_.$".contains(it));
            is_harmless("diff.external", first) && is_plain
        });
    is_met |= !is_shown
        && rest.words().iter().any(|word| {
            let given = lead(word);
            options.iter().any(|it| given == *it || given.split('=').next() == Some(it))
                || (name == Some("grep") && given.starts_with("-O"))
                || (name == Some("send-email") && given.starts_with("--smtp-server=/"))
        });
    if is_met {
        action.meet(GitConfiguration);
    }
}

/// Variables for any program that runs git, as `npm` and `go` do.
pub(super) fn steers(assignment: &Assignment) -> bool {
    VARIABLES.contains(&assignment.name.as_str())
        && !assignment.value.text().is_some_and(|it| is_harmless(&assignment.name, it))
}

/// `git config`.
pub(super) fn configuration(rest: Arguments<'_>, action: &mut Action) {
    let asks = ["--get", "--get-all", "--get-regexp", "--list", "--show-origin"];
    if asks.iter().any(|it| rest.has(it)) || rest.has_letter("l") || rest.first() == Some("get") {
        return;
    }
    let operands: Vec<String> =
        rest.operands().map(ToString::to_string).filter(|it| it != "set").collect();
    let is_edit = rest.has_letter("e") || rest.has_long("--edit");
    let sets = match operands.as_slice() {
        // What an alias says to git is followed by itself.
        [key, value, ..] if key.to_ascii_lowercase().starts_with("alias.") => {
            value.starts_with('!')
        }
        [key, value, ..] => is_powerful(key) && !is_harmless(key, value),
        [_] | [] => false,
    };
    if is_edit || sets {
        action.meet(GitConfiguration);
    }
}

/// Whether an invocation is git itself.
pub(super) fn is_git(invocation: &Invocation) -> bool {
    program(invocation).as_deref() == Some("git")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, expected: &[&str]) {
        let script = provost_shell::parse(command);
        let invocation = script.invocations.iter().find(|it| is_git(it)).unwrap();
        let mut action = Action::default();
        judge(invocation, &mut action);
        let found: Vec<_> = action.found.iter().map(|it| it.rule.id()).collect();
        assert_eq!(found, expected, "{command}");
    }

    #[test]
    fn a_program_that_git_is_told_to_start_is_asked_about() {
        let asked = &["git.configuration"][..];
        check("git -c core.sshCommand=/tmp/x fetch", asked);
        check("git -c core.pager=cat log", &[]);
        check("git -c core.editor=true rebase --continue", &[]);
        check("git -c user.name=a -c commit.gpgsign=false commit -m x", &[]);
        check("git -c push.default=current push", &[]);
        check(
            "git -c remote.origin.push=+HEAD:main push",
            &["git.force-push", "git.configuration"],
        );
        check("GIT_SSH=/tmp/x git fetch", asked);
        check("GIT_SSH_COMMAND='ssh -i ~/.ssh/deploy' git fetch", &[]);
        check("GIT_SSH_COMMAND='ssh -o ProxyCommand=/tmp/x' git fetch", asked);
        check("GIT_SEQUENCE_EDITOR=: git rebase -i HEAD~2", &[]);
        check("GIT_EDITOR=true git commit --amend", &[]);
        check("git --exec-path=/tmp/x status", asked);
        check("git --exec-path", &[]);
        check("git clone -u /tmp/x a b", asked);
        check("git clone --template=/tmp/x a b", asked);
        check("git push -u origin HEAD", &[]);
        check("git clone -c core.hooksPath=/tmp/h a b", asked);
        check("git clone -c core.autocrlf=false a b", &[]);
        check("git grep -n TODO", &[]);
        check("git grep -O/tmp/x TODO", asked);
    }
}
