//! The checks besides the test: once on the base, and on what each attempt delivered.

use std::time::Duration;

use provost_exec::git::{ObjectId, PrivateClone};
use provost_kernel::{
    AttemptNumber, Message as _, RecordFile, Text, shorten,
    task::{Check, CheckRun, CheckRuns, CheckState, CheckVerdict, ErrorClass, Role, Standing},
};
use provost_rules_task::{
    checks::{CheckNote, base_note, broken, judge, judge_run, note},
    decision::RC_TIMEOUT,
    prompt::PreviousCheck,
};
use provost_vault::{AttemptFile, RealDisk, Stored, read_record, remove, write_json};

use super::{Attempt, Stop, policy::Change, printed, step::Limit, test::Tested};
use crate::{
    EngineError,
    proof::Prover,
    task::progress::{Step, Update},
};

impl Attempt<'_, '_, '_> {
    /// Runs the checks on the base, once for the task. What is red there or cannot be run is said
    /// before anything is paid for, and stops nothing.
    pub(super) fn base_checks(&mut self, clone: &PrivateClone) -> Result<Vec<CheckRun>, Stop> {
        let checks = self.spec.checks();
        if checks.is_empty() {
            return Ok(Vec::new());
        }
        let at = self.engine.desk.layout().base_checks(self.open.task());
        // What is damaged is found out again.
        if let Stored::Present(known) = read_record::<_, CheckRuns>(&RealDisk, &at)?
            && known.value.commit == clone.base.as_str()
            && known.value.are_of(&checks)
        {
            return Ok(known.value.runs);
        }
        let mut runs = Vec::with_capacity(checks.len());
        for check in &checks {
            let (run, _) = self.run_check(clone, check, &clone.base)?;
            self.check_finished(&run, &base_note(&run).text());
            self.wall = self.wall.saturating_add(wall(&run));
            runs.push(run);
        }
        let kept = CheckRuns { commit: clone.base.to_string(), runs: runs.clone() };
        write_json(&RealDisk, &at, &RecordFile::new(kept))?;
        Ok(runs)
    }

    /// Runs the checks on what was delivered, unless its test is red: then the coder has something
    /// else to mend first.
    pub(super) fn run_checks(
        &mut self,
        clone: &PrivateClone,
        change: &Change,
        base: &[CheckRun],
        tested: &Tested,
    ) -> Result<(), Stop> {
        let checks = self.spec.checks();
        if tested.rc.is_some_and(|it| it != 0) {
            for check in &checks {
                let text = CheckNote::AfterRedTest.text();
                self.checked(check.kind.as_str(), Standing::NotVerified, text);
            }
            return Ok(());
        }
        let mut runs = Vec::with_capacity(checks.len());
        for (check, before) in checks.iter().zip(base) {
            let is_known = matches!(before.state, CheckState::Green | CheckState::Red);
            let mut run = if is_known {
                let (run, limit) = self.run_check(clone, check, &change.commit)?;
                self.check_finished(&run, &Text::verbatim(format!("rc={}", run.rc)));
                self.ran(format!("{}:{}", run.kind, run.command), run.rc, wall(&run))?;
                if let (RC_TIMEOUT, Limit::Budget) = (run.rc, limit) {
                    let command = shorten(&run.command);
                    return Err(self.end_at(Role::Test, 0, ErrorClass::Budget, command));
                }
                run
            } else {
                before.clone()
            };
            let verdict = if is_known {
                judge_run(Some(before.state), &run)
            } else {
                judge(Some(before.state), None)
            };
            run.verdict = Some(verdict);
            let (standing, note) = note(verdict, &run);
            self.checked(run.kind.as_str(), standing, note.text());
            if verdict == CheckVerdict::Broken {
                self.engine.progress.update(&Update::Printed(&printed::shown(&run.said)));
            }
            runs.push(run);
        }
        if runs.is_empty() {
            return Ok(());
        }
        self.broken = broken(&runs);
        let layout = self.engine.desk.layout();
        let at = layout.attempt_file(self.open.task(), self.number, AttemptFile::Checks);
        let kept = CheckRuns { commit: change.commit.to_string(), runs };
        write_json(&RealDisk, &at, &RecordFile::new(kept))?;
        Ok(())
    }

    /// The checks that an earlier attempt broke, with what they printed.
    pub(super) fn broken_in(
        &self,
        earlier: AttemptNumber,
    ) -> Result<Vec<PreviousCheck>, EngineError> {
        let layout = self.engine.desk.layout();
        let at = layout.attempt_file(self.open.task(), earlier, AttemptFile::Checks);
        let Stored::Present(kept) = read_record::<_, CheckRuns>(&RealDisk, &at)? else {
            return Ok(Vec::new());
        };
        let runs = kept.value.runs.into_iter();
        let broken = runs.filter(|it| it.verdict == Some(CheckVerdict::Broken));
        let told = broken.map(|CheckRun { kind, command, rc, said: log, .. }| PreviousCheck {
            kind,
            command,
            rc,
            log,
        });
        Ok(told.collect())
    }

    /// Runs a check in a clean checkout of a commit, without the network.
    fn run_check(
        &mut self,
        clone: &PrivateClone,
        check: &Check,
        commit: &ObjectId,
    ) -> Result<(CheckRun, Limit), Stop> {
        let (deadline, limit) = self.deadline(self.spec.test_timeout_seconds)?;
        let folder = self.proof_folder()?;
        let (engine, layer) = (self.engine, self.layer.clone());
        engine.progress.update(&Update::StepStarted { step: Step::Check(check.kind) });
        let source = (clone, layer.as_ref());
        let ran = Prover::new(&engine, source, folder.clone(), &check.command, deadline)
            .and_then(|mut it| it.check(check, commit));
        remove(&folder)?;
        self.stop_if_interrupted()?;
        Ok((ran?, limit))
    }

    fn check_finished(&self, run: &CheckRun, outcome: &Text) {
        let (step, wall) = (Step::Check(run.kind), wall(run));
        self.engine.progress.update(&Update::StepFinished { step, outcome, wall });
    }
}

fn wall(run: &CheckRun) -> Duration {
    Duration::from_millis(run.wall_ms)
}
