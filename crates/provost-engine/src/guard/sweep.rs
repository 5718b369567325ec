//! Clearing up behind agents and hooks that did not live to do it themselves.

use provost_kernel::{Clock, Fault};
use provost_rules_guard::{
    mode::is_marker_stale,
    tracking::{apply, fail_stale, is_stale},
};
use provost_vault::{
    Disk, Expired, FileError, Layout, Location, PATIENCE, Retention, TrackingError,
    guard::GuardFiles, sweep as expired,
};

/// What was cleared up, and what could not be.
#[derive(Debug, Default)]
pub struct Swept {
    /// Files that have had their time.
    pub removed: Vec<Expired>,
    /// Agents that ran for too long and count as failed now.
    pub lost_agents: Vec<String>,
    /// How many operations had waited for the lock of the tracked state.
    pub n_applied: usize,
    /// The marker of a mode whose tool is gone.
    pub marker: Option<Location>,
    /// One thing that cannot be cleared up keeps no other from being.
    pub failed: Vec<Box<dyn Fault>>,
}

/// Clears up: what lies in the folder of the guard, and nothing else.
pub fn sweep<D: Disk>(
    disk: &D,
    layout: &Layout,
    clock: &dyn Clock,
    retention: &Retention,
) -> Swept {
    let mut swept = Swept::default();
    remove_expired(disk, layout, clock, retention, &mut swept);
    let files = GuardFiles::new(disk, layout, clock);
    if let Err(error) = settle_agents(&files, clock, &mut swept) {
        swept.failed.push(Box::new(error));
    }
    match files.remove_marker(|it| is_marker_stale(it, clock.millis())) {
        Ok(marker) => swept.marker = marker,
        Err(error) => swept.failed.push(Box::new(error)),
    }
    swept
}

fn remove_expired<D: Disk>(
    disk: &D,
    layout: &Layout,
    clock: &dyn Clock,
    retention: &Retention,
    swept: &mut Swept,
) {
    let guard = layout.guard().path();
    let found = expired(disk, layout, clock.millis(), retention);
    let is_ours = |it: &FileError| it.path.starts_with(&guard);
    for error in found.unreadable.into_iter().filter(is_ours) {
        swept.failed.push(Box::new(error));
    }
    for it in found.expired.into_iter().filter(|it| it.at.path().starts_with(&guard)) {
        match it.remove(disk) {
            Ok(()) => swept.removed.push(it),
            Err(error) => swept.failed.push(Box::new(error)),
        }
    }
}

/// Applies what waits and gives up on lost agents; where there is neither, nothing is written.
fn settle_agents<D: Disk>(
    files: &GuardFiles<'_, D>,
    clock: &dyn Clock,
    swept: &mut Swept,
) -> Result<(), TrackingError> {
    let now = clock.millis();
    let n_waiting = files.n_waiting();
    let is_lost = files.tracking()?.agents.iter().any(|it| is_stale(it, now));
    if n_waiting == 0 && !is_lost {
        return Ok(());
    }
    let mut lost = Vec::new();
    files.change_tracking(
        PATIENCE,
        |state, operation| apply(state, operation, now),
        |state| {
            let (state, found) = fail_stale(state, now);
            lost = found;
            state
        },
    )?;
    // What a newer version left is not ours to apply, and waits on.
    swept.n_applied = n_waiting.saturating_sub(files.n_waiting());
    swept.lost_agents = lost;
    Ok(())
}
