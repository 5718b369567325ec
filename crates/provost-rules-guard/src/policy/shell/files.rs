//! The files that a program names: on its words, in its redirections, and through what feeds it.

use provost_shell::{
    Family, Hole, Invocation, Part as Piece, Program, RedirectKind, RemoteKind, Trait, Word,
};

use super::{
    super::{
        action::Action,
        arguments::{Arguments, known, lead, program},
        builtin::BuiltIn::{self, GitMetadata, NetworkRaw, PathOutside, PathSystem, SystemDevice},
        path_zones::{Tail, Target as Place, Zone, lies_in, marked},
        protected::{Access, is_template},
    },
    Part,
    altered::{changes, is_listed_outside, makes_links, replaces_originals},
    git, stdin,
    target::{self, Target},
};

/// Options whose value is a text, or a name to leave out.
const TEXT_OPTIONS: [&str; 18] = [
    "-m",
    "--message",
    "--body",
    "--title",
    "-b",
    "-t",
    "--exclude",
    "--exclude-dir",
    "--ignore",
    "--ignore-path",
    "-g",
    "--glob",
    "--notes",
    "--subject",
    "--description",
    "-x",
    "--author",
    "--date",
];

/// git's commands that change the files they name.
const GIT_WRITERS: [&str; 8] =
    ["apply", "checkout", "checkout-index", "mv", "restore", "rm", "clean", "reset"];
/// git's commands that only say something about the files they name.
const GIT_LOOKERS: [&str; 4] = ["check-ignore", "ls-files", "status", "check-attr"];

/// Whether the words of a program are texts, patterns, or files that it only looks at.
pub(super) fn says_or_reads(name: &str) -> bool {
    Program::of(name).is_any(&[Trait::Speaks, Trait::Looks, Trait::Reads, Trait::TakesPattern])
}

/// Notes every path that is protected, or lies where nothing should be written.
pub(super) fn judge(part: &Part<'_>, action: &mut Action) {
    for redirect in &part.invocation.redirects {
        let access = match redirect.kind {
            RedirectKind::Read => Access::Read,
            RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite => Access::Write,
            RedirectKind::Duplicate | RedirectKind::HereDocument | RedirectKind::HereString => {
                continue;
            }
        };
        if redirect.kind == RedirectKind::Append && was_filled_in(part, &redirect.target) {
            continue;
        }
        touch(part, &redirect.target, access, action);
    }
    if part.invocation.is_prefix {
        // Who holds a lock of provost keeps it from working.
        let arguments = Arguments::of(part.invocation);
        let is_lock = program(part.invocation).as_deref() == Some("flock");
        if let Some(file) = arguments.operands().next().filter(|_| is_lock) {
            protect(part, file, Access::Write, action);
        }
        return;
    }
    printed_by_find(part, action);
    words(part, action);
    fed(part, action);
}

/// `find -fprintf FILE` writes, although it only looks.
fn printed_by_find(part: &Part<'_>, action: &mut Action) {
    let words = part.invocation.arguments();
    let is_writer = |it: &Word| matches!(lead(it), "-fls" | "-fprint" | "-fprint0" | "-fprintf");
    if known(part.invocation).is(Trait::FindsByCondition) {
        for (_, file) in words.iter().zip(words.iter().skip(1)).filter(|(it, _)| is_writer(it)) {
            touch(part, file, Access::Write, action);
        }
    }
}

