//! The time of the machine.

use std::time::{SystemTime, UNIX_EPOCH};

use provost_kernel::{Clock, Millis};

/// The clock of the machine; everything else takes a [`Clock`].
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that all others stand for")]
    fn millis(&self) -> Millis {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}
