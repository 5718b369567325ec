//! Sixty-four hooks at once in one home: every count is exact, no file is ever torn, no entry lost.

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    hook::{allowed, call, guarded, hook},
    world::{Ran, World},
};

const CROWD: usize = 64;

/// Runs one hook for each payload, all at the same time, and says how each ended, in order.
fn run_all(world: &World, kind: &str, payloads: &[Value]) -> Vec<Ran> {
    let start = Barrier::new(payloads.len());
    let run = |payload: &Value| {
        let hook = hook(world, "claude", kind).input(payload.to_string());
        start.wait();
        hook.run()
    };
    let run = &run;
    thread::scope(|scope| {
        let running: Vec<_> = payloads.iter().map(|it| scope.spawn(move || run(it))).collect();
        running.into_iter().map(|it| it.join().unwrap()).collect()
    })
}

fn guard_file(world: &World, name: &str) -> PathBuf {
    world.path("repo/.provost/guard").join(name)
}

/// The tracked state; `null` while there is none. It is whole whenever somebody looks.
fn tracking(world: &World) -> Value {
    match fs::read(guard_file(world, "subagent-tracking.json")) {
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap(),
        Err(_) => Value::Null,
    }
}

/// How many agents were started, ended well and failed.
fn totals(state: &Value) -> [u64; 3] {
    ["total_spawned", "total_completed", "total_failed"].map(|it| state[it].as_u64().unwrap_or(0))
}

/// Looks at the tracked state over and over until it is told to stop: it only ever moves forward,
/// and its list agrees with its counts. Says how often it looked.
fn watch(world: &World, is_over: &AtomicBool) -> usize {
    let (mut before, mut n_looks) = ([0; 3], 0);
    while !is_over.load(Ordering::Relaxed) {
        let state = tracking(world);
        let now = totals(&state);
        assert!(before.iter().zip(now).all(|(before, now)| *before <= now), "{before:?} {now:?}");
        let status = |word: &str| {
            let agents = state["agents"].as_array().map(Vec::as_slice).unwrap_or_default();
            agents.iter().filter(|it| it["status"] == word).count() as u64
        };
        let [started, completed, failed] = now;
        let listed = [status("running"), status("completed"), status("failed")];
        assert_eq!(listed, [started - completed - failed, completed, failed]);
        (before, n_looks) = (now, n_looks + 1);
        thread::sleep(Duration::from_millis(1));
    }
    n_looks
}

fn agent(world: &World, number: usize) -> Value {
    json!({
        "session_id": "5f3c1d52-0001-4000-8000-000000000001",
        "cwd": world.path("repo"),
        "agent_id": format!("agent{number:03}"),
        "agent_type": "general-purpose",
    })
}

/// HOOK-2.1, HOOK-2.2: the original counts 5 of 16 here.
#[test]
fn agents_that_start_and_end_at_once_are_counted_exactly() {
    let world = guarded();
    let has_failed = |number: usize| number.is_multiple_of(5);
    let is_over = AtomicBool::new(false);
    let n_looks = thread::scope(|scope| {
        let watcher = scope.spawn(|| watch(&world, &is_over));
        let starts: Vec<Value> = (0..CROWD).map(|it| agent(&world, it)).collect();
        run_all(&world, "subagent-start", &starts).iter().for_each(allowed);

        let stops: Vec<Value> = (0..CROWD)
            .map(|number| {
                let mut payload = agent(&world, number);
                payload["success"] = json!(!has_failed(number));
                payload
            })
            .collect();
        run_all(&world, "subagent-stop", &stops).iter().for_each(allowed);
        is_over.store(true, Ordering::Relaxed);
        watcher.join().unwrap()
    });
    assert!(n_looks > 1, "nobody looked");

    // Whoever could not have the lock in time has left its change to the next one: here it is.
    allowed(
        &hook(&world, "claude", "subagent-start").input(agent(&world, CROWD).to_string()).run(),
    );

    let state = tracking(&world);
    let n_failed = (0..CROWD).filter(|it| has_failed(*it)).count();
    let crowd = CROWD as u64;
    let failed = n_failed as u64;
    assert_eq!(totals(&state), [crowd + 1, crowd - failed, failed]);
    let known: BTreeMap<&str, &str> = state["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["agent_id"].as_str().unwrap(), it["status"].as_str().unwrap()))
        .collect();
    assert_eq!(known.len(), CROWD + 1);
    for number in 0..CROWD {
        let expected = if has_failed(number) { "failed" } else { "completed" };
        assert_eq!(known[format!("agent{number:03}").as_str()], expected, "{number}");
    }
    assert_eq!(fs::read(guard_file(&world, "subagent-tracker.lock")).unwrap(), b"", "it is free");
    let spool = fs::read_dir(guard_file(&world, "spool"));
    let waiting: Vec<_> = spool.into_iter().flatten().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(waiting, [""; 0], "nothing waits");
}

/// HOOK-2.1: a call that was let through is in the chain, and the chain is whole.
#[test]
fn calls_at_once_are_all_recorded_in_one_chain() {
    let world = guarded();
    let mut asked: Vec<Value> = (0..CROWD)
        .map(|number| {
            let mut payload = call(&world, "cargo test");
            payload["tool_use_id"] = json!(format!("toolu_{number:03}"));
            payload
        })
        .collect();
    let mut n_late = 0;
    // A machine that is too busy to answer within two seconds refuses, and the client asks again.
    while !asked.is_empty() {
        let answers = run_all(&world, "pre-tool-use", &asked);
        let mut late = Vec::new();
        for (payload, ran) in asked.into_iter().zip(answers) {
            if ran.exit() == Some(2) && ran.stderr().contains("longer than 2 seconds") {
                late.push(payload);
            } else {
                allowed(&ran);
            }
        }
        n_late += late.len();
        assert!(n_late < 10 * CROWD, "the machine never answers in time");
        asked = late;
    }

    let text = fs::read_to_string(world.path("repo/.provost/out/_audit/audit.jsonl")).unwrap();
    let mut n_entries: BTreeMap<String, usize> = BTreeMap::new();
    for line in text.lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        if entry["body"]["action"] == "guard.pre-tool-use" {
            assert_eq!(entry["body"]["detail"]["effect"], "passed");
            let id = entry["body"]["detail"]["tool_use_id"].as_str().unwrap();
            *n_entries.entry(id.to_owned()).or_default() += 1;
        }
    }
    assert_eq!(n_entries.len(), CROWD, "every call is there");
    let total: usize = n_entries.values().sum();
    assert!((CROWD..=CROWD + n_late).contains(&total), "{total} entries, {n_late} late");

    let verified = world.provost().args(["audit", "verify"]).run();
    assert_eq!(verified.exit(), Some(0), "{}", verified.text());
}
