//! Commands of an agent that cannot prove anything, refused before they run: they leave the
//! checkout, write what they then check, or tell their runner to ignore failures.

use provost_kernel::Message;
use provost_rules::ecosystem;
use provost_shell::{
    Invocation, Join, Place, Program, Redirect, RedirectKind, Script, Trait, Word,
};

/// Why a command proves nothing, with the part that shows it.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "story.inadmissible")]
pub enum Inadmissible {
    /// Only the checkout is judged.
    #[message(
        en = "the command leads out of the checkout: `{0}`; use paths of the repository",
        zh = "命令离开了检出目录：`{0}`；请使用仓库内的路径"
    )]
    LeadsOut(String),
    /// It would check its own work.
    #[message(
        en = "the command writes what it should only check: `{0}`",
        zh = "命令改写了它本应检查的内容：`{0}`"
    )]
    Writes(String),
    /// It succeeds whatever it finds.
    #[message(
        en = "the command succeeds whatever it finds: `{0}`",
        zh = "无论结果如何，该命令都会成功：`{0}`"
    )]
    Lenient(String),
}

/// Folders of programs and devices, which are the same everywhere.
const SYSTEM: [&str; 4] = ["/bin/", "/usr/bin/", "/usr/local/bin/", "/dev/"];
/// What people call a file that is only read by them.
const LOGS: [&str; 3] = [".log", ".txt", ".out"];
/// What git does when it does more than look.
const GIT_WRITERS: [&str; 22] = [
    "add",
    "am",
    "apply",
    "checkout",
    "cherry-pick",
    "clean",
    "commit",
    "config",
    "merge",
    "mv",
    "pull",
    "push",
    "read-tree",
    "rebase",
    "replace",
    "reset",
    "restore",
    "revert",
    "rm",
    "stash",
    "switch",
    "update-ref",
];
/// What makes `make` run nothing, go on after an error, or take something for made or for a rule.
const MAKE_WORDS: [&str; 12] = [
    "--dry-run",
    "--just-print",
    "--recon",
    "--touch",
    "--ignore-errors",
    "--question",
    "--old-file",
    "--assume-old",
    "--what-if",
    "--new-file",
    "--assume-new",
    "--eval",
];
const MAKE_LETTERS: [char; 7] = ['n', 't', 'i', 'q', 'o', 'W', 'E'];
/// The letters after which the rest of a word is something else.
const MAKE_VALUES: [char; 5] = ['f', 'C', 'I', 'j', 'l'];
/// Says why a command proves nothing; none if it may run.
pub fn inadmissible(text: &str) -> Option<Inadmissible> {
    let script = provost_shell::parse(text);
    way_out(text, &script)
        .map(Inadmissible::LeadsOut)
        .or_else(|| writing(&script).map(Inadmissible::Writes))
        .or_else(|| leniency(&script).map(Inadmissible::Lenient))
}

fn way_out(text: &str, script: &Script) -> Option<String> {
    let is_out = |word: &Word, depth: usize| {
        let value = word.text().map(|it| it.rsplit_once('=').map_or(it, |(_, value)| value));
        let Some(value) = value else {
            return word.to_string().split(['/', '=']).any(|it| it == "..");
        };
        let is_absolute = value.starts_with('/') && !SYSTEM.iter().any(|at| value.starts_with(at));
        is_absolute || value.starts_with('~') || below(value, depth).is_none()
    };
    // A folder that is only known when the command runs may be any.
    let is_unknown_folder = |it: &&Invocation| {
        let changes = it.program().is_some_and(|it| matches!(it, "cd" | "pushd"));
        changes && it.arguments().iter().any(|it| it.text().is_none())
    };
    let homes = ["$HOME", "${HOME", "$OLDPWD", "${OLDPWD", "~/"];
    let mut depth = 0;
    let mut out = None;
    for it in &script.invocations {
        // After `||` the one before it has failed.
        depth = if it.join == Join::Or { 0 } else { depth };
        out = out.or_else(|| it.words.iter().find(|it| is_out(it, depth)));
        depth = depth_after(it, depth);
    }
    out.map(ToString::to_string)
        .or_else(|| script.invocations.iter().find(is_unknown_folder).map(Invocation::shown))
        .or_else(|| homes.into_iter().find(|it| text.contains(it)).map(str::to_owned))
}

