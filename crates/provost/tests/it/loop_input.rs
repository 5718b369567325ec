//! Bad input to `provost run`: named, and nothing is left behind.

use serde_json::{Value, json};

use crate::loop_world::Loop;

const NO_COMMIT: &str = "0123456789012345678901234567890123456789";

#[expect(clippy::disallowed_methods, reason = "a test is the person who moves a folder")]
fn move_folder(it: &Loop, from: &str, to: &str) {
    std::fs::rename(it.world.path(from), it.world.path(to)).unwrap();
}

/// Runs a spec that must be refused: exit code 2, an error with the file and these words, and
/// not a byte on disk.
#[track_caller]
fn refuse(it: &Loop, name: &str, bytes: &[u8], words: &[&str]) {
    let path = format!("specs/{name}.json");
    it.world.write(&path, bytes);
    let before = it.world.listing();
    let ran = it.provost(&["run", it.world.path(&path).to_str().unwrap()]).run();
    assert_eq!(ran.exit(), Some(2), "{name}: {}", ran.text());
    let said = ran.stderr() + &ran.stdout();
    for word in [path.as_str()].iter().chain(words) {
        assert!(said.contains(word), "{name}: `{word}` in {said}");
    }
    assert!(said.len() < 5000, "{name}: {} bytes", said.len());
    assert_eq!(it.world.listing(), before, "{name}");
}

