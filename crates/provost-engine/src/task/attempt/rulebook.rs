//! What the judge of this attempt judges by: the scaffold, and what was learned from people.

use provost_kernel::{
    Fault,
    learn::{MissionName, Rulebook},
    task::{ErrorClass, Role},
};
use provost_rules_learn::judge;
use provost_vault::{RealDisk, learn::read_current};

use super::{Attempt, Stop, with_hints};

impl Attempt<'_, '_, '_> {
    /// Finds the rules in force for the type of the task; none for a task without one.
    ///
    /// Rules that cannot be read end the attempt before anything was paid for: a judge that forgot
    /// what people taught it would look like one that remembers.
    pub(super) fn find_rulebook(&mut self) -> Result<Option<Rulebook>, Stop> {
        let Some(task_type) = self.spec.task_type else { return Ok(None) };
        let mission = MissionName::of_judge(task_type);
        let current = match read_current(&RealDisk, self.engine.desk.layout(), &mission) {
            Ok(current) => current,
            Err(error) => return Err(self.no_rulebook(&error)),
        };
        match judge::rulebook(&mission, current) {
            Ok(rulebook) => Ok(Some(rulebook)),
            Err(error) => Err(self.no_rulebook(&error)),
        }
    }

    fn no_rulebook(&mut self, error: &dyn Fault) -> Stop {
        self.end_at(Role::Judge, 0, ErrorClass::JudgeInvalid, with_hints(error))
    }
}
