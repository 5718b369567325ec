//! What is asked, what was answered, and who may take the next question.

use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use provost_kernel::learn::{Answer, CallProblem, Question};

use super::transport;

/// Questions on their way, shared by the threads that ask them.
#[derive(Debug)]
pub(super) struct Board {
    state: Mutex<State>,
    /// Something may be taken.
    work: Condvar,
    /// Something was answered.
    answered: Condvar,
    total: usize,
    window: usize,
}

#[derive(Debug)]
struct State {
    waiting: VecDeque<Task>,
    /// From the first question on whose answer was not handed over.
    slots: VecDeque<Slot>,
    first: usize,
    members: Vec<Standing>,
    is_closed: bool,
}

/// A question to be asked.
#[derive(Debug)]
pub(super) struct Task {
    index: usize,
    question: Arc<Question>,
    /// The model that could not be reached.
    failed_at: Option<usize>,
}

#[derive(Debug)]
struct Slot {
    question: Arc<Question>,
    result: Option<Result<Answer, CallProblem>>,
}

/// How it goes with one model.
#[derive(Debug, Default)]
struct Standing {
    workers: usize,
    busy: usize,
    /// Failures in a row.
    failures: u32,
    rests_until: Option<Instant>,
}

pub(super) enum Taken {
    Question(Task),
    /// There is no more work.
    Nothing,
}

pub(super) enum Front {
    Ready(usize, Arc<Question>, Result<Answer, CallProblem>),
    /// The next answer has not come yet.
    Waiting,
    /// Every answer was handed over.
    Empty,
}

/// So many failures in a row, and a model rests.
const FAILURES: u32 = 3;
const FIRST_REST: Duration = Duration::from_secs(1);
const LONGEST_REST: Duration = Duration::from_mins(1);
/// How long a thread waits before it looks again: whether the end was asked for, whether a rest is
/// over.
const LOOK: Duration = Duration::from_millis(100);

impl Task {
    pub(super) fn question(&self) -> &Question {
        &self.question
    }
}

impl Board {
    pub(super) fn new(members: usize, total: usize, window: usize) -> Self {
        let state = State {
            waiting: VecDeque::new(),
            slots: VecDeque::new(),
            first: 0,
            members: std::iter::repeat_with(Standing::default).take(members).collect(),
            is_closed: false,
        };
        Self {
            state: Mutex::new(state),
            work: Condvar::new(),
            answered: Condvar::new(),
            total,
            window,
        }
    }

    pub(super) fn count_worker(&self, at: usize) {
        if let Some(member) = self.state().members.get_mut(at) {
            member.workers += 1;
        }
    }

    pub(super) fn has_room(&self) -> bool {
        self.state().slots.len() < self.window
    }

    /// Adds a question; without anybody to ask it, its answer is that.
    pub(super) fn put(&self, question: Question) {
        let question = Arc::new(question);
        let mut state = self.state();
        let has_workers = state.members.iter().any(|it| it.workers > 0);
        let result = (!has_workers).then(|| Err(transport("there is no model to ask")));
        let index = state.first + state.slots.len();
        if has_workers {
            let task = Task { index, question: Arc::clone(&question), failed_at: None };
            state.waiting.push_back(task);
        }
        state.slots.push_back(Slot { question, result });
        let is_calm = state.is_calm();
        drop(state);
        self.wake(is_calm);
    }

