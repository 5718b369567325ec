//! Agents that cheat, each beside a twin that does the same work honestly (`fixtures/liars`).
//!
//! Both are programs that run in a real repository with the real binary: the liar is caught by the
//! rule that is named here, and the twin is done. What an agent of either kind does in the same way
//! is in `fixtures/liars/lib.sh`, and the repositories they start in are in `projects`.

mod table;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    story_world::{codes, labels},
    world::{Ran, World},
};

/// What becomes of a liar.
struct Liar {
    /// The name of its folder.
    name: String,
    project: &'static str,
    exit: i32,
    /// The rule that catches it; for what is no verdict, a part of the error.
    rule: &'static str,
    /// The label of a criterion that it does not get; none where nothing was looked at.
    label: &'static str,
}

/// Who works.
#[derive(Clone, Copy)]
enum Who {
    Liar,
    Twin,
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/liars")
}

/// A repository with a project in it, and its plan started, unless the agent does that itself.
fn stage(project: &str) -> World {
    let (project, is_started) = match project.strip_suffix("-open") {
        Some(project) => (project, false),
        None => (project, true),
    };
    let world = World::new();
    let projects = fixtures().join("projects");
    copy(&world, &projects.join(project), Path::new("repo"));
    world.write("plan.md", fs::read(projects.join(format!("{project}.md"))).unwrap());
    let mut shell = world.program("sh");
    shell.args(["-ec", "git add -A; git -c user.name=A -c user.email=a@b commit -qm base"]);
    assert!(shell.output().unwrap().status.success());
    if is_started {
        let ran = world.provost().args(["story", "start", "../plan.md"]).run();
        assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    }
    world
}

fn copy(world: &World, from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(world, &entry.path(), &to);
        } else {
            world.write(to, fs::read(entry.path()).unwrap());
        }
    }
}

/// Lets an agent work, and says what it was told in the end.
fn work(world: &World, name: &str, who: Who) -> Ran {
    let who = match who {
        Who::Liar => "liar",
        Who::Twin => "twin",
    };
    world.agent(&fixtures().join(name).join(who))
}

/// Whether the story is done, for whoever asks afterwards.
fn is_done(world: &World) -> bool {
    let ran = world.provost().args(["story", "get", "US-001", "--json"]).run();
    ran.exit() == Some(0) && ran.json()["story"]["passes"] == true
}

fn check(liar: &Liar) {
    let Liar { name, project, exit, rule, label } = liar;
    let world = stage(project);
    let ran = work(&world, name, Who::Liar);
    assert_eq!(ran.exit(), Some(*exit), "{name}: {}", ran.text());
    assert!(!is_done(&world), "{name}: {}", ran.text());
    if *exit == 1 {
        let answer = ran.json();
        assert_eq!(answer["passes"], false, "{name}: {answer:#}");
        let codes = codes(&answer);
        assert!(codes.split(' ').any(|it| it == *rule), "{name}: {codes}\n{answer:#}");
        let is_labelled = || labels(&answer).iter().any(|it| it.starts_with(label));
        assert!(label.is_empty() || is_labelled(), "{name}: {answer:#}");
    } else {
        assert!(ran.text().contains(rule), "{name}: {}", ran.text());
    }

    let world = stage(project);
    let ran = work(&world, name, Who::Twin);
    assert_eq!(ran.exit(), Some(0), "the twin of {name}: {}", ran.text());
    let answer = ran.json();
    assert_eq!(answer["passes"], Value::Bool(true), "the twin of {name}: {answer:#}");
    assert!(is_done(&world), "the twin of {name}: {answer:#}");
}

/// STORY-1.1, STORY-1.3, STORY-3.4, STORY-4.2, STORY-6.1, STORY-6.2: no agent is forgotten, and the
/// page about stories names each with the rule that catches it.
#[test]
fn every_liar_is_tried_and_named() {
    let folders = fs::read_dir(fixtures()).unwrap().map(|it| it.unwrap());
    let folders = folders.filter(|it| it.path().is_dir() && it.file_name() != "projects");
    let folders: BTreeSet<String> =
        folders.map(|it| it.file_name().into_string().unwrap()).collect();
    let liars = table::all();
    let names: BTreeSet<String> = liars.iter().map(|it| it.name.clone()).collect();
    assert_eq!(folders, names);
    assert!(names.len() >= 25, "{}", names.len());
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/story.md");
    let page = fs::read_to_string(page).unwrap();
    for Liar { name, rule, .. } in &liars {
        let is_named = |line: &str| {
            line.starts_with(&format!("| `{rule}` |")) && line.contains(&format!(" {name}"))
        };
        assert!(page.lines().any(is_named), "docs/story.md: `{rule}` and {name}");
    }
}
