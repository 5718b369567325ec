//! What is deleted, and whether that is more than anybody would want back.

use provost_kernel::guard::policy::RepositoryFact;
use provost_shell::{Hole, Invocation, Part as Piece, Trait, Word};

use super::{
    super::{
        action::Action,
        arguments::{Arguments, known, lead, program},
        builtin::BuiltIn::{
            self, DeleteOutside, DeleteRoot, DeleteSources, DeleteSystem, DeleteUnknown,
            GitMetadata, SystemDevice,
        },
        path_zones::{ANY, ONE, PathZones, Tail, Target, Zone, lies_in, marked},
    },
    Part, stdin,
};

/// Folders in which projects keep what people wrote.
pub(super) const SOURCES: [&str; 13] = [
    "app", "apps", "cmd", "crates", "docs", "include", "internal", "packages", "pkg", "source",
    "src", "test", "tests",
];

/// Conditions by which `find` picks some files out of all.
const NARROWING: [&str; 22] = [
    "-amin",
    "-anewer",
    "-atime",
    "-cmin",
    "-ctime",
    "-empty",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-lname",
    "-links",
    "-mmin",
    "-mtime",
    "-name",
    "-newer",
    "-path",
    "-regex",
    "-samefile",
    "-size",
    "-wholename",
];

/// `rm` and its kin.
pub(super) fn remove(part: &Part<'_>, name: &str, action: &mut Action) {
    let arguments = Arguments::of(part.invocation);
    let is_recursive = matches!(name, "rimraf" | "trash" | "srm")
        || arguments.has_letter("rR")
        || arguments.has_long("--recursive");
    if name == "rmdir" {
        // It deletes nothing but empty folders.
        return;
    }
    let launcher = part.invocation.launched_by.and_then(|it| part.script.invocations.get(it));
    let is_fd = |it: &&Invocation| program(it).is_some_and(|it| it.starts_with("fd"));
    // `fd -x rm` puts what it finds at the end.
    if let Some(fd) = launcher.filter(is_fd) {
        found(part, fd, action);
    }
    // A name without letters names nothing.
    for word in arguments.operands().filter(|it| it.text() != Some("")) {
        let is_fed =
            word.parts().iter().any(|it| matches!(it, Piece::Hole { hole: Hole::Input, .. }));
        if is_fed {
            fed(part, word, is_recursive, action);
            continue;
        }
        for folder in part.cwd.folders() {
            let target = target_of(part, name, word, folder);
            if let Some(rule) = gone(part.zones, &target) {
                action.meet_unless(rule, whole_tree(part.zones, rule, &target));
            }
            if is_recursive && is_sources(part.zones, &target) {
                action.meet(DeleteSources);
            }
        }
    }
}

/// What a word of a program names; some read patterns by themselves.
fn target_of(part: &Part<'_>, name: &str, word: &Word, folder: Option<&str>) -> Target {
    let expands = matches!(name, "del" | "del-cli" | "rimraf" | "trash");
    if expands && word.text().is_some_and(|it| it.contains(['*', '?'])) {
        return part.zones.spelled(&marked(&part.zones.spell(word, folder)), folder);
    }
    part.zones.target(word, folder)
}

/// The work tree that goes as a whole, which may be one that was never meant to last.
fn whole_tree(zones: &PathZones, rule: BuiltIn, target: &Target) -> Option<RepositoryFact> {
    let is_tree = rule == DeleteRoot
        && matches!(target.tail, Tail::Exact | Tail::Everything)
        && target.path == zones.root
        && !lies_in(&zones.user_home, &target.path);
    is_tree.then(|| RepositoryFact::ThrowAway { folder: target.path.clone() })
}

/// Whether it is a folder in which a project keeps what people wrote.
fn is_sources(zones: &PathZones, target: &Target) -> bool {
    let rest = target.path.strip_prefix(zones.root.as_str()).unwrap_or_default();
    SOURCES.contains(&rest.trim_start_matches('/')) && target.tail == Tail::Exact
}

/// What a deleted path meets.
pub(super) fn gone(zones: &PathZones, target: &Target) -> Option<BuiltIn> {
    let zone = zones.reach(target);
    if target.tail == Tail::Anything {
        let is_below = zone == Zone::Inside && !target.path.is_empty();
        let is_temporary = zone == Zone::Temporary || target.path == "/tmp";
        return (!is_below && !is_temporary).then_some(DeleteUnknown);
    }
    // All of an unknown folder, or that folder itself.
    let is_open = !target.path.starts_with('/')
        && (target.path.is_empty() || target.tail == Tail::Everything);
    if is_open {
        return Some(DeleteUnknown);
    }
    match zone {
        Zone::Whole => Some(DeleteRoot),
        Zone::System | Zone::Device | Zone::Pseudo => Some(DeleteSystem),
        Zone::Outside => Some(DeleteOutside),
        Zone::Inside | Zone::Temporary => None,
    }
}

