//! `provost selfcheck`: a home that is sound, each thing that may be wrong with one, and the gate.

use std::{
    fs,
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::world::World;

const SPEC: &str = r#"{
    "task_id": "t1", "goal": "write 42 into answer.txt", "test_cmd": "sh check.sh",
    "task_type": "engineering_impl", "coder": "script:pass", "judge": "script:mock"
}"#;

/// A world in which a task ran to its end.
fn with_task() -> World {
    let world =
        World::new().with("repo/check.sh", "grep -qx 42 answer.txt\n").with("repo/t1.json", SPEC);
    git(&world, &["add", "--all"]);
    git(&world, &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "base"]);
    git(&world, &["branch", "-M", "main"]);
    let ran = world.provost().args(["run", "t1.json"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    world
}

fn git(world: &World, arguments: &[&str]) {
    let output = world.program("git").args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

const OUT: &str = "repo/.provost/out";

/// A home without a task, and no home at all, are green, and that is said; one that was named and
/// is not there could not be looked at.
#[test]
fn where_there_is_no_task_nothing_is_wrong() {
    let world = World::new();
    provost_snapshot!(world.provost().args(["selfcheck"]), @r"
    exit: 0
    ----- stdout -----
    ----- stderr -----
    no home here, so no tasks
    ");
    provost_snapshot!(world.provost().args(["selfcheck", "--json"]).inside("home"), @r#"
    exit: 0
    ----- stdout -----
    {
      "passed": true,
      "home": null,
      "tasks": 0,
      "findings": []
    }
    ----- stderr -----
    no home here, so no tasks
    "#);
    provost_snapshot!(world.provost().args(["selfcheck", "--home", "elsewhere"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: cannot find provost home `[WORLD]/repo/elsewhere`
    hint: `provost --home [WORLD]/repo/elsewhere doctor --fix` creates it
    ");
    world.provost().args(["doctor", "--fix"]).run();
    provost_snapshot!(world.provost().args(["selfcheck"]), @r"
    exit: 0
    ----- stdout -----
    ----- stderr -----
    no tasks in `[WORLD]/repo/.provost`
    ");
}

/// LOOP-B20: what a run leaves is sound, and looking at it changes nothing.
#[test]
fn a_task_that_ran_is_sound() {
    let world = with_task();
    let before = world.listing();
    provost_snapshot!(world.provost().args(["selfcheck"]), @r"
    exit: 0
    ----- stdout -----
    ----- stderr -----
    tasks: 1, findings: 0
    ");
    assert_eq!(world.listing(), before);
}

/// A hand in one file of the home.
enum Hand {
    Removes,
    Writes(fn(&str) -> String),
}
use Hand::{Removes, Writes};

/// One thing that is wrong: the file, the hand, the severity, and the start of what is said.
type Wrong = (&'static str, Hand, &'static str, &'static str);

/// The document with one change.
fn changed(text: &str, change: impl Fn(&mut Value)) -> String {
    let mut document: Value = serde_json::from_str(text).unwrap();
    change(&mut document);
    document.to_string()
}

fn without(text: &str, key: &str) -> String {
    changed(text, |it| _ = it.as_object_mut().unwrap().remove(key))
}

const WRONG: &[Wrong] = &[
    ("t1/status.json", Removes, "P0", "status.json: the file is missing"),
    ("t1/status.json", Writes(|_| "{".to_owned()), "P0", "status.json: cannot read it"),
    (
        "t1/status.json",
        Writes(|it| without(it, "pause_flag")),
        "P0",
        "pause_flag: the status lacks this field",
    ),
    (
        "t1/status.json",
        Writes(|it| without(it, "effective_max_attempts")),
        "P2",
        "effective_max_attempts: the status lacks this field",
    ),
    (
        "t1/status.json",
        Writes(|it| changed(it, |it| it["task_id"] = json!("t2"))),
        "P0",
        "task_id: it names another task",
    ),
    (
        "t1/status.json",
        Writes(|it| changed(it, |it| it["pause_reason_code"] = json!("PAUSED_CRASH"))),
        "P0",
        "pause_reason_code: set exactly while the task is paused",
    ),
    (
        "t1/status.json",
        Writes(|it| changed(it, |it| it["state"] = json!("RUNNING"))),
        "P0",
        "lock: the status is RUNNING, but no process runs the task",
    ),
    (
        "t1/status.json",
        Writes(|it| changed(it, |it| it["state"] = json!("PAUSED"))),
        "P0",
        "questions_for_user: a paused task asks at least one question",
    ),
    (
        "t1/status.json",
        Writes(|it| changed(it, |it| it["state"] = json!("FAILED"))),
        "P2",
        "attempts_consumed: the task failed with attempts left",
    ),
    ("t1/task.json", Removes, "P1", "task.json: the file is missing"),
    ("t1/final_summary.json", Removes, "P0", "summary: the file is missing"),
    (
        "t1/final_summary.json",
        Writes(|it| changed(it, |it| it["state_version"] = json!(1))),
        "P0",
        "summary: disagrees with the status",
    ),
    ("_index/tasks/t1.json", Writes(|_| "{".to_owned()), "P0", "index: cannot read it"),
    ("_index/tasks/t1.json", Removes, "P2", "index: the file is missing"),
    (
        "_index/tasks/t1.json",
        Writes(|it| changed(it, |it| it["state"] = json!("FAILED"))),
        "P0",
        "index: disagrees with the status",
    ),
    (
        "t1/attempt_001/judge/verdict.json",
        Writes(|it| without(it, "thresholds_used")),
        "P0",
        "attempt_001/judge/verdict.json: missing: thresholds_used",
    ),
    (
        "t1/attempt_001/judge/verdict.json",
        Writes(|it| {
            changed(it, |it| {
                it["scoring_mode_used"] = json!(null);
                it["rubric_version_used"] = json!("");
            })
        }),
        "P0",
        "attempt_001/judge/verdict.json: missing: scoring_mode_used, rubric_version_used",
    ),
    (
        "t1/attempt_001/judge/verdict.json",
        Writes(|it| changed(it, |it| it["gated"] = json!("no"))),
        "P0",
        "attempt_001/judge/verdict.json: invalid verdict",
    ),
    (
        "t1/attempt_001/judge/verdict.json",
        Writes(|it| changed(it, |it| it["rubric_hash_used"] = json!("0".repeat(64)))),
        "P1",
        "attempt_001/judge/verdict.json: the rubric has another hash under the same version",
    ),
    (
        "t1/events.jsonl",
        Writes(|it| lines(it, |line| !line.contains("JUDGE_FINISHED"))),
        "P1",
        "attempt_001: the event JUDGE_FINISHED is missing",
    ),
    (
        "t1/events.jsonl",
        Writes(|it| it.replacen("{\"", "{", 1)),
        "P1",
        "events.jsonl:1: cannot read the line",
    ),
    (
        "_audit/audit.jsonl",
        Writes(|it| it.replacen("task.create", "task.delete", 1)),
        "P0",
        "audit: ",
    ),
];

fn lines(text: &str, keep: fn(&str) -> bool) -> String {
    text.split_inclusive('\n').filter(|it| keep(it)).collect()
}

/// LOOP-B20, LOOP-B18: each thing that does not hold is found, and named with its severity. A
/// remark alone is no reason to refuse.
#[test]
fn what_does_not_hold_is_found() {
    let world = with_task();
    for (file, hand, severity, said) in WRONG {
        let path = format!("{OUT}/{file}");
        let before = fs::read_to_string(world.path(&path)).unwrap();
        match hand {
            Writes(spoil) => world.write(&path, spoil(&before)),
            Removes => remove(&world, &path),
        }
        let listing = world.listing();
        let ran = world.provost().args(["selfcheck", "--json"]).run();
        let answer = ran.json();
        let found: Vec<String> = answer["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| &it["finding"])
            .map(|it| {
                let text = |key: &str| it[key].as_str().unwrap().to_owned();
                format!("{} {}: {}", text("severity"), text("subject"), text("message"))
            })
            .collect();
        let expected = format!("{severity} {said}");
        assert!(found.iter().any(|it| it.starts_with(&expected)), "{file}: {said}: {found:?}");
        let is_grave = found.iter().any(|it| !it.starts_with("P2"));
        assert_eq!(ran.exit(), Some(i32::from(is_grave)), "{file}: {said}");
        assert_eq!(answer["passed"], !is_grave, "{file}: {said}");
        assert_eq!(world.listing(), listing, "{file}: it only reads");
        world.write(&path, before);
    }
    assert_eq!(world.provost().args(["selfcheck"]).run().exit(), Some(0));
}

#[expect(clippy::disallowed_methods, reason = "a test makes the world that provost meets")]
fn remove(world: &World, path: &str) {
    fs::remove_file(world.path(path)).unwrap();
}

/// LOOP-B20: a crash that was said in the state leaves no lock behind.
#[test]
fn a_lock_that_a_crash_left_is_found() {
    let world = with_task();
    let path = format!("{OUT}/t1/status.json");
    let status = fs::read_to_string(world.path(&path)).unwrap();
    let crashed = changed(&status, |it| {
        it["state"] = json!("PAUSED");
        it["pause_reason_code"] = json!("PAUSED_CRASH");
        it["pause_category"] = json!("PAUSED_INFRA");
        it["questions_for_user"] = json!(["go on?"]);
        it["last_transition"] = json!({ "row": "crash" });
    });
    world.write(&path, crashed);
    let said = |world: &World| {
        let ran = world.provost().args(["selfcheck"]).run();
        ran.stdout().contains("P1 lock: the lock was not released after the crash")
    };
    assert!(!said(&world));
    let lock = format!("{OUT}/t1/lock");
    let held = changed(&fs::read_to_string(world.path(&lock)).unwrap(), |it| {
        it["released"] = json!(false);
    });
    world.write(&lock, held);
    assert!(said(&world));
}

/// LOOP-B20: a task that somebody runs is no finding; one that is RUNNING after its coordinator was
/// killed is, until somebody who may write looks at it.
#[test]
fn a_running_task_is_sound_as_long_as_it_runs() {
    let world = with_task();
    world.write("repo/t2.json", SPEC.replace("t1", "t2").replace("script:pass", "script:time_out"));
    let mut run = world.program(env!("CARGO_BIN_EXE_provost"));
    let mut run = run.args(["run", "t2.json", "--quiet"]).spawn().unwrap();
    let events = world.path(format!("{OUT}/t2/events.jsonl"));
    let since = Instant::now();
    while !fs::read_to_string(&events).is_ok_and(|it| it.contains("CODER_STARTED")) {
        assert!(since.elapsed() < Duration::from_mins(2), "it never started");
        sleep(Duration::from_millis(10));
    }
    let check = |exit: i32, said: &str| {
        let ran = world.provost().args(["selfcheck"]).run();
        assert_eq!(ran.exit(), Some(exit), "{}", ran.text());
        assert!(ran.text().contains(said), "{}", ran.text());
    };
    check(0, "tasks: 2, findings: 0");
    run.kill().unwrap();
    run.wait().unwrap();
    check(1, "P0 lock: the status is RUNNING, but no process runs the task");
    check(1, "P0 lock: the status is RUNNING, but no process runs the task");
    let shown = world.provost().args(["show", "t2"]).run();
    assert!(shown.stdout().contains("PAUSED_CRASH"), "{}", shown.text());
    check(0, "tasks: 2, findings: 0");
}

/// Findings stand under the task that they belong to, with what to do about them.
#[test]
fn findings_are_grouped_by_task() {
    let world = with_task();
    let path = format!("{OUT}/t1/status.json");
    let status = fs::read_to_string(world.path(&path)).unwrap();
    world.write(&path, changed(&status, |it| it["state"] = json!("RUNNING")));
    let audit = format!("{OUT}/_audit/audit.jsonl");
    let chain = fs::read_to_string(world.path(&audit)).unwrap();
    world.write(&audit, chain.replacen("task.create", "task.delete", 1));
    provost_snapshot!(world.provost().args(["selfcheck"]), @r"
    exit: 1
    ----- stdout -----
    t1
      P0 index: disagrees with the status
      P0 lock: the status is RUNNING, but no process runs the task
         hint: `provost show t1` corrects the state, `provost resume t1` continues
    the home
      P0 audit: line 1: the entry was altered
      P0 audit: line 2: the entry does not follow the one before it
      P0 audit: head 1: the chain ends before this stored head
      P0 audit: task `t1`: its `status.json` does not match the chain
    ----- stderr -----
    tasks: 1, findings: 6
    ");
    provost_snapshot!(world.provost().args(["selfcheck", "--lang", "zh"]), @r"
    exit: 1
    ----- stdout -----
    t1
      P0 index：与状态文件不一致
      P0 lock：状态为 RUNNING，但没有进程在运行此任务
         提示：`provost show t1` 会更正状态；`provost resume t1` 继续运行
    主目录
      P0 audit：第 1 行：条目被改动
      P0 audit：第 2 行：条目与上一条不衔接
      P0 audit：第 1 个已存链头：链在此之前就结束了
      P0 audit：任务 `t1`：其 `status.json` 与链不符
    ----- stderr -----
    任务 1 个，问题 6 个
    ");
}

/// LOOP-B23, LOOP-B24, LOOP-U3: the gate runs the pipeline task from end to end, alone, and leaves nothing.
#[test]
fn the_gate_is_one_command_and_leaves_nothing() {
    let (world, temporary) = (World::new(), World::new());
    let before = world.listing();
    let gate = || {
        let provost = world.provost().args(["selfcheck", "--gate"]);
        provost.variable("TMPDIR", temporary.path("home"))
    };
    provost_snapshot!(gate(), @r"
    exit: 0
    ----- stdout -----
    ok      state             READY_FOR_REVIEW
    ok      artifact          artifacts/requirements.md: `# 需求文档`
    ok      events            ATTEMPT_STARTED, CODER_STARTED, CODER_FINISHED, JUDGE_STARTED, JUDGE_FINISHED
    ok      attempt_files     attempt_001/{coder,judge,test}
    ok      verdict           17 fields, 88.8 of 100
    ok      rubric            1.0.0 afdd835681e84d22cd34f265a0ee3816547cf706af93af934f9c749bf404d0b6
    ok      selfcheck         no findings
    ok      calibration       passed: 15, failed: [], missing: []
    ok      decision_vectors  11 vectors
    ----- stderr -----
    ok: 9, FAILED: 0; no model took part
    ");
    let ran = gate().args(["--json"]).run();
    let answer = ran.json();
    assert_eq!((ran.exit(), &answer["passed"]), (Some(0), &json!(true)));
    for check in answer["checks"].as_array().unwrap() {
        assert_eq!(check["passed"], true, "{check}");
        assert!(check["name"].is_string() && check["detail"].is_string(), "{check}");
    }
    assert_eq!(world.listing(), before);
    assert_eq!(fs::read_dir(temporary.path("home")).unwrap().count(), 0);
}

/// LOOP-B23: a pipeline that does not deliver fails the gate, and each line says why.
#[test]
fn a_broken_pipeline_fails_the_gate() {
    let world = World::new();
    let gate = |coder: &str| {
        world.provost().args(["selfcheck", "--gate", "--json", "--coder", coder]).run()
    };
    let failed = |coder: &str| -> Vec<String> {
        let ran = gate(coder);
        assert_eq!(ran.exit(), Some(1), "{coder}");
        let answer = ran.json();
        assert_eq!(answer["passed"], false, "{coder}");
        let checks = answer["checks"].as_array().unwrap().iter();
        checks
            .filter(|it| it["passed"] == false)
            .map(|it| it["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(failed("script:mock"), ["state", "artifact"]);
    assert_eq!(
        failed("script:crash"),
        ["state", "artifact", "events", "attempt_files", "verdict", "rubric"]
    );
    provost_snapshot!(world.provost().args(["selfcheck", "--gate", "--coder", "script:mock"]), @r"
    exit: 1
    ----- stdout -----
    FAILED  state             PAUSED: a gate stopped the verdict
    FAILED  artifact          artifacts/requirements.md: ``
    ok      events            ATTEMPT_STARTED, CODER_STARTED, CODER_FINISHED, JUDGE_STARTED, JUDGE_FINISHED
    ok      attempt_files     attempt_001/{coder,judge,test}
    ok      verdict           17 fields, 3.6 of 100
    ok      rubric            1.0.0 afdd835681e84d22cd34f265a0ee3816547cf706af93af934f9c749bf404d0b6
    ok      selfcheck         no findings
    ok      calibration       passed: 15, failed: [], missing: []
    ok      decision_vectors  11 vectors
    ----- stderr -----
    ok: 7, FAILED: 2; no model took part
    ");
}

/// Without git nothing can be proven, and that is no refusal.
#[test]
fn a_gate_that_cannot_be_run_is_no_failed_gate() {
    let world = World::new();
    let ran = world.provost().args(["selfcheck", "--gate"]).variable("PATH", "/nowhere").run();
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stdout().is_empty());
}

/// LOOP-B24: each script that starts the original has a command here that does its job.
#[test]
fn each_script_of_the_original_has_its_command() {
    // `run_task.sh`: `with_task` runs a task to its end.
    let world = with_task();
    let valid = include_str!("../../../../fixtures/task/verdict/valid.json");
    let mut verdict: Value =
        serde_json::from_str::<Value>(valid).unwrap()["engineering_impl"].take();
    world.write("repo/good.json", verdict.to_string());
    verdict["decision"] = json!("MAYBE");
    world.write("repo/bad.json", verdict.to_string());
    world.write("repo/facts.json", r#"{"verdict_decision": "FAIL", "current_attempt": 3}"#);
    let check = |script: &str, command: &str, exit: i32, said: &str| {
        let ran = world.provost().args(command.split(' ')).run();
        assert_eq!(ran.exit(), Some(exit), "{script}: {}", ran.text());
        assert!(ran.text().contains(said), "{script}: {said}\n{}", ran.text());
    };
    check("run_task.sh", "show t1 --json", 0, "\"state\": \"READY_FOR_REVIEW\"");
    check("self_check.sh", "selfcheck", 0, "tasks: 1, findings: 0");
    check("run_regression.sh", "regress --case hello_pass", 0, "hello_pass");
    check("validate_verdict.py", "check verdict good.json --task-type engineering_impl", 0, "");
    check("validate_verdict.py", "check verdict bad.json --task-type engineering_impl", 1, "MAYBE");
    check("decision_table.ts", "check decision facts.json", 0, "fail-exhausted");
    world.write("repo/.provost/out/t1/status.json", "{}");
    let ran = world.provost().args(["selfcheck"]).run();
    assert_ne!(ran.exit(), Some(0), "self_check.sh: {}", ran.text());
    // `selfcheck_v1_1.sh` is `the_gate_is_one_command_and_leaves_nothing`.
}
