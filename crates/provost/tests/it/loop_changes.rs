//! A task that starts from uncommitted files (`--with-changes`), and how its result lands.

use std::fs;

use serde_json::json;

use crate::{
    loop_world::{Loop, ended, token},
    world::Ran,
};

const GOAL: &str = "write the answer into answer.txt";
const ID: &str = "write-answer-answer-txt";
/// A coder that needs what is not committed, and sees nothing that is ignored.
const NEEDS: &str = "grep -qx mine notes.txt && grep -qx new sub/new.txt && ! test -e gone.txt \
    && ! test -e private.txt && ! test -e nested/file && ! test -e cache.tmp \
    && echo 42 >answer.txt && reply done";

/// A repository with files that are changed, staged, deleted, new, and ignored in two ways.
fn world() -> Loop {
    let it = Loop::with_config("[task]\ncoder = \"c\"\ntest = \"sh check.sh\"\n");
    it.git("config user.name Mara");
    it.git("config user.email mara@localhost");
    it.world.write("repo/notes.txt", "one\n");
    it.world.write("repo/staged.txt", "one\n");
    it.world.write("repo/gone.txt", "one\n");
    it.world.write("repo/.gitignore", ".provost/\n*.tmp\n");
    it.commit();
    it.world.write("repo/.git/info/exclude", "private.txt\n");
    it
}

fn change(it: &Loop) {
    it.world.write("repo/staged.txt", "two\n");
    it.git("add staged.txt");
    it.world.write("repo/notes.txt", "mine\n");
    it.git("rm --quiet --cached gone.txt");
    delete(it, "gone.txt");
    it.world.write("repo/sub/new.txt", "new\n");
    it.world.write("repo/cache.tmp", "cache\n");
    it.world.write("repo/private.txt", "private\n");
}

#[expect(clippy::disallowed_methods, reason = "a test is the person who removes files")]
fn delete(it: &Loop, path: &str) {
    fs::remove_file(it.world.path("repo").join(path)).unwrap();
}

/// What must not change: the index, byte by byte, the branches and the files.
fn trace(it: &Loop) -> (Vec<u8>, Vec<String>) {
    let words = ["status --porcelain --untracked-files=all", "for-each-ref refs/heads", "diff"];
    let index = fs::read(it.world.path("repo/.git/index")).unwrap();
    (index, words.iter().map(|word| it.git(&format!("--no-optional-locks {word}"))).collect())
}

fn with_changes(it: &Loop) -> Ran {
    it.provost(&["do", GOAL, "--with-changes"]).run()
}

fn land(it: &Loop, arguments: &[&str]) -> Ran {
    it.provost(&[&["land", ID, "--yes"], arguments].concat()).run()
}

#[track_caller]
fn refused(ran: &Ran, exit: i32, words: &str) {
    assert_eq!(ran.exit(), Some(exit), "{}", ran.text());
    assert!(ran.stderr().contains(words), "{words}: {}", ran.text());
}

#[test]
fn uncommitted_files_are_the_base_and_stay_as_they_are() {
    let it = world();
    change(&it);
    it.git("init --quiet nested");
    it.world.write("repo/nested/file", "x");
    let without = it.provost(&["do", "something else", "--max-attempts", "1"]).run();
    assert!(without.stderr().contains("`--with-changes` takes them along"), "{}", without.text());
    it.coder(NEEDS);
    let before = trace(&it);
    let ran = with_changes(&it);
    ended(&ran, 0, "READY_FOR_REVIEW");
    assert!(ran.stderr().contains("4 uncommitted files are part of"), "{}", ran.text());
    assert!(ran.stderr().contains("`nested` is a repository of its own"), "{}", ran.text());
    assert_eq!(trace(&it), before);

    let spec = it.json(&format!("{ID}/task.json"));
    let base = spec["base_ref"].as_str().unwrap();
    assert_eq!((&spec["with_changes"], &spec["target_branch"]), (&json!(base), &json!("main")));
    assert_eq!(it.git(&format!("rev-parse {base}^")), it.git("rev-parse HEAD"));
    assert!(it.refs().contains(&format!("refs/provost/changes/{ID}/{base}")), "{}", it.refs());
    let shown = it.world.provost().args(["show", ID]).run().stdout();
    assert!(shown.contains("with uncommitted files → 1 file, +1 −0"), "{shown}");
    it.order(&["rm", ID, "--yes"]);
    assert!(!it.refs().contains(ID), "{}", it.refs());
}

