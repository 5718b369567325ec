//! The checks besides the test on a merge, before the branch moves.

use std::time::Duration;

use provost_desk::task::OpenTask;
use provost_exec::git::{ObjectId, PrivateClone};
use provost_kernel::{
    AttemptNumber, Message as _, shorten,
    task::{CheckState, CheckVerdict},
};
use provost_rules_task::{
    checks::{judge, note},
    landing::{LandError, LandingObstacle},
};
use provost_vault::{WorkPlace, make_work_folder, remove, work_part};

use super::check_interrupt;
use crate::{
    Engine, EngineError,
    proof::Prover,
    task::progress::{Step, Update},
};

/// Runs the checks of a task on a merge; an error for one that is green on the branch alone.
pub(super) fn check(
    engine: Engine<'_>,
    open: &OpenTask<'_>,
    clone: &PrivateClone,
    (attempt, merged): (AttemptNumber, &ObjectId),
    branch: &str,
) -> Result<(), EngineError> {
    let spec = &open.spec.value;
    let folder = engine.desk.layout().work_place(open.task(), attempt, WorkPlace::Proofs);
    let deadline = Duration::from_secs(spec.test_timeout_seconds.into());
    for check in spec.checks() {
        remove(&folder)?;
        make_work_folder(&folder)?;
        let step = Step::Check(check.kind);
        engine.progress.update(&Update::StepStarted { step });
        let prover =
            |layer| Prover::new(&engine, (clone, layer), folder.clone(), &check.command, deadline);
        let layer = prover(None)?.layer(&work_part(&folder, "base"))?;
        let mut prover = prover(layer.as_ref())?;
        let run = prover.check(&check, merged)?;
        check_interrupt(engine)?;
        let before = match run.state {
            CheckState::Green => None,
            CheckState::Red | CheckState::CannotRun | CheckState::NotReady => {
                Some(prover.check(&check, &clone.base)?.state)
            }
        };
        check_interrupt(engine)?;
        let verdict = judge(before, Some(run.state));
        let (outcome, wall) = (note(verdict, &run).1.text(), Duration::from_millis(run.wall_ms));
        engine.progress.update(&Update::StepFinished { step, outcome: &outcome, wall });
        if verdict == CheckVerdict::Broken {
            let (task, branch) = (open.task().clone(), branch.to_owned());
            let said = run.last_line().to_owned();
            let why = LandingObstacle::Red { command: shorten(&run.command), rc: run.rc, said };
            return Err(LandError::NotProven { task, branch, why }.into());
        }
    }
    Ok(())
}
