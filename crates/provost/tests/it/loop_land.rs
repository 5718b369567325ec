//! `provost land` in real repositories: what it does to a branch, and what it refuses without a trace.

mod killed;
mod onto;
mod request;

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::{Value, json};

use crate::{loop_world::Loop, world::Ran};

/// A coder that also changes a file of the base.
const CHANGES: &str = "echo 42 >answer.txt; echo more >>notes.txt; reply done";

/// A repository of a person that git knows.
fn world() -> Loop {
    let it = Loop::new();
    it.world.write("repo/notes.txt", "one\n");
    it.commit();
    it.git("config user.name Mara");
    it.git("config user.email mara@localhost");
    it
}

/// The same, with a task that is ready.
fn ready() -> Loop {
    let it = world();
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    it
}

/// Commits a file on the branch that is checked out.
fn commit(it: &Loop, path: &str, text: &str) {
    it.world.write(format!("repo/{path}"), text);
    it.commit();
}

/// Everything that a refusal must leave alone: refs, index, files, and where HEAD is.
fn trace(it: &Loop) -> Vec<String> {
    let listed = ["for-each-ref", "ls-files --stage", "status --porcelain --untracked-files=all"];
    let mut trace: Vec<String> = listed.iter().map(|words| it.git(words)).collect();
    trace.push(fs::read_to_string(it.world.path("repo/.git/HEAD")).unwrap());
    for name in it.git("ls-files --cached --others --exclude-standard").lines() {
        trace.push(fs::read_to_string(it.world.path("repo").join(name)).unwrap_or_default());
    }
    trace
}

fn land(it: &Loop, arguments: &[&str]) -> Ran {
    it.provost(&[&["land", "t1"], arguments].concat()).run()
}

/// Lands, and gives the answer.
#[track_caller]
fn landed(it: &Loop, arguments: &[&str]) -> Value {
    let ran = land(it, arguments);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    ran.json()
}

/// Is refused, says this, and leaves no trace.
#[track_caller]
fn refused(it: &Loop, arguments: &[&str], exit: i32, words: &[&str]) {
    let before = trace(it);
    let ran = land(it, arguments);
    assert_eq!(ran.exit(), Some(exit), "{}", ran.text());
    for word in words {
        assert!(ran.stderr().contains(word), "{word}: {}", ran.text());
    }
    assert_eq!(trace(it), before);
    let status = it.status("t1");
    assert!(status["landed"].is_null(), "{status:#}");
    assert_eq!(it.work("t1"), [""; 0].map(std::path::PathBuf::from));
}

#[expect(clippy::disallowed_methods, reason = "a test is the person who removes files")]
fn delete(it: &Loop, path: &str) {
    fs::remove_file(it.world.path(path)).unwrap();
}

fn message(it: &Loop, revision: &str) -> String {
    it.git(&format!("log -1 --format=%an|%cn|%B {revision}"))
}

