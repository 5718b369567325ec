//! What people and agents ask.

use provost_kernel::{
    Digest, Finding, Severity,
    story::{
        ClaimResult, EventBody, ExecutionChange, FirstSubmissions, Started, StoryEvent,
        StoryOutcome, TreeId, Updated,
    },
};
use provost_store::{Found, Listed, Store};

use crate::world::{
    World, declared, event, execution, outcome, started, story, updated, verified, waived,
};

const US: Option<&str> = Some("US-001");

fn archived(seq: u64, id: &str) -> StoryEvent {
    let change = ExecutionChange { is_archived: Some(true), ..ExecutionChange::default() };
    event(seq, id, None, EventBody::Changed(change))
}

/// STORY-2.3: how many criteria of each story pass.
#[test]
fn a_status_counts_stories_and_criteria() {
    let world = World::new();
    let store = world.with(&[
        started(1, "e1", 2),
        started(2, "e2", 1),
        event(3, "e1", US, updated(ClaimResult::Accept, false, 2)),
        started(4, "e3", 1),
        archived(5, "e3"),
    ]);
    let active = store.executions(Listed::Active).unwrap();
    let shown: Vec<String> = active
        .iter()
        .map(|it| {
            let stories: Vec<String> = it
                .stories
                .iter()
                .map(|it| format!("{} {}/{}", it.story_id, it.passing, it.total))
                .collect();
            format!("{}: {} ({:?})", it.execution.id, stories.join(", "), it.criteria())
        })
        .collect();
    assert_eq!(shown, ["e1: US-001 2/3, US-002 0/3 ((2, 6))", "e2: US-001 0/3 ((0, 3))"]);
    assert_eq!(active[0].n_proven(), 0);

    let history = store.executions(Listed::Archived { limit: 10 }).unwrap();
    assert_eq!(history.len(), 1);
    assert_eq!(history[0].stories.len(), 1);
    assert!(store.executions(Listed::Archived { limit: 0 }).unwrap().is_empty());
}

/// A story is named by its id where that is enough, and otherwise with its branch.
#[track_caller]
fn check_found(store: &Store, name: &str, expected: &str) {
    let actual = match store.find_story(&name.parse().unwrap()).unwrap() {
        Found::One(found) => format!("{} {}", found.0.id, found.1.story_id),
        Found::Ambiguous(names) => format!("ambiguous {}", names.join(" ")),
        Found::Missing(names) => format!("missing {}", names.join(" ")),
    };
    assert_eq!(actual.trim(), expected, "{name}");
}

#[test]
fn a_story_is_found_by_its_name_or_the_candidates_are_named() {
    let world = World::new();
    let mut twin = execution("e4");
    twin.branch = "ralph/e2".parse().unwrap();
    let twin = Started { execution: twin, stories: vec![story(5, 1)], bases: Vec::new() };
    let store = world.with(&[
        started(1, "e1", 2),
        started(2, "e2", 1),
        started(3, "e3", 3),
        archived(4, "e3"),
        event(5, "e4", None, EventBody::Started(Box::new(twin))),
    ]);
    check_found(&store, "US-002", "e1 US-002");
    check_found(&store, "us-2", "e1 US-002");
    check_found(&store, "US-001", "ambiguous ralph/e1:US-001 ralph/e2:US-001");
    check_found(&store, "ralph/e2:US-005", "e4 US-005");
    check_found(&store, "e2:US-001", "e2 US-001");
    check_found(&store, "ralph/e3:US-003", "e3 US-003");
    check_found(
        &store,
        "US-003",
        "missing ralph/e1:US-001 ralph/e1:US-002 ralph/e2:US-001 ralph/e2:US-005",
    );
    check_found(&store, "ralph/e1:US-009", "missing ralph/e1:US-001 ralph/e1:US-002");
    check_found(&store, "ralph/none:US-001", "missing");
    check_found(&store, "$(x):US-001", "missing");
    check_found(&store, ":US-001", "missing");
}

#[test]
fn the_candidates_of_one_branch_are_told_apart_by_execution() {
    let world = World::new();
    let mut twin = execution("e2");
    twin.branch = "ralph/e1".parse().unwrap();
    let twin = Started { execution: twin, stories: vec![story(1, 1)], bases: Vec::new() };
    let twin = event(2, "e2", None, EventBody::Started(Box::new(twin)));
    let store = world.with(&[started(1, "e1", 1), twin]);
    check_found(&store, "US-001", "ambiguous e1:US-001 e2:US-001");
    check_found(&store, "e1:US-001", "e1 US-001");
}

/// STORY-6.3: the share counts the first update of each story that says it is done.
#[test]
fn the_first_submission_of_each_story_counts_and_no_other() {
    let world = World::new();
    let mut store = world.with(&[started(1, "e1", 3)]);
    let mut seq = 1;
    let mut check = |story: &str, body: EventBody, complete, submitted| {
        seq += 1;
        store.apply(&event(seq, "e1", Some(story), body)).unwrap();
        let actual = store.first_submissions().unwrap();
        assert_eq!(actual, FirstSubmissions { complete, submitted }, "after {seq}");
    };
    check("US-001", updated(ClaimResult::Accept, false, 2), 0, 0);
    check("US-001", updated(ClaimResult::Accept, true, 3), 1, 1);
    check("US-002", updated(ClaimResult::Accept, true, 2), 1, 2);
    check("US-002", updated(ClaimResult::Accept, true, 3), 1, 2);
    check("US-003", updated(ClaimResult::Reject, true, 3), 1, 3);
    check("US-001", updated(ClaimResult::Reject, true, 0), 1, 3);
}

