//! What a script of sed reads, writes and runs.

use provost_shell::{Invocation, Word};

use super::{
    super::{
        action::Action,
        arguments::{Arguments, lead, program},
        builtin::BuiltIn::{CodeInline, PathOutside, PathSystem, ShellDynamic},
        path_zones::Zone,
        protected::Access,
    },
    ShellAnalyzer,
};

/// One thing that a script does beside editing.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Effect {
    Read(String),
    Write(String),
    /// Runs a text.
    Run(String),
    /// Runs what it has read, once this was put into it.
    RunInput(String),
}

/// Judges the scripts of a call of sed.
pub(super) fn judge(look: &mut ShellAnalyzer<'_>, invocation: &Invocation) {
    if !program(invocation).is_some_and(|it| matches!(it.as_str(), "sed" | "gsed" | "ssed")) {
        return;
    }
    let arguments = Arguments::of(invocation);
    let mut scripts: Vec<String> = arguments.values(&["-e", "--expression"]).collect();
    let groups = arguments.words().iter().zip(arguments.words().iter().skip(1));
    let is_group = |it: &str| it.len() > 2 && it.ends_with('e') && !it.starts_with("--");
    let grouped = groups.filter(|(it, _)| lead(it).starts_with('-') && is_group(lead(it)));
    scripts.extend(grouped.map(|(_, value)| value.to_string()));
    if scripts.is_empty() {
        scripts.extend(arguments.operands().next().map(Word::to_string));
    }
    for effect in scripts.iter().flat_map(|it| effects(it)) {
        let mut action = Action::on(&invocation.shown());
        match effect {
            Effect::Read(path) => touch(look, &path, Access::Read, &mut action),
            Effect::Write(path) => touch(look, &path, Access::Write, &mut action),
            Effect::Run(text) => {
                action.meet(CodeInline);
                look.suspect(&text);
            }
            Effect::RunInput(text) => {
                action.meet(ShellDynamic);
                look.suspect(&text);
            }
        }
        if !action.found.is_empty() {
            look.actions.push(action);
        }
    }
}

fn touch(look: &ShellAnalyzer<'_>, path: &str, access: Access, action: &mut Action) {
    let target = look.zones.target_of(path);
    if let Some(rule) = look.zones.protects(&target.path, access) {
        action.meet_with(rule, path);
    }
    match look.zones.zone(&target.path) {
        _ if access == Access::Read => {}
        Zone::System | Zone::Device => action.meet_with(PathSystem, path),
        Zone::Outside | Zone::Whole => action.meet_with(PathOutside, path),
        Zone::Inside | Zone::Temporary | Zone::Pseudo => {}
    }
}

/// What a script does, command by command.
fn effects(script: &str) -> Vec<Effect> {
    let mut found = Vec::new();
    let mut rest = script;
    while let Some(command) = next(&mut rest) {
        match command {
            's' => found.extend(substitution(&mut rest)),
            'y' => drop(delimited(&mut rest)),
            'r' | 'R' => found.push(Effect::Read(line(&mut rest))),
            'w' | 'W' => found.push(Effect::Write(line(&mut rest))),
            'e' => {
                let text = line(&mut rest);
                let is_bare = text.is_empty() || text.starts_with([';', '}']);
                found.push(if is_bare { Effect::RunInput(text) } else { Effect::Run(text) });
            }
            'a' | 'i' | 'c' => drop(line(&mut rest)),
            'b' | 't' | 'T' | ':' => {
                rest = rest.trim_start_matches(|it| !matches!(it, ';' | '\n' | '}'));
            }
            _ => {}
        }
    }
    found
}

/// Takes the next command with the addresses before it.
fn next(rest: &mut &str) -> Option<char> {
    loop {
        let one = rest.chars().next()?;
        match one {
            '/' => {
                *rest = skip(rest.get(1..).unwrap_or_default(), '/');
                *rest = rest.trim_start_matches(['I', 'M']);
            }
            '\\' => {
                let mark = rest.chars().nth(1)?;
                *rest = skip(rest.get(1 + mark.len_utf8()..).unwrap_or_default(), mark);
            }
            '#' => drop(line(rest)),
            _ => {
                *rest = rest.get(one.len_utf8()..).unwrap_or_default();
                let is_address = one.is_ascii_digit() || one.is_whitespace();
                if !is_address && !matches!(one, '$' | ',' | '~' | '+' | '!' | ';' | '{' | '}') {
                    return Some(one);
                }
            }
        }
    }
}

/// Takes the rest of the line.
fn line(rest: &mut &str) -> String {
    let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
    *rest = after;
    line.trim().to_owned()
}

/// What stands after the next mark that is not escaped.
fn skip(text: &str, mark: char) -> &str {
    let mut is_escaped = false;
    for (at, one) in text.char_indices() {
        match one {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if one == mark => return text.get(at + mark.len_utf8()..).unwrap_or_default(),
            _ => {}
        }
    }
    ""
}

/// Takes the two texts between three marks; answers with the second.
fn delimited(rest: &mut &str) -> String {
    let Some(mark) = rest.chars().next() else { return String::new() };
    let second = skip(rest.get(mark.len_utf8()..).unwrap_or_default(), mark);
    let after = skip(second, mark);
    let length = second.len().saturating_sub(after.len());
    let text = second.get(..length).unwrap_or_default();
    *rest = after;
    text.strip_suffix(mark).unwrap_or(text).replace(&format!("\\{mark}"), &mark.to_string())
}

/// `s/a/b/e` runs what comes out, `s/a/b/w file` writes it.
fn substitution(rest: &mut &str) -> Vec<Effect> {
    let replacement = delimited(rest);
    let mut found = Vec::new();
    while let Some(flag) = rest.chars().next() {
        if !flag.is_ascii_alphanumeric() {
            break;
        }
        *rest = rest.get(1..).unwrap_or_default();
        match flag {
            'e' => found.push(Effect::RunInput(replacement.clone())),
            'w' => {
                found.push(Effect::Write(line(rest)));
                break;
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(script: &str, expected: &[Effect]) {
        assert_eq!(effects(script), expected, "{script}");
    }

    #[test]
    fn a_script_is_read_as_sed_reads_it() {
        let read = |it: &str| Effect::Read(it.to_owned());
        let write = |it: &str| Effect::Write(it.to_owned());
        check("1w provost.toml", &[write("provost.toml")]);
        check("/a/,$ r .env", &[read(".env")]);
        check("s/.*/rm -rf ~/e", &[Effect::RunInput("rm -rf ~".to_owned())]);
        check("s|a|b|gw x\nd", &[write("x")]);
        check("e", &[Effect::RunInput(String::new())]);
        check("1e git status", &[Effect::Run("git status".to_owned())]);
        check("\\,w x,d", &[]);
        check("s/we/re/g; s/e/w/;p", &[]);
        check("/r .env/d", &[]);
        check("a\\\nw x", &[write("x")]);
        check("i w x", &[]);
        check("s/é/文/w é", &[write("é")]);
        check("s/a", &[]);
        check("y/abc/wre/", &[]);
        check(":w;bw", &[]);
    }
}
