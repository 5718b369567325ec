//! provost's own program: who replaces it or takes its rights away has no guard any more.

use provost_shell::{Invocation, Script, Word};

use super::{
    super::{
        action::Action,
        arguments::{Arguments, program},
        builtin::BuiltIn::ProvostConfiguration,
    },
    ShellAnalyzer,
};

/// Programs that change a file or the rights to it.
const CHANGES: [&str; 24] = [
    "chattr", "chcon", "chgrp", "chmod", "chown", "cp", "dd", "find", "install", "ln", "mv",
    "objcopy", "patchelf", "rm", "rsync", "sed", "setcap", "setfacl", "shred", "strip", "tee",
    "truncate", "unlink", "xattr",
];

/// Programs that put files into the folder they are given last.
const PLACES: [&str; 5] = ["cp", "install", "ln", "mv", "rsync"];

/// Programs that take the rights to a folder away, or the folder.
const CLOSES: [&str; 7] = ["chattr", "chgrp", "chmod", "chown", "mv", "rm", "setfacl"];

/// Programs that say where another one lies.
const FINDERS: [&str; 6] = ["command", "readlink", "realpath", "type", "whereis", "which"];

/// Notes a command that changes provost's own program, or takes it off the machine.
pub(super) fn judge(look: &mut ShellAnalyzer<'_>, script: &Script) {
    let all = &script.invocations;
    let zones = look.zones;
    let own_name = zones.program.as_deref().and_then(|it| it.rsplit('/').next());
    let folder = zones.program.as_deref().and_then(|it| it.rsplit_once('/')).map(|it| it.0);
    let names = |it: &Invocation| {
        let targets = it.redirects.iter().map(|it| &it.target);
        it.words.iter().chain(targets).any(|it| {
            let text = it.to_string();
            let name = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            text.contains("provost")
                || own_name == Some(name)
                || folder.is_some_and(|it| it == text.trim_end_matches('/'))
        })
    };
    // Nothing is changed that is not named.
    if !all.iter().any(names) {
        return;
    }
    let is_sought =
        all.iter().any(|it| is_one(it, &FINDERS) && it.words.iter().skip(1).any(is_own));
    // What `cd` reached: a relative name may be that of the program there.
    let reached: Vec<String> = all
        .iter()
        .filter(|it| is_one(it, &["cd", "pushd"]))
        .filter_map(|it| it.words.get(1))
        .map(|it| zones.target(it, Some(&zones.directory)).path)
        .collect();
    let is_program = |word: &Word| {
        let Some(program) = zones.program.as_deref() else { return false };
        let from = [&zones.directory].into_iter().chain(&reached);
        from.into_iter().any(|it| zones.target(word, Some(it)).path == program)
    };
    let is_folder = |word: &Word| {
        folder
            .is_some_and(|it| it.len() > 1 && zones.target(word, Some(&zones.directory)).path == it)
    };
    for it in all {
        let changes = is_one(it, &CHANGES);
        let is_open = it.arguments().iter().any(|word| word.text().is_none());
        let arguments = Arguments::of(it);
        let last = arguments.operands().last();
        let is_put = is_one(it, &PLACES)
            && last.is_some_and(|last| {
                let path = zones.target(last, Some(&zones.directory)).path;
                let name = |it: &Word| it.to_string().rsplit('/').next().map(str::to_owned);
                arguments.operands().filter_map(name).any(|name| {
                    let whole = format!("{}/{name}", path.trim_end_matches('/'));
                    zones.program.as_deref() == Some(&*whole)
                        || (name == "provost" && whole.ends_with("/bin/provost"))
                })
            });
        let is_closed = is_one(it, &CLOSES) && arguments.operands().any(is_folder);
        let is_named = it.arguments().iter().any(|it| is_installed(it) || is_program(it))
            || is_put
            || is_closed;
        let is_searched = is_one(it, &["find"])
            && (arguments.has("-delete") || arguments.has("-exec"))
            && it.words.iter().any(|word| own_name.is_some_and(|it| word.text() == Some(it)));
        let is_named = is_named || is_searched;
        let is_read_only = (is_one(it, &["find"]) && !is_searched)
            || (is_one(it, &["sed"])
                && !arguments.has_letter("i")
                && !arguments.has_long("--in-place"));
        let changes = changes && !is_read_only;
        let targets = || it.redirects.iter().map(|it| &it.target);
        let writes = targets().any(|it| is_installed(it) || is_shim(it) || is_program(it));
        let uninstalls =
            is_one(it, &["brew", "bun", "cargo", "npm", "pip", "pipx", "pnpm", "yarn"])
                && ["remove", "rm", "un", "uninstall"].iter().any(|verb| arguments.has(verb))
                && it.words.iter().any(|word| word.to_string().contains("provost"));
        if (changes && (is_named || (is_sought && is_open))) || writes || uninstalls {
            let mut action = Action::on(&it.shown());
            action.meet(ProvostConfiguration);
            look.actions.push(action);
        }
    }
}

fn is_one(invocation: &Invocation, names: &[&str]) -> bool {
    program(invocation).is_some_and(|it| names.contains(&it.as_str()))
}

fn is_own(word: &Word) -> bool {
    word.text() == Some("provost")
}

/// A path of an installed program; one that is built in a project is not installed.
fn is_installed(word: &Word) -> bool {
    let text = word.to_string();
    text.trim_end_matches('/').ends_with("/bin/provost")
}

/// A program of that name in a temporary folder: put in front, it would answer for provost.
fn is_shim(word: &Word) -> bool {
    let text = word.to_string();
    text.ends_with("/provost") && ["/tmp/", "/var/tmp/"].iter().any(|it| text.starts_with(it))
}