/// How deep a path leads, from a folder that lies so deep in the checkout; none if out of it.
fn below(path: &str, depth: usize) -> Option<usize> {
    path.split('/').try_fold(depth, |depth, part| match part {
        "" | "." => Some(depth),
        ".." => depth.checked_sub(1),
        _ => Some(depth + 1),
    })
}

/// How deep the next invocation works. Only what surely has changed the folder counts.
fn depth_after(invocation: &Invocation, depth: usize) -> usize {
    let is_sure = invocation.place == Place::Script
        && invocation.launched_by.is_none()
        && matches!(invocation.join, Join::Sequence | Join::And);
    match (invocation.program(), invocation.arguments()) {
        (Some("cd"), [folder]) if is_sure => {
            folder.text().and_then(|it| below(it, depth)).unwrap_or(0)
        }
        (Some("cd" | "pushd" | "popd"), _) => 0,
        (Some(_) | None, _) => depth,
    }
}

fn writing(script: &Script) -> Option<String> {
    let is_written = |it: &&Redirect| {
        let writes = match it.kind {
            RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite => true,
            RedirectKind::Read
            | RedirectKind::Duplicate
            | RedirectKind::HereDocument
            | RedirectKind::HereString => false,
        };
        let is_kept =
            |it: &str| !it.starts_with("/dev/") && !LOGS.iter().any(|end| it.ends_with(end));
        writes && it.target.text().is_none_or(is_kept)
    };
    let redirect = script.invocations.iter().flat_map(|it| &it.redirects).find(is_written);
    let is_writer = |it: &&Invocation| match it.program() {
        Some("tee") => it.arguments().iter().filter_map(Word::text).any(|it| {
            !it.starts_with('-')
                && !it.starts_with("/dev/")
                && !LOGS.iter().any(|end| it.ends_with(end))
        }),
        Some("sed" | "perl") => it.arguments().iter().filter_map(Word::text).any(|it| {
            it.starts_with("--in-place")
                || (it.starts_with('-') && !it.starts_with("--") && it.contains('i'))
        }),
        Some("git") => git_verb(it).is_some_and(|it| GIT_WRITERS.contains(&it)),
        Some(program) => Program::of(program).is(Trait::ChangesFiles),
        None => false,
    };
    redirect
        .map(|it| format!("> {}", it.target))
        .or_else(|| script.programs().find(is_writer).map(Invocation::shown))
}

/// What git is asked to do, after the options that stand before it.
fn git_verb(invocation: &Invocation) -> Option<&str> {
    let mut words = invocation.arguments().iter().map(|it| it.text().unwrap_or_default());
    loop {
        match words.next()? {
            "-c" | "-C" | "--git-dir" | "--work-tree" => drop(words.next()),
            word if word.starts_with('-') => {}
            verb => return Some(verb),
        }
    }
}

fn leniency(script: &Script) -> Option<String> {
    let is_lenient_variable = |name: &str| ecosystem::any(|it| &it.lenient_variables, name);
    let is_lenient = |it: &&Invocation| {
        let tells =
            |word: &str| word.split_once('=').is_some_and(|(name, _)| is_lenient_variable(name));
        let is_make = it.program().is_some_and(|it| matches!(it, "make" | "gmake"));
        let is_make_word = |word: &str| {
            let letters = word.strip_prefix('-').filter(|it| !it.starts_with('-'));
            let mut letters =
                letters.unwrap_or_default().chars().take_while(|it| !MAKE_VALUES.contains(it));
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let program = value.split_whitespace().next().unwrap_or_default();
            let program = program.rsplit('/').next().unwrap_or_default();
            MAKE_WORDS.contains(&name)
                || letters.any(|it| MAKE_LETTERS.contains(&it))
                || Program::of(program).is(Trait::Idle)
        };
        it.assignments.iter().any(|it| is_lenient_variable(&it.name))
            || it.arguments().iter().filter_map(Word::text).any(|word| {
                tells(word) || (is_make && is_make_word(word))
            })
            // What runs in the background leaves no exit code behind.
            || it.join == Join::Background
    };
    script.invocations.iter().find(is_lenient).map(Invocation::shown)
}

