//! How far a result is proven: six facts, each with its standing.
//!
//! A standing comes from what provost ran and from what a person said of the newest attempt, never from
//! an agent's word. What is not known is not verified.

mod judge;
mod policy;
#[cfg(test)]
mod tests;

use provost_kernel::{
    Message, Text,
    task::{
        Acceptance, Checked, DecisionRecord, ReviewOutcome, RunStep, Running, Seal, SealFact,
        SealStanding, Standing, Status, TaskSpec, TestProof,
    },
};

use crate::{
    accept,
    phase::review_of,
    proven::{Evidence, TESTS},
};

/// What is known of the newest attempt of a task.
#[derive(Clone, Copy, Debug)]
pub struct Attempted<'a> {
    pub status: &'a Status,
    /// None when it cannot be read.
    pub spec: Option<&'a TaskSpec>,
    /// None while it runs, and for one that a crash cut off.
    pub decision: Option<&'a DecisionRecord>,
    /// What its test proves; only of one that was green.
    pub proof: Option<&'a TestProof>,
    /// What was checked so far, where it is not decided.
    pub so_far: &'a [Checked],
    pub running: Option<Running>,
    /// Whether a judge was called.
    pub is_judge_called: bool,
    /// Whether its state matches the audit chain; nothing else is believed.
    pub is_trusted: bool,
}

/// Checks of commands besides the test.
const COMMANDS: [&str; 3] = ["build", "lint", "types"];
/// What the check of the claims is called.
const CRITERIA: &str = "criteria";

/// What is said of a fact that no check speaks of.
#[derive(Debug, Message)]
#[message(code = "task.seal")]
pub(crate) enum SealNote {
    #[message(en = "no secrets", zh = "无密钥")]
    NoSecrets,
    #[message(en = "found in {subjects:names}", zh = "发现于 {subjects:names}")]
    Secrets { subjects: Vec<String> },
    #[message(en = "not scanned: {subjects:names}", zh = "未检查：{subjects:names}")]
    Unscanned { subjects: Vec<String> },
    #[message(en = "no file is forbidden", zh = "没有禁止的文件")]
    NoneForbidden,
    #[message(en = "the change cannot be read", zh = "无法读取改动")]
    Unreadable,
    #[message(en = "PASS", zh = "PASS")]
    Pass,
    #[message(en = "PASS, score {score} of 100", zh = "PASS，得分 {score}/100")]
    PassWithScore { score: String },
    #[message(en = "FAIL", zh = "FAIL")]
    Fail,
    #[message(en = "FAIL, score {score} of 100", zh = "FAIL，得分 {score}/100")]
    FailWithScore { score: String },
    #[message(en = "PASS, lowered to FAIL by facts", zh = "PASS，依事实降为 FAIL")]
    Lowered,
    #[message(en = "stopped by a gate", zh = "被硬性门槛拦下")]
    Gated,
    #[message(en = "below a threshold", zh = "低于门槛分")]
    BelowThreshold,
    #[message(en = "asks you", zh = "向你提问")]
    Asks,
    #[message(en = "the tests decide", zh = "由测试决定")]
    TestsDecide,
    #[message(en = "the task has no plan", zh = "任务没有计划")]
    NoPlan,
    #[message(en = "approved by {who}", zh = "{who} 已批准")]
    Approved { who: String },
    #[message(en = "rejected by {who}", zh = "{who} 已拒绝")]
    Rejected { who: String },
}

/// The six facts of the newest attempt, in their order.
pub fn seals(attempted: &Attempted<'_>) -> Vec<Seal> {
    let checks = attempted.checks();
    SealFact::ALL.iter().map(|&fact| attempted.seal(fact, &checks)).collect()
}

/// A standing with what is said of it.
type Found = (SealStanding, Option<Text>);