fn words(part: &Part<'_>, action: &mut Action) {
    let name = program(part.invocation).unwrap_or_default();
    // A program that is started by its path is one more file that is named.
    if let Some(word) = part.invocation.words.first().filter(|it| lead(it).contains('/')) {
        protect(part, word, Access::Read, action);
    }
    let known = Program::of(&name);
    if known.is_any(&[Trait::Speaks, Trait::Looks]) {
        return;
    }
    let arguments = Arguments::of(part.invocation);
    let is_git = known.family == Family::Git;
    let subcommand = if is_git { git::subcommand(arguments).0.unwrap_or_default() } else { "" };
    if is_git
        && (GIT_LOOKERS.contains(&subcommand) || (subcommand == "rm" && arguments.has("--cached")))
    {
        return;
    }
    // `find` itself only looks; what it starts is judged with what it was told to find.
    let is_find = known.is(Trait::Finds);
    let reached = if is_find { given_to(part) } else { Vec::new() };
    let is_deletion = arguments.has("-delete");
    if is_find && !is_deletion && reached.iter().all(|it| is_looker(it)) {
        return;
    }
    let only_reads = is_find && !is_deletion && reached.iter().all(|it| is_plain_reader(it));
    let is_in_place = known.is(Trait::EditsInPlace)
        && (arguments.has_letter("i") || arguments.has_long("--in-place"))
        || is_awk_in_place(&name, arguments);
    let takes_away = arguments.has("--remove-files")
        || replaces_originals(&name, arguments)
        || (name == "zip" && (arguments.has_letter("m") || arguments.has_long("--move")));
    let is_reader = known.is_any(&[Trait::Reads, Trait::ReadsOrEdits])
        || (is_git && !GIT_WRITERS.contains(&subcommand));
    let deletes = known.is(Trait::Deletes) || matches!(subcommand, "rm" | "mv");
    let access = match () {
        () if only_reads => Access::Read,
        () if takes_away || deletes => Access::Delete,
        () if is_reader && !is_in_place => Access::Read,
        () => Access::Write,
    };
    let written = target::written(known, arguments, is_in_place);
    for it in written.iter().filter(|it| !is_no_path(part, known, it.at, &it.word)) {
        write(part, it, action);
    }
    let mut is_pattern_due = known.is(Trait::TakesPattern) && !has_pattern_option(arguments);
    let mut skips = false;
    for (at, word) in part.invocation.arguments().iter().enumerate() {
        let text = lead(word);
        let is_option = text.starts_with('-') && text.len() > 1;
        if std::mem::take(&mut skips) {
            continue;
        }
        if is_option {
            let option = text.split('=').next().unwrap_or_default();
            let is_long = option.starts_with("--");
            let is_text = TEXT_OPTIONS.contains(&option) && (is_long || has_texts(known, option));
            skips = is_text && !text.contains('=');
            let is_message = text.starts_with("-m") && is_git;
            if is_text || is_message || option.contains("exclude") || option.contains("ignore") {
                skips |= is_git && is_cluster_with_message(text);
                continue;
            }
            skips |= is_git && is_cluster_with_message(text);
        } else if is_pattern_due {
            is_pattern_due = false;
            continue;
        }
        if is_no_path(part, known, at, word) {
            continue;
        }
        let is_copied = known.is(Trait::Copies);
        let is_written = written.iter().any(|it| it.at == at);
        if is_written {
            continue;
        }
        let access = match () {
            // Whoever writes to a link writes to what it leads to.
            () if makes_links(&name, arguments) => Access::Delete,
            () if is_copied && !takes_away => Access::Read,
            () => access,
        };
        protect(part, word, access, action);
    }
}

/// Words that are paths in no reading: code, an empty file that is made, variables for a container,
/// the kind of an object in a cluster.
fn is_no_path(part: &Part<'_>, known: &Program, at: usize, word: &Word) -> bool {
    let is_code = part.invocation.inline.as_ref().is_some_and(|it| it.code == *word);
    let text = lead(word);
    let before = at.checked_sub(1).and_then(|it| part.invocation.arguments().get(it)).map(lead);
    let is_environment = matches!(known.family, Family::Remote(RemoteKind::Container))
        && (before == Some("--env-file") || text.starts_with("--env-file="));
    let is_kind = matches!(known.family, Family::Remote(RemoteKind::Cluster))
        && !text.contains(['/', '.', '=']);
    let is_made = known.name == "touch" && text.rsplit('/').next().is_some_and(is_dotenv);
    // `find -not -path './.git/*'` leaves it out.
    let earlier = at.checked_sub(2).and_then(|it| part.invocation.arguments().get(it)).map(lead);
    let is_left_out = known.is(Trait::FindsByCondition)
        && matches!(earlier, Some("!" | "-not"))
        && matches!(before, Some("-ipath" | "-name" | "-path" | "-wholename"));
    is_code || is_environment || is_kind || is_made || is_left_out
}

fn is_dotenv(name: &str) -> bool {
    name == ".env" || name.starts_with(".env.")
}

/// `gawk -i inplace` writes the files that it reads.
fn is_awk_in_place(name: &str, arguments: Arguments<'_>) -> bool {
    let mut included = arguments.values(&["-i", "--include"]);
    matches!(name, "awk" | "gawk")
        && (arguments.has("-iinplace") || included.any(|it| it.starts_with("inplace")))
}

