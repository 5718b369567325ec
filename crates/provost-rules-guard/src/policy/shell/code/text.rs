//! Code that no grammar reads, judged by the texts that stand in it.
//!
//! What a program will do is unknown; but what it hands to a shell, deletes or opens stands in
//! it as a text more often than not. The rest is recorded, or asked about where it computes code.

mod words;

use std::collections::BTreeSet;

use provost_shell::{Program, Trait};

use self::words::{
    ASKS_DATABASE, CHANGES, DECODES, DELETES, DELETES_ELSEWHERE, EVALUATES, FETCHES, HANDS_ON,
    HOMES, REACHES, RUNS_TEXT, STARTS, WHOLE_ENVIRONMENT,
};
use super::super::{
    super::{
        action::Action,
        builtin::BuiltIn::{
            CodeDecoded, CodeDownloaded, CodeInline, DeleteOutside, DeleteRoot, DeleteUnknown,
            NetworkRaw, NetworkSend, PathOutside, PathSystem, SecretPrinted, ShellDynamic, Sudo,
            SystemForkBomb,
        },
        path_zones::{PathZones, Zone, marked},
        protected::Access,
    },
    ShellAnalyzer, database, delete, stdin,
};

/// Whether a name among the texts of a call makes it worth a look.
pub(super) fn is_suspect(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    Program::of(name).is(Trait::SuspectInCode)
}

/// Looks at everything that begins with the name of a program.
pub(in super::super) fn bare(look: &mut ShellAnalyzer<'_>, code: &str) {
    let is_edge = |it: char| it.is_whitespace() || "!;{|&(@:-\"'`".contains(it);
    for line in code.lines().take(100) {
        let mut before = ' ';
        let mut n_looks = 0;
        for (at, one) in line.char_indices() {
            let rest = line.get(at..).unwrap_or_default();
            let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let name = rest.get(..length).unwrap_or_default().rsplit('/').next();
            let begins = is_edge(before) && name.is_some_and(is_suspect);
            if begins && n_looks < 8 {
                n_looks += 1;
                let is_quote = matches!(before, '"' | '\'' | '`');
                look.suspect(rest.split(before).next().filter(|_| is_quote).unwrap_or(rest));
            }
            before = one;
        }
    }
}

/// Looks at the texts in quotes, and keeps only what is refused.
pub(in super::super) fn quoted(look: &mut ShellAnalyzer<'_>, code: &str) {
    let texts = literals(code);
    for text in texts.iter().filter(|it| it.contains(char::is_whitespace)) {
        look.suspect(text);
    }
}

/// What a program of awk writes, and whether it feeds a shell.
pub(super) fn awk(look: &mut ShellAnalyzer<'_>, code: &str) {
    let mut action = Action::on(code);
    for (at, _) in code.match_indices('>') {
        let rest = code.get(at + 1..).unwrap_or_default().trim_start_matches(['>', ' ']);
        let Some(path) = rest.strip_prefix('"').and_then(|it| it.split('"').next()) else {
            continue;
        };
        let target = look.zones.target_of(path);
        action.meet_any(look.zones.protects(&target.path, Access::Write));
        match look.zones.zone(&target.path) {
            Zone::System | Zone::Device => action.meet(PathSystem),
            Zone::Outside | Zone::Whole => action.meet(PathOutside),
            Zone::Inside | Zone::Temporary | Zone::Pseudo => {}
        }
    }
    let feeds =
        |it: &String| matches!(it.as_str(), "sh" | "bash" | "/bin/sh" | "/bin/bash" | "zsh");
    if code.contains('|') && literals(code).iter().any(feeds) {
        action.meet(ShellDynamic);
    }
    // gawk opens a connection where a file of this name is asked for.
    let is_raw = |it: &String| {
        let at = ["/inet/", "/inet4/", "/inet6/"].iter().find_map(|start| it.strip_prefix(start));
        at.is_some_and(|it| !it.contains("/localhost/") && !it.contains("/127."))
    };
    if literals(code).iter().any(is_raw) {
        action.meet(NetworkRaw);
    }
    if !action.found.is_empty() {
        look.actions.push(action);
    }
}

