//! What ordinary people get wrong, and what they are told: the thing, the rule, the next command.
//!
//! Each mistake is made in both languages; the messages are snapshots. No mistake succeeds, and
//! none makes a task.

use std::{fmt::Write as _, fs};

use serde_json::json;

use crate::loop_world::{Loop, WRONG, plain};

/// A mistake: what went wrong, the folder, what was typed.
type Mistake = (&'static str, &'static str, &'static [&'static str]);

const REPO: &str = "repo";

const MISTAKES: &[Mistake] = &[
    // Where one stands.
    ("not a repository", "plain", &["do", "x", "--test", "true", "--agent", "c"]),
    ("empty repository", "empty", &["do", "x", "--test", "true", "--agent", "script:pass"]),
    ("init outside of a repository", "plain", &["init", "--check"]),
    ("a home that does not exist", REPO, &["--home", "nowhere", "ls"]),
    ("a file instead of a home", REPO, &["--home", "provost.toml", "ls"]),
    // Commands and flags.
    ("typo in a command", REPO, &["shwo"]),
    ("another program's command", REPO, &["status"]),
    ("another program's command, with words", REPO, &["merge", "ready"]),
    ("delete", REPO, &["delete", "ready"]),
    ("typo in a flag", REPO, &["ls", "--limt", "3"]),
    ("missing value", REPO, &["ls", "--limit"]),
    ("not a number", REPO, &["ls", "--limit", "many"]),
    ("unknown language", REPO, &["ls", "--lang", "de"]),
    ("unknown state", REPO, &["ls", "--state", "done"]),
    ("missing subcommand", REPO, &["audit"]),
    // Tasks.
    ("typo in an id", REPO, &["show", "redy"]),
    ("an id that is not one", REPO, &["show", "../ready"]),
    ("logs of an unknown task", REPO, &["logs", "nothing-like-it"]),
    ("logs of a step that did not run", REPO, &["logs", "ready", "--prepare"]),
    (
        "logs of an attempt that does not exist",
        REPO,
        &["logs", "ready", "--test", "--attempt", "9"],
    ),
    ("diff of an attempt that does not exist", REPO, &["diff", "ready", "--attempt", "9"]),
    ("attempt zero", REPO, &["diff", "ready", "--attempt", "0"]),
    ("land without a result", REPO, &["land", "failed", "--yes"]),
    ("reject without a reason", REPO, &["reject", "ready"]),
    ("reject with an empty reason", REPO, &["reject", "ready", "--because", " "]),
    ("accept of an unknown finding", REPO, &["accept", "ready", "NONSENSE", "--because", "x"]),
    ("accept without a reason", REPO, &["accept", "ready", "NOTHING_NEW"]),
    ("an empty answer", REPO, &["answer", "ready", " "]),
    ("override of an unknown key", REPO, &["override", "ready", "max_atempts=4"]),
    ("override without a value", REPO, &["override", "ready", "max_attempts"]),
    ("zero attempts", REPO, &["override", "ready", "max_attempts=0"]),
    ("rerun of an attempt that does not exist", REPO, &["rerun", "ready", "9"]),
    ("resume of an unknown task", REPO, &["resume", "nothing-like-it"]),
    // Goals and specs.
    ("empty sentence", REPO, &["do", " "]),
    ("a goal that looks like an id", REPO, &["run", "redy"]),
    ("unknown agent", REPO, &["do", "x", "--test", "true", "--agent", "claud-code"]),
    ("unknown judge", REPO, &["do", "x", "--test", "true", "--agent", "c", "--judge", "jj"]),
    (
        "path outside of the repository",
        REPO,
        &["do", "x", "--test", "true", "--agent", "c", "--in", "../x"],
    ),
    ("negative budget", REPO, &["do", "x", "--test", "true", "--agent", "c", "--budget=-1"]),
    ("a spec that is not there", REPO, &["run", "specs/none.json"]),
    ("a directory instead of a spec", REPO, &["run", "../specs"]),
    ("a spec with an unknown key", REPO, &["run", "../bad/unknown.json"]),
    ("a spec with a trailing comma", REPO, &["run", "../bad/comma.json"]),
    ("a spec without a goal", REPO, &["run", "../bad/no-goal.json"]),
    ("a spec with a wrong type", REPO, &["run", "../bad/type.json"]),
    ("a spec that is a list", REPO, &["run", "../bad/list.json"]),
    ("a spec with zero attempts", REPO, &["run", "../bad/zero.json"]),
    ("another spec under a taken id", REPO, &["run", "../bad/taken.json"]),
    // Configuration.
    ("typo in provost.toml", "typo", &["ls"]),
    ("syntax error in provost.toml", "syntax", &["ls"]),
];