/// Holds something that is written against what is protected and where it lies.
fn write(part: &Part<'_>, target: &Target<'_>, action: &mut Action) {
    if fills_in_template(part, target) {
        place(part, &target.word, Access::Write, action);
        return;
    }
    let is_moved = program(part.invocation).as_deref() == Some("mv");
    let access = if target.is_open || is_moved { Access::Delete } else { Access::Write };
    protect(part, &target.word, access, action);
    place(part, &target.word, access, action);
    for folder in part.cwd.folders() {
        let spelled = part.zones.spell(&target.word, folder);
        for source in &target.sources {
            let source = part.zones.spell(source, folder);
            let name = source.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            let inner = format!("{}/{name}", spelled.trim_end_matches('/'));
            let found = part.zones.spelled(&inner, folder);
            let path = match &found.tail {
                Tail::Some(pattern) => format!("{}/{pattern}", found.path),
                Tail::Exact | Tail::Everything | Tail::Anything => found.path,
            };
            // A copy of git's folder that lies elsewhere can be deleted.
            let is_far = |it: &BuiltIn| *it == GitMetadata && !part.zones.is_inside(&path);
            let rule = part.zones.protects(&path, Access::Write);
            if let Some(rule) = rule.filter(|it| !is_far(it)) {
                action.meet_with(rule, &inner);
            }
        }
    }
}

/// Whether `cp .env.example .env` it is: a file without secrets becomes one that a person fills in.
fn fills_in_template(part: &Part<'_>, target: &Target<'_>) -> bool {
    let [source] = target.sources.as_slice() else { return false };
    let is_copy = program(part.invocation).as_deref() == Some("cp")
        && Arguments::of(part.invocation).operands().count() == 2;
    is_copy
        && file_name(source).is_some_and(is_template)
        && file_name(&target.word).is_some_and(|it| matches!(it, ".env" | ".env.local"))
        && target.word.text().is_some_and(|it| !it.starts_with('-'))
}

/// Whether the line itself has made a file from its template before something is added to it.
fn was_filled_in(part: &Part<'_>, target: &Word) -> bool {
    let before = part.script.invocations.iter().take(part.index);
    let Some(path) = target.text() else { return false };
    before.into_iter().any(|it| {
        let operands: Vec<&Word> = Arguments::of(it).operands().collect();
        let [source, copy] = operands.as_slice() else { return false };
        program(it).as_deref() == Some("cp")
            && copy.text() == Some(path)
            && file_name(source).is_some_and(is_template)
            && file_name(copy).is_some_and(|it| matches!(it, ".env" | ".env.local"))
    })
}

/// The last name of a path that is known.
fn file_name(word: &Word) -> Option<&str> {
    word.text()?.rsplit('/').next()
}

/// `-am text`: the text follows a group of letters.
fn is_cluster_with_message(text: &str) -> bool {
    !text.starts_with("--") && text.len() > 2 && text.ends_with('m')
}

/// Where a letter stands for a text, and not for a file.
fn has_texts(program: &Program, option: &str) -> bool {
    match option {
        "-m" => program.is(Trait::TextAfterM),
        "-b" => program.is(Trait::TextAfterB),
        "-t" => program.is(Trait::TextAfterT),
        "-g" => program.is(Trait::TextAfterG),
        "-x" => program.is(Trait::TextAfterX),
        _ => false,
    }
}

fn has_pattern_option(arguments: Arguments<'_>) -> bool {
    arguments.has_letter("ef")
        || arguments.has_long("--regexp")
        || arguments.has_long("--file")
        || arguments.has_long("--files")
        || arguments.has_long("--expression")
}

/// The programs that what an invocation finds is given to, by itself or by `xargs`.
fn given_to<'a>(part: &Part<'a>) -> Vec<&'a Invocation> {
    let all = &part.script.invocations;
    let mut starters = vec![part.index];
    let multipliers = (0..all.len()).filter(|at| all.get(*at).is_some_and(is_multiplier));
    starters.extend(multipliers.filter(|at| part.script.feeders(*at).contains(&part.index)));
    all.iter().filter(|it| it.launched_by.is_some_and(|by| starters.contains(&by))).collect()
}

fn is_looker(invocation: &Invocation) -> bool {
    known(invocation).is_any(&[Trait::Looks, Trait::Speaks])
}

fn is_plain_reader(invocation: &Invocation) -> bool {
    is_looker(invocation) || known(invocation).is(Trait::Reads)
}

fn is_multiplier(invocation: &Invocation) -> bool {
    known(invocation).is(Trait::Multiplies)
}

/// Notes the paths that `xargs` puts on the words of what it starts.
fn fed(part: &Part<'_>, action: &mut Action) {
    let has_input =
        |it: &Word| it.parts().iter().any(|it| matches!(it, Piece::Hole { hole: Hole::Input, .. }));
    let says = is_looker(part.invocation);
    let Some(by) = part.invocation.launched_by else { return };
    if changes(part.invocation)
        && part.invocation.words.iter().any(has_input)
        && is_listed_outside(part, by)
    {
        action.meet(PathOutside);
    }
    let is_multiplied = part.script.invocations.get(by).is_some_and(is_multiplier);
    if says || !is_multiplied || !part.invocation.words.iter().any(has_input) {
        return;
    }
    for text in stdin::of(part.script, by).texts {
        for path in text.split_whitespace() {
            let target = part.zones.target_of(path);
            if let Some(rule) = part.zones.protects(&target.path, Access::Write) {
                action.meet_with(rule, path);
            }
        }
    }
}

