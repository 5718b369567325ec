//! What git is told to do.

use provost_shell::{Hole, Invocation, Part, Word};

use super::{
    super::{
        action::Action,
        arguments::{Arguments, lead, program},
        builtin::BuiltIn::{
            GitBranchDelete, GitClean, GitConfiguration, GitDiscard, GitForcePush,
            GitForceWithLease, GitPushDelete, GitReference, GitResetHard, GitRewrite, GitStashDrop,
            GitWorktreeRemove, ShellDynamic,
        },
        path_zones::{PathZones, Tail},
    },
    ShellAnalyzer,
};

/// Options before the subcommand that take the next word.
const VALUED: [&str; 10] = [
    "-C",
    "-c",
    "--attr-source",
    "--config-env",
    "--exec-path",
    "--git-dir",
    "--namespace",
    "--shallow-file",
    "--super-prefix",
    "--work-tree",
];

/// Options before the subcommand that stand alone.
const ALONE: [&str; 19] = [
    "--bare",
    "--exec-path",
    "--glob-pathspecs",
    "--help",
    "--html-path",
    "--icase-pathspecs",
    "--info-path",
    "--literal-pathspecs",
    "--man-path",
    "--no-advice",
    "--no-lazy-fetch",
    "--no-optional-locks",
    "--no-pager",
    "--no-replace-objects",
    "--noglob-pathspecs",
    "--paginate",
    "--version",
    "-P",
    "-p",
];

