//! The log of model calls: every request of a run and its reply, in the order in which the run asks.
//!
//! The log is a recording. A resumed run takes its replies from it while they last, so that it
//! repeats its decisions, and a crash costs the requests that were under way. Nothing that depends
//! on a reply is written before the reply is on the disk.

use std::ops::ControlFlow;

use provost_adapter::{
    CallError, Cancel, RetryAfter,
    model::{ModelFailure, ModelPool},
    recording::RecordingSchema,
};
use provost_kernel::{
    Digest,
    learn::{Answer, Budget, CallKind, CallProblem, Mission, Price, Spent, TicketKey},
    model::{ModelReply, ModelRequest},
};
use provost_rules_learn::budget;
use provost_vault::learn::Verified;
use serde::{Deserialize, Serialize};

use super::LearnError;

/// One question on its way, and which tickets it is about.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub request: ModelRequest,
    pub tickets: Vec<TicketKey>,
}

/// What became of a question.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Said {
    Answer(Answer),
    Problem(CallProblem),
    /// It was not asked: the budget of the run is spent.
    NotAsked,
}

/// Somebody who looks at answers as they come.
pub(super) type Look<'a> = dyn FnMut(&Said) + 'a;

/// For what questions are asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Purpose {
    pub kind: CallKind,
    pub epoch: u32,
    pub cycle: Option<u64>,
}

/// The log of calls.
#[derive(Debug)]
pub(super) struct Calls<'a> {
    log: Verified,
    pool: &'a ModelPool,
    cancel: &'a Cancel,
    budget: Budget,
    price: Price,
    seq: u64,
    spent: Spent,
    /// Of every line so far, so that a finished run can be held against its report.
    digest: Digest,
    replayed: u64,
    refused: u64,
    /// A question that was answered: a model that no longer answers it is gone.
    known: Option<ModelRequest>,
}

/// One line of the log: a recorded call, and where in the run it was made.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct CallLine {
    #[serde(default = "RecordingSchema::of_unnamed")]
    schema: RecordingSchema,
    seq: u64,
    kind: CallKind,
    epoch: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cycle: Option<u64>,
    ticket_keys: Vec<TicketKey>,
    #[serde(alias = "request_sha256")]
    digest: Digest,
    #[serde(default, alias = "response_sha256", skip_serializing_if = "Option::is_none")]
    reply_sha256: Option<Digest>,
    #[serde(default, alias = "answer", skip_serializing_if = "Option::is_none")]
    reply: Option<Answer>,
    #[serde(default, alias = "problem", skip_serializing_if = "Option::is_none")]
    error: Option<CallProblem>,
}

impl<'a> Calls<'a> {
    pub(super) fn new(
        log: Verified,
        pool: &'a ModelPool,
        cancel: &'a Cancel,
        mission: &Mission,
    ) -> Self {
        Self {
            log,
            pool,
            cancel,
            budget: mission.budget,
            price: mission.price,
            seq: 0,
            spent: Spent::default(),
            digest: Digest::ZERO,
            replayed: 0,
            refused: 0,
            known: None,
        }
    }

    /// Ends the log: every answer that was there was used.
    pub(super) fn finish(&mut self) -> Result<(), LearnError> {
        Ok(self.log.finish()?)
    }

    /// How many calls were made, those of earlier starts included.
    pub(super) fn count(&self) -> u64 {
        self.seq
    }

    /// How many of them came from the log.
    pub(super) fn replayed(&self) -> u64 {
        self.replayed
    }

    /// How many questions were not asked, because the budget was spent.
    pub(super) fn refused(&self) -> u64 {
        self.refused
    }

    pub(super) fn spent(&self) -> Spent {
        self.spent
    }

    /// What the log holds, as one digest.
    pub(super) fn digest(&self) -> Digest {
        self.digest
    }

    /// Asks everything, and answers in the same order.
    pub(super) fn ask(
        &mut self,
        purpose: Purpose,
        asked: &[Asked],
    ) -> Result<Vec<Said>, LearnError> {
        self.ask_while(purpose, asked, &mut |_| {})
    }

