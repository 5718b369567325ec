//! State of version 0.1.0 is read: `fixtures/legacy/0.1.0` says what it is and how it was made.
//!
//! States, codes, ids and numbers are asserted, and of texts only that they are there: words may
//! change from one version to the next, what happened may not.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::world::{Ran, World};

/// The commit of the repository, which the claims of its stories start from.
const BASE: &str = "ca90806000e3876744585ee4d18157f76e5eb871";

/// Every task: its state, its pause code, the row of the table that decided, the attempts that
/// count, and how many events there are.
const TASKS: [(&str, &str, &str, &str, u64, usize); 11] = [
    ("planned", "READY_FOR_REVIEW", "", "ready", 1, 23),
    ("killed", "PAUSED", "PAUSED_CRASH", "crash", 0, 6),
    ("reset-zh", "PAUSED", "PAUSED_USER", "user", 0, 9),
    ("crash-zh", "PAUSED", "PAUSED_CODER_FAILED", "coder-failed", 1, 7),
    ("forbidden", "PAUSED", "PAUSED_FORBIDDEN_GLOBS", "forbidden-globs", 0, 7),
    ("late-zh", "PAUSED", "PAUSED_CODER_TIMEOUT", "coder-timeout", 0, 7),
    ("gated-zh", "PAUSED", "PAUSED_SCORE_GATED", "gated", 1, 12),
    ("asks-en", "PAUSED", "PAUSED_WAITING_USER_INPUT", "need-user-input", 0, 14),
    ("plain", "READY_FOR_REVIEW", "", "ready", 0, 12),
    ("failed", "FAILED", "", "fail-exhausted", 1, 21),
    ("ready", "READY_FOR_REVIEW", "", "ready", 0, 16),
];

/// A world with the files of the old version: its home, its repository at the same commit, the
/// mission in `learn`, and `recordings` and `eval` beside them.
fn legacy() -> World {
    let world = without_home();
    put(&world, "home", "repo/.provost");
    world.write("repo/.provost/.gitignore", "*\n");
    shell(&world, "chmod -R u=rwX,go= .provost");
    world
}

/// The same world, with no home in it yet.
fn without_home() -> World {
    let world = World::new();
    put(&world, "repo", "repo");
    shell(
        &world,
        "git symbolic-ref HEAD refs/heads/main; git add --all; \
         export GIT_AUTHOR_DATE=2026-11-01T00:00:00Z GIT_COMMITTER_DATE=2026-11-01T00:00:00Z; \
         git -c user.name=person -c user.email=person@localhost commit --quiet -m base",
    );
    for folder in ["learn", "recordings", "eval"] {
        put(&world, folder, folder);
    }
    put(&world, "eval/cases", "repo/docs/evals/cases");
    world
}

/// Copies a folder of the fixture into the world.
fn put(world: &World, from: &str, to: &str) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/legacy/0.1.0").join(from);
    copy(world, &from, Path::new(to));
}

fn copy(world: &World, from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(world, &entry.path(), &to);
        } else {
            world.write(to, fs::read(entry.path()).unwrap());
        }
    }
}

#[track_caller]
fn shell(world: &World, script: &str) -> String {
    let output = world.program("sh").args(["-ec", script]).output().unwrap();
    assert!(output.status.success(), "{script}\n{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command, written with single spaces, and insists on its exit code.
#[track_caller]
fn run(world: &World, exit: i32, line: &str) -> Ran {
    let ran = world.provost().args(line.split(' ')).run();
    assert_eq!(ran.exit(), Some(exit), "{line}\n{}", ran.text());
    ran
}

/// The document that a command prints.
#[track_caller]
fn json(world: &World, line: &str) -> Value {
    run(world, 0, &format!("--json {line}")).json()
}

/// A value of each item of a list.
#[track_caller]
fn each<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    let list = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    list.iter().map(|it| it[key].as_str().unwrap_or_default()).collect()
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|it| !it.trim().is_empty())
}

