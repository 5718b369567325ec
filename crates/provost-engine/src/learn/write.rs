//! The lines of judged tickets, of metrics, and of the views that a person asked for.

use std::collections::BTreeMap;

use provost_kernel::{
    learn::{Guidance, RuleKey, TicketKey},
    model::Message,
};
use provost_rules_learn::{
    contract::Contract,
    metrics::{Line, Moment, Views},
    prompt::{self, Question},
    text,
    vote::Malformed,
};
use serde_json::json;

use super::{
    LearnError, Run,
    ledger::Book,
    line::{self, Chosen, ChosenResult, Trajectory, TrajectoryResult},
    rollout::Rolled,
};

impl Run<'_> {
    /// One line for each answer, and one for each that could not be used.
    pub(super) fn write_trajectories(
        &mut self,
        rolled: &Rolled,
        guidance: &Guidance,
    ) -> Result<(), LearnError> {
        let mission = &self.setup.mission.mission;
        let (key, label, digest) = (&rolled.key, rolled.key.label(), guidance.digest());
        let selection = rolled.outcome.as_ref().ok();
        for (candidate, text) in rolled.candidates.iter().zip(&rolled.texts) {
            let (verdict, reason) = match &candidate.outcome {
                Ok((verdict, reason)) => (Some(*verdict), Some(reason.as_str())),
                Err(_) => (None, None),
            };
            let problem = candidate.outcome.as_ref().err().copied().map(word);
            let decode =
                usize::try_from(candidate.index).ok().and_then(|it| self.form.grid.get(it));
            let Some(decode) = decode else { continue };
            let body = Trajectory {
                group_id: key.group().as_str(),
                mission,
                reflection_cycle: self.cycle,
                guidance_step: guidance.step,
                epoch: self.epoch,
                ticket_key: key,
                gt_label: label,
                result: TrajectoryResult {
                    candidate_index: candidate.index,
                    decode,
                    text: text.as_deref(),
                    verdict,
                    reason,
                    format_ok: verdict.is_some(),
                    problem: problem.clone(),
                    label_match: verdict.map(|it| it == label),
                    vote_strength: selection.map(|it| it.vote_strength),
                    low_agreement: selection.map(|it| it.low_agreement),
                    needs_manual_review: selection.map(|it| it.needs_manual_review),
                },
            };
            self.ledger.write(Book::Trajectories, digest, &body)?;
            if let Some(reason) = problem {
                let body = line::Malformed {
                    ticket_key: key,
                    group_id: key.group().as_str(),
                    mission,
                    gt_label: label,
                    epoch: self.epoch,
                    candidate_index: Some(candidate.index),
                    reason,
                    raw_text: text.as_deref(),
                };
                self.ledger.write(Book::Malformed, digest, &body)?;
            }
        }
        Ok(())
    }

    /// What the votes of a ticket came to, or that they came to nothing.
    pub(super) fn write_choice(
        &mut self,
        rolled: &Rolled,
        guidance: &Guidance,
    ) -> Result<(), LearnError> {
        let (key, digest) = (&rolled.key, guidance.digest());
        let chosen = rolled.outcome.as_ref().ok();
        let failure = rolled.outcome.as_ref().err().copied();
        let body = Chosen {
            group_id: key.group().as_str(),
            mission: &self.setup.mission.mission,
            epoch: self.epoch,
            epoch_step: self.judged_so_far() + 1,
            global_step: self.global_step + 1,
            ticket_key: key,
            gt_label: key.label(),
            result: ChosenResult {
                verdict: chosen.map(|it| it.verdict),
                reason: chosen.map(|it| it.reason.as_str()),
                vote_strength: chosen.map(|it| it.vote_strength),
                label_match: chosen.map(|it| it.label_match),
                selected_candidate: chosen.map(|it| it.selected_candidate),
                override_id: chosen.and_then(|it| it.override_id.as_deref()),
                guidance_step: guidance.step,
                reflection_change: self.last_change.as_deref(),
                reflection_cycle: self.cycle,
                manual_review_recommended: chosen.is_none_or(|it| it.needs_manual_review),
                eligible: chosen.is_some_and(|it| it.eligible),
                ineligible_reason: failure.map(provost_kernel::learn::FailureReason::as_str),
                warnings: chosen
                    .map(|it| it.warnings.iter().map(|it| it.as_str()).collect())
                    .unwrap_or_default(),
                conflict_flag: chosen.map(|it| it.conflict_flag),
                needs_manual_review: chosen.map(|it| it.needs_manual_review),
                low_agreement: chosen.map(|it| it.low_agreement),
                rollout_contradiction: chosen.map(|it| it.rollout_contradiction),
            },
        };
        self.ledger.write(Book::Selections, digest, &body)?;
        if let Some(failure) = failure {
            let body = line::Malformed {
                ticket_key: key,
                group_id: key.group().as_str(),
                mission: &self.setup.mission.mission,
                gt_label: key.label(),
                epoch: self.epoch,
                candidate_index: None,
                reason: failure.to_string(),
                raw_text: None,
            };
            self.ledger.write(Book::Malformed, digest, &body)?;
        }
        Ok(())
    }

    /// A line of metrics when a window is full, or for what is left of it at the end.
    pub(super) fn write_window(&mut self, is_end: bool) -> Result<(), LearnError> {
        let n = self.window.include.n();
        let is_full = n >= u64::from(self.setup.mission.runner.logging_steps);
        if n == 0 || !(is_full || is_end) {
            return Ok(());
        }
        let window = std::mem::take(&mut self.window);
        let moment = if is_full { Moment::LoggingSteps } else { Moment::EpochEndPartial };
        let end = self.judged_so_far();
        self.write_metrics(moment, end + 1 - n, end, &window)
    }

    pub(super) fn write_metrics(
        &mut self,
        event: Moment,
        first: u64,
        last: u64,
        views: &Views,
    ) -> Result<(), LearnError> {
        let line = Line {
            event,
            epoch: self.epoch,
            epoch_step_start: first,
            epoch_step_end: last,
            global_step: self.global_step,
            logging_steps: self.setup.mission.runner.logging_steps,
            exclude_manual_review: views.exclude.view(),
            include_manual_review: views.include.view(),
        };
        self.ledger.write(Book::Metrics, self.guidance.digest(), &line).map(drop)
    }

    /// One line for each ticket of an epoch: its class and its verdict.
    pub(super) fn write_groups(&mut self) -> Result<(), LearnError> {
        if !self.setup.mission.output.group_report {
            return Ok(());
        }
        let ticket_index = self.setup.ticket_index;
        let digest = self.guidance.digest();
        let rules = self.citing();
        for (at, verdict) in &self.judged {
            let key = &ticket_index.entry(*at).key;
            let body = json!({
                "epoch": self.epoch,
                "ticket_key": key,
                "gt_label": key.label(),
                "verdict": verdict,
                "label_match": verdict.map(|it| it == key.label()),
                "class": self.census.class(key),
                "rules": rules.get(key).map(Vec::as_slice).unwrap_or_default(),
            });
            self.ledger.write(Book::Groups, digest, &body)?;
        }
        Ok(())
    }

    /// The rules that each ticket speaks for, if it speaks for any.
    fn citing(&self) -> BTreeMap<TicketKey, Vec<RuleKey>> {
        let mut citing: BTreeMap<TicketKey, Vec<RuleKey>> = BTreeMap::new();
        for (rule, it) in &self.guidance.rules {
            for key in &it.sources {
                citing.entry(key.clone()).or_default().push(*rule);
            }
        }
        citing
    }

    /// What a model could be taught: each question with the answer that the person gave. A ticket
    /// without the person's words is left out, because no other words would be theirs.
    pub(super) fn write_distillation(&mut self) -> Result<(), LearnError> {
        let setup = self.setup;
        let digest = self.guidance.digest();
        // A person gives a label and a reason, and no verdict in a judge's form.
        let contract = Contract::of_lines(setup.mission.edition);
        for at in self.judged.clone().into_iter().map(|it| it.0) {
            let ticket = setup.ticket_index.ticket(at, setup.mission)?;
            let Some(reason) = &ticket.label_reason else { continue };
            let question = Question {
                mission: setup.mission,
                contract: &contract,
                scaffold: &setup.seed.scaffold,
                guidance: &self.guidance,
                nonce: &self.form.nonce,
            };
            let messages = prompt::rollout(question, &ticket)?;
            let terms = setup.mission.terms();
            let word = terms.get(&ticket.label).and_then(|it| it.first());
            let word = word.map_or_else(|| ticket.label.to_string(), Clone::clone);
            let mut spoken: Vec<serde_json::Value> = messages
                .iter()
                .map(|it: &Message| json!({"role": it.role, "content": it.content}))
                .collect();
            let answer = contract.lines(&word, &text::one_line(reason));
            spoken.push(json!({"role": "assistant", "content": answer}));
            let body = json!({
                "ticket_key": ticket.key(),
                "group_id": ticket.group,
                "mission": ticket.mission,
                "label": ticket.label,
                "messages": spoken,
            });
            self.ledger.write(Book::Distillation, digest, &body)?;
        }
        Ok(())
    }
}

/// The word for what is wrong with an answer.
fn word(problem: Malformed) -> String {
    match problem {
        Malformed::Format(problem) => problem.to_string(),
        Malformed::Transport => "transport_error".to_owned(),
    }
}