/// The ends of configuration keys that name a program or another file, or shorten what is kept.
const POWERFUL_KEYS: [&str; 25] = [
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
    "packobjectshook",
    "pager",
    "path",
    "process",
    "program",
    "pruneexpire",
    "receivepack",
    "reflogexpire",
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

/// Whether a word that is taken for the subcommand may be the value of an option before it.
fn is_guessed(arguments: Arguments<'_>, rest: Arguments<'_>) -> bool {
    let before = arguments.words().len().saturating_sub(rest.words().len() + 1);
    let last = before.checked_sub(1).and_then(|it| arguments.words().get(it)).map(lead);
    last.is_some_and(|it| {
        let is_option = it.starts_with('-') && !it.contains('=');
        is_option && !VALUED.contains(&it) && !ALONE.contains(&it)
    })
}

/// Judges one call of git.
pub(super) fn judge(zones: &PathZones, arguments: Arguments<'_>, action: &mut Action) {
    let (name, rest) = subcommand(arguments);
    called(zones, arguments, name, rest, action);
    if name.is_some() && is_guessed(arguments, rest) {
        let (name, rest) = subcommand(rest);
        called(zones, arguments, name, rest, action);
    }
}

fn called(
    zones: &PathZones,
    arguments: Arguments<'_>,
    name: Option<&str>,
    rest: Arguments<'_>,
    action: &mut Action,
) {
    let Some(name) = name else {
        // A word that is computed could be any of them.
        if arguments.words().iter().any(|it| it.text().is_none()) {
            action.meet(ShellDynamic);
        }
        return;
    };
    let is_open =
        |it: &Word| matches!(it.parts(), [Part::Hole { hole: Hole::Parameter(_), quoted: false }]);
    // An option may hide in a variable.
    let is_grave = matches!(name, "push" | "reset" | "clean" | "branch");
    if is_grave && rest.words().iter().any(is_open) {
        action.meet(ShellDynamic);
    }
    match name {
        "push" | "send-pack" => push(rest, action),
        "reset" if rest.has_long("--hard") || rest.has_long("--merge") => action.meet(GitResetHard),
        "read-tree" if rest.has_long("--reset") => action.meet(GitResetHard),
        // Whether force is needed is a matter of configuration.
        "clean" if !is_dry(rest) => action.meet(GitClean),
        "branch" => branch(rest, action),
        "checkout" | "restore" | "switch" | "checkout-index" | "rm" => {
            discard(zones, name, rest, action);
        }
        "filter-branch" | "filter-repo" | "prune" => action.meet(GitRewrite),
        "reflog" if matches!(rest.first(), Some("expire" | "delete")) => action.meet(GitRewrite),
        "gc" if rest.has_long("--prune") && !rest.has("--no-prune") => action.meet(GitRewrite),
        "gc" if shortens(arguments) => action.meet(GitRewrite),
        "gc" | "repack" if expires(rest) => action.meet(GitRewrite),
        "fetch" | "pull" => fetch(rest, action),
        "update-ref" if rest.has_letter("d") || rest.has_long("--delete") => {
            action.meet(GitRewrite);
        }
        "update-ref" | "fast-import" => action.meet(GitReference),
        "tag" if rest.has_letter("df") || rest.has_long("--delete") || rest.has_long("--force") => {
            action.meet(GitReference);
        }
        "stash" if matches!(rest.first(), Some("drop" | "clear")) => action.meet(GitStashDrop),
        "worktree" if rest.first() == Some("remove") && is_forced(rest) => {
            action.meet(GitWorktreeRemove);
        }
        "config" => configuration(rest, action),
        _ => {}
    }
}

fn is_forced(rest: Arguments<'_>) -> bool {
    rest.has_letter("f") || rest.has_long("--force")
}

fn push(rest: Arguments<'_>, action: &mut Action) {
    let is_leased = |it: &str| it.starts_with("--force-w") || it.starts_with("--force-i");
    let leased = rest.words().iter().any(|it| is_leased(lead(it)));
    let is_forced = rest.words().iter().any(|it| {
        let option = lead(it).split('=').next().unwrap_or_default();
        option.len() > 3 && "--force".starts_with(option) || option == "--force"
    });
    let is_mirror = rest.has_long("--mirror");
    let has_plus = rest.operands().any(|it| lead(it).starts_with('+'));
    if is_forced || is_mirror || has_plus || rest.has_letter("f") {
        action.meet(GitForcePush);
    } else if leased {
        action.meet(GitForceWithLease);
    }
    let deletes = rest.has_letter("d") || rest.has_long("--delete") || rest.has_long("--prune");
    if deletes || rest.operands().any(|it| lead(it).starts_with(':') && lead(it).len() > 1) {
        action.meet(GitPushDelete);
    }
}

fn branch(rest: Arguments<'_>, action: &mut Action) {
    let is_forced = is_forced(rest);
    let deletes = rest.has_letter("d") || rest.has_long("--delete");
    let is_main = rest.operands().any(|it| matches!(it.text(), Some("main" | "master")));
    // `git branch -M main` gives the branch one is on another name; with two it hits another one.
    let overwrites = rest.has_letter("MC") && rest.operands().count() > 1;
    if rest.has_letter("D") || (deletes && (is_forced || is_main)) {
        action.meet(GitBranchDelete);
    } else if is_forced || overwrites {
        action.meet(GitReference);
    }
}

/// `git -c gc.pruneExpire=now gc` keeps nothing that could bring work back.
fn shortens(arguments: Arguments<'_>) -> bool {
    arguments.values(&["-c"]).any(|it| {
        let setting = it.to_ascii_lowercase();
        setting.starts_with("gc.") && setting.contains("expire")
    })
}

fn expires(rest: Arguments<'_>) -> bool {
    rest.has_long("--cruft-expiration") || rest.has_long("--unpack-unreachable")
}

/// A fetch that overwrites a branch of one's own.
fn fetch(rest: Arguments<'_>, action: &mut Action) {
    let is_forced = is_forced(rest);
    let hits = rest.operands().map(lead).any(|it| {
        let target = it.rsplit_once(':').map(|(_, target)| target).unwrap_or_default();
        let is_own = !target.is_empty() && !target.starts_with("refs/remotes/");
        is_own && !it.contains("://") && (is_forced || it.starts_with('+'))
    });
    if hits {
        action.meet(GitReference);
    }
}

/// The letters of the short options; what is the value of one of them is none.
fn letters(rest: Arguments<'_>, valued: &str, long: &[&str]) -> String {
    let mut found = String::new();
    let mut skips = false;
    for word in rest.words().iter().take_while(|it| it.text() != Some("--")) {
        if std::mem::take(&mut skips) {
            continue;
        }
        let option = lead(word);
        if option.starts_with("--") {
            skips = option.len() > 4 && long.iter().any(|it| it.starts_with(option));
        } else if let Some(group) = option.strip_prefix('-') {
            let before = group.find(|it| valued.contains(it));
            found.push_str(group.get(..before.unwrap_or(group.len())).unwrap_or_default());
            skips = before.is_some_and(|it| it + 1 == group.len()) && word.text().is_some();
        }
    }
    found
}

/// Whether `git clean` only says what it would do.
fn is_dry(rest: Arguments<'_>) -> bool {
    let next = rest.words().iter().skip(1);
    let is_hidden = rest.words().iter().zip(next).any(|(option, value)| {
        let takes = lead(option) == "-e"
            || (lead(option).len() > 3 && "--exclude".starts_with(lead(option)));
        takes && lead(value).starts_with("--d")
    });
    let is_long = rest.has_long("--dry-run") && !is_hidden;
    is_long || letters(rest, "e", &["--exclude"]).contains(['n', 'h'])
}

/// `checkout`, `restore`, `switch` and `rm`, where they take changes of the whole tree away.
fn discard(zones: &PathZones, name: &str, rest: Arguments<'_>, action: &mut Action) {
    let is_forced = match name {
        "checkout" => is_forced(rest),
        "switch" => is_forced(rest) || rest.has_long("--discard-changes"),
        "checkout-index" => rest.has_letter("a") || rest.has_long("--all"),
        _ => false,
    };
    let is_index_only = match name {
        "restore" => {
            let staged =
                letters(rest, "sU", &["--source"]).contains('S') || rest.has_long("--staged");
            staged && !rest.has_letter("W") && !rest.has_long("--worktree")
        }
        "rm" => rest.has_long("--cached"),
        _ => false,
    };
    let takes_paths = matches!(name, "checkout" | "restore" | "rm");
    let is_all = takes_paths && is_whole(zones, rest);
    if takes_paths && rest.has_long("--pathspec-from-file") && !is_index_only {
        action.meet(ShellDynamic);
    }
    // With a place to start from, a branch that is there already is moved.
    let moves = match name {
        "checkout" => rest.has_letter("B"),
        "switch" => rest.has_letter("C") || rest.has_long("--force-create"),
        _ => false,
    };
    if moves && rest.operands().count() > 1 {
        action.meet(GitReference);
    }
    if is_forced || (is_all && !is_index_only) {
        action.meet(GitDiscard);
    }
}

/// Whether pathspecs mean the whole tree: one of them does, or all of them only leave out.
fn is_whole(zones: &PathZones, rest: Arguments<'_>) -> bool {
    let is_one = rest.operands().any(|it| is_everything(zones, it));
    let paths = rest.words().iter().skip_while(|it| it.text() != Some("--")).skip(1);
    let mut given: Vec<&Word> = paths.collect();
    if given.is_empty() {
        given = rest.operands().filter(|it| lead(it).starts_with(':')).collect();
    }
    is_one || (!given.is_empty() && given.iter().all(|it| magic(&it.to_string()).0))
}

/// Takes the magic words off a pathspec, and says whether it leaves out.
fn magic(text: &str) -> (bool, &str) {
    let Some(rest) = text.strip_prefix(':') else { return (false, text) };
    if let Some((words, path)) = rest.strip_prefix('(').and_then(|it| it.split_once(')')) {
        return (words.split(',').any(|it| it.trim() == "exclude"), path);
    }
    let path = rest.trim_start_matches(['/', '!', '^', ':']);
    let signs = rest.get(..rest.len() - path.len()).unwrap_or_default();
    (signs.contains(['!', '^']), path)
}

/// Whether a pathspec means the whole tree.
fn is_everything(zones: &PathZones, word: &Word) -> bool {
    let text = word.to_string();
    let (leaves_out, path) = magic(&text);
    let is_magic = text.starts_with(':') && path.is_empty();
    let is_broad = path.contains('*') && path.chars().all(|it| "*?./".contains(it));
    if leaves_out {
        return false;
    }
    let target = zones.target(word, Some(&zones.directory));
    let covers = match target.tail {
        Tail::Exact | Tail::Everything => {
            let path = target.path;
            let is_path = text.starts_with(['.', '/', '~'])
                || !word.parts().is_empty() && path == zones.directory;
            is_path && super::super::path_zones::lies_in(&zones.directory, &path)
        }
        Tail::Some(_) | Tail::Anything => false,
    };
    is_magic || is_broad || matches!(path, "." | "./") || covers
}

/// What `xargs` adds may be an option, unless git or a list of files says it.
pub(super) fn fed(part: &super::Part<'_>, action: &mut Action) {
    let (name, rest) = subcommand(Arguments::of(part.invocation));
    let is_grave =
        matches!(name, Some("branch" | "checkout" | "push" | "reset" | "stash" | "switch") | None);
    let is_input = |it: &Part| matches!(it, Part::Hole { hole: Hole::Input, .. });
    let mut options = rest.words().iter().take_while(|it| it.text() != Some("--"));
    let is_open = name.is_none() || options.any(|it| it.parts().first().is_some_and(is_input));
    let Some(by) = part.invocation.launched_by.filter(|_| is_grave && is_open) else { return };
    let has_input = part.invocation.words.iter().any(|it| it.parts().iter().any(is_input));
    let feed = super::stdin::of(part.script, by);
    let sources = feed.programs.iter().filter_map(|it| part.script.invocations.get(*it));
    let lists = ["echo", "fd", "fdfind", "find", "git", "ls", "printf"];
    let is_list = |it: &Invocation| program(it).is_some_and(|it| lists.contains(&it.as_str()));
    if has_input && feed.texts.is_empty() && !sources.into_iter().any(is_list) {
        action.meet(ShellDynamic);
    }
}

fn configuration(rest: Arguments<'_>, action: &mut Action) {
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
        action.meet(GitConfiguration);
    }
}

