//! What the coder is told: the goal, and what came of the attempt before.

use provost_adapter::Reply;
use provost_kernel::{
    AttemptNumber,
    task::{DecisionRecord, State},
};
use provost_rules_task::{
    inputs,
    prompt::{CoderLimits, CoderPrompt, PreviousCheck, PreviousTest, coder, limit},
    sections, story,
};
use provost_vault::{AttemptFile, RealDisk, Step as StepFolder, StepFile, task::read_tail};

use super::{Attempt, Stop};
use crate::{EngineError, RunError, context::redact_text};

/// What is left of the attempt before, as far as the next one should know it.
#[derive(Default)]
struct Before {
    reasons: Vec<String>,
    has_passed: bool,
    next_instructions: Option<String>,
    output: Option<String>,
    test: Option<(i32, String)>,
    checks: Vec<PreviousCheck>,
    diff_stat: Option<String>,
    /// What the check of the claims had to say.
    claims: Vec<String>,
}

impl Attempt<'_, '_, '_> {
    /// Writes the prompt of this attempt's coder.
    pub(super) fn coder_prompt(&mut self, rerun: Option<AttemptNumber>) -> Result<String, Stop> {
        let inputs = self.open.files().user_input()?;
        if rerun.is_none() {
            self.pending_input = inputs::pending(&self.open.status.value, &inputs);
        }
        self.said = inputs::told(&self.open.status.value, &inputs, &self.pending_input);
        if let Some(earlier) = rerun {
            return Ok(self.earlier_prompt(earlier)?);
        }
        let before = self.before()?;
        let stories = self.stories_prompt(&before.claims);
        let rejected = self.pending_input.rejection.as_ref();
        let edited = self.pending_input.instruction.as_deref();
        let goal = match &self.spec.plan {
            Some(plan) => format!("{}\n\nFollow the plan in `{plan}`.", self.spec.goal.trim_end()),
            None => self.spec.goal.clone(),
        };
        let checks = self.spec.checks();
        Ok(coder(&CoderPrompt {
            goal: &goal,
            acceptance: &sections::told(&self.spec.acceptance, &self.spec.required_sections),
            limits: CoderLimits::of(&self.spec, &checks),
            stories: stories.as_deref(),
            context_mode: self.spec.attempt_context_mode,
            is_continued: self.started_on.is_some(),
            conflicts: &self.conflicts,
            previous_output: before.output.as_deref(),
            instruction: edited,
            next_instructions: before.next_instructions.as_deref().filter(|_| edited.is_none()),
            reasons: &before.reasons,
            has_passed: before.has_passed,
            rejected_because: rejected.and_then(|it| it.because.as_deref()),
            previous_test: before.test.as_ref().map(|(rc, log)| PreviousTest { rc: *rc, log }),
            previous_checks: &before.checks,
            diff_stat: before.diff_stat.as_deref(),
            head: None,
            user_input: &self.pending_input.texts,
        }))
    }

    /// The prompt that an earlier attempt was given.
    fn earlier_prompt(&self, earlier: AttemptNumber) -> Result<String, EngineError> {
        let layout = self.engine.desk.layout();
        let at = layout.step_file(self.open.task(), earlier, StepFolder::Coder, StepFile::Prompt);
        let text = read_tail(&RealDisk, &at, u64::MAX)?;
        if text.is_empty() {
            let (task, attempt) = (self.open.task().clone(), earlier.get());
            return Err(RunError::NoSuchAttempt { task, attempt }.into());
        }
        Ok(text)
    }

    /// What is left of the newest attempt that was decided, unless the task was reset since.
    fn before(&self) -> Result<Before, EngineError> {
        let Some((earlier, decided)) = self.newest_decided()? else {
            return Ok(Before::default());
        };
        let (layout, task) = (self.engine.desk.layout(), self.open.task());
        let read = |at, most: usize| read_tail(&RealDisk, &at, most as u64);
        let metrics = self.open.files().metrics(earlier)?.present().map(|it| it.value);
        let test = match metrics.and_then(|it| it.test_rc) {
            None => None,
            Some(rc) => {
                let log = |file| {
                    read(layout.step_file(task, earlier, StepFolder::Test, file), limit::TEST_LOG)
                };
                Some((rc, [log(StepFile::Stdout)?, log(StepFile::Stderr)?].concat()))
            }
        };
        let reply = layout.step_file(task, earlier, StepFolder::Coder, StepFile::Reply);
        let reply = read(reply, usize::MAX)?;
        let output = serde_json::from_str::<Reply>(&reply).ok().map(|it| redact_text(&it.text));
        let stat = layout.attempt_file(task, earlier, AttemptFile::DiffStat);
        let language = self.engine.settings.language;
        let proofs = self.open.files().proofs(earlier)?.present();
        let claims = proofs.map(|it| story::feedback(&it.value)).unwrap_or_default();
        let claims = claims.iter().map(|it| language.render(it)).collect();
        let against = decided.against.iter().map(|it| language.render(it));
        Ok(Before {
            has_passed: decided.decision.next_state == State::ReadyForReview,
            reasons: against.chain(decided.reasons).collect(),
            next_instructions: Some(decided.next_instructions),
            output,
            test,
            checks: self.broken_in(earlier)?,
            diff_stat: Some(read(stat, limit::FILES)?),
            claims,
        })
    }

    fn newest_decided(&self) -> Result<Option<(AttemptNumber, DecisionRecord)>, EngineError> {
        let files = self.open.files();
        let Some(first) = self.first_since_reset()? else { return Ok(None) };
        for earlier in files.attempts()?.into_iter().rev() {
            if earlier >= self.number || earlier < first {
                continue;
            }
            if let Some(decided) = files.decision(earlier)?.present() {
                return Ok(Some((earlier, decided.value)));
            }
        }
        Ok(None)
    }

    /// The first attempt that started after the last reset.
    pub(super) fn first_since_reset(&self) -> Result<Option<AttemptNumber>, EngineError> {
        use provost_kernel::task::EventKind;
        let events = self.open.files().events()?.records;
        let since = events.iter().rposition(|it| it.value.kind == EventKind::TaskReset);
        let after = events.iter().skip(since.map_or(0, |it| it + 1));
        let mut started = after.filter(|it| it.value.kind == EventKind::AttemptStarted);
        Ok(started.find_map(|it| it.value.attempt.try_into().ok()))
    }
}
