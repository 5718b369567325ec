//! The declaration of a task with a plan: which files will change, taken while none can (STORY-4.1).
//!
//! The coder is called once in a tree that it cannot write, and asked for the files. What it answers
//! is on record before the call that may change them. A coder that declares nothing here still
//! declares with its claim, and that is late.

use camino::Utf8Path;
use provost_adapter::{AgentRole, CallError, Request};
use provost_exec::git::{GitError, PrivateClone};
use provost_kernel::{
    Message as _,
    task::{ContextMode, ErrorClass, EventKind, Role},
};
use provost_rules_task::{
    prompt::{self, CoderLimits, CoderPrompt},
    sections, story,
};
use provost_vault::{RealDisk, Scratch, Step as StepFolder, StepFile, WorkPlace, write_record};

use super::{
    Agent, Attempt, Note, Stop,
    step::{Cwd, Place, has_process},
};
use crate::{
    EngineError,
    context::redact_json,
    story::attempt::{Delivered, declare},
    task::progress::{Step, Update},
};

impl Attempt<'_, '_, '_> {
    /// Asks the coder of a task with a plan which files it will change, and records the answer.
    pub(super) fn declare(&mut self, coder: &Agent, clone: &PrivateClone) -> Result<(), Stop> {
        let Some(stories) = self.declaration_prompt() else { return Ok(()) };
        if !has_process(&coder.selected.config) {
            return Ok(());
        }
        let checks = self.spec.checks();
        let prompt = prompt::coder(&CoderPrompt {
            goal: &self.spec.goal,
            acceptance: &sections::told(&self.spec.acceptance, &self.spec.required_sections),
            stories: Some(&stories),
            limits: CoderLimits::of(&self.spec, &checks),
            context_mode: ContextMode::FreshEach,
            is_continued: self.started_on.is_some(),
            conflicts: &[],
            instruction: None,
            previous_output: None,
            next_instructions: None,
            reasons: &[],
            has_passed: false,
            rejected_because: None,
            previous_test: None,
            previous_checks: &[],
            diff_stat: None,
            head: None,
            user_input: &[],
        });
        let at = self.file(StepFolder::Declare, StepFile::Prompt);
        write_record(&RealDisk, &at, prompt.as_bytes())?;
        let (deadline, _) = self.deadline(self.spec.coder_timeout_seconds)?;
        let code = self.spec.task_code.clone().unwrap_or_default();
        let task = self.open.task().clone();
        let mut request =
            Request::new(AgentRole::Coder, task, self.number, &code, prompt, deadline);
        request.model.clone_from(&coder.model);
        self.engine.progress.update(&Update::StepStarted { step: Step::Declare });
        let place = Place {
            step: StepFolder::Declare,
            exchange: WorkPlace::DeclareExchange,
            cwd: Cwd::ReadOnly(clone.tree.clone()),
            scratch: Scratch::Coder,
        };
        let called = self.call(coder, &request, &place, Role::Coder)?;
        let outcome = called.text();
        self.engine.progress.update(&Update::StepFinished {
            step: Step::Declare,
            outcome: &outcome,
            wall: called.wall,
        });
        self.stop_if_interrupted()?;
        // Who cannot be called to declare cannot be called to work.
        match &called.outcome {
            Err(CallError::NotAuthorised) => {
                let name = coder.selected.name.clone();
                return Err(self.end_at(Role::Coder, 195, ErrorClass::Auth, name));
            }
            Err(CallError::Quota { .. }) => {
                return Err(self.end_at(Role::Coder, 0, ErrorClass::Quota, outcome));
            }
            Err(CallError::Budget) => return Err(self.budget_reached(Role::Coder)?),
            Err(CallError::Missing) => {
                let detail = Note::Named { name: coder.selected.name.clone(), text: outcome };
                return Err(self.end_at(Role::Coder, 0, ErrorClass::AdapterMissing, detail.text()));
            }
            Ok(_)
            | Err(
                CallError::TimedOut
                | CallError::Failed(_)
                | CallError::Cancelled
                | CallError::NotRecorded,
            ) => {}
        }
        let handed_in = std::mem::replace(&mut self.claim, Ok(None));
        let reply = called.outcome.ok().map(|it| it.text).unwrap_or_default();
        let files = match handed_in {
            Ok(Some(bytes)) => story::declared(&redact_json(&bytes)),
            Ok(None) => story::declared(&redact_json(story::object(&reply).as_bytes())),
            Err(_) => None,
        };
        self.take_declaration(files, clone)
    }

    /// Records the declaration for every story of the task.
    fn take_declaration(
        &mut self,
        files: Option<Vec<String>>,
        clone: &PrivateClone,
    ) -> Result<(), Stop> {
        let (Some(files), Some(plan)) = (files, &self.plan) else {
            return Ok(self.note(EventKind::FilesDeclared, "none")?);
        };
        let tree = Utf8Path::from_path(&clone.tree)
            .ok_or_else(|| GitError::NotARepository { path: clone.tree.clone() })?;
        let delivered = Delivered { tree, base: &clone.base };
        let stories = plan.rows.iter().map(|it| it.story_id.clone());
        let taken = declare(
            &self.engine,
            &plan.execution.id,
            &stories.collect::<Vec<_>>(),
            &files,
            delivered,
        )
        .map_err(EngineError::from)?;
        let summary = match &taken {
            Ok(files) => files.join(", "),
            Err(problem) => format!("refused: {problem}"),
        };
        self.declared = taken.ok();
        Ok(self.note(EventKind::FilesDeclared, summary)?)
    }
}
