//! A process that tests start in numbers, and kill.
//!
//! The first argument is what to do, the second is a home. It prints one line for each thing
//! that was acknowledged to it, so that a test knows what must be there after a kill. It also
//! hosts the guardian of the jobs that tests start.

#![expect(clippy::print_stdout, reason = "printing is what a worker is for")]
#![expect(clippy::expect_used, reason = "a worker that cannot work says so and ends")]

use std::{
    io::{Read as _, Write as _},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use camino::Utf8PathBuf;
use provost_desk::story::Stories;
use provost_kernel::{
    Actor, Clock as _, Lang, Message, Source, TaskId,
    guard::{HookInput, HookType, LastToolError, Mode, ModeState, Operation},
};
use provost_rules_guard::tracking;
use provost_testkit::{
    coordinator, layout,
    learn::{Scripted, World, scripted_model},
    story,
};
use provost_vault::{
    Durable, FileError, Layout, Log, PATIENCE, RealDisk, SystemClock, TrackingError,
    audit::{Audit, Event},
    guard::GuardFiles,
    lock::{TaskLock, Timing},
    modify_tracked, write_atomic, write_json,
};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let role = arguments.next().expect("a role");
    if role == "guardian" {
        return provost_exec::guardian::main();
    }
    if role == "script-agent" {
        let name = arguments.next().expect("the name of an agent");
        return provost_adapter::script::main(&name, std::env::vars());
    }
    if role == "coordinate" {
        return coordinator::main(&arguments.next().expect("an errand"));
    }
    let home = Utf8PathBuf::from(arguments.next().expect("a home"));
    if role == "learn" {
        learn_once(layout(&home), &arguments.next().expect("the name of a run"));
        return ExitCode::SUCCESS;
    }
    let number = arguments.next().map_or(0, |it| it.parse().expect("a number"));
    let layout = layout(&home);
    match role.as_str() {
        "write" => write_without_end(&layout, number),
        "append" => append_lines(&layout, number),
        "increment" => increment(&layout, number),
        "start" => start_one(&layout),
        "guard" => guard_without_end(&layout, number),
        "claim" => claim_without_end(&layout, number),
        "half-claim" => claim_and_die(&layout),
        "hold" => hold_lock(&layout),
        "replace" => replace_once(&layout),
        "fill" => fill_the_disk(&layout),
        other => panic!("no such role: {other}"),
    }
    ExitCode::SUCCESS
}

fn task() -> TaskId {
    "t1".parse().expect("a task id")
}

fn acknowledge(what: impl std::fmt::Display) {
    println!("{what}");
    std::io::stdout().flush().expect("a reader");
}

/// Replaces a file, appends a line and adds an audit entry, over and over.
fn write_without_end(layout: &Layout, first: u64) {
    let mut audit = Audit::open(&RealDisk, layout).expect("an audit chain");
    let mut log = Log::open(&RealDisk, &layout.events(&task())).expect("a log");
    for n in first.. {
        let padding = "x".repeat(usize::try_from(n * 37 % 5000).unwrap_or(0));
        let value = serde_json::json!({ "n": n, "padding": padding });
        write_json(&RealDisk, &layout.status(&task()), &value).expect("a write");
        let line = serde_json::json!({ "n": n, "padding": padding }).to_string();
        log.append(line.as_bytes(), Durable::Now).expect("an append");
        let event = Event {
            actor: Actor { source: Source::Provost, id: "worker".to_owned() },
            action: "worker.write".to_owned(),
            subject: format!("n:{n}"),
            request_id: None,
            detail: serde_json::Value::Null,
        };
        let head = audit.append(&event, &SystemClock, Durable::Now).expect("an audit entry");
        if n % 5 == 0 {
            audit.store_head(head, "every fifth", &SystemClock).expect("a stored head");
        }
        acknowledge(n);
    }
}

fn append_lines(layout: &Layout, n_lines: u64) {
    let mut log = Log::open(&RealDisk, &layout.events(&task())).expect("a log");
    let who = std::process::id();
    for n in 0..n_lines {
        let line = serde_json::json!({ "who": who, "n": n }).to_string();
        log.append(line.as_bytes(), Durable::Later).expect("an append");
    }
}

fn increment(layout: &Layout, times: u64) {
    for _ in 0..times {
        let count = || {
            modify_tracked(&RealDisk, layout, &SystemClock, PATIENCE, |mut it| {
                it.value.total_spawned += 1;
                it
            })
        };
        // On a machine with much to do the lock may be hard to get: then nothing was written.
        while let Err(error) = count() {
            assert!(matches!(error, TrackingError::Busy { .. }), "{error}");
        }
    }
}

