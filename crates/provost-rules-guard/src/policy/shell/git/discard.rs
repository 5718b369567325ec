//! Calls of git that take changes of the work tree away.

use provost_shell::Word;

use super::{
    super::super::{
        action::Action,
        arguments::{Arguments, lead},
        builtin::BuiltIn::{GitDiscard, GitReference, GitRestore, ShellDynamic},
        path_zones::{self, PathZones, Tail},
    },
    is_forced, letters, throw_away,
};

/// `checkout`, `restore`, `switch` and `rm`, where they take changes of the whole tree away.
pub(super) fn discard(
    zones: &PathZones,
    (name, rest): (&str, Arguments<'_>),
    here: Option<&str>,
    action: &mut Action,
) {
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
    let behind = rest.words().iter().skip_while(|it| it.text() != Some("--")).skip(1).count();
    let (paths, is_other) = match name {
        "restore" if !is_index_only => (rest.operands().count(), rest.has_long("--source")),
        "checkout" => (behind, rest.operands().count() > behind),
        _ => (0, false),
    };
    // One file that is taken back is as a rule the agent's own last change.
    let is_file = |it: &Word| {
        let text = it.to_string();
        let name = text.rsplit('/').next().unwrap_or_default();
        name.contains('.') && !name.contains(['*', '?']) && !text.starts_with(":!")
    };
    let is_single = paths == 1 && !is_other && rest.operands().last().is_some_and(is_file);
    let names_paths = paths > 0 && !is_single;
    if is_forced || (is_all && !is_index_only) {
        action.meet_unless(GitDiscard, throw_away(here));
    } else if names_paths {
        action.meet_unless(GitRestore, throw_away(here));
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
            is_path && path_zones::lies_in(&zones.directory, &path)
        }
        Tail::Some(_) | Tail::Anything => false,
    };
    is_magic || is_broad || matches!(path, "." | "./") || covers
}
