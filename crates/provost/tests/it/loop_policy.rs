//! The rules in the loop: what an agent may not touch, in every state that a file can be in, and
//! before anything of it is run.

use std::{collections::BTreeSet, path::PathBuf};

use serde_json::{Value, json};

use crate::loop_world::{Loop, plain, token};

/// Commits whatever there is, as an agent would.
const COMMIT: &str = "git add -A -f . && git -c user.name=x -c user.email=x@x commit -q -m x";

/// Runs a coder whose change must be refused: nothing is tested, judged or published, and the
/// tree stays for a person to look at.
#[track_caller]
fn refused(it: &Loop, id: &str, script: &str, spec: Value, code: &str) -> Value {
    it.coder(&script.replace("COMMIT", COMMIT));
    let answer = it.check(id, spec, 3, code);
    for absent in ["test", "judge", "head_commit.txt"] {
        assert!(!it.exists(&format!("{id}/attempt_001/{absent}")), "{id}: {absent}");
    }
    assert!(!it.refs().contains(&format!("/{id}/")), "{id}: {}", it.refs());
    assert!(!it.work(id).is_empty(), "{id}: the tree is gone");
    assert_eq!(it.status(id)["attempts_consumed"], 0, "{id}");
    assert!(!answer["questions_for_user"].as_array().unwrap().is_empty(), "{id}");
    answer
}

/// The subjects of what the rules found in the first attempt of a task.
fn subjects(it: &Loop, id: &str) -> BTreeSet<String> {
    let decided = it.json(&format!("{id}/attempt_001/decision.json"));
    let findings = decided["findings"].as_array().unwrap();
    findings.iter().map(|it| it["subject"].as_str().unwrap().to_owned()).collect()
}

/// Runs a coder that does all of this, and asserts that each path is found.
#[track_caller]
fn each_is_found(it: &Loop, spec: Value, code: &str, table: &[(&str, &str)]) {
    let script: Vec<&str> = table.iter().map(|it| it.1).collect();
    refused(it, "t1", &format!("{}\nreply done", script.join("\n")), spec, code);
    let expected: BTreeSet<String> = table.iter().map(|it| it.0.to_owned()).collect();
    assert_eq!(subjects(it, "t1"), expected);
}

/// LOOP-A4: whatever git calls the change.
#[test]
fn a_forbidden_file_is_found_in_every_state() {
    let it = Loop::new();
    for name in ["unstaged", "hidden", "moved", "deleted", "mode"] {
        it.world.write(format!("repo/conf/secrets-{name}"), format!("old {name}\n"));
    }
    it.commit();
    let table = [
        ("committed/.env", "mkdir committed; echo x >committed/.env; COMMIT"),
        ("back/.env", "mkdir back; echo x >back/.env; COMMIT; git rm -q -f back/.env; COMMIT"),
        (
            "moved.pem",
            "echo y >a.txt; COMMIT; git mv a.txt moved.pem; COMMIT; git mv moved.pem a.txt; COMMIT",
        ),
        ("staged/.env", "mkdir staged; echo x >staged/.env; git add -f staged/.env"),
        (".env", "echo x >.env"),
        ("in/.env", "mkdir in; echo in/.env >>.git/info/exclude; echo x >in/.env"),
        (
            "forced/.env",
            "mkdir forced; echo forced >>.gitignore; echo x >forced/.env; git add -f forced/.env",
        ),
        ("conf/secrets-unstaged", "echo new >conf/secrets-unstaged"),
        (
            "conf/secrets-hidden",
            "echo new >conf/secrets-hidden; git update-index --assume-unchanged conf/secrets-hidden",
        ),
        ("conf/secrets-moved", "git mv conf/secrets-moved conf/plain"),
        ("conf/secrets-deleted", "rm conf/secrets-deleted"),
        ("conf/secrets-mode", "chmod +x conf/secrets-mode"),
    ];
    each_is_found(&it, json!({}), "PAUSED_FORBIDDEN_GLOBS", &table);
}

/// LOOP-A4: whatever it is called, and whatever it is.
#[test]
fn a_forbidden_name_is_found_whatever_its_place_case_or_kind() {
    let it = Loop::new();
    let table = [
        ("secrets.yml", "echo x >secrets.yml"),
        ("a/b/c/server.pem", "mkdir -p a/b/c; echo x >a/b/c/server.pem"),
        (".ENV", "echo x >.ENV"),
        ("Server.PEM", "echo x >Server.PEM"),
        (".Claude/settings.local.json", "mkdir .Claude; echo {} >.Claude/settings.local.json"),
        ("f/.env/a/b", "mkdir -p f/.env/a; echo x >f/.env/a/b"),
        (".env", "ln -s /dev/null .env"),
        ("secrets", "ln -s . secrets"),
        ("r/.env/sub", "git init -q r/.env/sub; echo x >r/.env/sub/x"),
        ("docs/a.md", "mkdir docs; echo x >docs/a.md"),
    ];
    let spec = json!({ "forbidden_globs": ["docs/**"] });
    each_is_found(&it, spec, "PAUSED_FORBIDDEN_GLOBS", &table);
}

