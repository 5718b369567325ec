//! What another program believed, as events of ours.
//!
//! The original keeps its executions in `state.json`, version 1; an older database has stories
//! without executions. Nothing of it is lost and nothing of it is proof: whether a story passes
//! stays on record as it was, while every criterion is `NOT_RUN` until provost has looked. What was
//! running there runs no longer, and what was complete has to be proven.

use std::collections::BTreeMap;

use provost_form::{Form, Limits, Path, Problem};
use provost_kernel::{
    Digest, Finding, Message, Severity, Timestamp, shorten,
    story::{
        BranchName, BranchNameError, Criterion, CriterionClaim, CriterionId, CriterionStatus,
        DiskRules, EvidenceLabel, Execution, ExecutionId, ExecutionIdError, ExecutionProgress,
        ExecutionStatus, Imported, KeptEvidence, LegacyStory, PlanPriority, Story, StoryId,
        StoryIdError, StoryState,
    },
};
use serde_json::{Map, Value};

use super::plan::normalise;

/// The executions that were found, and what could not be taken over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Import {
    pub executions: Vec<Imported>,
    pub notices: Vec<Finding>,
}

/// Why a file is not a state of the original.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "story.import")]
pub enum ImportError {
    #[message(en = "the state is not strict JSON", zh = "该状态不是严格的 JSON")]
    NotJson(#[source] Problem),
    /// Another version than 1, or none.
    #[message(
        en = "the state has version {found}; only version 1 can be imported",
        zh = "该状态的版本为 {found}，只能导入版本 1"
    )]
    Version { found: String },
    /// A value that stops the whole reading.
    #[message(transparent)]
    Value(Problem<NotATime>),
}

/// A value in the place of a time.
#[derive(Clone, Debug, Message)]
#[message(code = "story.import_time", en = "not a time", zh = "不是时间")]
pub struct NotATime;

/// Why something is not imported.
#[derive(Clone, Debug, Message)]
#[message(code = "story.import_skipped")]
enum Skipped {
    #[message(en = "not imported: provost has no merge queue", zh = "未导入：此处没有合并队列")]
    MergeQueue,
    #[message(
        en = "not imported: tasks are run by `provost run`",
        zh = "未导入：任务由 `provost run` 运行"
    )]
    RunnerConfig,
    #[message(en = "not imported: another story has this id", zh = "未导入：已有同一 id 的故事")]
    Duplicate,
    #[message(en = "not imported: {0}", zh = "未导入：{0}")]
    StoryId(StoryIdError),
    #[message(en = "not imported: {0}", zh = "未导入：{0}")]
    ExecutionId(ExecutionIdError),
    #[message(en = "not imported: {0}", zh = "未导入：{0}")]
    Branch(BranchNameError),
}

impl Skipped {
    fn finding(&self, subject: String) -> Finding {
        Finding::new("story.import", Severity::P2, subject, self)
    }
}

const LIMITS: Limits = Limits { bytes: 64 * 1024 * 1024, depth: 32 };

/// Reads a `state.json` of version 1.
pub fn state(bytes: &[u8]) -> Result<Import, ImportError> {
    let form = Form::json(bytes, LIMITS).map_err(ImportError::NotJson)?;
    let state = form.root();
    match state.get("version") {
        Some(version) if version.as_u64() == Some(1) => {}
        found => {
            let found = found.map_or("null".to_owned(), ToString::to_string);
            return Err(ImportError::Version { found: shorten(&found) });
        }
    }
    let mut import = Import::default();
    for (executions, stories, is_archived) in
        [("executions", "userStories", false), ("archivedExecutions", "archivedUserStories", true)]
    {
        let stories = list(state, stories);
        for (at, value) in list(state, executions).iter().enumerate() {
            let path = Path::default().key(executions).index(at);
            let bad_time = |key: &str| {
                let path = path.key(key);
                ImportError::Value(Problem { line: form.line(&path), path, kind: NotATime })
            };
            match execution(value, is_archived).map_err(bad_time)? {
                Ok(execution) => {
                    let stories = stories_of(&execution, stories, &mut import.notices);
                    import.executions.push(Imported { execution, stories });
                }
                Err(why) => import.notices.push(why.finding(path.pointer())),
            }
        }
    }
    for (key, why) in [("mergeQueue", Skipped::MergeQueue), ("runnerConfig", Skipped::RunnerConfig)]
    {
        if state.get(key).is_some_and(|it| !it.is_null() && *it != Value::Array(Vec::new())) {
            import.notices.push(why.finding(format!("/{key}")));
        }
    }
    Ok(import)
}