/// Judges code of another language; `is_open` if a part of it is only known when it runs.
pub(super) fn foreign(look: &mut ShellAnalyzer<'_>, code: &str, is_open: bool) {
    let lowered = code.to_ascii_lowercase();
    let has = |names: &[&str]| names.iter().any(|it| lowered.contains(it));
    let plain = without_sums(&lowered);
    let evaluates = EVALUATES.iter().any(|it| is_called(&plain, it));
    let mut action = Action::on(code);
    let rule = if has(&DECODES) && (evaluates || has(&RUNS_TEXT)) {
        CodeDecoded
    } else if has(&FETCHES) && evaluates {
        CodeDownloaded
    } else if evaluates || is_open {
        ShellDynamic
    } else {
        CodeInline
    };
    action.meet(rule);
    let mut texts = literals(code);
    texts.extend(lettered(code));
    let access = if has(&CHANGES) || has(&DELETES) { Access::Write } else { Access::Read };
    for text in &texts {
        let target = look.zones.target_of(text);
        let is_path = !text.is_empty() && !text.contains(char::is_whitespace);
        if has(&ASKS_DATABASE) {
            database::statements(text, &mut action);
        }
        if let Some(rule) = look.zones.protects(&target.path, access).filter(|_| is_path) {
            action.meet_with(rule, text);
        }
    }
    deletions(look.zones, code, &lowered, &texts, &mut action);
    secrets(look.zones, &lowered, &texts, &mut action);
    look.actions.push(action);
    // A text that is handed to nothing is a text. Programs repeat themselves; one look at each is enough.
    let is_handed = has(&HANDS_ON);
    let commands = texts.iter().filter(|it| is_handed && it.contains(char::is_whitespace));
    for text in commands.collect::<BTreeSet<_>>() {
        look.suspect(text);
    }
    let is_program = |it: &String| is_suspect(it.rsplit('/').next().unwrap_or_default());
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

/// Judges what a code does with the home, the variables and the rights of the person.
fn secrets(zones: &PathZones, lowered: &str, texts: &[String], action: &mut Action) {
    let has = |names: &[&str]| names.iter().any(|it| lowered.contains(it));
    let is_removal = |it: &String| {
        matches!(it.as_str(), "rm" | "-rf" | "-fr" | "-r") || it.trim_start().starts_with("rm -")
    };
    // `rm(` by itself is a call in some languages, `confirm(` is none.
    let by_call = has(&DELETES_ELSEWHERE) || is_called(lowered, "rm(");
    let deletes = by_call || (has(&STARTS) && texts.iter().any(is_removal));
    let is_far = |it: &String| {
        let zone = || zones.zone(&zones.target_of(it).path);
        it.starts_with(['/', '~']) && matches!(zone(), Zone::Outside | Zone::System | Zone::Whole)
    };
    let by_name = has(&["\"unlink\"", "'unlink'"]) || by_call;
    if (deletes && has(&HOMES)) || (by_name && texts.iter().any(is_far)) {
        action.meet(DeleteOutside);
    }
    let reads = has(&["open(", "read_bytes", "read_text", "readfile"]);
    if has(&REACHES) && (has(&WHOLE_ENVIRONMENT) || (reads && has(&HOMES))) {
        action.meet(NetworkSend);
    } else if has(&WHOLE_ENVIRONMENT) && has(&["key", "passw", "secret", "token"]) {
        action.meet(SecretPrinted);
    }
    if lowered.contains("socket") && has(&["/bin/sh", "dup2", "pty.spawn"]) {
        action.meet(NetworkRaw);
    }
    if has(&["setuid(0", "seteuid(0", "with administrator privileges"]) {
        action.meet(Sudo);
    }
    let forks = has(&["fork while", "os.fork()", "fork();"]);
    if forks && has(&["while 1", "while true", "while(1", "for(;;"]) && !lowered.contains("wait") {
        action.meet(SystemForkBomb);
    }
    if has(&["__import__(", "require("]) && is_joined(lowered) {
        action.meet(ShellDynamic);
    }
}

/// `require('child_' + 'process')`: a name that is put together hides what it is.
fn is_joined(lowered: &str) -> bool {
    ["__import__(", "require("].iter().any(|name| {
        lowered.match_indices(name).any(|(at, _)| {
            let rest = lowered.get(at + name.len()..).unwrap_or_default();
            rest.split(')').next().unwrap_or_default().contains('+')
        })
    })
}

/// Judges what a code deletes: the texts that stand in the call, or else all that could.
fn deletions(zones: &PathZones, code: &str, lowered: &str, texts: &[String], action: &mut Action) {
    let mut is_indirect = false;
    for name in DELETES {
        for (at, _) in lowered.match_indices(name) {
            let rest = code.get(at + name.len()..).unwrap_or_default();
            let line: String = rest.chars().take(200).take_while(|it| *it != '\n').collect();
            let named = literals(&line);
            is_indirect |= named.is_empty();
            let surroundings = ["environ", "getenv", "env[", "process.env", "$env{"];
            if surroundings.iter().any(|it| line.to_ascii_lowercase().contains(it)) {
                let is_home = line.contains("HOME") || line.contains("PWD");
                action.meet(if is_home { DeleteRoot } else { DeleteUnknown });
            }
            for path in &named {
                let target = zones.target_of(path);
                let is_pattern = path.contains(['*', '?']) && lowered.contains("glob");
                let pattern = || zones.spelled(&marked(path), Some(&zones.directory));
                let target = if is_pattern { pattern() } else { target };
                action.meet_any(delete::gone(zones, &target));
            }
        }
    }
    if !is_indirect {
        return;
    }
    let is_whole = |it: &String| zones.zone(&zones.target_of(it).path) == Zone::Whole;
    if texts.iter().any(|it| it.starts_with(['/', '~']) && is_whole(it)) {
        action.meet(DeleteRoot);
    }
    let is_home = lowered.contains("homedir") || lowered.contains("path.home");
    let is_all = texts.iter().any(|it| matches!(it.as_str(), "*" | "**" | "**/*" | "*.*"));
    if texts.is_empty()
        || is_home
        || is_all
        || texts.iter().any(|it| it.starts_with('.') && is_whole(it))
    {
        action.meet(DeleteUnknown);
    }
}

/// Whether a function of this name is called, and not a method: `exec(`, not `regex.exec(`.
fn is_called(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let before = code.get(..at).and_then(|it| it.chars().next_back());
        !before.is_some_and(|it| it.is_alphanumeric() || matches!(it, '_' | '.'))
    })
}