/// Holds one word against what is protected, and a written one against where it lies.
fn touch(part: &Part<'_>, word: &Word, access: Access, action: &mut Action) {
    protect(part, word, access, action);
    if access != Access::Read {
        place(part, word, access, action);
    }
}

fn protect(part: &Part<'_>, word: &Word, access: Access, action: &mut Action) {
    let is_find = known(part.invocation).is(Trait::FindsByCondition);
    let is_moved = program(part.invocation).as_deref() == Some("mv");
    let is_goal = is_moved && Arguments::of(part.invocation).operands().last() == Some(word);
    for folder in part.cwd.folders() {
        let spelled = part.zones.spell(word, folder);
        // The patterns of `find` are not the shell's.
        let spelled = if is_find { marked(&spelled) } else { spelled };
        for candidate in candidates(&spelled) {
            let target = reached(part, part.zones.spelled(candidate, folder), access);
            let path = match &target.tail {
                Tail::Some(pattern) => format!("{}/{pattern}", target.path),
                Tail::Exact | Tail::Everything | Tail::Anything => target.path.clone(),
            };
            // What is not known to be a folder takes nothing along, and what is moved into one
            // leaves it where it is.
            let goes = access == Access::Delete && target.tail != Tail::Anything && !is_goal;
            let below = || part.zones.protects_below(&path).filter(|_| goes);
            if let Some(rule) = part.zones.protects(&path, access).or_else(below) {
                action.meet_with(rule, &word.to_string());
                return;
            }
            let is_option = spelled.starts_with('-') && !spelled.contains('/');
            if candidate == spelled && target.tail != Tail::Anything && !is_option {
                action.touch(path, access);
            }
        }
    }
}

/// What is touched where a link is named: what it leads to, unless it is deleted.
fn reached(part: &Part<'_>, target: Place, access: Access) -> Place {
    if access == Access::Delete { target } else { part.zones.through(target) }
}

/// The texts in a word that may be paths: `--file=x`, `@x`, `HEAD:x`, `-fx`.
fn candidates(spelled: &str) -> Vec<&str> {
    if spelled.contains("://") && !spelled.contains("file://") {
        return Vec::new();
    }
    let mut found = vec![spelled];
    for piece in spelled.split(['=', '@', ':', ',']).filter(|it| *it != spelled) {
        found.push(piece);
    }
    if let Some(rest) = spelled.strip_prefix('-').and_then(|it| it.get(1..)) {
        found.push(rest);
    }
    found.retain(|it| !it.is_empty() && it.len() < 4096);
    found
}

/// Notes a write outside the project.
fn place(part: &Part<'_>, word: &Word, access: Access, action: &mut Action) {
    let shown = word.to_string();
    // A `cd` may fail; that it fails and what follows hits another folder is too far to ask about.
    let (mut n_outside, mut n_folders) = (0, 0);
    for folder in part.cwd.folders() {
        n_folders += 1;
        let spelled = part.zones.spell(word, folder);
        let path = spelled.strip_prefix("of=").unwrap_or(&spelled);
        if path.contains("://") || is_remote(path) || path == "-" {
            continue;
        }
        let target = reached(part, part.zones.spelled(path, folder), access);
        let zone = part.zones.reach(&target);
        let zones = part.zones;
        let is_own = zones.is_own_of_client(&target.path) || zones.is_inside(&target.path);
        let is_raw = ["/dev/tcp", "/dev/udp"].iter().any(|it| lies_in(&target.path, it));
        let is_here =
            ["/dev/tcp/127.", "/dev/tcp/localhost"].iter().any(|it| target.path.starts_with(it));
        if is_here {
            continue;
        }
        if is_raw {
            action.meet_with(NetworkRaw, &shown);
        }
        match zone {
            Zone::Device => action.meet_with(SystemDevice, &shown),
            Zone::System => action.meet_with(PathSystem, &shown),
            Zone::Outside | Zone::Whole if !is_own && target.path != "/tmp" => n_outside += 1,
            Zone::Outside | Zone::Whole | Zone::Inside | Zone::Temporary | Zone::Pseudo => {}
        }
    }
    if n_outside > 0 && n_outside == n_folders {
        action.meet_with(PathOutside, &shown);
    }
}

/// `host:path`, as `scp` and `rsync` write it.
fn is_remote(path: &str) -> bool {
    path.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}
