//! A task as a list shows it.

use provost_kernel::{
    AttemptNumber, Message, TaskId, Text, Timestamp,
    task::{LandedOn, RunStep, Running, Seal, State, Status, TaskGroup, TestProof},
};
use provost_rules_task::{
    edit::edited,
    offers::{self, Offer},
    progress::{Progress, progress},
    seals::{Attempted, seals},
};
use provost_vault::{AttemptFile, Stored, read_record};
use schemars::JsonSchema;
use serde::Serialize;

use super::{WaitingRow, inbox};
use crate::{
    DISK, Desk, DeskError,
    task::{AttemptCount, AttemptView, Looked, Phase, Spent, review_of},
};

/// One task of a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BoardRow {
    pub task_id: TaskId,
    pub goal: String,
    pub state: State,
    pub state_version: u64,
    pub phase: Phase,
    pub group: TaskGroup,
    /// Six, in the order of the facts.
    pub seals: Vec<Seal>,
    /// Where it stands, in a few words.
    pub why: Text,
    /// More about it: a question, a reason, what it waits for.
    pub detail: Option<Text>,
    pub tries: Tries,
    pub spent: SpentView,
    pub updated_at: Timestamp,
    pub running: Option<Running>,
    /// What a person most likely wants to do about it.
    pub offer: Option<Offer>,
    /// How many questions are open.
    pub questions: usize,
    pub score: Option<String>,
    pub landed: Option<LandedOn>,
}

/// How many attempts there were.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tries {
    /// The newest attempt among those that count; 0 where none was begun.
    pub current: u16,
    pub used: u16,
    pub limit: u16,
}

impl Tries {
    /// The newest attempt, in words.
    pub fn text(self) -> Text {
        AttemptCount { count: self.current, of: self.limit }.text()
    }
}

/// What attempts cost, as far as it was reported.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpentView {
    /// In dollars, such as `0.84`; null where nothing was reported.
    pub usd: Option<String>,
    pub unknown_attempts: usize,
}

/// A row with what else is kept of its task.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Made {
    pub(super) row: BoardRow,
    /// The file of a state that does not match the audit chain.
    pub(super) altered: Option<String>,
    /// What it is found by, in lower case.
    pub(super) found_by: String,
    /// When each attempt ended, in seconds, and what it cost.
    pub(super) costs: Vec<(Option<i64>, Spent)>,
    pub(super) waiting: Option<WaitingRow>,
}

/// Where a task stands, where its state says less.
#[derive(Debug, Message)]
#[message(code = "task.stands")]
enum Stands {
    #[message(en = "waits for its turn", zh = "等待轮到它")]
    Queued,
    #[message(en = "being prepared", zh = "正在准备")]
    Prepare,
    #[message(en = "the test runs on the base", zh = "正在基准版本上运行测试")]
    Base,
    #[message(en = "the agent works", zh = "智能体正在工作")]
    Coder,
    #[message(en = "the change is held against the rules", zh = "正在对照规则检查改动")]
    Policy,
    #[message(en = "the test runs", zh = "正在运行测试")]
    Test,
    #[message(en = "the test is put to the proof", zh = "正在验证测试的证明力")]
    Proof,
    #[message(en = "the claims are run again", zh = "正在重新运行声明")]
    Claims,
    #[message(en = "the judge reads it", zh = "评审正在进行")]
    Judge,
    #[message(en = "its landing was broken off", zh = "合入中断")]
    Landing,
    #[message(en = "edited after attempt {attempt}", zh = "第 {attempt} 次尝试后已修改")]
    Stale { attempt: u16 },
    #[message(en = "approved by {who}", zh = "{who} 已批准")]
    Approved { who: String },
    #[message(en = "rejected by {who}", zh = "{who} 已拒绝")]
    Rejected { who: String },
    #[message(en = "landed on `{branch}`: {commit}", zh = "已合入 `{branch}`：{commit}")]
    Landed { branch: String, commit: String },
    #[message(en = "landed, and taken back", zh = "合入后已撤销")]
    Undone,
    #[message(en = "its state does not match the audit chain", zh = "其状态与审计链不符")]
    Untrusted,
}

impl Desk {
    /// One task as a list shows it.
    pub fn row(&self, task: &TaskId) -> Result<BoardRow, DeskError> {
        self.row_of(&self.look(task)?)
    }

    /// The same, of a task that was looked at.
    pub(crate) fn row_of(&self, looked: &Looked) -> Result<BoardRow, DeskError> {
        Ok(self.make_row(looked)?.row)
    }