/// `rsync --delete` empties its destination of everything else.
pub(super) fn mirrored(part: &Part<'_>, action: &mut Action) {
    let arguments = Arguments::of(part.invocation);
    let deletes = arguments.words().iter().any(|it| lead(it).starts_with("--del"));
    if arguments.has("--remove-source-files") {
        let n_sources = arguments.operands().count().saturating_sub(1);
        taken(part, arguments.operands().take(n_sources), action);
    }
    let Some(word) = arguments.operands().last().filter(|_| deletes) else { return };
    for folder in part.cwd.folders() {
        if !word.to_string().contains(':') {
            action.meet_any(gone(part.zones, &part.zones.target(word, folder)));
        }
    }
}

/// `zip -m` and `tar --remove-files` delete what they have packed.
pub(super) fn packed(part: &Part<'_>, name: &str, action: &mut Action) {
    let arguments = Arguments::of(part.invocation);
    let deletes = match name {
        "zip" => arguments.has_letter("m") || arguments.has_long("--move"),
        _ => arguments.has("--remove-files"),
    };
    // Whole folders make room for what is unpacked.
    if arguments.has("--recursive-unlink") {
        action.meet(DeleteSources);
    }
    if deletes {
        taken(part, arguments.operands(), action);
    }
}

/// Judges paths that are gone afterwards.
fn taken<'a>(part: &Part<'_>, words: impl Iterator<Item = &'a Word>, action: &mut Action) {
    for word in words {
        for folder in part.cwd.folders() {
            action.meet_any(gone(part.zones, &part.zones.target(word, folder)));
        }
    }
}

/// `mv` takes its sources away.
pub(super) fn moved(part: &Part<'_>, action: &mut Action) {
    let arguments = Arguments::of(part.invocation);
    let operands: Vec<&Word> = arguments.operands().collect();
    let is_folder_first = arguments.has_letter("t") || arguments.has_long("--target-directory");
    let sources = match operands.as_slice() {
        all if is_folder_first => all,
        [sources @ .., _] => sources,
        [] => &[],
    };
    let is_sink = |it: &&Word| {
        let target = part.zones.target(it, Some(&part.zones.directory));
        part.zones.reach(&target) == Zone::Pseudo
    };
    if operands.last().is_some_and(is_sink) {
        action.meet(SystemDevice);
    }
    // A name without letters names nothing.
    for word in sources.iter().filter(|it| it.text() != Some("")) {
        for folder in part.cwd.folders() {
            let target = part.zones.target(word, folder);
            if target.tail != Tail::Anything {
                action.meet_any(gone(part.zones, &target));
            }
        }
    }
}

/// `gio trash x`.
pub(super) fn by_desktop(part: &Part<'_>, name: &str, action: &mut Action) {
    let arguments = Arguments::of(part.invocation);
    let deletes = name == "gio" && matches!(arguments.first(), Some("remove" | "trash"));
    if deletes {
        taken(part, arguments.operands().skip(1), action);
    }
}

/// `find … -delete` and `fd … -x rm`.
pub(super) fn find(part: &Part<'_>, action: &mut Action) {
    let arguments = Arguments::of(part.invocation);
    if arguments.has("-delete") {
        found(part, part.invocation, action);
    }
}

/// What a deleting `find` meets.
fn found(part: &Part<'_>, find: &Invocation, action: &mut Action) {
    let words = find.arguments();
    let is_fd = program(find).is_some_and(|it| it.starts_with("fd"));
    let is_condition = |it: &Word| {
        matches!(lead(it), "!" | "(") || (lead(it).starts_with('-') && lead(it).len() > 1)
    };
    let options =
        words.iter().take_while(|it| matches!(it.text(), Some("-H" | "-L" | "-P"))).count();
    let rest = words.get(options..).unwrap_or_default();
    let n_roots = rest.iter().take_while(|it| !is_condition(it)).count();
    let (roots, conditions) = rest.split_at(n_roots);
    let names_git =
        conditions.iter().any(|it| matches!(it.text(), Some(".git" | "*/.git" | "*/.git/*")));
    if names_git && !conditions.iter().any(is_negation) {
        action.meet(GitMetadata);
    }
    let is_pattern = |it: &Word| it.to_string().chars().any(char::is_alphanumeric);
    let is_narrow = if is_fd {
        fd_operands(words).first().is_some_and(|it| is_pattern(it)) || picks_extension(words)
    } else {
        is_narrow(conditions)
    };
    let roots: Vec<&Word> = if is_fd { fd_roots(words) } else { roots.iter().collect() };
    for folder in part.cwd.folders() {
        let targets: Vec<Target> = match roots.as_slice() {
            [] => folder.map(|it| part.zones.target_of(it)).into_iter().collect(),
            roots => roots.iter().map(|it| part.zones.target(it, folder)).collect(),
        };
        for target in targets {
            let is_project = [&part.zones.root, &part.zones.directory].contains(&&target.path);
            let rule = match gone(part.zones, &target) {
                Some(DeleteRoot) if is_project && is_narrow => None,
                other => other,
            };
            action.meet_any(rule);
        }
    }
}

