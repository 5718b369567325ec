//! `provost audit verify` and `provost gc`.

use std::{fs, time::Duration};

use camino::Utf8Path;
use provost_kernel::{Actor, Source};
use provost_vault::{
    Durable, Layout, RealDisk, SystemClock,
    audit::{Audit, Event},
    prepare_home,
};

use crate::world::World;

fn layout(world: &World) -> Layout {
    let home = world.path("repo/.provost");
    let state = world.path("home/.local/state");
    Layout::new(
        Utf8Path::from_path(&home).unwrap(),
        None,
        Utf8Path::from_path(&state).unwrap(),
    )
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
    provost_snapshot!(world.provost().args(["audit", "verify"]), @"");
    provost_snapshot!(world.provost().args(["audit", "verify", "--lang", "zh"]), @"");
    let ran = world.provost().args(["audit", "verify", "--json"]).run();
    assert_eq!(ran.exit(), Some(0));
    assert_eq!(ran.json()["entries_after_last_head"], 1);
    assert_eq!(ran.json()["intact"], true);
}

#[test]
fn a_home_without_a_chain_is_intact() {
    provost_snapshot!(World::new().provost().args(["audit", "verify"]), @"");
}

#[test]
fn a_broken_chain_exits_with_6_and_names_the_line() {
    let world = audited();
    let log = "repo/.provost/out/_audit/audit.jsonl";
    let text = fs::read_to_string(world.path(log)).unwrap();
    world.write(log, text.replace("task:t1", "task:t9"));
    provost_snapshot!(world.provost().args(["audit", "verify"]), @"");

    let first = text.lines().next().unwrap();
    world.write(log, format!("{first}\n"));
    provost_snapshot!(world.provost().args(["audit", "verify", "--lang", "zh"]), @"");
    let ran = world.provost().args(["audit", "verify", "--json"]).run();
    assert_eq!(ran.exit(), Some(6));
    assert_eq!(ran.json()["problems"][0]["trouble"], "cut_short");
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
        let file = fs::OpenOptions::new().append(true);
        #[expect(clippy::disallowed_methods, reason = "a test makes a file old")]
        let file = file.open(world.path(format!("repo/.provost/{name}"))).unwrap();
        let old = file.metadata().unwrap().modified().unwrap() - Duration::from_hours(7 * 24 + 1);
        file.set_modified(old).unwrap();
    }
    let before = world.listing();
    provost_snapshot!(world.provost().args(["gc", "--dry-run"]), @"");
    assert_eq!(world.listing(), before, "a dry run changes nothing");
    provost_snapshot!(world.provost().args(["gc"]), @"");
    let gone: Vec<_> = before.len().checked_sub(world.listing().len()).into_iter().collect();
    assert_eq!(gone, [1]);
    let ran = world.provost().args(["gc", "--json"]).run();
    assert_eq!((ran.exit(), ran.json()["removed"].as_array().unwrap().len()), (Some(0), 0));
}

#[test]
fn gc_without_a_home_has_nothing_to_do() {
    let world = World::new();
    let before = world.listing();
    provost_snapshot!(world.provost().args(["gc"]), @"");
    assert_eq!(world.listing(), before);
}