/// What a hook says of an agent.
fn told(hook: HookType, agent_id: &str) -> Operation {
    let mut input = HookInput::empty(hook);
    input.session_id = Some("s1".to_owned());
    input.fields.insert("agent_id".to_owned(), agent_id.into());
    tracking::operation(&input, None, SystemClock.millis()).expect("an operation")
}

fn track(files: &GuardFiles<'_, RealDisk>, operation: &Operation, wait: Duration) {
    let apply = |state, it: &Operation| tracking::apply(state, it, SystemClock.millis());
    files.track(operation, wait, apply).expect("a tracked operation");
}

/// One agent is started, by somebody who has no time to wait.
fn start_one(layout: &Layout) {
    let files = GuardFiles::new(&RealDisk, layout, &SystemClock);
    let agent_id = format!("p{}", std::process::id());
    track(&files, &told(HookType::SubagentStart, &agent_id), Duration::from_millis(5));
}

/// Agents start and end, a mode is switched and a tool fails, over and over.
fn guard_without_end(layout: &Layout, first: u64) {
    let files = GuardFiles::new(&RealDisk, layout, &SystemClock);
    for n in first.. {
        let agent_id = format!("a{n}");
        track(&files, &told(HookType::SubagentStart, &agent_id), PATIENCE);
        let state = ModeState { active: n % 2 == 1, ..ModeState::default() };
        files.change_mode(Mode::Ralph, |_| Ok::<_, FileError>(state)).expect("a mode");
        let failure = LastToolError {
            tool_name: "Bash".to_owned(),
            tool_input_preview: Some(n.to_string()),
            error: "no".to_owned(),
            timestamp: SystemClock.now().into(),
            retry_count: 1,
        };
        files.record_tool_error(|_| Some(failure)).expect("an error");
        track(&files, &told(HookType::SubagentStop, &agent_id), PATIENCE);
        acknowledge(n);
    }
}

/// Records claims, over and over, or as many as said.
fn claim_without_end(layout: &Layout, times: u64) {
    let mut stories = Stories::open(layout, &SystemClock).expect("stories");
    for n in 1.. {
        let event = stories.record(story::updated("e1")).expect("a claim");
        acknowledge(event.seq);
        if n == times {
            break;
        }
    }
}

/// Carries out a run, or goes on with it, with a model whose answers take a moment.
fn learn_once(layout: Layout, run: &str) {
    let model = Scripted::new(scripted_model).slow(Duration::from_millis(3));
    World::read(layout).run(run, Arc::new(model), 4).expect("a run");
}

/// Appends a claim and is gone before the index hears of it.
fn claim_and_die(layout: &Layout) {
    let files = provost_vault::story::StoryFiles::new(&RealDisk, layout);
    acknowledge(files.append(story::updated("e1")).expect("a claim").seq);
    let this = rustix::process::getpid();
    rustix::process::kill_process(this, rustix::process::Signal::KILL).expect("an end");
    unreachable!("nobody outlives that");
}

/// Holds the lock of the task until standard input ends.
fn hold_lock(layout: &Layout) {
    let at = layout.task_lock(&task());
    let lock = TaskLock::acquire(&at, Arc::new(SystemClock), Timing::default());
    match lock {
        Ok(lock) => {
            match lock.taken_over() {
                None => acknowledge("held"),
                Some((why, _)) => acknowledge(format!("taken over: {why:?}")),
            }
            std::io::stdin().read_to_end(&mut Vec::new()).expect("standard input");
        }
        Err(error) => acknowledge(format!("refused: {error}")),
    }
}

/// Tries to replace a file and to append to a log, and says how that went.
fn replace_once(layout: &Layout) {
    say("replace", write_atomic(&RealDisk, &layout.status(&task()), b"2\n").map(drop));
    let appended = Log::open(&RealDisk, &layout.events(&task()))
        .and_then(|mut log| log.append(b"2", Durable::Now));
    say("append", appended);
}

/// Tries the same with contents that no longer fit, after filling the disk.
fn fill_the_disk(layout: &Layout) {
    let filler = layout.final_summary(&task());
    let mut log = Log::open(&RealDisk, &filler).expect("a filler");
    let piece = vec![b'x'; 1024];
    while log.append(&piece, Durable::Later).is_ok() {}
    let large = vec![b' '; 8 * 1024];
    say("replace", write_atomic(&RealDisk, &layout.status(&task()), &large).map(drop));
    let appended = Log::open(&RealDisk, &layout.events(&task()))
        .and_then(|mut log| log.append(&large, Durable::Now));
    say("append", appended);
}

fn say(what: &str, result: Result<(), FileError>) {
    match result {
        Ok(()) => acknowledge(format!("{what}: done")),
        Err(error) => {
            let hints = Lang::En.render_all(&error.hints()).join(" / ");
            acknowledge(format!("{what}: {error}: {:?}: {hints}", error.source.kind()));
        }
    }
}
