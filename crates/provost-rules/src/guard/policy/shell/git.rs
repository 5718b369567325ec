//! What git is told to do.

use super::{
    super::{
        act::Act,
        arguments::{Arguments, lead, program},
        builtin::{
            GIT_BRANCH_DELETE, GIT_CLEAN, GIT_CONFIGURATION, GIT_DISCARD, GIT_FORCE_PUSH,
            GIT_FORCE_WITH_LEASE, GIT_PUSH_DELETE, GIT_REFERENCE, GIT_RESET_HARD, GIT_REWRITE,
            GIT_STASH_DROP, GIT_WORKTREE_REMOVE, SHELL_DYNAMIC,
        },
        world::{Tail, World},
    },
    Look,
};
use crate::command::{Hole, Invocation, Part, Word};

/// Options before the subcommand that take the next word.
const VALUED: [&str; 8] = [
    "-C",
    "-c",
    "--config-env",
    "--exec-path",
    "--git-dir",
    "--namespace",
    "--super-prefix",
    "--work-tree",
];

/// The ends of configuration keys that name a program or another file.
const POWERFUL_KEYS: [&str; 18] = [
    "askpass",
    "clean",
    "cmd",
    "command",
    "driver",
    "editor",
    "fsmonitor",
    "helper",
    "hookspath",
    "insteadof",
    "pager",
    "path",
    "process",
    "program",
    "smudge",
    "sshcommand",
    "textconv",
    "uploadpack",
];

/// The subcommand, and what stands after it.
pub(super) fn subcommand(arguments: Arguments<'_>) -> (Option<&str>, Arguments<'_>) {
    let words = arguments.words();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match word.text() {
            Some(option) if VALUED.contains(&option) => at += 2,
            Some(option) if option.starts_with('-') => at += 1,
            name => {
                let rest = Arguments::new(words.get(at + 1..).unwrap_or_default());
                return (name, rest);
            }
        }
    }
    (None, Arguments::new(&[]))
}

/// Judges one call of git.
pub(super) fn judge(world: &World, arguments: Arguments<'_>, act: &mut Act) {
    let (name, rest) = subcommand(arguments);
    let Some(name) = name else {
        // A word that is computed could be any of them.
        if arguments.words().iter().any(|it| it.text().is_none()) {
            act.meet(&SHELL_DYNAMIC);
        }
        return;
    };
    let is_open =
        |it: &Word| matches!(it.parts(), [Part::Hole { hole: Hole::Parameter(_), quoted: false }]);
    // An option may hide in a variable.
    let is_grave = matches!(name, "push" | "reset" | "clean" | "branch");
    if is_grave && rest.words().iter().any(is_open) {
        act.meet(&SHELL_DYNAMIC);
    }
    match name {
        "push" | "send-pack" => push(rest, act),
        "reset" if rest.has_long("--hard") || rest.has_long("--merge") => act.meet(&GIT_RESET_HARD),
        "read-tree" if rest.has_long("--reset") => act.meet(&GIT_RESET_HARD),
        // Whether force is needed is a matter of configuration.
        "clean" if !rest.has_letter("nh") && !rest.has_long("--dry-run") => act.meet(&GIT_CLEAN),
        "branch" => branch(rest, act),
        "checkout" | "restore" | "switch" | "checkout-index" | "rm" => {
            discard(world, name, rest, act);
        }
        "filter-branch" | "filter-repo" | "prune" => act.meet(&GIT_REWRITE),
        "reflog" if matches!(rest.first(), Some("expire" | "delete")) => act.meet(&GIT_REWRITE),
        "gc" if rest.has_long("--prune") && !rest.has("--no-prune") => act.meet(&GIT_REWRITE),
        "update-ref" if rest.has_letter("d") || rest.has_long("--delete") => {
            act.meet(&GIT_REWRITE);
        }
        "update-ref" | "fast-import" => act.meet(&GIT_REFERENCE),
        "tag" if rest.has_letter("df") || rest.has_long("--delete") || rest.has_long("--force") => {
            act.meet(&GIT_REFERENCE);
        }
        "stash" if matches!(rest.first(), Some("drop" | "clear")) => act.meet(&GIT_STASH_DROP),
        "worktree" if rest.first() == Some("remove") && is_forced(rest) => {
            act.meet(&GIT_WORKTREE_REMOVE);
        }
        "config" => configuration(rest, act),
        _ => {}
    }
}

fn is_forced(rest: Arguments<'_>) -> bool {
    rest.has_letter("f") || rest.has_long("--force")
}

fn push(rest: Arguments<'_>, act: &mut Act) {
    let is_leased = |it: &str| it.starts_with("--force-w") || it.starts_with("--force-i");
    let leased = rest.words().iter().any(|it| is_leased(lead(it)));
    let is_forced = rest.words().iter().any(|it| {
        let option = lead(it).split('=').next().unwrap_or_default();
        option.len() > 3 && "--force".starts_with(option) || option == "--force"
    });
    let is_mirror = rest.has_long("--mirror");
    let has_plus = rest.operands().any(|it| lead(it).starts_with('+'));
    if is_forced || is_mirror || has_plus || rest.has_letter("f") {
        act.meet(&GIT_FORCE_PUSH);
    } else if leased {
        act.meet(&GIT_FORCE_WITH_LEASE);
    }
    let deletes = rest.has_letter("d") || rest.has_long("--delete") || rest.has_long("--prune");
    if deletes || rest.operands().any(|it| lead(it).starts_with(':') && lead(it).len() > 1) {
        act.meet(&GIT_PUSH_DELETE);
    }
}

