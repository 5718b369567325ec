//! A task in a list: its state in plain words, how far it is proven, what it cost, and what it
//! waits for.

use provost_kernel::{
    AttemptNumber, Message, TaskId, Text, Timestamp,
    task::{IndexEntry, PauseCode, Status, TestProof, Usd},
};
use provost_rules_task::{accept, attempts::is_newest_used, phase::Phase, proven::Evidence};
use provost_vault::{AttemptFile, Stored, read_record};
use serde::Serialize;

use super::{AttemptCount, AttemptView, Listing, Proof, list::Known};
use crate::{DISK, Desk, DeskError};

/// A list of tasks with what people ask of each.
#[derive(Clone, Debug)]
pub struct Overview {
    pub rows: Vec<Row>,
    /// How many tasks there are besides, because of the limit.
    pub left_out: usize,
    /// Files because of which a task may be missing or stale here, as paths.
    pub unreadable: Vec<String>,
    /// Tasks whose state does not match the audit chain, with its file.
    pub altered: std::collections::BTreeMap<TaskId, String>,
    /// What the attempts cost that ended since midnight, UTC.
    pub today: Spent,
}

/// One task of a list.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    #[serde(flatten)]
    pub entry: IndexEntry,
    pub phase: Phase,
    /// None where no test says anything, or where it was not read.
    pub proof: Option<Proof>,
    /// None where it was not read: only the newest tasks are opened.
    pub spent: Option<Spent>,
    /// The newest attempt among those that count; none where only the entry of the task is known.
    pub tries: Option<AttemptCount>,
    pub waits_for: Option<Text>,
}

/// What attempts cost, as far as it was reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spent {
    /// The sum of what was reported; null where nothing was, which is not the same as nothing spent.
    pub usd: Option<Usd>,
    /// Attempts whose cost is not known: the agent ran and reported none, or still runs.
    pub unknown_attempts: usize,
}

/// What a task waits for, in a few words.
#[derive(Debug, Message)]
#[message(code = "task.waits_for")]
enum WaitsFor {
    #[message(en = "its turn", zh = "轮到它")]
    Turn,
    #[message(en = "your review", zh = "你的审阅")]
    Review,
    #[message(en = "your answer", zh = "你的答复")]
    Answer,
    #[message(en = "landing", zh = "合入")]
    Landing,
    #[message(en = "your decision", zh = "你的决定")]
    Decision,
    #[message(en = "`land` again, to finish", zh = "再次 `land` 以完成")]
    Unfinished,
    #[message(en = "{branch} {commit}", zh = "{branch} {commit}")]
    Nothing { branch: String, commit: String },
    #[message(en = "your instruction", zh = "你的指示")]
    Instruction,
    #[message(en = "an agent", zh = "智能体")]
    Agent,
    #[message(en = "a login", zh = "登录")]
    Login,
    #[message(en = "quota", zh = "配额")]
    Quota,
    #[message(en = "a larger budget", zh = "更多预算")]
    Budget,
    #[message(en = "more attempts", zh = "更多尝试次数")]
    Attempts,
    #[message(en = "dependencies", zh = "依赖")]
    Dependencies,
    #[message(en = "a test that runs", zh = "可运行的测试")]
    Test,
    #[message(en = "a judge", zh = "评审")]
    Judge,
    #[message(en = "a git repository", zh = "git 仓库")]
    Repository,
    #[message(en = "another id", zh = "另一个 id")]
    OtherId,
    #[message(en = "more time", zh = "更多时间")]
    Time,
    #[message(en = "`resume`", zh = "`resume`")]
    Resume,
    #[message(en = "a look at its state", zh = "检查其状态")]
    Inspection,
}

/// How many tasks are opened for a list: what an attempt cost lies in its folder.
const OPENED: usize = 500;
const DAY: i64 = 86_400;