fn hook(it: &Loop, name: &str, script: &str) {
    let path = format!("repo/.git/hooks/{name}");
    it.world.write(&path, format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(it.world.path(&path), fs::Permissions::from_mode(0o755)).unwrap();
}

/// LAND: one commit of the person's on the branch, with index and files, and an approval on record.
#[test]
fn a_result_lands_as_one_commit_of_the_person() {
    let it = ready();
    let base = it.git("rev-parse main");
    let answer = landed(&it, &["--yes"]);
    assert_eq!(
        (&answer["outcome"], &answer["branch"], &answer["is_proven_again"]),
        (&json!("landed"), &json!("main"), &json!(false)),
    );
    assert_eq!(answer["commit"], it.git("rev-parse main").trim());
    assert_eq!(it.git("rev-parse main^"), base);
    assert_eq!(
        message(&it, "main").trim(),
        "Mara|Mara|write 42 into answer.txt\n\n\
         Provost-Task: t1\nProvost-Agent: c\nProvost-Proof: PROVEN",
    );
    assert_eq!(fs::read_to_string(it.world.path("repo/answer.txt")).unwrap(), "42\n");
    assert_eq!(it.git("status --porcelain"), "");
    let status = it.status("t1");
    assert_eq!(status["review"]["outcome"], "approved");
    assert_eq!(status["landed"]["put"]["commit"], answer["commit"]);
    assert!(status["landed"]["put"]["at"].is_string(), "{status:#}");
    let audit = it.text("_audit/audit.jsonl");
    let at =
        |action: &str| audit.find(&format!("\"{action}\"")).unwrap_or_else(|| panic!("{audit}"));
    assert!(at("task.approve") < at("task.land") && at("task.land") < at("task.landed"));
    it.order(&["audit", "verify"]);
    assert_eq!(it.refs().trim(), "refs/provost/attempts/t1/1");

    let shown = it.world.provost().args(["show", "t1"]).run().stdout();
    assert!(shown.contains("landed    main "), "{shown}");
    assert!(shown.contains("next: provost land t1 --undo"), "{shown}");
    let listed = it.world.provost().args(["ls"]).run().stdout();
    let row = |it: &str| it.split_whitespace().collect::<Vec<_>>().join(" ");
    let commit = &answer["commit"].as_str().unwrap()[..7];
    let listed = row(listed.lines().nth(1).unwrap());
    assert!(listed.starts_with("● t1 landed verified 1/3 unknown "), "{listed}");
    assert!(listed.ends_with(&format!(" main {commit}")), "{listed}");
    let listed = it.world.provost().args(["--lang", "zh", "ls"]).run().stdout();
    assert!(row(&listed).contains("t1 已合入 已验证"), "{listed}");
}

/// LAND: what has landed does not land twice.
#[test]
fn landing_twice_changes_nothing() {
    let it = ready();
    let first = landed(&it, &["--yes"]);
    let before = trace(&it);
    let again = landed(&it, &["--yes"]);
    assert_eq!((&again["outcome"], &again["commit"]), (&json!("already_landed"), &first["commit"]));
    assert_eq!(trace(&it), before);
    let said = it.world.provost().args(["land", "t1"]).run();
    assert!(said.stdout().contains("`t1` has landed before: main "), "{}", said.text());
}

/// LAND: a person must have approved the newest result, by `approve` or by their yes.
#[test]
fn only_an_approved_result_lands() {
    let it = ready();
    refused(&it, &[], 1, &["its result is not approved", "provost approve t1", "--yes"]);
    it.order(&["reject", "t1", "--because", "no"]);
    refused(&it, &["--yes"], 1, &["was rejected", "provost resume t1"]);
    it.order(&["approve", "t1"]);
    assert_eq!(landed(&it, &[])["outcome"], "landed");

    let it = world();
    it.coder("echo 41 >answer.txt; reply done");
    it.check("t1", json!({ "max_attempts": 1 }), 1, "FAILED");
    refused(&it, &["--yes"], 1, &["its newest attempt failed", "provost explain t1"]);
}

/// LAND: an agent cannot land, whatever it types.
#[test]
fn an_agent_cannot_land() {
    let it = ready();
    it.order(&["approve", "t1"]);
    let before = trace(&it);
    let ran = it.provost(&["land", "t1", "--yes"]).variable("CLAUDECODE", "1").run();
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert!(ran.stderr().contains("only a person may do this"), "{}", ran.text());
    // A client by its name, with no variable set.
    let provost = env!("CARGO_BIN_EXE_provost");
    let script = format!("'{provost}' land t1 --yes; exit $?");
    it.world.write("bin/claude", format!("#!/bin/sh\n{script}\n"));
    let client = it.world.path("bin/claude");
    fs::set_permissions(&client, fs::Permissions::from_mode(0o755)).unwrap();
    let ran = it.world.agent(&client);
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert_eq!(trace(&it), before);
}

/// LAND: a branch that moved on is merged, and the merge is proven before the branch moves.
#[test]
fn a_branch_that_moved_is_merged_and_proven() {
    let it = ready();
    commit(&it, "other.txt", "of somebody else\n");
    let tip = it.git("rev-parse main");
    let ran = it.world.provost().args(["land", "t1", "--yes"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    let said = ran.stderr();
    assert!(said.contains("main moved by 1 commit · no conflict · verifying the merge"), "{said}");
    assert!(ran.stdout().contains(" · squash · PROVEN · by Mara, with c"), "{}", ran.text());
    assert_eq!(it.git("rev-parse main^"), tip);
    assert_eq!(it.git("show main:other.txt main:answer.txt"), "of somebody else\n42\n");
    assert_eq!(it.git("status --porcelain"), "");
    let proof = it.json("t1/attempt_001/landing_proof.json");
    assert_eq!(proof["label"], "PROVEN");
    let corners: Vec<&str> =
        proof["runs"].as_array().unwrap().iter().map(|it| it["corner"].as_str().unwrap()).collect();
    assert_eq!(corners[..2], ["plain", "base"]);
}

/// LAND: a merge that is red moves nothing.
#[test]
fn a_merge_that_is_red_does_not_land() {
    let it = ready();
    commit(&it, "check.sh", "grep -qx 43 answer.txt || { echo 43 is wanted; exit 3; }\n");
    refused(
        &it,
        &["--yes"],
        1,
        &["the merge with `main` is not proven: `sh check.sh` exited with 3", "43 is wanted"],
    );
    assert!(it.status("t1")["review"].is_null());
    // It is not lost: a branch of its own takes what was proven.
    let answer = landed(&it, &["--yes", "--branch", "fix/answer"]);
    assert_eq!(
        (&answer["branch"], &answer["is_proven_again"]),
        (&json!("fix/answer"), &json!(false))
    );
    assert_eq!(it.git("rev-parse fix/answer^"), it.git("rev-parse main^"));
    assert_eq!(it.git("diff --stat fix/answer refs/provost/attempts/t1/1"), "");
}

/// LAND: so does a merge that breaks another check, and one that the branch fails by itself does not
/// count.
#[test]
fn a_merge_that_breaks_another_check_does_not_land() {
    let lint = "test ! -e answer.txt || ! grep -q strict rules.txt";
    let it =
        Loop::with_config(&format!("[task]\nlint = \"{lint}\"\ntypes = \"test -e answer.txt\"\n"));
    it.world.write("repo/rules.txt", "lenient\n");
    it.commit();
    it.git("config user.name Mara");
    it.git("config user.email mara@localhost");
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    commit(&it, "rules.txt", "strict\n");
    refused(&it, &["--yes"], 1, &["the merge with `main` is not proven", "exited with 1"]);
    commit(&it, "rules.txt", "lenient again\n");
    assert_eq!(landed(&it, &["--yes"])["branch"], "main");
}

/// LAND: a conflict names its files and changes nothing.
#[test]
fn a_conflict_changes_nothing() {
    let it = ready();
    commit(&it, "answer.txt", "41\n");
    refused(
        &it,
        &["--yes"],
        1,
        &["`main` and this change both edit `answer.txt`; nothing was changed", "--branch NAME"],
    );
    let zh = it.world.provost().args(["--lang", "zh", "land", "t1", "--yes"]).run();
    assert!(zh.stderr().contains("`main` 与此改动都修改了 `answer.txt`"), "{}", zh.text());
}

/// LAND: what the branch has already is not committed again.
#[test]
fn a_change_that_is_there_already_is_not_landed() {
    let it = ready();
    commit(&it, "answer.txt", "42\n");
    refused(&it, &["--yes"], 1, &["`main` has this change already", "`provost rm t1`"]);
}

/// LAND: the answer names the task, and what the agent was not told yet is said before.
#[test]
fn what_no_attempt_was_told_is_said() {
    let it = ready();
    it.order(&["edit", "t1", "--instruction", "shorter names"]);
    it.order(&["answer", "t1", "use tabs", "--no-run"]);
    let ran = it.world.provost().args(["land", "t1", "--yes"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    for said in ["shorter names", "use tabs"] {
        let note = format!("no attempt of `t1` was told \"{said}\": `provost resume t1` does");
        assert!(ran.stderr().contains(&note), "{}", ran.text());
    }
    assert!(ran.stdout().starts_with("`t1` landed on main as "), "{}", ran.text());
}

/// LAND: uncommitted changes where the branch is checked out are the person's, whichever file they
/// are in; so are files that git does not know.
#[test]
fn a_worktree_with_changes_is_left_alone() {
    let it = world();
    it.coder(CHANGES);
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    it.world.write("repo/check.sh", "exit 0\n");
    refused(&it, &["--yes"], 1, &["`check.sh` has changes that are not committed", "stash"]);
    it.git("checkout --quiet -- check.sh");
    it.world.write("repo/notes.txt", "mine\n");
    refused(&it, &["--yes"], 1, &["`notes.txt` has changes that are not committed"]);
    it.git("add notes.txt");
    refused(&it, &["--yes"], 1, &["`notes.txt` has changes that are not committed"]);
    it.git("reset --quiet --hard");
    it.world.write("repo/answer.txt", "mine\n");
    refused(&it, &["--yes"], 1, &["would be overwritten", "`answer.txt`"]);
    // Ignored by git, and still the person's.
    it.world.write("repo/.git/info/exclude", "answer.txt\n");
    refused(&it, &["--yes"], 1, &["would be overwritten", "`answer.txt`"]);
    delete(&it, "repo/answer.txt");
    // A file that nothing touches stands in nobody's way.
    it.world.write("repo/free.txt", "mine\n");
    landed(&it, &["--yes"]);
    assert_eq!(it.git("status --porcelain"), "?? free.txt\n");
}

/// LAND: a branch that is checked out elsewhere moves there, with its files.
#[test]
fn a_branch_in_another_worktree_moves_there() {
    let it = ready();
    it.git("checkout --quiet -b side");
    it.git("worktree add --quiet ../other main");
    it.world.write("repo/notes.txt", "mine\n");
    let head = it.git("rev-parse HEAD");
    it.world.write("other/notes.txt", "theirs\n");
    refused(&it, &["--yes"], 1, &["is checked out in `", "/other`, where `notes.txt` has changes"]);
    it.git("-C ../other checkout --quiet -- notes.txt");
    landed(&it, &["--yes"]);
    assert_eq!(it.git("-C ../other status --porcelain"), "");
    assert_eq!(fs::read_to_string(it.world.path("other/answer.txt")).unwrap(), "42\n");
    assert_eq!(it.git("rev-parse HEAD"), head);
    assert_eq!(it.git("status --porcelain"), " M notes.txt\n");
}

/// LAND: a branch that is checked out nowhere moves, and the worktree stays as it is, changes
/// included.
#[test]
fn a_worktree_on_another_branch_or_none_is_left_alone() {
    for away in ["checkout --quiet -b side", "checkout --quiet --detach"] {
        let it = ready();
        it.git(away);
        it.world.write("repo/notes.txt", "mine\n");
        let head = it.git("rev-parse HEAD");
        let answer = landed(&it, &["--yes"]);
        assert_eq!(answer["commit"], it.git("rev-parse main").trim());
        assert_eq!(it.git("rev-parse HEAD"), head);
        assert_eq!(it.git("status --porcelain"), " M notes.txt\n");
    }
}

/// LAND: a new branch must be new, and have a name.
#[test]
fn a_new_branch_is_new() {
    let it = ready();
    refused(
        &it,
        &["--yes", "--branch", "main"],
        1,
        &["cannot create the branch `main`: it exists"],
    );
    refused(&it, &["--yes", "--branch", "a..b"], 2, &["git does not take this name"]);
    refused(&it, &["--yes", "--branch=-x"], 2, &["git does not take this name"]);
    let head = it.git("rev-parse HEAD");
    landed(&it, &["--yes", "--branch", "fix"]);
    assert_eq!(it.git("rev-parse HEAD"), head);
    assert_eq!(it.git("rev-parse fix^"), head);
}

/// LAND: a task that was started on a commit has no branch to go to; a branch may be gone.
#[test]
fn a_task_without_a_branch_asks_for_one() {
    let it = world();
    let base = it.git("rev-parse HEAD");
    it.check("t1", json!({ "base_ref": base.trim() }), 0, "READY_FOR_REVIEW");
    refused(&it, &["--yes"], 1, &["started on a commit, not on a branch", "--branch NAME"]);
    landed(&it, &["--yes", "--branch", "fix"]);

    let it = world();
    it.git("checkout --quiet -b topic");
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    it.git("checkout --quiet main");
    it.git("branch --quiet -D topic");
    refused(&it, &["--yes"], 1, &["the branch `topic` is gone", "--branch NAME"]);
}

/// LAND: a task goes to the branch that it set out from, whatever is checked out by now; the start of
/// its id is enough.
#[test]
fn a_result_goes_to_the_branch_that_its_task_set_out_from() {
    let it = world();
    it.git("checkout --quiet -b topic");
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    it.git("checkout --quiet main");
    let main = it.git("rev-parse main");
    let ran = it.provost(&["land", "--yes"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert_eq!(ran.json()["branch"], "topic");
    assert_eq!(it.git("rev-parse main"), main);
    assert_eq!(it.git("show topic:answer.txt"), "42\n");
    it.order(&["selfcheck"]);
}

/// LAND: what lies under the name of the result must be what was proven.
#[test]
fn another_result_under_the_same_name_is_stale() {
    let it = ready();
    it.git("update-ref refs/provost/attempts/t1/1 main");
    refused(&it, &["--yes"], 1, &["is not the result that was proven", "provost resume t1"]);
}

/// LAND: the three ways, by flag and by configuration.
#[test]
fn a_result_lands_in_three_ways() {
    let check = |it: &Loop, arguments: &[&str], method: &str, parents: usize| {
        let answer = landed(it, arguments);
        assert_eq!(answer["method"], method);
        let found = it.git("log -1 --format=%P main");
        assert_eq!(found.split_whitespace().count(), parents, "{method}");
    };
    check(&ready(), &["--yes", "--squash"], "squash", 1);
    let it = ready();
    check(&it, &["--yes", "--merge"], "merge", 2);
    assert_eq!(it.git("rev-parse main^2"), it.git("rev-parse refs/provost/attempts/t1/1"));
    let it = ready();
    check(&it, &["--yes", "--rebase"], "rebase", 1);
    let time = |of: &str| it.git(&format!("log -1 --format=%at {of}"));
    assert_eq!(time("main"), time("refs/provost/attempts/t1/1"));
    let it = Loop::with_config("[land]\nmethod = \"merge\"");
    it.git("config user.name Mara");
    it.git("config user.email mara@localhost");
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    check(&it, &["--yes"], "merge", 2);
}

/// LAND: without a name the commit would be nobody's.
#[test]
fn a_person_without_a_name_is_told_how_to_get_one() {
    let it = ready();
    it.git("config --unset user.name");
    it.git("config --unset user.email");
    refused(
        &it,
        &["--yes"],
        2,
        &["git config --global user.name", "git config --global user.email"],
    );
}

/// LAND: the person's hook sees the message and may change or refuse it, and commits are signed
/// where the person signs.
#[test]
fn hooks_and_signing_of_the_person_apply() {
    let it = ready();
    hook(&it, "commit-msg", "echo no ticket >&2; exit 1");
    refused(&it, &["--yes"], 1, &["your `commit-msg` hook refused the commit: no ticket"]);
    hook(&it, "commit-msg", "sed -i '1s/^/SHOP-1: /' \"$1\"");
    let sign = "cat >/dev/null; echo '[GNUPG:] SIG_CREATED ' >&2; echo 'signed by a test'";
    it.program("sign", sign);
    it.git(&format!("config gpg.program {}", it.world.path("bin/sign").display()));
    it.git("config commit.gpgSign true");
    landed(&it, &["--yes"]);
    assert!(
        message(&it, "main").starts_with("Mara|Mara|SHOP-1: write 42"),
        "{}",
        message(&it, "main")
    );
    assert!(it.git("cat-file commit main").contains("gpgsig signed by a test"));
}

/// LAND: of two that land at once one is first, and the other says so and lands afterwards.
#[test]
fn two_that_land_at_once_do_not_overwrite_each_other() {
    let it = world();
    commit(&it, "more.sh", "grep -qx more more.txt\n");
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    it.coder("echo more >more.txt; reply done");
    it.check("t2", json!({ "test_cmd": "sh more.sh" }), 0, "READY_FOR_REVIEW");
    let (waits, go) = (it.world.path("waits"), it.world.path("go"));
    let script = format!(
        "grep -q 'Provost-Task: t1' \"$1\" || exit 0\ntouch '{}'\nwhile [ ! -e '{}' ]; do sleep 0.02; done",
        waits.display(),
        go.display()
    );
    hook(&it, "commit-msg", &script);
    let first = std::thread::scope(|scope| {
        let first = scope.spawn(|| land(&it, &["--yes"]));
        while !waits.exists() && !first.is_finished() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let second = it.provost(&["land", "t2", "--yes"]).run();
        it.world.write("go", "");
        assert_eq!(second.exit(), Some(0), "{}", second.text());
        first.join().unwrap()
    });
    assert_eq!(first.exit(), Some(5), "{}", first.text());
    assert!(first.stderr().contains("`main` moved while `t1` was landing"), "{}", first.text());
    assert_eq!(it.git("show main:more.txt"), "more\n");
    assert!(it.status("t1")["landed"].is_null());
    let again = landed(&it, &["--yes"]);
    assert_eq!((&again["behind"], &again["is_proven_again"]), (&json!(1), &json!(true)));
    assert_eq!(it.git("show main:more.txt main:answer.txt"), "more\n42\n");
}

/// LAND: a result is taken back by a new commit, and can land again.
#[test]
fn a_landed_result_is_taken_back() {
    for how in ["--squash", "--merge"] {
        let it = ready();
        let ran = land(&it, &["--undo"]);
        assert_eq!(ran.exit(), Some(1), "{}", ran.text());
        assert!(ran.stderr().contains("`t1` has not landed"), "{}", ran.text());
        landed(&it, &["--yes", how]);
        commit(&it, "other.txt", "later\n");
        let tip = it.git("rev-parse main");
        let answer = landed(&it, &["--undo"]);
        assert_eq!(answer["outcome"], "undone");
        assert_eq!(it.git("rev-parse main^"), tip);
        assert_eq!(it.git("ls-tree --name-only main answer.txt other.txt"), "other.txt\n");
        assert!(
            message(&it, "main").contains("|Revert \"write 42 into answer.txt\"\n\nThis reverts")
        );
        assert_eq!(it.git("status --porcelain"), "");
        assert!(!it.world.path("repo/answer.txt").exists());
        let shown = it.world.provost().args(["show", "t1"]).run().stdout();
        assert!(shown.contains("taken back by ") && shown.contains("t1  UNDONE"), "{shown}");
        assert!(shown.contains("provost land t1 (put it onto its branch again)"), "{shown}");
        // What a person took back is not put there again by accident.
        let ran = it.world.provost().args(["land", "--yes"]).run();
        assert_eq!(ran.exit(), Some(2), "{}", ran.text());
        assert!(ran.stderr().contains("no result can land"), "{}", ran.text());
        let again = land(&it, &["--undo"]);
        assert_eq!(again.exit(), Some(1), "{}", again.text());
        assert!(again.stderr().contains("was taken back from `main` already"), "{}", again.text());
        assert_eq!(landed(&it, &[])["outcome"], "landed");
        assert_eq!(it.git("show main:answer.txt"), "42\n");
        it.order(&["audit", "verify"]);
    }
}

/// LAND: what others have built on is not taken back by force.
#[test]
fn what_others_changed_since_is_not_taken_back() {
    let it = ready();
    landed(&it, &["--yes"]);
    commit(&it, "answer.txt", "42 and more\n");
    let before = trace(&it);
    let ran = land(&it, &["--undo"]);
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert!(ran.stderr().contains("has changed `answer.txt` since `t1` landed"), "{}", ran.text());
    assert!(ran.stderr().contains("git revert "), "{}", ran.text());
    assert_eq!(trace(&it), before);
}

/// LAND: every way to the command leads through it: `approve`, `show` and `inbox` name it.
#[test]
fn a_ready_task_says_how_it_lands() {
    let it = ready();
    let said = |words: &[&str]| it.world.provost().args(words).run().stdout();
    assert!(said(&["inbox"]).contains("provost land t1"), "{}", said(&["inbox"]));
    assert!(said(&["show", "t1"]).contains("next: provost land t1 (put it onto its branch)"));
    let approved = said(&["approve", "t1"]);
    assert!(approved.contains("next: provost land t1 (put it onto its branch)"), "{approved}");
}

/// A branch that has lost the commit, and another branch, can have it (again).
#[test]
fn what_a_branch_has_lost_lands_again() {
    let it = ready();
    landed(&it, &["--yes"]);
    it.git("reset --quiet --hard main^");
    let again = landed(&it, &["--yes"]);
    // In the same second it is the very same commit.
    assert_eq!((&again["outcome"], it.count("t1", "LANDED")), (&json!("landed"), 2));
    assert_eq!(again["commit"], it.git("rev-parse main").trim());
    let elsewhere = landed(&it, &["--yes", "--branch", "release"]);
    assert_eq!(
        (&elsewhere["outcome"], &elsewhere["branch"]),
        (&json!("landed"), &json!("release"))
    );
    assert_eq!(landed(&it, &["--branch", "release"])["outcome"], "already_landed");
}

/// What was left out of every run is not put onto a branch.
#[test]
fn what_no_run_has_seen_does_not_land() {
    let it = world();
    it.coder(
        "echo 42 >answer.txt; mkdir -p __pycache__ node_modules/x; \
         echo x >__pycache__/a.cpython-311.pyc; echo y >node_modules/x/index.js; reply done",
    );
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    let answer = landed(&it, &["--yes"]);
    assert_eq!(answer["is_proven_again"], false);
    assert_eq!(it.git("diff --name-only main^ main"), "answer.txt\n");
}

/// An ignored file of the person in the place of a folder is not lost.
#[test]
fn an_ignored_file_where_a_folder_goes_is_kept() {
    let it = world();
    it.coder("mkdir -p notes/deep; echo 42 >answer.txt; echo n >notes/deep/n.txt; reply done");
    it.world.write("repo/.git/info/exclude", "notes\n");
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    it.world.write("repo/notes", "mine");
    refused(&it, &["--yes"], 1, &["notes"]);
    assert_eq!(fs::read_to_string(it.world.path("repo/notes")).unwrap(), "mine");
}