    /// The next question for a model; waits for one.
    pub(super) fn take(&self, at: usize) -> Taken {
        let mut state = self.state();
        loop {
            if state.is_closed {
                return Taken::Nothing;
            }
            if let Some(task) = state.take(at, self.total) {
                return Taken::Question(task);
            }
            let waited = self.work.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Notes what a model answered. A question whose model could not be reached goes to another.
    pub(super) fn settle(&self, at: usize, task: Task, result: Result<Answer, CallProblem>) {
        let mut state = self.state();
        let is_failure =
            matches!(result, Err(CallProblem::Transport { .. } | CallProblem::Quota { .. }));
        state.note(at, is_failure);
        let goes_on = is_failure && task.failed_at.is_none() && state.has_other(at);
        if goes_on {
            // It has waited longest.
            state.waiting.push_front(Task { failed_at: Some(at), ..task });
        } else {
            let place = task.index.checked_sub(state.first);
            if let Some(slot) = place.and_then(|it| state.slots.get_mut(it)) {
                slot.result = Some(result);
            }
        }
        let is_calm = state.is_calm();
        drop(state);
        if !is_calm {
            self.wake(is_calm);
        }
        self.answered.notify_one();
    }

    /// Notes that a call was broken off.
    pub(super) fn abandon(&self, at: usize) {
        if let Some(member) = self.state().members.get_mut(at) {
            member.busy = member.busy.saturating_sub(1);
        }
        self.answered.notify_one();
    }

    /// The next answer in order; waits a while for it.
    pub(super) fn front(&self) -> Front {
        let mut state = self.state();
        if let Some(slot) = state.slots.front()
            && slot.result.is_none()
        {
            let waited = self.answered.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.front()
    }

    /// The next answer in order, if it is there.
    pub(super) fn front_now(&self) -> Front {
        self.state().front()
    }

    /// Gives out no more questions.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.work.notify_all();
    }

    /// Waits until nothing is under way.
    pub(super) fn wait_for_the_last(&self) {
        let mut state = self.state();
        while state.members.iter().any(|it| it.busy > 0) {
            let waited = self.answered.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Wakes who can do something: any one, as long as all can do the same.
    fn wake(&self, is_calm: bool) {
        if is_calm {
            self.work.notify_one();
        } else {
            self.work.notify_all();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code that could panic runs under the lock, so what it holds is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes the first question that this model may be asked.
    fn take(&mut self, at: usize, total: usize) -> Option<Task> {
        let busy: usize = self.members.iter().map(|it| it.busy).sum();
        if busy >= total {
            return None;
        }
        let rests = self.rests(at);
        let is_for = |task: &Task| match task.failed_at {
            // A question that another could not answer is worth waking up for.
            Some(failed_at) => failed_at != at,
            None => !rests,
        };
        let place = self.waiting.iter().position(is_for)?;
        let task = self.waiting.remove(place)?;
        if let Some(member) = self.members.get_mut(at) {
            member.busy += 1;
        }
        Some(task)
    }

    fn front(&mut self) -> Front {
        if self.slots.front().is_none_or(|it| it.result.is_none()) {
            return if self.slots.is_empty() { Front::Empty } else { Front::Waiting };
        }
        match self.slots.pop_front() {
            Some(Slot { question, result: Some(result) }) => {
                let index = self.first;
                self.first += 1;
                Front::Ready(index, question, result)
            }
            Some(Slot { result: None, .. }) | None => Front::Waiting,
        }
    }

    /// Notes how a call ended.
    fn note(&mut self, at: usize, is_failure: bool) {
        let Some(member) = self.members.get_mut(at) else { return };
        member.busy = member.busy.saturating_sub(1);
        if !is_failure {
            member.failures = 0;
            member.rests_until = None;
            return;
        }
        let now = Instant::now();
        // Calls that fail together are one failure more, not many.
        if member.rests_until.is_some_and(|it| it > now) {
            return;
        }
        member.failures = member.failures.saturating_add(1);
        if let Some(beyond) = member.failures.checked_sub(FAILURES) {
            let rest = FIRST_REST.saturating_mul(1 << beyond.min(16)).min(LONGEST_REST);
            member.rests_until = Some(now + rest);
        }
    }

    /// Whether a model leaves new questions to others: it rests, or tries again with one.
    fn rests(&self, at: usize) -> bool {
        let is_down = |it: &Standing| it.failures >= FAILURES || it.workers == 0;
        let Some(member) = self.members.get(at) else { return true };
        let is_up_elsewhere = self.members.iter().any(|it| !is_down(it));
        let is_resting = member.rests_until.is_some_and(|it| it > Instant::now());
        is_down(member) && is_up_elsewhere && (is_resting || member.busy > 0)
    }

    /// Whether there is another model to ask.
    fn has_other(&self, at: usize) -> bool {
        self.members.iter().enumerate().any(|(other, it)| other != at && it.workers > 0)
    }

    /// Whether every thread may take every question.
    fn is_calm(&self) -> bool {
        self.members.iter().all(|it| it.failures == 0)
            && self.waiting.front().is_none_or(|it| it.failed_at.is_none())
    }
}
