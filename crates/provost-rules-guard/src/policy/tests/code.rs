//! Inline code is read as code: what its calls do decides, and not its words.

use std::path::{Path, PathBuf};

use super::{
    rates::{is_stopped, listed, rates},
    *,
};

macro_rules! list {
    ($name:literal) => {
        include_str!(concat!("../../../../../fixtures/guard/lists/", $name, ".jsonl"))
    };
}

/// KEEP-3: its calls are judged, in whatever disguise.
#[test]
fn what_is_dangerous_in_code_is_stopped() {
    let list = listed(list!("dangerous-code"));
    assert!(list.len() >= 60, "{}", list.len());
    let (missed, report) = rates(&list, is_stopped);
    assert_eq!(missed, 0, "{report}");
}

/// KEEP-3: words in its strings are words.
#[test]
fn one_liners_are_not_interrupted() {
    let list = listed(list!("one-liners"));
    assert!(list.len() >= 200, "{}", list.len());
    let (interrupted, report) = rates(&list, |it| !is_stopped(it));
    let all = list.len();
    assert!(interrupted * 50 <= all, "{report}interrupted {interrupted} of {all}");
}

/// The folder of the standard library, where this machine has one.
fn library() -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "asks where Python is, in a test")]
    let mut python = std::process::Command::new("python3");
    let code = "import sysconfig; print(sysconfig.get_paths()['stdlib'])";
    let said = python.args(["-c", code]).output().ok()?;
    let folder = PathBuf::from(String::from_utf8(said.stdout).ok()?.trim());
    folder.is_dir().then_some(folder)
}

/// Packages of it, besides the modules that stand alone.
const PACKAGES: [&str; 16] = [
    "asyncio",
    "collections",
    "concurrent/futures",
    "ctypes",
    "email",
    "html",
    "http",
    "importlib",
    "json",
    "logging",
    "multiprocessing",
    "unittest",
    "urllib",
    "wsgiref",
    "xml/dom",
    "zoneinfo",
];

fn modules(folder: &Path) -> Vec<(String, String)> {
    let folders = PACKAGES.iter().map(|it| folder.join(it)).chain([folder.to_owned()]);
    let listed = folders.filter_map(|it| std::fs::read_dir(it).ok()).flatten();
    let files = listed.map(|it| it.unwrap().path());
    let mut sources: Vec<PathBuf> =
        files.filter(|it| it.extension().is_some_and(|it| it == "py")).collect();
    sources.sort();
    let read = |it: &PathBuf| {
        let name = it.strip_prefix(folder).ok()?.to_str()?.to_owned();
        Some((name, std::fs::read_to_string(it).ok()?))
    };
    sources.iter().filter_map(read).collect()
}

/// The modules handed over as scripts, by turns on the input and as a word.
#[test]
fn the_modules_of_the_standard_library_are_not_interrupted() {
    let folder = library().expect("the test command installs python3");
    let modules = modules(&folder);
    assert!(modules.len() > 100, "{}", modules.len());
    let mut interrupted = Vec::new();
    for (at, (name, source)) in modules.iter().enumerate() {
        let command = if at % 2 == 0 {
            format!("python3 - <<'END_OF_MODULE'\n{source}\nEND_OF_MODULE")
        } else {
            format!("python3 -c '{}'", source.replace('\'', "'\\''"))
        };
        let ruling = rule(&Policy::default(), &shell(&command));
        if is_stopped(ruling.effect) {
            let (by, what) = (ruling.rule, ruling.subject);
            interrupted.push(format!("{name}: {:?} {by} {what}", ruling.effect));
        }
    }
    let all = modules.len();
    assert!(
        interrupted.len() * 100 <= all * 2,
        "{} of {all}\n{}",
        interrupted.len(),
        interrupted.join("\n")
    );
}
