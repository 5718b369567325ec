//! Having tickets judged: every decode setting once and again, in one order, under one state of
//! the guidance. What is asked holds no label.

use std::sync::Arc;

use provost_kernel::{
    Digest,
    learn::{
        Answer, CallKind, FailureReason, FormatProblem, Guidance, Label, Mission, Scaffold, Ticket,
        TicketKey,
    },
    model::{Decode, ModelRequest},
};
use provost_rules_learn::{
    contract::Contract,
    prompt::{self, Question},
    vote::{self, Candidate, Malformed, Selection},
};

use super::{
    LearnError, Run, Setup,
    calls::{Asked, Purpose, Said},
};

/// One ticket, judged.
#[derive(Debug)]
pub(super) struct Rolled {
    pub at: usize,
    pub key: TicketKey,
    pub candidates: Vec<Candidate>,
    /// What was said, word for word; nothing without an answer.
    pub texts: Vec<Option<String>>,
    pub outcome: Result<Selection, FailureReason>,
}

/// Tickets with everything that is asked about them under one state of the guidance.
#[derive(Debug)]
pub(super) struct Prepared {
    guidance: Digest,
    tickets: Vec<(usize, TicketKey, Ticket)>,
    asked: Vec<Asked>,
}

/// How every ticket of a run is asked about.
#[derive(Debug)]
pub(super) struct Form {
    /// Every way in which a ticket is asked, in the order of the candidates.
    pub grid: Vec<Decode>,
    /// What fences evidence, and makes the ids of a run its own.
    pub nonce: String,
    pub contract: Contract,
}

impl Run<'_> {
    /// Has tickets judged under a guidance.
    pub(super) fn rollout(
        &mut self,
        purpose: Purpose,
        guidance: &Guidance,
        places: &[usize],
    ) -> Result<Vec<Rolled>, LearnError> {
        let prepared = prepare(self.setup, &self.form, guidance, places)?;
        self.rollout_prepared(purpose, prepared)
    }

    /// The same, and while the answers are under way the next tickets are prepared: if the guidance
    /// is still the same then, their questions are.
    pub(super) fn rollout_ahead(
        &mut self,
        purpose: Purpose,
        guidance: &Guidance,
        places: &[usize],
        ready: Option<Prepared>,
        next: &[usize],
    ) -> Result<(Vec<Rolled>, Option<Prepared>), LearnError> {
        let (setup, form) = (self.setup, Arc::clone(&self.form));
        let prepared = match ready.filter(|it| it.guidance == guidance.digest()) {
            Some(prepared) => prepared,
            None => prepare(setup, &form, guidance, places)?,
        };
        std::thread::scope(|scope| {
            let ahead = scope.spawn(|| prepare(setup, &form, guidance, next));
            let rolled = self.rollout_prepared(purpose, prepared)?;
            // What could not be prepared is prepared again when it is due, and fails then.
            Ok((rolled, ahead.join().ok().and_then(Result::ok)))
        })
    }

    fn rollout_prepared(
        &mut self,
        purpose: Purpose,
        prepared: Prepared,
    ) -> Result<Vec<Rolled>, LearnError> {
        let Prepared { tickets, asked, .. } = prepared;
        let (mission, form) = (self.setup.mission, Arc::clone(&self.form));
        let mut outcomes = Vec::with_capacity(asked.len());
        let mut read = |said: &Said| outcomes.push(outcome(said, &form.contract, mission));
        let said = self.calls.ask_while(purpose, &asked, &mut read)?;
        // What was not asked was not looked at.
        outcomes.resize(said.len(), Err(Malformed::Transport));
        for (said, outcome) in said.iter().zip(&outcomes) {
            let Said::Answer(Answer { text, .. }) = said else { continue };
            let problem = outcome.as_ref().err().and_then(|it| it.problem());
            self.answers.read(text, problem.map(FormatProblem::as_str));
        }
        let mut answers = said.into_iter().zip(outcomes);
        let mut rolled = Vec::with_capacity(tickets.len());
        for (at, key, ticket) in tickets {
            let answers: Vec<_> = answers.by_ref().take(self.form.grid.len()).collect();
            rolled.push(self.rolled(at, key, ticket, answers));
        }
        Ok(rolled)
    }

    /// The verdict of each ticket, and nothing else of it: for pools that are not learned from.
    pub(super) fn verdicts(
        &mut self,
        kind: CallKind,
        guidance: &Guidance,
        places: &[usize],
    ) -> Result<Vec<Option<Label>>, LearnError> {
        let size = size(self.setup.mission.runner.rollout_batch_size);
        let purpose = Purpose { kind, epoch: self.epoch, cycle: Some(self.cycle) };
        let mut verdicts = Vec::with_capacity(places.len());
        for batch in places.chunks(size) {
            let rolled = self.rollout(purpose, guidance, batch)?;
            verdicts.extend(rolled.iter().map(|it| it.outcome.as_ref().ok().map(|it| it.verdict)));
        }
        Ok(verdicts)
    }

    fn rolled(
        &self,
        at: usize,
        key: TicketKey,
        ticket: Ticket,
        answers: Vec<(Said, Outcome)>,
    ) -> Rolled {
        let mission = self.setup.mission;
        let is_spent = answers.iter().any(|(said, _)| *said == Said::NotAsked);
        let mut candidates = Vec::with_capacity(answers.len());
        let mut texts = Vec::with_capacity(answers.len());
        for ((index, (said, outcome)), decode) in (0..).zip(answers).zip(self.form.grid.iter()) {
            candidates.push(Candidate { index, temperature: decode.temperature, outcome });
            texts.push(match said {
                Said::Answer(Answer { text, .. }) => Some(text),
                Said::Problem(_) | Said::NotAsked => None,
            });
        }
        let outcome = if is_spent {
            Err(FailureReason::BudgetExhausted)
        } else {
            vote::select(&ticket, &candidates, mission, &self.overrides)
        };
        Rolled { at, key, candidates, texts, outcome }
    }
}

