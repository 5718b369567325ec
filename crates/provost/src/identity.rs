//! The identity guard (LOOP-A1): who runs provost and where, asked of the system.

use provost_kernel::IdentityConfig;
use provost_rules::identity::{self, Enforced, IdentityError, Running};

/// Stops when the user or the machine is not the configured one.
pub(crate) fn guard(expected: &IdentityConfig) -> Result<Enforced, IdentityError> {
    identity::check(expected, &running())
}

/// The user that the process acts as and the name of the machine. Neither comes from the
/// environment, which anybody can set.
fn running() -> Running {
    Running { user: whoami::username().ok(), host: whoami::hostname().ok() }
}