/// What cannot be understood cannot be allowed.
#[test]
fn a_name_that_is_no_text_is_refused() {
    let it = Loop::new();
    let script = r#"echo 42 >answer.txt; echo x >"$(printf 'a\377b')"; reply done"#;
    let answer = refused(&it, "t1", script, json!({}), "PAUSED_ALLOWED_PATHS");
    assert!(answer["message"].as_str().unwrap().contains("xff"), "{answer}");
}

/// What git ignores is not delivered: neither to the test nor to the person. A repository inside
/// the tree could not be delivered either, so it is refused.
#[test]
fn what_is_not_delivered_is_nowhere() {
    let it = Loop::new();
    it.coder("echo .env >>.gitignore; echo x >.env; echo 42 >answer.txt; reply done");
    let spec = json!({ "test_cmd": "sh check.sh && test ! -e .env" });
    it.check("t1", spec, 0, "READY_FOR_REVIEW");
    let head = it.text("t1/attempt_001/head_commit.txt");
    let names = it.git(&format!("ls-tree -r --name-only {}", head.trim()));
    assert_eq!(names, ".gitignore\nanswer.txt\ncheck.sh\nprovost.toml\n");

    it.coder("git init -q sub; echo x >sub/.env; echo 42 >answer.txt; reply done");
    it.check("t2", json!({}), 3, "PAUSED_ALLOWED_PATHS");
    assert!(it.text("t2/attempt_001/diff.stat").lines().any(|it| it.starts_with("sub |")));
}

#[test]
fn allowed_paths_are_components() {
    let it = Loop::new();
    let allowed = json!({ "allowed_paths": ["src", "answer.txt"] });
    it.coder("echo 42 >answer.txt; mkdir -p src/a; echo x >src/a/b; reply done");
    it.check("inside", allowed.clone(), 0, "READY_FOR_REVIEW");
    let table = [
        ("src2/a", "mkdir src src2; echo x >src2/a; echo x >src/a"),
        ("src.txt", "echo x >src.txt"),
        ("check.sh", "git mv check.sh src/check.sh"),
        ("src3", "ln -s src src3"),
        ("SRC/a", "mkdir SRC; echo x >SRC/a"),
        ("answer.txt.orig", "echo x >answer.txt.orig"),
    ];
    each_is_found(&it, allowed, "PAUSED_ALLOWED_PATHS", &table);
}

/// LOOP-A4: a secret is refused wherever it ever stood, and shown nowhere.
#[test]
fn a_secret_is_found_in_every_state_and_shown_nowhere() {
    let it = Loop::new();
    // In two pieces, so that the script itself carries none.
    let (one, two) = (token()[..10].to_owned(), token()[10..].to_owned());
    let put = format!("put() {{ printf '%s%s %s\\n' {one} {two} $1; }}");
    let table = [
        ("committed:1", &*format!("{put}; put a >committed; COMMIT")),
        ("back:1", "put b >back; COMMIT; rm back; COMMIT"),
        ("check.sh:2", "put c >>check.sh; COMMIT; git checkout -q HEAD~1 -- check.sh; COMMIT"),
        ("staged:1", "put d >staged; git add staged"),
        ("untracked:3", "{ echo; echo; put e; } >untracked"),
        ("binary:1", "{ printf 'a\\000b '; put f; } >binary"),
        ("link:1", "ln -s \"$(put g)\" link"),
        ("named-[REDACTED:github-token] h", "echo x >\"named-$(put h)\""),
    ];
    each_is_found(&it, json!({}), "PAUSED_SECRETS", &table);
    let found = it.holding(&token());
    // The tree is left for a person; nothing else has it.
    let trees = it.work("t1");
    let elsewhere = |it: &&PathBuf| !trees.iter().any(|tree| it.starts_with(tree));
    assert_eq!(found.iter().find(elsewhere), None);
    assert_eq!(it.git("log --all --format=%H").lines().count(), 1);
}

/// The rules look before the test runs: what it would have done has not happened.
#[test]
fn the_rules_look_before_the_test_runs() {
    let it = Loop::new();
    let script = "echo 42 >answer.txt; echo x >.env; echo 'echo ran' >check.sh; reply done";
    refused(&it, "t1", script, json!({}), "PAUSED_FORBIDDEN_GLOBS");
    assert_eq!(it.count("t1", "TEST_STARTED"), 0);
    assert_eq!(it.count("t1", "POLICY_CHECKED"), 1);
    // The person looks at the tree, says what to do, and goes on.
    it.order(&["edit", "t1", "--instruction", "without .env"]);
    it.coder("echo 42 >answer.txt; reply done");
    it.resume("t1", 0, "READY_FOR_REVIEW");
    assert!(it.prompt("t1", 2).contains("without .env") && it.prompt("t1", 2).contains(".env: "));
    assert_eq!(it.refs(), "refs/provost/attempts/t1/2\n");
}

