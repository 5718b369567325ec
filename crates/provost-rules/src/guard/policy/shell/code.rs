//! Code in another language, judged by the texts that stand in it.
//!
//! Nobody can say what a program will do; but what it hands to a shell, deletes or opens stands in
//! it as a text more often than not. The rest is recorded, or asked about where it computes code.

use std::collections::BTreeSet;

use super::{
    super::{
        act::{Act, show},
        builtin::{
            BuiltIn, CODE_DECODED, CODE_DOWNLOADED, CODE_INLINE, DELETE_ROOT, DELETE_UNKNOWN,
            SHELL_DYNAMIC,
        },
        protected::Access,
        world::{World, Zone},
    },
    Look, database, delete, feed,
};
use crate::command::Script;

/// Calls that run code which is computed.
const EVALUATES: [&str; 6] =
    ["compile(", "eval(", "exec(", "instance_eval", "new function(", "vm.runin"];
/// Calls that start programs.
const STARTS: [&str; 12] = [
    "os.system",
    "subprocess",
    "popen",
    "child_process",
    "execsync",
    "spawn",
    "system(",
    "os.exec",
    "exec(",
    "eval(",
    "new function(",
    "`",
];
/// Calls that hand a text to a shell.
const RUNS_TEXT: [&str; 6] = ["os.system", "system(", "popen", "execsync", "os.exec", "shell=true"];
/// Calls that decode.
const DECODES: [&str; 10] = [
    "b64decode",
    "atob(",
    "'base64'",
    "\"base64\"",
    "fromhex",
    "unhexlify",
    "decode64",
    "rot13",
    "fromcharcode",
    "zlib.decompress",
];
/// Calls that fetch.
const FETCHES: [&str; 8] =
    ["urlopen", "urllib", "requests.get", "http.get", "https.get", "fetch(", "net::http", "lwp"];
/// Calls that delete.
const DELETES: [&str; 16] = [
    "deno.remove",
    "file.delete",
    "rmdir(",
    "unlink",
    "rmtree(",
    "rmsync(",
    "rmdirsync(",
    "fs.rm(",
    "rimraf",
    "rm_rf",
    "rm_r(",
    "remove_tree",
    "os.remove(",
    "unlinksync(",
    "os.unlink(",
    "removedirs(",
];

/// The programs whose name among the texts of a call makes it worth a look.
const PROGRAMS: [&str; 15] = [
    "bash", "chmod", "chown", "curl", "dd", "git", "kill", "mkfs", "mv", "pkill", "rm", "sh",
    "shred", "sudo", "wget",
];

/// Languages in which a command for the shell stands without quotes.
const BARE: [&str; 8] = ["ex", "expect", "gsed", "nvim", "sed", "tclsh", "vi", "vim"];

/// Judges the code that an invocation hands to an interpreter.
pub(super) fn judge(look: &mut Look<'_>, script: &Script, index: usize) {
    let Some(invocation) = script.invocations.get(index) else { return };
    let Some(inline) = &invocation.inline else { return };
    let code = inline.code.to_string();
    // sed and awk are only looked at when they start something.
    let is_open = inline.code.text().is_none();
    foreign(look, &code, is_open);
    if BARE.contains(&inline.language.as_str()) {
        bare(look, &code);
    }
}

/// Looks at everything that begins with the name of a program.
fn bare(look: &mut Look<'_>, code: &str) {
    for line in code.lines().take(100) {
        let is_edge = |it: char| it.is_whitespace() || matches!(it, '!' | ';' | '{' | '|');
        let begins = PROGRAMS.iter().filter_map(|it| line.find(it)).min();
        let is_word =
            |at: &usize| line.get(..*at).is_some_and(|it| it.is_empty() || it.ends_with(is_edge));
        if let Some(command) = begins.filter(is_word).and_then(|at| line.get(at..)) {
            look.suspect(command);
        }
    }
}

/// Judges code of another language; `is_open` if a part of it is only known when it runs.
pub(super) fn foreign(look: &mut Look<'_>, code: &str, is_open: bool) {
    let lowered = code.to_ascii_lowercase();
    let has = |names: &[&str]| names.iter().any(|it| lowered.contains(it));
    let evaluates = EVALUATES.iter().any(|it| is_called(&lowered, it));
    let mut act = Act::on(&show(code));
    let rule: &'static BuiltIn = if has(&DECODES) && (evaluates || has(&RUNS_TEXT)) {
        &CODE_DECODED
    } else if has(&FETCHES) && evaluates {
        &CODE_DOWNLOADED
    } else if evaluates || is_open {
        &SHELL_DYNAMIC
    } else {
        &CODE_INLINE
    };
    act.meet(rule);
    let texts = literals(code);
    let changes = ["write", "'w", "\"w", "'a", "\"a", "rename", "unlink", "remove", "move", "copy"];
    let access = if has(&changes) || has(&DELETES) { Access::Write } else { Access::Read };
    for text in &texts {
        let target = look.world.target_of(text);
        let is_path = !text.is_empty() && !text.contains(char::is_whitespace);
        database::statements(text, &mut act);
        if let Some(rule) = look.world.protects(&target.path, access).filter(|_| is_path) {
            act.meet_with(rule, &show(text));
        }
    }
    deletions(look.world, code, &lowered, &texts, &mut act);
    look.acts.push(act);
    // Programs repeat themselves; one look at each text is enough.
    let commands = texts.iter().filter(|it| it.contains(char::is_whitespace));
    for text in commands.collect::<BTreeSet<_>>() {
        look.suspect(text);
    }
    let is_program = |it: &String| PROGRAMS.contains(&it.rsplit('/').next().unwrap_or_default());
    let starts = (0..texts.len()).filter(|at| texts.get(*at).is_some_and(is_program));
    let vectors = starts.map(|at| texts.get(at..texts.len().min(at + 12)).unwrap_or_default());
    for argv in vectors.collect::<BTreeSet<_>>() {
        look.suspect_argv(argv);
    }
    let whole = texts.concat();
    if has(&STARTS) && texts.len() > 1 && whole.len() < 4096 {
        look.suspect(&whole);
    }
}