/// LAND: what the person had not committed comes first, and then the result is the one that was proven.
#[test]
fn a_result_lands_on_files_that_were_committed_meanwhile() {
    let it = world();
    change(&it);
    it.coder(NEEDS);
    ended(&with_changes(&it), 0, "READY_FOR_REVIEW");
    refused(&land(&it, &[]), 1, "builds on them: commit them");
    // New files alone are in the way, too: the branch does not have them.
    it.git("commit --quiet --all -m mine");
    refused(&land(&it, &[]), 1, "sub/new.txt");
    it.commit();
    let tip = it.git("rev-parse main");
    let answer = land(&it, &[]).json();
    assert_eq!(
        (&answer["outcome"], &answer["behind"], &answer["is_proven_again"]),
        (&json!("landed"), &json!(0), &json!(false)),
        "{answer:#}",
    );
    assert_eq!(it.git("rev-parse main^"), tip);
    assert_eq!(it.git("show --format= --name-only main").trim(), "answer.txt");
}

/// LAND: files that were put away are missed by name, or not at all.
#[test]
fn a_result_that_needs_files_that_are_gone_does_not_land() {
    let it = world();
    it.world.write("repo/notes.txt", "mine\n");
    it.world.write("repo/sub/new.txt", "new\n");
    it.coder("echo more >>sub/new.txt; echo 42 >answer.txt; reply done");
    ended(&with_changes(&it), 0, "READY_FOR_REVIEW");
    it.git("stash --quiet --include-untracked");
    refused(&land(&it, &[]), 1, "`main` does not have them");
    // A branch of its own has both.
    let answer = land(&it, &["--branch", "apart"]).json();
    assert_eq!(answer["outcome"], "landed", "{answer:#}");
    assert_eq!(
        it.git("show --format=%an --name-only apart^").trim(),
        "Mara\n\nnotes.txt\nsub/new.txt"
    );
    assert_eq!(it.git("rev-parse apart^^"), it.git("rev-parse main"));
    // A result that holds without them is only itself.
    it.git("stash pop --quiet");
    it.coder("echo 42 >answer.txt; reply done");
    let ran = it.provost(&["do", "and once more", "--with-changes"]).run();
    let id = ended(&ran, 0, "READY_FOR_REVIEW")["task_id"].as_str().unwrap().to_owned();
    it.git("stash --quiet --include-untracked");
    it.order(&["land", &id, "--yes"]);
    assert_eq!(it.git("show --format= --name-only main").trim(), "answer.txt");
}

#[test]
fn what_a_result_may_not_have_no_base_has() {
    let it = world();
    let key = token();
    for (path, text, words) in [
        ("config.py", format!("KEY = '{key}'\n"), "`config.py:1` carries a secret"),
        (".env", "A=1\n".to_owned(), "`.env` matches the forbidden glob"),
    ] {
        it.world.write(format!("repo/{path}"), text);
        refused(&with_changes(&it), 1, words);
        delete(&it, path);
    }
    assert_eq!(it.holding(&key), [""; 0].map(std::path::PathBuf::from));
    // A merge in the middle.
    it.git("checkout --quiet -b other");
    it.world.write("repo/notes.txt", "other\n");
    it.commit();
    it.git("checkout --quiet main");
    it.world.write("repo/notes.txt", "mine\n");
    it.commit();
    let merged = it.world.program("git").args(["merge", "other"]).output().unwrap();
    assert!(!merged.status.success());
    refused(&with_changes(&it), 2, "`notes.txt` is in conflict");
    assert_eq!(it.refs(), "");
    assert_eq!(it.provost(&["ls"]).run().json()["tasks"], json!([]));
    it.git("merge --abort");
    let ran = with_changes(&it);
    assert!(ran.stderr().contains("everything is committed"), "{}", ran.text());
}

/// A spec is known again by what it says, and a task keeps the base that it was made from.
#[test]
fn a_spec_can_start_from_uncommitted_files() {
    let it = world();
    change(&it);
    it.coder("grep -qx mine notes.txt || exit 1; exit 3");
    let spec = it.spec("t1", json!({}));
    let spec = spec.to_str().unwrap();
    ended(&it.provost(&["run", spec, "--with-changes"]).run(), 3, "PAUSED_CODER_FAILED");
    let base = it.json("t1/task.json")["base_ref"].clone();
    it.world.write("repo/notes.txt", "newer\n");
    it.coder(NEEDS);
    let ran = it.provost(&["run", spec, "--with-changes"]).run();
    ended(&ran, 0, "READY_FOR_REVIEW");
    assert!(ran.stderr().contains("`t1` keeps its base"), "{}", ran.text());
    assert_eq!(it.json("t1/task.json")["base_ref"], base);
    let spec = it.spec("t2", json!({ "base_ref": "main" }));
    let ran = it.provost(&["run", spec.to_str().unwrap(), "--with-changes"]).run();
    refused(&ran, 2, "names `main` as its `base_ref`");
}
