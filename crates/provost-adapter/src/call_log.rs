//! The first and the last lines of every call's log.

use std::time::Duration;

use provost_kernel::model::Usage;

use crate::{
    call_result::{CallError, CallOutcome, CallResult, outcome_text, protocol_rc},
    log::Log,
    request::Request,
};

/// Starts the log of a call.
pub(crate) fn begin(name: &str, kind: &str, request: &Request) -> Log {
    let mut log = Log::default();
    log.note("adapter", name);
    log.note("kind", kind);
    log.note("role", request.role.as_str());
    log.note("task_code", &request.task_code);
    if let Some(model) = &request.model {
        log.note("model", model);
    }
    log.note("deadline_seconds", request.deadline_seconds);
    log
}

/// Adds the last lines.
pub(crate) fn finish(log: &mut Log, outcome: &CallOutcome, usage: Usage) {
    for (key, count) in
        [("input_tokens", usage.input_tokens), ("output_tokens", usage.output_tokens)]
    {
        if let Some(count) = count {
            log.note(key, count);
        }
    }
    if let Some(usd) = usage.usd {
        log.note("cost", usd);
    }
    log.note("outcome", outcome_text(outcome));
}

/// The result of a call that was cancelled before it began.
pub(crate) fn cancelled(mut log: Log) -> CallResult {
    let outcome = Err(CallError::Cancelled);
    finish(&mut log, &outcome, Usage::default());
    CallResult {
        rc: protocol_rc(&outcome),
        outcome,
        usage: Usage::default(),
        session: None,
        session_usage: Usage::default(),
        raw_reply: None,
        log,
        wall: Duration::ZERO,
        sandbox: None,
    }
}