fn branch(rest: Arguments<'_>, act: &mut Act) {
    let is_forced = is_forced(rest);
    let deletes = rest.has_letter("d") || rest.has_long("--delete");
    let is_main = rest.operands().any(|it| matches!(it.text(), Some("main" | "master")));
    if rest.has_letter("D") || (deletes && (is_forced || is_main)) {
        act.meet(&GIT_BRANCH_DELETE);
    } else if is_forced {
        act.meet(&GIT_REFERENCE);
    }
}

/// `checkout`, `restore`, `switch` and `rm`, where they take changes of the whole tree away.
fn discard(world: &World, name: &str, rest: Arguments<'_>, act: &mut Act) {
    let is_forced = match name {
        "checkout" => is_forced(rest),
        "switch" => is_forced(rest) || rest.has_long("--discard-changes"),
        "checkout-index" => rest.has_letter("a") || rest.has_long("--all"),
        _ => false,
    };
    let is_index_only = match name {
        "restore" => {
            let staged = rest.has_letter("S") || rest.has_long("--staged");
            staged && !rest.has_letter("W") && !rest.has_long("--worktree")
        }
        "rm" => rest.has_long("--cached"),
        _ => false,
    };
    let takes_paths = matches!(name, "checkout" | "restore" | "rm");
    let is_all = takes_paths && rest.operands().any(|it| is_everything(world, it));
    if is_forced || (is_all && !is_index_only) {
        act.meet(&GIT_DISCARD);
    }
}

/// Whether a pathspec means the whole tree.
fn is_everything(world: &World, word: &Word) -> bool {
    let text = word.to_string();
    let is_magic =
        matches!(text.as_str(), ":" | ":/" | ":/*" | ":(top)" | "*" | "**" | "./*" | "**/*");
    let target = world.target(word, Some(&world.directory));
    let covers = match target.tail {
        Tail::Exact | Tail::Everything => {
            let path = target.path;
            let is_path = text.starts_with(['.', '/', '~'])
                || !word.parts().is_empty() && path == world.directory;
            is_path && super::super::world::lies_in(&world.directory, &path)
        }
        Tail::Some(_) | Tail::Anything => false,
    };
    is_magic || covers
}

fn configuration(rest: Arguments<'_>, act: &mut Act) {
    let asks = ["--get", "--get-all", "--get-regexp", "--list", "--show-origin"];
    if asks.iter().any(|it| rest.has(it)) || rest.has_letter("l") || rest.first() == Some("get") {
        return;
    }
    let operands: Vec<&Word> = rest.operands().filter(|it| it.text() != Some("set")).collect();
    let key = operands.first().map(|it| it.to_string().to_ascii_lowercase()).unwrap_or_default();
    let end = key.rsplit('.').next().unwrap_or_default();
    let is_powerful = POWERFUL_KEYS.contains(&end) || key.starts_with("alias.");
    let is_edit = rest.has_letter("e") || rest.has_long("--edit");
    if is_edit || (operands.len() > 1 && is_powerful) {
        act.meet(&GIT_CONFIGURATION);
    }
}

/// Follows aliases that stand in the command itself, as git would.
pub(super) fn follow_aliases(look: &mut Look<'_>, invocation: &Invocation) {
    if program(invocation).as_deref() != Some("git") {
        return;
    }
    let arguments = Arguments::of(invocation);
    let (name, rest) = subcommand(arguments);
    let mut values: Vec<String> = arguments
        .values(&["-c"])
        .filter_map(|it| {
            it.strip_prefix("alias.")?.split_once('=').map(|(_, value)| value.to_owned())
        })
        .collect();
    if name == Some("config") {
        let mut operands = rest.operands().skip_while(|it| !lead(it).starts_with("alias.")).skip(1);
        values.extend(operands.next().map(ToString::to_string));
    }
    for value in values.iter().filter(|it| !it.starts_with('!')) {
        look.suspect(&format!("git {value}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::parse;

    #[track_caller]
    fn check(command: &str, expected: &[&str]) {
        let call = provost_kernel::guard::policy::ToolCall::shell("", "/p");
        let world = World::of(&call);
        let script = parse(command);
        let mut act = Act::default();
        judge(&world, Arguments::of(&script.invocations[0]), &mut act);
        let found: Vec<_> = act.found.iter().map(|it| it.rule.id).collect();
        assert_eq!(found, expected, "{command}");
    }

    #[test]
    fn options_are_read_as_git_reads_them() {
        check("git push --forc", &["git.force-push"]);
        check("git push --force --force-with-lease", &["git.force-push"]);
        check("git push --force-if-includes --force-with-lease", &["git.force-with-lease"]);
        check("git push origin main:main", &[]);
        check("git push --follow-tags", &[]);
        check("git --no-pager -C x -c a=b push -f", &["git.force-push"]);
        check("git reset --har", &["git.reset-hard"]);
        check("git reset -- --hard", &[]);
        check("git branch -m main", &[]);
        check("git branch -d main", &["git.branch-delete"]);
        check("git branch -f main HEAD~1", &["git.reference"]);
        check("git checkout /p", &["git.discard"]);
        check("git checkout feature.x", &[]);
        check("git restore --staged --worktree .", &["git.discard"]);
        check("git rm -r --cached .", &[]);
        check("git rm -rf .", &["git.discard"]);
        check("git config core.hooksPath /tmp/x", &["git.configuration"]);
        check("git config --get core.hooksPath", &[]);
        check("git config alias.st status", &["git.configuration"]);
        check("git $X", &["shell.dynamic"]);
        check("git gc", &[]);
        check("git gc --prune=now", &["git.rewrite"]);
        check("git --version", &[]);
    }
}
