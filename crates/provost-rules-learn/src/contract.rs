//! What a model is asked to answer a ticket with, and how its answer is read.
//!
//! A mission of tickets asks for two lines. The mission of a judge asks for what the judge itself is
//! asked for: the rubric, and a verdict in its JSON, with the same arithmetic behind it. A rule that
//! helps under another contract than the one that it will meet has not been measured.

use provost_kernel::{
    learn::{Edition, FormatProblem, Label, Mission, Source},
    shorten_to,
    task::{ScoringMode, TaskType, VerdictDecision},
};
use provost_rules_task::{
    reply::Reply,
    score::{self, MachineFacts},
    verdict::{Judged, Yardstick, YardstickError, validate},
};

use crate::{answer, reply, text::one_line};

/// The form of an answer to a ticket.
#[derive(Clone, Debug)]
pub enum Contract {
    /// The verdict and its reason, each on a line, exactly so.
    Exact,
    /// A reason and a verdict at the end of an answer.
    Lines,
    /// The verdict of a judge.
    Judge(Box<JudgeContract>),
}

/// What a judge of a task type is asked for.
#[derive(Clone, Debug)]
pub struct JudgeContract {
    pub task_type: TaskType,
    pub yardstick: Yardstick,
}

impl Contract {
    /// The contract of a mission.
    pub fn of(mission: &Mission) -> Result<Self, YardstickError> {
        Ok(match (mission.edition, &mission.source) {
            (Edition::First, _) | (_, Source::Files(_)) => Self::of_lines(mission.edition),
            (Edition::Second, Source::Reviews(task_type)) => Self::Judge(Box::new(JudgeContract {
                task_type: *task_type,
                yardstick: Yardstick::embedded()?,
            })),
        })
    }

    /// The contract of two lines, as an edition has it.
    pub fn of_lines(edition: Edition) -> Self {
        match edition {
            Edition::First => Self::Exact,
            Edition::Second => Self::Lines,
        }
    }

    /// An answer of two lines.
    pub fn lines(&self, verdict: &str, reason: &str) -> String {
        let (verdict, reason) =
            (format!("{}: {verdict}", answer::VERDICT), format!("{}: {reason}", answer::REASON));
        match self {
            Self::Exact => format!("{verdict}\n{reason}"),
            Self::Lines | Self::Judge(_) => format!("{reason}\n{verdict}"),
        }
    }

    /// Reads an answer: the label and the reason for it.
    pub fn read(&self, text: &str, mission: &Mission) -> Result<(Label, String), FormatProblem> {
        match self {
            Self::Exact => answer::parse_exactly(text, &mission.verdict_terms),
            Self::Lines => answer::parse(text, &mission.verdict_terms),
            Self::Judge(contract) => contract.read(text),
        }
    }

    /// Whether an answer is one JSON object.
    pub fn is_json(&self) -> bool {
        matches!(self, Self::Judge(_))
    }
}

impl JudgeContract {
    /// Reads a verdict as the loop does: validated, recomputed, and lowered by its own gates.
    fn read(&self, text: &str) -> Result<(Label, String), FormatProblem> {
        if text.trim().is_empty() {
            return Err(FormatProblem::Empty);
        }
        let judged = Judged {
            task_type: Some(self.task_type),
            scoring_mode: ScoringMode::RubricAnalytic,
            needs_score: false,
        };
        let assessment = validate(reply::object(text).as_bytes(), &self.yardstick, judged);
        let Some(Reply::Rubric(reply)) = assessment.reply.filter(|_| assessment.defects.is_empty())
        else {
            return Err(FormatProblem::Contract);
        };
        // A ticket holds evidence and no facts: what the machine found is among what is shown.
        let facts = MachineFacts::default();
        let rubric = self.yardstick.rubric.of(self.task_type);
        let recomputed = score::recompute(&reply, rubric, &facts);
        let label = match score::lower(reply.decision, &recomputed.gating_reasons, &facts).decision
        {
            VerdictDecision::Pass => Label::Pass,
            VerdictDecision::Fail => Label::Fail,
            VerdictDecision::NeedUserInput => return Err(FormatProblem::ThirdState),
        };
        let reason = reply.reasons.first().or(reply.top_issues.first());
        let reason = reason.map(|it| shorten_to(&one_line(it), answer::REASON_CHARS));
        Ok((label, reason.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::mission::tests::mission;

    fn contract() -> JudgeContract {
        let task_type = TaskType::EngineeringImpl;
        JudgeContract { task_type, yardstick: Yardstick::embedded().unwrap() }
    }

    /// A verdict that the validator takes.
    fn valid() -> Value {
        let all: Value =
            serde_json::from_slice(include_bytes!("../../../fixtures/task/verdict/valid.json"))
                .unwrap();
        all["engineering_impl"].clone()
    }

    #[test]
    fn a_mission_of_tickets_asks_for_lines() {
        let mission = mission("");
        let contract = Contract::of(&mission).unwrap();
        assert!(matches!(contract, Contract::Lines) && !contract.is_json());
        let read = contract.read("so\nReason: x\nVerdict: fail", &mission);
        assert_eq!(read, Ok((Label::Fail, "x".to_owned())));
        let old = Contract::of_lines(Edition::First);
        assert!(old.read("so\nReason: x\nVerdict: fail", &mission).is_err());
        for contract in [contract, old] {
            let answer = contract.lines("fail", "x");
            assert_eq!(contract.read(&answer, &mission), Ok((Label::Fail, "x".to_owned())));
        }
    }

    /// A judge's mission reads what the judge would say, by the judge's own rules.
    #[test]
    fn a_verdict_is_read_as_the_loop_reads_it() {
        let contract = contract();
        let valid = valid();
        let (label, reason) = contract.read(&valid.to_string()).unwrap();
        assert_eq!(label, Label::Pass, "{valid}");
        assert!(!reason.contains('\n') && reason.chars().count() <= answer::REASON_CHARS);
        let thought = format!("<think>hm</think>\n```json\n{valid}\n```");
        assert_eq!(contract.read(&thought), contract.read(&valid.to_string()));
        let with = |key: &str, value: Value| {
            let mut changed = valid.clone();
            changed[key] = value;
            contract.read(&changed.to_string()).map(|it| it.0)
        };
        let mut fail = valid.clone();
        fail["decision"] = json!("FAIL");
        fail["next_instructions"] = json!("write the missing test");
        assert_eq!(contract.read(&fail.to_string()).map(|it| it.0), Ok(Label::Fail));
        assert_eq!(with("decision", json!("MAYBE")), Err(FormatProblem::Contract));
        assert_eq!(with("raw_score_0_5", json!("high")), Err(FormatProblem::Contract));
        assert_eq!(contract.read("Verdict: pass\nReason: x"), Err(FormatProblem::Contract));
        assert_eq!(contract.read(" \n"), Err(FormatProblem::Empty));
        let two = format!("{valid}{valid}");
        assert_eq!(contract.read(&two), Err(FormatProblem::Contract));
        let mut asks = valid.clone();
        asks["decision"] = json!("NEED_USER_INPUT");
        asks["questions_for_user"] = json!(["which port?"]);
        assert_eq!(contract.read(&asks.to_string()), Err(FormatProblem::ThirdState));
    }
}