impl Desk {
    /// Lists tasks like [`Desk::list`], with what people ask of each.
    pub fn overview(&self, listing: Listing) -> Result<Overview, DeskError> {
        let mut every = self.every()?;
        let midnight = self.clock.now().seconds().div_euclid(DAY) * DAY;
        let mut today = Spent::default();
        for (at, known) in every.tasks.iter().enumerate() {
            // The newest come first.
            if known.entry.updated_at.seconds() < midnight {
                break;
            }
            if at == OPENED {
                today.unknown_attempts += 1;
                break;
            }
            let attempts = self.attempts_of(&known.entry.task_id)?;
            let ended = attempts.iter().filter(|it| it.ended().is_none_or(|it| it >= midnight));
            today = today.plus(Spent::of(ended));
        }
        let left_out = every.narrow(listing);
        let mut rows = Vec::with_capacity(every.tasks.len());
        for (at, known) in every.tasks.into_iter().enumerate() {
            let is_altered = every.altered.contains_key(&known.entry.task_id);
            rows.push(self.listed_row(known, is_altered, at < OPENED)?);
        }
        let (unreadable, altered) = (every.unreadable, every.altered);
        Ok(Overview { rows, left_out, unreadable, altered, today })
    }

    fn listed_row(
        &self,
        known: Known,
        is_altered: bool,
        is_opened: bool,
    ) -> Result<Row, DeskError> {
        let Known { entry, status } = known;
        let phase = if is_altered {
            Phase::Untrusted
        } else {
            status.as_ref().map_or_else(|| Phase::of_entry(&entry), Phase::of)
        };
        let is_answered = match &status {
            Some(it) if phase == Phase::Paused => self.response(it)?.is_answered(),
            Some(_) | None => false,
        };
        let waits_for = waits_for(phase, &entry, status.as_ref(), is_answered);
        let waits_for = waits_for.map(|it| it.text());
        let mut tries = None;
        let (mut proof, mut spent) = (None, None);
        if is_opened {
            let attempts = self.attempts_of(&entry.task_id)?;
            spent = Some(Spent::of(&attempts));
            let newest = attempts.iter().find(|it| it.attempt == entry.current_attempt);
            if let (Some(newest), Some(status)) = (newest, &status) {
                tries = Some(AttemptCount::of_status(status, newest.decision.as_ref()));
                if !is_altered {
                    proof = self.proof_word(status, newest)?;
                }
            }
        }
        if let (None, Some(status)) = (tries, &status) {
            tries = Some(self.attempt_count(status)?);
        }
        Ok(Row { entry, phase, proof, spent, tries, waits_for })
    }

    /// The count of a task whose attempts were not read: its newest record is, where the status does
    /// not say enough.
    fn attempt_count(&self, status: &Status) -> Result<AttemptCount, DeskError> {
        let newest = AttemptNumber::try_from(status.current_attempt).ok();
        let newest = newest.filter(|_| is_newest_used(status).is_none());
        let files = self.files(&status.task_id);
        let record = newest.map(|it| files.decision(it)).transpose()?;
        let record = record.and_then(Stored::present).map(|it| it.value);
        Ok(AttemptCount::of_status(status, record.as_ref()))
    }

    /// What the attempts of a task left; what cannot be read is missing.
    pub(crate) fn attempts_of(&self, task: &TaskId) -> Result<Vec<AttemptView>, DeskError> {
        let attempts = self.files(task).attempts()?;
        attempts.into_iter().map(|it| self.attempt(task, it, &mut Vec::new())).collect()
    }

    fn proof_word(
        &self,
        status: &Status,
        newest: &AttemptView,
    ) -> Result<Option<Proof>, DeskError> {
        let Ok(attempt) = AttemptNumber::try_from(status.current_attempt) else { return Ok(None) };
        let at = self.layout.attempt_file(&status.task_id, attempt, AttemptFile::TestProof);
        let proof = read_record::<_, TestProof>(&DISK, &at)?.present();
        let accepted: Vec<_> =
            accept::of_attempt(&status.accepted, status.current_attempt).cloned().collect();
        let evidence = Evidence {
            decision: newest.decision.as_ref(),
            has_test: true,
            proof: proof.as_ref().map(|it| &it.value),
            accepted: &accepted,
        };
        Ok(evidence.proof())
    }
}

