//! What a command leads to: recipes of make, scripts of a `package.json`, and what scripts of the
//! shell run and read.

use std::collections::{BTreeMap, BTreeSet};

use provost_shell::parse;
use serde_json::Value;

use super::{FOLDERS, RunScript, is_shell, scripts};
use crate::paths::joined;

/// How far one command may lead to the next.
const DEPTH: u8 = 4;
/// Where make looks, in its order.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];
/// Folders whose scripts help other scripts; elsewhere what a script runs may be the product.
const HELPERS: [&str; 9] =
    ["scripts", "script", "tools", "ci", ".ci", ".github", "hack", "checks", "qa"];

/// A command that is led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) text: String,
    /// Where it starts, from the root of the repository.
    pub(super) folder: String,
    /// The script of which it is the whole text.
    script: Option<String>,
}

impl Command {
    pub(super) fn is_script(&self) -> bool {
        self.script.is_some()
    }
}

/// Everything that a command leads to.
#[derive(Clone, Debug, Default)]
pub(super) struct Reached {
    pub(super) commands: Vec<Command>,
    /// Scripts that reached scripts need, and files that makefiles include.
    pub(super) helpers: BTreeSet<String>,
    /// Scripts that a script reads into its own shell and that lie elsewhere: they may be the product.
    pub(super) sourced: BTreeSet<String>,
}

impl Reached {
    /// What a command leads to that starts in a folder, in a version whose files `text` reads.
    pub(super) fn from(command: &str, folder: &str, text: &dyn Fn(&str) -> Option<String>) -> Self {
        let first = Command { text: command.to_owned(), folder: folder.to_owned(), script: None };
        let mut reached = Self { commands: vec![first], ..Self::default() };
        let mut from = 0;
        for _ in 0..DEPTH {
            let next = reached.commands.get(from..).unwrap_or_default().to_vec();
            from = reached.commands.len();
            for command in &next {
                reached.follow(command, text);
            }
        }
        reached
    }

    fn follow(&mut self, command: &Command, text: &dyn Fn(&str) -> Option<String>) {
        let mut folder = command.folder.clone();
        for invocation in parse(&command.text).invocations {
            let words: Vec<&str> = invocation.words.iter().filter_map(|it| it.text()).collect();
            let Some((program, arguments)) = words.split_first() else { continue };
            match *program {
                "cd" => {
                    let to = arguments.first().and_then(|it| joined(&folder, it));
                    folder = to.unwrap_or(folder);
                }
                "make" | "gmake" => self.follow_make(&folder, arguments, text),
                "npm" | "pnpm" | "yarn" | "bun" => {
                    let (other, arguments) = other_folder(arguments, &["--prefix", "--cwd", "-C"]);
                    let Some(folder) = joined(&folder, other.unwrap_or(".")) else { continue };
                    let package = joined(&folder, "package.json").and_then(|it| text(&it));
                    let package = package.unwrap_or_default();
                    self.push(package_scripts(&package, &arguments), &folder);
                }
                _ => {}
            }
        }
        for run in scripts(&command.text) {
            let path = match &command.script {
                None => joined(&command.folder, &run.path),
                Some(script) => match needed(command, script, &run, text) {
                    Some(Needed::Helper(path)) => Some(path),
                    Some(Needed::Sourced(path)) => {
                        self.sourced.insert(path);
                        None
                    }
                    None => None,
                },
            };
            let Some(path) = path else { continue };
            let Some(body) = text(&path) else { continue };
            if command.script.is_some() {
                self.helpers.insert(path.clone());
            }
            let is_known = self.commands.iter().any(|it| it.script.as_ref() == Some(&path));
            if !is_known && is_shell(&path, &body) {
                let folder = command.folder.clone();
                self.commands.push(Command { text: body, folder, script: Some(path) });
            }
        }
    }

    fn follow_make(
        &mut self,
        folder: &str,
        arguments: &[&str],
        text: &dyn Fn(&str) -> Option<String>,
    ) {
        let (other, arguments) = other_folder(arguments, &["-C", "--directory"]);
        let (file, arguments) = other_folder(&arguments, &["-f", "--file", "--makefile"]);
        let Some(folder) = joined(folder, other.unwrap_or(".")) else { return };
        let names = file.map_or(MAKEFILES.to_vec(), |it| vec![it]);
        let mut files: Vec<String> = names.iter().filter_map(|it| joined(&folder, it)).collect();
        files = files.into_iter().find(|it| text(it).is_some()).into_iter().collect();
        if file.is_some() {
            self.helpers.extend(files.first().cloned());
        }
        let (mut whole, mut at) = (String::new(), 0);
        while let Some(makefile) = files.get(at).and_then(|it| text(it)) {
            let included = includes(&makefile).filter_map(|it| joined(&folder, it));
            for path in included.collect::<Vec<_>>() {
                if !files.contains(&path) && text(&path).is_some() {
                    self.helpers.insert(path.clone());
                    files.push(path);
                }
            }
            whole.push_str(&makefile);
            whole.push('\n');
            at += 1;
        }
        let named = arguments.iter().filter(|it| !it.starts_with('-') && !it.contains('='));
        self.push(recipes(&whole, named.copied()), &folder);
    }

    fn push(&mut self, commands: Vec<String>, folder: &str) {
        for text in commands {
            let command = Command { text, folder: folder.to_owned(), script: None };
            if !self.commands.contains(&command) {
                self.commands.push(command);
            }
        }
    }
}

/// A script that a reached script needs.
enum Needed {
    Helper(String),
    Sourced(String),
}