#[test]
fn the_chain_of_the_old_home_is_intact() {
    let world = legacy();
    assert_eq!(shell(&world, "git rev-parse HEAD").trim(), BASE);
    let found = json(&world, "audit verify");
    assert_eq!((&found["intact"], &found["entries"]), (&json!(true), &json!(53)));
    assert_eq!((&found["stored_heads"], &found["problems"]), (&json!(51), &json!([])));
    run(&world, 0, "selfcheck");
    run(&world, 0, "doctor");
}

#[test]
fn every_old_task_is_listed_as_it_was() {
    let world = legacy();
    for list in [json(&world, "ls"), json(&world, "--lang zh ls")] {
        let rows = list["tasks"].as_array().unwrap();
        let found: Vec<_> = rows
            .iter()
            .map(|it| {
                let code = it["pause_reason_code"].as_str().unwrap_or_default();
                (it["task_id"].as_str().unwrap(), it["state"].as_str().unwrap(), code)
            })
            .collect();
        assert_eq!(found, TASKS.map(|(id, state, code, ..)| (id, state, code)));
        assert!(rows.iter().all(|it| is_text(&it["message"])), "{list:#}");
    }
    let waiting = json(&world, "inbox");
    let waiting = each(&waiting["waiting"], "task_id");
    // What was reviewed waits for no decision, whether it failed or is approved.
    let expected = TASKS.map(|it| it.0).into_iter().filter(|it| !["failed", "ready"].contains(it));
    assert_eq!(waiting, expected.collect::<Vec<_>>());
    run(&world, 0, "--lang zh inbox");
}

#[test]
fn every_old_task_is_shown_and_explained_in_both_languages() {
    let world = legacy();
    for (id, state, code, row, consumed, events) in TASKS {
        let shown = json(&world, &format!("show {id}"));
        let status = &shown["status"];
        assert_eq!(
            (&status["state"], &status["attempts_consumed"]),
            (&json!(state), &json!(consumed))
        );
        assert_eq!(shown["unreadable"], json!([]), "{id}");
        let is_paused = state == "PAUSED";
        let questions = status["questions_for_user"].as_array().unwrap();
        assert_eq!(!questions.is_empty(), is_paused, "{id}: {questions:?}");
        assert!(questions.iter().all(is_text) && is_text(&status["message"]), "{id}");

        let explained = json(&world, &format!("explain {id}"));
        let found = explained["pause_reason_code"].as_str().unwrap_or_default();
        assert_eq!((found, &explained["row"]), (code, &json!(row)), "{id}");

        let logs = run(&world, 0, &format!("--json logs {id}")).stdout();
        let kinds: Vec<Value> = logs.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
        assert_eq!((kinds.len(), &kinds[0]["type"]), (events, &json!("TASK_CREATED")), "{id}");
        for lang in ["en", "zh"] {
            for command in ["show", "explain", "logs"] {
                let ran = run(&world, 0, &format!("--lang {lang} {command} {id}"));
                let is_named = ran.stdout().contains(code) && ran.stdout().contains(id);
                assert!(command == "logs" || is_named, "{}", ran.text());
                assert!(!ran.stdout().is_empty() && ran.stderr().is_empty(), "{}", ran.text());
            }
        }
    }
}

/// What was stored in one language reads in the other one.
#[test]
fn an_old_message_is_shown_as_it_was_stored() {
    let world = legacy();
    for id in ["reset-zh", "late-zh", "gated-zh", "forbidden", "killed"] {
        let stored = json(&world, &format!("show {id}"))["status"]["message"].clone();
        for lang in ["en", "zh"] {
            let status = json(&world, &format!("--lang {lang} show {id}"))["status"].clone();
            assert_eq!(status["message"], stored, "{id}");
        }
    }
    // What the judge asked stays as it was asked.
    for lang in ["en", "zh"] {
        let shown = run(&world, 0, &format!("--lang {lang} show asks-en")).stdout();
        assert!(shown.contains("Which of the two readings is meant?"), "{shown}");
    }
}

