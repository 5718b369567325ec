//! Whether the files of a task agree with each other and with the rules (LOOP-B20).

use provost_kernel::{
    Finding, Message, Severity,
    task::{FinalSummary, IndexEntry, PauseCode, Row, State, Status},
};

/// What does not hold of a task's files; nothing when all is well.
///
/// A summary belongs to every state but RUNNING. What other versions did not write is a remark
/// and not a defect.
pub fn check(
    status: &Status,
    summary: Option<&FinalSummary>,
    index: Option<&IndexEntry>,
) -> Vec<Finding> {
    let mut findings = Findings { list: Vec::new() };
    check_pause(&mut findings, status);
    check_transition(&mut findings, status);
    check_attempts(&mut findings, status);
    match summary {
        Some(summary) => {
            let is_same = summary.state == status.state
                && summary.state_version == status.state_version
                && summary.pause_reason_code == status.pause_reason_code
                && summary.last_decision == status.last_decision;
            findings.unless(
                is_same || status.state == State::Running,
                "summary",
                Defect::Disagrees,
            );
        }
        None => findings.unless(status.state == State::Running, "summary", Defect::Missing),
    }
    match index {
        Some(index) => {
            let is_same =
                index.state == status.state && index.state_version == status.state_version;
            findings.unless(is_same, "index", Defect::Disagrees);
        }
        None => findings.remark("index", Defect::Missing),
    }
    findings.list
}

/// A rule that the files of a task break.
#[derive(Clone, Copy, Debug, Message)]
#[message(code = "task.selfcheck")]
enum Defect {
    #[message(en = "the file is missing", zh = "缺少此文件")]
    Missing,
    #[message(en = "disagrees with the status", zh = "与状态文件不一致")]
    Disagrees,
    #[message(en = "set exactly while the task is paused", zh = "仅在任务暂停时才有此代码")]
    PauseCode,
    #[message(en = "is not the category of the pause code", zh = "与暂停代码的类别不符")]
    PauseCategory,
    #[message(en = "a paused task asks at least one question", zh = "暂停的任务必须向人提问")]
    NoQuestion,
    #[message(
        en = "a paused or failed task records its last transition",
        zh = "暂停或失败的任务须记录最近一次转换"
    )]
    NoTransition,
    #[message(en = "the task failed with attempts left", zh = "任务失败时仍有剩余次数")]
    AttemptsLeft,
}

struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    fn unless(&mut self, holds: bool, subject: &str, defect: Defect) {
        if !holds {
            self.list.push(Finding::new("task.selfcheck", Severity::P0, subject, &defect));
        }
    }

    fn remark(&mut self, subject: &str, defect: Defect) {
        self.list.push(Finding::new("task.selfcheck", Severity::P2, subject, &defect));
    }
}

/// A task is paused exactly when it has a code, and then it asks something.
fn check_pause(findings: &mut Findings, status: &Status) {
    let is_paused = status.state == State::Paused;
    let (code, category) = (status.pause_reason_code, status.pause_category);
    findings.unless(code.is_some() == is_paused, "pause_reason_code", Defect::PauseCode);
    let is_of_code = category == code.map(PauseCode::category);
    findings.unless(is_of_code, "pause_category", Defect::PauseCategory);
    let asks = !is_paused || !status.questions_for_user.is_empty();
    findings.unless(asks, "questions_for_user", Defect::NoQuestion);
}

fn check_transition(findings: &mut Findings, status: &Status) {
    let is_needed = matches!(status.state, State::Paused | State::Failed);
    let holds = !is_needed || status.last_transition.is_some();
    findings.unless(holds, "last_transition", Defect::NoTransition);
}

