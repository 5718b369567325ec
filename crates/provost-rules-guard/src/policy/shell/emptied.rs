//! Files of the project that are emptied, or replaced by nothing.
//!
//! One text that is written over another is ordinary work; nothing that is written over sources is
//! none, and neither is a list of the whole project that is deleted.

use provost_shell::{Hole, Invocation, Part as Piece, RedirectKind, Script, Trait, Word};

use super::{
    super::{
        action::Action,
        arguments::{Arguments, known, lead, program},
        builtin::BuiltIn::DeleteSources,
        path_zones::{ANY, PathZones, Tail},
        protected::is_source,
    },
    ShellAnalyzer,
    delete::SOURCES,
    git,
};

/// Scripts of `sed` that leave nothing, or next to nothing.
const SED_EMPTIES: [&str; 13] = [
    "$!d", "/$/d", "/./d", "/.*/d", "/^/d", "1!d", "1,$d", "1q", "Q", "d", "s/.*//", "s/.*//g",
    "s/^.*$//",
];

/// Code of `perl -p` and `ruby -p` that leaves nothing, without its blanks.
const CODE_EMPTIES: [&str; 8] =
    ["", "$_=\"\"", "$_=''", "$_=nil", "$_=q()", "$_=undef", "s/.*//s", "undef$_"];

/// What editors are told that should empty every file they have open.
const EDITOR_EMPTIES: [&str; 6] =
    ["argdo %d", "argdo :%d", "argdo norm ggdg", "argdo normal ggdg", "bufdo %d", "windo %d"];

/// How the words of an invocation come to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The files are gone.
    Deleted,
    /// Somebody emptied them on purpose.
    Emptied,
    /// They are made if they are not there.
    Made,
}

/// Judges what empties or deletes files of the whole project.
pub(super) fn judge(look: &mut ShellAnalyzer<'_>, script: &Script) {
    let is_listed = script.invocations.iter().any(lists_project);
    for (at, it) in script.invocations.iter().enumerate() {
        let empties = is_told_to_empty(it)
            || files(script, at).is_some_and(|(way, words)| {
                words.iter().any(|word| is_grave(look.zones, script, at, way, word, is_listed))
            });
        if empties {
            let mut action = Action::on(&it.shown());
            action.meet(DeleteSources);
            look.actions.push(action);
        }
    }
}

/// Whether one word stands for sources.
fn is_grave(
    zones: &PathZones,
    script: &Script,
    at: usize,
    way: Way,
    word: &Word,
    is_listed: bool,
) -> bool {
    let has = |is_it: fn(&Hole) -> bool| {
        word.parts().iter().any(|it| matches!(it, Piece::Hole { hole, .. } if is_it(hole)))
    };
    if way == Way::Deleted || has(|it| matches!(it, Hole::Command(_))) {
        return word.text().is_none() && is_listed;
    }
    if has(|it| matches!(it, Hole::Input)) {
        return is_fed_with_sources(script, at);
    }
    if word.text().is_none() && is_listed {
        return true;
    }
    let spelled = zones.spell(word, Some(&zones.directory));
    let target = zones.spelled(&spelled, Some(&zones.directory));
    if !zones.is_inside(&target.path) {
        return false;
    }
    let (folder, name) = spelled.rsplit_once('/').unwrap_or(("", &spelled));
    let by = script.invocations.get(at).and_then(|it| it.launched_by);
    let is_at_end = by.and_then(|it| script.invocations.get(it)).is_some_and(finds_sources);
    if is_at_end && word.text().is_none() {
        return true;
    }
    let is_pattern = target.tail != Tail::Exact;
    let is_all = !name.is_empty() && name.chars().all(|it| it == ANY);
    let first = folder.trim_start_matches("./").split('/').next().unwrap_or_default();
    let is_made = way == Way::Made || matches!(name, "__init__.py" | "py.typed");
    if is_pattern {
        is_source(name) || (is_all && SOURCES.contains(&first))
    } else {
        is_source(name) && !is_made
    }
}

/// Whether what comes from `find` or from a pipe are sources.
fn is_fed_with_sources(script: &Script, at: usize) -> bool {
    let all = &script.invocations;
    let Some(by) = all.get(at).and_then(|it| it.launched_by) else { return false };
    let feeders = script.feeders(by).into_iter().filter_map(|it| all.get(it));
    all.get(by).into_iter().chain(feeders).any(|it| lists_project(it) || finds_sources(it))
}

/// `find src -name '*.ts'`, or `find src` without any choice.
fn finds_sources(invocation: &Invocation) -> bool {
    let known = known(invocation);
    if !known.is(Trait::Finds) {
        return false;
    }
    let words = invocation.arguments();
    let texts: Vec<String> = words.iter().map(Word::to_string).collect();
    let is_far = |it: &String| it.starts_with(['/', '~']);
    if texts.iter().take_while(|it| !it.starts_with('-')).any(is_far) {
        return false;
    }
    let named: Vec<&String> = if known.is(Trait::FindsByCondition) {
        let pairs = texts.iter().zip(texts.iter().skip(1));
        pairs.filter(|it| matches!(it.0.as_str(), "-name" | "-iname")).map(|it| it.1).collect()
    } else {
        let pairs = texts.iter().zip(texts.iter().skip(1));
        pairs.filter(|it| matches!(it.0.as_str(), "-e" | "--extension")).map(|it| it.1).collect()
    };
    let is_one = |it: &&String| is_source(it) || is_source(&format!("x.{it}"));
    let is_picked = ["-empty", "-mtime", "-newer", "-path", "-regex", "-size"];
    let picks = is_picked.iter().any(|it| texts.iter().any(|text| text == it));
    if named.is_empty() { !picks } else { named.iter().any(is_one) }
}