#[test]
fn what_was_decided_about_an_old_attempt_is_on_record() {
    let world = legacy();
    let explained = json(&world, "explain planned --attempt 1");
    let record = &explained["record"];
    assert_eq!(
        (&explained["row"], &record["judge_decision"], &record["facts"]["verdict_decision"]),
        (&json!("fail-next-attempt"), &json!("PASS"), &json!("FAIL"))
    );
    assert_eq!(record["against"].as_array().unwrap().len(), 1, "{record:#}");
    assert!(each(&record["findings"], "rule").contains(&"EVIDENCE_MISSING"), "{record:#}");
    for lang in ["en", "zh"] {
        let text = run(&world, 0, &format!("--lang {lang} explain planned --attempt 1")).stdout();
        assert!(text.contains("US-001 AC-2") && text.contains("EVIDENCE_MISSING"), "{text}");
    }
    let shown = json(&world, "show ready");
    assert_eq!(shown["status"]["review"]["outcome"], "approved");
    assert_eq!(shown["status"]["verdict_summary"]["final_score_0_100"], 87.2);
    let checks = each(&shown["checks"], "name").into_iter().zip(each(&shown["checks"], "standing"));
    let expected = [("paths", "verified"), ("tests", "verified"), ("rubric", "verified")];
    assert_eq!(checks.take(3).collect::<Vec<_>>(), expected);
    let status = &json(&world, "show failed")["status"];
    assert_eq!(
        (&status["review"]["outcome"], &status["effective_max_attempts"]),
        (&json!("rejected"), &json!(5))
    );
    assert!(is_text(&status["next_instruction"]), "{status:#}");
}

/// Orders and runs go on where the old version stopped, and the chain with them.
#[test]
fn people_go_on_with_old_tasks() {
    let world = legacy();
    run(&world, 0, "approve planned");
    run(&world, 0, "override failed --rollback 0");
    assert_eq!(json(&world, "show failed")["status"]["effective_max_attempts"], 1);
    // The same order with the same id was carried out before.
    let before = json(&world, "show ready")["status"]["state_version"].clone();
    run(&world, 0, "approve ready --request-id approve-1");
    assert_eq!(json(&world, "show ready")["status"]["state_version"], before);
    // Its repository is not on this machine.
    let resumed = run(&world, 3, "--json resume asks-en").json();
    assert_eq!(resumed["pause_reason_code"], "PAUSED_NOT_GIT_REPO");
    let found = json(&world, "audit verify");
    assert!(found["intact"] == true && found["entries"].as_u64().unwrap() > 53, "{found:#}");
    run(&world, 0, "selfcheck");
}

/// A recorded judge answers, also one whose rules are those of the old home. What a judge is shown
/// has changed since: the recording has the old format and reply, and the evidence of today.
#[test]
fn an_old_recording_of_a_judge_answers() {
    let world = legacy();
    let tape = world.path("recordings/agent.jsonl");
    let tape = format!("[adapter.tape]\nkind = \"recording\"\nfile = \"{}\"\n", tape.display());
    world.write("repo/.provost/local.toml", tape);
    shell(&world, "chmod 600 .provost/local.toml");
    let mut spec = json!({
        "task_id": "again", "repo_path": world.path("repo"), "goal": "write 42 into answer.txt",
        "acceptance": "check.sh passes", "test_cmd": "sh check.sh", "coder": "script:pass",
        "judge": "tape", "max_attempts": 1,
    });
    world.write("again.json", spec.to_string());
    assert_eq!(json(&world, "run ../again.json")["state"], "READY_FOR_REVIEW");
    spec["task_id"] = json!("again-typed");
    spec["task_type"] = json!("engineering_impl");
    world.write("again.json", spec.to_string());
    assert_eq!(json(&world, "run ../again.json")["state"], "READY_FOR_REVIEW");
    let verdict =
        |id: &str| json(&world, &format!("show {id}"))["status"]["verdict_summary"].clone();
    assert_eq!(verdict("again-typed"), verdict("ready"));
}