/// The code without evaluations of plain sums: `eval('1+1')`.
fn without_sums(code: &str) -> String {
    let mut kept = code.to_owned();
    for (at, name) in code.match_indices("eval(") {
        let rest = code.get(at + name.len()..).unwrap_or_default();
        let quote = rest.chars().next().filter(|it| matches!(it, '\'' | '"'));
        let inner = quote.and_then(|it| rest.get(1..)?.split_once(it));
        let is_sum = |it: char| it.is_ascii_digit() || " +-*/%().".contains(it);
        if let Some((sum, _)) = inner.filter(|it| it.0.chars().all(is_sum) && it.1.starts_with(')'))
        {
            kept = kept.replace(&format!("eval({0}{sum}{0})", quote.unwrap_or('"')), "");
        }
    }
    kept
}

/// The texts that perl and ruby quote by a letter: `qw(a b)`, `%w[a b]`, `q{a}`.
fn lettered(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for begin in ["qw", "%w", "%W", "qx", "qq", "q", "%q", "%Q", "%x", "%"] {
        for (at, _) in code.match_indices(begin).take(100) {
            let before = code.get(..at).and_then(|it| it.chars().next_back());
            let rest = code.get(at + begin.len()..).unwrap_or_default();
            let rest = if begin.starts_with('%') { rest } else { rest.trim_start() };
            let Some(open) = rest.chars().next().filter(|it| "([{</|!".contains(*it)) else {
                continue;
            };
            let close = match open {
                '(' => ')',
                '[' => ']',
                '{' => '}',
                '<' => '>',
                other => other,
            };
            let inner = rest.get(1..).and_then(|it| it.split_once(close)).map(|it| it.0);
            let is_word = before.is_some_and(|it| it.is_alphanumeric() || it == '_');
            match inner.filter(|_| !is_word) {
                Some(inner) if begin.ends_with(['w', 'W']) => {
                    found.extend(inner.split_whitespace().map(str::to_owned));
                }
                Some(inner) => found.push(inner.to_owned()),
                None => {}
            }
        }
    }
    found
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
                    found.push(stdin::unescape(inner));
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
        let zones = PathZones::of(&call);
        let mut look = ShellAnalyzer::new(&zones);
        foreign(&mut look, code, false);
        let found = look.actions.iter().flat_map(|it| &it.found);
        let gravest = found.max_by_key(|it| it.rule.effect()).unwrap();
        assert_eq!(gravest.rule.id(), expected, "{code}");
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
