//! The commands that a command leads to: recipes of make, and scripts of a `package.json`.

use std::collections::{BTreeMap, BTreeSet};

use provost_shell::parse;
use serde_json::Value;

/// How far one command may lead to the next.
const DEPTH: u8 = 4;
/// Where make looks, in its order.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// A command, and every command that it leads to in a version whose files `text` reads.
pub(super) fn commands(command: &str, text: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let mut found = vec![command.to_owned()];
    let mut next = found.clone();
    for _ in 0..DEPTH {
        let led: Vec<String> = next.iter().flat_map(|it| led_to(it, text)).collect();
        next = led.into_iter().filter(|it| !found.contains(it)).collect();
        found.extend(next.iter().cloned());
    }
    found
}

fn led_to(command: &str, text: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let mut commands = Vec::new();
    for invocation in parse(command).invocations {
        let words: Vec<&str> = invocation.words.iter().filter_map(|it| it.text()).collect();
        let Some((program, arguments)) = words.split_first() else { continue };
        match *program {
            "make" | "gmake" => {
                let makefile = MAKEFILES.iter().find_map(|it| text(it));
                let named = arguments.iter().filter(|it| !it.starts_with('-') && !it.contains('='));
                commands.extend(recipes(&makefile.unwrap_or_default(), named.copied()));
            }
            "npm" | "pnpm" | "yarn" | "bun" => {
                let package = text("package.json").unwrap_or_default();
                commands.extend(package_scripts(&package, arguments));
            }
            _ => {}
        }
    }
    commands
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
        let found = commands(command, &text);
        assert_eq!(
            found[1..],
            expected.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "{command}"
        );
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