/// Makes executions for the stories of an older database. Rows that cannot be named stay where
/// they are.
pub fn older(rows: &[LegacyStory], now: Timestamp) -> Import {
    let mut import = Import::default();
    let mut groups: BTreeMap<&str, Vec<&LegacyStory>> = BTreeMap::new();
    for row in rows {
        groups.entry(&row.execution_id).or_default().push(row);
    }
    for (id, rows) in groups {
        let id = match id.parse::<ExecutionId>() {
            Ok(id) => id,
            Err(error) => {
                let why = Skipped::ExecutionId(error);
                import.notices.push(why.finding(format!("user_stories/{id}")));
                continue;
            }
        };
        let Ok(branch) = format!("imported/{id}").parse() else { continue };
        let execution = Execution {
            project: String::new(),
            branch,
            description: "stories of an older database".to_owned(),
            priority: PlanPriority::P1,
            prd_path: String::new(),
            plan_digest: None,
            project_root: String::new(),
            worktree_path: None,
            base_commit_sha: None,
            disk: DiskRules::default(),
            rebased: BTreeMap::new(),
            status: ExecutionStatus::Interrupted,
            status_reason: Some("imported".to_owned()),
            agent_task_id: None,
            dependencies: Vec::new(),
            progress: ExecutionProgress::default(),
            is_archived: false,
            merged_at: None,
            merge_commit_sha: None,
            created_at: now,
            updated_at: now,
            id,
        };
        let values: Vec<Value> = rows.into_iter().map(value_of).collect();
        let stories = stories_of(&execution, &values, &mut import.notices);
        import.executions.push(Imported { execution, stories });
    }
    import
}

/// A row of the older database in the shape of the original's record.
fn value_of(row: &LegacyStory) -> Value {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap_or(Value::Null);
    let criteria = parsed(&row.acceptance_criteria);
    let criteria = if criteria.is_array() {
        criteria
    } else {
        row.acceptance_criteria.lines().map(Value::from).collect()
    };
    serde_json::json!({
        "executionId": row.execution_id, "storyId": row.story_id, "title": row.title,
        "description": row.description, "acceptanceCriteria": criteria,
        "priority": row.priority.parse::<u32>().unwrap_or(1), "passes": row.passes,
        "notes": row.notes, "acEvidence": parsed(&row.ac_status),
        "expectedFiles": parsed(&row.expected_files),
    })
}