#[cfg(test)]
mod tests {
    use provost_kernel::Lang;

    use super::*;

    #[track_caller]
    fn check(command: &str, expected: &str) {
        let found = match inadmissible(command) {
            None => "fit",
            Some(Inadmissible::LeadsOut(_)) => "out",
            Some(Inadmissible::Writes(_)) => "writes",
            Some(Inadmissible::Lenient(_)) => "lenient",
        };
        assert_eq!(found, expected, "{command}: {:?}", inadmissible(command));
    }

    #[test]
    fn a_plain_check_may_run() {
        for command in [
            "make check",
            "make -j4 -C sub check",
            "make -f other.mk check",
            "cd sub && make check",
            "cd tests && sh ../greet.sh",
            "cd a/b && make -C ../.. check",
            "/usr/bin/make check > /dev/null 2>&1",
            "make check > build.log",
            "make check 2>&1 | tee check.log",
            "cargo test --package login -- --nocapture",
            "pytest -k 'login and not slow' tests/test_login.py::test_in",
            "npm run test -- --run",
            "grep -q hello greet.sh",
            "sed -n 1,3p greet.sh | grep -q hello",
            "git diff --exit-code HEAD",
            "git -C sub log -1 | grep -q commit",
            "test -f greet.sh && ! grep -q TODO greet.sh",
        ] {
            check(command, "fit");
        }
    }

    #[test]
    fn a_command_that_leaves_the_checkout_is_seen() {
        for command in [
            "cd /elsewhere && make check",
            "make -C ../other check",
            "cd tests && sh ../../greet.sh",
            "cd tests || sh ../greet.sh",
            "cd tests && cd .. && sh ../greet.sh",
            "(cd tests); sh ../greet.sh",
            "cd $PWD/../.. && make check",
            "cargo test --manifest-path=/x/Cargo.toml",
            "cd $HOME/other && make",
            "cd $(cat place) && make",
            "/opt/mine/check",
            "sh -c 'cd /elsewhere; make'",
            "env -C /elsewhere make check",
        ] {
            check(command, "out");
        }
    }

    #[test]
    fn a_command_that_makes_itself_true_is_seen() {
        for command in [
            "echo 'echo hello' > greet.sh && make check",
            "printf x >> GNUmakefile; make check",
            "cp /dev/null tests/check.sh; make check",
            "sed -i s/hi/hello/ greet.sh && make check",
            "echo x | tee greet.sh; make check",
            "git checkout HEAD~1 -- tests && make check",
            "ln -sf /bin/true tests/check.sh && make check",
            "git commit -qam x; make check",
            "git -c user.name=a -C sub commit -m x && make check",
        ] {
            check(command, "writes");
        }
    }

    #[test]
    fn a_runner_that_is_told_not_to_mind_is_seen() {
        for command in [
            "make -n check",
            "make -ki check",
            "make --touch check",
            "make check SHELL=/bin/true",
            "MAKEFLAGS=-n make check",
            "make -o check check",
            "make --old-file=run run",
            "make check -W nothing",
            "make -sk -o run check",
            "make --eval='check: ; @:' check",
            "make check PYTHON=/bin/true",
            "(make check) & wait",
        ] {
            check(command, "lenient");
        }
    }

    #[test]
    fn a_reason_is_said_in_both_languages() {
        for it in [inadmissible("cd /x"), inadmissible("rm a"), inadmissible("make -n")] {
            let it = it.unwrap();
            assert_ne!(Lang::Zh.render(&it.text()), it.text().to_string());
        }
    }
}
