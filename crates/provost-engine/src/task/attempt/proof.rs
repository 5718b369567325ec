//! What a green test proves, and how the test comes out on the base.

use std::time::Duration;

use provost_exec::git::PrivateClone;
use provost_kernel::{
    Message as _, RecordFile, shorten,
    task::{BaseTest, ErrorClass, ProofLabel, Role, TestProof},
};
use provost_vault::{
    AttemptFile, Location, RealDisk, Stored, WorkPlace, make_work_folder, read_record, remove,
    write_json,
};

use super::{Attempt, Note, Stop, policy::Change};
use crate::{
    EngineError,
    proof::{ProofRequest, Prover},
    task::progress::{Step, Update},
};

impl Attempt<'_, '_, '_> {
    /// Runs the test on the base, once for the task: where it starts is known before anything is
    /// paid for.
    pub(super) fn base_test(&mut self, clone: &PrivateClone) -> Result<Option<BaseTest>, Stop> {
        let Some(command) = self.spec.test_cmd.clone() else { return Ok(None) };
        let at = self.engine.desk.layout().base_test(self.open.task());
        let is_same = |it: &BaseTest| it.command == command && it.commit == clone.base.as_str();
        // What is damaged is found out again.
        if let Stored::Present(known) = read_record::<_, BaseTest>(&RealDisk, &at)?
            && is_same(&known.value)
        {
            return Ok(Some(known.value));
        }
        let folder = self.proof_folder()?;
        let (deadline, _) = self.deadline(self.spec.test_timeout_seconds)?;
        let (engine, layer) = (self.engine, self.layer.clone());
        let start = engine.desk.clock().millis();
        engine.progress.update(&Update::StepStarted { step: Step::Base });
        let mut prover =
            Prover::new(&engine, (clone, layer.as_ref()), folder.clone(), &command, deadline)?;
        let tested = prover.base();
        remove(&folder)?;
        self.stop_if_interrupted()?;
        let tested = tested?;
        let wall = engine.desk.clock().millis().0.saturating_sub(start.0);
        let wall = Duration::from_millis(wall);
        self.wall = self.wall.saturating_add(wall);
        if let Some(why) = prover.not_ready() {
            let why = why.clone();
            return Err(self.not_prepared(Role::Coordinator, &why));
        }
        let unrunnable = prover.unrunnable(&tested).map(|it| it.text());
        let red = unrunnable.clone().or_else(|| tested.text());
        let outcome = match red {
            // The first test of a project is honest work, and a wrong command is a slip: a person is
            // told before anything is paid for, and decides.
            _ if unrunnable.is_none() && tested.has_no_tests() => {
                Note::NoBaseTests { command: shorten(&command) }.text()
            }
            Some(red) => red,
            None => Note::GreenBase.text(),
        };
        engine.progress.update(&Update::StepFinished { step: Step::Base, outcome: &outcome, wall });
        if let Some(why) = unrunnable {
            return Err(self.end_at(Role::Coordinator, 0, ErrorClass::TestNotRun, why));
        }
        write_json(&RealDisk, &at, &RecordFile::new(tested.clone()))?;
        Ok(Some(tested))
    }

    /// Finds out what the green test of a change proves.
    pub(super) fn prove_test(
        &mut self,
        clone: &PrivateClone,
        change: &Change,
        base: &BaseTest,
        deadline: Duration,
    ) -> Result<TestProof, Stop> {
        let folder = self.proof_folder()?;
        let (engine, layer) = (self.engine, self.layer.clone());
        let leave = self.spec.tests_may_change.clone();
        let request = ProofRequest { level: engine.settings.proof_level, leave: &leave };
        let proved =
            Prover::new(&engine, (clone, layer.as_ref()), folder.clone(), &base.command, deadline)
                .and_then(|it| it.prove(&request, &change.commit, base));
        remove(&folder)?;
        self.stop_if_interrupted()?;
        let proof = proved?;
        if proof.label == ProofLabel::NotRun {
            let layer = self.layer.take();
            let base_fails = self.base_fails(clone)?;
            self.layer = layer;
            if let Some(why) = base_fails {
                return Err(self.not_prepared(Role::Test, &why));
            }
        }
        let layout = self.engine.desk.layout();
        let at = layout.attempt_file(self.open.task(), self.number, AttemptFile::TestProof);
        write_json(&RealDisk, &at, &RecordFile::new(proof.clone()))?;
        Ok(proof)
    }

    pub(super) fn proof_folder(&self) -> Result<Location, EngineError> {
        let layout = self.engine.desk.layout();
        let folder = layout.work_place(self.open.task(), self.number, WorkPlace::Proofs);
        remove(&folder)?;
        make_work_folder(&folder)?;
        Ok(folder)
    }
}
