//! `provost land`, killed while the branch moves.

use super::{delete, hook, land, landed, ready};
use crate::loop_world::Loop;

/// Kills provost itself from within its own git command, when the branch is in this state.
fn killer(it: &Loop, when: &str) {
    let script = format!(
        r#"[ "$1" = {when} ] || exit 0
grep -q refs/heads/main || exit 0
pid=$PPID
while [ "$pid" -gt 1 ]; do
    case $(tr '\0' ' ' </proc/"$pid"/cmdline) in
    *"--json land"*) kill -9 "$pid"; exec sleep 60 ;;
    esac
    pid=$(sed -n 's/^PPid:[^0-9]*//p' /proc/"$pid"/status)
done"#
    );
    hook(it, "reference-transaction", &script);
}

/// Removes the locks of a git that was killed: they are in the way of every other git.
fn unlock(it: &Loop) {
    for lock in ["repo/.git/HEAD.lock", "repo/.git/refs/heads/main.lock"] {
        if it.world.path(lock).exists() {
            delete(it, lock);
        }
    }
}

/// LAND: killed after the branch moved and before the state says so: the next run finds out from the
/// branch, and nothing lands twice.
#[test]
fn a_kill_after_the_branch_moved_is_recorded() {
    for away in ["checkout --quiet -b side", "status --porcelain"] {
        let it = ready();
        it.git(away);
        killer(&it, "committed");
        let ran = land(&it, &["--yes"]);
        assert_eq!(ran.exit(), None, "{}", ran.text());
        let tip = it.git("rev-parse main");
        let status = it.status("t1");
        assert_eq!(status["landed"]["put"]["commit"], tip.trim(), "{status:#}");
        assert!(status["landed"]["put"]["at"].is_null());
        let shown = it.world.provost().args(["show", "t1"]).run().stdout();
        assert!(shown.contains("not finished"), "{shown}");
        assert!(shown.contains("next: provost land t1 ("), "{shown}");

        delete(&it, "repo/.git/hooks/reference-transaction");
        let answer = landed(&it, &[]);
        assert_eq!(answer["outcome"], "recorded");
        assert_eq!(it.git("rev-parse main"), tip);
        assert!(it.status("t1")["landed"]["put"]["at"].is_string());
        assert_eq!(it.count("t1", "LANDED"), 1);
        assert_eq!(it.refs().trim(), "refs/provost/attempts/t1/1");
        it.order(&["audit", "verify"]);
    }
}

/// LAND: killed before the branch moved: the order is on record, the branch is where it was, and the
/// next run lands it.
#[test]
fn a_kill_before_the_branch_moved_is_repeated() {
    let it = ready();
    it.git("checkout --quiet -b side");
    let tip = it.git("rev-parse main");
    killer(&it, "prepared");
    let ran = land(&it, &["--yes"]);
    assert_eq!(ran.exit(), None, "{}", ran.text());
    assert_eq!(it.git("rev-parse main"), tip);
    assert!(it.status("t1")["landed"]["put"]["at"].is_null());
    assert!(it.text("_audit/audit.jsonl").contains("\"task.land\""));
    delete(&it, "repo/.git/hooks/reference-transaction");
    unlock(&it);
    assert_eq!(landed(&it, &[])["outcome"], "landed");
    assert_eq!(it.git("rev-parse main^"), tip);
    assert_eq!(it.count("t1", "LANDING_GIVEN_UP"), 1);
    assert_eq!(it.work("t1"), [""; 0].map(std::path::PathBuf::from));
    it.order(&["audit", "verify"]);
}

/// LAND: killed when index and files are new and the branch is not: the branch follows them, because
/// they are what was proven and ordered.
#[test]
fn a_kill_between_the_files_and_the_branch_is_finished() {
    let it = ready();
    let tip = it.git("rev-parse main");
    killer(&it, "prepared");
    let ran = land(&it, &["--yes"]);
    assert_eq!(ran.exit(), None, "{}", ran.text());
    assert_eq!(it.git("rev-parse main"), tip);
    assert_eq!(it.git("status --porcelain"), "A  answer.txt\n");
    delete(&it, "repo/.git/hooks/reference-transaction");
    if it.world.path("repo/.git/HEAD.lock").exists() {
        let ran = land(&it, &[]);
        assert_eq!(ran.exit(), Some(1), "{}", ran.text());
        assert!(ran.stderr().contains(".lock': File exists"), "{}", ran.text());
    }
    unlock(&it);
    let answer = landed(&it, &[]);
    assert_eq!(answer["outcome"], "recorded");
    assert_eq!(answer["commit"], it.git("rev-parse main").trim());
    assert_eq!(it.git("rev-parse main^"), tip);
    assert_eq!(it.git("status --porcelain"), "");
    it.order(&["audit", "verify"]);
}
