//! What a person can do about a task, as commands to type.

use provost_kernel::{
    Message, TaskId, Text,
    task::{PauseCode, Review, ReviewOutcome, State, Status, TaskSpec},
};
use provost_rules_task::{
    accept,
    landing::{Stage, is_undone, stage},
};
use serde::Serialize;

use super::Response;
use crate::{Desk, DeskError};

/// A command, and what it is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Next {
    pub command: String,
    pub why: Text,
}

/// What a command is for.
#[derive(Debug, Message)]
#[message(code = "task.next")]
enum Why {
    #[message(en = "continue", zh = "继续")]
    Continue,
    #[message(en = "begin now", zh = "立即开始")]
    Begin,
    #[message(en = "let everything go on that waits", zh = "运行所有等待中的任务")]
    BeginAll,
    #[message(en = "see why", zh = "查看原因")]
    Explain,
    #[message(en = "watch it", zh = "跟踪事件")]
    Watch,
    #[message(en = "stop at the next checkpoint", zh = "在下一检查点暂停")]
    Pause,
    #[message(en = "accept the result", zh = "批准结果")]
    Approve,
    #[message(en = "put it onto its branch", zh = "合入其分支")]
    Land,
    #[message(en = "put it onto its branch again", zh = "重新合入其分支")]
    LandAgain,
    #[message(en = "see what became of it", zh = "确认合入结果")]
    FinishLanding,
    #[message(en = "take it back, by a new commit", zh = "以新提交撤销")]
    UndoLand,
    #[message(en = "try again, with your reason", zh = "按你的理由再试一次")]
    TryAgain,
    #[message(en = "answer the question", zh = "回答问题")]
    Answer,
    #[message(en = "instruct the next attempt", zh = "说明下一次尝试应做什么")]
    Edit,
    #[message(en = "allow one more attempt", zh = "再允许一次尝试")]
    MoreAttempts,
    #[message(en = "count the attempts from 1 again", zh = "重新计算尝试次数")]
    Reset,
    #[message(en = "allow this file", zh = "允许该文件")]
    AllowPath,
    #[message(en = "no longer forbid these files", zh = "不再禁止这些文件")]
    PermitPath,
    #[message(en = "use another agent", zh = "换用另一个智能体")]
    OtherAgent,
    #[message(en = "allow more time", zh = "允许更多时间")]
    MoreTime,
    #[message(en = "correct the test command", zh = "更正测试命令")]
    CorrectTest,
    #[message(en = "use this way of scoring", zh = "改用此评分模式")]
    ScoringMode,
    #[message(en = "raise the budget", zh = "提高预算")]
    RaiseBudget,
    #[message(en = "see what the agent printed", zh = "查看智能体的输出")]
    AgentOutput,
    #[message(en = "see what the installation printed", zh = "查看安装的输出")]
    PrepareOutput,
    #[message(en = "see what the test printed", zh = "查看测试的输出")]
    TestOutput,
    #[message(en = "try again, with your instruction", zh = "按你的指示再试一次")]
    FollowInstruction,
    #[message(en = "put it onto a branch of its own", zh = "合入一个新分支")]
    LandOnBranch,
    #[message(en = "judge the same result again", zh = "重新评审同一结果")]
    Rejudge,
    #[message(en = "take the edit back", zh = "撤销修改")]
    Rollback,
    #[message(en = "run it as edited", zh = "按修改后的任务重新运行")]
    RunEdited,
    #[message(en = "accept what was found, with a reason", zh = "接受该发现并说明理由")]
    Accept,
    #[message(en = "reject the result, with a reason", zh = "拒绝结果并说明理由")]
    Reject,
}

