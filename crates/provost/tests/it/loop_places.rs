//! Repositories, bases and homes of every kind, and what is left of an older one.

use std::{fs, path::PathBuf};

use serde_json::json;

use crate::{
    loop_world::{Loop, RIGHT, ended, token},
    world::Ran,
};

/// A branch, a tag, a commit, `HEAD`, an older commit: every attempt starts from it.
#[test]
fn a_base_is_whatever_names_a_commit() {
    let it = Loop::new();
    it.git("tag v1");
    it.world.write("repo/later.txt", "x\n");
    it.commit();
    let commit = it.git("rev-parse v1");
    let table = [
        ("head", "HEAD", true),
        ("tag", "v1", false),
        ("older", "main~1", false),
        ("commit", commit.trim(), false),
    ];
    for (id, base, has_later) in table {
        it.check(id, json!({ "base_ref": base }), 0, "READY_FOR_REVIEW");
        let head = it.text(&format!("{id}/attempt_001/head_commit.txt"));
        let names = it.git(&format!("ls-tree --name-only {}", head.trim()));
        assert_eq!(names.contains("later.txt"), has_later, "{base}");
    }
}

/// A path is a path, whatever is in it; a work tree of another repository is one, too.
#[test]
fn a_repository_can_lie_anywhere() {
    let it = Loop::new();
    it.git("branch side");
    let table = [
        ("odd", "-it's a \"仓库\"", "clone -q . TO"),
        ("shallow", "shallow", "clone -q --depth=1 file://FROM TO"),
        ("worktree", "tree", "worktree add -q TO side"),
    ];
    for (id, name, command) in table {
        let (from, to) = (it.world.path("repo"), it.world.path(name));
        let arguments = command.split(' ').map(|word| match word {
            "TO" => to.to_str().unwrap().to_owned(),
            word => word.replace("FROM", from.to_str().unwrap()),
        });
        let made = it.world.program("git").args(arguments).output().unwrap();
        assert!(made.status.success(), "{id}: {made:?}");
        it.check(id, json!({ "repo_path": to, "base_ref": "HEAD" }), 0, "READY_FOR_REVIEW");
    }
    // A link leads to the repository, and its real path goes on record.
    std::os::unix::fs::symlink(it.world.path("repo"), it.world.path("link")).unwrap();
    it.check("link", json!({ "repo_path": it.world.path("link") }), 0, "READY_FOR_REVIEW");
    assert_eq!(it.json("link/task.json")["repo_path"], it.world.path("repo").to_str().unwrap());
}

/// A repository without a commit has no base, and makes no task; a folder inside a repository is not
/// its root.
#[test]
fn a_base_that_is_not_there_is_named() {
    let it = Loop::new();
    it.git(&format!("init -q {}", it.world.path("empty").display()));
    let ran = it.run("empty", json!({ "repo_path": it.world.path("empty") }));
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stderr().contains("no commit to start from"), "{}", ran.stderr());
    assert!(!it.exists("empty"));
    it.world.folder("repo/inner");
    let ran = it.run("inner", json!({ "repo_path": it.world.path("repo/inner") }));
    assert!(matches!(ran.exit(), Some(0 | 3)), "{}", ran.text());
    assert_ne!(it.status("inner")["pause_reason_code"], "PAUSED_CRASH", "{}", ran.text());
}

/// Configuration and adapters are those of the task's repository, not of the folder where the
/// command is typed.
#[test]
fn the_configuration_is_that_of_the_task_s_repository() {
    let it = Loop::new();
    it.git(&format!("clone -q . {}", it.world.path("other").display()));
    it.world.write("repo/provost.toml", "");
    it.commit();
    let ran = it.run("here", json!({}));
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stderr().contains("unknown adapter `c`"), "{}", ran.stderr());
    it.check("there", json!({ "repo_path": it.world.path("other") }), 0, "READY_FOR_REVIEW");
}

/// `RDLOOP_OUT_DIR` moves the tasks; what runs there is hidden from agents all the same.
#[test]
fn tasks_can_lie_outside_the_home() {
    let it = Loop::new();
    let out = it.world.path("out");
    it.coder(&format!("ls {0} >seen.txt; echo x >{0}/t1/status.json; {RIGHT}", out.display()));
    let spec = it.spec("t1", json!({}));
    let ran = it.provost(&["run", spec.to_str().unwrap()]).variable("RDLOOP_OUT_DIR", &out).run();
    ended(&ran, 0, "READY_FOR_REVIEW");
    assert!(out.join("t1/status.json").is_file() && !it.exists("t1"));
    let log = fs::read_to_string(out.join("t1/attempt_001/coder/run.log")).unwrap();
    if log.contains("sandbox=files Full") {
        assert_eq!(it.git("show refs/provost/attempts/t1/1:seen.txt"), "");
    }
}