#[test]
fn declarations_and_gates_are_kept() {
    let world = World::new();
    let store = world.with(&[
        started(1, "e1", 1),
        event(2, "e1", US, declared(&["a"])),
        event(3, "e1", US, declared(&["a", "b"])),
        event(4, "e1", US, verified(1)),
    ]);
    let declarations =
        store.declarations(&"e1".parse().unwrap(), &"US-001".parse().unwrap()).unwrap();
    let files: Vec<usize> = declarations.iter().map(|it| it.files.len()).collect();
    assert_eq!(files, [1, 2]);
    let tree = TreeId("tree1".to_owned());
    assert!(store.gate_run(&tree, "build", "make").unwrap().is_some());
    assert!(store.gate_run(&tree, "build", "make all").unwrap().is_none());
    assert!(store.gate_run(&TreeId("tree2".to_owned()), "build", "make").unwrap().is_none());
    let base = |name: &str| store.base_run(&Digest::of_bytes(name.as_bytes())).unwrap();
    assert_eq!(base("base").map(|it| (it.test.rc, it.is_after_build)), Some((1, true)));
    assert_eq!(base("another"), None);
}

#[test]
fn an_execution_is_found_by_id_and_by_branch() {
    let world = World::new();
    let mut again = execution("e2");
    again.branch = "ralph/e1".parse().unwrap();
    let again = Started { execution: again, stories: Vec::new(), bases: Vec::new() };
    let again = event(3, "e2", None, EventBody::Started(Box::new(again)));
    let mut store = world.with(&[started(1, "e1", 1), archived(2, "e1")]);
    let branch = "ralph/e1".parse().unwrap();
    let of_branch =
        |store: &Store| store.execution_of_branch(&branch).unwrap().map(|it| it.id.to_string());
    assert_eq!(of_branch(&store).as_deref(), Some("e1"), "history is found");
    store.apply(&again).unwrap();
    assert_eq!(of_branch(&store).as_deref(), Some("e2"), "what is going on comes first");
    assert!(store.execution(&"e1".parse().unwrap()).unwrap().unwrap().is_archived);
    assert!(store.execution(&"e7".parse().unwrap()).unwrap().is_none());
}

/// A waiver is about a text: another text needs another one. It is never counted as a proof.
#[test]
fn a_waiver_holds_for_the_text_that_was_waived() {
    let world = World::new();
    let store = world.with(&[
        started(1, "e1", 2),
        event(2, "e1", US, waived(2, "criterion 2")),
        event(3, "e1", US, waived(3, "another text")),
        event(4, "e1", Some("US-2"), waived(1, "criterion 1")),
        event(5, "e1", Some("US-009"), waived(1, "criterion 1")),
        event(6, "e1", US, waived(2, "criterion 2")),
    ]);
    let waivers = store.waivers(&"e1".parse().unwrap()).unwrap();
    let shown: Vec<String> = waivers
        .iter()
        .map(|it| {
            format!("{} {} {} {}: {}", it.seq, it.story_id, it.criterion, it.actor, it.reason)
        })
        .collect();
    assert_eq!(
        shown,
        [
            "4 US-002 AC-1 cli:ann: by hand: criterion 1",
            "6 US-001 AC-2 cli:ann: by hand: criterion 2",
        ],
    );
    let active = store.executions(Listed::Active).unwrap();
    assert_eq!((active[0].criteria(), active[0].n_proven()), ((0, 6), 0));
}

/// STORY-6.3: why updates were rejected, each rule once for each update.
#[test]
fn rejections_are_counted_by_rule() {
    let rejected = |seq, rules: &[&'static str]| {
        let finding = |rule: &&'static str| Finding {
            rule: (*rule).into(),
            severity: Severity::P0,
            subject: String::new(),
            message: String::new().into(),
            hint: None,
        };
        let outcome =
            StoryOutcome { findings: rules.iter().map(finding).collect(), ..outcome(0, 3) };
        let EventBody::Updated(body) = updated(ClaimResult::Reject, true, 0) else { panic!() };
        event(seq, "e1", US, EventBody::Updated(Box::new(Updated { outcome, ..*body })))
    };
    let mut accepted = rejected(4, &["A"]);
    if let EventBody::Updated(body) = &mut accepted.body {
        body.result = ClaimResult::Accept;
    }
    let world = World::new();
    let store = world.with(&[
        started(1, "e1", 1),
        rejected(2, &["A", "A", "B"]),
        rejected(3, &["A"]),
        accepted,
    ]);
    let counted: Vec<(String, u64)> = store.rejections().unwrap().into_iter().collect();
    assert_eq!(counted, [("A".to_owned(), 2), ("B".to_owned(), 1)]);
}