impl Attempted<'_> {
    fn seal(&self, fact: SealFact, checks: &[Checked]) -> Seal {
        let nothing = || (SealStanding::NotVerified, None);
        let (mut standing, detail) = match fact {
            _ if !self.is_trusted => nothing(),
            SealFact::Paths => policy::paths(self, checks),
            SealFact::Secrets => policy::secrets(self, checks),
            SealFact::Tests => self.tests(checks),
            SealFact::Claims => self.claims(checks),
            SealFact::Judge => judge::judge(self, checks),
            SealFact::Review => self.review().unwrap_or_else(nothing),
        };
        // What a person said of a result is about that result.
        let is_old = self.status.is_stale() && fact != SealFact::Review;
        if is_old && standing == SealStanding::Verified {
            standing = SealStanding::Stale;
        }
        if standing == SealStanding::NotVerified && self.is_trusted && self.runs(fact) {
            standing = SealStanding::Running;
        }
        Seal { fact, standing, detail }
    }

    /// What was checked: of an attempt that is decided by its record, else so far.
    fn checks(&self) -> Vec<Checked> {
        if self.decision.is_none() && !self.so_far.is_empty() {
            return self.so_far.to_vec();
        }
        let accepted: Vec<Acceptance> = self.accepted().cloned().collect();
        let evidence = self.evidence(&accepted);
        evidence.checks()
    }

    fn accepted(&self) -> impl Iterator<Item = &Acceptance> {
        accept::of_attempt(&self.status.accepted, self.status.current_attempt)
    }

    fn evidence<'b>(&'b self, accepted: &'b [Acceptance]) -> Evidence<'b> {
        Evidence {
            decision: self.decision,
            has_test: self.spec.is_none_or(|it| it.test_cmd.is_some()),
            proof: self.proof,
            accepted,
        }
    }

    /// Whether the step that runs finds this fact out.
    fn runs(&self, fact: SealFact) -> bool {
        let Some(running) = self.running else { return false };
        match running.step {
            RunStep::Policy => matches!(fact, SealFact::Paths | SealFact::Secrets),
            RunStep::Test | RunStep::Proof => fact == SealFact::Tests,
            RunStep::Claims => fact == SealFact::Claims,
            RunStep::Judge => fact == SealFact::Judge,
            RunStep::Prepare | RunStep::Base | RunStep::Coder | RunStep::Landing => false,
        }
    }

    /// The test, and the other commands that the task names. Tests are never left out.
    fn tests(&self, checks: &[Checked]) -> Found {
        let test = find(checks, TESTS);
        let found = test.map_or((SealStanding::NotVerified, None), of_check);
        let worst = worst(found, COMMANDS.iter().filter_map(|it| find(checks, it)).map(of_check));
        // A green test may say less than it seems to.
        let doubt = self.proof.and_then(|it| it.findings.iter().find(|it| it.code.leaves_open()));
        match doubt {
            Some(finding) if worst.0 == SealStanding::Verified => {
                (SealStanding::NotVerified, Some(finding.text()))
            }
            Some(_) | None => worst,
        }
    }

    fn claims(&self, checks: &[Checked]) -> Found {
        match find(checks, CRITERIA) {
            Some(check) => of_check(check),
            None if self.spec.is_some_and(|it| it.plan.is_none()) => {
                (SealStanding::NotAsked, Some(SealNote::NoPlan.text()))
            }
            None => (SealStanding::NotVerified, None),
        }
    }

    fn review(&self) -> Option<Found> {
        let review = review_of(self.status)?;
        let who = review.actor.to_string();
        Some(match review.outcome {
            ReviewOutcome::Approved => {
                (SealStanding::Verified, Some(SealNote::Approved { who }.text()))
            }
            ReviewOutcome::Rejected => {
                (SealStanding::Contradicted, Some(SealNote::Rejected { who }.text()))
            }
        })
    }
}

fn find<'a>(checks: &'a [Checked], name: &str) -> Option<&'a Checked> {
    checks.iter().rfind(|it| it.name == name)
}

fn of_check(check: &Checked) -> Found {
    let standing = match check.standing {
        Standing::Verified => SealStanding::Verified,
        Standing::Failed => SealStanding::Contradicted,
        Standing::NotVerified => SealStanding::NotVerified,
    };
    (standing, Some(check.detail.clone()))
}

/// The worst of several: one that does not hold, then one that was not run.
fn worst(first: Found, others: impl Iterator<Item = Found>) -> Found {
    let rank = |it: &Found| match it.0 {
        SealStanding::Contradicted => 0,
        SealStanding::Verified => 2,
        SealStanding::NotVerified
        | SealStanding::Running
        | SealStanding::NotAsked
        | SealStanding::Stale
        | SealStanding::Waived => 1,
    };
    others.fold(first, |worst, it| if rank(&it) < rank(&worst) { it } else { worst })
}