    /// The same; each answer is looked at as it comes, while others are under way.
    pub(super) fn ask_while(
        &mut self,
        purpose: Purpose,
        asked: &[Asked],
        look: &mut Look<'_>,
    ) -> Result<Vec<Said>, LearnError> {
        let mut said = Vec::with_capacity(asked.len());
        while let Some(next) = asked.get(said.len()) {
            let Some(remembered) = self.remembered(purpose, next)? else { break };
            look(&remembered);
            said.push(remembered);
        }
        self.know(asked, &said);
        let rest = &asked[said.len()..];
        if !rest.is_empty() && self.is_allowed() {
            self.ask_pool(purpose, rest, &mut said, look)?;
            self.know(asked, &said);
        }
        self.log.sync()?;
        self.refused += u64::try_from(asked.len() - said.len()).unwrap_or(u64::MAX);
        said.resize(asked.len(), Said::NotAsked);
        Ok(said)
    }

    /// Whether the budget of the run allows another question.
    pub(super) fn is_allowed(&self) -> bool {
        budget::allows(&self.budget, self.seq, self.spent)
    }

    /// What an earlier start was answered, if it came so far.
    fn remembered(&mut self, purpose: Purpose, asked: &Asked) -> Result<Option<Said>, LearnError> {
        if !self.is_allowed() {
            return Ok(None);
        }
        let Some(line) = self.log.pending()? else { return Ok(None) };
        let seq = self.seq;
        let differs = || LearnError::RunDiffers { file: "calls.jsonl", seq };
        let kept: CallLine = serde_json::from_slice(&line).map_err(|_| differs())?;
        let said = match (&kept.reply, &kept.error) {
            (Some(answer), None) => Said::Answer(answer.clone()),
            (None, Some(problem)) => Said::Problem(problem.clone()),
            (Some(_), Some(_)) | (None, None) => return Err(differs()),
        };
        let again = self.line(purpose, asked, &said)?;
        if kept.digest != again.digest {
            return Err(differs());
        }
        let bytes = match kept.schema {
            // Written again, the line is compared with the one that is there.
            RecordingSchema::V2 => encode(&again)?,
            // A line of an older version stays as it is.
            _ if again == (CallLine { schema: RecordingSchema::V2, ..kept }) => line,
            RecordingSchema::AgentV1 | RecordingSchema::EvalV1 | RecordingSchema::LearnV1 => {
                return Err(differs());
            }
        };
        self.append(&said, &bytes)?;
        self.replayed += 1;
        Ok(Some(said))
    }

    fn ask_pool(
        &mut self,
        purpose: Purpose,
        rest: &[Asked],
        said: &mut Vec<Said>,
        look: &mut Look<'_>,
    ) -> Result<(), LearnError> {
        let (pool, cancel, price) = (self.pool, self.cancel, self.price);
        let mut shift = Shift { calls: self, purpose, left: rest, said, look, failed: Vec::new() };
        let mut fault = None;
        let mut requests = rest.iter().map(|it| it.request.clone());
        pool.run(&mut requests, cancel, &mut |_, request, result| {
            shift.take(answer(request, result, price)).unwrap_or_else(|error| {
                fault = Some(error);
                ControlFlow::Break(())
            })
        });
        match fault {
            Some(error) => Err(error),
            None if cancel.is_cancelled() => Err(LearnError::Interrupted),
            None => shift.finish(),
        }
    }

    /// Keeps the last question of these that was answered.
    fn know(&mut self, asked: &[Asked], said: &[Said]) {
        let is_answered = |(_, said): &(&Asked, &Said)| matches!(said, Said::Answer(_));
        if let Some((asked, _)) = asked.iter().zip(said).rev().find(is_answered) {
            self.known = Some(asked.request.clone());
        }
    }

    /// Whether a question that was answered before is answered now. What is said is not part of
    /// the run.
    fn is_anybody_there(&self) -> bool {
        let mut is_there = false;
        let mut requests = self.known.clone().into_iter();
        self.pool.run(&mut requests, self.cancel, &mut |_, _, result| {
            is_there = result.is_ok();
            ControlFlow::Continue(())
        });
        is_there
    }

    /// Writes one line, and counts what it cost.
    fn write(&mut self, purpose: Purpose, asked: &Asked, said: &Said) -> Result<(), LearnError> {
        let line = self.line(purpose, asked, said)?;
        self.append(said, &encode(&line)?)
    }

    fn line(&self, purpose: Purpose, asked: &Asked, said: &Said) -> Result<CallLine, LearnError> {
        let (reply, error) = match said {
            Said::Answer(answer) => (Some(answer.clone()), None),
            Said::Problem(problem) => (None, Some(problem.clone())),
            Said::NotAsked => (None, None),
        };
        Ok(CallLine {
            schema: RecordingSchema::V2,
            seq: self.seq,
            kind: purpose.kind,
            epoch: purpose.epoch,
            cycle: purpose.cycle,
            ticket_keys: asked.tickets.clone(),
            digest: asked.request.digest()?,
            reply_sha256: reply.as_ref().map(|it| Digest::of_bytes(it.text.as_bytes())),
            reply,
            error,
        })
    }