impl Desk {
    /// What a person can do about a task, what is most likely wanted first.
    pub fn next(&self, status: &Status) -> Result<Vec<Next>, DeskError> {
        let response = self.response(status)?;
        let spec = self.spec(&status.task_id).ok().map(|it| it.value);
        let known = Known {
            is_branchless: spec.as_ref().is_some_and(is_branchless),
            named: Named {
                allowed: spec.as_ref().is_none_or(|it| !it.allowed_paths.is_empty()),
                forbidden: spec.is_none_or(|it| !it.forbidden_globs.is_empty()),
            },
            is_test_red: self.is_test_red(status)?,
        };
        let mut offers = next(status, &response, known);
        let is_about_result = match status.state {
            State::Running => false,
            State::Paused => !response.is_answered(),
            State::ReadyForReview | State::Failed => review_of(status).is_none(),
        };
        if is_about_result {
            let accepted: Vec<&str> = accept::of_attempt(&status.accepted, status.current_attempt)
                .map(|it| it.finding.as_str())
                .collect();
            let open = self.acceptable_of(status)?.findings.into_keys();
            let open = open.filter(|it| !accepted.contains(&it.as_str()));
            let open: Vec<Next> = open.map(|it| accepting(&status.task_id, &it)).collect();
            // What can be accepted was asked about: it comes before an answer in words.
            let is_asked = status.pause_reason_code == Some(PauseCode::WaitingUserInput);
            let at = if is_asked { 0 } else { offers.len() };
            offers.splice(at..at, open);
        }
        Ok(offers)
    }
}

/// What a person said of the newest attempt's result; what was said of an earlier one is not about
/// this one.
pub fn review_of(status: &Status) -> Option<&Review> {
    status.review.as_ref().filter(|it| it.attempt == Some(status.current_attempt))
}

/// Whether a task was started on a commit, with no branch checked out.
fn is_branchless(spec: &TaskSpec) -> bool {
    spec.target_branch.is_none() && spec.base_commit().is_some()
}

/// What decides which commands can work, besides the status.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// Whether it was started on a commit that no branch was checked out for.
    is_branchless: bool,
    named: Named,
    /// Whether the newest attempt was tested, and its test failed.
    is_test_red: bool,
}

/// Which files a task itself names.
#[derive(Clone, Copy, Debug, Default)]
struct Named {
    /// Whether it says which ones may be changed.
    allowed: bool,
    /// Whether it forbids some.
    forbidden: bool,
}

fn next(status: &Status, response: &Response, known: Known) -> Vec<Next> {
    let id = &status.task_id;
    let resume = || offer(format!("provost resume {id}"), &Why::Continue);
    let explain = || offer(format!("provost explain {id}"), &Why::Explain);
    match (status.state, review_of(status).map(|it| it.outcome)) {
        (State::Running, _) if status.is_queued() => vec![
            offer(format!("provost run {id}"), &Why::Begin),
            offer("provost run --jobs 2".to_owned(), &Why::BeginAll),
        ],
        (State::Running, _) => vec![
            offer(format!("provost logs {id} -f"), &Why::Watch),
            offer(format!("provost pause {id}"), &Why::Pause),
        ],
        (State::Paused, _) => {
            // To go on without an answer is to be asked again, and to pay for it.
            let is_asked = status.pause_reason_code == Some(PauseCode::WaitingUserInput)
                && !response.is_answered();
            let last = more_attempts(status).or_else(|| (!is_asked).then(resume));
            paused(status, response, known).into_iter().chain(last).collect()
        }
        (State::ReadyForReview, _) if status.is_stale() => vec![
            offer(format!("provost resume {id}"), &Why::RunEdited),
            offer(format!("provost override {id} --rollback"), &Why::Rollback),
        ],
        (State::ReadyForReview, None) => {
            let again = || offer(format!("provost resume {id}"), &Why::FollowInstruction);
            let mut offers: Vec<Next> = status.next_instruction.iter().map(|_| again()).collect();
            offers.push(land(id, known));
            offers.push(offer(format!("provost approve {id}"), &Why::Approve));
            offers.push(reject(status));
            offers
        }
        (State::ReadyForReview, Some(ReviewOutcome::Approved)) if is_undone(status) => {
            vec![offer(format!("provost land {id}"), &Why::LandAgain), reject(status)]
        }
        (State::ReadyForReview, Some(ReviewOutcome::Approved)) => vec![landing(status, known)],
        (State::ReadyForReview, Some(ReviewOutcome::Rejected)) => {
            vec![offer(format!("provost resume {id}"), &Why::TryAgain)]
        }
        (State::Failed, review) => {
            let test = || offer(format!("provost logs {id} --test"), &Why::TestOutput);
            let mut offers = vec![if known.is_test_red { test() } else { explain() }];
            // Without an attempt left, to go on would only pause it again.
            offers.extend(more_attempts(status).or_else(|| Some(resume())));
            if review.is_none() {
                offers.push(reject(status));
            }
            offers
        }
    }
}

