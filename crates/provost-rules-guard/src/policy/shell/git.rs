//! What git is told to do.

mod discard;
mod programs;
mod push;

use provost_kernel::guard::policy::RepositoryFact;
use provost_shell::{Hole, Invocation, Part, Word};

use self::{
    discard::discard,
    push::{is_own_branch, push},
};
use super::{
    super::{
        action::{Action, host_of},
        arguments::{Arguments, lead, program},
        builtin::BuiltIn::{
            DeleteUnknown, GitBranchDelete, GitClean, GitDiscard, GitReference, GitRemote,
            GitResetHard, GitRewrite, GitStashDrop, GitWorktreeRemove, SecretPrinted, ShellDynamic,
        },
        path_zones::{PathZones, Tail, Zone},
    },
    ShellAnalyzer,
    sending::is_local,
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

/// The folder that a call of git works in, if nothing else than its own words decides that.
pub(super) fn folder(part: &super::Part<'_>, arguments: Arguments<'_>) -> Option<String> {
    let mut folders = part.cwd.folders();
    let (Some(Some(from)), None) = (folders.next(), folders.next()) else { return None };
    let all = &part.script.invocations;
    let is_redirected = |it: &str| {
        let option = it.split('=').next().unwrap_or_default();
        it.contains("GIT_") || matches!(option, "--git-dir" | "--work-tree" | "--namespace")
    };
    let words = all.iter().flat_map(|it| &it.words);
    let assigned = all.iter().flat_map(|it| &it.assignments).any(|it| it.name.starts_with("GIT_"));
    if assigned || words.map(ToString::to_string).any(|it| is_redirected(&it)) {
        return None;
    }
    if arguments.values(&["-c", "--config-env"]).next().is_some() {
        return None;
    }
    let mut here = from.to_owned();
    let own = arguments.words();
    for (option, value) in own.iter().zip(own.iter().skip(1)) {
        if option.text() == Some("-C") {
            let target = part.zones.target(value, Some(&here));
            here = (target.tail == Tail::Exact).then_some(target.path)?;
        }
    }
    here.starts_with('/').then_some(here)
}

/// Judges one call of git, which works in a folder if that is known.
pub(super) fn judge(
    zones: &PathZones,
    arguments: Arguments<'_>,
    here: Option<&str>,
    action: &mut Action,
) {
    let (name, rest) = subcommand(arguments);
    called(zones, arguments, (name, rest), here, action);
    if name.is_some() && is_guessed(arguments, rest) {
        let (name, rest) = subcommand(rest);
        called(zones, arguments, (name, rest), None, action);
    }
}

/// What is lost there was never meant to last.
fn throw_away(folder: Option<&str>) -> Option<RepositoryFact> {
    folder.map(|it| RepositoryFact::ThrowAway { folder: it.to_owned() })
}

fn called(
    zones: &PathZones,
    arguments: Arguments<'_>,
    (name, rest): (Option<&str>, Arguments<'_>),
    here: Option<&str>,
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
        "push" | "send-pack" => push(rest, here, action),
        "reset" if rest.has_long("--hard") || rest.has_long("--merge") => {
            action.meet_unless(GitResetHard, throw_away(here));
        }
        "read-tree" if rest.has_long("--reset") => {
            action.meet_unless(GitResetHard, throw_away(here));
        }
        // Whether force is needed is a matter of configuration.
        "clean" if !is_dry(rest) => action.meet_unless(GitClean, throw_away(here)),
        "branch" => branch(rest, here, action),
        "checkout" | "restore" | "switch" | "checkout-index" | "rm" => {
            discard(zones, (name, rest), here, action);
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
        "stash" if rest.first() == Some("clear") => action.meet(GitStashDrop),
        // What is ignored goes away with it: builds, settings, what provost keeps.
        "stash" if takes_ignored(rest) => action.meet(DeleteUnknown),
        "add" if is_forced(rest) && is_broad(zones, rest) => action.meet(SecretPrinted),
        "worktree" if rest.first() == Some("remove") && is_forced(rest) => {
            let target = here.and_then(|it| removed_worktree(zones, rest, it));
            action.meet_unless(GitWorktreeRemove, throw_away(target.as_deref()));
        }
        "remote" if rest.first() == Some("set-url") => leads_elsewhere(rest, action),
        "config" => programs::configuration(rest, action),
        _ => {}
    }
}

fn is_forced(rest: Arguments<'_>) -> bool {
    rest.has_letter("f") || rest.has_long("--force")
}

/// `git stash -a`, in any of its spellings.
fn takes_ignored(rest: Arguments<'_>) -> bool {
    matches!(rest.first(), None | Some("push" | "save"))
        && (letters(rest, "m", &["--message"]).contains('a') || rest.has_long("--all"))
}

/// `git add -f .` puts whatever is ignored into the next commit.
fn is_broad(zones: &PathZones, rest: Arguments<'_>) -> bool {
    let is_whole = |it: &Word| {
        let target = zones.target(it, Some(&zones.directory));
        zones.reach(&target) == Zone::Whole
    };
    rest.has_letter("A") || rest.has_long("--all") || rest.operands().any(is_whole)
}

/// A remote that leads to a host on which nobody keeps repositories, as far as its name says.
fn leads_elsewhere(rest: Arguments<'_>, action: &mut Action) {
    const FORGES: [&str; 8] =
        ["azure", "bitbucket", "codeberg", "gitea", "gitee", "github", "gitlab", "sourcehut"];
    let address = rest.operands().nth(2).map(ToString::to_string).unwrap_or_default();
    let short = address.split_once('@').and_then(|(_, it)| it.split_once(':')).map(|it| it.0);
    let host = host_of(&address).or_else(|| short.map(str::to_owned)).unwrap_or_default();
    let is_plain = !address.starts_with("http://") && !address.starts_with("git://");
    let labels: Vec<&str> = host.split('.').collect();
    // `github.com` and `git.example.com`, and not `github.attacker.test`.
    let is_forge = match labels.as_slice() {
        [.., name, _] if FORGES.contains(name) => true,
        ["git" | "ssh", ..] => true,
        _ => is_local(&host) && !host.is_empty(),
    };
    if !(is_plain && is_forge) {
        action.meet(GitRemote);
    }
}

/// The worktree that `git worktree remove` names.
fn removed_worktree(zones: &PathZones, rest: Arguments<'_>, here: &str) -> Option<String> {
    let operands: Vec<&Word> = rest.operands().collect();
    let [_remove, word] = operands.as_slice() else { return None };
    let target = zones.target(word, Some(here));
    (target.tail == Tail::Exact && word.text().is_some()).then_some(target.path)
}

fn branch(rest: Arguments<'_>, here: Option<&str>, action: &mut Action) {
    let is_forced = is_forced(rest);
    let deletes = rest.has_letter("d") || rest.has_long("--delete");
    let is_main = rest.operands().any(|it| matches!(it.text(), Some("main" | "master")));
    // `git branch -M main` gives the branch one is on another name; with two it hits another one.
    let overwrites = rest.has_letter("MC") && rest.operands().count() > 1;
    let is_own = rest.operands().count() == 1
        && rest.operands().all(|it| it.text().is_some_and(is_own_branch));
    if (rest.has_letter("D") || (deletes && (is_forced || is_main))) && !is_own {
        for word in rest.operands() {
            let name = word.text().filter(|_| deletes || rest.has_letter("D"));
            let is_local = !rest.has_letter("r") && !rest.has_long("--remotes") && !is_main;
            let merged = here.zip(name).filter(|_| is_local).map(|(folder, branch)| {
                RepositoryFact::Merged { folder: folder.to_owned(), branch: branch.to_owned() }
            });
            action.meet_unless(GitBranchDelete, merged);
        }
        if rest.operands().next().is_none() {
            action.meet(GitBranchDelete);
        }
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

/// Whether git works in a worktree that the line itself has made, where nothing can be lost.
fn is_in_new_worktree(part: &super::Part<'_>) -> bool {
    let Some(here) = folder(part, Arguments::of(part.invocation)) else { return false };
    let before = part.script.invocations.iter().take(part.index);
    before.filter(|it| programs::is_git(it)).any(|it| {
        let (name, rest) = subcommand(Arguments::of(it));
        let mut operands = rest.operands().filter(|it| it.text().is_some());
        name == Some("worktree")
            && operands.next().and_then(Word::text) == Some("add")
            && operands.any(|it| {
                let target = part.zones.target(it, Some(&part.zones.directory));
                target.tail == Tail::Exact && target.path == here
            })
    })
}

/// What a call of git means together with what stands around it.
fn beside(part: &super::Part<'_>, action: &mut Action) {
    let (name, rest) = subcommand(Arguments::of(part.invocation));
    if is_in_new_worktree(part) {
        action.found.retain(|it| !matches!(it.rule, GitResetHard | GitClean | GitDiscard));
    }
    let feeders = super::stdin::of(part.script, part.index).programs;
    let feeder = |it: &usize| part.script.invocations.get(*it);
    let calls = |wanted: &[&str]| {
        let before = part.script.invocations.iter().take(part.index);
        before.filter(|it| programs::is_git(it)).any(|it| {
            let (name, rest) = subcommand(Arguments::of(it));
            let words: Vec<&str> = rest.operands().map(lead).collect();
            name.is_some_and(|it| wanted.first() == Some(&it))
                && wanted.iter().skip(1).all(|it| words.contains(it))
        })
    };
    let stashes = || {
        let before = part.script.invocations.iter().take(part.index);
        before.filter(|it| programs::is_git(it)).any(|it| {
            let arguments = Arguments::of(it);
            let (name, rest) = subcommand(arguments);
            name == Some("stash") && matches!(rest.first(), None | Some("push" | "save" | "store"))
        })
    };
    match name {
        // What was just put away is gone, and not what lay there before.
        Some("stash") if rest.first() == Some("drop") && stashes() => {
            action.meet(GitStashDrop);
        }
        Some("push") => {
            let remote = rest.operands().next().map(lead).unwrap_or_default();
            if !remote.is_empty() && calls(&["remote", "add", remote]) {
                action.meet(GitRemote);
            }
        }
        Some("apply") if rest.has_letter("R") || rest.has_long("--reverse") => {
            if feeders.iter().filter_map(feeder).any(programs::is_git) {
                action.meet(GitDiscard);
            }
        }
        Some("checkout" | "restore") => {
            let by = part.invocation.launched_by;
            let fed = by.map(|it| super::stdin::of(part.script, it).programs).unwrap_or_default();
            if fed.iter().filter_map(feeder).any(programs::is_git) {
                action.meet(GitDiscard);
            }
        }
        Some(_) | None => {}
    }
}

/// What `xargs` adds may be an option, unless git or a list of files says it.
pub(super) fn fed(part: &super::Part<'_>, action: &mut Action) {
    programs::judge(part.invocation, action);
    beside(part, action);
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

/// Follows aliases that stand in the command itself, as git would.
pub(super) fn follow_aliases(look: &mut ShellAnalyzer<'_>, invocation: &Invocation) {
    if !programs::is_git(invocation) {
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
        judge(&zones, Arguments::of(&script.invocations[0]), None, &mut action);
        let found: Vec<_> = action.found.iter().map(|it| it.rule.id()).collect();
        assert_eq!(found, expected, "{command}");
    }

    #[test]
    fn options_are_read_as_git_reads_them() {
        check("git push --forc", &["git.force-push"]);
        check("git push --force --force-with-lease", &["git.force-push"]);
        check("git push --force-if-includes --force-with-lease", &[]);
        check(
            "git push --force-with-lease origin HEAD:main",
            &["git.force-with-lease", "git.push-main"],
        );
        check("git push -f origin fix/login", &[]);
        check("git push -f origin", &["git.force-push"]);
        check("git branch -D fix/login", &[]);
        check("git branch -D login", &["git.branch-delete"]);
        check("git push origin main:main", &["git.push-main"]);
        check("git push origin main", &["git.push-main"]);
        check("git push origin maintenance", &[]);
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
        check("git config alias.st status", &[]);
        check("git config alias.st '!x'", &["git.configuration"]);
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
        check("git checkout HEAD -- src ':!src/x'", &["git.restore"]);
        check("git checkout feature/x", &[]);
        check("git restore --staged src", &[]);
        check("git restore '*.rs'", &["git.restore"]);
        check("git restore src/lib.rs", &[]);
        check("git checkout -- src/lib.rs", &[]);
        check("git checkout HEAD~3 -- src/lib.rs", &["git.restore"]);
    }
}
