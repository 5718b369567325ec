//! The record that a front end was started without any way to a model (LOOP-A10).

use provost_kernel::{Message, Timestamp};
pub use provost_rules::no_llm::NoLlmViolation;
use provost_rules::no_llm::{check_flag, check_host};
use provost_vault::{Durable, FileError, Log, write_json};
use serde::Serialize;

use crate::{DISK, Desk};

/// Why a front end is not started.
#[derive(Debug, thiserror::Error, Message)]
#[error(transparent)]
#[message(code = "desk.no_llm")]
pub enum NoLlmError {
    #[message(transparent)]
    Violation(#[from] NoLlmViolation),
    #[message(transparent)]
    File(#[from] FileError),
}

#[derive(Serialize)]
struct StartupAssert<'a> {
    ts: Timestamp,
    module: &'a str,
    #[serde(rename = "NO_LLM")]
    no_llm: bool,
    pid: u32,
}

#[derive(Serialize)]
struct ViolationLine<'a> {
    ts: Timestamp,
    module: &'a str,
    violation: &'a str,
    context: &'a str,
    pid: u32,
}

impl Desk {
    /// Asserts that a module calls no model, by the variable `NO_LLM` and the hosts that it contacts, and
    /// records that; a violation is recorded and returned.
    pub fn assert_no_llm(
        &self,
        module: &str,
        flag: Option<&str>,
        hosts: &[&str],
    ) -> Result<(), NoLlmError> {
        let (ts, pid) = (self.clock.now(), std::process::id());
        let hosts = || hosts.iter().try_for_each(|it| check_host(it));
        if let Err(violation) = check_flag(flag).and_then(|()| hosts()) {
            let (word, context) = (violation.word(), violation.context());
            let line = ViolationLine { ts, module, violation: word, context, pid };
            // Plain data always has a JSON form.
            let line = serde_json::to_vec(&line).unwrap_or_default();
            Log::open(&DISK, &self.layout.no_llm_violations())?.append(&line, Durable::Now)?;
            return Err(violation.into());
        }
        let assertion = StartupAssert { ts, module, no_llm: true, pid };
        write_json(&DISK, &self.layout.no_llm_startup_assert(), &assertion)?;
        Ok(())
    }
}
