//! From a valid reply of a judge to what the table is told: recomputed, lowered by facts, and
//! held against the thresholds of the task.

use provost_kernel::{
    Digest, Message, RecordFile, Text,
    task::{ErrorClass, PlainVerdict, TaskSpec, Verdict, VerdictDecision, VerdictSummary},
};
use serde::Serialize;

use super::{
    facts::Judgement,
    reply::{PlainReply, Reply},
    score::{self, Lowered, MachineFacts, Missed, PlainLimits, PlainScore, Recomputed},
    verdict::{Yardstick, complete, complete_plain},
};

/// How often a judge is asked in one attempt.
const TRIES: u8 = 3;

/// A reply, judged itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// What the table is told.
    pub judgement: Judgement,
    /// What goes on record.
    pub verdict: KeptVerdict,
    pub score: KeptScore,
    /// What the judge decided by itself.
    pub judge_decision: VerdictDecision,
    /// What speaks against an approval: facts, gates, thresholds.
    pub against: Vec<Text>,
    pub reasons: Vec<String>,
    pub next_instructions: String,
    /// What provost itself asks a person; the questions of the judgement have it too.
    pub asks: Vec<Text>,
}

/// A verdict as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptVerdict {
    Rubric(Box<RecordFile<Verdict>>),
    Plain(RecordFile<PlainVerdict>),
}

/// What provost computed from a verdict, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum KeptScore {
    Rubric { recomputed: Recomputed, thresholds_pass: bool },
    Plain(PlainScore),
}

/// Judges a valid reply.
pub fn of(reply: &Reply, yardstick: &Yardstick, spec: &TaskSpec, facts: &MachineFacts) -> Judged {
    match (reply, spec.task_type) {
        (Reply::Rubric(reply), Some(task_type)) => {
            let recomputed = score::recompute(reply, yardstick.rubric.of(task_type), facts);
            let thresholds = &spec.rubric_thresholds;
            let missed = score::missed(thresholds, &reply.scores, recomputed.final_score_0_100);
            let lowered = score::lower(reply.decision, &recomputed.gating_reasons, facts);
            let asks: Vec<Text> = lowered.asks.iter().map(Message::text).collect();
            let mut reply = reply.clone();
            reply.questions_for_user.extend(asks.iter().map(ToString::to_string));
            let verdict = complete(
                &reply,
                &recomputed,
                lowered.decision,
                &yardstick.rubric,
                task_type,
                thresholds,
            );
            Judged {
                judgement: Judgement {
                    decision: lowered.decision,
                    gated: recomputed.gated,
                    thresholds_pass: missed.is_empty(),
                    questions_for_user: reply.questions_for_user.clone(),
                },
                verdict: KeptVerdict::Rubric(Box::new(RecordFile::new(verdict))),
                score: KeptScore::Rubric { recomputed, thresholds_pass: missed.is_empty() },
                judge_decision: reply.decision,
                against: against(&lowered, reply.decision, &missed, facts),
                reasons: said(&reply.reasons, &reply.top_issues),
                next_instructions: next(&reply.next_instructions, &reply.fix_suggestions),
                asks,
            }
        }
        (Reply::Plain(reply), _) => {
            let limits =
                PlainLimits { score_gate: spec.score_gate, score_threshold: spec.score_threshold };
            let plain = score::plain(reply, limits, facts);
            let lowered = score::lower(reply.decision, &plain.gating_reasons, facts);
            let asks: Vec<Text> = lowered.asks.iter().map(Message::text).collect();
            let mut reply = reply.clone();
            reply.questions_for_user.extend(asks.iter().map(ToString::to_string));
            let verdict = complete_plain(&reply, &plain, lowered.decision);
            Judged {
                judgement: Judgement {
                    decision: lowered.decision,
                    gated: plain.gated,
                    thresholds_pass: plain.thresholds_pass,
                    questions_for_user: reply.questions_for_user.clone(),
                },
                verdict: KeptVerdict::Plain(RecordFile::new(verdict)),
                judge_decision: reply.decision,
                against: against(&lowered, reply.decision, &[], facts),
                reasons: reply.reasons.clone(),
                next_instructions: reply.next_instructions.clone(),
                score: KeptScore::Plain(plain),
                asks,
            }
        }
        // A reply to a task without a type is plain: `validate` makes no other.
        (Reply::Rubric(reply), None) => {
            let plain = Reply::Plain(PlainReply {
                decision: reply.decision,
                reasons: reply.reasons.clone(),
                next_instructions: reply.next_instructions.clone(),
                questions_for_user: reply.questions_for_user.clone(),
                score: None,
                gated: reply.gated,
            });
            of(&plain, yardstick, spec, facts)
        }
    }
}

