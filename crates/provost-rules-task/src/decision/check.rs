//! `check decision`: the table alone, asked with JSON.

use provost_form::{
    Form, Invalid, Limits, ProblemKind, Problems, Table, flag, list, text, whole, word,
};
use provost_kernel::{
    Text,
    task::{Decision, ErrorClass, Facts, Role, State, VerdictDecision},
};
use serde::Serialize;

use super::decide;

const LIMITS: Limits = Limits { bytes: 64 * 1024, depth: 8 };
const COUNT: std::ops::RangeInclusive<u32> = 0..=u32::MAX;

/// The answer of `check decision`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckedDecision {
    pub next_state: State,
    /// Empty when the task is not paused.
    pub pause_reason_code: &'static str,
    pub consume_attempt: bool,
    pub last_decision: VerdictDecision,
    pub questions_for_user: Vec<Text>,
    pub message: Text,
    pub row: &'static str,
}

/// Asks the table; an input that is absent or `null` takes its default.
///
/// A decision that is none of the three words is unknown, and that has a row of its own. A key
/// of timeouts that names no kind says nothing.
pub fn check(bytes: &[u8]) -> Result<CheckedDecision, Invalid> {
    let facts = read(bytes)?;
    let Decision {
        row,
        next_state,
        pause_reason_code,
        consume_attempt,
        last_decision,
        questions_for_user,
        message,
    } = decide(&facts);
    Ok(CheckedDecision {
        next_state,
        pause_reason_code: pause_reason_code.map_or("", |it| it.as_str()),
        consume_attempt,
        last_decision,
        questions_for_user,
        message,
        row: row.as_str(),
    })
}

fn read(bytes: &[u8]) -> Result<Facts, Invalid> {
    let form = Form::json(bytes, LIMITS)?;
    let problems = Problems::default();
    let facts = form.table(&problems).map(|mut it| facts(&mut it));
    problems.into_result(facts)
}

fn facts(table: &mut Table<'_, ProblemKind>) -> Facts {
    let facts = Facts {
        role: table.optional("role", word()).unwrap_or(Role::Judge),
        rc: table.optional("rc", whole(i32::MIN..=i32::MAX)).unwrap_or(0),
        error_class: table.optional("error_class", word()).unwrap_or(ErrorClass::None),
        verdict_decision: table.optional("verdict_decision", text()).and_then(|it| it.parse().ok()),
        verdict_gated: table.optional("verdict_gated", flag()).unwrap_or(false),
        thresholds_pass: table.optional("thresholds_pass", flag()).unwrap_or(true),
        current_attempt: table.optional("current_attempt", whole(COUNT)).unwrap_or(1),
        effective_max_attempts: table.optional("effective_max_attempts", whole(COUNT)).unwrap_or(3),
        consecutive_timeout_count: table
            .optional("consecutive_timeout_count", whole(COUNT))
            .unwrap_or(0),
        consecutive_timeout_key: table
            .optional("consecutive_timeout_key", text())
            .and_then(|it| it.parse().ok()),
        questions_for_user: table.optional("questions_for_user", list(text())).unwrap_or_default(),
    };
    table.finish();
    facts
}
