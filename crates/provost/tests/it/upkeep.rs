//! `provost audit verify` and `provost gc`.

use std::{fs, time::Duration};

use camino::Utf8Path;
use provost_kernel::{Actor, AttemptNumber, Source};
use provost_vault::{
    Durable, Layout, RealDisk, Step, StepFile, SystemClock,
    audit::{Audit, Event},
    lock::{Lock, STALE_AFTER},
    prepare_home, write_atomic,
};

use crate::world::World;

fn layout(world: &World) -> Layout {
    let home = world.path("repo/.provost");
    let state = world.path("home/.local/state");
    Layout::new(Utf8Path::from_path(&home).unwrap(), None, Utf8Path::from_path(&state).unwrap())
}

/// A world with a chain of three entries whose head was stored after the second.
fn audited() -> World {
    let world = World::new();
    let layout = layout(&world);
    prepare_home(&RealDisk, &layout).unwrap();
    let mut audit = Audit::open(&RealDisk, &layout).unwrap();
    for n in 1..=3 {
        let event = Event {
            actor: Actor { source: Source::Cli, id: "somebody".to_owned() },
            action: "task.pause".to_owned(),
            subject: format!("task:t{n}"),
            request_id: None,
            detail: serde_json::Value::Null,
        };
        let head = audit.append(&event, &SystemClock, Durable::Now).unwrap();
        if n == 2 {
            audit.store_head(head, "the second", &SystemClock).unwrap();
        }
    }
    world
}

