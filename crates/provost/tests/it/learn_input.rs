//! What `provost learn` is given and cannot use: each names the thing, the rule and what to type.

use serde_json::json;

use crate::learn_world::{Learning, MISSION, MODEL, TICKETS};

#[test]
fn everything_that_is_wrong_with_a_mission_is_said_at_once() {
    let it = Learning::new();
    let before = it.world.listing();
    let wrong =
        MISSION.replace("mission = \"demo\"", "mision = \"demo\"\nseed = -1\ngate.alpha = 2");
    it.put("wrong.toml", &wrong);
    it.put("syntax.toml", "mission = \n");
    provost_snapshot!(it.world.provost().args(["learn", "run", "wrong.toml"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `mission`: missing, expected a string
    error: line 3: `seed`: expected a whole number of at least 0, found `-1`
    error: line 4: `gate.alpha`: expected a number from 0 to 1 in steps of 0.001, found `2`
    error: line 2: `mision`: unknown key, did you mean `mission`?
    error: `[WORLD]/repo/wrong.toml`: invalid mission: 4 errors
    hint: correct the file, then `provost learn run MISSION.toml`; `docs/learn.md` has every key
    ");
    provost_snapshot!(it.world.provost().args(["learn", "run", "syntax.toml", "--lang", "zh"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：`[WORLD]/repo/syntax.toml`：无效的任务目标：第 1 行：不是有效的 TOML
    原因：string values must be quoted, expected literal string
    提示：请改正文件，然后运行 `provost learn run MISSION.toml`；所有的键见 `docs/learn.md`
    ");
    provost_snapshot!(it.world.provost().args(["learn", "run", "none.toml"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: cannot read `[WORLD]/repo/none.toml`
    cause: No such file or directory (os error 2)
    hint: name the file of a mission; `provost learn mission engineering_impl` prints one, and docs/learn.md has every key
    ");
    provost_snapshot!(it.world.provost().args(["learn", "--json", "run", "wrong.toml"]), @r#"
    exit: 2
    ----- stdout -----
    {
      "error": {
        "message": "`[WORLD]/repo/wrong.toml`: invalid mission: `mission`: missing, expected a string; line 3: `seed`: expected a whole number of at least 0, found `-1`; line 4: `gate.alpha`: expected a number from 0 to 1 in steps of 0.001, found `2`; line 2: `mision`: unknown key, did you mean `mission`?",
        "causes": [],
        "hints": [
          "correct the file, then `provost learn run MISSION.toml`; `docs/learn.md` has every key"
        ],
        "exit": 2
      }
    }
    ----- stderr -----
    error: `[WORLD]/repo/wrong.toml`: invalid mission: `mission`: missing, expected a string; line 3: `seed`: expected a whole number of at least 0, found `-1`; line 4: `gate.alpha`: expected a number from 0 to 1 in steps of 0.001, found `2`; line 2: `mision`: unknown key, did you mean `mission`?
    hint: correct the file, then `provost learn run MISSION.toml`; `docs/learn.md` has every key
    "#);
    assert!(before.iter().all(|it| !it.contains("/learn/")));
    assert!(it.world.listing().iter().all(|it| !it.contains("/learn/")), "no run was begun");
}

#[test]
fn what_is_not_there_is_named_with_what_is() {
    let it = Learning::new();
    provost_snapshot!(it.world.provost().args(["learn", "status", "nobody"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: no mission `nobody` in this home
    hint: begin one with `provost learn run MISSION.toml`, or name the file of a mission
    ");
    provost_snapshot!(it.world.provost().args(["learn", "rules", "../x"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: cannot read `[WORLD]/repo/../x`
    cause: No such file or directory (os error 2)
    hint: name the file of a mission; `provost learn mission engineering_impl` prints one, and docs/learn.md has every key
    ");
    provost_snapshot!(it.world.provost().args(["learn", "status", "judge-storyboard"]), @r"
    exit: 0
    ----- stdout -----
    mission `judge-storyboard` has no runs yet
    no rules in force
    ----- stderr -----
    ");
    provost_snapshot!(it.world.provost().args(["learn", "rollback", "judge-storyboard", "--step", "1"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: no guidance is in force for `judge-storyboard`
    hint: finish a run with `provost learn run MISSION.toml`; see `provost learn status judge-storyboard`
    ");
    it.check(&["run", "MISSION.toml", "--run", "r1"], 0, "step 1");
    provost_snapshot!(it.world.provost().args(["learn", "rules", "demo", "--run", "r2"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: the mission `demo` has no run `r2`
    hint: known are `r1`
    ");
    it.check(&["rules", "demo", "--run", "../r1"], 2, "invalid run name");
}

/// Nothing of the input is passed over in silence, and `--strict` passes nothing over at all.
#[test]
fn a_line_that_is_no_ticket_is_named() {
    let it = Learning::new();
    it.put("tickets.jsonl", &format!("{TICKETS}{{\"label\": 1}}\nx\n"));
    provost_snapshot!(it.world.provost().args(["learn", "run", "MISSION.toml", "--strict"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: 2 invalid tickets with `--strict`: `tickets.jsonl`, line 22: missing_field (`mission`: missing, expected a string)
    hint: fix the lines, or omit `--strict`: they are then listed in `ingest_rejects.jsonl`
    ");
    assert!(it.world.listing().iter().all(|it| !it.contains("/learn/demo")), "nothing was begun");
    it.check(&["run", "MISSION.toml", "--run", "r1"], 0, "invalid ticket lines: 2");
    assert_eq!(it.lines("r1/ingest_rejects.jsonl").len(), 2);

    it.put("tickets.jsonl", "x\n");
    provost_snapshot!(it.world.provost().args(["learn", "run", "MISSION.toml"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: no valid ticket in 1 line: `tickets.jsonl`, line 1: bad_json (not valid JSON at column 1)
    hint: a ticket is one line of JSON with `group_id`, `label` and `items`: see docs/learn.md
    ");
    it.put("tickets.jsonl", "\n");
    it.check(&["run", "MISSION.toml"], 2, "the ticket files are empty");
    it.put("tickets.jsonl", &TICKETS.replace("\"demo\"", "\"other\""));
    it.check(&["run", "MISSION.toml"], 2, "belongs to the mission `other`");
    it.put("tickets.jsonl", &TICKETS.replacen('{', "{\"split\": \"audit\", ", 99));
    it.check(&["run", "MISSION.toml"], 2, "the pool `learn` has no tickets");
}

#[test]
fn the_files_of_a_mission_must_say_something() {
    let it = Learning::new();
    let with = |line: &str| {
        let mission = match line.strip_prefix("reflection.") {
            Some(line) => MISSION.replace("[reflection]", &format!("[reflection]\n{line}")),
            None => format!("{line}\n{MISSION}"),
        };
        it.put("MISSION.toml", &mission);
    };
    it.put("blank.txt", " \n");
    it.put("bad.txt", "");
    it.world.write("repo/bad.txt", [0xff_u8, 0xfe]);
    with("reflection.ops_prompt_path = \"blank.txt\"");
    it.check(&["run", "MISSION.toml"], 2, "`reflection.ops_prompt_path` must name instructions");
    with("reflection.decision_prompt_path = \"bad.txt\"");
    it.check(&["run", "MISSION.toml"], 2, "is not UTF-8");
    with("reflection.decision_prompt_path = \"none.txt\"");
    it.check(&["run", "MISSION.toml"], 2, "cannot read");
    with("gate.mode = \"off\"");
    it.check(&["run", "MISSION.toml"], 2, "`gate.mode = \"off\"` is not possible any more");
    with("reflection.max_calls_per_epoch = 1");
    it.check(&["run", "MISSION.toml"], 2, "the cap is 1");
    it.check(&["run", "MISSION.toml", "--allow-partial"], 0, "calls");
    it.put("MISSION.toml", MISSION);
    it.put("initial_guidance.json", "{\"demo\": {}}");
    it.check(&["run", "MISSION.toml"], 2, "`demo.step`");
    it.put("initial_guidance.json", "{\"other\": {}}");
    it.check(&["run", "MISSION.toml"], 2, "demo");
}

/// What the judge goes by is learned from people alone, by a person, under its own scaffold.
#[test]
fn a_judge_is_taught_by_reviews_alone() {
    let it = Learning::new();
    it.put("files.toml", &MISSION.replace("\"demo\"", "\"judge-storyboard\""));
    provost_snapshot!(it.world.provost().args(["learn", "run", "files.toml"]), @r"
    exit: 1
    ----- stdout -----
    ----- stderr -----
    error: `judge-storyboard` is the guidance of the judge, which learns from reviews alone
    hint: give the mission another name, or print the right one with `provost learn mission storyboard`
    ");
    let printed = it.learn(&["mission", "storyboard"]).stdout();
    it.put("judge.toml", &printed);
    it.check(&["run", "judge.toml"], 2, "the ticket files are empty");
    it.put("named.toml", &printed.replace("judge-storyboard", "mine"));
    it.check(&["run", "named.toml"], 1, "is called `judge-storyboard`");
    it.put(
        "own.toml",
        &printed.replace("[guidance]", "[guidance]\npath = \"initial_guidance.json\""),
    );
    it.check(&["run", "own.toml"], 1, "scaffold of its own");
}

/// Every command has its help with an example.
#[test]
fn every_command_explains_itself() {
    let it = Learning::new();
    for deed in [
        "adopt",
        "agreement",
        "export",
        "hypotheses",
        "mission",
        "queue",
        "resolve",
        "rollback",
        "rules",
        "run",
        "status",
        "verify",
    ] {
        let ran = it.learn(&[deed, "--help"]);
        assert_eq!(ran.exit(), Some(0));
        assert!(ran.stdout().contains(&format!("Example:\n  provost learn {deed}")), "{deed}");
    }
}

/// A person's own table becomes a mission that can be run, and nothing of theirs is replaced.
#[test]
fn a_table_of_cases_becomes_a_mission() {
    let it = Learning::new();
    it.put("cases.csv", "id,label,log,reason\na,pass,cargo test: ok,\nb,no,build only,no test\n");
    let init =
        ["init", "--tickets", "cases.csv", "--base-url", "http://127.0.0.1:9/v1", "--model", "m"];
    provost_snapshot!(it.world.provost().args(["learn"]).args(init), @r"
    exit: 0
    ----- stdout -----
    mission `cases`: 2 tickets, 1 pass, 1 fail
    file: [WORLD]/repo/cases/MISSION.toml
    ----- stderr -----
    hint: write into `G0` what has to be checked, then: `provost learn run [WORLD]/repo/cases/MISSION.toml`
    ");
    it.check(&init, 2, "cases/tickets.jsonl` already exists");
    it.check(&[&init[..], &["--mission", "judge-storyboard"]].concat(), 1, "reviews alone");
    it.put("bad.csv", "label,log\nmaybe,x\n");
    it.check(
        &["init", "--tickets", "bad.csv", "--base-url", "http://x/v1", "--model", "m"],
        2,
        "line 2",
    );
    it.check(&["status", "cases/MISSION.toml"], 0, "mission `cases` has no runs yet");
}

/// From a rule to the reflection, the tickets and the verdicts; from one step to another.
#[test]
fn a_rule_can_be_traced_and_two_steps_compared() {
    let it = Learning::new();
    it.check(&["run", "MISSION.toml", "--run", "r1"], 0, "in force");
    for args in [&["why", "demo", "G1"][..], &["why", "G1"]] {
        let why = it.json(args);
        assert_eq!((&why["run"], &why["key"]), (&json!("r1"), &json!("G1")));
        assert_eq!(why["changes"][0]["cause"], "ledger");
        assert_eq!(why["changes"][0]["reflection"]["evidence"], "no test ran");
        let flips = why["flips"].as_array().unwrap();
        assert_eq!(flips.len(), 16, "{flips:?}");
        assert!(flips.iter().all(|it| it["before"] == "pass" && it["after"] == "fail"));
    }
    it.check(&["why", "demo", "G1"], 0, "bad-1::fail  pass -> fail, cited");
    it.check(&["why", "demo", "G7"], 2, "never had a rule G7");
    it.check(&["why", "demo", "S1"], 2, "invalid rule key");
    it.check(&["diff", "demo"], 0, "+ G1  If the log shows a build and no test, then fail.");
    it.check(&["rollback", "demo", "--step", "0"], 0, "as step 2");
    it.check(&["diff", "demo"], 0, "no rule differs");
    it.check(&["diff", "demo", "--from", "1"], 0, "- G1  If the log shows");
    it.check(&["diff", "demo", "--from", "9"], 2, "has no step 9");
}

/// LOOP-A4: a secret in a ticket reaches neither the model nor a file of the run.
#[test]
fn a_secret_in_a_ticket_stays_where_it_is() {
    let it = Learning::new();
    let token = ["ghp_", "x7Kq2LmZ9vTb4RnW8cYd1FsH6gPj3QaE5uXo"].concat();
    it.put("tickets.jsonl", &TICKETS.replace("goal 1", &format!("goal 1 {token}")));
    it.put(
        "model.sh",
        &MODEL.replace(
            "question=$(cat)",
            "question=$(cat)\ncase $question in *ghp_*) exit 1 ;; esac",
        ),
    );
    it.check(&["run", "MISSION.toml", "--run", "r1"], 0, "in force");
    for file in ["calls", "trajectories", "selections", "reflection", "ingest_rejects"] {
        let lines = it.lines(&format!("r1/{file}.jsonl"));
        assert!(!format!("{lines:?}").contains(&token), "{file}");
    }
}

/// A model that does not answer as it is asked to is no measurement.
#[test]
fn malformed_answers_fail_a_run_loudly() {
    let it = Learning::new();
    it.put("model.sh", "cat >/dev/null; printf '{\"text\":\"I would say it passes.\"}'\n");
    it.check(
        &["run", "MISSION.toml"],
        2,
        "21 of 21 answers could not be read (line_count), for example: I would say it passes.",
    );
    it.check(&["run", "MISSION.toml"], 2, "`runner.max_malformed`");
}
