//! What is most likely wanted, by the state and by what the task waits for.

use provost_kernel::task::{PauseCode, ReviewOutcome, State, Status};

use super::{Circumstances, Proposal, make, words::Why};
use crate::{
    landing::{Stage, is_undone, stage},
    orders::is_landed,
    phase::review_of,
};

pub(super) fn likely(status: &Status, known: &Circumstances<'_>) -> Vec<Proposal> {
    let id = &status.task_id;
    let resume = || make::resume(status, &Why::Continue);
    let explain = || make::look(format!("provost explain {id}"), &Why::Explain);
    match (status.state, review_of(status).map(|it| it.outcome)) {
        (State::Running, _) if status.is_queued() => {
            vec![make::run(status), make::look("provost run --jobs 2".to_owned(), &Why::BeginAll)]
        }
        (State::Running, _) => {
            vec![make::look(format!("provost logs {id} -f"), &Why::Watch), make::pause(status)]
        }
        (State::Paused, _) => {
            // To go on without an answer is to be asked again, and to pay for it.
            let is_asked =
                status.pause_reason_code == Some(PauseCode::WaitingUserInput) && !known.is_answered;
            let last = make::more_attempts(status).or_else(|| (!is_asked).then(resume));
            paused(status, known).into_iter().chain(last).collect()
        }
        // What has landed is taken back before anything else.
        (State::ReadyForReview, _) if status.is_stale() && !is_landed(status) => {
            vec![make::resume(status, &Why::RunEdited), make::rollback(status, known.n_overrides)]
        }
        (State::ReadyForReview, None) => {
            let again = || make::resume(status, &Why::FollowInstruction);
            let told = status.next_instruction.iter().map(|_| again());
            let land = make::land(status, &Why::Land, known.is_branchless);
            // A result is looked at before it goes anywhere.
            told.chain([make::approve(status), make::reject(status), land]).collect()
        }
        (State::ReadyForReview, Some(ReviewOutcome::Approved)) if is_undone(status) => {
            vec![make::land(status, &Why::LandAgain, false), make::reject(status)]
        }
        (State::ReadyForReview, Some(ReviewOutcome::Approved)) => vec![landing(status, known)],
        (State::ReadyForReview, Some(ReviewOutcome::Rejected)) => {
            vec![make::resume(status, &Why::TryAgain)]
        }
        (State::Failed, review) => {
            let test = || make::look(format!("provost logs {id} --test"), &Why::TestOutput);
            let mut offers = vec![if known.is_test_red { test() } else { explain() }];
            // Without an attempt left, to go on would only pause it again.
            offers.extend(make::more_attempts(status).or_else(|| Some(resume())));
            if review.is_none() {
                offers.push(make::reject(status));
            }
            offers
        }
    }
}

/// What can be done with a result that a person has taken.
fn landing(status: &Status, known: &Circumstances<'_>) -> Proposal {
    match stage(status) {
        Ok(Stage::Landed) => make::undo_land(status),
        Ok(Stage::Unfinished) => make::finish_landing(status),
        Ok(Stage::Approved | Stage::Unconfirmed) | Err(_) => {
            make::land(status, &Why::Land, known.is_branchless)
        }
    }
}

/// What a paused task needs before it goes on.
fn paused(status: &Status, known: &Circumstances<'_>) -> Vec<Proposal> {
    let id = &status.task_id;
    let edit = || make::edit(status);
    let explain = || make::look(format!("provost explain {id}"), &Why::Explain);
    let agent = || make::look(format!("provost logs {id} --agent"), &Why::AgentOutput);
    let rejudge = || make::rejudge(status);
    let offers = match status.pause_reason_code {
        Some(PauseCode::WaitingUserInput) if known.is_answered => Vec::new(),
        Some(PauseCode::WaitingUserInput) => vec![make::answer(status)],
        Some(PauseCode::ScoreGated | PauseCode::ScoreBelowThreshold) => vec![explain(), edit()],
        // Where every file may be changed, the change itself is what cannot be taken.
        Some(PauseCode::AllowedPaths) if known.allowed.is_some_and(<[_]>::is_empty) => vec![edit()],
        Some(PauseCode::AllowedPaths) => vec![make::allow_path(status), edit()],
        // What is forbidden in every task cannot be taken off the list of one.
        Some(PauseCode::ForbiddenGlobs) if known.forbidden.is_some_and(<[_]>::is_empty) => {
            vec![edit()]
        }
        Some(PauseCode::ForbiddenGlobs) => vec![edit(), make::permit_path(status, known)],
        Some(PauseCode::Secrets) => vec![edit()],
        Some(PauseCode::CoderNoOutput) => vec![agent(), edit()],
        Some(PauseCode::CoderFailed) => vec![agent()],
        Some(PauseCode::AdapterMissing | PauseCode::CoderAuth) => {
            vec![make::other_agent(status)]
        }
        Some(PauseCode::CoderTimeout) => {
            vec![agent(), make::more_time(status, "coder_timeout_seconds")]
        }
        Some(PauseCode::TestTimeout) => vec![make::more_time(status, "test_timeout_seconds")],
        Some(PauseCode::TestNotRun) => vec![make::correct_test(status)],
        Some(PauseCode::PrepareFailed) => {
            vec![make::look(format!("provost logs {id} --prepare"), &Why::PrepareOutput)]
        }
        Some(PauseCode::ModeInvalid) => vec![make::scoring_mode(status)],
        Some(PauseCode::JudgeTimeout) => {
            vec![rejudge(), make::more_time(status, "judge_timeout_seconds")]
        }
        Some(
            PauseCode::JudgeAuth
            | PauseCode::JudgeInvalid
            | PauseCode::VerdictInvalid
            | PauseCode::VerdictInconsistent,
        ) => vec![rejudge()],
        // Where attempts are left, it was the budget in money, tokens or time.
        Some(PauseCode::Budget) if make::more_attempts(status).is_none() => {
            make::raise_budget(status)
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
    let is_done = |it: &Proposal| {
        let field = it.command.split_once(" --set ").map(|it| it.1);
        let field = field.and_then(|it| it.split(['=', '+', '-', '.']).next());
        field.is_some_and(|it| known.edited.contains(it))
    };
    offers.into_iter().filter(|it| !is_done(it)).collect()
}
