//! A task without a judge: what was verified decides, and no model is asked (ruling 72).

use provost_exec::git::PrivateClone;
use provost_kernel::task::{EventKind, TaskSpec, VerdictDecision};
use provost_rules_task::{
    question,
    reply::{PlainReply, Reply},
    score::Delivery,
    verdict::Yardstick,
};

use super::{Attempt, End, Stop, coder::Said, policy::Change, test::Tested};
use crate::EngineError;

impl Attempt<'_, '_, '_> {
    /// Judges an attempt by its facts: a pass, unless one of them speaks against it or has to be
    /// decided by a person.
    pub(super) fn judge_by_facts(
        &mut self,
        clone: &PrivateClone,
        (change, said): (&Change, &Said),
        tested: &Tested,
    ) -> Result<Box<End>, Stop> {
        let yardstick = Yardstick::embedded().map_err(EngineError::from)?;
        self.note_checks(EventKind::JudgeStarted, format!("judge={}", TaskSpec::TESTS))?;
        let missing = self.missing_sections(clone, change)?;
        let asks = self.asks(change, None);
        let mut facts = self.machine_facts(tested, &missing, asks);
        // A judge could take an answer in words for the result; facts are about files.
        if change.files.is_empty() {
            facts.delivery = Delivery::Nothing;
        }
        // An agent that asks before it begins waits for an answer; another attempt would ask again.
        let asked = change.files.is_empty().then(|| question::at_end(&said.text)).flatten();
        let decision = match &asked {
            Some(_) => VerdictDecision::NeedUserInput,
            None => VerdictDecision::Pass,
        };
        let reply = Reply::Plain(PlainReply {
            decision,
            reasons: Vec::new(),
            next_instructions: String::new(),
            questions_for_user: asked.into_iter().collect(),
            score: None,
            gated: false,
        });
        let end = self.weigh(&reply, &yardstick, &facts)?;
        let decision = end.facts.verdict_decision.map(VerdictDecision::as_str).unwrap_or_default();
        self.note(EventKind::JudgeFinished, format!("decision={decision}"))?;
        Ok(end)
    }
}