/// A script of the repository that a reached script needs: it reads it in, or it lies in a folder of
/// helpers. What else it runs may be the product; so may a script that it reads in, and that does not
/// lie beside it.
fn needed(
    command: &Command,
    script: &str,
    run: &RunScript,
    text: &dyn Fn(&str) -> Option<String>,
) -> Option<Needed> {
    let beside = script.rsplit_once('/').map_or("", |it| it.0);
    let folders = if run.is_beside { vec![beside] } else { vec![&command.folder, beside] };
    let path = folders.into_iter().filter_map(|it| joined(it, &run.path));
    let path = path.filter(|it| text(it).is_some()).find(|it| it != script)?;
    let folder = path.rsplit_once('/').map_or("", |it| it.0);
    let is_of_tests = folder.split('/').any(|it| HELPERS.contains(&it) || FOLDERS.contains(&it));
    if is_of_tests || run.is_read && folder == beside {
        return Some(Needed::Helper(path));
    }
    run.is_read.then_some(Needed::Sourced(path))
}

/// The value of an option that names another folder or file, and the other arguments.
fn other_folder<'a>(arguments: &[&'a str], names: &[&str]) -> (Option<&'a str>, Vec<&'a str>) {
    let (mut found, mut rest) = (None, Vec::new());
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let joined = names.iter().find_map(|it| {
            let value = argument.strip_prefix(it)?;
            if it.starts_with("--") { value.strip_prefix('=') } else { Some(value) }
        });
        match joined {
            Some("") => found = arguments.next().copied(),
            Some(value) => found = Some(value),
            None if names.contains(argument) => found = arguments.next().copied(),
            None => rest.push(*argument),
        }
    }
    (found, rest)
}

/// The files that a makefile includes by name.
fn includes(makefile: &str) -> impl Iterator<Item = &str> {
    makefile.lines().filter_map(included).flat_map(str::split_whitespace)
}

fn included(line: &str) -> Option<&str> {
    let words = ["include ", "-include ", "sinclude "];
    words.iter().find_map(|it| line.strip_prefix(it))
}

/// `npm test`, `npm run check`, `yarn check`: that script, with what runs before and after it.
fn package_scripts(package: &str, arguments: &[&str]) -> Vec<String> {
    let package: Value = serde_json::from_str(package).unwrap_or_default();
    let mut names = arguments.iter().filter(|it| !it.starts_with('-') && **it != "run");
    let Some(name) = names.next().map(|it| if *it == "t" { "test" } else { it }) else {
        return Vec::new();
    };
    let named = [format!("pre{name}"), name.to_owned(), format!("post{name}")];
    let script = |name: &String| package["scripts"][name.as_str()].as_str().map(str::to_owned);
    named.iter().filter_map(script).collect()
}

/// The recipes of these targets, and of what they need; of the first target if none is named.
fn recipes<'a>(makefile: &str, named: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut rules: BTreeMap<String, (Vec<String>, Vec<String>)> = BTreeMap::new();
    let (mut current, mut first): (Vec<String>, Option<String>) = (Vec::new(), None);
    for line in makefile.replace("\\\n", " ").lines() {
        if let Some(recipe) = line.strip_prefix('\t') {
            let recipe = recipe.trim_start_matches(['@', '-', '+', ' ']).to_owned();
            for target in &current {
                rules.entry(target.clone()).or_default().1.push(recipe.clone());
            }
        } else if let Some((targets, needs)) = rule(line) {
            current = targets.split_whitespace().map(str::to_owned).collect();
            let visible = current.first().filter(|it| !it.starts_with('.'));
            first = first.or_else(|| visible.cloned());
            for target in &current {
                let needs = needs.split_whitespace().map(str::to_owned);
                rules.entry(target.clone()).or_default().0.extend(needs);
            }
        }
    }
    let mut left: Vec<String> = named.map(str::to_owned).collect();
    if left.is_empty() {
        left.extend(first);
    }
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    while let Some(target) = left.pop() {
        if seen.insert(target.clone())
            && let Some((needs, recipe)) = rules.get(&target)
        {
            left.extend(needs.iter().cloned());
            found.extend(recipe.iter().cloned());
        }
    }
    found
}

/// `target: needs`, and neither an assignment nor a comment.
fn rule(line: &str) -> Option<(&str, &str)> {
    let line = line.split('#').next().unwrap_or_default();
    let (targets, needs) = line.split_once(':')?;
    (!targets.contains('=') && !needs.starts_with('=')).then_some((targets, needs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, expected: &[&str]) {
        let text = |path: &str| {
            let text = match path {
                "Makefile" => {
                    "X := 1\n.PHONY: all\nall: build\n\t@echo all\nbuild:\n\tsh build.sh\n\
                     test: build\n\t-sh check.sh\n\tnpm test\nclean:\n\trm -r out\n"
                }
                "package.json" => {
                    r#"{"scripts": {"test": "npm run unit && ./lint.sh", "unit": "node test.js", "pretest": "node gen.js"}}"#
                }
                _ => return None,
            };
            Some(text.to_owned())
        };
        let found = Reached::from(command, "", &text).commands;
        let found: Vec<&str> = found.iter().skip(1).map(|it| it.text.as_str()).collect();
        assert_eq!(found, expected, "{command}");
    }

    #[test]
    fn commands_lead_to_others() {
        check("sh check.sh", &[]);
        check("make", &["echo all", "sh build.sh"]);
        check("make -s clean", &["rm -r out"]);
        let package = ["node gen.js", "npm run unit && ./lint.sh"];
        check("npm run unit", &["node test.js"]);
        check("yarn test", &[package[0], package[1], "node test.js"]);
        check(
            "make test X=2",
            &["sh check.sh", "npm test", "sh build.sh", package[0], package[1], "node test.js"],
        );
        check("make absent; npm run absent", &[]);
    }
}