/// Whether the judge is asked once more after so many tries: only where another answer to the
/// same question could be a verdict.
pub fn is_asked_again(tries: u8, class: ErrorClass) -> bool {
    tries < TRIES && matches!(class, ErrorClass::VerdictInvalid | ErrorClass::Timeout)
}

/// What speaks against an approval; what a person is asked does where the judge approved, also where
/// a fact speaks against it: to accept that fact answers no question.
fn against(
    lowered: &Lowered,
    decision: VerdictDecision,
    missed: &[Missed],
    facts: &MachineFacts,
) -> Vec<Text> {
    let asks = facts.asks.iter().filter(|_| decision == VerdictDecision::Pass);
    let because = lowered.because.iter().map(Message::text);
    because.chain(missed.iter().map(Message::text)).chain(asks.map(Message::text)).collect()
}

/// The reasons of a judge; its issues where it gave none.
fn said(reasons: &[String], issues: &[String]) -> Vec<String> {
    if reasons.is_empty() { issues.to_vec() } else { reasons.to_vec() }
}

fn next(instructions: &str, suggestions: &[String]) -> String {
    if instructions.trim().is_empty() { suggestions.join("\n") } else { instructions.to_owned() }
}

impl KeptVerdict {
    /// The verdict in a few words.
    pub fn summary(&self) -> VerdictSummary {
        match self {
            Self::Rubric(verdict) => verdict.value.summary(),
            Self::Plain(verdict) => verdict.value.summary(),
        }
    }
}