#[test]
fn the_stories_of_the_old_home_stand_where_they_stood() {
    let world = legacy();
    let check = || {
        let status = json(&world, "story status");
        let [plan] = &status["executions"].as_array().unwrap()[..] else { panic!("{status:#}") };
        assert_eq!((&plan["branch"], &plan["baseCommitSha"]), (&json!("ralph/plan"), &json!(BASE)));
        assert_eq!(each(&plan["stories"], "label"), ["US-001 2/2 AC", "US-002 0/1 AC"]);
        assert_eq!(plan["stories"][1]["waived"], json!(["AC-1"]));
    };
    check();
    let story = json(&world, "story get US-001")["story"].clone();
    for id in ["AC-1", "AC-2"] {
        let result = &story["evidence"][id]["result"];
        assert_eq!((&result["label"], &result["exitCode"]), (&json!("REPRODUCED"), &json!(0)));
    }
    let refused = json(&world, "story get US-002");
    assert_eq!(refused["story"]["passes"], false);
    assert_eq!(refused["attempts"].as_array().unwrap().len(), 1);
    let planned = json(&world, "story get task/planned:US-001");
    assert_eq!(
        (&planned["story"]["passes"], &planned["execution"]["status"]),
        (&json!(true), &json!("completed"))
    );
    run(&world, 0, "reindex");
    check();
    // The log goes on.
    world.write(
        "other.md",
        "# Other\n\n### US-009: More\n\n**Acceptance Criteria**\n- it is there\n",
    );
    run(&world, 0, "story start ../other.md");
    assert_eq!(json(&world, "story status")["executions"].as_array().unwrap().len(), 2);
    assert_eq!(json(&world, "audit verify")["claims_without_entry"], 0);
}

#[test]
fn the_guard_of_the_old_home_goes_on() {
    let world = legacy();
    let modes = json(&world, "guard modes");
    let active = modes["modes"].as_array().unwrap().iter().filter(|it| it["active"] == true);
    assert_eq!(active.map(|it| &it["mode"]).collect::<Vec<_>>(), ["ralph"]);
    let hook = |kind: &str, mut fields: Value| {
        fields["session_id"] = json!("s1");
        fields["cwd"] = json!(world.path("repo"));
        let provost = world.provost().args(["hook", "--client", "claude", "--type", kind]);
        provost.input(fields.to_string()).run().exit()
    };
    let write = |path: &str| {
        let input = json!({"file_path": world.path(path), "content": "x"});
        json!({"tool_name": "Write", "tool_input": input})
    };
    assert_eq!(hook("pre-tool-use", write("repo/migrations/one.sql")), Some(2));
    assert_eq!(hook("pre-tool-use", write("repo/one.txt")), Some(0));
    assert_eq!(hook("subagent-start", json!({"agent_id": "a3", "agent_type": "x"})), Some(0));
    let read =
        |name: &str| fs::read_to_string(world.path("repo/.provost/guard").join(name)).unwrap();
    let state: Value = serde_json::from_str(&read("subagent-tracking.json")).unwrap();
    assert_eq!((&state["total_spawned"], &state["total_completed"]), (&json!(3), &json!(1)));
    let ids = each(&state["agents"], "agent_id");
    assert_eq!(ids, ["a1", "a2", "a3"], "{state:#}");
    let replay = read("replay/agent-replay-s1.jsonl");
    assert!(replay.contains("\"a1\"") && replay.contains("\"a3\""), "{replay}");
    run(&world, 0, "guard mode ralph off");
    run(&world, 0, "guard uninstall --client claude");
    assert_eq!(json(&world, "audit verify")["intact"], true);
}