/// Follows aliases that stand in the command itself, as git would.
pub(super) fn follow_aliases(look: &mut ShellAnalyzer<'_>, invocation: &Invocation) {
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
    use provost_shell::parse;

    use super::*;

    #[track_caller]
    fn check(command: &str, expected: &[&str]) {
        let call = provost_kernel::guard::policy::ToolCall::shell("", "/p");
        let zones = PathZones::of(&call);
        let script = parse(command);
        let mut action = Action::default();
        judge(&zones, Arguments::of(&script.invocations[0]), &mut action);
        let found: Vec<_> = action.found.iter().map(|it| it.rule.id()).collect();
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
        check("git --attr-source HEAD reset --hard", &["git.reset-hard"]);
        check("git --unheard-of x clean -fdx", &["git.clean"]);
        check("git --no-pager log reset --hard", &[]);
        check("git clean -fdx -enode", &["git.clean"]);
        check("git clean -fdx -e -n", &["git.clean"]);
        check("git clean -ndx -e x", &[]);
        check("git restore -sS .", &["git.discard"]);
        check("git restore -S .", &[]);
        check("git checkout HEAD -- ':!x'", &["git.discard"]);
        check("git checkout HEAD -- src ':!src/x'", &[]);
        check("git restore '*.rs'", &[]);
    }
}