#[test]
fn bytes_that_are_no_spec_are_named() {
    let it = Loop::new();
    let utf16: Vec<u8> = "{\"task_id\":\"t\"}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let deep = format!("{{\"task_id\":\"t\",\"x\":{}{}}}", "[".repeat(5000), "]".repeat(5000));
    let wide = format!("{{\"task_id\":\"t\",\"goal\":\"{}\"}}", "a".repeat(2 << 20));
    let table: [(&str, &[u8], &[&str]); 14] = [
        ("empty", b"", &[]),
        ("blank", b" \n", &[]),
        ("half", b"{\"task_id\": \"t\"", &[]),
        ("list", b"[]", &["object"]),
        ("null", b"null", &["object"]),
        ("word", b"task", &[]),
        ("twice", b"{\"task_id\":\"t\",\"task_id\":\"t\"}", &["task_id"]),
        ("after", b"{\"task_id\":\"t\"} {}", &[]),
        ("comment", b"// a task\n{\"task_id\":\"t\"}", &[]),
        ("latin", b"{\"task_id\":\"t\",\"goal\":\"\xe9\"}", &[]),
        ("utf16", &utf16, &[]),
        ("binary", b"\x00\x01\x02\xff", &[]),
        ("deep", deep.as_bytes(), &[]),
        ("wide", wide.as_bytes(), &[]),
    ];
    for (name, bytes, words) in table {
        refuse(&it, name, bytes, words);
    }
    refuse(&it, "giant", &vec![b' '; 5 << 20], &["MiB"]);
}

#[test]
fn a_field_that_is_wrong_is_named() {
    let it = Loop::new();
    let table = [
        ("task_id", json!(5)),
        ("task_id", json!("../../x")),
        ("task_id", json!("a/b")),
        ("task_id", json!("_a")),
        ("task_id", json!("a b")),
        ("task_id", json!("")),
        ("task_id", json!("a\u{0}b")),
        ("task_id", json!("ä")),
        ("task_id", json!("a".repeat(201))),
        ("max_attempts", json!(0)),
        ("max_attempts", json!(51)),
        ("max_attempts", json!(-1)),
        ("max_attempts", json!(1.5)),
        ("max_attempts", json!("3")),
        ("max_atempts", json!(3)),
        ("goal", json!(["a"])),
        ("test_cmd", json!({})),
        ("task_type", json!("poem")),
        ("scoring_mode", json!("vibes")),
        ("attempt_context_mode", json!("sometimes")),
        ("allowed_paths", json!("src")),
        ("allowed_paths", json!(["/etc"])),
        ("allowed_paths", json!(["../x"])),
        ("forbidden_globs", json!([1])),
        ("forbidden_globs", json!(["["])),
        ("coder_timeout_seconds", json!(0)),
        ("test_timeout_seconds", json!(604_801)),
        ("rubric_thresholds", json!([])),
        ("rubric_thresholds", json!({ "correctness": 3 })),
        ("budget", json!({ "euro": 1 })),
        ("budget", json!({ "usd": -1 })),
        ("base_ref", json!("--upload-pack=x")),
        ("coder", json!("a\u{1b}[2J")),
        ("plan", json!("/etc/passwd")),
    ];
    for (index, (field, value)) in table.into_iter().enumerate() {
        let mut spec = json!({ "task_id": "t1", "repo_path": it.world.path("repo") });
        spec[field] = value;
        refuse(&it, &format!("f{index}"), spec.to_string().as_bytes(), &[field]);
    }
    let spec = json!({
        "task_id": "t1", "task_type": "engineering_impl",
        "rubric_thresholds": { "corectness": 3 }, "repo_path": it.world.path("repo"),
    });
    refuse(&it, "dimension", spec.to_string().as_bytes(), &["rubric_thresholds", "correctness"]);
    refuse(&it, "nameless", b"{\"goal\":\"x\"}", &["task_id"]);
}

/// What is no file, and no task either.
#[test]
fn a_target_that_is_nothing_is_named() {
    let it = Loop::new();
    it.world.folder("specs/folder");
    let before = it.world.listing();
    for target in
        ["../specs/folder", "../specs/none.json", "no-such-task", "", "../../etc/passwd", "."]
    {
        let ran = it.provost(&["run", target]).run();
        assert_eq!(ran.exit(), Some(2), "{target}: {}", ran.text());
        assert!(ran.text().contains(target), "{}", ran.text());
    }
    assert_eq!(it.world.listing(), before);
}

/// A repository or a base that is not there makes no task. One that is gone later pauses it.
#[test]
fn a_repository_that_is_none_makes_no_task() {
    let it = Loop::new();
    it.world.folder("plain");
    it.world.write("file", "x");
    it.git(&format!("clone -q --bare . {}", it.world.path("bare.git").display()));
    let table = [
        ("absent", json!({ "repo_path": it.world.path("nowhere") }), "is not a git repository"),
        ("plain", json!({ "repo_path": it.world.path("plain") }), "is not a git repository"),
        ("file", json!({ "repo_path": it.world.path("file") }), "is not a git repository"),
        ("bare", json!({ "repo_path": it.world.path("bare.git") }), "it is a bare repository"),
        ("branch", json!({ "base_ref": "no-such-branch" }), "`no-such-branch`"),
        ("commit", json!({ "base_ref": NO_COMMIT }), "unknown revision"),
        ("tree", json!({ "base_ref": "main^{tree}" }), "unknown revision"),
    ];
    for (id, spec, said) in table {
        let ran = it.run(id, spec);
        assert_eq!(ran.exit(), Some(2), "{id}: {}", ran.text());
        assert!(ran.stderr().contains(said), "{id}: {}", ran.text());
        assert!(!it.exists(id), "{id}");
    }
    assert!(!it.world.path("nowhere").exists());
    assert_eq!(std::fs::read_dir(it.world.path("plain")).unwrap().count(), 0);

    it.git(&format!("clone -q . {}", it.world.path("there").display()));
    let there = json!({ "repo_path": it.world.path("there"), "test_cmd": "false", "judge": null });
    it.check("later", there, 1, "FAILED");
    move_folder(&it, "there", "away");
    it.order(&["override", "later", "max_attempts=4"]);
    it.resume("later", 3, "PAUSED_NOT_GIT_REPO");
    assert_eq!(it.status("later")["attempts_consumed"], 3);
    move_folder(&it, "away", "there");
    it.resume("later", 1, "FAILED");
}

/// LOOP-A3: a test that asks for `sudo` is refused before anything is written.
#[test]
fn sudo_in_a_test_is_refused() {
    let it = Loop::new();
    for (index, command) in [
        "sudo make test",
        "sh check.sh && sudo true",
        "env X=1 sudo -n true",
        "\\sudo true",
        "s'u'do true",
        "echo ok | xargs /usr/bin/sudo",
        "sh -c 'sudo true'",
        "$(echo sudo true)x; sudo true",
    ]
    .into_iter()
    .enumerate()
    {
        let spec = it.spec(&format!("s{index}"), json!({ "test_cmd": command }));
        let before = it.world.listing();
        let ran = it.provost(&["run", spec.to_str().unwrap()]).run();
        assert!(matches!(ran.exit(), Some(1 | 2)), "{command}: {}", ran.text());
        assert!(ran.text().contains("sudo"), "{}", ran.text());
        assert_eq!(it.world.listing(), before, "{command}");
    }
    it.check("speaks", json!({ "test_cmd": "echo 'no sudo here'" }), 0, "READY_FOR_REVIEW");
}

/// Numbers that `--max-attempts` does not take, and what it does.
#[test]
fn more_attempts_can_be_asked_for_on_the_command_line() {
    let it = Loop::new();
    let spec = it
        .spec("t1", json!({ "max_attempts": 1, "coder": "script:fail_then_fix", "judge": "mock" }));
    let spec = spec.to_str().unwrap();
    let run = |most: &str| it.provost(&["run", spec, "--max-attempts", most]).run();
    for most in ["0", "51", "x", "-1", "99999"] {
        let ran = run(most);
        assert_eq!(ran.exit(), Some(2), "{most}: {}", ran.text());
    }
    let ran = run("2");
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    let status: Value = it.status("t1");
    assert_eq!(
        (&status["max_attempts"], &status["effective_max_attempts"]),
        (&json!(1), &json!(2))
    );
}

/// A configuration at the base that cannot be read stops a run, and says where it stands.
#[test]
fn a_broken_configuration_of_the_base_is_named() {
    let it = Loop::new();
    it.world.write("repo/provost.toml", "[task]\ncodr = \"x\"\n");
    it.commit();
    let ran = it.run("t1", json!({}));
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.text().contains("codr") && ran.text().contains("provost.toml"), "{}", ran.text());
    assert!(!it.exists("t1"));
}

