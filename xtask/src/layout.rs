//! Which functions of the shipped binary lie together.
//!
//! A hook runs about a thousand of the binary's forty thousand functions. Left to the linker they
//! are scattered over all of it, and the system maps the binary piece by piece, at a cost for each
//! piece that a hook touches. This task runs hooks, notes what they call, and writes a script
//! by which the linker puts those functions side by side. A function that is new or renamed is not
//! in the script until the task is run again; nothing but speed depends on it.

use std::{collections::BTreeSet, fs};

use crate::{
    dist::{self, LAYOUT, Profile, Symbols},
    failure::Failure,
    ground::{self, Ground, cannot},
    install, project,
};

/// What is run, with payloads of Claude Code as it sent them.
const HOOKS: [(&str, &str); 6] = [
    ("session-start", "SessionStart.0.json"),
    ("pre-tool-use", "PreToolUse.0.json"),
    ("post-tool-use", "PostToolUse.0.json"),
    ("subagent-start", "SubagentStart.0.json"),
    ("subagent-stop", "SubagentStop.0.json"),
    ("session-end", "SessionEnd.0.json"),
];

const PAYLOADS: &str = "fixtures/guard/real/claude-code-2.1.197";

/// Runs hooks and writes the script.
pub(crate) fn run() -> Result<(), Failure> {
    install::ensure(&install::LINUX)?;
    let provost = dist::linked(Profile::Dist, Symbols::Named)?;
    let provost = provost.to_string_lossy();
    let mut patterns = BTreeSet::new();
    for (kind, payload) in HOOKS {
        let ground = Ground::new(&format!("{PAYLOADS}/{payload}"))?;
        let home = ground.home();
        let hook = ground::hook(&provost, kind, &home);
        // The first compiles the policy.
        ground.run(&hook)?;
        let report = ground.path("report");
        let option = format!("--callgrind-out-file={report}");
        let mut noting = vec!["valgrind", "--quiet", "--tool=callgrind", "--demangle=no", &option];
        noting.extend(&hook);
        ground.run(&noting)?;
        let text = fs::read_to_string(&report).map_err(|it| cannot("read", &report, &it))?;
        patterns.extend(called(&text).filter_map(pattern));
    }
    project::write(LAYOUT, &script(&patterns))?;
    println!("wrote `{LAYOUT}`: {} functions", patterns.len());
    Ok(())
}

/// The functions that a report of callgrind names, each where it is named first.
fn called(report: &str) -> impl Iterator<Item = &str> {
    report.lines().filter_map(|line| {
        let named = line.strip_prefix("fn=(").or_else(|| line.strip_prefix("cfn=("))?;
        let (_, name) = named.split_once(") ")?;
        // A call of itself is counted under a name of its own.
        Some(name.split('\'').next().unwrap_or(name))
    })
}

/// The names that a function has whichever checkout it is built from: without the marks that
/// stand for a build of a crate. Functions of C have sections of their own kind and stay.
fn pattern(symbol: &str) -> Option<String> {
    let name = symbol.split(".llvm.").next()?;
    if let Some(end) = name.starts_with("_ZN").then(|| name.rfind("17h")).flatten() {
        return Some(format!("{}17h*", name.get(..end)?));
    }
    name.starts_with("_R").then(|| format!("{}*", without_marks(name)))
}

/// Puts a `*` for what stands between `Cs` and `_`, which is a crate, and between `B` and `_`,
/// which is a place earlier in the name.
fn without_marks(name: &str) -> String {
    let mut text = String::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let mark = ["Cs", "B"].into_iter().find_map(|it| {
            let behind = rest.strip_prefix(it)?;
            let end = behind.find(|it: char| !it.is_ascii_alphanumeric())?;
            behind.get(end..)?.strip_prefix('_').map(|behind| (it, behind))
        });
        if let Some((mark, behind)) = mark {
            text += mark;
            text += "*_";
            rest = behind;
        } else {
            text.push(first);
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        }
    }
    text
}

fn script(patterns: &BTreeSet<String>) -> String {
    let lines: Vec<String> = patterns.iter().map(|it| format!("    *(.text.{it})\n")).collect();
    format!(
        "/* Written by `cargo xtask layout`: the functions that hooks run. */\n\
         SECTIONS\n{{\n  .text.hook :\n  {{\n{}  }}\n}}\nINSERT BEFORE .text;\n",
        lines.concat()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_what_was_called() {
        let report = "fn=(1) _Ra\n12 3\ncfn=(2) _Rb'2\ncalls=1 0\n1 2\nfn=(1)\ncfn=(2)\n";
        assert_eq!(called(report).collect::<Vec<_>>(), ["_Ra", "_Rb"]);
    }

    #[test]
    fn a_name_does_not_depend_on_the_checkout() {
        let check = |symbol: &str, expected: Option<&str>| {
            assert_eq!(pattern(symbol).as_deref(), expected, "{symbol}");
        };
        check(
            "_RNvNtCs1aB2c_13provost_rules6secret4scan",
            Some("_RNvNtCs*_13provost_rules6secret4scan*"),
        );
        check(
            "_RNvMs_NtCs9z_5alloc3vecINtB4_3VechE4pushCs1a_7provost.llvm.123",
            Some("_RNvMs_NtCs*_5alloc3vecINtB*_3VechE4pushCs*_7provost*"),
        );
        check("_ZN3std2rt10lang_start17h0123456789abcdefE", Some("_ZN3std2rt10lang_start17h*"));
        check("malloc", None);
        check("(below main)", None);
    }

    #[test]
    fn the_script_of_the_project_is_one() {
        let text = project::read(LAYOUT).unwrap();
        assert!(text.lines().filter(|it| it.contains("*(.text._R")).count() > 100);
        assert!(text.ends_with("INSERT BEFORE .text;\n"));
    }
}