#[test]
fn an_old_mission_is_read_and_goes_on() {
    let world = legacy();
    let status = json(&world, "learn status demo");
    assert_eq!(
        (&status["run"]["state"], &status["run"]["calls"]),
        (&json!("finished"), &json!(19))
    );
    assert_eq!((&status["in_force"]["step"], &status["in_force"]["rules"]), (&json!(2), &json!(1)));
    assert_eq!(each(&json(&world, "learn rules demo")["rules"], "key"), ["S1", "S2", "G0"]);
    assert_eq!(
        each(&json(&world, "learn rules demo --run r1")["rules"], "key"),
        ["S1", "S2", "G0", "G1"]
    );
    assert_eq!(json(&world, "learn hypotheses demo")["hypotheses"].as_object().unwrap().len(), 1);
    let queue = json(&world, "learn queue demo");
    assert_eq!(queue["n"], 1, "{queue:#}");
    for lang in ["en", "zh"] {
        for command in ["status", "rules", "hypotheses", "queue"] {
            run(&world, 0, &format!("--lang {lang} learn {command} demo"));
        }
    }
    // The log of the guidance is whole: an earlier step is rebuilt from it.
    run(&world, 0, "learn rollback demo --step 1");
    let rules = json(&world, "learn rules demo");
    assert_eq!(
        (&rules["step"], each(&rules["rules"], "key")),
        (&json!(3), vec!["S1", "S2", "G0", "G1"])
    );
    // A run that is finished asks nothing: there is no model any more.
    world.write("learn/model.sh", "exit 1\n");
    run(&world, 0, "learn run ../learn/judge.toml --run j1");
    let agreement = json(&world, "learn agreement engineering_impl");
    assert_eq!(agreement[0]["agreement"]["all"]["n"], 1, "{agreement:#}");
}

/// The calls of an old run are a recording, and the rules that come of it are the same.
#[test]
fn old_calls_and_old_guidance_serve_a_new_run() {
    let world = without_home();
    put(&world, "home/learn/demo/r1", "old");
    let mission = |guidance: &str, endpoint: &str| {
        format!(
            "mission = \"demo\"\ntickets = \"tickets.jsonl\"\nguidance.path = \"{guidance}\"\n\
             sampler.grid = [{{ temperature = 0.0 }}]\n[[endpoints]]\n{endpoint}\n"
        )
    };
    let recording = "kind = \"recording\"\npath = \"../old/calls.jsonl\"";
    world.write("learn/replay.toml", mission("initial_guidance.json", recording));
    run(&world, 0, "learn run ../learn/replay.toml --run again");
    assert_eq!(json(&world, "learn status demo")["run"]["calls"], 19);
    let exported = |it: &Value| {
        (it["demo"]["experiences"].clone(), it["demo"]["metadata"]["G1"]["sources"].clone())
    };
    let old = fs::read(world.path("learn/exported.json")).unwrap();
    let new = run(&world, 0, "learn export demo").json();
    assert_eq!(exported(&new), exported(&serde_json::from_slice(&old).unwrap()));
    // What the old version exported is what a mission can begin with.
    world.write(
        "learn/next.toml",
        mission("exported.json", "kind = \"command\"\ncommand = [\"sh\", \"model.sh\"]"),
    );
    run(&world, 0, "learn run ../learn/next.toml --run next");
    let rules = json(&world, "learn rules demo --run next");
    assert!(each(&rules["rules"], "key").contains(&"G1"), "{rules:#}");
}

#[test]
fn old_reports_are_baselines_and_old_answers_are_replayed() {
    let world = without_home();
    let eval =
        |exit: i32, line: &str| run(&world, exit, &format!("eval --format json {line}")).json();
    let same = eval(
        0,
        "--generator replay:../recordings/eval-stub --baseline ../eval/report.json --baseline-gate worse",
    );
    assert_eq!(
        (&same["totals"]["cases_passed"], &same["totals"]["checks"]),
        (&json!(2), &json!(34)),
        "the old answers pass the check that is new since then, too"
    );
    assert_eq!((&same["baseline"]["better"], &same["baseline"]["worse"]), (&json!([]), &json!([])));
    let worse = eval(
        1,
        "--generator stub:fail=todos.verb_led@en-web-cold-start --baseline ../eval/report.json --baseline-gate worse",
    );
    assert_eq!(each(&worse["baseline"]["worse"], "check"), ["todos.verb_led"]);
    let better = eval(0, "--baseline ../eval/worse.json --filter en-web-cold-start");
    assert_eq!(each(&better["baseline"]["better"], "check"), ["todos.verb_led"]);
    let program =
        eval(0, "--generator replay:../recordings/eval-program --filter en-web-cold-start");
    assert_eq!(program["totals"]["cases_passed"], 1);
}