#[test]
fn an_intact_chain_says_how_far_it_is_vouched_for() {
    let world = audited();
    provost_snapshot!(world.provost().args(["audit", "verify"]), @r"
    exit: 0
    ----- stdout -----
    intact: entries 3, stored heads 1, entries after the last head 1
    ----- stderr -----
    ");
    provost_snapshot!(world.provost().args(["audit", "verify", "--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
    完整：条目 3，已存链头 1，最后链头之后的条目 1
    ----- stderr -----
    ");
    let ran = world.provost().args(["audit", "verify", "--json"]).run();
    assert_eq!(ran.exit(), Some(0));
    assert_eq!(ran.json()["entries_after_last_head"], 1);
    assert_eq!(ran.json()["intact"], true);
}

#[test]
fn a_home_without_a_chain_is_intact() {
    provost_snapshot!(World::new().provost().args(["audit", "verify"]), @r"
    exit: 0
    ----- stdout -----
    intact: entries 0, stored heads 0, entries after the last head 0
    ----- stderr -----
    ");
}

#[test]
fn a_broken_chain_exits_with_6_and_names_the_line() {
    let world = audited();
    let log = "repo/.provost/out/_audit/audit.jsonl";
    let text = fs::read_to_string(world.path(log)).unwrap();
    world.write(log, text.replace("task:t1", "task:t9"));
    provost_snapshot!(world.provost().args(["audit", "verify"]), @r"
    exit: 6
    ----- stdout -----
    BROKEN: problems 2, entries 3, stored heads 1
      line 1: the entry was altered
      line 2: the entry does not follow the one before it
    ----- stderr -----
    hint: `provost audit restart` keeps `[WORLD]/repo/.provost/out/_audit/audit.jsonl` in quarantine and begins a new chain; until then no tool call and no order is accepted
    ");

    let first = text.lines().next().unwrap();
    world.write(log, format!("{first}\n"));
    provost_snapshot!(world.provost().args(["audit", "verify", "--lang", "zh"]), @r"
    exit: 6
    ----- stdout -----
    已损坏：问题 1，条目 1，已存链头 1
      第 1 个已存链头：链在此之前就结束了
    ----- stderr -----
    提示：`provost audit restart` 会将 `[WORLD]/repo/.provost/out/_audit/audit.jsonl` 移入隔离区并开始新链；在此之前不接受任何工具调用和命令
    ");
    let ran = world.provost().args(["audit", "verify", "--json"]).run();
    assert_eq!(ran.exit(), Some(6));
    assert_eq!(ran.json()["problems"][0]["trouble"], "cut_short");
}

/// A home that is not there, or that this provost does not know, is not looked at as if it were
/// empty.
#[test]
fn a_home_that_cannot_be_used_is_refused() {
    let world = World::new().with("repo/.provost/format", "{\"schema\": \"provost.home/9\"}\n");
    for command in [&["gc"][..], &["gc", "--dry-run"], &["audit", "verify"]] {
        let ran = world.provost().args(command).run();
        assert_eq!(ran.exit(), Some(2), "{command:?}");
        let path = world.path("repo/.provost/format").display().to_string();
        let expected = format!("error: `{path}` has format 9; this provost supports up to 1\n");
        assert!(ran.stderr().starts_with(&expected), "{}", ran.stderr());
    }
    world.write("repo/.provost/format", "junk");
    assert_eq!(world.provost().args(["gc"]).run().exit(), Some(6));
    assert_eq!(world.provost().args(["doctor"]).run().exit(), Some(1));

    let typo = world.path("repo/.provots");
    let ran = world.provost().args(["audit", "verify", "--home"]).args([&typo]).run();
    assert_eq!(ran.exit(), Some(2));
    assert!(ran.stderr().contains("doctor --fix` creates it"), "{}", ran.stderr());
}

/// LOOP-A1: gc removes files, so the identity is checked first.
#[test]
fn gc_is_refused_to_the_wrong_user() {
    let world = World::new()
        .with("repo/provost.toml", "identity.user = \"nobody-we-know\"\n")
        .with("repo/.provost/guard/replay/agent-replay-old.jsonl", "{}\n");
    make_old(&world, "guard/replay/agent-replay-old.jsonl");
    let before = world.listing();
    assert_eq!(world.provost().args(["gc"]).run().exit(), Some(2));
    assert_eq!(world.listing(), before, "nothing was removed");
}

/// One folder that cannot be read keeps nothing else from being removed, and is not forgotten.
#[test]
fn gc_goes_on_past_a_folder_that_it_cannot_read() {
    let world = World::new()
        .with("repo/.provost/guard/replay/agent-replay-old.jsonl", "{}\n")
        .with("repo/tasks", "a file where a folder should be");
    make_old(&world, "guard/replay/agent-replay-old.jsonl");
    let ran = world.provost().variable("RDLOOP_OUT_DIR", "tasks").args(["gc"]).run();
    assert_eq!(ran.exit(), Some(2), "{}", ran.stderr());
    let path = world.path("repo/tasks").display().to_string();
    assert!(
        ran.stderr().starts_with(&format!("error: cannot list `{path}`\n")),
        "{}",
        ran.stderr()
    );
    assert!(!world.path("repo/.provost/guard/replay/agent-replay-old.jsonl").exists());
}

/// Makes a file of the home older than any replay may be.
fn make_old(world: &World, name: &str) {
    let path = world.path(format!("repo/.provost/{name}"));
    #[expect(clippy::disallowed_methods, reason = "a test makes a file old")]
    let file = fs::OpenOptions::new().append(true).open(path).unwrap();
    let old = file.metadata().unwrap().modified().unwrap() - Duration::from_hours(7 * 24 + 1);
    file.set_modified(old).unwrap();
}

/// HOOK-2.6: replay files are kept for seven days and then removed.
#[test]
fn gc_removes_what_has_had_its_time_and_nothing_else() {
    let world = World::new()
        .with("repo/.provost/guard/replay/agent-replay-old.jsonl", "{}\n")
        .with("repo/.provost/guard/replay/agent-replay-new.jsonl", "{}\n")
        .with("repo/.provost/guard/replay/notes.txt", "mine\n")
        .with("repo/agent-replay-elsewhere.jsonl", "{}\n");
    for name in ["guard/replay/agent-replay-old.jsonl", "guard/replay/notes.txt"] {
        make_old(&world, name);
    }
    let before = world.listing();
    provost_snapshot!(world.provost().args(["gc", "--dry-run"]), @r"
    exit: 0
    ----- stdout -----
    replay      [WORLD]/repo/.provost/guard/replay/agent-replay-old.jsonl
    ----- stderr -----
    would delete files: 1, bytes: 3
    ");
    assert_eq!(world.listing(), before, "a dry run changes nothing");
    provost_snapshot!(world.provost().args(["gc"]), @r"
    exit: 0
    ----- stdout -----
    replay      [WORLD]/repo/.provost/guard/replay/agent-replay-old.jsonl
    ----- stderr -----
    deleted files: 1, bytes: 3
    ");
    assert_eq!(world.listing().len(), before.len() - 1);
    let ran = world.provost().args(["gc", "--json"]).run();
    assert_eq!((ran.exit(), ran.json()["removed"].as_array().unwrap().len()), (Some(0), 0));
}

/// What a coordinator that was killed left unredacted does not lie there for days.
#[test]
fn gc_removes_unredacted_output_that_nobody_will_redact() {
    let world = World::new();
    let layout = layout(&world);
    prepare_home(&RealDisk, &layout).unwrap();
    let place = |task: &str| {
        let task = task.parse().unwrap();
        layout.step_file(&task, AttemptNumber::FIRST, Step::Coder, StepFile::StdoutRaw)
    };
    for task in ["left", "running"] {
        write_atomic(&RealDisk, &place(task), b"a secret").unwrap();
    }
    let lock = layout.task_lock(&"running".parse().unwrap());
    let lock = Lock::acquire(&RealDisk, &lock, &SystemClock, STALE_AFTER).unwrap();
    provost_snapshot!(world.provost().args(["gc"]), @r"
    exit: 0
    ----- stdout -----
    capture     [WORLD]/repo/.provost/out/left/attempt_001/coder/stdout.raw
    ----- stderr -----
    deleted files: 1, bytes: 8
    ");
    assert!(place("running").path().exists() && !place("left").path().exists());
    drop(lock);
    assert_eq!(world.provost().args(["gc"]).run().exit(), Some(0));
    assert!(!place("running").path().exists());
}

#[test]
fn gc_without_a_home_has_nothing_to_do() {
    let world = World::new();
    let before = world.listing();
    provost_snapshot!(world.provost().args(["gc"]), @r"
    exit: 0
    ----- stdout -----
    ----- stderr -----
    deleted files: 0, bytes: 0
    ");
    assert_eq!(world.listing(), before);
}