/// A person who removes the home and begins again meets the results and the trees of before:
/// nothing of them is overwritten, and nothing of them stops the run.
#[test]
fn a_home_that_was_removed_does_not_stop_a_new_one() {
    let it = Loop::new();
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    let old = it.git("rev-parse refs/provost/attempts/t1/1");
    it.coder("echo x >.env; reply done");
    it.check("t2", json!({}), 3, "PAUSED_FORBIDDEN_GLOBS");
    assert!(!it.work("t2").is_empty());
    #[expect(clippy::disallowed_methods, reason = "a person removes a folder")]
    fs::remove_dir_all(it.world.path("repo/.provost")).unwrap();

    it.coder("echo 42 >answer.txt; echo again >more.txt; reply done");
    // Its audit chain is missing until a person says that it was they (ruling 88).
    let missing = it.run("t1", json!({}));
    assert_eq!(missing.exit(), Some(6), "{}", missing.text());
    let provost = env!("CARGO_BIN_EXE_provost");
    let line = format!("echo y | script -qec '{provost} audit restart' /dev/null");
    let said = it.world.program("sh").args(["-c", &line]).output().unwrap();
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("new audit chain"), "{said}");
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    let new = it.text("t1/attempt_001/head_commit.txt");
    assert_ne!(new, old);
    for commit in [&old, &new] {
        assert_eq!(it.git(&format!("show {}:answer.txt", commit.trim())), "42\n");
        let kept = it.git(&format!("for-each-ref --contains {} refs/provost", commit.trim()));
        assert!(!kept.is_empty(), "{commit} can be lost");
    }
    // A tree that was left for a person stays where it is, and is named.
    let tree = it.work("t2").remove(0);
    let ran = it.run("t2", json!({}));
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stderr().contains(tree.to_str().unwrap()), "{}", ran.stderr());
    it.resume("t2", 0, "READY_FOR_REVIEW");
    assert!(tree.join(".env").is_file());
}

/// Two homes that share a repository have a task of the same name each.
#[test]
fn two_homes_of_one_repository_do_not_overwrite_each_other() {
    let it = Loop::new();
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    let old = it.git("rev-parse refs/provost/attempts/t1/1");
    it.coder("echo 42 >answer.txt; echo other >more.txt; reply done");
    let (spec, home) = (it.world.path("specs/t1.json"), it.world.path("second/.provost"));
    it.order(&["--home", home.to_str().unwrap(), "doctor", "--fix"]);
    let run = ["--home", home.to_str().unwrap(), "run", spec.to_str().unwrap()];
    ended(&it.provost(&run).run(), 0, "READY_FOR_REVIEW");
    for commit in [old, it.git("rev-parse refs/provost/attempts/t1/1")] {
        let named = it.git(&format!("for-each-ref --points-at {} refs/provost", commit.trim()));
        assert_eq!(named.lines().count(), 1, "{commit}: {named}");
    }
    assert_eq!(it.refs().lines().count(), 2, "{}", it.refs());
}

/// A change of many files is a change.
#[test]
fn a_change_of_many_files_is_judged() {
    let it = Loop::new();
    it.coder(
        "mkdir many; cd many; seq 1 1500 | xargs touch; cd ..; echo 42 >answer.txt; reply done",
    );
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    assert_eq!(it.text("t1/attempt_001/diff.stat").lines().count(), 1501);
}

/// LOOP-A4: what a person types by mistake is not kept either.
#[test]
fn a_secret_that_a_person_types_is_not_kept() {
    let it = Loop::new();
    let refused = |ran: Ran| {
        assert_eq!(ran.exit(), Some(2), "{}", ran.text());
        assert!(ran.text().contains("github-token"), "{}", ran.text());
        assert!(!ran.text().contains(&token()), "{}", ran.text());
    };
    refused(it.run("goal", json!({ "goal": format!("use {}", token()) })));
    refused(it.run("other", json!({ "notes": [{ "key": token() }] })));
    assert!(!it.exists("goal") && !it.exists("other"));
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    for arguments in [
        ["answer", "t1", &token()].as_slice(),
        &["edit", "t1", "--instruction", &token()],
        &["reject", "t1", "--because", &token()],
    ] {
        refused(it.provost(arguments).run());
    }
    assert_eq!(it.holding(&token()), Vec::<PathBuf>::new());
}
