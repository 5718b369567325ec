//! What a hook does once its answer is out: nothing waits for it, and no failure of it stops a
//! tool.

use std::{collections::BTreeSet, path::Path, time::Duration};

use provost_kernel::{
    Clock, Millis, RecordFile,
    guard::{HookInput, HookType, Mode, Tracking},
};
use provost_rules_guard::{merge, mode, replay, tool_error, tracking};
use provost_vault::{Disk, FileError, Layout, Retention, audit::mark_if_broken, guard::GuardFiles};

/// How long the tracked state is waited for where a change has no spool to wait in.
const WAIT: Duration = Duration::from_secs(1);

/// Where the original keeps the tracked state of a project, and how much of it is read.
const ORIGINAL_TRACKING: &str = ".omc/state/subagent-tracking.json";
const LARGEST_ORIGINAL: u64 = 4 << 20;

/// What is left to do.
#[derive(Debug)]
pub struct After {
    input: HookInput,
    replay_days: u32,
}

/// The state of a home, at one instant.
struct State<'a, D: Disk> {
    files: GuardFiles<'a, D>,
    now: Millis,
}

impl After {
    pub(super) fn of(input: HookInput, replay_days: u32) -> Self {
        Self { input, replay_days }
    }

    /// Does it. What fails is left to the next hook: an operation that could not be applied waits
    /// in the spool, and what has had its time is found again.
    pub(super) fn carry_out<D: Disk>(&self, disk: &D, layout: &Layout, clock: &dyn Clock) {
        let files = GuardFiles::new(disk, layout, clock);
        let state = State { files, now: clock.millis() };
        state.track(&self.input);
        state.keep_error(&self.input);
        state.append_replay(&self.input);
        match self.input.hook {
            HookType::SessionStart => {
                state.sweep(self.replay_days);
                state.fail_lost_agents();
                // An edit in the middle of the chain: what is noted refuses the calls from now on.
                let _ = mark_if_broken(disk, layout, clock);
            }
            HookType::SetupMaintenance => {
                state.sweep(self.replay_days);
                state.fail_lost_agents();
            }
            HookType::SetupInit => state.import(self.input.directory.as_deref()),
            HookType::SessionEnd => {
                state.end_modes(self.input.session_id.as_deref());
                state.sweep(self.replay_days);
            }
            HookType::KeywordDetector
            | HookType::Ralph
            | HookType::PersistentMode
            | HookType::StopContinuation
            | HookType::PreToolUse
            | HookType::PostToolUse
            | HookType::Autopilot
            | HookType::SubagentStart
            | HookType::SubagentStop
            | HookType::PreCompact
            | HookType::PermissionRequest => {}
        }
    }
}

impl<D: Disk> State<'_, D> {
    fn track(&self, input: &HookInput) {
        // The modes matter to an agent that starts, and to nothing else.
        let is_start = input.hook == HookType::SubagentStart;
        let active = is_start.then(|| self.files.active_modes().unwrap_or_default());
        let parent = active.and_then(|it| tracking::parent_mode(&it));
        if let Some(operation) = tracking::operation(input, parent, self.now) {
            let apply = |state, operation: &_| tracking::apply(state, operation, self.now);
            // The holder of the lock applies what waits in the spool: a hook that stood in line
            // instead could be ended with its operation.
            let _ = self.files.track(&operation, Duration::ZERO, apply);
        }
    }

    fn keep_error(&self, input: &HookInput) {
        if tool_error::of(input, None, self.now).is_some() {
            let next = |before: Option<&_>| tool_error::of(input, before, self.now);
            let _ = self.files.record_tool_error(next);
        }
    }

    fn append_replay(&self, input: &HookInput) {
        let Some(session) = input.session_id.as_deref().and_then(replay::session) else { return };
        let first = self.files.first_replay_ts(&session).ok().flatten();
        let line = replay::event(input, first, self.now).and_then(replay::line);
        if let Some(line) = line {
            let _ = self.files.append_replay(&session, &line);
        }
    }

    /// Removes the replays that have had their time (HOOK-2.6).
    fn sweep(&self, replay_days: u32) {
        let replays = Duration::from_hours(24).saturating_mul(replay_days);
        let retention = Retention { replays, ..Retention::default() };
        let _ = self.files.sweep_replays(self.now, &retention);
    }

    /// Agents that were silent for too long have failed.
    fn fail_lost_agents(&self) {
        let known = self.files.tracking().unwrap_or_default();
        if known.agents.iter().any(|it| tracking::is_stale(it, self.now)) {
            let apply = |state, operation: &_| tracking::apply(state, operation, self.now);
            let _ = self
                .files
                .change_tracking(WAIT, apply, |state| tracking::fail_stale(state, self.now).0);
        }
    }

    /// Takes over what the original tracked in this project. Taking it over again changes nothing:
    /// the larger count and the newer record win (HOOK-2.2).
    fn import(&self, directory: Option<&str>) {
        let folder = directory.map(Path::new).filter(|it| it.is_absolute());
        let Some(bytes) = folder.and_then(|it| read_original(&it.join(ORIGINAL_TRACKING))) else {
            return;
        };
        let Ok(imported) = serde_json::from_slice::<RecordFile<Tracking>>(&bytes) else { return };
        let apply = |state, operation: &_| tracking::apply(state, operation, self.now);
        let merged = |state| merge::merge(&state, &imported.value);
        let _ = self.files.change_tracking(WAIT, apply, merged);
    }

    /// The modes of a session end with it; those of another session, and of a person, do not.
    fn end_modes(&self, session: Option<&str>) {
        let modes = self.files.modes().unwrap_or_default();
        for (it, _) in modes.iter().filter(|(_, state)| mode::ends_with(state, session)) {
            let _ = self.files.change_mode(*it, |states| {
                let state = states.get(it).cloned().unwrap_or_default();
                let is_over = mode::ends_with(&state, session);
                let state = if is_over { mode::ended(state, self.now) } else { state };
                Ok::<_, FileError>(state)
            });
        }
    }
}

/// A file that somebody else wrote: a plain file of a sensible size, or nothing.
fn read_original(path: &Path) -> Option<Vec<u8>> {
    let stat = std::fs::symlink_metadata(path).ok()?;
    (stat.is_file() && stat.len() <= LARGEST_ORIGINAL).then(|| std::fs::read(path).ok())?
}

/// The modes that are active in a home; none if that cannot be said.
pub(super) fn active_modes<D: Disk>(
    disk: &D,
    layout: &Layout,
    clock: &dyn Clock,
) -> BTreeSet<Mode> {
    GuardFiles::new(disk, layout, clock).active_modes().unwrap_or_default()
}
