//! Honest worktrees of every kind: nobody is refused for how a repository keeps its files.

use std::os::unix::net::UnixListener;

use serde_json::{Value, json};

use crate::story_world::{Project, codes, done, honest};

/// The work of the honest agent.
const GREET: &str = "echo 'echo hello' > greet.sh";

/// A project that was brought into this state before its plan was started.
#[track_caller]
fn started(what: &str, before: &str) -> Project {
    let project = Project::new();
    project.shell(before);
    let ran = project.story(&["start", "../plan.md", "--json"]);
    assert_eq!(ran.exit(), Some(0), "{what}: {}", ran.text());
    let findings = ran.json()["findings"].clone();
    assert_eq!(findings, json!([]), "{what}: nothing was changed yet");
    project
}

/// An agent declares these files, works like this, and is believed.
#[track_caller]
fn believed(what: &str, project: &Project, files: &[&str], work: &str, update: &Value) -> Value {
    let declared = project.declare("US-001", files);
    assert_eq!(declared["isLate"], false, "{what}: {declared:#}");
    project.shell(work);
    let provost = project.world.provost();
    let ran = provost.args(["story", "update", "US-001", "--file", "-", "--json"]);
    let ran = ran.input(update.to_string()).run();
    let answer = ran.json();
    assert_eq!(codes(&answer), "", "{what}: {answer:#}");
    assert_eq!(ran.exit(), Some(0), "{what}: {}", ran.text());
    assert_eq!(answer["passes"], true, "{what}: {answer:#}");
    assert_eq!(answer["scope"]["files"], files.len(), "{what}: {answer:#}");
    let stale = &project.row("US-001")["stale"];
    assert_eq!(*stale, Value::Null, "{what}");
    answer
}

#[track_caller]
fn check(what: &str, before: &str, files: &[&str], work: &str) {
    believed(what, &started(what, before), files, work, &honest());
}

/// PROOF-11: however lines end on the disk, what did not change did not change.
#[test]
fn line_endings_are_no_change() {
    let again = "rm -f Makefile greet.sh notes.txt tests/*; git checkout -q -- .";
    let crlf = "grep -q $(printf '\\r') notes.txt";
    let notes = "printf 'one\\ntwo\\n' > notes.txt; git add -A; git commit -qm notes";
    let windows = "printf 'echo hello\\r\\n' > greet.sh";
    for (what, before, files, work) in [
        (
            "autocrlf",
            format!("{notes}; git config core.autocrlf true; {again}; {crlf}"),
            &["greet.sh"][..],
            windows,
        ),
        (
            "autocrlf of the person",
            format!("{notes}; git config --global core.autocrlf true; {again}; {crlf}"),
            &["greet.sh"],
            windows,
        ),
        (
            "input",
            format!(
                "{notes}; git config core.autocrlf input; printf 'one\\r\\ntwo\\r\\n' > notes.txt"
            ),
            &["greet.sh"],
            windows,
        ),
        (
            "eol=crlf",
            format!("echo '*.txt text eol=crlf' > .gitattributes; {notes}; {again}; {crlf}"),
            &["greet.sh"],
            GREET,
        ),
        (
            "text=auto",
            format!(
                "echo '* text=auto' > .gitattributes; {notes}; printf 'one\\r\\ntwo\\r\\n' > notes.txt; git add notes.txt"
            ),
            &["greet.sh"],
            windows,
        ),
        (
            "kept with them",
            "printf 'one\\r\\ntwo\\r\\n' > notes.txt; git add -A; git commit -qm notes".to_owned(),
            &["greet.sh", "new.bat"],
            "echo 'echo hello' > greet.sh; printf 'echo\\r\\n' > new.bat",
        ),
    ] {
        check(what, &before, files, work);
    }
}

