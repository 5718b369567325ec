//! What programs put into a folder under names that do not stand in the command: what they unpack,
//! install, build or fetch.

use provost_shell::Word;

use super::{
    super::{
        action::Action,
        arguments::{Arguments, lead},
        builtin::BuiltIn::{self, PathOutside, PathSystem, ProvostConfiguration},
        path_zones::{PathZones, Tail, Target, Zone},
        protected::Access,
    },
    Part, git,
};

/// Options that name the folder which a package manager puts programs into.
const INSTALLS: [(&str, &[&str]); 9] = [
    ("cargo", &["--root"]),
    ("gem", &["--bindir", "--install-dir", "-i", "-n"]),
    ("npm", &["--prefix"]),
    ("pip", &["--prefix", "--root", "--target", "-t"]),
    ("pip3", &["--prefix", "--root", "--target", "-t"]),
    ("pnpm", &["--dir", "--global-bin-dir", "--prefix"]),
    ("python", &["--prefix", "--root", "--target"]),
    ("python3", &["--prefix", "--root", "--target"]),
    ("uv", &["--prefix", "--target"]),
];

/// Variables that name such a folder where something is built.
const BUILT_INTO: [&str; 7] =
    ["BINDIR", "CMAKE_INSTALL_PREFIX", "DESTDIR", "INSTALL_DIR", "PREFIX", "bindir", "prefix"];

/// Notes what is put where it should not lie.
pub(super) fn judge(part: &Part<'_>, name: &str, action: &mut Action) {
    let arguments = Arguments::of(part.invocation);
    for word in unpacked_into(name, arguments) {
        each(part, &word, |target| {
            action.meet_any(covers(part.zones, target).or_else(|| misplaced(part.zones, target)));
        });
    }
    for text in put_into(name, arguments) {
        let word = part.zones.spelled(&text, Some(&part.zones.directory));
        action.meet_any(covers(part.zones, &word));
    }
    if escapes(name, arguments) {
        action.meet(PathOutside);
    }
}

fn each(part: &Part<'_>, word: &Word, mut judge: impl FnMut(&Target)) {
    for folder in part.cwd.folders() {
        judge(&part.zones.target(word, folder));
    }
}

/// Folders that an archive or another machine fills.
fn unpacked_into(name: &str, arguments: Arguments<'_>) -> Vec<Word> {
    let is_module =
        |it: &str| name.starts_with("python") && arguments.has("-m") && arguments.has(it);
    let extracts = || arguments.has_letter("e") || arguments.has("--extract");
    let is_archive = (is_module("tarfile") || is_module("zipfile")) && extracts();
    let last = || arguments.operands().last().cloned().into_iter().collect();
    match name {
        "scp" | "sftp" => last(),
        "7z" | "7za" | "7zz" => {
            let words = arguments.words().iter().filter_map(|it| lead(it).strip_prefix("-o"));
            words.map(Word::of_text).collect()
        }
        _ if is_archive => last(),
        _ => Vec::new(),
    }
}

/// Folders that an installation or a repository is put into, with marks for what is not known.
fn put_into(name: &str, arguments: Arguments<'_>) -> Vec<String> {
    let options = INSTALLS.iter().find(|(it, _)| *it == name).map(|it| it.1).unwrap_or_default();
    let mut found: Vec<String> = arguments.values(options).collect();
    if matches!(name, "cmake" | "gmake" | "just" | "make" | "meson" | "ninja") {
        let given = arguments.words().iter().map(ToString::to_string);
        found.extend(given.filter_map(|it| {
            let (variable, value) = it.split_once('=')?;
            let variable = variable.trim_start_matches("-D");
            BUILT_INTO.contains(&variable).then(|| value.to_owned())
        }));
        found.extend(arguments.values(&["--install", "--prefix"]));
    }
    if name == "git" && git::subcommand(arguments).0 == Some("clone") {
        let rest = git::subcommand(arguments).1;
        found.extend(rest.operands().nth(1).map(ToString::to_string));
    }
    found.into_iter().map(|it| it.replace("$HOME", "~").replace("${HOME}", "~")).collect()
}

/// Whether what is written to a folder comes to lie over what provost or a client stands on.
fn covers(zones: &PathZones, target: &Target) -> Option<BuiltIn> {
    if target.tail == Tail::Anything {
        return None;
    }
    let program = zones.program.as_deref().and_then(|it| it.rsplit_once('/'));
    let holds_program = program.is_some_and(|(folder, _)| {
        let is_there = [target.path.clone(), format!("{}/bin", target.path)];
        is_there.iter().any(|it| it == folder)
    });
    zones
        .protects(&target.path, Access::Delete)
        .or_else(|| holds_program.then_some(ProvostConfiguration))
}

fn misplaced(zones: &PathZones, target: &Target) -> Option<BuiltIn> {
    let is_far = target.path.contains(':') || target.tail == Tail::Anything;
    match zones.reach(target) {
        _ if is_far => None,
        Zone::Outside => Some(PathOutside),
        Zone::Whole if !zones.is_inside(&target.path) => Some(PathOutside),
        Zone::System | Zone::Device => Some(PathSystem),
        Zone::Whole | Zone::Inside | Zone::Temporary | Zone::Pseudo => None,
    }
}

/// Names in an archive that lead out of the folder: `tar -P`, `--transform 's,^,/etc/,'`.
fn escapes(name: &str, arguments: Arguments<'_>) -> bool {
    if !matches!(name, "bsdtar" | "gtar" | "tar") {
        return false;
    }
    let first = arguments.words().first().map(lead).unwrap_or_default();
    let bundle = if first.starts_with("--") { "" } else { first };
    let extracts = bundle.contains('x') || arguments.has_letter("x") || arguments.has("--extract");
    let is_absolute =
        bundle.contains('P') || arguments.has_letter("P") || arguments.has("--absolute-names");
    let is_away = |it: String| {
        let into = it.split(['/', ',', '|', '#', '!', '@']).skip(2).collect::<Vec<_>>().join("/");
        let home = ["/~", "/home/", "/etc/", "/Users/", "/root", "$HOME", "../", "/.claude"];
        home.iter().any(|part| format!("/{into}").contains(part))
    };
    let mut renamed = arguments.values(&["--transform", "--xform", "-s"]);
    extracts && (is_absolute || renamed.any(is_away))
}
