//! The coder: told what to do, called, and its end written down.

use provost_adapter::{AgentRole, CallError, Failure, ReplyProblem, Request};
use provost_exec::git::PrivateClone;
use provost_kernel::{
    AttemptNumber, Message as _, Text,
    task::{ErrorClass, EventKind, Role},
};
use provost_vault::{RealDisk, Scratch, Step as StepFolder, StepFile, WorkPlace, write_record};

use super::{
    Agent, Attempt, Note, Stop,
    step::{Cwd, Limit, Place},
};
use crate::{
    context::redact_text,
    task::progress::{Step, Update},
};

/// What a coder said when it was done.
pub(super) struct Said {
    /// Without secrets.
    pub(super) text: String,
}

impl Attempt<'_, '_, '_> {
    /// Lets the coder work, and says what it said.
    pub(super) fn work(
        &mut self,
        coder: &Agent,
        clone: &PrivateClone,
        rerun: Option<AttemptNumber>,
    ) -> Result<Said, Stop> {
        let prompt = self.coder_prompt(rerun)?;
        let at = self.file(StepFolder::Coder, StepFile::Prompt);
        write_record(&RealDisk, &at, prompt.as_bytes())?;
        let (deadline, limit) = self.deadline(self.spec.coder_timeout_seconds)?;
        let code = self.spec.task_code.clone().unwrap_or_default();
        let task = self.open.task().clone();
        let mut request =
            Request::new(AgentRole::Coder, task, self.number, &code, prompt, deadline);
        request.model.clone_from(&coder.model);

        self.find_session(coder, rerun)?;
        self.note(EventKind::CoderStarted, format!("coder={}", coder.selected.name))?;
        self.mark("coder_started_at");
        self.engine.progress.update(&Update::StepStarted { step: Step::Coder });
        let place = Place {
            step: StepFolder::Coder,
            exchange: WorkPlace::CoderExchange,
            cwd: Cwd::Tree(clone.tree.clone()),
            scratch: Scratch::Coder,
        };
        let called = self.call(coder, &request, &place, Role::Coder)?;
        self.keep_session(coder, &called)?;
        self.metrics.coder_rc = Some(called.rc);
        self.mark("coder_finished_at");
        let outcome = called.text();
        self.engine.progress.update(&Update::StepFinished {
            step: Step::Coder,
            outcome: &outcome,
            wall: called.wall,
        });
        // A signal that ended the coder is provost's own end, not the coder's.
        self.stop_if_interrupted()?;
        self.note(EventKind::CoderFinished, format!("rc={}", called.rc))?;

        match called.outcome {
            Ok(reply) => Ok(Said { text: redact_text(&reply.text) }),
            // It said nothing; whether it did anything is looked at next.
            Err(CallError::Failed(Failure::Reply(ReplyProblem::Absent))) => {
                Ok(Said { text: String::new() })
            }
            Err(CallError::TimedOut) => Err(match limit {
                Limit::Step => self.end_at(Role::Coder, 124, ErrorClass::Timeout, ""),
                Limit::Budget => self.end_at(Role::Coder, 0, ErrorClass::Budget, outcome),
            }),
            Err(CallError::NotAuthorised) => {
                Err(self.end_at(Role::Coder, 195, ErrorClass::Auth, coder.selected.name.clone()))
            }
            Err(CallError::Quota { .. }) => {
                Err(self.end_at(Role::Coder, 0, ErrorClass::Quota, outcome))
            }
            Err(CallError::Budget) => Err(self.budget_reached(Role::Coder)?),
            Err(CallError::Missing) => {
                let detail = Note::Named { name: coder.selected.name.clone(), text: outcome };
                Err(self.end_at(Role::Coder, 0, ErrorClass::AdapterMissing, detail.text()))
            }
            Err(error @ (CallError::Failed(_) | CallError::Cancelled | CallError::NotRecorded)) => {
                self.note(EventKind::CoderFailedSkipJudge, format!("rc={}", called.rc))?;
                // The decision names the exit code itself.
                let is_said = matches!(error, CallError::Failed(Failure::Exit { .. }));
                let detail = if is_said { Text::verbatim("") } else { outcome };
                Err(self.end_at(Role::Coder, called.rc, ErrorClass::CoderFailed, detail))
            }
        }
    }
}