/// What an answer says, or why it does not vote.
pub(super) type Outcome = Result<(Label, String), Malformed>;

pub(super) fn outcome(said: &Said, contract: &Contract, mission: &Mission) -> Outcome {
    match said {
        Said::Answer(Answer { text, .. }) => {
            contract.read(text, mission).map_err(Malformed::Format)
        }
        Said::Problem(_) | Said::NotAsked => Err(Malformed::Transport),
    }
}

/// A question to the judge at temperature 0, as rules are measured.
pub(super) fn steady(
    mission: &Mission,
    form: &Form,
    scaffold: &Scaffold,
    guidance: &Guidance,
    ticket: &Ticket,
) -> Result<ModelRequest, LearnError> {
    let Form { grid, nonce, contract } = form;
    let messages =
        prompt::rollout(Question { mission, contract, scaffold, guidance, nonce }, ticket)?;
    let decode = grid.first().cloned().ok_or_else(|| LearnError::Invariant {
        what: "a mission without a way to ask".to_owned(),
    })?;
    let mut request = ModelRequest::new(messages, Decode { temperature: 0.0, ..decode });
    request.model = mission.model();
    if contract.is_json() {
        request.format = mission.response_format;
    }
    Ok(request)
}

/// Reads tickets and writes their questions.
fn prepare(
    setup: Setup<'_>,
    form: &Form,
    guidance: &Guidance,
    places: &[usize],
) -> Result<Prepared, LearnError> {
    let Setup { mission, seed, ticket_index, .. } = setup;
    let Form { grid, nonce, contract } = form;
    let question = Question { mission, contract, scaffold: &seed.scaffold, guidance, nonce };
    let mut tickets = Vec::with_capacity(places.len());
    let mut asked = Vec::with_capacity(places.len() * grid.len());
    let model = mission.model();
    for &at in places {
        let ticket = ticket_index.ticket(at, mission)?;
        let key = ticket.key();
        let messages = prompt::rollout(question, &ticket)?;
        for decode in grid {
            let mut request = ModelRequest::new(messages.clone(), decode.clone());
            request.model.clone_from(&model);
            if contract.is_json() {
                request.format = mission.response_format;
            }
            asked.push(Asked { request, tickets: vec![key.clone()] });
        }
        tickets.push((at, key, ticket));
    }
    Ok(Prepared { guidance: guidance.digest(), tickets, asked })
}

/// Every way in which a ticket is asked, in the order of the candidates.
pub(super) fn grid(sampler: &provost_kernel::learn::Sampler) -> Vec<Decode> {
    let samples = 0..u64::from(sampler.samples_per_decode);
    let of = |decode: &Decode| {
        let decode = decode.clone();
        samples.clone().map(move |sample| Decode {
            seed: decode.seed.map(|it| it.saturating_add(sample)),
            ..decode.clone()
        })
    };
    sampler.grid.iter().flat_map(of).collect()
}

/// A number of tickets as a size of chunks, which is never zero.
pub(super) fn size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX).max(1)
}