/// An execution, or why it is left out; the key of an unreadable date stops everything, as in the
/// original.
fn execution(value: &Value, is_archived: bool) -> Result<Result<Execution, Skipped>, &'static str> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let maybe = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let count = |key: &str| value.get(key).and_then(Value::as_u64).unwrap_or(0);
    let small = |key: &str| u32::try_from(count(key)).unwrap_or(u32::MAX);
    let date = |key: &'static str| match value.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(found) => {
            found.as_str().and_then(|it| it.parse::<Timestamp>().ok()).map(Some).ok_or(key)
        }
    };
    let named = (text("id").parse::<ExecutionId>(), text("branch").parse::<BranchName>());
    let (id, branch) = match named {
        (Ok(id), Ok(branch)) => (id, branch),
        (Err(error), _) => return Ok(Err(Skipped::ExecutionId(error))),
        (_, Err(error)) => return Ok(Err(Skipped::Branch(error))),
    };
    let recorded = text("status").parse().unwrap_or(ExecutionStatus::Interrupted);
    let status = if is_archived { recorded } else { resumed(recorded) };
    let created_at = date("createdAt")?.unwrap_or(Timestamp::EPOCH);
    let progress = ExecutionProgress {
        loop_count: small("loopCount"),
        consecutive_no_progress: small("consecutiveNoProgress"),
        consecutive_errors: small("consecutiveErrors"),
        last_error: maybe("lastError"),
        last_files_changed: count("lastFilesChanged"),
        last_progress_at: date("lastProgressAt")?,
        last_commit_count: value.get("lastCommitCount").and_then(Value::as_u64),
        current_story_id: maybe("currentStoryId").and_then(|it| it.parse().ok()),
        current_step: maybe("currentStep"),
        step_started_at: date("stepStartedAt")?,
    };
    Ok(Ok(Execution {
        id,
        project: text("project"),
        branch,
        description: text("description"),
        priority: text("priority").parse().unwrap_or(PlanPriority::P1),
        prd_path: text("prdPath"),
        plan_digest: None,
        project_root: text("projectRoot"),
        worktree_path: maybe("worktreePath"),
        base_commit_sha: maybe("baseCommitSha"),
        disk: DiskRules::default(),
        rebased: BTreeMap::new(),
        status,
        status_reason: (status != recorded).then(|| format!("imported as {recorded}")),
        agent_task_id: maybe("agentTaskId"),
        dependencies: strings(value.get("dependencies")),
        progress,
        is_archived,
        merged_at: date("mergedAt")?,
        merge_commit_sha: maybe("mergeCommitSha"),
        created_at,
        updated_at: date("updatedAt")?.unwrap_or(created_at),
    }))
}

/// It is not being worked on, and what was called complete is not proven.
fn resumed(recorded: ExecutionStatus) -> ExecutionStatus {
    match recorded {
        ExecutionStatus::Starting | ExecutionStatus::Running | ExecutionStatus::Merging => {
            ExecutionStatus::Interrupted
        }
        ExecutionStatus::Completed => ExecutionStatus::Ready,
        ExecutionStatus::Pending
        | ExecutionStatus::Ready
        | ExecutionStatus::Interrupted
        | ExecutionStatus::Failed
        | ExecutionStatus::Stopped
        | ExecutionStatus::Merged => recorded,
    }
}

fn stories_of(
    execution: &Execution,
    stories: &[Value],
    notices: &mut Vec<Finding>,
) -> Vec<StoryState> {
    let is_its = |it: &&Value| it.get("executionId") == Some(&execution.id.as_str().into());
    let mut found: Vec<StoryState> = Vec::new();
    for value in stories.iter().filter(is_its) {
        let text = value.get("storyId").and_then(Value::as_str).unwrap_or_default();
        let place = format!("{}:{text}", execution.id);
        match text.parse::<StoryId>() {
            Ok(id) if found.iter().any(|it| it.story.id.number() == id.number()) => {
                notices.push(Skipped::Duplicate.finding(place));
            }
            Ok(id) => found.push(story(id, value)),
            Err(error) => notices.push(Skipped::StoryId(error).finding(place)),
        }
    }
    found
}

fn story(id: StoryId, value: &Value) -> StoryState {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let criteria: Vec<Criterion> = strings(value.get("acceptanceCriteria"))
        .iter()
        .map(|it| normalise(it))
        .filter(|it| !it.is_empty())
        .zip(1_u16..)
        .filter_map(|(text, number)| {
            let id = CriterionId::try_from(number).ok()?;
            let digest = Digest::of_bytes(text.as_bytes());
            Some(Criterion { id, text, digest, verify: None, need: None })
        })
        .collect();
    let nothing = Map::new();
    let claims = value.get("acEvidence").and_then(Value::as_object).unwrap_or(&nothing);
    let evidence: BTreeMap<CriterionId, KeptEvidence> = claims
        .iter()
        .filter_map(|(key, claim)| {
            let id: CriterionId = key.parse().ok()?;
            criteria.iter().any(|it| it.id == id).then(|| (id, kept(claim)))
        })
        .collect();
    let ac_status = evidence.iter().map(|(id, kept)| (*id, unproven(&kept.claim))).collect();
    let expected_files = value.get("expectedFiles").filter(|it| it.is_array());
    StoryState {
        passes: value.get("passes").and_then(Value::as_bool).unwrap_or(false),
        notes: text("notes"),
        ac_status,
        evidence,
        expected_files: expected_files.map(|it| strings(Some(it))),
        story: Story {
            id,
            title: text("title"),
            description: text("description"),
            priority: value
                .get("priority")
                .and_then(Value::as_u64)
                .and_then(|it| u32::try_from(it).ok())
                .unwrap_or(1),
            criteria,
            tests_may_change: Vec::new(),
        },
    }
}

