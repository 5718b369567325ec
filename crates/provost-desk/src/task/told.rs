//! What a task says to a person, in their language.
//!
//! A status keeps its message and its questions in the language of whoever ran the task. The row of
//! the decision table and the facts on record say the same in the other one.

use provost_kernel::{
    Lang, Text,
    task::{DecisionRecord, ErrorClass, Role, Status},
};
use provost_rules_task::{decision::told, facts, orders::reset_text};

/// The message and the questions of a status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub message: String,
    pub questions: Vec<String>,
}

impl Told {
    /// What a status says, in this language where that is known, and as it was stored otherwise.
    pub fn of(status: &Status, record: Option<&DecisionRecord>, lang: Lang) -> Self {
        let stored = || Self {
            message: status.message.clone(),
            questions: status.questions_for_user.clone(),
        };
        let transition = status.last_transition.as_ref();
        let Some((transition, row)) = transition.and_then(|it| Some((it, it.row?))) else {
            return stored();
        };
        let decided = record
            .filter(|it| it.decision.row == row && Some(it.attempt) == transition.attempt)
            .map(|it| it.facts.clone());
        let facts = decided
            .unwrap_or_else(|| facts::of_step(status, Role::Coordinator, 0, ErrorClass::None));
        let (message, questions) = told(row, &facts);
        let message = [message, reset_text()]
            .iter()
            .find_map(|it| translated(&status.message, it, lang))
            .unwrap_or_else(|| status.message.clone());
        let is_stored = |pick: fn(&Text) -> String| {
            questions.iter().map(pick).eq(status.questions_for_user.iter().cloned())
        };
        if is_stored(Text::to_string) || is_stored(|it| it.render(Lang::Zh)) {
            let questions = questions.iter().map(|it| it.render(lang)).collect();
            return Self { message, questions };
        }
        Self { message, ..stored() }
    }
}

/// A stored text in this language, if it is this one; a detail behind it stays as it is.
fn translated(stored: &str, text: &Text, lang: Lang) -> Option<String> {
    let detail = [Lang::En, Lang::Zh]
        .into_iter()
        .find_map(|it| stored.strip_prefix(text.render(it).as_str()))?;
    let is_detail = detail.is_empty() || detail.starts_with(": ");
    is_detail.then(|| format!("{}{detail}", text.render(lang)))
}

#[cfg(test)]
mod tests {
    use provost_kernel::{Timestamp, task::VerdictDecision};
    use provost_rules_task::{
        decision::decide,
        facts::{Judgement, of_step, of_verdict},
        status::after,
    };

    use super::*;

    fn fresh() -> Status {
        Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3)
    }

    #[track_caller]
    fn check(status: &Status, record: Option<&DecisionRecord>, message: &str, questions: &[&str]) {
        let told = Told::of(status, record, Lang::Zh);
        assert_eq!(told.message, message);
        assert_eq!(told.questions, questions);
        let told = Told::of(status, record, Lang::En);
        assert_eq!(told.message, status.message);
        assert_eq!(told.questions, status.questions_for_user);
    }

    #[test]
    fn a_step_is_told_in_the_language_of_the_reader() {
        let facts = of_step(&fresh(), Role::Coordinator, 0, ErrorClass::User);
        let mut status = after(&fresh(), &decide(&facts), &facts, Timestamp::EPOCH, Lang::En);
        check(&status, None, "任务已由人工暂停", &["是否继续?(`provost resume ID`)"]);
        status.message.push_str(": before the attempt");
        check(
            &status,
            None,
            "任务已由人工暂停: before the attempt",
            &["是否继续?(`provost resume ID`)"],
        );
        // What nobody knows another text for stays as it is.
        status.message = "a person paused the tasks".to_owned();
        status.questions_for_user = vec!["why?".to_owned()];
        check(&status, None, "a person paused the tasks", &["why?"]);
        status.message = reset_text().to_string();
        check(&status, None, &reset_text().render(Lang::Zh), &["why?"]);
    }

    #[test]
    fn an_attempt_is_told_from_the_facts_on_record() {
        let before = Status { current_attempt: 1, ..fresh() };
        let judgement = Judgement {
            decision: VerdictDecision::Fail,
            gated: true,
            thresholds_pass: true,
            questions_for_user: vec!["which port?".to_owned()],
        };
        let facts = of_verdict(&before, judgement);
        let decision = decide(&facts);
        let status = after(&before, &decision, &facts, Timestamp::EPOCH, Lang::En);
        let zh = decision.questions_for_user[0].render(Lang::Zh);
        let mut record = DecisionRecord {
            task_id: status.task_id.clone(),
            attempt: 1,
            decided_at: Timestamp::EPOCH,
            facts,
            decision,
            judge_decision: None,
            against: Vec::new(),
            reasons: Vec::new(),
            next_instructions: String::new(),
            findings: Vec::new(),
            checks: Vec::new(),
        };
        check(&status, Some(&record), "裁决未通过硬性门槛", &[&zh, "which port?"]);
        // The record of another attempt does not know what was asked.
        record.attempt = 2;
        let stored: Vec<&str> = status.questions_for_user.iter().map(String::as_str).collect();
        check(&status, Some(&record), "裁决未通过硬性门槛", &stored);
    }
}