/// PROOF-11: a mode that the repository does not keep is no change; one that an agent sets counts.
#[test]
fn file_modes_are_kept_as_the_repository_keeps_them() {
    check(
        "no modes",
        "git config core.fileMode false; chmod +x Makefile tests/check.sh",
        &["greet.sh"],
        GREET,
    );
    let project = started("an executable", "true");
    let own = done(json!({
        "AC-1": {"command": "./run.sh"}, "AC-2": {"command": "make check"},
    }));
    let script =
        "printf '#!/bin/sh\\ntest \"$(sh greet.sh)\" = hello\\n' > run.sh; chmod +x run.sh";
    let work = format!("{GREET}; {script}");
    believed("an executable", &project, &["greet.sh", "run.sh"], &work, &own);
    // Where modes are not kept, it is said to git.
    let project = started("added as one", "git config core.fileMode false");
    let work = format!("{GREET}; {script}; git add --chmod=+x run.sh");
    believed("added as one", &project, &["greet.sh", "run.sh"], &work, &own);
}

/// PROOF-11: what a filter of the person made of a file is no change of it.
#[test]
fn filters_of_the_person_are_no_change() {
    let keyword = "git config filter.kw.clean \"sed 's/[$]Rev:.*[$]/[Rev]/'\"; \
        git config filter.kw.smudge \"sed 's/[[]Rev[]]/\\$Rev: 7\\$/'\"; \
        echo '*.kw filter=kw' > .gitattributes; printf '[Rev]\\n' > a.kw; \
        git add -A; git commit -qm kw; rm a.kw; git checkout -q a.kw; grep -q 'Rev: 7' a.kw";
    let large = "mkdir ../store; git config filter.big.clean \"sh -c 'cat > ../store/x; echo pointer'\"; \
        git config filter.big.smudge \"sh -c 'cat > /dev/null; cat ../store/x'\"; \
        echo '*.big filter=big' > .gitattributes; echo content > a.big; \
        git add -A; git commit -qm big; test \"$(git show HEAD:a.big)\" = pointer";
    let ident = "echo '*.c ident' > .gitattributes; echo '// $Id$' > a.c; \
        git add -A; git commit -qm ident; rm a.c; git checkout -q a.c; grep -q 'Id: ' a.c";
    for (what, before) in [("keyword", keyword), ("large files", large), ("ident", ident)] {
        check(what, before, &["greet.sh"], GREET);
    }
    // A change of such a file counts as any other.
    let project = started("changed", large);
    project.declare("US-001", &["greet.sh"]);
    project.shell(&format!("{GREET}; echo more >> a.big"));
    let answer = project.update(&honest(), 1);
    assert_eq!(codes(&answer), "UNDECLARED_FILE", "{answer:#}");
}

/// PROOF-11: a submodule is there when a proof runs, and is no change.
#[test]
fn submodules_are_checked_out() {
    let sub = "mkdir ../lib; (cd ../lib; git init -q .; echo 'echo hello' > hello.sh; git add -A; git commit -qm lib); \
        git -c protocol.file.allow=always submodule --quiet add ../lib lib; git commit -qm sub";
    check("a submodule", sub, &["greet.sh"], "echo 'sh lib/hello.sh' > greet.sh");
    // Where nobody fetched it, it is not there either.
    check(
        "not fetched",
        &format!("{sub}; git submodule --quiet deinit -f lib"),
        &["greet.sh"],
        GREET,
    );
    // What is changed in it is not what is proven.
    let project = started("changed", sub);
    project.declare("US-001", &["greet.sh"]);
    project.shell("echo 'sh lib/hello.sh' > greet.sh; echo 'echo hullo' > lib/hello.sh; git -C lib commit -qam hullo");
    let answer = project.update(&honest(), 1);
    assert_eq!(codes(&answer), "UNDECLARED_FILE", "{answer:#}");
}

/// PROOF-11: what programs leave in ignored places is no obstacle.
#[test]
fn ignored_sockets_and_pipes_are_no_obstacle() {
    let project = started("run files", "echo run/ > .gitignore; git add -A; git commit -qm ignore");
    project.shell("mkdir run; mkfifo run/pipe");
    let _socket = UnixListener::bind(project.world.path("repo/run/s")).unwrap();
    believed("run files", &project, &["greet.sh"], GREET, &honest());
    // One that would be part of the work cannot be delivered.
    let project = started("a pipe", "true");
    project.shell("mkfifo pipe");
    let ran = project.story(&["declare", "US-001", "greet.sh"]);
    assert_ne!(ran.exit(), Some(0), "{}", ran.text());
}