/// What can be done with a result that a person has taken.
fn landing(status: &Status, known: Known) -> Next {
    let id = &status.task_id;
    match stage(status) {
        Ok(Stage::Landed) => offer(format!("provost land {id} --undo"), &Why::UndoLand),
        Ok(Stage::Unfinished) => offer(format!("provost land {id}"), &Why::FinishLanding),
        Ok(Stage::Approved | Stage::Unconfirmed) | Err(_) => land(id, known),
    }
}

/// The way to a branch: the one that the task was started on, else one to be named.
fn land(id: &TaskId, known: Known) -> Next {
    if known.is_branchless {
        return offer(format!("provost land {id} --branch NAME"), &Why::LandOnBranch);
    }
    offer(format!("provost land {id}"), &Why::Land)
}

/// What a paused task needs before it goes on.
fn paused(status: &Status, response: &Response, known: Known) -> Vec<Next> {
    let id = &status.task_id;
    let edit = || offer(format!("provost edit {id} --instruction TEXT"), &Why::Edit);
    let explain = || offer(format!("provost explain {id}"), &Why::Explain);
    let set = |change: &str, why: &Why| offer(format!("provost edit {id} --set {change}"), why);
    let agent = || offer(format!("provost logs {id} --agent"), &Why::AgentOutput);
    let rejudge = || offer(format!("provost rejudge {id}"), &Why::Rejudge);
    let offers = match status.pause_reason_code {
        Some(PauseCode::WaitingUserInput) if response.is_answered() => Vec::new(),
        Some(PauseCode::WaitingUserInput) => {
            vec![offer(format!("provost answer {id} TEXT"), &Why::Answer)]
        }
        Some(PauseCode::ScoreGated | PauseCode::ScoreBelowThreshold) => vec![explain(), edit()],
        // Where every file may be changed, the change itself is what cannot be taken.
        Some(PauseCode::AllowedPaths) if !known.named.allowed => vec![edit()],
        Some(PauseCode::AllowedPaths) => vec![set("allowed_paths+=PATH", &Why::AllowPath), edit()],
        // What is forbidden in every task cannot be taken off the list of one.
        Some(PauseCode::ForbiddenGlobs) if !known.named.forbidden => vec![edit()],
        Some(PauseCode::ForbiddenGlobs) => {
            vec![edit(), set("forbidden_globs-=GLOB", &Why::PermitPath)]
        }
        Some(PauseCode::Secrets) => vec![edit()],
        Some(PauseCode::CoderNoOutput) => vec![agent(), edit()],
        Some(PauseCode::CoderFailed) => vec![agent()],
        Some(PauseCode::AdapterMissing | PauseCode::CoderAuth) => {
            vec![set("coder=NAME", &Why::OtherAgent)]
        }
        Some(PauseCode::CoderTimeout) => {
            vec![agent(), set("coder_timeout_seconds=N", &Why::MoreTime)]
        }
        Some(PauseCode::TestTimeout) => vec![set("test_timeout_seconds=N", &Why::MoreTime)],
        Some(PauseCode::TestNotRun) => vec![set("test_cmd=CMD", &Why::CorrectTest)],
        Some(PauseCode::PrepareFailed) => {
            vec![offer(format!("provost logs {id} --prepare"), &Why::PrepareOutput)]
        }
        Some(PauseCode::ModeInvalid) => {
            vec![set("scoring_mode=rubric_analytic", &Why::ScoringMode)]
        }
        Some(PauseCode::JudgeTimeout) => {
            vec![rejudge(), set("judge_timeout_seconds=N", &Why::MoreTime)]
        }
        Some(
            PauseCode::JudgeAuth
            | PauseCode::JudgeInvalid
            | PauseCode::VerdictInvalid
            | PauseCode::VerdictInconsistent,
        ) => vec![rejudge()],
        // Where attempts are left, it was the budget in money, tokens or time.
        Some(PauseCode::Budget) if more_attempts(status).is_none() => {
            vec![set("budget.usd=N", &Why::RaiseBudget)]
        }
        Some(
            PauseCode::Crash
            | PauseCode::NotGitRepo
            | PauseCode::TaskIdConflict
            | PauseCode::Quota
            | PauseCode::Budget
            | PauseCode::User,
        )
        | None => Vec::new(),
    };
    // What was changed since is not offered again.
    let is_done = |it: &Next| {
        let field = it.command.split_once(" --set ").map(|it| it.1);
        let field = field.and_then(|it| it.split(['=', '+', '-', '.']).next());
        field.is_some_and(|it| response.edited.contains(it))
    };
    offers.into_iter().filter(|it| !is_done(it)).collect()
}

