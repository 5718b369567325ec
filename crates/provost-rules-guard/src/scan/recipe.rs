//! Commands in files of lines: the recipes of a Makefile and of a justfile, and `RUN` of an image.
//!
//! What the file's own language puts into a command is put in where it is a plain value, and left
//! open elsewhere. A command keeps its line breaks, so that its lines can be counted.

use std::collections::BTreeMap;

use super::{Command, EXPRESSION, Interpreter, Machine};

/// How much longer values may make a recipe.
const MAX_GROWTH: usize = 1 << 16;

/// A line with those that continue it, joined as they stand, and where it begins.
fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let mut joined: Vec<(usize, String)> = Vec::new();
    let mut continues = false;
    for (at, line) in text.lines().enumerate() {
        match joined.last_mut().filter(|_| continues) {
            Some((_, whole)) => {
                whole.push('\n');
                whole.push_str(line);
            }
            None => joined.push((at + 1, line.to_owned())),
        }
        continues = line.ends_with('\\');
    }
    joined
}

/// The recipes of a Makefile, line by line as make hands them to a shell.
pub(super) fn makefile(text: &str, folder: &str) -> Vec<Command> {
    let lines = logical_lines(text);
    let mut values: BTreeMap<&str, &str> = BTreeMap::new();
    for (_, line) in lines.iter().filter(|it| !it.1.starts_with('\t')) {
        let Some((name, value)) = line.split_once('=') else { continue };
        let name =
            name.trim_end_matches([':', '?', ' ', '\t']).trim_start_matches("export ").trim();
        // What is set more than once is not followed.
        let value = if values.contains_key(name) { EXPRESSION } else { value.trim() };
        let value = value.split(" #").next().unwrap_or_default().trim_end();
        if !name.contains(['$', ' ', '+', '!']) {
            values.insert(name, value);
        }
    }
    let mut commands = Vec::new();
    for (at, line) in &lines {
        let Some(recipe) = line.strip_prefix('\t') else { continue };
        let recipe =
            recipe.trim_start_matches(['@', '-', '+', ' ', '\t']).replace("\\\n\t", "\\\n");
        if recipe.is_empty() || recipe.starts_with('#') {
            continue;
        }
        let mut budget = MAX_GROWTH;
        let expanded = expand(&recipe, &values, 0, &mut budget);
        commands.push(Command::on_kept(*at, &expanded, folder));
    }
    commands
}

/// Puts in what `$(NAME)` stands for; `$$` is a dollar sign.
fn expand(text: &str, values: &BTreeMap<&str, &str>, depth: u8, budget: &mut usize) -> String {
    let mut whole = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        whole.push_str(before);
        let close = match after.as_bytes().first() {
            Some(b'(') => Some(')'),
            Some(b'{') => Some('}'),
            Some(_) | None => None,
        };
        let inside = close.and_then(|it| after.get(1..).and_then(|all| balanced(all, it)));
        let (value, length) = match (inside, after.chars().next()) {
            (_, Some('$')) => ("$".to_owned(), 1),
            (Some(inside), _) => (value_of(inside, values, depth, budget), inside.len() + 2),
            (None, Some(one)) => (EXPRESSION.to_owned(), one.len_utf8()),
            (None, None) => ("$".to_owned(), 0),
        };
        *budget = budget.saturating_sub(value.len());
        whole.push_str(if *budget == 0 { EXPRESSION } else { &value });
        rest = after.get(length..).unwrap_or_default();
    }
    whole.push_str(rest);
    whole
}

/// What stands between the parentheses of make.
fn value_of(inside: &str, values: &BTreeMap<&str, &str>, depth: u8, budget: &mut usize) -> String {
    if let Some(command) = inside.strip_prefix("shell ") {
        return format!("$({})", expand(command, values, depth, budget));
    }
    match values.get(inside) {
        Some(value) if depth < 4 => expand(value, values, depth + 1, budget),
        Some(_) | None => EXPRESSION.to_owned(),
    }
}

/// The text up to the sign that closes it.
fn balanced(text: &str, close: char) -> Option<&str> {
    let open = if close == ')' { '(' } else { '{' };
    let mut depth = 0_usize;
    for (at, it) in text.char_indices() {
        if it == open {
            depth += 1;
        } else if it == close {
            if depth == 0 {
                return text.get(..at);
            }
            depth -= 1;
        }
    }
    None
}