/// A task fails when its attempts are used up, or by the same timeout twice.
fn check_attempts(findings: &mut Findings, status: &Status) {
    let row = status.last_transition.as_ref().and_then(|it| it.row);
    let is_used_up = status.attempts_consumed >= status.effective_max_attempts;
    if status.state == State::Failed && row != Some(Row::TimeoutTwice) && !is_used_up {
        findings.remark("attempts_consumed", Defect::AttemptsLeft);
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Timestamp,
        task::{ErrorClass, Facts, Role, VerdictDecision},
    };

    use super::*;
    use crate::{decision::decide, status};

    fn decided(class: ErrorClass, decision: VerdictDecision) -> Status {
        let facts = Facts {
            role: Role::Judge,
            rc: 0,
            error_class: class,
            verdict_decision: Some(decision),
            verdict_gated: false,
            thresholds_pass: true,
            current_attempt: 3,
            effective_max_attempts: 3,
            consecutive_timeout_count: 2,
            consecutive_timeout_key: None,
            questions_for_user: Vec::new(),
        };
        let mut before = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        before.attempts_consumed = 2;
        status::after(&before, &decide(&facts), &facts, Timestamp::EPOCH)
    }

    #[track_caller]
    fn check(change: impl Fn(&mut Status), expected: &[&str]) {
        let mut status = decided(ErrorClass::User, VerdictDecision::Fail);
        change(&mut status);
        assert_findings(&status, expected);
    }

    #[track_caller]
    fn assert_findings(status: &Status, expected: &[&str]) {
        let summary = FinalSummary::of(status, None);
        let index = IndexEntry::of(status);
        let findings = super::check(status, Some(&summary), Some(&index));
        let subjects: Vec<_> = findings.iter().map(|it| it.subject.as_str()).collect();
        assert_eq!(subjects, expected);
    }

    #[test]
    fn what_the_table_makes_is_sound() {
        use VerdictDecision::{Fail, NeedUserInput, Pass};
        for &class in ErrorClass::ALL {
            for decision in [Pass, Fail, NeedUserInput] {
                assert_findings(&decided(class, decision), &[]);
            }
        }
    }

    #[test]
    fn a_pause_without_its_parts_is_found() {
        check(|it| it.pause_reason_code = None, &["pause_reason_code", "pause_category"]);
        check(|it| it.pause_category = None, &["pause_category"]);
        check(|it| it.questions_for_user.clear(), &["questions_for_user"]);
        check(|it| it.last_transition = None, &["last_transition"]);
        check(|it| it.state = State::ReadyForReview, &["pause_reason_code"]);
        check(
            |it| {
                it.state = State::Failed;
                it.pause_reason_code = None;
                it.pause_category = None;
                it.last_transition = None;
            },
            &["last_transition", "attempts_consumed"],
        );
    }

    #[test]
    fn a_failure_used_up_its_attempts() {
        let mut failed = decided(ErrorClass::None, VerdictDecision::Fail);
        assert_eq!((failed.state, failed.attempts_consumed), (State::Failed, 3));
        assert_findings(&failed, &[]);
        failed.attempts_consumed = 2;
        assert_findings(&failed, &["attempts_consumed"]);
        let mut timeout = decided(ErrorClass::Timeout, VerdictDecision::Fail);
        timeout.attempts_consumed = 1;
        assert_findings(&timeout, &[]);
    }

    #[test]
    fn files_that_disagree_are_found() {
        let status = decided(ErrorClass::User, VerdictDecision::Fail);
        let summary = FinalSummary::of(&status, None);
        let index = IndexEntry::of(&status);
        let check = |summary: Option<&FinalSummary>,
                     index: Option<&IndexEntry>,
                     expected: &[(&str, Severity)]| {
            let findings = super::check(&status, summary, index);
            let actual: Vec<_> =
                findings.iter().map(|it| (it.subject.as_str(), it.severity)).collect();
            assert_eq!(actual, expected);
        };
        check(Some(&summary), Some(&index), &[]);
        check(None, None, &[("summary", Severity::P0), ("index", Severity::P2)]);
        for change in [
            |it: &mut FinalSummary| it.state = State::Failed,
            |it: &mut FinalSummary| it.state_version += 1,
            |it: &mut FinalSummary| it.pause_reason_code = None,
            |it: &mut FinalSummary| it.last_decision = None,
        ] {
            let mut other = summary.clone();
            change(&mut other);
            check(Some(&other), Some(&index), &[("summary", Severity::P0)]);
        }
        let older = IndexEntry { state_version: 1, ..index.clone() };
        check(Some(&summary), Some(&older), &[("index", Severity::P0)]);
        let other = IndexEntry { state: State::Running, ..index };
        check(Some(&summary), Some(&other), &[("index", Severity::P0)]);
    }

    #[test]
    fn a_running_task_needs_no_summary() {
        let status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        let index = IndexEntry::of(&status);
        assert!(super::check(&status, None, Some(&index)).is_empty());
        let mut stale = FinalSummary::of(&status, None);
        stale.state_version = 9;
        assert!(super::check(&status, Some(&stale), Some(&index)).is_empty());
    }
}
