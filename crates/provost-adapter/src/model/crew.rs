//! Many questions, several models, answers in order.
//!
//! Questions are taken as there is room for them, so a list may be longer than memory. A question
//! whose model could not be reached is asked once more of another one, and a model that fails again
//! and again rests while others work. What is handed back does not depend on any of this: only on
//! what the models say.

mod board;

use std::{
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use provost_kernel::learn::{Answer, CallProblem, Question};

use self::board::{Board, Front, Taken};
use super::{Model, transport};
use crate::cancel::Cancel;

/// Models that are asked together.
#[derive(Clone, Debug)]
pub struct Crew {
    members: Vec<Member>,
    total: usize,
}

/// A model, and how many questions it takes at once.
#[derive(Clone, Debug)]
struct Member {
    model: Arc<dyn Model>,
    concurrency: usize,
}

/// Why no more answers come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// There are no more questions.
    Done,
    /// The caller wants no more.
    Broken,
    /// The end was asked for. Answers that had come and were next in order were handed over.
    Cancelled,
}

/// What is done with each answer, with the number of the question.
pub type Each<'a> =
    dyn FnMut(usize, &Question, Result<Answer, CallProblem>) -> ControlFlow<()> + 'a;

/// How many questions are on their way for each that is asked: enough that one slow answer does
/// not keep the others waiting.
const WINDOW: usize = 4;

impl Crew {
    /// Models with the number of questions that each takes at once, and how many are asked of all
    /// together.
    pub fn new(models: Vec<(Arc<dyn Model>, usize)>, total: usize) -> Self {
        let total = total.max(1);
        let member = |(model, concurrency): (Arc<dyn Model>, usize)| Member {
            model,
            concurrency: concurrency.clamp(1, total),
        };
        Self { members: models.into_iter().map(member).collect(), total }
    }

    /// How many questions are asked at once.
    pub fn concurrency(&self) -> usize {
        let sum = self.members.iter().map(|it| it.concurrency).fold(0, usize::saturating_add);
        sum.clamp(1, self.total)
    }

    /// Asks every question, and hands over each answer in the order of the questions.
    ///
    /// When the caller breaks, or the end is asked for, no more questions are asked, and it returns
    /// when what is under way is over.
    pub fn run(
        &self,
        questions: &mut (dyn Iterator<Item = Question> + Send),
        cancel: &Cancel,
        each: &mut Each<'_>,
    ) -> Ended {
        let limit = questions.size_hint().1.unwrap_or(usize::MAX).max(1);
        let window = self.concurrency().saturating_mul(WINDOW);
        let board = Board::new(self.members.len(), self.concurrency(), window);
        std::thread::scope(|scope| {
            // However this ends, nobody waits for questions that do not come.
            let closing = Closing(&board);
            for (at, member) in self.members.iter().enumerate() {
                for _ in 0..member.concurrency.min(limit) {
                    let (board, model) = (&board, &*member.model);
                    let worker = move || work(board, at, model, cancel);
                    // With fewer threads it takes longer, and that is all.
                    if std::thread::Builder::new().spawn_scoped(scope, worker).is_ok() {
                        board.count_worker(at);
                    }
                }
            }
            let ended = deliver(&board, questions, cancel, each);
            drop(closing);
            ended
        })
    }
}

/// Ends the work when it is dropped, also by a panic of the caller's.
struct Closing<'a>(&'a Board);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// What one thread does: asks one question after another of its model.
fn work(board: &Board, at: usize, model: &dyn Model, cancel: &Cancel) {
    while let Taken::Question(task) = board.take(at) {
        let asked = catch_unwind(AssertUnwindSafe(|| model.ask(task.question(), cancel)));
        let result = asked.unwrap_or_else(|_| Err(transport("the call panicked")));
        if result.is_err() && cancel.is_cancelled() {
            // It was broken off: nobody knows what it would have answered.
            board.abandon(at);
        } else {
            board.settle(at, task, result);
        }
    }
}

/// What the calling thread does: gives out questions and hands over answers.
fn deliver(
    board: &Board,
    questions: &mut (dyn Iterator<Item = Question> + Send),
    cancel: &Cancel,
    each: &mut Each<'_>,
) -> Ended {
    let mut has_more = true;
    loop {
        if cancel.is_cancelled() {
            board.close();
            board.wait_for_the_last();
            return deliver_rest(board, each);
        }
        if has_more && board.has_room() {
            match questions.next() {
                Some(question) => board.put(question),
                None => has_more = false,
            }
            continue;
        }
        match board.front() {
            Front::Ready(index, question, result) => {
                if each(index, &question, result).is_break() {
                    return Ended::Broken;
                }
            }
            Front::Empty if !has_more => return Ended::Done,
            Front::Empty | Front::Waiting => {}
        }
    }
}

/// Hands over what is next in order and there, after the end was asked for.
fn deliver_rest(board: &Board, each: &mut Each<'_>) -> Ended {
    while let Front::Ready(index, question, result) = board.front_now() {
        if each(index, &question, result).is_break() {
            break;
        }
    }
    Ended::Cancelled
}

#[cfg(test)]
mod tests;
