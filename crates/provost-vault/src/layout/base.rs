//! What is known of the base of a task before its first attempt.

use provost_kernel::TaskId;

use super::Layout;
use crate::Location;

impl Layout {
    /// How the test came out on the base.
    pub fn base_test(&self, task: &TaskId) -> Location {
        self.task(task).join("base_test.json")
    }

    /// How the other checks came out there.
    pub fn base_checks(&self, task: &TaskId) -> Location {
        self.task(task).join("base_checks.json")
    }
}