fn kept(claim: &Value) -> KeptEvidence {
    let maybe = |key: &str| claim.get(key).and_then(Value::as_str).map(str::to_owned);
    KeptEvidence {
        claim: CriterionClaim {
            passes: claim.get("passes").and_then(Value::as_bool),
            evidence: maybe("evidence"),
            command: maybe("command"),
            output: maybe("output"),
            blocked_reason: maybe("blockedReason"),
            ..CriterionClaim::default()
        },
        result: None,
    }
}

fn unproven(claim: &CriterionClaim) -> CriterionStatus {
    CriterionStatus {
        passes: false,
        label: EvidenceLabel::NotRun,
        proof: None,
        need: None,
        evidence: claim.evidence.clone(),
        command: claim.command.clone(),
        output: None,
        claimed_output: claim.output.clone(),
        files: Vec::new(),
        tests: Vec::new(),
        blocked_reason: claim.blocked_reason.clone(),
    }
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use provost_kernel::Lang;
    use serde_json::json;

    use super::*;

    fn state_of(executions: Value, stories: Value) -> Vec<u8> {
        json!({
            "version": 1, "executions": executions, "userStories": stories,
            "mergeQueue": [], "archivedExecutions": [], "archivedUserStories": [],
            "mcpClients": [],
        })
        .to_string()
        .into_bytes()
    }

    fn original(status: &str) -> Value {
        json!({
            "id": "5f0c1f0e-8a43-4c63-9f7b-0c3f4a2e1d55", "project": "shop",
            "branch": "ralph/login", "description": "Login", "priority": "P0",
            "prdPath": "tasks/login.md", "projectRoot": "/shop", "worktreePath": null,
            "baseCommitSha": "abc", "status": status, "agentTaskId": "a1",
            "onConflict": "agent", "autoMerge": true, "dependencies": ["ralph/db"],
            "loopCount": 4, "consecutiveErrors": 1, "lastError": "no",
            "currentStoryId": "US-002", "createdAt": "2026-02-01T03:21:00.123Z",
            "updatedAt": "2026-02-01T06:04:00Z",
        })
    }

    fn story_value() -> Value {
        json!({
            "id": "5f0c1f0e-8a43-4c63-9f7b-0c3f4a2e1d55:US-001",
            "executionId": "5f0c1f0e-8a43-4c63-9f7b-0c3f4a2e1d55", "storyId": "US-001",
            "title": "Form", "description": "As a user", "priority": 3, "passes": true,
            "acceptanceCriteria": ["It logs in", "  It  logs out "], "notes": "n",
            "acEvidence": {
                "AC-1": {"passes": true, "evidence": "done", "command": "make", "output": "ok"},
                "AC-2": {"passes": false, "blockedReason": "no network"},
                "AC-9": {"passes": true},
            },
        })
    }

    /// STORY-6.1: what the original believed stays on record and proves nothing.
    #[test]
    fn a_state_of_the_original_is_taken_over_without_its_verdicts() {
        let bytes = state_of(json!([original("running")]), json!([story_value()]));
        let import = state(&bytes).unwrap();
        assert_eq!(import.notices, []);
        let Imported { execution, stories } = &import.executions[0];
        assert_eq!(execution.status, ExecutionStatus::Interrupted);
        assert_eq!(execution.status_reason.as_deref(), Some("imported as running"));
        assert_eq!(execution.created_at.to_string(), "2026-02-01T03:21:00Z");
        assert_eq!((execution.progress.loop_count, execution.priority), (4, PlanPriority::P0));
        let [story] = stories.as_slice() else { panic!("{stories:?}") };
        assert!(story.passes);
        assert_eq!(story.story.criteria[1].text, "It logs out");
        assert_eq!(story.ac_status.len(), 2, "a criterion that is none is left out");
        assert!(story.ac_status.values().all(|it| !it.passes));
        let first: CriterionId = "AC-1".parse().unwrap();
        assert_eq!(story.evidence[&first].claim.passes, Some(true));
        assert_eq!(story.ac_status[&first].command.as_deref(), Some("make"));
    }

    #[test]
    fn nothing_runs_after_an_import_and_history_stays_history() {
        let statuses = [
            ("pending", "pending"),
            ("ready", "ready"),
            ("starting", "interrupted"),
            ("running", "interrupted"),
            ("interrupted", "interrupted"),
            ("completed", "ready"),
            ("failed", "failed"),
            ("stopped", "stopped"),
            ("merging", "interrupted"),
            ("merged", "merged"),
            ("invented", "interrupted"),
        ];
        for (recorded, expected) in statuses {
            let bytes = state_of(json!([original(recorded)]), json!([]));
            let import = state(&bytes).unwrap();
            assert_eq!(import.executions[0].execution.status.as_str(), expected, "{recorded}");
        }
        let archived = json!({"version": 1, "archivedExecutions": [original("completed")]});
        let import = state(archived.to_string().as_bytes()).unwrap();
        let execution = &import.executions[0].execution;
        assert!(execution.is_archived);
        assert_eq!(execution.status, ExecutionStatus::Completed);
    }

    #[test]
    fn what_cannot_be_named_is_left_out_and_said() {
        let mut injected = original("ready");
        injected["branch"] = "$(touch x)".into();
        let mut other = story_value();
        other["storyId"] = "../x".into();
        let bytes = state_of(
            json!([injected, original("ready")]),
            json!([other, story_value(), story_value()]),
        );
        let import = state(&bytes).unwrap();
        assert_eq!(import.executions.len(), 1);
        assert_eq!(import.executions[0].stories.len(), 1);
        let subjects: Vec<&str> = import.notices.iter().map(|it| it.subject.as_str()).collect();
        let id = "5f0c1f0e-8a43-4c63-9f7b-0c3f4a2e1d55";
        assert_eq!(subjects, ["/executions/0", &format!("{id}:../x"), &format!("{id}:US-001")],);
    }

    #[track_caller]
    fn check_error(text: &str, expected: &str) {
        let error = state(text.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
        assert_ne!(Lang::Zh.render(&error.text()), expected);
    }

    #[test]
    fn a_file_that_is_no_such_state_is_refused() {
        check_error("{", "the state is not strict JSON");
        check_error(r#"{"version": 1, "version": 1}"#, "the state is not strict JSON");
        check_error("{}", "the state has version null; only version 1 can be imported");
        check_error(r#"{"version": 2}"#, "the state has version 2; only version 1 can be imported");
        let mut bad = original("ready");
        bad["createdAt"] = "yesterday".into();
        let text = String::from_utf8(state_of(json!([bad]), json!([]))).unwrap();
        check_error(&text, "line 1: `executions[0].createdAt`: not a time");
    }

    #[test]
    fn rows_of_an_older_database_become_executions() {
        let row = |execution: &str, story: &str, criteria: &str| LegacyStory {
            execution_id: execution.to_owned(),
            story_id: story.to_owned(),
            acceptance_criteria: criteria.to_owned(),
            priority: "2".to_owned(),
            passes: true,
            ..LegacyStory::default()
        };
        let rows = [
            row("e1", "US-001", r#"["one", "two"]"#),
            row("e1", "US-002", "- one\n- two"),
            row("e 2", "US-001", "[]"),
        ];
        let import = older(&rows, Timestamp::EPOCH);
        assert_eq!(import.executions.len(), 1);
        assert_eq!(import.notices.len(), 1, "{:?}", import.notices);
        let stories = &import.executions[0].stories;
        let counts: Vec<usize> = stories.iter().map(|it| it.story.criteria.len()).collect();
        assert_eq!(counts, [2, 2]);
        assert!(stories.iter().all(|it| it.passes && it.ac_status.is_empty()));
        assert_eq!(import.executions[0].execution.branch.as_str(), "imported/e1");
    }
}
