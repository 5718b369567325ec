use std::sync::Arc;

use camino::Utf8Path;
use provost_kernel::{
    Clock, Digest, Millis, Source, Timestamp,
    story::{
        ClaimResult, DiskRules, ExecutionProgress, ExecutionStatus, PlanPriority, Started, Story,
        Updated, Waived,
    },
};
use provost_vault::{Layout, RealDisk, prepare_home, story::NewEvent};
use serde_json::json;

use super::*;

struct Noon;

impl Clock for Noon {
    fn millis(&self) -> Millis {
        Millis(43_200_000)
    }
}

/// A worktree that nothing is known of.
struct Alone;

impl StoryPort for Alone {
    fn compare(
        &self,
        _: &Desk,
        _: &Stories<'_>,
        _: &Execution,
        rows: Vec<StoryRow>,
    ) -> Result<Vec<ComparedStory>, PortError> {
        Ok(rows.into_iter().map(|row| ComparedStory { row, stale: None }).collect())
    }

    fn waive(&self, _: &Desk, _: &Waiver<'_>) -> Result<Waiving, PortError> {
        Err(PageError::Cursor.into())
    }
}

fn execution(id: &str) -> Execution {
    Execution {
        id: id.parse().unwrap(),
        project: "shop".to_owned(),
        branch: format!("ralph/{id}").parse().unwrap(),
        description: "Delivery".to_owned(),
        priority: PlanPriority::P1,
        prd_path: "docs/prd.md".to_owned(),
        plan_digest: None,
        project_root: "/shop".to_owned(),
        worktree_path: None,
        base_commit_sha: Some("7d20b5a".to_owned()),
        disk: DiskRules::default(),
        rebased: BTreeMap::new(),
        status: ExecutionStatus::Running,
        status_reason: None,
        agent_task_id: None,
        dependencies: Vec::new(),
        progress: ExecutionProgress::default(),
        is_archived: false,
        merged_at: None,
        merge_commit_sha: None,
        created_at: Timestamp::EPOCH,
        updated_at: Timestamp::EPOCH,
    }
}

fn story(id: &str, criteria: usize) -> Story {
    let criterion = |n: usize| Criterion {
        id: format!("AC-{n}").parse().unwrap(),
        text: format!("criterion {n}"),
        digest: Digest::of_bytes(format!("criterion {n}").as_bytes()),
        verify: None,
        need: None,
    };
    Story {
        id: id.parse().unwrap(),
        title: "<b>Limit</b>".to_owned(),
        description: String::new(),
        priority: 1,
        criteria: (1..=criteria).map(criterion).collect(),
        tests_may_change: Vec::new(),
    }
}

/// STORY-2.3, STORY-2.4: a board, one story in full, and what a waiver is.
#[test]
fn a_board_says_how_far_each_story_is_and_a_story_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(folder.path()).unwrap();
    let layout = Layout::new(&path.join("home"), None, &path.join("state"));
    prepare_home(&RealDisk, &layout).unwrap();
    let desk = Desk::new(layout, Arc::new(Noon));
    let none = desk.story_board(&Alone, None, 20).unwrap();
    assert!(none.plans.is_empty() && none.history.is_empty());
    let mut stories = desk.stories().unwrap();
    let event = |id: &str, story_id: Option<&str>, body: EventBody| NewEvent {
        at: Timestamp::EPOCH,
        execution_id: id.parse().unwrap(),
        story_id: story_id.map(|it| it.parse().unwrap()),
        body,
    };
    for id in ["e1", "e2"] {
        let started = Started {
            execution: execution(id),
            stories: vec![story("US-001", 3), story("US-002", 2)],
            bases: Vec::new(),
        };
        stories.record(event(id, None, EventBody::Started(Box::new(started)))).unwrap();
    }
    let status = |passes: bool, label: &str, proof: Option<&str>| json!({"passes": passes, "label": label, "proof": proof, "command": "make test"});
    let outcome: StoryOutcome = serde_json::from_value(json!({
        "passes": false,
        "tree": "51f0c2e",
        "ac_status": {
            "AC-1": status(true, "REPRODUCED", Some("SHOWN")),
            "AC-2": status(false, "CONTRADICTED", None),
            "AC-3": status(false, "NOT_RUN", None),
        },
        "evidence": {"AC-2": {"claim": {"command": "make test"}, "result": {
            "label": "CONTRADICTED", "tree": "51f0c2e", "exitCode": 101, "output": "1 failed"}}},
    }))
    .unwrap();
    let updated = Updated {
        claimed: json!({}),
        result: ClaimResult::Reject,
        original_passes: true,
        outcome,
        declared: None,
        notes: None,
        change: provost_kernel::story::ExecutionChange::default(),
    };
    stories.record(event("e1", Some("US-001"), EventBody::Updated(Box::new(updated)))).unwrap();
    let waived = Waived {
        criterion: "AC-3".parse().unwrap(),
        digest: Digest::of_bytes(b"criterion 3"),
        reason: "looked at it".to_owned(),
        actor: Actor { source: Source::Cli, id: "mia".to_owned() },
    };
    stories.record(event("e1", Some("US-001"), EventBody::Waived(waived))).unwrap();
    drop(stories);

    let board = desk.story_board(&Alone, None, 1).unwrap();
    assert_eq!((board.plans.len(), board.totals.plans, board.totals.stories), (1, 2, 4));
    assert_eq!((board.totals.criteria, board.totals.waivers), (10, 1));
    let next = desk.story_board(&Alone, board.next_cursor.as_deref(), 1).unwrap();
    assert_eq!((next.plans.len(), next.next_cursor.is_none()), (1, true));
    assert_ne!(next.plans[0].id, board.plans[0].id);
    assert!(desk.story_board(&Alone, Some("e9"), 1).is_err());

    let view = desk.story(&Alone, &"e1:US-001".parse().unwrap()).unwrap();
    let labels: Vec<_> = view.evidence.iter().map(|it| it.label).collect();
    // A rejected update changes no story: what was kept before counts.
    assert_eq!(labels.len(), 3);
    assert_eq!(labels[2], "WAIVED");
    assert_eq!(view.evidence[2].waived.as_ref().unwrap().actor, "cli:mia");
    assert_eq!(view.attempts.len(), 1);
    assert!(view.attempts[0].said_done && !view.attempts[0].is_done);
    assert_eq!(view.line.label.to_string(), format!("US-001 {}/3 AC", view.line.passing));
    assert!(desk.story(&Alone, &"US-009".parse().unwrap()).is_err());
    // Two plans have it: which one is meant is not guessed.
    assert!(desk.story(&Alone, &"US-001".parse().unwrap()).is_err());
}