    fn append(&mut self, said: &Said, line: &[u8]) -> Result<(), LearnError> {
        if let Said::Answer(answer) = said {
            self.spent = self.spent.plus(answer.spent);
        }
        self.seq += 1;
        self.digest = chained(self.digest, line);
        Ok(self.log.append(line)?)
    }
}

fn encode(line: &CallLine) -> Result<Vec<u8>, LearnError> {
    serde_json::to_vec(line).map_err(LearnError::encode)
}

/// What the run keeps of a call.
fn answer(
    request: &ModelRequest,
    result: Result<ModelReply, ModelFailure>,
    price: Price,
) -> Result<Answer, CallProblem> {
    match result {
        Ok(reply) => {
            let spent = budget::spent(request, &reply, price);
            Ok(Answer { text: reply.text, spent })
        }
        Err(ModelFailure { error, detail }) => Err(match error {
            CallError::Quota { retry_after } => {
                CallProblem::Quota { detail, after: retry_after.map(RetryAfter::stored) }
            }
            CallError::NotRecorded => CallProblem::NotRecorded { detail },
            CallError::TimedOut
            | CallError::NotAuthorised
            | CallError::Failed(_)
            | CallError::Budget
            | CallError::Missing
            | CallError::Cancelled => CallProblem::Transport { detail },
        }),
    }
}

/// The digest of a log that has one line more.
pub(super) fn chained(before: Digest, line: &[u8]) -> Digest {
    let both = [before.to_string(), Digest::of_bytes(line).to_string()].concat();
    Digest::of_bytes(both.as_bytes())
}

/// The model is unreachable, and why.
fn unreachable(last: &CallProblem) -> LearnError {
    match last {
        CallProblem::Quota { detail, after } => {
            LearnError::Quota { detail: detail.clone(), after: after.clone() }
        }
        CallProblem::Transport { detail } | CallProblem::NotRecorded { detail } => {
            LearnError::Unreachable { detail: detail.clone() }
        }
    }
}

/// Questions that are under way.
struct Shift<'a, 'b, 'c, 'd> {
    calls: &'a mut Calls<'b>,
    purpose: Purpose,
    left: &'c [Asked],
    said: &'a mut Vec<Said>,
    look: &'a mut Look<'d>,
    /// Failures wait for the next answer: if none comes, they are not part of the run.
    failed: Vec<CallProblem>,
}

impl Shift<'_, '_, '_, '_> {
    /// Takes what came back for the next question.
    fn take(&mut self, result: Result<Answer, CallProblem>) -> Result<ControlFlow<()>, LearnError> {
        match result {
            Err(CallProblem::NotRecorded { detail }) => Err(LearnError::NotRecorded { detail }),
            Err(problem) => {
                self.failed.push(problem);
                if budget::is_silent(self.failed.len()) {
                    self.finish()?;
                }
                Ok(ControlFlow::Continue(()))
            }
            Ok(answer) => {
                self.settle()?;
                self.commit(Said::Answer(answer))?;
                let is_allowed = self.calls.is_allowed();
                Ok(if is_allowed { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
            }
        }
    }

    /// Makes failures that no answer follows a part of the run if it is these questions that fail.
    /// If the model is unreachable, they are not part of it: it goes on later.
    fn finish(&mut self) -> Result<(), LearnError> {
        let Some(last) = self.failed.last() else { return Ok(()) };
        if self.calls.cancel.is_cancelled() {
            return Err(LearnError::Interrupted);
        }
        if !self.calls.is_anybody_there() {
            return Err(unreachable(last));
        }
        self.settle()
    }

    /// Makes the failures a part of the run.
    fn settle(&mut self) -> Result<(), LearnError> {
        for problem in std::mem::take(&mut self.failed) {
            self.commit(Said::Problem(problem))?;
        }
        Ok(())
    }

    fn commit(&mut self, said: Said) -> Result<(), LearnError> {
        let Some((asked, left)) = self.left.split_first() else { return Ok(()) };
        if !self.calls.is_allowed() {
            return Ok(());
        }
        self.calls.write(self.purpose, asked, &said)?;
        if self.calls.known.is_none() && matches!(said, Said::Answer(_)) {
            self.calls.known = Some(asked.request.clone());
        }
        (self.look)(&said);
        self.said.push(said);
        self.left = left;
        Ok(())
    }
}
