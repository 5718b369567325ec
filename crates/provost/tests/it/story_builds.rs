//! One build per version: commands that begin with the build start where it has ended.

use std::mem::MaybeUninit;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use serde_json::{Value, json};

use crate::story_world::{Project, codes};

/// Counts how often a file is opened that every build reads: builds cannot write anywhere that stays.
struct Counter(rustix::fd::OwnedFd);

impl Counter {
    fn of(file: &std::path::Path) -> Self {
        let watch = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
        // With the ends among them, no two events in a row are alike, and none is left out.
        inotify::add_watch(&watch, file, WatchFlags::OPEN | WatchFlags::CLOSE_NOWRITE).unwrap();
        Self(watch)
    }

    /// How many builds there were since this was asked last.
    fn builds(&self) -> usize {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(&self.0, &mut buffer);
        let mut n_opened = 0;
        while let Ok(event) = reader.next() {
            n_opened += usize::from(event.events().contains(ReadFlags::OPEN));
        }
        n_opened
    }
}

/// A project whose product has to be built, with a test for each of four words. The target is built each
/// time that it is asked for.
fn project(build: &str) -> (Project, Counter) {
    let project = Project::new();
    project.world.write("ticket", "one build\n");
    let ticket = project.world.path("ticket");
    let script = format!(
        "sh -n greet.sh || exit 1\ncat {} >/dev/null || exit 1\nmkdir -p out\ncp greet.sh out/app\n{build}",
        ticket.display()
    );
    project.write("build.sh", &script);
    project.write("Makefile", ".PHONY: build\nbuild:\n\t@sh build.sh\n");
    for (name, word) in [("one", "hello"), ("two", "world"), ("three", "again"), ("four", "bye")] {
        project.write(&format!("tests/{name}.sh"), &format!("sh out/app | grep -qx {word}\n"));
    }
    let kept = "test -e $HOME/mark && test -e $TMPDIR/mark && sh tests/one.sh\n";
    project.write("tests/kept.sh", kept);
    project.write(".gitignore", "out/\n");
    project.shell(
        "git rm -q --cached tests/check.sh; rm tests/check.sh; git add -A; git commit -qm build",
    );
    let counter = Counter::of(ticket.as_ref());
    (project, counter)
}

/// Starts the plan, whose criteria name their commands or leave them to the agent.
fn start(project: &Project, names_commands: bool) {
    let words = [("hello", "one"), ("world", "two"), ("again", "three"), ("bye", "four")];
    let criterion = |(word, name): (&str, &str)| {
        let verify = format!(" (verify: `make build && sh tests/{name}.sh`)");
        let verify = if names_commands { verify } else { String::new() };
        format!("- it says {word}{verify}\n")
    };
    let criteria: String = words.into_iter().map(criterion).collect();
    let plan = format!("### US-001: Greet\n\n**Acceptance Criteria**\n{criteria}");
    project.world.write("plan.md", &plan);
    let ran = project.story(&["start", "../plan.md"]);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    project.declare("US-001", &["greet.sh"]);
}

fn update() -> Value {
    let command = |name: &str| json!({"command": format!("make build && sh tests/{name}.sh")});
    json!({"storyId": "US-001", "passes": true, "acStatus": {
        "AC-1": command("one"), "AC-2": command("two"),
        "AC-3": command("three"), "AC-4": command("four"),
    }})
}

fn proofs(answer: &Value) -> Vec<&str> {
    let status = answer["acStatus"].as_object().unwrap().values();
    status.map(|it| it["proof"].as_str().unwrap_or("none")).collect()
}

const DONE: &str = "for it in hello world again bye; do echo $it; done\n";

/// Four criteria, each with a command of its own that needs the build: the base is built once for the
/// story, and what was delivered, as it is and with its tests in other words, once for the update.
#[test]
fn an_update_builds_each_version_once() {
    let (project, counter) = project("");
    start(&project, false);
    assert_eq!(counter.builds(), 0);
    project.write("greet.sh", "for it in hello world again; do echo $it; done\n");
    let answer = project.update(&update(), 1);
    // The base, what was delivered, that with its tests in other words, and once more for the command
    // that fails: it has to do so as a whole.
    assert_eq!(counter.builds(), 4, "{answer:#}");
    project.write("greet.sh", DONE);
    let answer = project.update(&update(), 0);
    assert_eq!(proofs(&answer), ["PROVEN"; 4], "{answer:#}");
    // That of the fourth command on the base is not known yet.
    assert_eq!(counter.builds(), 3, "{answer:#}");
    project.write("greet.sh", &format!("# greets\n{DONE}"));
    let answer = project.update(&update(), 0);
    assert_eq!(proofs(&answer), ["PROVEN"; 4], "{answer:#}");
    assert_eq!(counter.builds(), 2, "{answer:#}");
    // A second look takes nothing from the first.
    assert_eq!(project.story(&["verify", "US-001"]).exit(), Some(0));
    assert_eq!(counter.builds(), 3);
}

/// The commands of a plan run on the base when it is started, and not again.
#[test]
fn a_plan_builds_the_base_when_it_is_started() {
    let (project, counter) = project("");
    start(&project, true);
    assert_eq!(counter.builds(), 1);
    project.write("greet.sh", DONE);
    let answer = project.update(&update(), 0);
    assert_eq!(proofs(&answer), ["PROVEN"; 4], "{answer:#}");
    assert_eq!(counter.builds(), 2, "{answer:#}");
}

/// What one command leaves is not there for the next one: neither in the checkout, nor in its home, nor
/// among its temporary files.
#[test]
fn what_a_command_leaves_after_the_build_is_gone() {
    for mark in ["out/mark", "$HOME/mark", "$TMPDIR/mark"] {
        let (project, _) = project("");
        start(&project, false);
        let text = format!(
            "echo hello; if [ -e {mark} ]; then echo world; echo again; echo bye; fi; touch {mark}\n"
        );
        project.write("greet.sh", &text);
        let answer = project.update(&update(), 1);
        let labels = answer["acStatus"].as_object().unwrap().values();
        let labels: Vec<_> = labels.map(|it| it["label"].as_str().unwrap()).collect();
        let expected = ["REPRODUCED", "CONTRADICTED", "CONTRADICTED", "CONTRADICTED"];
        assert_eq!(labels, expected, "{mark}: {answer:#}");
    }
}

/// What the build leaves is there, and so is what it printed.
#[test]
fn what_the_build_leaves_is_there() {
    let build = "echo built; touch $HOME/mark $TMPDIR/mark\n";
    let (project, counter) = project(build);
    start(&project, false);
    project.write("greet.sh", DONE);
    let mut sent = update();
    let command = "make build && sh tests/kept.sh";
    sent["acStatus"]["AC-1"] = json!({"command": command, "output": "built"});
    let answer = project.update(&sent, 0);
    assert_eq!(proofs(&answer), ["PROVEN"; 4], "{answer:#}");
    assert_eq!(counter.builds(), 3, "{answer:#}");
}

/// A test that the build has run, or copied, is planted before the build.
#[test]
fn a_plant_that_the_build_has_to_see_is_seen() {
    let build = "sh greet.sh | grep -x hello > out/said || true\n";
    let (project, _) = project(build);
    start(&project, false);
    project.write("greet.sh", DONE);
    let mut sent = update();
    sent["acStatus"]["AC-1"] = json!({"command": "make build && test -s out/said"});
    let answer = project.update(&sent, 0);
    assert_eq!(proofs(&answer), ["PROVEN"; 4], "{answer:#}");
    assert!(!codes(&answer).contains("PLANT"), "{answer:#}");
}
