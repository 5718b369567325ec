//! The proof of a merge: the test of the task on the merged tree, and what it proves against the
//! branch, before the branch moves.

use std::time::{Duration, Instant};

use provost_desk::task::OpenTask;
use provost_exec::git::{ObjectId, PrivateClone};
use provost_kernel::{
    AttemptNumber, Message, RecordFile, shorten,
    task::{ProofLabel, TestProof},
};
use provost_rules_task::{
    accept,
    landing::{LandError, LandingObstacle},
};
use provost_vault::{
    AttemptFile, RealDisk, WorkPlace, make_work_folder, remove, work_part, write_json,
};

use super::check_interrupt;
use crate::{
    Engine, EngineError,
    proof::{ProofRequest, Prover},
    task::progress::{Step, Update},
};

/// What is said of a run on the merged tree.
#[derive(Debug, Message)]
#[message(code = "task.land.proof")]
enum Outcome {
    #[message(en = "exit code {rc}", zh = "退出码 {rc}")]
    Red { rc: i32 },
    #[message(en = "{label}", zh = "{label}")]
    Green { label: &'static str },
}

/// Runs the test of a task on a merge, and finds out what it proves; an error if that is too little.
/// A task without a test proves nothing, as its attempts did not.
pub(super) fn prove(
    engine: Engine<'_>,
    open: &OpenTask<'_>,
    clone: &PrivateClone,
    (attempt, merged): (AttemptNumber, &ObjectId),
    branch: &str,
) -> Result<ProofLabel, EngineError> {
    let Some(command) = open.spec.value.test_cmd.clone() else { return Ok(ProofLabel::NotRun) };
    let layout = engine.desk.layout();
    let folder = layout.work_place(open.task(), attempt, WorkPlace::Proofs);
    remove(&folder)?;
    make_work_folder(&folder)?;
    let refuse = |why: LandingObstacle| {
        let (task, branch) = (open.task().clone(), branch.to_owned());
        EngineError::from(LandError::NotProven { task, branch, why })
    };
    let deadline = Duration::from_secs(open.spec.value.test_timeout_seconds.into());
    let start = Instant::now();
    let finished = |outcome: &Outcome| {
        let (outcome, wall) = (outcome.text(), start.elapsed());
        engine.progress.update(&Update::StepFinished { step: Step::Test, outcome: &outcome, wall });
    };
    engine.progress.update(&Update::StepStarted { step: Step::Prepare });
    let layer = Prover::new(&engine, (clone, None), folder.clone(), &command, deadline)?
        .layer(&work_part(&folder, "base"))?;
    check_interrupt(engine)?;
    engine.progress.update(&Update::StepStarted { step: Step::Test });
    let mut prover =
        Prover::new(&engine, (clone, layer.as_ref()), folder.clone(), &command, deadline)?;
    let (rc, said) = prover.plain(merged)?;
    check_interrupt(engine)?;
    if let Some(why) = prover.not_ready() {
        return Err(refuse(LandingObstacle::NotReady { why: why.text() }));
    }
    if rc != 0 {
        finished(&Outcome::Red { rc });
        return Err(refuse(LandingObstacle::Red { command: shorten(&command), rc, said }));
    }
    let base = prover.base()?;
    check_interrupt(engine)?;
    if let Some(why) = prover.not_ready() {
        return Err(refuse(LandingObstacle::NotReady { why: why.text() }));
    }
    let leave = open.spec.value.tests_may_change.clone();
    let request = ProofRequest { level: engine.settings.proof_level, leave: &leave };
    let proof = prover.prove(&request, merged, &base)?;
    check_interrupt(engine)?;
    let at = layout.attempt_file(open.task(), attempt, AttemptFile::LandingProof);
    write_json(&RealDisk, &at, &RecordFile::new(proof.clone()))?;
    finished(&Outcome::Green { label: proof.label.as_str() });
    match against(engine, open, attempt, &proof) {
        Some(why) => Err(refuse(why)),
        None => Ok(proof.label),
    }
}

/// What speaks against a green test of the merge, besides what a person accepted of these files.
fn against(
    engine: Engine<'_>,
    open: &OpenTask<'_>,
    attempt: AttemptNumber,
    proof: &TestProof,
) -> Option<LandingObstacle> {
    if proof.label == ProofLabel::NotRun {
        return proof.findings.first().map(LandingObstacle::from);
    }
    let accepted = &open.status.value.accepted;
    let is_accepted = |code: &str| {
        accept::of_attempt(accepted, attempt.get())
            .any(|it| it.finding == code && it.digest == proof.digest)
    };
    let against = proof.against(engine.settings.proof_require);
    against.iter().find(|it| !is_accepted(it.code.as_str())).map(LandingObstacle::from)
}