/// Judges what a code deletes: the texts that stand in the call, or else all that could.
fn deletions(world: &World, code: &str, lowered: &str, texts: &[String], act: &mut Act) {
    let mut is_indirect = false;
    for name in DELETES {
        for (at, _) in lowered.match_indices(name) {
            let rest = code.get(at + name.len()..).unwrap_or_default();
            let line: String = rest.chars().take(200).take_while(|it| *it != '\n').collect();
            let named = literals(&line);
            is_indirect |= named.is_empty();
            for path in &named {
                act.meet_any(delete::gone(world, &world.target_of(path)));
            }
        }
    }
    if !is_indirect {
        return;
    }
    let is_whole = |it: &String| world.zone(&world.target_of(it).path) == Zone::Whole;
    if texts.iter().any(|it| it.starts_with(['/', '~']) && is_whole(it)) {
        act.meet(&DELETE_ROOT);
    }
    let is_home = lowered.contains("homedir") || lowered.contains("path.home");
    if texts.is_empty() || is_home || texts.iter().any(|it| it.starts_with('.') && is_whole(it)) {
        act.meet(&DELETE_UNKNOWN);
    }
}

/// Whether a function of this name is called, and not a method: `exec(`, not `regex.exec(`.
fn is_called(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let before = code.get(..at).and_then(|it| it.chars().next_back());
        !before.is_some_and(|it| it.is_alphanumeric() || matches!(it, '_' | '.'))
    })
}

/// The texts in quotes, with their escapes decoded.
fn literals(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code.char_indices();
    while let Some((begin, quote)) = rest.next() {
        if !matches!(quote, '\'' | '"' | '`') {
            continue;
        }
        let mut is_escaped = false;
        for (end, one) in rest.by_ref() {
            match one {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                _ if one == quote => {
                    let inner = code.get(begin + quote.len_utf8()..end).unwrap_or_default();
                    found.push(feed::unescape(inner));
                    break;
                }
                _ => {}
            }
        }
    }
    // A quote in a comment turns everything inside out, so each line is looked at alone as well.
    if code.contains('\n') && found.len() < 1000 {
        for line in code.lines().filter(|it| it.contains(['\'', '"', '`'])) {
            found.extend(literals(line).into_iter().filter(|it| !it.is_empty()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_quotes_are_found() {
        assert_eq!(literals(r#"run(["rm", '-rf', `/`])"#), ["rm", "-rf", "/"]);
        assert_eq!(literals(r"x('\x72m')"), ["rm"]);
        assert_eq!(literals("'open"), Vec::<String>::new());
        assert!(literals("# don't\nf('rm -rf /')").contains(&"rm -rf /".to_owned()));
    }

    #[track_caller]
    fn check(code: &str, expected: &str) {
        let call = provost_kernel::guard::policy::ToolCall::shell("", "/home/user/project");
        let world = World::of(&call);
        let mut look = Look::new(&world);
        foreign(&mut look, code, false);
        let found = look.acts.iter().flat_map(|it| &it.found);
        let gravest = found.max_by_key(|it| it.rule.effect).unwrap();
        assert_eq!(gravest.rule.id, expected, "{code}");
    }

    #[test]
    fn code_is_judged_by_what_it_deletes() {
        check("import shutil\nshutil.rmtree('build')\nopen('/etc/hosts')", "code.inline");
        check("shutil.rmtree('/etc')", "delete.system");
        check("for p in ['/']: shutil.rmtree(p)", "delete.root");
        check("shutil.rmtree(Path.home())", "delete.unknown");
        check("for p in os.listdir('.'): os.remove(p)", "delete.unknown");
        check("os.remove(x)", "delete.unknown");
        check("x = '临时.txt'\nos.remove(x)", "code.inline");
        check(
            "import base64, subprocess; subprocess.run(['git', base64.b64decode(x)])",
            "code.inline",
        );
        check("import base64; exec(base64.b64decode(x))", "code.decoded");
        check("exec(urlopen(u).read())", "code.downloaded");
        check("eval(x)", "shell.dynamic");
    }

    #[test]
    fn a_method_of_that_name_evaluates_nothing() {
        assert!(is_called("exec(x)", "exec("));
        assert!(!is_called("/a/.exec(x)", "exec("));
        assert!(!is_called("my_exec(x)", "exec("));
    }
}
