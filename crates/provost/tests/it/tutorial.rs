//! The tutorial, followed command by command.
//!
//! In a `console` block, a line with `$ ` is a command and lines with `> ` continue it; what follows
//! is its output, in which `…` stands for anything, and on a line of its own for any lines.

use std::{fs, os::unix::fs::symlink, path::PathBuf};

use crate::world::World;

/// A command of the page, with the output that the page shows.
#[derive(Default)]
struct Typed {
    command: String,
    output: Vec<String>,
}

fn commands(page: &str) -> Vec<Typed> {
    let mut typed: Vec<Typed> = Vec::new();
    let mut is_console = false;
    for line in page.lines() {
        if line.starts_with("```") {
            is_console = line == "```console";
        } else if is_console {
            if let Some(command) = line.strip_prefix("$ ") {
                typed.push(Typed { command: command.to_owned(), ..Typed::default() });
            } else if let Some(more) = line.strip_prefix('>') {
                let last = typed.last_mut().unwrap();
                last.command += "\n";
                last.command += more.strip_prefix(' ').unwrap_or(more);
            } else {
                typed.last_mut().unwrap().output.push(line.to_owned());
            }
        }
    }
    typed
}

/// Whether a line is as the page shows it.
fn is_line(expected: &str, actual: &str) -> bool {
    match expected.split_once('…') {
        None => expected == actual,
        Some((start, rest)) => actual.strip_prefix(start).is_some_and(|actual| {
            let mut places = actual.char_indices().map(|it| it.0).chain([actual.len()]);
            places.any(|at| is_line(rest, &actual[at..]))
        }),
    }
}

/// Whether lines are as the page shows them.
fn is_output(expected: &[String], actual: &[&str]) -> bool {
    match expected.split_first() {
        None => actual.is_empty(),
        Some((line, rest)) if line == "…" => {
            (0..=actual.len()).any(|at| is_output(rest, &actual[at..]))
        }
        Some((line, rest)) => actual
            .split_first()
            .is_some_and(|(first, after)| is_line(line, first) && is_output(rest, after)),
    }
}

#[test]
fn the_tutorial_does_what_it_says() {
    let page = fs::read_to_string(format!("{}/../../docs/tutorial.md", env!("CARGO_MANIFEST_DIR")));
    let typed = commands(&page.unwrap());
    assert!(typed.len() > 10);
    let world = World::new();
    world.folder("bin");
    world.folder("work");
    symlink(env!("CARGO_BIN_EXE_provost"), world.path("bin/provost")).unwrap();
    world.write("home/.gitconfig", "[user]\nname = You\nemail = you@example.com\n");
    let mut folder: PathBuf = world.path("work");
    for Typed { command, output } in typed {
        let script = format!("{{ {command}\n}} 2>&1 </dev/null; code=$?; exit $code");
        let mut shell = world.program("sh");
        let path = shell.get_envs().find(|it| it.0 == "PATH").unwrap().1.unwrap().to_owned();
        let mut folders = vec![world.path("bin")];
        folders.extend(std::env::split_paths(&path));
        shell.env("PATH", std::env::join_paths(folders).unwrap());
        let ran = shell.args(["-c", &script]).current_dir(&folder).output().unwrap();
        let printed = String::from_utf8(ran.stdout).unwrap();
        assert!(ran.status.success(), "$ {command}\n{printed}");
        let lines: Vec<&str> = printed.lines().collect();
        assert!(is_output(&output, &lines), "$ {command}\n{printed}\nThe page: {output:#?}");
        if command.contains("cd shop") {
            folder = folder.join("shop");
        }
    }
}

#[test]
fn a_page_is_compared_with_wildcards() {
    let page = "```console\n$ a\n> b\none…three\n…\nlast\n$ c\n```\n";
    let typed = commands(page);
    assert_eq!((typed[0].command.as_str(), typed.len()), ("a\nb", 2));
    assert!(is_output(&typed[0].output, &["one two three", "x", "y", "last"]));
    assert!(is_output(&typed[0].output, &["onethree", "last"]));
    assert!(!is_output(&typed[0].output, &["one two", "last"]));
    assert!(!is_output(&typed[0].output, &["one three", "x"]));
}