/// One more attempt, where all are used up; where no more can be allowed, all of them anew.
fn more_attempts(status: &Status) -> Option<Next> {
    if status.attempts_consumed < status.effective_max_attempts {
        return None;
    }
    let one_more = status.attempts_consumed.saturating_add(1);
    if !TaskSpec::MAX_ATTEMPTS.contains(&one_more) {
        return Some(offer(format!("provost reset {}", status.task_id), &Why::Reset));
    }
    let command = format!("provost edit {} --set max_attempts={one_more}", status.task_id);
    Some(offer(command, &Why::MoreAttempts))
}

fn reject(status: &Status) -> Next {
    let command = format!("provost reject {} --because TEXT", status.task_id);
    offer(command, &Why::Reject)
}

/// The way to accept a finding.
fn accepting(task: &TaskId, finding: &str) -> Next {
    offer(format!("provost accept {task} {finding} --because TEXT"), &Why::Accept)
}

fn offer(command: String, why: &Why) -> Next {
    Next { command, why: why.text() }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{Actor, Source, Timestamp};

    use super::*;

    #[track_caller]
    fn check(change: impl FnOnce(&mut Status), expected: &[&str]) {
        let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        change(&mut status);
        let offers = next(&status, &Response::default(), Known::default());
        let commands: Vec<_> = offers.into_iter().map(|it| it.command).collect();
        assert_eq!(commands, expected);
    }

    fn review(outcome: ReviewOutcome) -> Review {
        Review {
            outcome,
            actor: Actor { source: Source::Cli, id: "ann".to_owned() },
            reviewed_at: Timestamp::EPOCH,
            because: None,
            attempt: Some(0),
            request_id: None,
        }
    }

    fn paused_by(code: PauseCode) -> impl Fn(&mut Status) {
        move |it| (it.state, it.pause_reason_code) = (State::Paused, Some(code))
    }

    #[test]
    fn every_state_has_its_commands() {
        check(|_| {}, &["provost logs t1 -f", "provost pause t1"]);
        check(|it| it.queued = true, &["provost run t1", "provost run --jobs 2"]);
        check(paused_by(PauseCode::Crash), &["provost resume t1"]);
        check(
            paused_by(PauseCode::AllowedPaths),
            &["provost edit t1 --instruction TEXT", "provost resume t1"],
        );
        check(paused_by(PauseCode::VerdictInvalid), &["provost rejudge t1", "provost resume t1"]);
        check(
            paused_by(PauseCode::Budget),
            &["provost edit t1 --set budget.usd=N", "provost resume t1"],
        );
        check(paused_by(PauseCode::WaitingUserInput), &["provost answer t1 TEXT"]);
        check(
            paused_by(PauseCode::ScoreGated),
            &["provost explain t1", "provost edit t1 --instruction TEXT", "provost resume t1"],
        );
        check(
            |it| it.state = State::ReadyForReview,
            &["provost land t1", "provost approve t1", "provost reject t1 --because TEXT"],
        );
        let reviewed = |outcome| {
            move |it: &mut Status| {
                (it.state, it.review) = (State::ReadyForReview, Some(review(outcome)));
            }
        };
        check(reviewed(ReviewOutcome::Approved), &["provost land t1"]);
        check(reviewed(ReviewOutcome::Rejected), &["provost resume t1"]);
    }

    #[test]
    fn what_was_done_since_the_pause_is_not_offered_again() {
        let offered = |code, response: &Response| {
            let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
            (status.state, status.pause_reason_code) = (State::Paused, Some(code));
            next(&status, response, Known::default())
                .into_iter()
                .map(|it| it.command)
                .collect::<Vec<_>>()
        };
        let edited =
            |field: &str| Response { edited: [field.to_owned()].into(), ..Response::default() };
        let fix = ["provost edit t1 --set test_cmd=CMD", "provost resume t1"];
        assert_eq!(offered(PauseCode::TestNotRun, &edited("coder")), fix);
        assert_eq!(offered(PauseCode::TestNotRun, &edited("test_cmd")), fix[1..]);
        assert_eq!(offered(PauseCode::Budget, &edited("budget")), fix[1..]);
        let answered = Response { answers: vec!["8080".to_owned()], ..Response::default() };
        assert_eq!(offered(PauseCode::WaitingUserInput, &answered), fix[1..]);
        let failed = offered(PauseCode::CoderFailed, &Response::default());
        assert_eq!(failed, ["provost logs t1 --agent", "provost resume t1"]);
    }

    /// A command that cannot work is not offered.
    #[test]
    fn what_is_known_of_a_task_decides_what_is_offered() {
        let offered = |change: &dyn Fn(&mut Status), known: Known| {
            let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
            change(&mut status);
            let offers = next(&status, &Response::default(), known);
            offers.into_iter().map(|it| it.command).collect::<Vec<_>>()
        };
        let nothing = Known::default();
        let branchless = Known { is_branchless: true, ..nothing };
        let ready = |it: &mut Status| it.state = State::ReadyForReview;
        assert_eq!(offered(&ready, branchless)[0], "provost land t1 --branch NAME");
        assert_eq!(offered(&ready, nothing)[0], "provost land t1");
        let told = |it: &mut Status| {
            it.state = State::ReadyForReview;
            it.next_instruction = Some("shorter".to_owned());
        };
        assert_eq!(offered(&told, nothing)[0], "provost resume t1");
        let forbidden = |it: &mut Status| {
            (it.state, it.pause_reason_code) = (State::Paused, Some(PauseCode::ForbiddenGlobs));
        };
        let edit = "provost edit t1 --instruction TEXT";
        let permit = "provost edit t1 --set forbidden_globs-=GLOB";
        let last = "provost resume t1";
        assert_eq!(offered(&forbidden, nothing), [edit, last]);
        let named = Named { allowed: true, forbidden: true };
        let named = Known { named, ..nothing };
        assert_eq!(offered(&forbidden, named), [edit, permit, last]);
        let outside = paused_by(PauseCode::AllowedPaths);
        let allow = "provost edit t1 --set allowed_paths+=PATH";
        assert_eq!(offered(&outside, named), [allow, edit, last]);
        let red = Known { is_test_red: true, ..nothing };
        let failed = |it: &mut Status| it.state = State::Failed;
        assert_eq!(offered(&failed, red)[0], "provost logs t1 --test");
        assert_eq!(offered(&failed, nothing)[0], "provost explain t1");
    }

    /// An approval of one result says nothing of the next.
    #[test]
    fn a_review_of_an_earlier_attempt_does_not_count() {
        let approved = |of| {
            move |it: &mut Status| {
                (it.state, it.current_attempt) = (State::ReadyForReview, 2);
                it.review = Some(Review { attempt: of, ..review(ReviewOutcome::Approved) });
            }
        };
        let open = ["provost land t1", "provost approve t1", "provost reject t1 --because TEXT"];
        check(approved(Some(2)), &["provost land t1"]);
        check(approved(Some(1)), &open);
        check(approved(None), &open);
    }

    /// LOOP-U6: when all attempts are used up, going on needs one more.
    #[test]
    fn used_up_attempts_come_first() {
        let failed = |consumed, review| {
            move |it: &mut Status| {
                it.state = State::Failed;
                it.attempts_consumed = consumed;
                it.effective_max_attempts = consumed;
                it.review = review;
            }
        };
        check(
            failed(3, None),
            &[
                "provost explain t1",
                "provost edit t1 --set max_attempts=4",
                "provost reject t1 --because TEXT",
            ],
        );
        check(
            failed(50, Some(review(ReviewOutcome::Rejected))),
            &["provost explain t1", "provost reset t1"],
        );
    }
}
