//! What the tests share: a file to work on, events to apply, and every row there is.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use provost_kernel::{
    Actor, Digest, Source, Timestamp,
    story::{
        BaseRun, ClaimResult, Criterion, CriterionId, CriterionStatus, Declared, DiskRules,
        EventBody, EvidenceLabel, Execution, ExecutionChange, ExecutionProgress, ExecutionStatus,
        GateKind, GateOutcome, GateResult, GateRun, PlanPriority, ProofNeed, Started, Story,
        StoryEvent, StoryOutcome, TreeId, Updated, Verified, Waived,
    },
    task::BaseTest,
};
use provost_store::Store;
use rusqlite::{Connection, types::Value};

/// A folder with the file of an index in it.
pub(crate) struct World {
    folder: tempfile::TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> Utf8PathBuf {
        Utf8PathBuf::try_from(self.folder.path().join("provost.db")).unwrap()
    }

    pub(crate) fn open(&self) -> Store {
        Store::open(&self.path()).unwrap()
    }

    /// An index with these events in it.
    pub(crate) fn with(&self, events: &[StoryEvent]) -> Store {
        let mut store = self.open();
        for event in events {
            store.apply(event).unwrap();
        }
        store
    }

    /// A connection of somebody else.
    pub(crate) fn other(&self) -> Connection {
        Connection::open(self.path()).unwrap()
    }

    /// Every row of every table, in an order that says nothing about when it was written.
    pub(crate) fn rows(&self) -> Vec<String> {
        let connection = self.other();
        let tables: Vec<String> = connection
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let mut all = Vec::new();
        for table in tables {
            let mut statement = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
            let n_columns = statement.column_count();
            let rows = statement
                .query_map([], |row| {
                    (0..n_columns).map(|it| row.get::<_, Value>(it)).collect::<Result<Vec<_>, _>>()
                })
                .unwrap();
            all.extend(rows.map(|it| format!("{table}: {:?}", it.unwrap())));
        }
        all.sort();
        all
    }
}

pub(crate) fn event(seq: u64, execution: &str, story: Option<&str>, body: EventBody) -> StoryEvent {
    StoryEvent {
        seq,
        at: Timestamp::EPOCH,
        execution_id: execution.parse().unwrap(),
        story_id: story.map(|it| it.parse().unwrap()),
        body,
    }
}

pub(crate) fn execution(id: &str) -> Execution {
    Execution {
        id: id.parse().unwrap(),
        project: "shop".to_owned(),
        branch: format!("ralph/{id}").parse().unwrap(),
        description: "Login".to_owned(),
        priority: PlanPriority::P1,
        prd_path: "tasks/login.md".to_owned(),
        plan_digest: None,
        project_root: "/shop".to_owned(),
        worktree_path: None,
        base_commit_sha: None,
        disk: DiskRules::default(),
        rebased: BTreeMap::new(),
        status: ExecutionStatus::Ready,
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

pub(crate) fn story(number: u32, n_criteria: u16) -> Story {
    let criterion = |it: u16| Criterion {
        id: it.try_into().unwrap(),
        text: format!("criterion {it}"),
        digest: Digest::of_bytes(format!("criterion {it}").as_bytes()),
        verify: (it == 1).then(|| "make check".to_owned()),
        need: (it == 2).then_some(ProofNeed::Holds),
    };
    Story {
        id: provost_kernel::story::StoryId::from_number(number),
        title: format!("Story {number}"),
        description: "故事".to_owned(),
        priority: number,
        criteria: (1..=n_criteria).map(criterion).collect(),
        tests_may_change: Vec::new(),
    }
}

/// An execution with as many stories, of three criteria each.
pub(crate) fn started(seq: u64, id: &str, n_stories: u32) -> StoryEvent {
    let stories = (1..=n_stories).map(|it| story(it, 3)).collect();
    event(
        seq,
        id,
        None,
        EventBody::Started(Box::new(Started {
            execution: execution(id),
            stories,
            bases: Vec::new(),
        })),
    )
}

/// Criteria of which the first so many pass.
pub(crate) fn statuses(n_passing: u16, n_all: u16) -> BTreeMap<CriterionId, CriterionStatus> {
    let status = |it: u16| {
        let passes = it <= n_passing;
        let label = if passes { EvidenceLabel::Reproduced } else { EvidenceLabel::NotRun };
        CriterionStatus {
            passes,
            label,
            proof: None,
            need: None,
            evidence: Some("证据".to_owned()),
            command: None,
            output: None,
            claimed_output: None,
            files: Vec::new(),
            tests: Vec::new(),
            blocked_reason: None,
        }
    };
    (1..=n_all).map(|it| (it.try_into().unwrap(), status(it))).collect()
}

pub(crate) fn outcome(n_passing: u16, n_all: u16) -> StoryOutcome {
    let result = GateResult {
        kind: GateKind::Build,
        name: String::new(),
        command: Some("make".to_owned()),
        outcome: GateOutcome::Passed,
        exit_code: Some(0),
        tree: TreeId(format!("tree{n_passing}")),
        required: true,
    };
    StoryOutcome {
        passes: n_passing == n_all,
        tree: Some(TreeId(format!("tree{n_passing}"))),
        ac_status: statuses(n_passing, n_all),
        evidence: BTreeMap::new(),
        findings: Vec::new(),
        gates: vec![GateRun { result, duration_ms: 12, log_path: None }],
        bases: vec![BaseRun {
            key: Digest::of_bytes(b"base"),
            test: BaseTest::new("make check", "c0", 1, None, 0),
            is_after_build: true,
        }],
    }
}

pub(crate) fn updated(result: ClaimResult, original_passes: bool, n_passing: u16) -> EventBody {
    EventBody::Updated(Box::new(Updated {
        claimed: serde_json::json!({"storyId": "US-001", "passes": original_passes}),
        result,
        original_passes,
        outcome: outcome(n_passing, 3),
        declared: None,
        notes: None,
        change: ExecutionChange::default(),
    }))
}

pub(crate) fn verified(n_passing: u16) -> EventBody {
    EventBody::Verified(Box::new(Verified {
        outcome: outcome(n_passing, 3),
        change: ExecutionChange::default(),
    }))
}

pub(crate) fn declared(files: &[&str]) -> EventBody {
    EventBody::Declared(Declared {
        files: files.iter().map(|&it| it.to_owned()).collect(),
        tree: Some(TreeId("t0".to_owned())),
        is_late: false,
        reason: None,
    })
}

/// A criterion of `story` that a person does without, by its text.
pub(crate) fn waived(criterion: u16, text: &str) -> EventBody {
    EventBody::Waived(Waived {
        criterion: criterion.try_into().unwrap(),
        digest: Digest::of_bytes(text.as_bytes()),
        reason: format!("by hand: {text}"),
        actor: Actor { source: Source::Cli, id: "ann".to_owned() },
    })
}

pub(crate) fn changed(status: ExecutionStatus) -> EventBody {
    EventBody::Changed(ExecutionChange {
        status: Some(status),
        reason: Some("because".to_owned()),
        ..ExecutionChange::default()
    })
}