impl Judged {
    /// The same, with what the judge was told to judge by on record. A plain verdict has none: a
    /// task without a type has no mission.
    #[must_use]
    pub fn guided_by(mut self, guidance: Digest) -> Self {
        match &mut self.verdict {
            KeptVerdict::Rubric(verdict) => verdict.value.guidance_used = Some(guidance),
            KeptVerdict::Plain(_) => {}
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::task::TaskType;

    use super::*;
    use crate::verdict::{self, Judged as Asked};

    /// A valid reply to a task of each type.
    fn valid(task_type: TaskType) -> Vec<u8> {
        let all: serde_json::Value =
            serde_json::from_slice(include_bytes!("../../../fixtures/task/verdict/valid.json"))
                .unwrap();
        serde_json::to_vec(&all[task_type.as_str()]).unwrap()
    }

    const PLAIN: &str = r#"{"decision": "PASS", "reasons": ["ok"],
        "next_instructions": "", "questions_for_user": []}"#;

    fn judged(spec: &TaskSpec, facts: &MachineFacts) -> Judged {
        let yardstick = Yardstick::embedded().unwrap();
        let bytes = spec.task_type.map_or_else(|| PLAIN.as_bytes().to_vec(), valid);
        let assessment = verdict::validate(&bytes, &yardstick, Asked::from(spec));
        assert_eq!(assessment.defects, [], "the fixture is a valid verdict");
        of(&assessment.reply.unwrap(), &yardstick, spec, facts)
    }

    fn spec(task_type: Option<TaskType>) -> TaskSpec {
        TaskSpec { task_type, ..TaskSpec::new("t1".parse().unwrap()) }
    }

    /// A judge can lower what the facts say, never raise it.
    #[test]
    fn facts_lower_an_approval_and_a_threshold_stands_beside_it() {
        for task in [spec(Some(TaskType::EngineeringImpl)), spec(None)] {
            let clean = judged(&task, &MachineFacts { test_rc: Some(0), ..Default::default() });
            assert_eq!(clean.judgement.decision, VerdictDecision::Pass);
            assert!(clean.against.is_empty() && clean.judgement.thresholds_pass);

            let red = judged(&task, &MachineFacts { test_rc: Some(3), ..Default::default() });
            assert_eq!(red.judgement.decision, VerdictDecision::Fail);
            assert_eq!(red.judge_decision, VerdictDecision::Pass);
            assert!(red.against[0].to_string().contains("exit code 3"));

            let leak = judged(&task, &MachineFacts { secrets: true, ..Default::default() });
            assert!(leak.judgement.gated);
        }
        let mut strict = spec(Some(TaskType::EngineeringImpl));
        strict.rubric_thresholds.min_score_0_100 = Some(provost_kernel::Decimal::ratio(100, 1));
        let under = judged(&strict, &MachineFacts::default());
        assert!(!under.judgement.thresholds_pass);
        assert_eq!(under.against.len(), 1);
    }

    /// PROOF-8: an approval that waits for a person is kept as a valid question.
    #[test]
    fn what_a_person_must_decide_is_asked() {
        use crate::score::Ask;
        for task in [spec(Some(TaskType::EngineeringImpl)), spec(None)] {
            let ask = Ask::Planted { path: "AGENTS.md".to_owned(), reader: "Codex".to_owned() };
            let facts = MachineFacts { asks: vec![ask], ..Default::default() };
            let asked = judged(&task, &facts);
            assert_eq!(asked.judgement.decision, VerdictDecision::NeedUserInput);
            assert_eq!(asked.judge_decision, VerdictDecision::Pass);
            assert_eq!((asked.asks.len(), asked.against.len()), (1, 1));
            let question = &asked.judgement.questions_for_user[0];
            assert!(question.contains("`provost accept ID AGENT_CONFIG_PLANTED"), "{question}");
            let kept = match &asked.verdict {
                KeptVerdict::Rubric(it) => (it.value.decision, it.value.questions_for_user.len()),
                KeptVerdict::Plain(it) => (it.value.decision, it.value.questions_for_user.len()),
            };
            assert_eq!(kept, (VerdictDecision::NeedUserInput, 1));
        }
    }

    /// Which rules a verdict was given under stands in it, and nowhere else.
    #[test]
    fn a_verdict_names_the_rules_it_was_given_under() {
        let (scaffold, guidance) = crate::fixture::standing_rules();
        let digest = provost_kernel::learn::Rulebook { scaffold, guidance }.digest();
        for (task_type, expected) in [(Some(TaskType::Storyboard), Some(digest)), (None, None)] {
            let before = judged(&spec(task_type), &MachineFacts::default());
            let after = before.clone().guided_by(digest);
            let used = match &after.verdict {
                KeptVerdict::Rubric(verdict) => verdict.value.guidance_used,
                KeptVerdict::Plain(_) => None,
            };
            assert_eq!(used, expected);
            assert_eq!(after.judgement, before.judgement);
        }
    }

    #[test]
    fn a_judge_is_asked_again_only_where_that_could_help() {
        use ErrorClass as Class;
        for (tries, class, expected) in [
            (1, Class::VerdictInvalid, true),
            (2, Class::Timeout, true),
            (3, Class::VerdictInvalid, false),
            (1, Class::VerdictInconsistent, false),
            (1, Class::Auth, false),
            (1, Class::ModeInvalid, false),
            (1, Class::None, false),
            (1, Class::Quota, false),
        ] {
            assert_eq!(is_asked_again(tries, class), expected, "{tries} {class:?}");
        }
    }
}