/// The files that an invocation empties or deletes, and how.
fn files(script: &Script, at: usize) -> Option<(Way, Vec<Word>)> {
    let invocation = script.invocations.get(at)?;
    let arguments = Arguments::of(invocation);
    let operands: Vec<Word> = arguments.operands().cloned().collect();
    let from = |n: usize| operands.get(n..).unwrap_or_default().to_vec();
    let is_null = |it: Option<&Word>| it.and_then(Word::text) == Some("/dev/null");
    let written = || {
        let kept = invocation.redirects.iter().filter(|it| it.kind == RedirectKind::Write);
        kept.map(|it| it.target.clone()).collect::<Vec<_>>()
    };
    match program(invocation).as_deref() {
        Some("rm" | "unlink") => Some((Way::Deleted, operands)),
        Some("shred") => Some((Way::Emptied, operands)),
        Some("truncate") => {
            let mut sizes = arguments.values(&["-s", "--size"]);
            let is_empty = arguments.has("-s0") || sizes.any(|it| it == "0");
            is_empty.then_some((Way::Emptied, operands))
        }
        Some("sed" | "gsed") if arguments.has_letter("i") || arguments.has_long("--in-place") => {
            let mut scripts = arguments.values(&["-e", "--expression"]);
            let is_script = |it: &Word| it.text().is_some_and(|it| SED_EMPTIES.contains(&it));
            let is_first = operands.iter().find(|it| it.text() != Some("")).is_some_and(is_script);
            let empties = is_first || scripts.any(|it| SED_EMPTIES.contains(&it.as_str()));
            empties.then(|| (Way::Emptied, from(1)))
        }
        Some("perl" | "ruby") if arguments.has_letter("i") => {
            let code = invocation.inline.as_ref()?.code.to_string();
            let bare: String = code.chars().filter(|it| !it.is_whitespace()).collect();
            let bare = bare.trim_end_matches(';');
            let prints = ["print", "say", "puts", "$_", "eof"].iter().any(|it| bare.contains(it));
            let is_silent = arguments.has_letter("n") && !arguments.has_letter("p") && !prints;
            (CODE_EMPTIES.contains(&bare) || is_silent).then(|| (Way::Emptied, from(0)))
        }
        Some("cp" | "install") if is_null(operands.iter().find(|it| is_null(Some(*it)))) => {
            Some((Way::Emptied, from(1)))
        }
        Some("dd") if arguments.has("if=/dev/null") => {
            let files = arguments.words().iter().filter_map(|it| lead(it).strip_prefix("of="));
            Some((Way::Emptied, files.map(Word::of_text).collect()))
        }
        Some("tee" | "sponge") => {
            let reads = |it: &&provost_shell::Redirect| it.kind == RedirectKind::Read;
            let mut given = invocation.redirects.iter().filter(reads);
            let is_given = given.any(|it| is_null(Some(&it.target)));
            let feeders = script.feeders(at);
            let is_idle = |it: &usize| script.invocations.get(*it).is_some_and(says_nothing);
            let is_fed = !feeders.is_empty() && feeders.iter().all(is_idle);
            let way = if operands.len() > 1 { Way::Emptied } else { Way::Made };
            (is_given || is_fed).then_some((way, operands))
        }
        Some("cat") if is_null(operands.first()) => Some((Way::Emptied, written())),
        None => Some((Way::Made, written())),
        Some(_) if says_nothing(invocation) => Some((Way::Made, written())),
        Some(_) => None,
    }
}

/// `:`, `true`, `printf ''` and `echo -n`.
fn says_nothing(invocation: &Invocation) -> bool {
    let texts: Vec<&str> = invocation.arguments().iter().map(lead).collect();
    match program(invocation).as_deref() {
        Some(":" | "true") => true,
        Some("printf") => texts == [""],
        Some("echo") => matches!(texts.as_slice(), ["-n"] | ["-n", ""]),
        Some("cat") => texts == ["/dev/null"],
        Some(_) | None => false,
    }
}

/// An editor that is told to empty whatever it was given.
fn is_told_to_empty(invocation: &Invocation) -> bool {
    let is_editor = matches!(program(invocation).as_deref(), Some("ex" | "nvim" | "vi" | "vim"));
    is_editor
        && invocation.arguments().iter().any(|it| {
            let text = it.to_string().to_ascii_lowercase();
            EDITOR_EMPTIES.iter().any(|it| text.contains(it))
        })
}

/// `git ls-files` and its like, unless they list what is gone or ignored.
fn lists_project(invocation: &Invocation) -> bool {
    let arguments = Arguments::of(invocation);
    let others = ["-d", "-i", "--deleted", "--ignored"];
    if program(invocation).as_deref() != Some("git") {
        return false;
    }
    match git::subcommand(arguments).0 {
        Some("ls-files") => !others.iter().any(|it| arguments.has(it)),
        Some("diff") => arguments.has("--name-only"),
        Some("grep") => arguments.has_letter("l") || arguments.has_long("--files-with-matches"),
        Some("ls-tree") => arguments.has_long("--name-only"),
        _ => false,
    }
}