fn waits_for(
    phase: Phase,
    entry: &IndexEntry,
    status: Option<&Status>,
    is_answered: bool,
) -> Option<WaitsFor> {
    let are_used = |it: &Status| it.attempts_consumed >= it.effective_max_attempts;
    match phase {
        Phase::Running | Phase::Failed | Phase::Rejected => None,
        Phase::Queued => Some(WaitsFor::Turn),
        Phase::Paused => Some(match entry.pause_reason_code {
            Some(PauseCode::WaitingUserInput) if is_answered => WaitsFor::Resume,
            Some(PauseCode::Budget) if status.is_some_and(are_used) => WaitsFor::Attempts,
            code => waits_paused(code),
        }),
        Phase::Ready => Some(WaitsFor::Review),
        Phase::Stale => Some(WaitsFor::Resume),
        Phase::Approved => Some(WaitsFor::Landing),
        Phase::Undone => Some(WaitsFor::Decision),
        Phase::Landing => Some(WaitsFor::Unfinished),
        Phase::Landed => entry.landed.as_ref().map(|it| WaitsFor::Nothing {
            branch: it.branch.clone(),
            commit: it.short().to_owned(),
        }),
        Phase::Untrusted => Some(WaitsFor::Inspection),
    }
}

fn waits_paused(code: Option<PauseCode>) -> WaitsFor {
    match code {
        Some(PauseCode::WaitingUserInput) => WaitsFor::Answer,
        Some(
            PauseCode::ScoreGated
            | PauseCode::ScoreBelowThreshold
            | PauseCode::AllowedPaths
            | PauseCode::ForbiddenGlobs
            | PauseCode::Secrets
            | PauseCode::CoderNoOutput,
        ) => WaitsFor::Instruction,
        Some(PauseCode::AdapterMissing | PauseCode::CoderFailed) => WaitsFor::Agent,
        Some(PauseCode::CoderAuth | PauseCode::JudgeAuth) => WaitsFor::Login,
        Some(PauseCode::Quota) => WaitsFor::Quota,
        Some(PauseCode::Budget) => WaitsFor::Budget,
        Some(PauseCode::PrepareFailed) => WaitsFor::Dependencies,
        Some(PauseCode::TestNotRun) => WaitsFor::Test,
        Some(
            PauseCode::JudgeInvalid
            | PauseCode::JudgeTimeout
            | PauseCode::VerdictInvalid
            | PauseCode::VerdictInconsistent
            | PauseCode::ModeInvalid,
        ) => WaitsFor::Judge,
        Some(PauseCode::NotGitRepo) => WaitsFor::Repository,
        Some(PauseCode::TaskIdConflict) => WaitsFor::OtherId,
        Some(PauseCode::CoderTimeout | PauseCode::TestTimeout) => WaitsFor::Time,
        Some(PauseCode::Crash | PauseCode::User) | None => WaitsFor::Resume,
    }
}

impl Spent {
    /// What these attempts cost. One in which no agent ran cost nothing.
    pub fn of<'a>(attempts: impl IntoIterator<Item = &'a AttemptView>) -> Self {
        let mut spent = Self::default();
        for it in attempts {
            match &it.metrics {
                Some(metrics) => match (metrics.usd, metrics.coder_rc, metrics.judge_rc) {
                    (Some(usd), _, _) => spent.usd = Some(spent.usd.unwrap_or_default().plus(usd)),
                    (None, None, None) => {}
                    (None, _, _) => spent.unknown_attempts += 1,
                },
                None => spent.unknown_attempts += 1,
            }
        }
        spent
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let usd = [self.usd, other.usd].into_iter().flatten().reduce(Usd::plus);
        let unknown_attempts = self.unknown_attempts + other.unknown_attempts;
        Self { usd, unknown_attempts }
    }

    /// Whether there is nothing to say.
    pub fn is_nothing(self) -> bool {
        self == Self::default()
    }
}

impl AttemptView {
    /// Whether a judge was called.
    pub(crate) fn is_judged(&self) -> bool {
        self.metrics.as_ref().is_some_and(|it| it.judge_rc.is_some())
    }

    /// When the attempt ended, in seconds; none while it runs.
    pub(crate) fn ended(&self) -> Option<i64> {
        let decided = self.decision.as_ref().map(|it| it.decided_at);
        let marked = || self.metrics.as_ref()?.phase_ts.values().max().copied();
        decided.or_else(marked).map(Timestamp::seconds)
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Actor, Lang, Source,
        task::{BranchMove, LandMethod, Landing, Metrics, Review, ReviewOutcome, State},
    };

    use super::*;

