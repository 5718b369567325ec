//! The agents of an attempt, looked at once more before they are paid.

use provost_kernel::task::{ErrorClass, Role};
use provost_rules_task::decision::RC_AUTH;

use super::{Agent, Attempt, Stop, with_hints};
use crate::task::preflight::{check, class};

impl Attempt<'_, '_, '_> {
    /// Ends the attempt if one of its agents could not work, before anything is paid for. Before the
    /// first one they were looked at when the task was made.
    pub(super) fn preflight(
        &mut self,
        coder: Option<&Agent>,
        judge: Option<&Agent>,
    ) -> Result<(), Stop> {
        if self.number.get() == 1 {
            return Ok(());
        }
        let agents = [(Role::Coder, coder), (Role::Judge, judge)];
        for (role, agent) in agents.into_iter().filter_map(|(role, it)| Some((role, it?))) {
            let Err(error) = check(self.engine, &agent.selected) else { continue };
            let Some(class) = class(&error) else { return Err(error.into()) };
            let rc = if class == ErrorClass::Auth { RC_AUTH } else { 0 };
            return Err(self.end_at(role, rc, class, with_hints(&error)));
        }
        Ok(())
    }
}
