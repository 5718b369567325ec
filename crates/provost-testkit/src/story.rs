//! Events of stories, for tests and benchmarks: one execution, five stories, four criteria each.

#![expect(clippy::expect_used, reason = "an event that cannot be made ends the test")]

use provost_kernel::{
    Digest, Timestamp,
    story::{
        ClaimResult, Criterion, CriterionStatus, DiskRules, EventBody, EvidenceLabel, Execution,
        ExecutionChange, ExecutionProgress, ExecutionStatus, PlanPriority, Started, Story, StoryId,
        StoryOutcome, Updated,
    },
};
use provost_vault::story::NewEvent;

const N_STORIES: u32 = 5;
const N_CRITERIA: u16 = 4;

/// The beginning of an execution.
pub fn started(id: &str) -> NewEvent {
    let started = Started { execution: execution(id), stories: plan(), bases: Vec::new() };
    event(id, None, EventBody::Started(Box::new(started)))
}

/// An update of its first story, of which two criteria pass.
pub fn updated(id: &str) -> NewEvent {
    let updated = Updated {
        claimed: serde_json::json!({"storyId": "US-001", "passes": true}),
        result: ClaimResult::Accept,
        original_passes: true,
        outcome: outcome(),
        declared: None,
        notes: None,
        change: ExecutionChange::default(),
    };
    event(id, Some(StoryId::from_number(1)), EventBody::Updated(Box::new(updated)))
}

fn event(id: &str, story_id: Option<StoryId>, body: EventBody) -> NewEvent {
    let execution_id = id.parse().expect("an id");
    NewEvent { at: Timestamp::EPOCH, execution_id, story_id, body }
}

fn execution(id: &str) -> Execution {
    Execution {
        id: id.parse().expect("an id"),
        project: "shop".to_owned(),
        branch: format!("ralph/{id}").parse().expect("a branch"),
        description: "Login with a password".to_owned(),
        priority: PlanPriority::P1,
        prd_path: "tasks/login.md".to_owned(),
        plan_digest: Some(Digest::of_bytes(id.as_bytes())),
        project_root: "/shop".to_owned(),
        worktree_path: None,
        base_commit_sha: None,
        disk: DiskRules::default(),
        rebased: std::collections::BTreeMap::new(),
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

fn plan() -> Vec<Story> {
    let criterion = |number: u16| Criterion {
        id: number.try_into().expect("a number"),
        text: format!("criterion {number} of a story that somebody wants"),
        digest: Digest::of_bytes(&number.to_be_bytes()),
        verify: None,
        need: None,
    };
    let story = |number: u32| Story {
        id: StoryId::from_number(number),
        title: format!("Story {number}"),
        description: "As a user I want it so that it is there".to_owned(),
        priority: number,
        criteria: (1..=N_CRITERIA).map(criterion).collect(),
        tests_may_change: Vec::new(),
    };
    (1..=N_STORIES).map(story).collect()
}

fn outcome() -> StoryOutcome {
    let status = |number: u16| CriterionStatus {
        passes: number <= 2,
        label: EvidenceLabel::Reproduced,
        proof: None,
        need: None,
        evidence: Some("the tests pass".to_owned()),
        command: Some("make check".to_owned()),
        output: Some("ok\n".repeat(100)),
        claimed_output: None,
        files: Vec::new(),
        tests: Vec::new(),
        blocked_reason: None,
    };
    let by_criterion = |it: u16| (it.try_into().expect("a number"), status(it));
    StoryOutcome {
        passes: false,
        tree: None,
        ac_status: (1..=N_CRITERIA).map(by_criterion).collect(),
        evidence: std::collections::BTreeMap::new(),
        findings: Vec::new(),
        gates: Vec::new(),
        bases: Vec::new(),
    }
}