/// LOOP-A4: what coder, test and judge print or reply is kept without secrets, and the judge is
/// not told either.
#[test]
fn what_agents_and_tests_print_is_kept_without_secrets() {
    let it = Loop::new();
    let (one, two) = (token()[..10].to_owned(), token()[10..].to_owned());
    let put = format!("put() {{ printf '%s%s\\n' {one} {two}; }}");
    it.coder(&format!("{put}\nput; put >&2; echo 42 >answer.txt; reply \"look: $(put)\""));
    // The verdict is the judge's words, and they go on record and to the next coder.
    let mut verdict = plain("FAIL");
    let said = format!("look: {}", token());
    verdict["reasons"] = json!([said]);
    verdict["next_instructions"] = json!(said);
    it.verdict("fail", &verdict.to_string());
    let mut verdict = plain("NEED_USER_INPUT");
    verdict["questions_for_user"] = json!([said]);
    it.verdict("ask", &verdict.to_string());
    it.judge_script(&format!(
        "{put}\nput; put >&2; if [ $attempt = 1 ]; then give fail; else give ask; fi"
    ));
    it.world.write("repo/check.sh", format!("{put}\nput; put >&2; grep -qx 42 answer.txt\n"));
    it.commit();
    it.check(
        "t1",
        json!({ "max_attempts": 2, "attempt_context_mode": "iterative" }),
        3,
        "PAUSED_WAITING_USER_INPUT",
    );
    for step in ["coder", "test", "judge"] {
        for stream in ["stdout.log", "stderr.log"] {
            let text = it.text(&format!("t1/attempt_001/{step}/{stream}"));
            assert!(text.contains("github-token"), "{step}/{stream}: {text}");
        }
    }
    assert!(it.text("t1/attempt_001/coder/reply.json").contains("look: "));
    assert!(it.text("t1/attempt_001/judge/prompt.txt").contains("look: "));
    assert!(it.text("t1/attempt_001/judge/verdict.json").contains("look: "));
    assert!(it.prompt("t1", 2).contains("look: "));
    assert_eq!(it.holding(&token()), Vec::<PathBuf>::new());
}

/// The result stands in the person's repository under provost's name and nowhere else, and what
/// the person has there is as it was.
#[test]
fn the_person_s_own_branches_and_files_are_left_alone() {
    let it = Loop::new();
    it.world.write("repo/mine.txt", "half done\n");
    it.world.write("repo/check.sh", "false # being edited\n");
    let looks = || {
        let shown = it.git("show-ref");
        let own: Vec<String> =
            shown.lines().filter(|it| !it.contains("refs/provost/")).map(str::to_owned).collect();
        (it.git("status --porcelain"), own, it.git("stash list"))
    };
    let before = looks();
    it.coder(&format!(
        "echo 42 >answer.txt; git checkout -q -b evil; {COMMIT}; git tag evil; reply done"
    ));
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    assert_eq!(looks(), before);
    assert_eq!(it.refs(), "refs/provost/attempts/t1/1\n");
}

/// What would be the home of provost is never delivered: its settings would be the agent's.
#[test]
fn the_home_of_provost_is_not_delivered() {
    let it = Loop::new();
    it.coder(
        "mkdir -p .provost; echo '[task]' >.provost/local.toml; echo 42 >answer.txt
         git add -f .provost answer.txt; git commit -qm x; reply done",
    );
    it.check("t1", json!({ "judge": null }), 3, "PAUSED_FORBIDDEN_GLOBS");
}

/// A configuration that is taken away is a question, like one that is changed.
#[test]
fn a_configuration_that_is_taken_away_is_asked_about() {
    let it = Loop::new();
    it.world.write("repo/.github/workflows/ci.yml", "on: push\n");
    it.commit();
    it.coder("rm -r .github; echo 42 >answer.txt; reply done");
    it.check("t1", json!({ "judge": null }), 3, "PAUSED_WAITING_USER_INPUT");
}

/// HOOK-2.6: the settings and the state in a home that git tracks are whatever a branch says. Nothing is
/// run, paid or landed with it.
#[test]
fn a_home_that_git_tracks_is_refused_before_anything_is_paid() {
    let it = Loop::new();
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    it.git("add --force .provost/format");
    let (one, two) = (it.spec("t2", json!({})), it.spec("t3", json!({})));
    let (one, two) = (one.to_str().unwrap(), two.to_str().unwrap());
    for arguments in [
        ["run", one].as_slice(),
        &["run", one, two, "--jobs", "2"],
        &["do", "write the answer"],
        &["resume", "t1"],
        &["land", "t1", "--yes"],
    ] {
        let ran = it.provost(arguments).run();
        assert_eq!(ran.exit(), Some(2), "{arguments:?}: {}", ran.text());
        let said = ran.stderr();
        assert!(said.contains("git tracks `.provost/format`"), "{arguments:?}: {said}");
        assert!(said.contains("git rm -r --cached -- "), "{arguments:?}: {said}");
    }
    assert!(!it.exists("t2") && !it.exists("t3") && !it.exists("write-answer"));
    it.git("rm --quiet -r --cached .provost");
    it.check("t2", json!({}), 0, "READY_FOR_REVIEW");
}