    fn status(state: State, review: Option<ReviewOutcome>, landing: Option<bool>) -> Status {
        let actor = Actor { source: Source::Cli, id: "ann".to_owned() };
        let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        (status.state, status.current_attempt) = (state, 1);
        status.review = review.map(|outcome| Review {
            outcome,
            actor: actor.clone(),
            reviewed_at: Timestamp::EPOCH,
            because: None,
            attempt: Some(1),
            request_id: None,
            blind: false,
        });
        status.landed = landing.map(|is_done| Landing {
            attempt: 1,
            branch: "main".to_owned(),
            method: LandMethod::Squash,
            put: BranchMove {
                commit: "c0ffee0011".to_owned(),
                before: None,
                actor,
                ordered_at: Timestamp::EPOCH,
                at: is_done.then_some(Timestamp::EPOCH),
            },
            undone: None,
        });
        status
    }

    #[test]
    fn a_phase_says_what_became_of_the_result() {
        use ReviewOutcome::{Approved, Rejected};
        for (state, review, landing, expected, waits) in [
            (State::Running, None, None, Phase::Running, ""),
            (State::Paused, None, None, Phase::Paused, "`resume`"),
            (State::ReadyForReview, None, None, Phase::Ready, "your review"),
            (State::ReadyForReview, Some(Approved), None, Phase::Approved, "landing"),
            (State::ReadyForReview, Some(Rejected), None, Phase::Rejected, ""),
            (State::Failed, Some(Rejected), None, Phase::Rejected, ""),
            (State::Failed, None, None, Phase::Failed, ""),
            (
                State::ReadyForReview,
                Some(Approved),
                Some(false),
                Phase::Landing,
                "`land` again, to finish",
            ),
            (State::ReadyForReview, Some(Approved), Some(true), Phase::Landed, "main c0ffee0"),
        ] {
            let status = status(state, review, landing);
            assert_eq!(Phase::of(&status), expected, "{status:?}");
            let found = waits_for(expected, &IndexEntry::of(&status), Some(&status), false);
            let found = found.map(|it| Lang::En.render(&it.text())).unwrap_or_default();
            assert_eq!(found, waits, "{expected:?}");
        }
        let mut undone = status(State::ReadyForReview, Some(Approved), Some(true));
        let landing = undone.landed.as_mut().unwrap();
        landing.undone = Some(landing.put.clone());
        assert_eq!(Phase::of(&undone), Phase::Undone);
    }

    #[test]
    fn a_pause_waits_for_what_ends_it() {
        let waits = |code, used, is_answered| {
            let mut status = status(State::Paused, None, None);
            (status.pause_reason_code, status.attempts_consumed) = (Some(code), used);
            let entry = IndexEntry::of(&status);
            let found = waits_for(Phase::Paused, &entry, Some(&status), is_answered);
            found.map(|it| Lang::En.render(&it.text())).unwrap_or_default()
        };
        assert_eq!(waits(PauseCode::WaitingUserInput, 0, false), "your answer");
        assert_eq!(waits(PauseCode::WaitingUserInput, 0, true), "`resume`");
        assert_eq!(waits(PauseCode::Budget, 1, false), "a larger budget");
        assert_eq!(waits(PauseCode::Budget, 3, false), "more attempts");
    }

    #[test]
    fn a_cost_that_nobody_reported_is_not_nothing() {
        let attempt = |usd: Option<u64>, coder_rc: Option<i32>| {
            let metrics = Metrics {
                usd: usd.map(Usd::micros),
                coder_rc,
                ..Metrics::new("t1".parse().unwrap(), 1)
            };
            AttemptView {
                attempt: 1,
                decision: None,
                metrics: Some(metrics),
                final_score_0_100: None,
                rejected_because: None,
            }
        };
        let running = AttemptView { metrics: None, ..attempt(None, None) };
        for (attempts, usd, unknown_attempts) in [
            (vec![], None, 0),
            // The agent was never started.
            (vec![attempt(None, None)], None, 0),
            (vec![attempt(None, Some(0))], None, 1),
            (vec![running.clone()], None, 1),
            (vec![attempt(Some(5), Some(0)), attempt(Some(7), Some(1))], Some(12), 0),
            (vec![attempt(Some(5), Some(0)), attempt(None, Some(1)), running], Some(5), 2),
        ] {
            let expected = Spent { usd: usd.map(Usd::micros), unknown_attempts };
            assert_eq!(Spent::of(&attempts), expected, "{attempts:?}");
        }
    }
}