/// The recipes of a justfile. One that begins with `#!` is a script of its own.
pub(super) fn justfile(text: &str, folder: &str) -> Vec<Command> {
    let lines = logical_lines(text);
    let mut commands: Vec<Command> = Vec::new();
    let mut script: Option<usize> = None;
    let mut is_recipe = false;
    let mut is_first = false;
    for (at, line) in &lines {
        let body = line.trim_start_matches([' ', '\t']);
        if body.is_empty() {
            continue;
        }
        if body.len() == line.len() {
            // `name args: dependencies`, but not `name := value`.
            is_recipe = line.contains(':') && !line.contains(":=") && !line.starts_with(['#', '[']);
            (is_first, script) = (true, None);
            continue;
        }
        if !is_recipe {
            continue;
        }
        let text = without_expressions(body, "{{", "}}");
        if let Some(whole) = script.and_then(|it| commands.get_mut(it)) {
            let gap = at.saturating_sub(whole.line + whole.text.matches('\n').count());
            whole.text.push_str(&"\n".repeat(gap));
            whole.text.push_str(&text);
        } else if is_first && text.starts_with("#!") {
            script = Some(commands.len());
            let is_shell = super::Source::of_first_line(text.as_bytes()).is_some();
            let mut whole = Command::on_kept(*at, &text, folder);
            whole.interpreter = match is_shell {
                true => Interpreter::Shell,
                false if text.contains("python") => Interpreter::Python,
                false => Interpreter::Other,
            };
            commands.push(whole);
        } else {
            let text = text.trim_start_matches(['@', '-']);
            commands.push(Command::on_kept(*at, text, folder));
        }
        is_first = false;
    }
    commands
}

/// `RUN` of an image, with its here-documents.
pub(super) fn dockerfile(text: &str) -> Vec<Command> {
    let mut commands = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, first)) = lines.next() {
        let Some(begin) = run_of(first) else { continue };
        let mut whole = begin.to_owned();
        let mut last = first;
        while last.ends_with('\\') {
            let Some((_, line)) = lines.next() else { break };
            // A comment or an empty line does not end what is continued.
            let is_gap = line.trim().is_empty() || line.trim_start().starts_with('#');
            whole.push('\n');
            whole.push_str(if is_gap { "\\" } else { line });
            last = if is_gap { "\\" } else { line };
        }
        while let Some(end) = here_end(&whole) {
            let Some((_, line)) = lines.next() else { break };
            whole.push('\n');
            whole.push_str(line);
            if line.trim_start_matches('\t') == end {
                break;
            }
        }
        commands.push(Command { machine: Machine::ThrownAway, ..of_run(at + 1, &whole) });
    }
    commands
}

/// What stands after `RUN` and its options.
fn run_of(line: &str) -> Option<&str> {
    let (word, mut rest) = line.trim_start().split_once([' ', '\t'])?;
    if !word.eq_ignore_ascii_case("run") {
        return None;
    }
    loop {
        rest = rest.trim_start();
        match rest.split_once([' ', '\t']) {
            Some((option, after)) if option.starts_with("--") => rest = after,
            Some(_) | None => return Some(rest),
        }
    }
}

/// A command of `RUN`: a shell's, an argument vector, or the text of a here-document.
fn of_run(line: usize, text: &str) -> Command {
    if let Ok(words) = serde_json::from_str::<Vec<String>>(text) {
        let quoted: Vec<_> = words.iter().filter_map(|it| shlex::try_quote(it).ok()).collect();
        return Command::on_kept(line, &quoted.join(" "), "");
    }
    let is_body = text.starts_with("<<");
    match text.split_once('\n').filter(|_| is_body) {
        // The text alone is a script, which ends before the line that ends the here-document.
        Some((_, body)) => {
            let body = body.rsplit_once('\n').map_or("", |it| it.0);
            Command::on_kept(line + 1, body, "")
        }
        None => Command::on_kept(line, text, ""),
    }
}

/// The word that ends a here-document which the first line begins and no line has ended yet.
fn here_end(text: &str) -> Option<String> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let after = first.split_once("<<")?.1.trim_start_matches('-');
    let word = after.split([' ', '\t', ';', '&', '|', '>', ')']).next()?.trim_matches(['"', '\'']);
    let is_word = !word.is_empty() && word.chars().all(|it| it.is_alphanumeric() || it == '_');
    let is_over = rest.lines().any(|it| it.trim_start_matches('\t') == word);
    (is_word && !is_over).then(|| word.to_owned())
}

/// A text with each expression of another language left open.
pub(super) fn without_expressions(text: &str, open: &str, close: &str) -> String {
    let mut whole = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(open) {
        let Some((inside, behind)) = after.split_once(close) else { break };
        whole.push_str(before);
        whole.push_str(EXPRESSION);
        // Its line breaks stay, so that lines can be counted.
        whole.push_str(&"\\\n".repeat(inside.matches('\n').count()));
        rest = behind;
    }
    whole.push_str(rest);
    whole
}
