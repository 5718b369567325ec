//! Why an attempt did not pass, as a person reads it.

use provost_kernel::{
    Finding, Message, Text, shorten_to,
    task::{DecisionRecord, Row, VerdictDecision},
};

use crate::accept;

/// The longest reason: a judge or an agent may have written it.
const LONGEST: usize = 160;

/// What was found, and where.
#[derive(Debug, Message)]
#[message(code = "task.reason", en = "{subject}: {message}", zh = "{subject}：{message}")]
struct Found {
    subject: String,
    message: Text,
}

/// What spoke against an attempt, facts first; empty for one that passed, and for one that only
/// waits for an answer, whose question says it.
pub fn of(record: &DecisionRecord) -> Vec<Text> {
    if matches!(record.decision.row, Row::Ready | Row::NeedUserInput) {
        return Vec::new();
    }
    // A concern is among the findings, without a question to a person.
    let against = record.against.iter().filter(|it| !accept::is_about_concern(it));
    let mut reasons: Vec<Text> = against.cloned().collect();
    reasons.extend(record.findings.iter().map(found));
    reasons.extend(others(record));
    reasons
}

/// Why an attempt that waits for an answer asks, in the words of the judge.
pub fn of_question(record: &DecisionRecord) -> Vec<Text> {
    if record.decision.row == Row::NeedUserInput { others(record) } else { Vec::new() }
}

/// What the judge said besides the facts. What it praised speaks against nothing, unless its own
/// scores do.
fn others(record: &DecisionRecord) -> Vec<Text> {
    if record.judge_decision == Some(VerdictDecision::Pass) && !record.facts.verdict_gated {
        return Vec::new();
    }
    // What is told to the next attempt, in English; a finding says it in the reader's language.
    let said: Vec<String> = record
        .against
        .iter()
        .map(ToString::to_string)
        .chain(
            record
                .findings
                .iter()
                .flat_map(|it| [it.subject.clone(), format!("{}: {}", it.subject, it.message)]),
        )
        .collect();
    let others = record.reasons.iter().filter(|it| !said.contains(it));
    others.map(|it| Text::verbatim(in_a_line(it))).collect()
}

fn found(finding: &Finding) -> Text {
    match finding.subject.as_str() {
        "" => finding.message.clone(),
        subject => {
            let (subject, message) = (subject.to_owned(), finding.message.clone());
            Found { subject, message }.text()
        }
    }
}

/// A text of somebody else on one line.
fn in_a_line(text: &str) -> String {
    shorten_to(&text.split_whitespace().collect::<Vec<_>>().join(" "), LONGEST)
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Lang, Severity, Timestamp,
        task::{ErrorClass, Facts, Role, Status},
    };

    use super::*;
    use crate::{decision::decide, facts, score::Because};

    fn record(decision: VerdictDecision) -> DecisionRecord {
        let status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        let facts = Facts {
            verdict_decision: Some(decision),
            ..facts::of_step(&status, Role::Judge, 0, ErrorClass::None)
        };
        let finding = Finding {
            rule: "TEST".into(),
            severity: Severity::P1,
            subject: "a.py".to_owned(),
            message: Because::NothingChanged.text(),
            hint: None,
        };
        let reasons = ["a.py: nothing was changed", "a.py", "it is\n\n  too slow"];
        DecisionRecord {
            task_id: status.task_id,
            attempt: 1,
            decided_at: Timestamp::EPOCH,
            decision: decide(&facts),
            facts,
            judge_decision: Some(decision),
            against: vec![Because::TestFailed { rc: 1 }.text()],
            reasons: reasons.map(str::to_owned).to_vec(),
            next_instructions: String::new(),
            findings: vec![finding],
            checks: Vec::new(),
        }
    }

    #[test]
    fn a_reason_is_said_once_and_facts_come_first() {
        let said = |lang: Lang| lang.render_all(&of(&record(VerdictDecision::Fail)));
        assert_eq!(
            said(Lang::En),
            ["the test failed with exit code 1", "a.py: nothing was changed", "it is too slow"]
        );
        assert_eq!(said(Lang::Zh), ["测试失败，退出码 1", "a.py：没有任何改动", "it is too slow"]);
        assert_eq!(of(&record(VerdictDecision::Pass)), Vec::<Text>::new());
        assert_eq!(of(&record(VerdictDecision::NeedUserInput)), Vec::<Text>::new());
        assert_eq!(of_question(&record(VerdictDecision::Fail)), Vec::<Text>::new());
        let asked = of_question(&record(VerdictDecision::NeedUserInput));
        assert_eq!(asked, [Text::verbatim("it is too slow")]);
    }

    /// A judge that passed a result which facts refused said nothing against it.
    #[test]
    fn praise_is_no_reason() {
        let passed = DecisionRecord {
            judge_decision: Some(VerdictDecision::Pass),
            ..record(VerdictDecision::Fail)
        };
        assert_eq!(
            Lang::En.render_all(&of(&passed)),
            ["the test failed with exit code 1", "a.py: nothing was changed"]
        );
        let facts = Facts { verdict_gated: true, ..passed.facts.clone() };
        let gated = DecisionRecord { facts, ..passed };
        assert_eq!(Lang::En.render_all(&of(&gated)).last().unwrap(), "it is too slow");
    }
}