/// The reason of a rejection stays in sight, whatever comes after it, and the attempts add up.
#[test]
fn the_reason_of_a_rejection_stays() {
    let it = Loop::new();
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    let shown = || it.world.provost().args(["show", "t1"]).run().stdout();
    let reject = || it.order(&["reject", "t1", "--because", "no tests"]);
    reject();
    assert!(shown().contains("1 of 3: 1 passed (rejected)"), "{}", shown());
    // A result that was rejected is approved only by its name.
    let ran = it.world.provost().args(["approve"]).run();
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stderr().contains("no result waits for an approval"), "{}", ran.text());
    it.order(&["approve", "t1"]);
    assert!(shown().contains("rejected  attempt 1: no tests"), "{}", shown());
    reject();
    it.resume("t1", 0, "READY_FOR_REVIEW");
    let text = shown();
    assert!(text.contains("1 of 3: 1 passed (rejected, not counted)"), "{text}");
    assert!(text.contains(" · 2 passed ") && text.contains("attempt 1: no tests"), "{text}");
    let attempts = it.provost(&["show", "t1"]).run().json()["attempts"].clone();
    assert_eq!(attempts[0]["rejected_because"], "no tests", "{attempts:#}");
    let ran = it.world.provost().args(["edit", "t1", "--set", "max_attempts=4"]).run();
    assert!(ran.stdout().contains("max_attempts: 4"), "{}", ran.text());
    let ran = it.world.provost().args(["edit", "t1", "--set", "repo_path=/x"]).run();
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stderr().contains("`provost rm t1`"), "{}", ran.text());
}