fn world() -> Loop {
    let it = Loop::new();
    it.run("ready", json!({}));
    it.coder(WRONG);
    it.judge(&plain("FAIL"));
    it.run("failed", json!({ "max_attempts": 1 }));
    let world = &it.world;
    world.folder("plain");
    for name in ["empty", "typo", "syntax"] {
        world.folder(name);
        let git = world.program("git").args(["init", "--quiet"]).arg(world.path(name)).status();
        assert!(git.unwrap().success());
    }
    world.write("typo/provost.toml", "[task]\ncodr = \"c\"\n");
    world.write("syntax/provost.toml", "[task\ncoder = \"c\"\n");
    let spec = fs::read_to_string(it.spec("t9", json!({}))).unwrap();
    let change = |from: &str, to: &str| {
        assert!(spec.contains(from), "{from}: {spec}");
        spec.replacen(from, to, 1)
    };
    let goal = "\"goal\":\"write 42 into answer.txt\"";
    for (name, text) in [
        ("unknown", change("\"goal\"", "\"gaol\":\"x\",\"goal\"")),
        ("comma", change("}", ",}")),
        ("no-goal", change(&format!("{goal},"), "").replace("\"test_cmd\":\"sh check.sh\",", "")),
        ("type", change(goal, "\"goal\":7")),
        ("list", format!("[{spec}]")),
        ("zero", change("\"goal\"", "\"max_attempts\":0,\"goal\"")),
        ("taken", change("\"t9\"", "\"ready\"").replace("write 42", "write 43")),
    ] {
        world.write(format!("bad/{name}.json"), text);
    }
    it
}

/// Every mistake in one language, with what was said.
fn told(it: &Loop, lang: &str) -> String {
    let mut text = String::new();
    for (name, folder, words) in MISTAKES {
        let ran = it.world.provost().args(["--lang", lang]).args(*words).inside(folder).run();
        assert_ne!(ran.exit(), Some(0), "{name}: {}", ran.text());
        assert_eq!(ran.stdout(), "", "{name}");
        let exit = ran.exit().map_or_else(String::new, |it| it.to_string());
        let typed = words.join(" ");
        let said = ran.stderr();
        assert!(!said.contains("panicked") && !said.is_empty(), "{name}: {said}");
        writeln!(text, "# {name}\n$ provost {typed}\n{said}[{exit}]\n").unwrap();
    }
    let root = it.world.path("");
    text.replace(root.to_str().unwrap().trim_end_matches('/'), "[WORLD]")
}

/// The mistakes of ordinary people, in both languages.
#[test]
fn every_mistake_is_told_what_to_do() {
    let it = world();
    let tasks = || {
        let listed = it.provost(&["ls"]).run().json();
        listed["tasks"].as_array().unwrap().len()
    };
    let before = tasks();
    let filters = vec![
        (r"[0-9a-f]{40}", "[COMMIT]"),
        (r"column \d+|第 \d+ 列", "[COLUMN]"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "[TIME]"),
    ];
    for lang in ["en", "zh"] {
        let text = told(&it, lang);
        insta::with_settings!({ filters => filters.clone(), omit_expression => true }, {
            insta::assert_snapshot!(format!("mistakes_{lang}"), text);
        });
    }
    assert_eq!(tasks(), before, "a mistake made a task");
}