    pub(super) fn make_row(&self, looked: &Looked) -> Result<Made, DeskError> {
        let status = &looked.status.value;
        let task = &status.task_id;
        let files = self.files(task);
        // A spec that cannot be read hides no state.
        let spec = files.spec()?.present().and_then(|it| edited(&it, &status.edited).ok());
        let spec = spec.map(|it| it.value);
        let attempts = self.attempts_of(task)?;
        let newest = attempts.iter().find(|it| it.attempt == status.current_attempt);
        let Progress { running, so_far } = self.progress(status, spec.as_ref())?;
        let proof = self.proof_of(status)?;
        let is_trusted = looked.altered.is_none();
        let seals = seals(&Attempted {
            status,
            spec: spec.as_ref(),
            decision: newest.and_then(|it| it.decision.as_ref()),
            proof: proof.as_ref(),
            so_far: &so_far,
            running,
            is_judge_called: attempts.iter().any(AttemptView::is_judged),
            is_trusted,
        });
        let phase = if is_trusted { Phase::of(status) } else { Phase::Untrusted };
        let group = phase.group(&seals);
        let response = self.response(status)?;
        let offers = if is_trusted {
            offers::offers(self.proposals_of(status, spec.as_ref(), &response)?)
        } else {
            Vec::new()
        };
        let count = AttemptCount::of_status(status, newest.and_then(|it| it.decision.as_ref()));
        let score = status.verdict_summary.as_ref().and_then(|it| it.final_score_0_100);
        let questions = if phase == Phase::Paused { status.questions() } else { Vec::new() };
        let row = BoardRow {
            task_id: task.clone(),
            goal: spec.map(|it| it.goal).unwrap_or_default(),
            state: status.state,
            state_version: status.state_version,
            phase,
            group,
            seals,
            why: why(status, phase, running),
            detail: detail(status, phase, &questions),
            tries: Tries {
                current: count.count,
                used: status.attempts_consumed,
                limit: status.effective_max_attempts,
            },
            spent: SpentView::of(Spent::of(&attempts)),
            updated_at: status.updated_at,
            running,
            offer: offers.iter().find(|it| it.is_likeliest).cloned(),
            questions: questions.len(),
            score: score.map(|it| it.to_string()),
            landed: LandedOn::of(status),
        };
        let found_by = format!("{task}\n{}\n{}\n{}", row.goal, status.message, row.why);
        let waiting = (group == TaskGroup::Waits)
            .then(|| inbox::waiting(self, status, &row, offers, &response))
            .transpose()?;
        Ok(Made {
            row,
            altered: looked.altered.clone(),
            found_by: found_by.to_lowercase(),
            costs: attempts.iter().map(|it| (it.ended(), Spent::of([it]))).collect(),
            waiting,
        })
    }

    /// How far a task that runs is.
    pub(crate) fn progress(
        &self,
        status: &Status,
        spec: Option<&provost_kernel::task::TaskSpec>,
    ) -> Result<Progress, DeskError> {
        let events = if status.is_driven() {
            self.files(&status.task_id).events()?.records
        } else {
            Vec::new()
        };
        Ok(progress(status, spec, &events))
    }

    /// What the test of the newest attempt proves; what cannot be read proves nothing.
    fn proof_of(&self, status: &Status) -> Result<Option<TestProof>, DeskError> {
        let Ok(attempt) = AttemptNumber::try_from(status.current_attempt) else { return Ok(None) };
        let at = self.layout().attempt_file(&status.task_id, attempt, AttemptFile::TestProof);
        Ok(match read_record::<_, TestProof>(&DISK, &at)? {
            Stored::Present(proof) => Some(proof.value),
            Stored::Absent | Stored::Corrupt(_) => None,
        })
    }
}

fn why(status: &Status, phase: Phase, running: Option<Running>) -> Text {
    let who = || review_of(status).map(|it| it.actor.to_string()).unwrap_or_default();
    let stands = match phase {
        Phase::Queued => Stands::Queued,
        Phase::Running => match running.map(|it| it.step) {
            None | Some(RunStep::Prepare) => Stands::Prepare,
            Some(RunStep::Base) => Stands::Base,
            Some(RunStep::Coder) => Stands::Coder,
            Some(RunStep::Policy) => Stands::Policy,
            Some(RunStep::Test) => Stands::Test,
            Some(RunStep::Proof) => Stands::Proof,
            Some(RunStep::Claims) => Stands::Claims,
            Some(RunStep::Judge) => Stands::Judge,
            Some(RunStep::Landing) => Stands::Landing,
        },
        Phase::Paused | Phase::Ready | Phase::Failed => return status.text(),
        Phase::Stale => Stands::Stale { attempt: status.current_attempt },
        Phase::Approved => Stands::Approved { who: who() },
        Phase::Rejected => Stands::Rejected { who: who() },
        Phase::Landing => Stands::Landing,
        Phase::Landed => match LandedOn::of(status) {
            Some(on) => Stands::Landed { commit: on.short().to_owned(), branch: on.branch },
            None => return status.text(),
        },
        Phase::Undone => Stands::Undone,
        Phase::Untrusted => Stands::Untrusted,
    };
    stands.text()
}

fn detail(status: &Status, phase: Phase, questions: &[Text]) -> Option<Text> {
    if phase == Phase::Rejected {
        return review_of(status)?.because.clone().map(Text::from);
    }
    questions.first().cloned()
}

impl SpentView {
    pub(crate) fn of(spent: Spent) -> Self {
        let usd = spent.usd.map(|it| it.to_string().trim_start_matches('$').to_owned());
        Self { usd, unknown_attempts: spent.unknown_attempts }
    }
}
