//! Checks that others make: programs of the person's own, and a model that judges.
//!
//! Only what the command line allows is started: a suite comes with a repository, and a file of a
//! repository must not make a program run. A case whose check could not be made has no result.

use std::collections::BTreeMap;

use provost_adapter::Cancel;
use provost_exec::Ended;
use provost_kernel::{
    eval::{Case, ErrorCode, Response, StepError},
    model::Usage,
};
use provost_rules::secret;
use provost_rules_eval::{
    check::{Kind, Question, Rubric, Subject, Verdict, Verdicts, asked},
    suite::{Suite, SuiteCheck},
};
use serde_json::{Value, json};

use super::{
    command::{self, CommandPlan, start_of},
    error::EvalError,
    fault::Fault,
    judge::JudgePlan,
};

/// Whom a run may ask about answers.
#[derive(Debug, Default)]
pub struct Others {
    /// The program of each check.
    pub programs: BTreeMap<String, CommandPlan>,
    pub judge: Option<JudgePlan>,
}

/// How much of what a program says is kept.
const SAID: u64 = 4096;

impl Others {
    /// Refuses a suite whose checks need somebody that may not be asked.
    pub(super) fn suffice(&self, suite: &Suite, rubric: Rubric) -> Result<(), EvalError> {
        for check in asked(suite, rubric) {
            let name = || check.name.clone();
            if let Kind::Command { run } = &check.kind
                && !self.programs.contains_key(&check.name)
            {
                return Err(EvalError::NoProgram { check: name(), run: run.clone() });
            }
            if matches!(check.kind, Kind::Judge { .. }) && self.judge.is_none() {
                return Err(EvalError::NoJudge { check: name() });
            }
        }
        Ok(())
    }

    /// Lets the judge prove itself on the examples of every check that it makes. One that is wrong
    /// too often measures nothing.
    pub(super) fn calibrate(
        &self,
        suite: &Suite,
        rubric: Rubric,
        cancel: &Cancel,
    ) -> Result<Usage, EvalError> {
        let mut usage = Usage::default();
        let Some(judge) = &self.judge else { return Ok(usage) };
        for check in asked(suite, rubric) {
            let Kind::Judge { agreement, .. } = &check.kind else { continue };
            let examples = Question::examples(check);
            let (total, mut agreed, mut wrong) = (examples.len(), 0, Vec::new());
            for (at, (question, right)) in (1..).zip(&examples) {
                let said = judge.ask(question, cancel).map_err(|error| EvalError::JudgeFailed {
                    check: check.name.clone(),
                    message: error.text(),
                })?;
                usage = usage.plus(said.usage);
                if said.verdict.pass == *right {
                    agreed += 1;
                } else {
                    wrong.push(at);
                }
            }
            if f64::from(agreed) < agreement * f64::from(u32::try_from(total).unwrap_or(u32::MAX)) {
                let check = check.name.clone();
                return Err(EvalError::Uncalibrated { check, agreed, total, wrong });
            }
        }
        Ok(usage)
    }

    /// Asks everybody about one answer; the judge's cost is added to the answer's.
    pub(super) fn say(
        &self,
        suite: &Suite,
        rubric: Rubric,
        case: &Case,
        response: &mut Response,
        cancel: &Cancel,
    ) -> Result<Verdicts, StepError> {
        let mut verdicts = Verdicts::new();
        for check in asked(suite, rubric) {
            // A program is known by the name of its check.
            if let Some(plan) = self.programs.get(&check.name) {
                let verdict = run(plan, check, case, response, cancel)?;
                verdicts.insert(check.name.clone(), verdict);
            }
            let Some(judge) = &self.judge else { continue };
            let none = Verdicts::new();
            let (artifacts, meta) = (&response.artifacts, &response.meta);
            let subject = Subject { case, artifacts, meta, said: &none };
            // Another kind of check asks nothing, nor does one without an answer: it is skipped.
            let Some(question) = Question::about(check, subject) else { continue };
            let said = judge.ask(&question, cancel)?;
            response.meta.judge_usage = response.meta.judge_usage.plus(said.usage);
            verdicts.insert(check.name.clone(), said.verdict);
        }
        Ok(verdicts)
    }

    /// What results depend on.
    pub(super) fn identity(&self) -> Value {
        let programs: BTreeMap<&String, &Vec<String>> =
            self.programs.iter().map(|(name, it)| (name, &it.argv)).collect();
        json!({"programs": programs, "judge": self.judge.as_ref().map(JudgePlan::identity)})
    }
}

/// Asks a program: exit code 0 is a pass and 1 a refusal. With any other it said nothing.
fn run(
    plan: &CommandPlan,
    check: &SuiteCheck,
    case: &Case,
    response: &Response,
    cancel: &Cancel,
) -> Result<Verdict, StepError> {
    let input = json!({"check": check.name, "case": case.fields, "artifacts": response.artifacts});
    let input = serde_json::to_vec(&input).unwrap_or_default();
    let unavailable = |error: StepError| {
        let fault = Fault::CheckFailed { check: check.name.clone(), why: error.text() };
        StepError { retryable: false, ..fault.error(ErrorCode::CheckUnavailable) }
    };
    let (exited, stdout, stderr) = command::run(plan, &input, cancel).map_err(unavailable)?;
    match (&exited.ended, exited.rc) {
        (Ended::Exited, 0 | 1) => {
            let bytes = start_of(&stdout, SAID);
            let clean = secret::redact_shapes(&bytes);
            let text = String::from_utf8_lossy(&clean);
            let reason = text.lines().find(|it| !it.trim().is_empty()).unwrap_or_default();
            Ok(Verdict { pass: exited.rc == 0, reason: reason.trim().to_owned() })
        }
        (ended, rc) => Err(unavailable(command::died(ended, rc, &stderr))),
    }
}