/// PROOF-11: links, names and histories of every kind.
#[test]
fn ordinary_repositories_are_no_obstacle() {
    let names = "echo a > '说明 文档.txt'; printf x > \"$(printf 'caf\\351.txt')\"; git add -A; git commit -qm names";
    let sparse = "mkdir docs; echo x > docs/x; git add -A; git commit -qm docs; \
        git sparse-checkout set --no-cone '/*' '!/docs/'; test ! -e docs/x";
    for (what, before, files, work) in [
        (
            "links",
            "ln -s greet.sh link.sh; ln -s nowhere dangling; git add -A; git commit -qm links",
            &["greet.sh", "alias.sh"][..],
            "echo 'echo hello' > greet.sh; ln -s greet.sh alias.sh",
        ),
        (
            "names",
            names,
            &["greet.sh", "问候 一.txt"],
            "echo 'echo hello' > greet.sh; echo > '问候 一.txt'",
        ),
        (
            "an empty commit",
            "git commit -q --allow-empty -m empty",
            &["greet.sh"],
            "git commit -q --allow-empty -m begin; echo 'echo hello' > greet.sh; git commit -qam work",
        ),
        ("sparse", sparse, &["greet.sh"], GREET),
    ] {
        check(what, before, files, work);
    }
}

/// PROOF-11: the plan of another is a document like the own one.
#[test]
fn a_plan_of_another_is_no_work() {
    let project = started("another plan", "true");
    let plan = std::fs::read_to_string(project.world.path("plan.md")).unwrap();
    project.write("other.md", &plan.replace("US-00", "US-01"));
    assert_eq!(project.story(&["start", "other.md"]).exit(), Some(0));
    believed("another plan", &project, &["greet.sh"], GREET, &honest());
    // A program is none, even if it can be read as a plan.
    let project = started("a program", "true");
    project.write("other.py", &format!("\"\"\"\n{}\"\"\"\n", plan.replace("US-00", "US-01")));
    project.story(&["start", "other.py"]);
    let declared = project.declare("US-001", &["greet.sh"]);
    assert_eq!(declared["isLate"], true, "{declared:#}");
}

/// PROOF-11: two plans in one repository, each in a worktree: neither counts what the other does.
#[test]
fn each_plan_has_a_worktree_of_its_own() {
    let sub = "mkdir ../lib; (cd ../lib; git init -q .; echo 'echo hello' > hello.sh; git add -A; git commit -qm lib); \
        git -c protocol.file.allow=always submodule --quiet add ../lib lib; git commit -qm sub";
    let project = started("worktrees", sub);
    project.shell(
        "cp ../plan.md ../second.md; git worktree add -q ../two -b two; cd ../two; \
         git -c protocol.file.allow=always submodule --quiet update --init",
    );
    let two = |arguments: &[&str], input: &str| {
        let provost = project.world.provost().inside("two").args(["story"]).args(arguments);
        let ran = provost.input(input).run();
        assert_eq!(ran.exit(), Some(0), "{arguments:?}: {}", ran.text());
        ran
    };
    two(&["start", "../second.md"], "");
    let ran = project.story(&["declare", "ralph/plan:US-001", "greet.sh", "--json"]);
    assert_eq!(ran.json()["isLate"], false, "{}", ran.text());
    assert_eq!(
        two(&["declare", "ralph/second:US-001", "greet.sh", "--json"], "").json()["isLate"],
        false
    );
    project.shell(&format!("{GREET}; cd ../two; echo 'sh lib/hello.sh' > greet.sh"));
    let update = honest().to_string();
    let one = project.world.provost().args([
        "story",
        "update",
        "ralph/plan:US-001",
        "--file",
        "-",
        "--json",
    ]);
    let one = one.input(update.clone()).run();
    assert_eq!(one.exit(), Some(0), "{}", one.text());
    let other = two(&["update", "ralph/second:US-001", "--file", "-", "--json"], &update);
    assert_eq!(other.json()["scope"]["files"], 1, "{}", other.text());
    // What changes in one makes nothing stale in the other.
    project.shell("echo '# more' >> ../two/greet.sh");
    let stale = project.row("ralph/plan:US-001")["stale"].clone();
    assert_eq!(stale, Value::Null);
    let stale = two(&["get", "ralph/second:US-001", "--json"], "").json()["stale"].clone();
    assert_eq!(stale["changed"], json!(["greet.sh"]));
}