/// Options of `fd` that take the next word.
const FD_VALUED: [&str; 23] = [
    "--base-directory",
    "--batch-size",
    "--changed-before",
    "--changed-within",
    "--color",
    "--exclude",
    "--extension",
    "--format",
    "--ignore-file",
    "--max-depth",
    "--max-results",
    "--min-depth",
    "--owner",
    "--size",
    "--threads",
    "--type",
    "-E",
    "-S",
    "-c",
    "-d",
    "-e",
    "-j",
    "-t",
];

/// The pattern of `fd`, and the folders behind it.
fn fd_operands(words: &[Word]) -> Vec<&Word> {
    let starts = |it: &&Word| !matches!(it.text(), Some("-X" | "-x" | "--exec" | "--exec-batch"));
    let mut skips = false;
    let own = words.iter().take_while(starts).filter(|it| {
        let is_value = std::mem::take(&mut skips);
        let text = lead(it);
        skips = FD_VALUED.contains(&text);
        let is_option = text.starts_with('-') && text.len() > 1;
        !is_value && !is_option
    });
    own.collect()
}

/// The folders that `fd` looks in.
fn fd_roots(words: &[Word]) -> Vec<&Word> {
    let named = words.iter().zip(words.iter().skip(1));
    let named = named.filter(|it| matches!(lead(it.0), "--base-directory" | "--search-path"));
    fd_operands(words).into_iter().skip(1).chain(named.map(|it| it.1)).collect()
}

/// `fd -e pyc` picks by the end of the name.
fn picks_extension(conditions: &[Word]) -> bool {
    conditions.iter().any(|it| matches!(it.text(), Some("-e" | "--extension" | "--changed-before")))
}

fn is_negation(word: &Word) -> bool {
    matches!(word.text(), Some("!" | "-not" | "-o" | "-or" | ","))
}

/// Whether conditions leave most files alone.
fn is_narrow(conditions: &[Word]) -> bool {
    let next = conditions.iter().skip(1);
    let before = std::iter::once(None).chain(conditions.iter().map(Some));
    let after = conditions.iter().enumerate().map(|(at, _)| conditions.get(at + 2..at + 4));
    let around = conditions.iter().zip(next).zip(before).zip(after);
    let is_pick = around.into_iter().any(|(((condition, value), before), after)| {
        let named = condition.text().is_some_and(|it| NARROWING.contains(&it));
        // `-path x -prune` leaves out, and so does a negation.
        named
            && !after.is_some_and(leaves_out)
            && !before.is_some_and(is_negation_alone)
            && !value.to_string().chars().all(|it| matches!(it, '*' | '?' | '.' | '/' | ANY | ONE))
    });
    let is_empty = conditions.iter().any(|it| it.text() == Some("-empty"));
    // `a -o ! b -delete` deletes whatever is not `b`.
    let is_split = conditions.iter().any(|it| matches!(it.text(), Some("-o" | "-or" | ",")));
    (is_pick || is_empty) && !(is_split && conditions.iter().any(is_negation_alone))
}

/// `-prune -o`: what was picked is passed over.
fn leaves_out(next: &[Word]) -> bool {
    matches!(next, [one, two] if one.text() == Some("-prune") && matches!(two.text(), Some("-o" | "-or")))
}

/// `-o` between picks is as narrow as they are; a negation is not.
fn is_negation_alone(word: &Word) -> bool {
    matches!(word.text(), Some("!" | "-not" | ","))
}

/// What is deleted comes from `find`, or from the input of `xargs`.
fn fed(part: &Part<'_>, word: &Word, is_recursive: bool, action: &mut Action) {
    let Some(by) = part.invocation.launched_by else {
        action.meet(DeleteUnknown);
        return;
    };
    let launcher = part.script.invocations.get(by);
    let is_find = launcher.is_some_and(|it| known(it).is(Trait::Finds));
    // `folder/{}` stays in its folder as long as there is no `..`.
    if !lead(word).is_empty() && !is_find {
        let target = part.zones.target(word, part.cwd.folders().next().flatten());
        action.meet_any(gone(part.zones, &target));
        return;
    }
    if let Some(launcher) = launcher.filter(|_| is_find) {
        found(part, launcher, action);
        return;
    }
    let feed = stdin::of(part.script, by);
    for text in &feed.texts {
        for path in text.split_whitespace() {
            let target = part.zones.target_of(path);
            action.meet_any(gone(part.zones, &target));
        }
    }
    let mut is_known = !feed.texts.is_empty();
    for &index in &feed.programs {
        let Some(feeder) = part.script.invocations.get(index) else { continue };
        match program(feeder).as_deref() {
            Some("find" | "gfind" | "fd" | "fdfind") => {
                is_known = true;
                found(part, feeder, action);
            }
            Some("git" | "rg" | "grep" | "ls") => is_known |= !is_recursive,
            _ => {}
        }
    }
    if !is_known {
        action.meet(DeleteUnknown);
    }
}
